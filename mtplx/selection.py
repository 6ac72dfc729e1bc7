"""Which ranks stay: order by value, ids breaking ties; nucleus by exact sums; top-k as one joint cut (spec 2.2 to 2.4).

Order is a property of the values' bits: each (value, id) becomes one uint64 key, and keys are distinct, so any sort gives
the same ranks. Top-k needs the leading ranks only, which lie in the blocks with the largest maxima: no row is sorted for it.
The nucleus is decided on integer masses against the integer ceil(top_p * total): nothing rounds.
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

    order: uint32 [B, R], token ids of the first R ranks: all V of them, or the top_k that can be kept. size: uint32 [B, 1],
    ranks kept: by the nucleus, of the first top_k. kept: bool [B, V] by token id. undecided: the number of rows whose size
    the integer masses did not settle and ball arithmetic did.
    """

    order: mx.array
    size: mx.array
    kept: mx.array
    undecided: int = 0


BLOCK = 128
"""Tokens of a block."""


def rank_keys(values: mx.array, ids: mx.array | None = None) -> mx.array:
    """uint64 keys of float32 values [B, V], ascending by value descending, then by token id (0, 1, .. V - 1) ascending."""
    bits = mx.where(values == 0, mx.zeros_like(values), values).view(mx.uint32)  # -0 ties with 0
    descending = mx.where(bits >> 31 == 0, bits ^ 0x7FFFFFFF, bits)
    ids = mx.arange(values.shape[-1], dtype=mx.uint32) if ids is None else ids
    return mx.left_shift(descending.astype(mx.uint64), mx.array(32, mx.uint64)) | ids.astype(mx.uint64)


def ranked_ids(keys: mx.array, ranks: int) -> mx.array:
    """uint32 [B, ranks]: the ids of the first ranks."""
    return (mx.sort(keys, axis=-1)[:, :ranks] & 0xFFFFFFFF).astype(mx.uint32)


def leading(values: mx.array, ranks: int, block: int = BLOCK) -> mx.array:
    """uint32 [B, ranks]: the first ranks of rows [B, V], out of the `ranks` blocks whose maxima come first; ranks * block <= V.

    Of equal maxima the lower block comes first. So each chosen block has a token before every token of the others: its
    maximum is larger, or equal with a lower id. That makes `ranks` tokens before them, ties included.
    """
    blocks = -(-values.shape[-1] // block)
    fill = mx.full((values.shape[0], blocks * block - values.shape[-1]), -mx.inf, mx.float32)  # behind every token
    grouped = mx.concatenate([values, fill], axis=-1).reshape(-1, blocks, block)
    chosen = ranked_ids(rank_keys(mx.max(grouped, axis=-1)), ranks)
    inside = mx.take_along_axis(grouped, chosen[..., None], axis=1)
    ids = chosen[..., None] * block + mx.arange(block, dtype=mx.uint32)
    shape = (values.shape[0], ranks * block)
    return ranked_ids(rank_keys(inside.reshape(shape), ids.reshape(shape)), ranks)


def ranks_below(through: Wide, thresholds: Sequence[int]) -> mx.array:
    """uint32 [B, 1]: the number of ranks whose mass before is below the row's threshold; the first rank always stays."""
    below = through < Wide.from_ints(thresholds, len(through.limbs))
    # the mass before rank r + 1 is the mass through rank r
    return 1 + mx.sum(below[:, :-1].astype(mx.uint32), axis=-1, keepdims=True).astype(mx.uint32)


def nucleus_size(ranked: Wide, totals: Sequence[int], top_p: Fraction) -> mx.array:
    """uint32 [B, 1]: how many of the first ranks have a mass before them < top_p of the row's total; their masses [B, R]."""
    thresholds = [-(-top_p.numerator * total // top_p.denominator) for total in totals]  # before < x iff before < ceil(x)
    return ranks_below(ranked.cumulative(), thresholds)


def nucleus_bounds(
    ranked: Wide, totals: Sequence[int], ranks: int, top_p: Fraction, error: Fraction
) -> tuple[mx.array, mx.array]:
    """Least and largest number of the first ranks in the nucleus of real masses t with |mass - t| <= error * t + 1.

    ranked: integer masses of the first ranks [B, R]; totals: of all `ranks` of a row. A rank stays iff
    (1 - top_p) * before < top_p * after, in t. With S the total, n ranks and S_b the integer mass before,
    before lies between (S_b - n) / (1 + error) and (S_b + n) / (1 - error), and after likewise around S - S_b. So the rank
    stays for certain below the threshold `at(error, n)`, and leaves for certain from `at(-error, -n)` on.
    """

    def at(e: Fraction, n: int) -> list[int]:
        rest, kept = (1 - top_p) * (1 + e), top_p * (1 - e)
        return [max(0, ceil((kept * (total - n) - rest * n) / (rest + kept))) for total in totals]

    through = ranked.cumulative()
    return ranks_below(through, at(error, ranks)), ranks_below(through, at(-error, -ranks))


def joint_cut(values: mx.array, order: mx.array, size: mx.array, undecided: int = 0) -> Selection:
    """Keep the first `size` ranks of rows [B, V]."""
    keys = rank_keys(values)
    last = mx.take_along_axis(keys, mx.take_along_axis(order, size - 1, axis=-1), axis=-1)
    return Selection(order, size, keys <= last, undecided)


def most_kept(weighty: mx.array, top_k: int) -> mx.array:
    """uint32 [B, 1]: ranks of positive weight, of the first top_k; top_k = 0 is off."""
    alive = mx.sum(weighty.astype(mx.uint32), axis=-1, keepdims=True).astype(mx.uint32)
    return mx.minimum(alive, mx.array(min(top_k, 2**32 - 1), mx.uint32)) if top_k else alive


def select(values: mx.array, mass: Wide, weighty: mx.array, top_p: Fraction, top_k: int) -> Selection:
    """Cut rows [B, V] by values (order), mass (nucleus); `weighty` says which tokens have positive weight at all."""
    size, most = values.shape[-1], most_kept(weighty, top_k)
    order = leading(values, top_k) if 0 < top_k * BLOCK <= size else ranked_ids(rank_keys(values), size)
    if top_p < 1:
        most = mx.minimum(nucleus_size(mass.take(order), mass.total().to_ints(), top_p), most)
    return joint_cut(values, order, most)
