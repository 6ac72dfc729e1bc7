"""`mtplx.sampling` against `reference`, one token at a time, on the same float32 rows: decisions equal, numbers in bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import QQ

import reference
from mtplx import sampling
from reference.numbers import law_of_row
from reference.strategies import laws
from tests.support import (
    COINS,
    MARGINAL_ERROR,
    RATIO_ERROR,
    SMALLEST_NORMAL,
    Row,
    exact,
    far_entries,
    fewer,
    float32,
    near,
    pairs,
    rows,
)

pytestmark = pytest.mark.device
Pair = tuple[Row, Row]


def acceptances(p: Row, q: Row) -> list[Any]:
    """The exact acceptance of every token."""
    return [reference.acceptance_probability(p, q, x) for x in range(len(p))]


@given(pairs())
def test_acceptance(pair: Pair) -> None:
    """The acceptance of every token is right to 3 * 2^-24 + 2^-30, zero where p is zero, and exactly 1 where p >= q."""
    p, q = pair
    right = acceptances(p, q)
    found = sampling.acceptance_probability([p] * len(p), [q] * len(p), list(range(len(p)))).tolist()
    assert not far_entries(found, right, RATIO_ERROR)
    assert [x == 1 for x, a in zip(found, right, strict=True) if a == 1] == [True] * right.count(QQ(1))


@given(pairs())
def test_residual(pair: Pair) -> None:
    """The residual is right to 3 * 2^-24 + 2^-30, zeros exactly: no difference cancels, and no sign is wrong."""
    p, q = pair
    assert not far_entries(sampling.residual_distribution(p, q), reference.residual_distribution(p, q), RATIO_ERROR)


@given(pairs())
def test_marginal(pair: Pair) -> None:
    """The law of the emitted token is the target: the reference's exactly, MLX's within its bound, summed over the draft."""
    p, q = pair
    target, draft, residual = law_of_row(p), law_of_row(q), reference.residual_distribution(p, q)
    assert reference.speculative_output_marginal(p, q) == target
    underflow = (len(p) + 3) * SMALLEST_NORMAL  # every product below 2^-126 may lose that much
    found = exact(sampling.speculative_output_marginal(p, q).tolist())
    for x, p_y, q_y, r_y in zip(found, target, draft, residual, strict=True):
        assert abs(x - p_y) <= MARGINAL_ERROR * (q_y + r_y) + underflow


@given(rows(), st.lists(COINS, min_size=4, max_size=4))
def test_sample(row: Row, drawn: list[float]) -> None:
    """Every coin draws the same token from both: 0, 1 - 2^-53, any float, and coins on and 2^-200 beside each boundary."""
    boundaries = [u for end in accumulate(law_of_row(row)) for u in near(end)]
    coins = [0.0, 1 - 2.0**-53, *drawn, *boundaries]
    found = sampling.sample_from_distribution([row] * len(coins), coins).tolist()
    assert found == [reference.sample_from_distribution(row, u) for u in coins]
    assert all(row[token] > 0 for token in found)


@fewer(by=4)
@given(laws(min_size=1, max_size=7).filter(lambda law: all(x.denominator.bit_count() == 1 for x in law)))
def test_sample_on_short_binary_fractions(law: Row) -> None:
    """A float coin on the start of a token's interval draws that token; the one before it draws an earlier one."""
    row, start = float32(law), 0.0
    for token, share in enumerate(row):
        if share:
            assert sampling.sample_from_distribution(row, start) == token
            if start:
                assert sampling.sample_from_distribution(row, start - 2.0**-53) < token
        start += share


def threshold_coins(p: Row, q: Row) -> list[tuple[int, Any, Any]]:
    """(draft token, coin, residual coin) on, just below and just above every threshold that a decision has."""
    ends = [v for end in accumulate(reference.residual_distribution(p, q)) for v in near(end)]
    corner: list[Any] = [0.0, 1 - 2.0**-53]
    out = []
    for x, a in enumerate(acceptances(p, q)):
        for i, u in enumerate([*corner, *near(a)]):
            out += [(x, u, corner[i % 2]), (x, u, ends[(7 * x + 3 * i) % len(ends)])]
        out += [(x, 1 - 2.0**-53, v) for v in ends]
    return out


@given(pairs(), COINS, COINS)
def test_verify(pair: Pair, u: float, v: float) -> None:
    """Token and accepted flag are equal for every coin, on and beside all thresholds too; no token with p = 0 comes out."""
    p, q = pair
    asked = [*threshold_coins(p, q), *((x, u, v) for x in range(len(p)))]
    tokens, us, vs = map(list, zip(*asked, strict=True))
    found = sampling.verify_one_token([p] * len(asked), [q] * len(asked), tokens, coin=us, residual_coin=vs)
    right = [reference.verify_one_token(p, q, x, coin=u, residual_coin=v) for x, u, v in asked]
    assert found.token_id.tolist() == [verification.token_id for verification in right]
    assert found.accepted.tolist() == [verification.accepted for verification in right]
    assert not far_entries(found.accept_probability, [verification.accept_probability for verification in right], RATIO_ERROR)
    assert all(p[token] > 0 for token in found.token_id.tolist())


@fewer(by=4)
@given(pairs(), COINS, COINS, st.data())
def test_verify_one_row(pair: Pair, u: float, v: float, data: st.DataObject) -> None:
    """One row gives Python scalars: an int, a bool and a float."""
    p, q = pair
    x = data.draw(st.integers(0, len(p) - 1))
    found = sampling.verify_one_token(p, q, x, coin=u, residual_coin=v)
    assert found[:2] == reference.verify_one_token(p, q, x, coin=u, residual_coin=v)[:2]
    assert [type(field) for field in found] == [int, bool, float]


def test_row_a_little_off_one() -> None:
    """A row that sums to 0.9995 means row / sum: its acceptance, its residual and its sample are those of that law."""
    p, q = [0.49975, 0.49975], [0.25, 0.75]
    assert not far_entries([sampling.acceptance_probability(p, q, 1).item()], [QQ(2, 3)], RATIO_ERROR)  # 1/2 over 3/4
    assert sampling.residual_distribution(p, q).tolist() == [1.0, 0.0]
    for coin, token in ((Fraction(1, 2) - Fraction(1, 2**99), 0), (Fraction(1, 2), 1)):
        assert sampling.sample_from_distribution(p, coin) == token
    for coin, accepted in ((Fraction(2, 3) - Fraction(1, 2**99), True), (Fraction(2, 3), False)):
        assert sampling.verify_one_token(p, q, 1, coin=coin, residual_coin=0).accepted is accepted


def test_all_mass_at_the_least_difference() -> None:
    """Two rows that differ by one unit of the last place: the residual is a one-hot, and both engines say so."""
    p, q = [0.5, 0.5], [0.5 + 2.0**-24, 0.5 - 2.0**-24]
    assert reference.residual_distribution(p, q) == [QQ(0), QQ(1)]
    assert sampling.residual_distribution(p, q).tolist() == [0.0, 1.0]
