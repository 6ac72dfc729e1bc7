"""Wide unsigned integers in MLX: exact sums, products and order of float32 numbers, the same bits on every backend.

A float32 is an integer multiple of 2^-149, so a row of them can be added, multiplied and compared without rounding. A
`Wide` holds one such integer an element, as uint64 limbs of 32 bits, least first; the top limb may be fuller. No signed
array ever meets one: MLX turns uint64 with a signed partner into float32 without a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import mlx.core as mx
import numpy as np

LIMB_BITS = 32
LIMB_MASK = (1 << LIMB_BITS) - 1
DIGIT_BITS = 31
"""Bits of a quotient that one step of long division finds."""
FLOAT32_LIMBS = 5
"""Limbs of a float32 below 2^11 in units of 2^-149."""


@dataclass(frozen=True)
class Scaled:
    """mantissa * 2^exponent an element: uint64 and int32 arrays of one shape."""

    mantissa: mx.array
    exponent: mx.array


def power_of_two(exponent: mx.array) -> mx.array:
    """2^exponent in float32, exactly, for int32 exponents from -126 to 127."""
    return mx.left_shift(exponent + 127, mx.array(23, mx.int32)).view(mx.float32)


def ratio(a: Scaled, b: Scaled) -> mx.array:
    """a / b in float32; relative error at most 3 * 2^-24 + 2^-30 where the result is a normal number.

    Three roundings to nearest: of either mantissa and of the quotient; scaling by a power of two is exact.
    b must be positive.
    """
    quotient = a.mantissa.astype(mx.float32) / b.mantissa.astype(mx.float32)
    exponent = mx.clip(a.exponent - b.exponent, -252, 252)
    half = mx.right_shift(exponent, mx.array(1, mx.int32))
    return quotient * power_of_two(half) * power_of_two(exponent - half)


def split_float32(x: mx.array) -> Scaled:
    """|x| of finite float32 numbers as mantissa * 2^exponent, mantissa below 2^24, units of 2^-149."""
    bits = x.view(mx.uint32)
    field = mx.right_shift(bits, mx.array(23, mx.uint32)) & 255
    fraction = bits & 0x7FFFFF
    mantissa = mx.where(field == 0, fraction, fraction | 0x800000)
    return Scaled(mantissa.astype(mx.uint64), mx.maximum(field, mx.array(1, mx.uint32)).astype(mx.int32) - 1)


def shifted_left(words: Sequence[mx.array], shift: int | mx.array) -> list[mx.array]:
    """words * 2^shift modulo 2^64 a word, least first; shift from 0 to 63."""
    beneath = [None, *words[:-1]]
    return [
        mx.left_shift(word, shift) if low is None else mx.left_shift(word, shift) | (low >> 1 >> (63 - shift))
        for word, low in zip(words, beneath, strict=True)
    ]


def times(words: Sequence[mx.array], digit: mx.array) -> list[mx.array]:
    """words * digit modulo 2^64 a word, for digits up to 2^31."""
    out, carry = [], mx.zeros_like(digit)
    for word in words:
        low = (word & LIMB_MASK) * digit + carry
        high = (word >> LIMB_BITS) * digit + (low >> LIMB_BITS)
        out.append((low & LIMB_MASK) | ((high & LIMB_MASK) << LIMB_BITS))
        carry = high >> LIMB_BITS
    return out


def subtracted(a: Sequence[mx.array], b: Sequence[mx.array]) -> list[mx.array]:
    """a - b modulo 2^64 a word."""
    out, borrow = [], None
    for x, y in zip(a, b, strict=True):
        out.append(x - y if borrow is None else x - y - borrow.astype(mx.uint64))
        borrow = x < y if borrow is None else (x < y) | ((x == y) & borrow)
    return out


def is_less(a: Sequence[mx.array], b: Sequence[mx.array]) -> mx.array:
    """a < b, least limbs or words first."""
    less = a[0] < b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        less = (x < y) | ((x == y) & less)
    return less


@dataclass(frozen=True)
class Wide:
    """One unsigned integer an element."""

    limbs: tuple[mx.array, ...]

    @staticmethod
    def carried(limbs: Sequence[mx.array]) -> Wide:
        """Pass on what exceeds 32 bits; the top limb keeps its excess."""
        out = list(limbs)
        for i in range(len(out) - 1):
            out[i + 1] = out[i + 1] + (out[i] >> LIMB_BITS)
            out[i] = out[i] & LIMB_MASK
        return Wide(tuple(out))

    @staticmethod
    def shifted(mantissa: mx.array, shift: mx.array, limbs: int) -> Wide:
        """mantissa * 2^shift for mantissas below 2^32; shift is uint64, and what lies beyond the top limb is lost."""
        place, bits = shift // LIMB_BITS, shift % LIMB_BITS
        moved = mx.left_shift(mantissa, bits)
        low, high = moved & LIMB_MASK, moved >> LIMB_BITS
        zero = mx.zeros_like(mantissa)
        return Wide(
            tuple(mx.where(place == i, low, zero) | (mx.where(place == i - 1, high, zero) if i else zero) for i in range(limbs))
        )

    @staticmethod
    def from_float32(x: mx.array) -> Wide:
        """|x| in units of 2^-149; x below 2."""
        parts = split_float32(x)
        return Wide.shifted(parts.mantissa, parts.exponent.astype(mx.uint64), FLOAT32_LIMBS)

    @staticmethod
    def from_ints(values: Sequence[int], limbs: int) -> Wide:
        """Python ints as a column [len(values), 1]; the top limb takes what exceeds its 32 bits."""
        columns = [[(value >> (LIMB_BITS * i)) & LIMB_MASK for value in values] for i in range(limbs - 1)]
        columns.append([value >> (LIMB_BITS * (limbs - 1)) for value in values])
        return Wide(tuple(mx.array(np.array(column, dtype=np.uint64)[:, None]) for column in columns))

    def to_ints(self) -> list[int]:
        """Python ints, flattened."""
        columns = [np.array(limb).reshape(-1).tolist() for limb in self.limbs]
        return [sum(int(limb) << (LIMB_BITS * i) for i, limb in enumerate(row)) for row in zip(*columns, strict=True)]

    def __add__(self, other: Wide) -> Wide:
        return Wide.carried([a + b for a, b in zip(self.limbs, other.limbs, strict=True)])

    def __mul__(self, other: Wide) -> Wide:
        """Schoolbook product; both top limbs must be below 2^32."""
        size = len(self.limbs) + len(other.limbs)
        columns: list[list[mx.array]] = [[] for _ in range(size)]
        for i, a in enumerate(self.limbs):
            for j, b in enumerate(other.limbs):
                product = a * b
                columns[i + j].append(product & LIMB_MASK)
                columns[i + j + 1].append(product >> LIMB_BITS)
        return Wide.carried([reduce(mx.add, column) for column in columns])

    def minus(self, other: Wide) -> Wide:
        """self - other where that is not negative; elsewhere meaningless."""
        out = []
        borrow = mx.zeros_like(self.limbs[0])
        for a, b in zip(self.limbs, other.limbs, strict=True):
            difference = a + (1 << LIMB_BITS) - b - borrow
            out.append(difference & LIMB_MASK)
            borrow = 1 - (difference >> LIMB_BITS)
        return Wide(tuple(out))

    def words(self) -> list[mx.array]:
        """The same integers in words of 64 bits, least first; a top limb without a partner is a word by itself."""
        pairs = zip(self.limbs[::2], (*self.limbs[1::2], None), strict=False)
        return [low if high is None else low | (high << LIMB_BITS) for low, high in pairs]

    def quotient(self, divisor: Wide, bits: int) -> mx.array:
        """floor(self * 2^bits / divisor) as uint64, for self <= divisor and bits <= 62: long division by digits of 31 bits.

        divisor: one column a row, of as many limbs, its top word (64 bits) from 1 to 2^63 - 1. Both sides are shifted until
        this word h is at least 2^62. The top word of the remainder over (h >> 31) + 1 is never too large a digit, and at most
        one too small: one more subtraction at most. The remainder is calculated modulo 2^64 a word, which wraps as intended.
        """
        below, remainder = divisor.words(), self.words()
        powers = mx.left_shift(mx.array(1, mx.uint64), mx.arange(63, dtype=mx.uint64))
        shift = mx.sum((below[-1] < powers).astype(mx.uint64), axis=-1, keepdims=True)
        below, remainder = shifted_left(below, shift), shifted_left(remainder, shift)
        result = mx.zeros_like(remainder[0])
        while bits:
            step = min(bits, DIGIT_BITS)
            bits -= step
            trial = remainder[-1] // ((below[-1] >> step) + 1)
            remainder = subtracted(shifted_left(remainder, step), times(below, trial))
            more = ~is_less(remainder, below)
            rest = subtracted(remainder, below)
            remainder = [mx.where(more, a, b) for a, b in zip(rest, remainder, strict=True)]
            result = (result << step) + trial + more.astype(mx.uint64)
        return result

    def __lt__(self, other: Wide) -> mx.array:
        return is_less(self.limbs, other.limbs)

    def where(self, condition: mx.array, otherwise: Wide | None = None) -> Wide:
        """Element by element, self where the condition holds, else `otherwise` (zero if not given)."""
        rest = otherwise.limbs if otherwise else tuple(mx.zeros_like(limb) for limb in self.limbs)
        return Wide(tuple(mx.where(condition, a, b) for a, b in zip(self.limbs, rest, strict=True)))

    def positive(self) -> mx.array:
        """Where the integer is not zero."""
        return reduce(mx.bitwise_or, self.limbs) > 0

    def take(self, indices: mx.array) -> Wide:
        """Along the last axis; indices must be in range."""
        return Wide(tuple(mx.take_along_axis(limb, indices, axis=-1) for limb in self.limbs))

    def total(self) -> Wide:
        """Sum along the last axis, kept as an axis of one."""
        return Wide.carried([mx.sum(limb, axis=-1, keepdims=True) for limb in self.limbs])

    def cumulative(self) -> Wide:
        """Running sum along the last axis, each element included."""
        return Wide.carried([mx.cumsum(limb, axis=-1) for limb in self.limbs])

    def scaled(self) -> Scaled:
        """The leading 33 to 64 bits with their exponent: truncated by less than 2^-32 of the value."""
        limbs = Wide.carried([*self.limbs, mx.zeros_like(self.limbs[0])]).limbs
        mantissa, exponent = limbs[0], mx.zeros(limbs[0].shape, mx.int32)
        for i in range(1, len(limbs)):
            reached = limbs[i] > 0
            leading = mx.left_shift(limbs[i], mx.array(LIMB_BITS, mx.uint64)) | limbs[i - 1]
            mantissa = mx.where(reached, leading, mantissa)
            exponent = mx.where(reached, LIMB_BITS * (i - 1), exponent)
        return Scaled(mantissa, exponent)
