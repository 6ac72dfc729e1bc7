"""Our own MLX implementation, step by step against the reference.

Local: a step is judged on its own input, read back as rationals. Global: from the logits, against the certified target.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray
from sympy import QQ

import reference
from mtplx import doors, sampling
from mtplx.audit.measure import SMALLEST_NORMAL, UNIT, all_equal, entries, errors, exact_row, variation
from mtplx.audit.verdict import Figure, Step
from mtplx.config import SamplerConfig
from mtplx.target import ranked_row, weighed_rows
from mtplx.wide import Scaled
from reference.filters import kept_by_top_k, nucleus_size
from reference.numbers import masses_of_row, rational
from reference.one_token import acceptances, marginals, residual_masses, residuals
from reference.rows import over_one_denominator, side_by_side
from reference.softmax import CertifiedLaw

Row = NDArray[np.float32]

WEIGHT_ERROR = QQ(1, 2**42)
"""Relative error of a weight: 2^-43 (mtplx.exponential), and its truncation to 2^-96 of the largest."""
RATIO_ERROR = 3 * UNIT + QQ(1, 2**30)
"""Relative error of a float32 quotient of wide integers (mtplx.wide.ratio)."""
LAW_ERROR = RATIO_ERROR + 3 * WEIGHT_ERROR
"""Relative error of a probability: its weight, the sum of weights, and their quotient."""
MARGINAL_ERROR = 11 * UNIT
"""Error of an entry of the marginal relative to q + residual, with u = 2^-24 and R the rejection probability.

