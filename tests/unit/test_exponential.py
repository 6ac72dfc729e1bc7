"""The integer exponential against ball arithmetic: its stated error, its limits, its constants."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from flint import arb, ctx
from sympy import QQ

from mtplx.exponential import (
    CUTOFF,
    ERROR,
    LN2,
    Scale,
    exponential_weights,
    float32_below,
    floor_log2,
    masses,
    multiply_shift,
    table,
    two_to_minus,
)
from mtplx.wide import Scaled
from reference.numbers import rational
from tests.support import fraction

pytestmark = pytest.mark.device

LARGEST = float(np.finfo(np.float32).max)


def weighed(logits: mx.array, temperature: Fraction) -> Scaled:
    """The weights of logits [..., V] after the largest of the row, which stands in front."""
    topped = mx.concatenate([mx.max(logits, axis=-1, keepdims=True), logits], axis=-1)
    found = exponential_weights(topped, Scale.of(temperature))
    return Scaled(found.mantissa[..., 1:], found.exponent[..., 1:])


def weights_of(logits: Any, temperature: Fraction) -> list[Any]:
    """The weights of a row of logits, as rationals; the largest is 1."""
    scaled = weighed(mx.array(np.asarray(logits, np.float32)), temperature)
    assert (scaled.mantissa.dtype, scaled.exponent.dtype) == (mx.uint64, mx.int32)
    pairs = zip(scaled.mantissa.tolist(), scaled.exponent.tolist(), strict=True)
    return [QQ(m << e if e >= 0 else m) / (1 if e >= 0 else 2**-e) / 2**96 for m, e in pairs]


def worst(logits: Any, temperature: Fraction) -> float:
    """The largest relative error of a row's weights in units of ERROR; weights of 0 must lie below 2^-161."""
    values = np.asarray(logits, np.float32).tolist()
    top, error = max(values), 0.0
    with ctx.workprec(200):
        ball = rational(temperature)
        for value, weight in zip(values, weights_of(values, temperature), strict=True):
            if value == float("-inf"):
                assert weight == 0
                continue
            right = arb((rational(value) - rational(top)) / ball).exp()
            if weight:
                error = max(error, float(abs(arb(weight) / right - 1).upper()))
            else:
                assert right < arb(2) ** -161
    return error / float(ERROR)


def neighbours(values: Any) -> np.ndarray:
    """float32 values with the next ones below and above."""
    middle = np.asarray(values, np.float32)
    return np.concatenate([middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)])


TEMPERATURES = [Fraction(x) for x in ("1", "1/3", "0.6", "0.7", "1.999999", "2", "1/1000", "1000", "1e-30", "1e30")]


@pytest.mark.parametrize("temperature", TEMPERATURES, ids=str)
def test_error_bound(temperature: Fraction) -> None:
    """Every weight errs by at most 2^-43: on the table's edges, whole halvings, the cutoff, tiny and random differences."""
    rng = np.random.default_rng(7)
    T, ln2 = float(temperature), float(LN2)
    edges = T * ln2 * np.concatenate([np.arange(258) / 256, np.arange(162), rng.integers(0, 40_000, 100) / 256])
    spread = T * np.concatenate([rng.uniform(0, CUTOFF, 500), rng.uniform(0, 1, 200), 2.0 ** rng.uniform(-60, 6, 200)])
    cutoff = T * np.array([CUTOFF - 1, CUTOFF, CUTOFF + 1, 2 * CUTOFF])
    differences = neighbours(np.concatenate([edges, spread, cutoff])).clip(0)
    for top in (0.0, 3.5, -T, 20.0 * T, T * 2.0**-23, T * 1e6):
        logits = np.float32(top) - differences.astype(np.float32)
        assert worst(np.append(logits, np.float32(top)), temperature) <= 1


def test_error_bound_of_opposite_signs() -> None:
    """Small logits on both sides of 0, which fixed point truncates on both sides: still 2^-43."""
    rng = np.random.default_rng(8)
    for scale in (2.0**-20, 2.0**-22, 2.0**-23, 2.0**-30, 2.0**-140):
        assert worst(scale * rng.uniform(-1, 1, 500), Fraction(1)) <= 1


@pytest.mark.parametrize("temperature", ["1e-309", "1e-400", "1e-45", "1e38", "1e300", "1e400"])
def test_extreme_temperatures(temperature: str) -> None:
    """Temperatures far outside float32 keep the bound, on the largest and the smallest numbers there are."""
    logits = [0.0, -0.0, 2.0**-149, -(2.0**-149), 2.0**-126, 1.0, -1.0, LARGEST, -LARGEST, float("-inf")]
    assert worst(logits, Fraction(temperature)) <= 1
    assert worst(logits[:4], Fraction(temperature)) <= 1


def test_two_to_minus_is_within_nine_units() -> None:
    """2^48 * 2^-f errs by at most 9 units, on the edges of the table and between."""
    rng = np.random.default_rng(9)
    edges = np.arange(256, dtype=np.uint64) << np.uint64(40)
    fractions = np.concatenate(
        [edges, edges + np.uint64(1), edges + np.uint64(2**40 - 1), rng.integers(0, 2**48, 4000, np.uint64)]
    )
    found = two_to_minus(mx.array(fractions))
    assert found.dtype == mx.uint64
    with ctx.workprec(200):
        for f, x in zip(fractions.tolist(), found.tolist(), strict=True):
            assert abs(arb(2) ** (48 - arb(rational(Fraction(f, 2**48)))) - x) <= 9


