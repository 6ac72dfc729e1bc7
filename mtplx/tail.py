"""How much weight lies behind the leading ranks of a row, to a proved interval, without an exponential.

The leaders are weighed exactly; the rest of a long row only has to be known well enough to settle where the nucleus ends.
A float32 number 2^n (1 + f) has the bits of n + f, so that the exponent t of a weight, written as an integer, is nearly the
weight itself: 2^f <= 1 + f. A cubic in f mends it to 2^-18.1 of the weight.

Error. Let d = x - top and t = d * log2(e) / T + 63, from 0 to 63, in float32. d and the product are right to 2^-24, the
constant to 2^-23 of a number up to 63, the sum to 2^-19: together less than 2^-15.8, which is 2^-16.3 of the weight. The
cubic errs by 2^-18.1, taking it off rounds by 2^-19, and the bits end at 2^-23. A sum of 64 floats, in any order, adds
63 * 2^-24. Together that is less than 2^-15.
"""

from __future__ import annotations

from fractions import Fraction

import mlx.core as mx

from mtplx.selection import BLOCKS, count, filled

ERROR_BITS = 15
"""The weights behind are right to a relative 2^-15."""
UNIT_BITS = 40
"""Weights are counted in units of 2^-40 of the largest."""
LEAST_TEMPERATURE, MOST_TEMPERATURE = Fraction(1, 2**100), Fraction(2**100)
"""Between them 1 / (T ln 2) is a normal float32, and a difference beyond float32 has no weight."""
TOP = 63
"""The exponent given to the largest weight; weights below 2^-63 count as 2^-63, less than a unit for all of 2^20."""


@mx.compile
def exponents(x: mx.array, top: mx.array, last: mx.array, scale: mx.array) -> mx.array:
    """log2 of the weights of x [V], and `TOP`, with no weight where x is above `last`; all others are scalars."""
    return (mx.where(x <= last, x, -mx.inf) - top) * scale + TOP


@mx.compile
def bits_of_powers(t: mx.array) -> mx.array:
    """int32 bits of the float32 numbers 2^(t - TOP), nearly; below t = 0 those of 2^-TOP."""
    t = mx.maximum(t, 0)
    f = t - t.astype(mx.int32).astype(mx.float32)
    powers = t - f * (1 - f) * (0.30696788 + f * (0.06558812 + f * 0.01355575))
    return (powers * 8388608.0).astype(mx.int32) + ((127 - TOP) << 23)


@mx.compile
def summed(bits: mx.array) -> mx.array:
    """uint64 [1]: the numbers with these bits in units, each block's sum truncated."""
    sums = mx.sum(bits.view(mx.float32).reshape(BLOCKS[0], -1), axis=0)
    return mx.sum((sums * 2.0**UNIT_BITS).astype(mx.uint64), keepdims=True)


def weight_behind(x: mx.array, top: mx.array, last: mx.array, scale: mx.array) -> mx.array:
    """uint64 [1]: the weights of the logits x [V] that are not above `last`, in units, one off for each block at most.

    top: the largest logit; scale: log2(e) / T; both float32 scalars, as `last` is.
    """
    return summed(bits_of_powers(exponents(x, top, last, scale)))


def weights_behind(values: mx.array, leaders: mx.array, scale: mx.array) -> mx.array:
    """uint64 [B, 1]: `weight_behind` the last of the leading logits [B, R] of rows [B, V].

    One row after another: it stays in the cache, and scalars need no broadcast, which would keep the loop from vectorising.
    """
    whole = filled(values, BLOCKS[0])
    return mx.stack([weight_behind(whole[b], leaders[b, 0], leaders[b, -1], scale) for b in range(len(whole))])


def product(a: mx.array, share: mx.array) -> mx.array:
    """floor(a * share / 2^32) for uint64 a below 2^62 and share up to 2^32."""
    return (a >> 32) * share + ((a & 0xFFFFFFFF) * share >> 32)


@mx.compile
def enclosed_sizes(
    coarse: mx.array, above: mx.array, behind: mx.array, slack: mx.array, shares: mx.array
) -> tuple[mx.array, mx.array]:
    """Least and largest size of the nucleus as uint32 [B, 1], counted up to R + 1 of R leading ranks: R + 1 is R or more.

    coarse: the weights of the leaders [B, R] in units, truncated, each within 2^-43 and one unit; above: bool [B, R], the
    leaders that `behind` [B, 1] does not count. slack: units that truncation may cost. shares: uint64 [2], top_p in units of
    2^-32, rounded down and up.
    """
    through = mx.cumsum(coarse, axis=-1)
    exact = mx.sum(mx.where(above, coarse, mx.array(0, mx.uint64)), axis=-1, keepdims=True)
    off = (exact >> UNIT_BITS) + (behind >> ERROR_BITS) + slack
    off = off + (off >> (ERROR_BITS - 1))
    total = exact + behind
    least = product(mx.maximum(total, off) - off, shares[0])
    most = product(total + off, shares[1]) + 1
    reach = slack + (through >> UNIT_BITS)  # how far the weight through a rank may be from the real one
    stays, may = through + reach < least, through < most + reach
    return 1 + count(stays), 1 + count(may)


def truncated(ranks: int, tokens: int) -> int:
    """Units that truncation can cost: one for each leader and each block, and 8 for what is less than one each.

    These are a short last block, all weights below 2^-63 (2^-3), the leaders' 2^-43 where it is less than a unit, and shifts.
    """
    return ranks + tokens // BLOCKS[0] + 8
