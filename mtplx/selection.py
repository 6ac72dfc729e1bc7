"""Which ranks stay: order by value, ids breaking ties; nucleus by exact sums; top-k as one joint cut (spec 2.2 to 2.4).

Order is a property of the values' bits: each (value, id) becomes one uint64 key, and keys are distinct, so any sort gives
the same ranks. The nucleus is decided on integer masses against the integer ceil(top_p * total): nothing rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import mlx.core as mx

from mtplx.wide import Wide


@dataclass(frozen=True)
class Selection:
    """The cut of rows [B, V].

    order: uint32 [B, V], token ids by rank. nucleus_size: uint32 [B, 1], ranks the nucleus alone keeps.
    kept: bool [B, V] by token id, what the whole filter keeps.
    """

    order: mx.array
    nucleus_size: mx.array
    kept: mx.array


def rank_keys(values: mx.array) -> mx.array:
    """uint64 keys of float32 values [B, V], ascending by value descending, then by token id ascending."""
    bits = mx.where(values == 0, mx.zeros_like(values), values).view(mx.uint32)  # -0 ties with 0
    descending = mx.where(bits >> 31 == 0, bits ^ 0x7FFFFFFF, bits)
    ids = mx.arange(values.shape[-1], dtype=mx.uint32)
    return mx.left_shift(descending.astype(mx.uint64), mx.array(32, mx.uint64)) | ids.astype(mx.uint64)


def nucleus_size(ranked: Wide, top_p: Fraction) -> mx.array:
    """uint32 [B, 1]: the number of ranks whose mass before is < top_p of the total, masses in rank order [B, V]."""
    through = ranked.cumulative()
    totals = ranked.total().to_ints()
    thresholds = [-(-top_p.numerator * total // top_p.denominator) for total in totals]  # before < x iff before < ceil(x)
    below = through < Wide.from_ints(thresholds, len(through.limbs))
    # the mass before rank r + 1 is the mass through rank r; the first rank always stays
    return 1 + mx.sum(below[:, :-1].astype(mx.uint32), axis=-1, keepdims=True).astype(mx.uint32)


def select(values: mx.array, mass: Wide, weighty: mx.array, top_p: Fraction, top_k: int) -> Selection:
    """Cut rows [B, V] by values (order), mass (nucleus); `weighty` says which tokens have positive weight at all."""
    keys = rank_keys(values)
    ranked_keys = mx.sort(keys, axis=-1)
    order = (ranked_keys & 0xFFFFFFFF).astype(mx.uint32)
    alive = mx.sum(weighty.astype(mx.uint32), axis=-1, keepdims=True).astype(mx.uint32)
    nucleus = alive if top_p == 1 else mx.minimum(nucleus_size(mass.take(order), top_p), alive)
    size = mx.minimum(nucleus, mx.array(min(top_k, 2**32 - 1), mx.uint32)) if top_k else nucleus
    last = mx.take_along_axis(ranked_keys, size - 1, axis=-1)
    return Selection(order, nucleus, keys <= last)