def test_table() -> None:
    """The table holds 2^48 * 2^(-i/256) to the nearest integer, and starts with 2^48 itself."""
    entries = table().tolist()
    assert entries[0] == 2**48
    with ctx.workprec(200):
        for i, entry in enumerate(entries):
            assert abs(arb(2) ** (48 - arb(rational(Fraction(i, 256)))) - entry) <= arb(rational(Fraction(1, 2)))


def test_ln2() -> None:
    """The constant is ln 2, truncated to 192 bits."""
    with ctx.workprec(400):
        gap = arb.const_log2() - arb(rational(LN2))
        assert 0 < gap < arb(2) ** -192


@pytest.mark.parametrize("temperature", TEMPERATURES, ids=str)
def test_largest_weight_is_one_and_ties_weigh_the_same(temperature: Fraction) -> None:
    """The largest logit weighs exactly 2^48 * 2^48 units, and equal logits weigh the same wherever they stand."""
    logits = [1.25, -3.0, 1.25, 0.7, -3.0, 0.7, 0.0, -0.0]
    weights = weights_of(logits, temperature)
    assert weights[0] == weights[2] == 1
    assert (weights[1], weights[3], weights[6]) == (weights[4], weights[5], weights[7])
    scaled = weighed(mx.array(logits), temperature)
    assert (scaled.mantissa[0].item(), scaled.exponent[0].item()) == (2**48, 48)
    assert masses(scaled, mx.array([True] * 8)).to_ints()[0] == 2**96


@pytest.mark.parametrize("temperature", TEMPERATURES, ids=str)
def test_weights_follow_the_order_of_logits(temperature: Fraction) -> None:
    """A larger logit weighs no less, but for the error: 2^-42 for the two of them."""
    rng = np.random.default_rng(10)
    logits = np.sort(np.float32(float(temperature)) * rng.uniform(-100, 0, 2000).astype(np.float32))
    weights = weights_of(logits, temperature)
    slack = 1 + 2 * rational(ERROR)
    assert all(low <= high * slack for low, high in pairwise(weights))


def test_weights_do_not_depend_on_the_row_beside() -> None:
    """Rows of a batch have their own maxima: each has the weights it has alone."""
    rows = mx.array([[0.0, -1.0, -2.0], [50.0, 49.5, float("-inf")], [-1e30, 3e38, 0.0]])
    together = weighed(rows, Fraction(2, 3))
    for b in range(3):
        alone = weighed(rows[b], Fraction(2, 3))
        assert together.mantissa[b].tolist() == alone.mantissa.tolist()
        assert together.exponent[b].tolist() == alone.exponent.tolist()


def test_masses_are_weights_cut_at_two_to_minus_96() -> None:
    """A mass is its weight in units of 2^-96, truncated, but one unit at least for a finite logit, however far."""
    logits = [0.0, -1.0, -10.0, -60.0, -66.0, -67.0, -100.0, -112.0, -113.0, float("-inf")]
    row = mx.array(logits)
    found = masses(weighed(row, Fraction(1)), row > -mx.inf).to_ints()
    for mass, weight in zip(found, weights_of(logits, Fraction(1)), strict=True):
        assert abs(weight * 2**96 - mass) < 1 or mass == 1
    assert found[-3:] == [1, 1, 0]


def test_masses_of_every_number_of_halvings() -> None:
    """A mantissa up to 2^48 is shifted exactly, up by 48 bits and down by any number, as Python shifts it."""
    rng = np.random.default_rng(5)
    mantissas = [0, 1, 2**32 - 1, 2**32, 2**47, 2**48 - 1, 2**48, *(2**47 + rng.integers(0, 2**47, 20)).tolist()]
    for exponent in range(48, -400, -1):
        scaled = Scaled(mx.array(np.array(mantissas, np.uint64)), mx.full(len(mantissas), exponent, mx.int32))
        right = [x << exponent if exponent >= 0 else x >> -exponent for x in mantissas]
        assert masses(scaled, mx.full(len(mantissas), False)).to_ints() == right
        assert masses(scaled, mx.full(len(mantissas), True)).to_ints() == [max(1, x) for x in right]


@pytest.mark.parametrize("b", [2**63, 2**63 + 1, 2**64 - 1, 0x8000000100000001, 3 << 62], ids=hex)
def test_multiply_shift(b: int) -> None:
    """a * b >> 61 is Python's, for products of 120 bits."""
    a = [0, 1, 2**32 - 1, 2**32, 2**53 + 12345, 2**54 - 1, 0x2AAAAAAAAAAAA5]
    found = multiply_shift(mx.array(np.array(a, np.uint64)), b, 61)
    assert found.dtype == mx.uint64
    assert found.tolist() == [x * b >> 61 for x in a]


@pytest.mark.parametrize("x", ["0", "1", "112", "1e-50", "1e-45", "1e38", "1e39", "2/3", "67.2", "1e-40"])
def test_float32_below(x: str) -> None:
    """The largest float32 not above x: the next one lies above."""
    low = float32_below(Fraction(x))
    if low == float("inf"):
        assert Fraction(x) > Fraction(LARGEST)
        return
    assert float(np.float32(low)) == low
    assert Fraction(low) <= Fraction(x) < Fraction(float(np.nextafter(np.float32(low), np.float32(np.inf))))


@pytest.mark.parametrize("x", ["1", "3", "4", "1/3", "1/4", "7/8", "1e-400", "1e400", "9007199254740993"])
def test_floor_log2(x: str) -> None:
    """2^e <= x < 2^(e+1)."""
    e = floor_log2(Fraction(x))
    assert Fraction(2) ** e <= fraction(rational(x)) < Fraction(2) ** (e + 1)
