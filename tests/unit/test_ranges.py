"""No uint64 overflows in any step of the integer core: the code itself, run on ranges, for all inputs at once.

docs/integer-core.md, section 7. That carries and digits are right is proved in proofs/test_wide_quotient.py; what the
counts, their running sums and the cells are, in proofs/test_counts_sum.py and proofs/test_one_draw.py: none is above D.
"""

from __future__ import annotations

from fractions import Fraction

import mlx.core as mx
import numpy as np
import pytest

from mtplx import exponential, wide
from mtplx.doors import DENOMINATOR
from mtplx.exponential import CUTOFF, FRACTION_BITS, LN2, MASS_LIMBS, MULTIPLIER_BITS, STEP_BITS
from mtplx.wide import DIGIT_BITS, FLOAT32_LIMBS, LIMB_BITS, LIMB_MASK, Wide
from proofs import arithmetic
from tests.unit.ranges import Range, Wraps, on_ranges

LARGEST = Fraction(float(np.finfo(np.float32).max))
VOCABULARY = 2**20
DIFFERENCE = 2**54
SHIFT = MULTIPLIER_BITS - FRACTION_BITS
LEAST_MULTIPLIER = int(Fraction(2) ** (MULTIPLIER_BITS - STEP_BITS - 1) / LN2)
"""A multiplier is 2^(MULTIPLIER_BITS - STEP_BITS) / (ratio * ln 2), for the ratio T / 2^e from 1 to 2."""
MULTIPLIER = int(Fraction(2) ** (MULTIPLIER_BITS - STEP_BITS) / LN2)
ANY_LIMB = (0, LIMB_MASK)


def pieces(bits: int) -> list[tuple[int, int]]:
    """The integers below 2^bits, in intervals of which none spans more than a factor of two."""
    return [(0, 0), *((1 << k, (2 << k) - 1) for k in range(bits))]


def test_constants() -> None:
    """The proofs are about the limbs and digits of the code, and the largest vocabulary's sums of limbs fit."""
    assert (arithmetic.LIMB_BITS, arithmetic.DIGIT_BITS) == (LIMB_BITS, DIGIT_BITS)
    assert DENOMINATOR == 2**62
    assert VOCABULARY * LIMB_MASK < 2**52


def test_differences_are_below_2_to_the_54() -> None:
    """A difference that is used is at most 112 T, rounded up, or, where that is beyond float32, of two float32 numbers."""
    rounded = 1 + Fraction(1, 2**23)  # of the float32 subtraction that is compared
    per_temperature = 2 * 2**STEP_BITS  # units in T, whose ratio to a power of two is below 2
    assert CUTOFF * rounded * per_temperature + 2 < DIFFERENCE
    beyond = exponential.floor_log2(LARGEST / CUTOFF)  # T is at least 2 to this where 112 T is beyond float32
    assert 2 * LARGEST / Fraction(2) ** (beyond - STEP_BITS) + 2 < DIFFERENCE


def test_multiply_shift() -> None:
    """Differences times any multiplier: 63 or 64 bits, every limb product fits, and y is below 2^57."""
    assert 2**62 <= LEAST_MULTIPLIER <= MULTIPLIER < 2**64
    assert (DIFFERENCE - 1) * MULTIPLIER >> SHIFT < 2**57
    for high in pieces(LIMB_BITS)[-2:]:
        b = Range((high[0] << LIMB_BITS), (high[1] << LIMB_BITS) | LIMB_MASK)
        with on_ranges(exponential):
            assert exponential.multiply_shift(Range(0, DIFFERENCE - 1), b, SHIFT).high < 2**60


def test_two_to_minus() -> None:
    """Every product of the series fits, 1 - exp(-t) is never negative, and the weight is in (0, 2^48]."""
    with pytest.MonkeyPatch.context() as patch:
        entries = exponential.table().tolist()
        patch.setattr(exponential, "table", lambda: entries)
        with on_ranges(exponential):
            for entry in range(256):
                for low, high in pieces(40):
                    found = exponential.two_to_minus(Range((entry << 40) + low, (entry << 40) + high))
                    assert 0 < found.low <= found.high <= 2**48


@pytest.mark.parametrize("top", [(MASS_LIMBS, 2**32), (FLOAT32_LIMBS, 2**22 - 1)], ids=["logits", "probabilities"])
def test_sums(top: tuple[int, int]) -> None:
    """Sums and running sums of 2^20 masses fit: of weights up to 2^96, and of float32 below 2 in units of 2^-149."""
    limbs, highest = top
    row = Wide((*(Range(*ANY_LIMB) for _ in range(limbs - 1)), Range(0, highest)))
    with on_ranges(wide, elements=VOCABULARY):
        for total in (row.total(), row.cumulative()):
            assert max(limb.high for limb in total.limbs[:-1]) <= LIMB_MASK
            assert total.limbs[-1].high < 2**53


def test_products_by_a_digit() -> None:
    """Every step of words times a digit up to 2^31 fits: what is taken off a remainder is exact, modulo 2^64 a word."""
    words = [Range(0, 2**64 - 1)] * 3
    with on_ranges(wide):
        assert all(word.high < 2**64 for word in wide.times(words, Range(0, 2**DIGIT_BITS)))


def test_ranges_hold_what_the_code_finds() -> None:
    """On single values the ranges are the code's own results: the run on ranges is of the same operations."""
    rng = np.random.default_rng(11)
    differences = [0, 1, DIFFERENCE - 1, *rng.integers(0, DIFFERENCE, 500).tolist()]
    found = exponential.multiply_shift(mx.array(np.array(differences, np.uint64)), MULTIPLIER, SHIFT).tolist()
    with on_ranges(exponential):
        ranges = [exponential.multiply_shift(Range(d), MULTIPLIER, SHIFT) for d in differences]
    assert [(one.low, one.high) for one in ranges] == [(y, y) for y in found]
    assert found == [d * MULTIPLIER >> SHIFT for d in differences]


def test_a_step_that_wraps_is_seen() -> None:
    """Ranges refuse what 64 bits cannot hold: a larger difference, a fuller limb, a longer digit, a negative one."""
    with on_ranges(exponential, wide):
        with pytest.raises(Wraps):
            exponential.multiply_shift(Range(0, 2**62), MULTIPLIER, SHIFT)
        with pytest.raises(Wraps):
            Wide((Range(0, 2**33), Range(0, 1))) * Wide((Range(0, 2**32),))
        with pytest.raises(Wraps):
            wide.times([Range(0, 2**64 - 1)] * 2, Range(0, 2**33))
        with pytest.raises(Wraps):
            Range(0, 1) - Range(0, 1)
