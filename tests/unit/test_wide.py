"""Wide integers against Python's: the arithmetic of `mtplx.wide` is exact, and no uint64 ever meets a signed array."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sympy import QQ

from mtplx.wide import Scaled, Wide, power_of_two, ratio, split_float32
from reference.numbers import rational
from tests.support import RATIO_ERROR, SMALLEST_NORMAL

pytestmark = pytest.mark.device

LIMBS = 5


def below(bits: int) -> st.SearchStrategy[int]:
    """Integers of at most that many bits, their borders often: 0, powers of two, one less."""
    powers = st.integers(0, bits).map(lambda e: 2**e - 1)
    return st.one_of(st.integers(0, 2**bits - 1), powers, powers.map(lambda x: (x + 1) % 2**bits))


def lists(bits: int, size: int = 6) -> st.SearchStrategy[list[int]]:
    """As many integers."""
    return st.lists(below(bits), min_size=size, max_size=size)


def column(values: list[int], limbs: int = LIMBS) -> Wide:
    """Integers as [n, 1]."""
    return checked(Wide.from_ints(values, limbs))


def row(values: list[int], limbs: int = LIMBS) -> Wide:
    """Integers as [1, n]."""
    return Wide(tuple(limb.reshape(1, -1) for limb in column(values, limbs).limbs))


def checked(wide: Wide) -> Wide:
    """The same, its limbs uint64."""
    assert {limb.dtype for limb in wide.limbs} == {mx.uint64}
    return wide


@given(lists(160))
def test_round_trip(values: list[int]) -> None:
    """Python ints go in and come out."""
    assert column(values).to_ints() == values


@given(lists(159), lists(159))
@example([2**32 - 1] * 6, [1] * 6)
def test_add(a: list[int], b: list[int]) -> None:
    """Sums carry through every limb."""
    assert checked(column(a) + column(b)).to_ints() == [x + y for x, y in zip(a, b, strict=True)]


@given(lists(160), lists(96))
def test_multiply(a: list[int], b: list[int]) -> None:
    """Products of 5 and 3 limbs are exact in 8."""
    product = checked(column(a) * column(b, 3))
    assert len(product.limbs) == 8
    assert product.to_ints() == [x * y for x, y in zip(a, b, strict=True)]


@given(lists(160), lists(160))
def test_minus(a: list[int], b: list[int]) -> None:
    """Differences that are not negative borrow through every limb."""
    high, low = zip(*(sorted(pair, reverse=True) for pair in zip(a, b, strict=True)), strict=True)
    assert checked(column(list(high)).minus(column(list(low)))).to_ints() == [x - y for x, y in zip(high, low, strict=True)]


@given(lists(160), lists(160))
@example([0] * 6, [0] * 6)
def test_order(a: list[int], b: list[int]) -> None:
    """Order is that of the integers, equal ones and ones that differ in one limb included."""
    b = [*b[:3], *a[3:5], a[5] ^ 1 << 64]
    assert (column(a) < column(b)).reshape(-1).tolist() == [x < y for x, y in zip(a, b, strict=True)]
    assert (column(a) < column(a)).reshape(-1).tolist() == [False] * len(a)


@given(lists(150, 9))
def test_cumulative_and_total(values: list[int]) -> None:
    """Running sums and the total are exact."""
    assert checked(row(values).cumulative()).to_ints() == list(accumulate(values))
    assert checked(row(values).total()).to_ints() == [sum(values)]


def test_sum_of_many_full_limbs() -> None:
    """A million full limbs add up: no 32-bit sum wraps."""
    full = Wide(tuple(mx.full((1, 2**20), 2**32 - 1, dtype=mx.uint64) for _ in range(2)))
    assert checked(full.total()).to_ints() == [2**20 * (2**64 - 1)]
    last = Wide(tuple(limb[:, -1:] for limb in full.cumulative().limbs))
    assert last.to_ints() == [2**20 * (2**64 - 1)]


@given(lists(160), st.lists(st.booleans(), min_size=6, max_size=6))
def test_choice_and_sign(values: list[int], flags: list[bool]) -> None:
    """`where` takes element by element, `positive` tells zero from the rest, `take` gathers."""
    condition = mx.array(flags)[:, None]
    assert checked(column(values).where(condition)).to_ints() == [
        x if flag else 0 for x, flag in zip(values, flags, strict=True)
    ]
    other = column(values[::-1])
    chosen = [x if flag else y for x, y, flag in zip(values, values[::-1], flags, strict=True)]
    assert checked(column(values).where(condition, otherwise=other)).to_ints() == chosen
    assert column(values).positive().reshape(-1).tolist() == [x > 0 for x in values]
    taken = row(values).take(mx.array([[5, 0, 5]], dtype=mx.uint32))
    assert checked(taken).to_ints() == [values[5], values[0], values[5]]


@given(lists(32), st.lists(st.integers(0, 160), min_size=6, max_size=6))
def test_shifted(mantissas: list[int], shifts: list[int]) -> None:
    """mantissa * 2^shift, cut off above the top limb."""
    mantissa, shift = (mx.array(np.array(x, np.uint64)[:, None]) for x in (mantissas, shifts))
    assert checked(Wide.shifted(mantissa, shift, LIMBS)).to_ints() == [
        (m << s) % 2 ** (32 * LIMBS) for m, s in zip(mantissas, shifts, strict=True)
    ]


FLOAT32 = st.one_of(
    st.floats(0, 2, width=32, exclude_max=True),
    st.sampled_from([0.0, 2.0**-149, 2.0**-126, 2.0**-126 - 2.0**-149, 2 - 2.0**-23]),
)


@given(st.lists(FLOAT32, min_size=1, max_size=6))
@example([2.0**-149])
def test_float32_as_integers(values: list[float]) -> None:
    """A float32 below 2 is an integer number of 2^-149, exactly; the sign is dropped."""
    x = mx.array(values)
    units = [int(rational(value) * 2**149) for value in values]
    assert checked(Wide.from_float32(x)).to_ints() == units
    assert Wide.from_float32(-x).to_ints() == units
    parts = split_float32(x)
    assert (parts.mantissa.dtype, parts.exponent.dtype) == (mx.uint64, mx.int32)
    found = zip(parts.mantissa.tolist(), parts.exponent.tolist(), strict=True)
    assert [m << e for m, e in found] == units
    assert max(parts.mantissa.tolist()) < 2**24


def scaled_value(scaled: Scaled) -> list[Any]:
    """mantissa * 2^exponent as rationals."""
    pairs = zip(scaled.mantissa.reshape(-1).tolist(), scaled.exponent.reshape(-1).tolist(), strict=True)
    return [QQ(m) * (QQ(2**e) if e >= 0 else QQ(1, 2**-e)) for m, e in pairs]


@given(lists(160))
def test_scaled(values: list[int]) -> None:
    """The leading bits: never above the value, below it by less than 2^-32 of it, and 0 for 0."""
    scaled = column(values).scaled()
    assert (scaled.mantissa.dtype, scaled.exponent.dtype) == (mx.uint64, mx.int32)
    for x, value in zip(scaled_value(scaled), values, strict=True):
        assert x == value == 0 or 0 <= value - x < QQ(value, 2**32)


@given(lists(160), lists(160))
def test_ratio(a: list[int], b: list[int]) -> None:
    """A quotient errs by at most 3 * 2^-24 + 2^-30, relatively, where it is a normal float32; 0 gives 0."""
    b = [y or 1 for y in b]
    quotient = ratio(column(a).scaled(), column(b).scaled())
    assert quotient.dtype == mx.float32
    for found, x, y in zip(quotient.reshape(-1).tolist(), a, b, strict=True):
        right = QQ(x, y)
        if x == 0:
            assert found == 0
        elif SMALLEST_NORMAL <= right < 2**127:
            assert abs(rational(found) - right) <= RATIO_ERROR * right
        elif right < SMALLEST_NORMAL:
            assert 0 <= found <= 2.0**-125


def test_ratio_of_equals_is_one() -> None:
    """x / x is exactly 1, for integers of every length."""
    values = [1, 3, 2**24 + 1, 2**32 - 1, 2**32, 2**64 - 1, 2**64 + 1, 2**149, 3**90, 2**160 - 1]
    assert ratio(column(values).scaled(), column(values).scaled()).reshape(-1).tolist() == [1.0] * len(values)


def test_powers_of_two() -> None:
    """2^e in float32 for every normal exponent."""
    exponents = list(range(-126, 128))
    assert power_of_two(mx.array(exponents, dtype=mx.int32)).tolist() == [2.0**e for e in exponents]


@st.composite
def quotients(draw: st.DrawFn) -> tuple[list[int], int, int, int]:
    """Numerators up to a divisor of the given number of limbs, its top limb not 0, and a number of bits."""
    limbs = draw(st.integers(2, 5))
    lead = 32 * (limbs - 1)
    divisor = draw(st.one_of(below(lead + 32).filter(lambda x: x >> lead), st.integers(lead, lead + 31).map(lambda e: 2**e)))
    share = st.one_of(st.sampled_from([0, divisor, divisor - 1, divisor // 2]), st.integers(0, divisor))
    return draw(st.lists(share, min_size=4, max_size=4)), divisor, limbs, draw(st.integers(1, 62))


@given(quotients())
@example(([2**64 - 1, 2**63, 2**32, 1], 2**64 - 1, 2, 62))
@example(([2**63 + 2**32 - 2] * 4, 2**63 + 2**32 - 1, 2, 30))
def test_quotient(case: tuple[list[int], int, int, int]) -> None:
    """floor(a 2^b / d) is Python's, for a up to d: long division by digits loses nothing, at no digit's border."""
    values, divisor, limbs, bits = case
    found = row(values, limbs).quotient(column([divisor], limbs), bits)
    assert found.dtype == mx.uint64
    assert found.tolist() == [[value * 2**bits // divisor for value in values]]
