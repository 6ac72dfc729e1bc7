"""The weight exp((l - max l) / T) of float32 logits by integer arithmetic: the same bits on every backend.

With y = (max l - l) / (T ln 2), the weight is 2^-y = 2^-n * 2^-f: n and f are the integer and fraction of y in fixed point,
2^-f comes from a table of 256 entries and four terms of the exponential series.

Error. A difference of logits is right to two units of at most T * 2^-46, each at most 1.45 * 2^-46 in y, so y is right to
2^-44 and the weight, for this, to 2^-44.9. 2^-f is right to 9 units of 2^-48, at most 2^-43.8 of it: five truncations of at
most two units in the series, the table's half, and a remainder t^5/120 < 2^-49 for t < 2^-8 ln 2. Together the weight is
right to a relative `ERROR` = 2^-43. Equal logits weigh exactly the same, and the largest weighs exactly 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import isqrt

import mlx.core as mx
import numpy as np

from mtplx.wide import LIMB_BITS, LIMB_MASK, Scaled, Wide, split_float32

FRACTION_BITS = 48
STEP_BITS = 46
MULTIPLIER_BITS = 109
CUTOFF = 112
"""Beyond a difference of 112 T a weight is below 2^-161 and counts as 0: float32 ends at 2^-149."""
ERROR = Fraction(1, 2**43)
LN2 = Fraction(0xB17217F7D1CF79ABC9E3B39803F2F6AF40F343267298B62D, 2**192)
"""ln 2, truncated to 192 bits."""
MASS_LIMBS = 3
MASS_BITS = 96
"""Weights and masses count units of 2^-96 of the largest weight."""


def floor_log2(x: Fraction) -> int:
    """The integer e with 2^e <= x < 2^(e+1)."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if x >= Fraction(2) ** e else e - 1


@cache
def table() -> mx.array:
    """2^48 * 2^(-i/256) to the nearest integer, for i = 0..255: powers of a root taken to 192 bits."""
    root = 1 << 191
    for _ in range(8):
        root = isqrt(root << 192)
    entries, power = [], 1 << 192
    for _ in range(256):
        entries.append((power + (1 << 143)) >> 144)
        power = power * root >> 192
    return mx.array(np.array(entries, dtype=np.uint64))


def fixed_point(logits: mx.array, unit: int | mx.array) -> mx.array:
    """logits in units of 2^unit, truncated, modulo 2^64: differences below 2^63 units come out right."""
    parts = split_float32(logits)
    shift = parts.exponent - (149 + unit)
    left = mx.clip(shift, 0, 63).astype(mx.uint64)
    right = mx.clip(-shift, 0, 63).astype(mx.uint64)
    magnitude = mx.right_shift(mx.left_shift(parts.mantissa, left), right)
    magnitude = mx.where(shift > 63, mx.array(0, mx.uint64), magnitude)
    return mx.where(logits < 0, 0 - magnitude, magnitude)


def multiply_shift(a: mx.array, b: int | mx.array, shift: int) -> mx.array:
    """a * b >> shift for a below 2^56, b below 2^64 and 64 > shift > 32; the result must fit in 64 bits."""
    a_low, a_high = a & LIMB_MASK, a >> 32
    b_low, b_high = b & LIMB_MASK, b >> 32
    low = a_low * b_low
    middle = (low >> 32) + (a_high * b_low & LIMB_MASK) + (a_low * b_high & LIMB_MASK)
    high = a_high * b_high + (a_high * b_low >> 32) + (a_low * b_high >> 32) + (middle >> 32)
    return (high << (64 - shift)) | ((middle & LIMB_MASK) >> (shift - 32))


def two_to_minus(fraction: mx.array) -> mx.array:
    """2^48 * 2^-f for f = fraction / 2^48 in [0, 1), within 9 units."""
    rest = fraction & ((1 << 40) - 1)
    ln2_high, ln2_low = divmod(int(LN2 * 2**48), 1 << 24)
    t = (rest * ln2_high >> 24) + (rest * ln2_low >> 48)  # units of 2^-48
    coarse = t >> 8  # units of 2^-40: 32 bits, so that products fit
    square = coarse * coarse >> 33
    cube = (square * coarse >> 40) // 3
    fourth = (cube * coarse >> 40) // 4
    fall = t + cube - square - fourth  # 1 - exp(-t)
    start = mx.take(table(), (fraction >> 40).astype(mx.uint32))
    return start - ((start >> 24) * fall >> 24) - ((start & 0xFFFFFF) * fall >> 48)