q a: 2u from q, 3u from a, a product and a sum: 7u. Rejection: at most 3u + 7u R of the residual, from q, a, 1 - a, a product,
the exact sum's rounding, the residual's 3u, a product and a sum. The last u covers the terms 2^-30 and u^2.
"""


def numbers(name: str, scope: str, found: mx.array, exact: list[Any], relative: Any, unseen: Collection[int] = ()) -> Step:
    """Numbers right to a relative error r, at most 2^24 r units of the last place; zeros must be zeros."""
    e = errors(found, exact, unseen)
    return Step(name, scope, e.stray, ulps=Figure(e.ulps, relative * 2**24), token=e.token, underflows=e.underflows)


def law(name: str, scope: str, found: mx.array, exact: list[Any], relative: Any) -> Step:
    """Numbers that make a law: a relative error r moves it, normalised, by at most r / (1 - r); underflows are lost."""
    bound = relative / (1 - relative) + QQ(len(exact), 2**126)
    distance = Figure(variation(found, exact), bound)
    return replace(numbers(name, scope, found, exact, relative), variation=distance)


def moved_law(name: str, scope: str, found: mx.array, exact: list[Any], bound: Any) -> Step:
    """A law of which only the total variation has a bound."""
    e = errors(found, exact)
    distance = Figure(variation(found, exact), bound + QQ(len(exact), 2**126))
    return Step(name, scope, ulps=Figure(e.ulps, None), token=e.token, variation=distance, underflows=e.underflows)


def read_back(weights: Scaled, tokens: Collection[int]) -> dict[int, Any]:
    """Weights of some tokens of one row as rationals."""
    mantissas, exponents = entries(weights.mantissa), entries(weights.exponent)
    pairs = ((token, mantissas[token], exponents[token]) for token in tokens)
    return {token: QQ(m << e) if e >= 0 else QQ(m, 1 << -e) for token, m, e in pairs}


@dataclass(frozen=True)
class Filtered:
    """A filtered row: our law, the certified one, and the mass of the tokens that only one of them keeps."""

    law: mx.array
    certified: CertifiedLaw
    moved: Any


def filtered(logits: Row, config: SamplerConfig) -> Filtered:
    """Our filtered target of one row [V] beside the certified one."""
    found = sampling.distribution_from_logits(logits, config)
    certified = reference.filtered_target(entries(logits), config)
    disputed = set(np.flatnonzero(np.array(found)).tolist()) ^ set(certified.support)
    shares = (max(rational(found[token].item()), certified.midpoints[token]) for token in disputed)
    return Filtered(found, certified, sum(shares, QQ(0)))


def target_steps(logits: Row, target: Filtered, config: SamplerConfig) -> list[Step]:
    """Temperature and softmax, rank, nucleus, top-k, renormalise of one row [V]."""
    given, certified = entries(logits), target.certified
    uncut = config.top_p == 1 and config.top_k == 0
    full = certified if uncut else reference.softmax(given, config.temperature)
    values, greedy = doors.float32_rows(logits, "logits").values, config.temperature == 0
    weights, mass = weighed_rows(values, config.temperature or Fraction(1))
    cut = ranked_row(values, config)

    order = entries(cut.order)
    pairs = zip(order, certified.ranked, strict=False)
    misplaced = [rank for rank, (token, right) in enumerate(pairs) if token != right]

    found = int(cut.size[0])
    judged = nucleus = kept_by_top_k(certified.nucleus_size, config.top_k)
    if config.top_p < 1 and not greedy and not cut.undecided[0]:  # else nothing was decided on the masses
        units = mass.to_ints()
        through = list(accumulate(units[token] for token in certified.ranked))
        judged = kept_by_top_k(nucleus_size(through, rational(config.top_p)), config.top_k)

    kept = set(order[:found])
    expected = set(order[: kept_by_top_k(found, config.top_k)])
    weight = {order[0]: QQ(1)} if greedy else read_back(weights, kept)
    kept_weight, shares = sum(weight.values(), QQ(0)), [QQ(0)] * len(given)
    for token, w in weight.items():
        shares[token] = w / kept_weight

    low, high = sorted((found, nucleus))
    shares_through = list(accumulate(full.midpoints[token] for token in certified.ranked[:high]))
    off = max((abs(shares_through[rank - 1] - rational(config.top_p)) for rank in range(low, high)), default=QQ(0))
    margin, tie = Figure(off, 2 * WEIGHT_ERROR), all_equal(given)
    whole = law("filtered target", "global", target.law, certified.midpoints, LAW_ERROR)
    if kept != set(certified.support) and whole.variation:  # a law that keeps m more of the mass is m away
        variation = replace(whole.variation, bound=whole.variation.bound + target.moved)
        whole = replace(whole, margin=margin, tie=tie, ulps=None, variation=variation)
    wrong = between(order, found, nucleus)
    return [
        law("softmax(l / T)", "global", sampling.softmax(logits, config.temperature), full.midpoints, LAW_ERROR),
        Step("rank", "global", tuple(misplaced)),
        Step("nucleus", "local", between(order, found, judged), kept=found, right=judged),
        Step(
            "nucleus",
            "global",
            wrong,
            margin,
            kept=found,
            right=nucleus,
            tie=tie,
        ),
        Step("top-k", "local", tuple(sorted(kept ^ expected)), kept=len(kept), right=len(expected)),
        law("renormalise", "local", target.law, shares, RATIO_ERROR),
        whole,
    ]


def between(order: list[int], a: int, b: int) -> tuple[int, ...]:
    """The tokens of the ranks on which two prefix lengths disagree."""
    low, high = sorted((a, b))
    return tuple(order[low:high])


def draft_steps(target: Filtered, draft: Filtered) -> list[Step]:
    """Acceptance, residual and marginal of two filtered rows: locally of our float32 rows, globally of the certified ones."""
    p, q = target.law, draft.law
    laws = side_by_side(masses_of_row(entries(p)), masses_of_row(entries(q)))
    P, Q = (row.rationals() for row in laws)
    accept = sampling.acceptance(*sampling.crossed(*doors.law_pair(p, q))).reshape(-1)
    residual = sampling.residual_distribution(p, q)
    marginal = sampling.speculative_output_marginal(p, q)

    exact, exact_residual, exact_marginal = (rule(*laws).rationals() for rule in (acceptances, residuals, marginals))
    not_whole = tuple(token for token, (a, found) in enumerate(zip(exact, entries(accept), strict=True)) if a == 1 != found)
    acceptance = numbers("acceptance", "local", accept, exact, RATIO_ERROR)
    lost = QQ(len(P) + 3, 2**126)
    rows = zip(exact_row(marginal), exact_marginal, Q, exact_residual, strict=True)
    off = tuple(token for token, (m, y, b, r) in enumerate(rows) if abs(m - y) > MARGINAL_ERROR * (b + r) + lost)

    certified_p, certified_q = target.certified.midpoints, draft.certified.midpoints
    certified_laws = over_one_denominator(certified_p, certified_q)
    moved, apart = target.moved + draft.moved, residual_masses(*certified_laws)[0]
    pairs = enumerate(zip(certified_p, certified_q, P, Q, strict=True))
    unseen = {token for token, shares in pairs if not visible(*shares)}
    certified, certified_residual = (rule(*certified_laws).rationals() for rule in (acceptances, residuals))
    bound = residual_bound(apart, moved, len(P), same=P == Q)
    return [
        replace(acceptance, wrong=(*(acceptance.wrong or ()), *not_whole)),
        numbers("acceptance", "global", accept, certified, 5 * LAW_ERROR + 2 * moved, unseen),
        law("residual", "local", residual, exact_residual, RATIO_ERROR),
        moved_law("residual", "global", residual, certified_residual, bound),
        replace(moved_law("marginal", "local", marginal, exact_marginal, MARGINAL_ERROR), wrong=off),
        moved_law("marginal", "global", marginal, certified_p, MARGINAL_ERROR + 2 * LAW_ERROR + target.moved),
    ]


def visible(p: Any, q: Any, found_p: Any, found_q: Any) -> bool:
    """Whether a ratio of these shares can be judged: neither is below float32's normal numbers, or lost or gained in a cut."""
    of_p = (found_p and p >= SMALLEST_NORMAL) or not (p or found_p)
    return bool(of_p and ((found_q and q >= SMALLEST_NORMAL) or not (q or found_q)))


def residual_bound(apart: Any, moved: Any, size: int, *, same: bool) -> Any:
    """Bound of a residual's total variation when the rows are right to LAW_ERROR and lie `apart` in total variation.

    (p - q)+ moves by at most 2 LAW_ERROR in L1, by 2 `moved` where cuts differ, and by what underflows; two vectors v, w,
    normalised, are within |v - w| / |v| of each other. Equal certified rows have a residual only if ours are not the `same`.
    """
    if not apart:
        return LAW_ERROR if same else QQ(1)
    return RATIO_ERROR + (2 * LAW_ERROR + 2 * moved + QQ(2 * size, 2**126)) / apart


def row_steps(logits: Row, draft: Row | None, config: SamplerConfig) -> list[Step]:
    """Every step of one row, and of its draft row where one is given."""
    target = filtered(logits, config)
    steps = target_steps(logits, target, config)
    return steps + ([] if draft is None else draft_steps(target, filtered(draft, config)))
