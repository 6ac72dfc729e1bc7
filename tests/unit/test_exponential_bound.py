"""The error of the fixed-point exponential, for every difference and every temperature: 2^-43, by ball arithmetic.

The code of `two_to_minus` runs once for each interval of the table, on a polynomial in the rest x of the fraction: `Truncated`
is what the steps would give without truncation, and how far the truncations can have led from it. In an interval of the table
2^48 * 2^-f is S exp(-x ln 2 / 2^48), so coefficients are compared with its series, and what is beyond the fourth is bounded.
"""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from flint import arb, ctx, fmpq, fmpq_poly

from mtplx import exponential
from mtplx.exponential import ERROR, FRACTION_BITS, LN2, MASS_BITS, MULTIPLIER_BITS, STEP_BITS
from tests.unit.test_ranges import DIFFERENCE, MULTIPLIER, SHIFT

REST_BITS = 40
REST = 2**REST_BITS - 1
UNITS = 9
"""What `two_to_minus` promises, in units of 2^-48."""


class Truncated:
    """A whole number that is ideal(x) and an error from low to high, for every whole x from 0 to REST."""

    def __init__(self, ideal: Any, low: Any = 0, high: Any = 0) -> None:
        self.ideal, self.low, self.high = fmpq_poly(ideal), fmpq(low), fmpq(high)

    def _largest(self) -> Any:
        """Of the ideal, whose coefficients must not be negative, at the largest x; at 0 it is not negative either."""
        assert all(coefficient >= 0 for coefficient in self.ideal.coeffs())
        return self.ideal(REST)

    def __add__(self, other: Truncated) -> Truncated:
        return Truncated(self.ideal + other.ideal, self.low + other.low, self.high + other.high)

    def __sub__(self, other: Truncated) -> Truncated:
        return Truncated(self.ideal - other.ideal, self.low - other.high, self.high - other.low)

    def __rsub__(self, other: int) -> Truncated:
        return Truncated([other]) - self

    def __mul__(self, other: Any) -> Truncated:
        if isinstance(other, int):
            assert other >= 0
            return Truncated(self.ideal * other, self.low * other, self.high * other)
        # (a + da)(b + db) - a b = a db + b da + da db, with 0 <= a <= its largest value
        ends = [
            a * db + b * da + da * db
            for a in (fmpq(0), self._largest())
            for b in (fmpq(0), other._largest())
            for da in (self.low, self.high)
            for db in (other.low, other.high)
        ]
        return Truncated(self.ideal * other.ideal, min(ends), max(ends))

    __rmul__ = __mul__

    def __floordiv__(self, divisor: int) -> Truncated:
        """The quotient loses less than one."""
        return Truncated(self.ideal / divisor, self.low / divisor - 1, self.high / divisor)

    def __rshift__(self, bits: int) -> Truncated:
        return self // 2**bits


class Fractions:
    """The fractions of one interval of the table: entry * 2^40 + x."""

    def __init__(self, entry: int) -> None:
        self.entry = entry

    def __and__(self, mask: int) -> Truncated:
        assert mask == REST
        return Truncated([0, 1])

    def __rshift__(self, bits: int) -> np.uint32:
        assert bits == REST_BITS
        return np.uint32(self.entry)


@pytest.fixture(scope="module")
def enclosed() -> list[Truncated]:
    """What the code of `two_to_minus` calculates in each of the 256 intervals."""
    entries = exponential.table().tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exponential, "table", lambda: entries)
        patch.setattr(exponential, "mx", SimpleNamespace(take=lambda values, index: values[index], uint32=np.uint32))
        return [exponential.two_to_minus(Fractions(entry)) for entry in range(256)]


def ball(x: Any) -> Any:
    """A rational as a ball."""
    return arb(fmpq(x.numerator, x.denominator)) if isinstance(x, Fraction) else arb(x)


def units_off(found: Truncated, entry: int) -> Any:
    """A bound of |w - 2^48 * 2^-f| in the interval: of the truncations, the coefficients and the rest of the series."""
    start = arb(2) ** (FRACTION_BITS - arb(fmpq(entry, 256)))
    rate = arb.const_log2() / 2**FRACTION_BITS
    assert rate * REST < 1  # so that the series alternates and falls
    off, right, degree = max(-found.low, found.high), start, found.ideal.degree()
    bound = arb(off)
    for k in range(degree + 1):
        bound += abs(arb(found.ideal[k]) - right) * arb(REST) ** k
        right *= -rate / (k + 1)
    return bound + abs(right) * arb(REST) ** (degree + 1)


