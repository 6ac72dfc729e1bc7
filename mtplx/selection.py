"""Which ranks stay: order by value, ids breaking ties; nucleus by exact sums; top-k as one joint cut (spec 2.2 to 2.4).

Order is a property of the values' bits: each (value, id) becomes one uint64 key, and keys are distinct, so any sort gives
the same ranks. The nucleus is decided on integer masses against the integer ceil(top_p * total): nothing rounds.
`nucleus_bounds` says between which sizes the nucleus of the real masses lies, where the integers only stand for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import mlx.core as mx

from mtplx.wide import Wide


@dataclass(frozen=True)
class Selection:
    """The cut of rows [B, V].

    order: uint32 [B, V], token ids by rank. nucleus_size: uint32 [B, 1], ranks the nucleus alone keeps.
    kept: bool [B, V] by token id, what the whole filter keeps. undecided: the number of rows whose nucleus the integer
    masses did not settle and ball arithmetic did.
    """

    order: mx.array
    nucleus_size: mx.array
    kept: mx.array
    undecided: int = 0


def rank_keys(values: mx.array) -> mx.array:
    """uint64 keys of float32 values [B, V], ascending by value descending, then by token id ascending."""
    bits = mx.where(values == 0, mx.zeros_like(values), values).view(mx.uint32)  # -0 ties with 0
    descending = mx.where(bits >> 31 == 0, bits ^ 0x7FFFFFFF, bits)
    ids = mx.arange(values.shape[-1], dtype=mx.uint32)
    return mx.left_shift(descending.astype(mx.uint64), mx.array(32, mx.uint64)) | ids.astype(mx.uint64)


def ranks_below(through: Wide, thresholds: Sequence[int]) -> mx.array:
    """uint32 [B, 1]: the number of ranks whose mass before is below the row's threshold; the first rank always stays."""
    below = through < Wide.from_ints(thresholds, len(through.limbs))
    # the mass before rank r + 1 is the mass through rank r
    return 1 + mx.sum(below[:, :-1].astype(mx.uint32), axis=-1, keepdims=True).astype(mx.uint32)


def nucleus_size(ranked: Wide, top_p: Fraction) -> mx.array:
    """uint32 [B, 1]: the number of ranks whose mass before is < top_p of the total, masses in rank order [B, V]."""
    totals = ranked.total().to_ints()
    thresholds = [-(-top_p.numerator * total // top_p.denominator) for total in totals]  # before < x iff before < ceil(x)
    return ranks_below(ranked.cumulative(), thresholds)


def nucleus_bounds(ranked: Wide, top_p: Fraction, error: Fraction) -> tuple[mx.array, mx.array]:
    """Least and largest size of the nucleus of real masses t with |mass - t| <= error * t + 1, rank by rank.

    A rank stays iff (1 - top_p) * before < top_p * after, in t. With S the total, n ranks and S_b the integer mass before,
    before lies between (S_b - n) / (1 + error) and (S_b + n) / (1 - error), and after likewise around S - S_b. So the rank
    stays for certain below the threshold `at(error, n)`, and leaves for certain from `at(-error, -n)` on.
    """
    ranks = ranked.limbs[0].shape[-1]

    def at(e: Fraction, n: int) -> list[int]:
        rest, kept = (1 - top_p) * (1 + e), top_p * (1 - e)
        return [max(0, ceil((kept * (total - n) - rest * n) / (rest + kept))) for total in totals]

    totals, through = ranked.total().to_ints(), ranked.cumulative()
    return ranks_below(through, at(error, ranks)), ranks_below(through, at(-error, -ranks))


def joint_cut(values: mx.array, order: mx.array, nucleus: mx.array, top_k: int, undecided: int = 0) -> Selection:
    """Keep the first min(top_k, nucleus) ranks of rows [B, V]; top_k = 0 is off."""
    keys = rank_keys(values)
    size = mx.minimum(nucleus, mx.array(min(top_k, 2**32 - 1), mx.uint32)) if top_k else nucleus
    last = mx.take_along_axis(keys, mx.take_along_axis(order, size - 1, axis=-1), axis=-1)
    return Selection(order, nucleus, keys <= last, undecided)


def select(values: mx.array, mass: Wide, weighty: mx.array, top_p: Fraction, top_k: int) -> Selection:
    """Cut rows [B, V] by values (order), mass (nucleus); `weighty` says which tokens have positive weight at all."""
    order = (mx.sort(rank_keys(values), axis=-1) & 0xFFFFFFFF).astype(mx.uint32)
    alive = mx.sum(weighty.astype(mx.uint32), axis=-1, keepdims=True).astype(mx.uint32)
    nucleus = alive if top_p == 1 else mx.minimum(nucleus_size(mass.take(order), top_p), alive)
    return joint_cut(values, order, nucleus, top_k)
