"""The claims about floats, held against one whole format: every pair of non-negative finite bfloat16 numbers.

A number is its pattern of 16 bits: those of non-negative numbers are ordered as the numbers are, and infinity comes next.

Quotients are rounded twice, to float32 by the division and then to bfloat16. That is one rounding to the nearest, ties to
even: both formats have the same exponents, so the midpoint m of two neighbours u apart (or of the largest and 2^128) is a
float32, and float32 numbers around m are 2^-16 u apart; if x = p/q is not m but rounded to m, it is within 2^-17 u of it.
It is not. With significands P, Q < 2^8 and an odd M: m = M u/2 and x = (P 2^i / Q) u/2 for a whole i, so that
|x - m| = |P 2^i - M Q| / Q * u/2. For i >= 0 the first factor is a whole number, at least 1: |x - m| > 2^-9 u. For i < 0
it is at least 2^i: either x < m/2, and |x - m| > u/4, or P 2^i / Q >= M/2 >= 1/2, and 2^i / Q >= 1 / (2 P) gives
|x - m| > 2^-10 u. And an x that is not rounded to m stays on its side of m. What float32 makes infinite is beyond the last
midpoint, from which on bfloat16 has infinity, too.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import mlx.core as mx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs import floats
from reference import pointwise
from reference.numbers import rational, rationals

Patterns = npt.NDArray[np.uint16]
Bits = npt.NDArray[np.integer[Any]]

INFINITY = 0x7F80
ONE = 0x3F80
ONES = np.full(INFINITY, ONE, np.uint16)
VALUES = (np.arange(INFINITY, dtype=np.uint32) << 16).view(np.float32)
"""All the numbers, exactly: a bfloat16 is the leading half of a float32."""
IN_FLOAT64 = VALUES.astype(np.float64)
HALF_THE_SMALLEST = 2.0**-134


def to_nearest(quotients: Bits) -> Bits:
    """float32 patterns to bfloat16, ties to even: up where the lower half is above 2^15, or is 2^15 and the upper half odd."""
    odd = quotients >> 16 & 1
    return (quotients + (odd + 0x7FFF)) >> 16


def acceptances(q: int, rounding: Callable[[Bits], Bits] = to_nearest) -> Patterns:
    """min(1, p/q) for every p and this q; at q = 0, 1 for every p but 0."""
    if q == 0:
        return np.where(VALUES > 0, ONES, np.uint16(0))
    with np.errstate(over="ignore"):
        quotients = (VALUES / VALUES[q]).view(np.uint32)
    return np.minimum(rounding(quotients).astype(np.uint16), ONES)


def lost(q: int) -> int:
    """How many p are at most q 2^-134, 0 among them; q has 8 significant bits, so float64 holds this product."""
    return int(IN_FLOAT64.searchsorted(IN_FLOAT64[q] * HALF_THE_SMALLEST, side="right"))


def check(q: int, row: Patterns, before: Patterns) -> None:
    """The claims for one q > 0 and every p, given the row of the q before it.

    As the row does not fall, its ends bound it, and it is 0 or 1 exactly where it first is not 0 or is 1 says.
    """
    assert (row[:-1] <= row[1:]).all(), "falls as p grows"
    assert (row <= before).all(), "grows with q"
    assert (row[0], row[-1]) == (0, ONE), "is no probability"
    assert row.searchsorted(1) == lost(q), "is 0 elsewhere than at p/q <= 2^-134"
    assert row.searchsorted(ONE) == q, "is 1 elsewhere than at p >= q"


def check_rows(qs: range, rounding: Callable[[Bits], Bits] = to_nearest) -> None:
    """The claims for all these q > 0, in order."""
    row = acceptances(qs[0] - 1, rounding)
    for q in qs:
        before, row = row, acceptances(q, rounding)
        check(q, row, before)


def test_every_pair() -> None:
    """Of all 32,640^2 pairs: in [0, 1], 0 iff p/q <= 2^-134, 1 iff p >= q, never lower for larger p or smaller q."""
    check_rows(range(1, INFINITY))


def test_without_draft() -> None:
    """At q = 0 the acceptance is 0 at p = 0 and 1 at every other p."""
    assert acceptances(0).tolist() == [0] + [ONE] * (INFINITY - 1)


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        pytest.param(lambda bits: bits >> 16, "is 0 elsewhere", id="truncated"),
        pytest.param(lambda bits: (bits + 0xFFFF) >> 16, "is 0 elsewhere", id="rounded up"),
        pytest.param(lambda bits: (bits + 0x8000) >> 16, "is 0 elsewhere", id="ties up"),
        pytest.param(lambda bits: to_nearest(bits) * (bits >= 0x0080_0000), "is 0 elsewhere", id="flushed to zero"),
        pytest.param(lambda bits: (bits + ((bits & 0x4000) << 2)) >> 16, "grows with q", id="up by a bit too low"),
        pytest.param(lambda bits: to_nearest(bits) ^ 1, "falls as p grows", id="last bit turned round"),
        pytest.param(lambda bits: to_nearest(bits) + 1, "is no probability", id="next number"),
        pytest.param(lambda bits: (to_nearest(bits) + 1) & 0xFFFE, "is 1 elsewhere", id="a bit short"),
    ],
)
def test_a_faulty_rounding_is_found(fault: Callable[[Bits], Bits], found: str) -> None:
    """The check of every pair refutes other roundings, with draft masses from 1 to 4."""
    with pytest.raises(AssertionError, match=found):
        check_rows(range(ONE, ONE + 256), fault)


@cache
def grid() -> list[Any]:
    """The numbers as rationals, by the definition of the format, and 2^128: what would come next stands for infinity."""
    split = (divmod(pattern, 128) for pattern in range(INFINITY + 1))
    return [rational(Fraction(2) ** (max(e, 1) - 134) * (f + 128 * (e > 0))) for e, f in split]


def nearest_even(x: Any) -> int:
    """The pattern of the number nearest to a rational, found among them all; at a tie the even one."""
    above = min(bisect(grid(), x), INFINITY)
    to_above, to_below = grid()[above] - x, x - grid()[above - 1]
    return above - int(to_below < to_above or (to_below == to_above and above % 2 == 1))


NOTABLE = [1, 2, 3, 127, 128, 129, 255, 256, ONE - 1, ONE, ONE + 1, ONE + 64, ONE + 127, ONE + 128, INFINITY - 2, INFINITY - 1]
ANY = st.one_of(st.integers(0, INFINITY - 1), st.sampled_from(NOTABLE))
TIES = st.tuples(st.integers(0, 1023), st.integers(ONE // 128, ONE // 128 + 16).map(lambda e: 128 * e))
"""Pairs of a small number and a power of two up to 2^16: many quotients are midpoints of subnormal numbers."""
PAIRS = st.one_of(st.tuples(ANY, ANY), TIES)


@given(PAIRS.filter(lambda pair: pair[1] > 0))
def test_quotients_are_rounded_to_nearest_even(pair: tuple[int, int]) -> None:
    """Rounded twice by integer operations, a quotient is the nearest number to the exact one, ties to even."""
    p, q = pair
    with np.errstate(over="ignore"):
        quotient = VALUES[p : p + 1] / VALUES[q]
    assert to_nearest(quotient.view(np.uint32)).tolist() == [nearest_even(grid()[p] / grid()[q])]


@given(PAIRS)
def test_acceptance_is_the_references_rounded_once(pair: tuple[int, int]) -> None:
    """The acceptance in bfloat16 is the number nearest to the exact acceptance."""
    p, q = pair
    assert acceptances(q)[p] == nearest_even(pointwise.acceptance(rationals, grid()[p], grid()[q]))


@given(PAIRS, ANY)
def test_the_proved_rule_is_this_one(pair: tuple[int, int], other: int) -> None:
    """What proofs/floats.py says of a rounded quotient holds here for every other number, and its acceptance is this one."""
    p, q = (grid()[pattern] for pattern in pair)
    ratio = nearest_even(p / q) if q else INFINITY
    if ratio < INFINITY:
        assert floats.rounds_to(rationals, p / q, grid()[ratio], grid()[other])
    assert floats.acceptance(rationals, p, q, grid()[ratio]) == grid()[acceptances(pair[1])[pair[0]]]


def test_mlx_on_the_cpu() -> None:
    """MLX's bfloat16 division on the CPU rounds to nearest, subnormal numbers included: the same acceptances for every p."""
    rng = np.random.default_rng(7)
    with mx.stream(mx.cpu):
        p = mx.array(np.arange(INFINITY, dtype=np.uint16)).view(mx.bfloat16)
        for pattern in (0, *NOTABLE, *rng.integers(1, INFINITY, 100).tolist()):
            q = p[pattern]
            found = mx.where(q > 0, mx.minimum(p / q, 1), (p > 0).astype(mx.bfloat16))
            assert found.dtype == mx.bfloat16
            assert np.array_equal(np.array(found.view(mx.uint16)), acceptances(pattern))
