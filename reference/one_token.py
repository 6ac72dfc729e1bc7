"""One token of speculative decoding on rows of exact numbers (spec 3).

Rows are sequences of int, float, Fraction, string or numpy scalar; results are elements of sympy's QQ. The law of a row
is row / sum(row). Every function applies a rule of `reference.pointwise`: token by token, or to whole rows at once
(`reference.rows`), of which the results for a vocabulary are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import index
from typing import Any, NamedTuple

from sympy import QQ

from reference import pointwise
from reference.numbers import law_of_row, masses_of_row, rational
from reference.numbers import rationals as n
from reference.rows import Row, rows, side_by_side, total


class Verification(NamedTuple):
    """What one verification emits."""

    token_id: int
    accepted: bool
    accept_probability: Any


def rows_of_pair(target_p: Sequence[Any], draft_q: Sequence[Any]) -> tuple[Row, Row]:
    """Both laws over one vocabulary; ValueError if the vocabularies differ."""
    p, q = masses_of_row(target_p, "target_p"), masses_of_row(draft_q, "draft_q")
    if len(p) != len(q):
        raise ValueError(f"target_p has {len(p)} tokens, draft_q has {len(q)}; allowed: one vocabulary")
    return side_by_side(p, q)


def check_token(token_id: Any, size: int, name: str = "token_id") -> int:
    """A token id as an int; ValueError unless 0 <= token_id < size."""
    try:
        token = -1 if isinstance(token_id, bool) else index(token_id)
    except (TypeError, ValueError):
        token = -1
    if not 0 <= token < size:
        raise ValueError(f"{name} = {token_id!r}; allowed: an integer from 0 to {size - 1}")
    return token


def check_coin(coin: Any, name: str = "coin") -> Any:
    """A coin as a rational; ValueError unless 0 <= coin < 1."""
    try:
        u = rational(coin)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if not 0 <= u < 1:
        raise ValueError(f"{name} = {coin!r}; allowed: 0 <= {name} < 1")
    return u


def acceptance_probability(target_p: Sequence[Any], draft_q: Sequence[Any], token_id: int) -> Any:
    """min(1, p(x)/q(x)) at x = token_id; at q(x) <= 0, 1 if p(x) > 0 else 0 (arXiv 2211.17192, section 2.3)."""
    p, q = rows_of_pair(target_p, draft_q)
    x = check_token(token_id, len(p))
    return pointwise.acceptance(n, p[x], q[x])


def residual_mass(p: Sequence[Any], q: Sequence[Any]) -> Any:
    """sum (p - q)+ of two laws: the total variation distance between them."""
    mass = n.zero
    for p_x, q_x in zip(p, q, strict=True):
        mass = pointwise.residual_mass_step(n, mass, p_x, q_x)
    return mass


def residual_law(p: Sequence[Any], q: Sequence[Any], mass: Any) -> list[Any]:
    """norm((p - q)+) of two laws with mass = sum (p - q)+; p where that is 0."""
    return [pointwise.residual(n, p_x, q_x, mass) for p_x, q_x in zip(p, q, strict=True)]


def acceptances(p: Row, q: Row) -> Row:
    """min(1, p/q) of two laws at every token."""
    accepted: Row = pointwise.acceptance(rows, p, q)
    return accepted


def residual_masses(p: Row, q: Row) -> Row:
    """sum (p - q)+ of two laws, at every token."""
    mass: Row = pointwise.residual_mass_step(rows, total, p, q)
    return mass


def residuals(p: Row, q: Row) -> Row:
    """norm((p - q)+) of two laws; p where that mass is 0."""
    residual: Row = pointwise.residual(rows, p, q, residual_masses(p, q))
    return residual


def marginals(p: Row, q: Row) -> Row:
    """Law of the emitted token of two laws: a draft drawn from q, accepted or replaced by a draw from the residual."""
    accepted = acceptances(p, q)
    rejection = pointwise.rejection_step(rows, total, q, accepted)
    emitted: Row = pointwise.marginal(rows, p, q, accepted, rejection, residual_masses(p, q))
    return emitted


def residual_distribution(target_p: Sequence[Any], draft_q: Sequence[Any]) -> list[Any]:
    """norm((p - q)+), the law drawn from after a rejection; p where that mass is 0 (arXiv 2211.17192, section 2.3)."""
    return residuals(*rows_of_pair(target_p, draft_q)).rationals()


def speculative_output_marginal(target_p: Sequence[Any], draft_q: Sequence[Any]) -> list[Any]:
    """Law of the emitted token, summed over every draft token; the theorem says it equals p (arXiv 2302.01318, thm 1)."""
    return marginals(*rows_of_pair(target_p, draft_q)).rationals()


def inverse_cdf(law: Sequence[Any], u: Any) -> int:
    """The first token, in id order, whose cumulative mass exceeds u."""
    return next(token for token, cumulative in enumerate(accumulate(law)) if u < cumulative)


def sample_from_distribution(probs: Sequence[Any], coin: Any) -> int:
    """Inverse CDF in id order: the first token whose cumulative mass exceeds the coin (spec 5)."""
    return inverse_cdf(law_of_row(probs, "probs"), check_coin(coin))


def verify_one_token(
    target_p: Sequence[Any], draft_q: Sequence[Any], draft_token: int, *, coin: Any, residual_coin: Any
) -> Verification:
    """Accept the draft iff coin < min(1, p/q), else draw from the residual with a coin of its own (spec 3)."""
    p, q = rows_of_pair(target_p, draft_q)
    x = check_token(draft_token, len(p), "draft_token")
    u, v = check_coin(coin), check_coin(residual_coin, "residual_coin")
    a = pointwise.acceptance(n, p[x], q[x])
    if pointwise.accepts(n, u, a):
        return Verification(x, True, a)
    return Verification(inverse_cdf(residuals(p, q).rationals(), v), False, a)


def total_variation(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Half the L1 distance of two rows of numbers of one length, as they are."""
    return sum((abs(rational(x) - rational(y)) for x, y in zip(a, b, strict=True)), QQ(0)) / 2
