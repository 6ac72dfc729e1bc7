"""Which ranks stay: order by value, ids breaking ties; nucleus by exact sums; top-k as one joint cut (spec 2.2 to 2.4).

Order is a property of the values' bits: each (value, id) becomes one uint64 key, and keys are distinct, so any sort gives
the same ranks. The leading ranks lie in the blocks with the largest maxima: no row is sorted for them.
The nucleus is decided on integer masses against the integer ceil(top_p * total): nothing rounds.
`nucleus_bounds` says between which sizes the nucleus of the real masses lies, where the integers only stand for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil
from typing import NamedTuple

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mtplx.wide import LIMB_BITS, Wide


class Selection(NamedTuple):
    """The cut of rows: token ids of their first R ranks, uint32 [B, R], and how many of them are kept, int [B] on the host."""

    order: mx.array
    size: NDArray[np.int64]


BLOCKS = (64, 8)
"""Tokens of a block, in the row and then among the tokens of the chosen blocks."""
MINUS_INF = 0xFF800000
"""Bits of -inf; larger ones are NaN."""
AT_ONCE = 4096
"""Tokens that are ranked at once: to look for blocks among fewer takes longer."""


@mx.compile
def rank_keys(values: mx.array, ids: mx.array | None = None) -> mx.array:
    """uint64 keys of float32 values [B, V], ascending by value descending, then by token id (0, 1, .. V - 1) ascending.

    NaN of either sign comes first: so what fills up a row, -inf with the largest ids, is never among the first ranks.
    """
    bits = mx.where(values == 0, mx.array(0, mx.float32), values).view(mx.uint32)  # -0 ties with 0
    descending = mx.where(bits >> 31 == 0, bits ^ 0x7FFFFFFF, mx.where(bits > MINUS_INF, mx.array(0, mx.uint32), bits))
    ids = mx.arange(values.shape[-1], dtype=mx.uint32) if ids is None else ids
    return mx.left_shift(descending.astype(mx.uint64), mx.array(32, mx.uint64)) | ids.astype(mx.uint64)


def ids_of(keys: mx.array) -> mx.array:
    """uint32 ids of keys."""
    return (keys & 0xFFFFFFFF).astype(mx.uint32)


@mx.compile
def values_of(keys: mx.array) -> mx.array:
    """float32 values of keys; -0 has become 0."""
    descending = (keys >> 32).astype(mx.uint32)
    return mx.where(descending >> 31 == 0, descending ^ 0x7FFFFFFF, descending).view(mx.float32)


def ascending(keys: mx.array) -> mx.array:
    """All keys [B, V] in order: the ranks. On the CPU by numpy, whose sort is vectorised (a tenth of the time)."""
    if mx.default_device() == mx.Device(mx.cpu):
        return mx.array(np.sort(np.array(keys, copy=False), axis=-1))
    return mx.sort(keys, axis=-1)


def first(keys: mx.array, ranks: int) -> mx.array:
    """The first keys of [B, n] in order; ranks < n."""
    return mx.sort(mx.partition(keys, ranks, axis=-1)[:, :ranks], axis=-1)


def filled(values: mx.array, block: int) -> mx.array:
    """Rows [B, V] with as many -inf behind as make whole blocks."""
    missing = -values.shape[-1] % block
    return mx.pad(values, [(0, 0), (0, missing)], constant_values=-mx.inf) if missing else values


def spare(ranks: int) -> int:
    """How many blocks are looked into for the first ranks: twice as many, or a few, so that ties seldom need more."""
    return ranks + max(ranks, 12)


def narrowed(maxima: mx.array, ranks: int, block: int) -> tuple[mx.array, mx.array]:
    """The places [B, n] of the tokens of the blocks with the largest maxima, and whether the first ranks are surely there.

    Block j of m has the tokens j, j + m, j + 2 m, .. The ranks-th largest maximum is a value that at least `ranks` tokens
    reach. So if the first maximum left out is less, no token of the others is among the first ranks, whatever the ids.
    """
    blocks, looked = maxima.shape[-1], spare(ranks)
    keys = first(rank_keys(maxima), looked + 1)
    sure = (keys[:, ranks - 1 : ranks] >> 32) < (keys[:, looked:] >> 32)
    places = ids_of(keys[:, None, :looked]) + mx.arange(block, dtype=mx.uint32)[:, None] * blocks
    return places.reshape(len(maxima), -1), sure


def can_lead(size: int, ranks: int) -> bool:
    """Whether blocks can find the first ranks of rows of this size; else it takes a sort."""
    return 0 < ranks < size and (size <= AT_ONCE or 2 * spare(ranks) * BLOCKS[-1] <= size)


@mx.compile
def leading(values: mx.array, ranks: int) -> tuple[mx.array, mx.array, mx.array]:
    """Keys [B, ranks] of the first ranks of rows [B, V] in order, and whether they surely are, bool [B, 1]: see `can_lead`.

    Also the largest values [B]: a NaN in the row makes them NaN.
    """
    ids, sure, tops = None, mx.array(True), None
    for block in BLOCKS:
        if max(AT_ONCE + 1, 2 * spare(ranks) * block) <= values.shape[-1]:
            values = filled(values, block)
            maxima = mx.max(values.reshape(len(values), block, -1), axis=1)
            tops = maxima if tops is None else tops
            places, found = narrowed(maxima, ranks, block)
            values, sure = mx.take_along_axis(values, places, axis=-1), sure & found
            ids = places if ids is None else mx.take_along_axis(ids, places, axis=-1)
    keys, sure = first(rank_keys(values, ids), ranks), mx.broadcast_to(sure, (len(values), 1))
    return keys, sure, mx.max(values if tops is None else tops, axis=-1)


@dataclass(frozen=True)
class Through:
    """Masses through each rank of rows [B, R], on the host: running sums of limbs, which nobody has to carry."""

    limbs: tuple[NDArray[np.uint64], ...]

    @staticmethod
    def of(ranked: Wide) -> Through:
        """Of the masses of ranks [B, R]."""
        return Through(tuple(np.array(mx.cumsum(limb, axis=-1), copy=False) for limb in ranked.limbs))

    def mass(self, row: int, rank: int) -> int:
        """The mass of the ranks up to this one, included."""
        return sum(int(limb[row, rank]) << (LIMB_BITS * i) for i, limb in enumerate(self.limbs))

    def totals(self) -> list[int]:
        """The mass of all ranks of each row."""
        return [self.mass(row, -1) for row in range(len(self.limbs[0]))]

    def sizes(self, thresholds: Sequence[int]) -> NDArray[np.int64]:
        """How many ranks have a mass before them below the row's threshold; the first rank always stays."""
        last = self.limbs[0].shape[-1] - 1  # the mass before rank r + 1 is the mass through rank r
        rows = enumerate(thresholds)
        return np.array([1 + bisect_left(range(last), x, key=partial(self.mass, row)) for row, x in rows])


