"""The filtered target of rows of logits: its ranks with integer masses, and the cut of the *real* weights (spec 2).

A row is tried cheaply first: its leading ranks come from the blocks with the largest maxima, only they are weighed, and the
rest is weighed to an interval (`mtplx.tail`). Where both ends of the interval give one cut, it is proved. All rows left are
ranked and weighed whole: the masses err by 2^-43, so the nucleus they give is checked, and where the two sizes that this
error allows differ, ball arithmetic decides and the row is counted; a row that an interval settles is never one of them,
since the interval is the wider. Where all finite logits are equal the masses are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import NamedTuple

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mtplx import doors
from mtplx.balls import Line, nucleus_between
from mtplx.config import SamplerConfig
from mtplx.exponential import ERROR, Scale, weigh
from mtplx.selection import (
    Through,
    ascending,
    can_lead,
    count,
    ids_of,
    leading,
    most_kept,
    nucleus_bounds,
    nucleus_size,
    rank_keys,
    select,
    values_of,
)
from mtplx.tail import LEAST_TEMPERATURE, MOST_TEMPERATURE, enclosed_sizes, truncated, weights_behind
from mtplx.wide import Scaled, Wide, split_float32

FEW = 256
"""Leading ranks that are tried first where no top_k says how many can be kept."""
LONG = 50_000
"""Tokens from which half a row is weighed before the whole."""


class Leaders(NamedTuple):
    """The first ranks of rows: ids and logits [B, R], whether they surely are the first [B, 1], the rows' largest logits [B],
    how many of the ranks are finite [B, 1], and their mantissas, exponents and limbs of masses.
    """

    order: mx.array
    logits: mx.array
    sure: mx.array
    tops: mx.array
    alive: mx.array
    weights: list[mx.array]


@dataclass(frozen=True)
class Ranked:
    """The first ranks of rows of logits, at least those that are kept.

    order: uint32 [B, R] token ids. size: int [B] on the host, ranks kept. weights, mass: [B, R], of each of the ranks.
    undecided: bool [B], whether ball arithmetic decided the size.
    """

    order: mx.array
    size: NDArray[np.int64]
    weights: Scaled
    mass: Wide
    undecided: NDArray[np.bool_]

    def parts(self) -> tuple[mx.array, Scaled, Wide, mx.array]:
        """What a `Make` takes."""
        return self.order, self.weights, self.mass, mx.array(self.size[:, None].astype(np.uint32))

    def short(self) -> Ranked:
        """Without most of the ranks that no row keeps; in few different shapes, since each is traced once."""
        columns = max(16, 1 << int(self.size.max() - 1).bit_length())
        if 4 * columns > self.order.shape[-1]:
            return self
        weights = Scaled(self.weights.mantissa[:, :columns], self.weights.exponent[:, :columns])
        mass = Wide(tuple(limb[:, :columns] for limb in self.mass.limbs))
        return Ranked(self.order[:, :columns], self.size, weights, mass, self.undecided)


def cuts(config: SamplerConfig, vocabulary: int) -> bool:
    """Whether the settings can drop a token of positive weight."""
    return bool(config.temperature == 0 or config.top_p < 1 or 0 < config.top_k < vocabulary)


Make = Callable[[mx.array, Scaled, Wide, mx.array], list[mx.array]]
"""What becomes of ranks: their order, weights and masses [B, R], and how many of each row are kept, uint32 [B, 1]."""


class Made(NamedTuple):
    """What was made of consecutive rows, how many ranks of each are kept, and whether ball arithmetic decided that."""

    arrays: list[mx.array]
    size: NDArray[np.int64]
    undecided: NDArray[np.bool_]


def made_of_ranks(values: mx.array, config: SamplerConfig, make: Make) -> list[Made]:
    """make(kept ranks of rows of logits [B, V]), of all rows at once or in several parts, in order. LogitsError.

    It is evaluated with the leading ranks, in one wait for the device. Where they do not settle all rows, the others are
    ranked and weighed whole, one after another: they never take the memory of many rows.
    """
    if config.temperature == 0:
        config = SamplerConfig(1, 1, 1)  # the first rank alone, which weighs 1 at any temperature
    few, settled = leaders_tried(config, values.shape[-1]), np.zeros(len(values), np.bool_)
    if can_lead(values.shape[-1], few):
        found, settled, arrays = leading_ranks(values, config, few, make)
        made = Made(arrays, found.size, found.undecided)
        if settled.all():
            return [made]
    else:
        doors.good_logits(values, np.array(mx.max(values, axis=-1)))
    parts = []
    for b in range(len(values)):
        row = slice(b, b + 1)
        if settled[b]:
            parts.append(Made([array[row] for array in made.arrays], made.size[row], made.undecided[row]))
        else:
            kept = whole_row(values[row], config).short()
            parts.append(Made(make(*kept.parts()), kept.size, kept.undecided))
            mx.eval(parts[-1].arrays)
    return parts


def ranked_row(values: mx.array, config: SamplerConfig) -> Ranked:
    """The kept ranks of one row of logits [1, V]. LogitsError."""
    seen: list[Ranked] = []

    def make(order: mx.array, weights: Scaled, mass: Wide, sizes: mx.array) -> list[mx.array]:
        seen.append(Ranked(order, np.zeros(0, np.int64), weights, mass, np.zeros(0, np.bool_)))
        return []

    (made,) = made_of_ranks(values, config, make)
    return replace(seen[-1], size=made.size, undecided=made.undecided)


def leaders_tried(config: SamplerConfig, vocabulary: int) -> int:
    """How many leading ranks are looked for first; 0 if none."""
    if config.top_p == 1:
        return config.top_k
    usual = LEAST_TEMPERATURE <= config.temperature <= MOST_TEMPERATURE and vocabulary <= doors.MOST_TOKENS
    return min(config.top_k or FEW, FEW) if usual else 0


def weighed_keys(keys: mx.array, sure: mx.array, tops: mx.array, scale: Scale) -> Leaders:
    """Ranks given by their keys, with their weights and masses."""
    logits = values_of(keys)
    weights, mass = weigh(logits, scale)
    return Leaders(ids_of(keys), logits, sure, tops, count(logits > -mx.inf), [weights.mantissa, weights.exponent, *mass.limbs])


@mx.compile
def leaders(values: mx.array, ranks: int, unit: mx.array, multiplier: mx.array, far: mx.array) -> Leaders:
    """The first ranks of rows [B, V] out of their blocks; the scalars are those of a `Scale`."""
    return weighed_keys(*leading(values, ranks), Scale(unit, multiplier, far, far))


@mx.compile
def settle(
    logits: mx.array, top: mx.array, middle: mx.array, behind: mx.array, slack: mx.array, shares: mx.array, most: mx.array
) -> tuple[mx.array, mx.array]:
    """`enclosed_sizes` of leaders whose masses have these upper limbs, up to the sizes `most` [B, 1]."""
    low, high = enclosed_sizes((top << 8) | (middle >> 24), logits > logits[:, -1:], behind, slack, shares)
    return mx.minimum(low, most), mx.minimum(high, most)


def leading_ranks(
    values: mx.array, config: SamplerConfig, ranks: int, make: Make
) -> tuple[Ranked, NDArray[np.bool_], list[mx.array]]:
    """The first ranks of rows, as `settled_ranks` has it."""
    scale = Scale.of(config.temperature)
    return settled_ranks(values, config, Leaders(*leaders(values, ranks, scale.unit, scale.multiplier, scale.far)), make)


def settled_ranks(
    values: mx.array, config: SamplerConfig, found: Leaders, make: Make
) -> tuple[Ranked, NDArray[np.bool_], list[mx.array]]:
    """The leaders, which rows they settle: surely the first ranks, and the cut is proved; and what is made of them."""
    scale, ranks = Scale.of(config.temperature), found.order.shape[-1]
    mantissa, exponent, *limbs = found.weights
    low = high = most_kept(found.alive, config.top_k)
    if config.top_p < 1:
        behind = weights_behind(values, found.logits, scale.per_log2)
        slack = mx.array(truncated(ranks, values.shape[-1]), mx.uint64)
        ends = ranks + (config.top_k != ranks)  # one more where ranks beyond could be kept
        most = mx.where(low == ranks, mx.array(ends, mx.uint32), low)
        low, high = settle(found.logits, limbs[2], limbs[1], behind, slack, shares_of(config.top_p), most)
    weights, mass = Scaled(mantissa, exponent), Wide(tuple(limbs))
    made = make(found.order, weights, mass, low)
    mx.eval(found.tops, found.sure, low, high, made)
    doors.good_logits(values, np.array(found.tops))
    size, largest, sure = (np.array(one)[:, 0] for one in (low, high, found.sure))
    settled = sure & (size == largest) & (largest <= ranks)
    return Ranked(found.order, size.astype(np.int64), weights, mass, np.zeros(len(values), np.bool_)), settled, made


@lru_cache(maxsize=1000)
def shares_of(top_p: Fraction) -> mx.array:
    """uint64 [2]: top_p in units of 2^-32, rounded down and up."""
    return mx.array(np.array([floor(top_p * 2**32), ceil(top_p * 2**32)], np.uint64))


def whole_row(values: mx.array, config: SamplerConfig) -> Ranked:
    """All ranks of one row [1, V] that can be kept, and the cut by their masses, proved or decided by balls.

    Of a long row half the ranks are weighed first: what is behind them is so light that its interval often settles the cut.
    """
    keys, scale = ascending(rank_keys(values)), Scale.of(config.temperature)
    if config.top_p == 1 and config.top_k:
        keys = keys[:, : config.top_k]
    elif values.shape[-1] > LONG and leaders_tried(config, values.shape[-1]):
        half = weighed_keys(keys[:, : keys.shape[-1] // 2], mx.array([[True]]), mx.max(values, axis=-1), scale)
        found, settled, _ = settled_ranks(values, config, half, lambda *_: [])
        if settled.all():
            return found
    logits = values_of(keys)
    weights, mass = weigh(logits, scale)
    alive = int(np.array(count(logits > -mx.inf))[0, 0])
    size = most = min(alive, config.top_k) if config.top_k else alive
    undecided = False
    if config.top_p < 1:
        through = Through.of(mass)
        totals = through.totals()
        bounds = nucleus_bounds(through, totals, values.shape[-1], config.top_p, ERROR)
        low, high = (min(bound.item(), most) for bound in bounds)
        level = (logits[0, 0] == logits[0, alive - 1]).item()  # the masses are exact then
        undecided = low != high and not level
        if undecided:
            size = nucleus_between(Line.of(np.array(values[0]), config.temperature), config.top_p, low, high)
        else:
            size = min(nucleus_size(through, totals, config.top_p).item(), most)
    return Ranked(ids_of(keys), np.array([size]), weights, mass, np.array([undecided]))


def weighed_rows(values: mx.array, temperature: Fraction) -> tuple[Scaled, Wide]:
    """Weights and masses of whole rows of good logits [B, V], by token id."""
    topped = mx.concatenate([mx.max(values, axis=-1, keepdims=True), values], axis=-1)
    weights, mass = weigh(topped, Scale.of(temperature))
    return Scaled(weights.mantissa[:, 1:], weights.exponent[:, 1:]), Wide(tuple(limb[:, 1:] for limb in mass.limbs))


def ranked_shares(law: doors.Law, top_p: Fraction, top_k: int) -> Ranked:
    """The kept ranks of rows of probabilities: their masses are exact."""
    cut = select(law.values, law.mass, top_p, top_k)
    order = cut.order[:, : int(cut.size.max())]
    weights = split_float32(mx.take_along_axis(law.values, order, axis=-1))
    return Ranked(order, cut.size, weights, law.mass.take(order), np.zeros(len(cut.size), np.bool_))