@dataclass(frozen=True)
class Scale:
    """The constants of a temperature T > 0, as arrays of one element: one compiled kernel serves all temperatures.

    unit: int32, logits are counted in units of 2^unit. multiplier: uint64, 2^(unit + 109) / (T ln 2). far: float32, the
    largest difference that is not beyond `CUTOFF`. per_log2: float32, 1 / (T ln 2).
    """

    unit: mx.array
    multiplier: mx.array
    far: mx.array
    per_log2: mx.array

    @staticmethod
    @lru_cache(maxsize=1000)
    def of(temperature: Fraction) -> Scale:
        """The scale of a temperature; beyond 2^-1000 and 2^1000 lie the limits."""
        temperature = max(min(temperature, Fraction(2) ** 1000), Fraction(1, 2**1000))
        unit = floor_log2(temperature) - STEP_BITS
        multiplier = int(Fraction(2) ** (unit + MULTIPLIER_BITS) / (temperature * LN2))
        return Scale(
            mx.array(unit, mx.int32),
            mx.array(np.array(multiplier, np.uint64)),
            mx.array(float32_below(CUTOFF * temperature), mx.float32),
            mx.array(float32_below(1 / (temperature * LN2)), mx.float32),
        )


def exponential_weights(logits: mx.array, scale: Scale) -> Scaled:
    """exp((l - l_0) / T) in units of 2^-96: mantissas up to 2^48; relative error at most `ERROR`.

    logits: float32 [..., n], finite or -inf, in each row the largest first and finite. Weights below 2^-161 are 0.
    """
    far = (logits == -mx.inf) | (logits[..., :1] - logits > scale.far)
    units = fixed_point(logits, scale.unit)
    difference = mx.where(far, mx.array(0, mx.uint64), units[..., :1] - units)
    y = multiply_shift(difference, scale.multiplier, MULTIPLIER_BITS - FRACTION_BITS)
    mantissa = two_to_minus(y & ((1 << FRACTION_BITS) - 1))
    halvings = (y >> FRACTION_BITS).astype(mx.int32)
    return Scaled(mx.where(far, mx.array(0, mx.uint64), mantissa), MASS_BITS - FRACTION_BITS - halvings)


def float32_below(x: Fraction) -> float:
    """The largest float32 not above x >= 0; infinity beyond float32."""
    if x > Fraction(float(np.finfo(np.float32).max)):
        return float("inf")
    unit = max(floor_log2(x) - 23, -149) if x else -149
    return float(x // Fraction(2) ** unit * Fraction(2) ** unit)


def masses(weights: Scaled, weighty: mx.array) -> Wide:
    """Weights as integers, truncated to units of 2^-96 of the largest, but one unit at least where `weighty`.

    So a tie among the largest is decided as in the reals, where the rest has some mass however far it lies behind.
    The mantissa is shifted down or up, by at most 48, in two words of 64 bits; 2^96 itself makes the top limb 2^32.
    """
    up = mx.maximum(weights.exponent, mx.array(0, mx.int32)).astype(mx.uint64)
    down = mx.clip(-weights.exponent, 0, 63).astype(mx.uint64)
    moved = mx.right_shift(weights.mantissa, down)
    low, high = mx.left_shift(moved, up), moved >> 1 >> (63 - up)
    nothing = (low | high) == 0
    least = (weighty & nothing).astype(mx.uint64)
    return Wide(((low & LIMB_MASK) | least, low >> LIMB_BITS, high))


@mx.compile
def weighed(logits: mx.array, unit: mx.array, multiplier: mx.array, far: mx.array) -> list[mx.array]:
    """Mantissas, exponents and limbs of `weigh`."""
    weights = exponential_weights(logits, Scale(unit, multiplier, far, far))
    return [weights.mantissa, weights.exponent, *masses(weights, logits > -mx.inf).limbs]


def weigh(logits: mx.array, scale: Scale) -> tuple[Scaled, Wide]:
    """Weights and masses of rows of logits [B, n], in each the largest first."""
    mantissa, exponent, *limbs = weighed(logits, scale.unit, scale.multiplier, scale.far)
    return Scaled(mantissa, exponent), Wide(tuple(limbs))