def nucleus_size(through: Through, totals: Sequence[int], top_p: Fraction) -> NDArray[np.int64]:
    """How many of the first ranks have a mass before them < top_p of the row's total."""
    return through.sizes([ceil(top_p * total) for total in totals])  # before < x iff before < ceil(x)


def nucleus_bounds(
    through: Through, totals: Sequence[int], ranks: int, top_p: Fraction, error: Fraction
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Least and largest number of the first ranks in the nucleus of real masses t with |mass - t| <= error * t + 1.

    through: of integer masses of the first ranks [B, R]; totals: of all `ranks` of a row. A rank stays iff
    (1 - top_p) * before < top_p * after, in t. With S the total, n ranks and S_b the integer mass before,
    before lies between (S_b - n) / (1 + error) and (S_b + n) / (1 - error), and after likewise around S - S_b. So the rank
    stays for certain below the threshold `at(error, n)`, and leaves for certain from `at(-error, -n)` on.
    """

    def at(e: Fraction, n: int) -> list[int]:
        rest, kept = (1 - top_p) * (1 + e), top_p * (1 - e)
        return [max(0, ceil((kept * (total - n) - rest * n) / (rest + kept))) for total in totals]

    return through.sizes(at(error, ranks)), through.sizes(at(-error, -ranks))


def most_kept(alive: mx.array, top_k: int) -> mx.array:
    """uint32 [B, 1]: of so many ranks of positive weight, those that top_k keeps; top_k = 0 is off."""
    return mx.minimum(alive, mx.array(min(top_k, 2**32 - 1), mx.uint32)) if top_k else alive


def count(flags: mx.array) -> mx.array:
    """uint32 [B, 1]: how many of [B, n] are true."""
    return mx.sum(flags.astype(mx.uint32), axis=-1, keepdims=True).astype(mx.uint32)


def select(values: mx.array, mass: Wide, top_p: Fraction, top_k: int) -> Selection:
    """Cut rows of exact shares [B, V] by values (order) and mass (nucleus); shares of 0 are never kept."""
    most, order = np.array(most_kept(count(values > 0), top_k))[:, 0].astype(np.int64), None
    if top_k and can_lead(values.shape[-1], top_k):
        keys, sure, _ = leading(values, top_k)
        order = ids_of(keys) if mx.all(sure).item() else None
    if order is None:
        order = ids_of(ascending(rank_keys(values)))
    if top_p < 1:
        most = np.minimum(nucleus_size(Through.of(mass.take(order)), mass.total().to_ints(), top_p), most)
    return Selection(order, most)