def test_two_to_minus_is_within_nine_units_everywhere(enclosed: list[Truncated]) -> None:
    """2^48 * 2^-f errs by less than 9 units for each of the 2^48 fractions."""
    with ctx.workprec(200):
        assert len(enclosed) << REST_BITS == 1 << FRACTION_BITS
        for entry, found in enumerate(enclosed):
            assert units_off(found, entry) < UNITS


def error_of_y() -> Any:
    """A bound of |y - 2^48 (L - l) / (T ln 2)| for temperatures from 2^-1000 to 2^1000, in units of 2^-48.

    y = d * c >> 61, where d is the difference in units of 2^u to less than 2 (each logit is truncated), c is truncated from
    2^(u + 109) / (T LN2), and LN2 from ln 2. d, and the real difference in its units, stay below DIFFERENCE.
    """
    of_ln2 = arb.const_log2() / ball(LN2) - 1
    of_multiplier = 1 + of_ln2 * (MULTIPLIER + 1)
    return (2 * arb(MULTIPLIER) + DIFFERENCE * of_multiplier) / arb(2) ** SHIFT + 1


def test_weights_are_right_to_the_stated_error(enclosed: list[Truncated]) -> None:
    """The errors of y, of 2^-f and of a temperature brought into its range are together below 2^-43, relatively."""
    with ctx.workprec(200):
        of_y = (error_of_y() / 2**FRACTION_BITS * arb.const_log2()).exp() - 1
        of_power = max(
            (
                units_off(found, entry) / arb(2) ** (FRACTION_BITS - arb(fmpq(entry + 1, 256)))
                for entry, found in enumerate(enclosed)
            ),
            key=lambda bound: bound.upper(),
        )
        # the hypotheses of proofs/test_exponential_error.py
        assert of_y < arb(71) / 100 / 2**44
        assert of_power < arb(UNITS) / 2**47
        # beyond 2^1000 both exponents, with the temperature and with its limit, are below 2^129 / 2^1000
        of_limit = (arb(2) ** (129 - 1000)).exp() - 1
        assert (1 + of_y) * (1 + of_power) * (1 + of_limit) - 1 < ball(ERROR)
        # below 2^-1000 different logits are beyond the cutoff: their difference is at least 2^-149
        assert exponential.CUTOFF * Fraction(1, 2**1000) < Fraction(1, 2**149)


def test_truncations_hold_what_the_code_finds(enclosed: list[Truncated]) -> None:
    """On 4,000 fractions the code's own result lies where the run on polynomials says."""
    rng = np.random.default_rng(12)
    fractions = rng.integers(0, 2**48, 4000, np.uint64)
    for f, w in zip(fractions.tolist(), exponential.two_to_minus(mx.array(fractions)).tolist(), strict=True):
        found = enclosed[f >> REST_BITS]
        assert found.low <= w - found.ideal(f & REST) <= found.high


def truncated(x: float, unit: int) -> int:
    """A logit in units of 2^unit, truncated towards zero."""
    return int(Fraction(x) / Fraction(2) ** unit)


@pytest.mark.parametrize("temperature", [Fraction(x) for x in ("1", "0.6", "1.9999", "1e-30", "1e30")], ids=str)
def test_weights_are_two_to_minus_y(temperature: Fraction) -> None:
    """On 1,000 logits the weights are those of d * c >> 61, as error_of_y takes y to be, each logit truncated towards zero."""
    rng = np.random.default_rng(13)
    spread = float(temperature) * np.concatenate([rng.uniform(-50, 50, 700), 2.0 ** rng.uniform(-70, 5, 300)])
    logits = spread.astype(np.float32)
    unit = exponential.floor_log2(temperature) - STEP_BITS
    c = int(Fraction(2) ** (unit + MULTIPLIER_BITS) / (temperature * LN2))
    logits = np.concatenate([logits.max(keepdims=True), logits])
    fixed = [truncated(x, unit) for x in logits.tolist()]
    y = np.array([(fixed[0] - one) * c >> SHIFT for one in fixed], np.uint64)
    found = exponential.exponential_weights(mx.array(logits), exponential.Scale.of(temperature))
    assert found.mantissa.tolist() == exponential.two_to_minus(mx.array(y % 2**FRACTION_BITS)).tolist()
    assert found.exponent.tolist() == [MASS_BITS - FRACTION_BITS - (one >> FRACTION_BITS) for one in y.tolist()]
    assert c <= MULTIPLIER
