"""The filtered target of rows of logits up to its law: integer masses, and the cut of the *real* weights (spec 2).

The masses err by 2^-43, so the nucleus they give is checked: widened by that error both ends must give one size. A row where
they differ is decided by ball arithmetic and counted. Where all finite logits are equal the masses are exact, ties included.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np

from mtplx.balls import Line, nucleus_between
from mtplx.config import SamplerConfig
from mtplx.exponential import ERROR, exponential_weights, masses
from mtplx.selection import Selection, joint_cut, most_kept, nucleus_bounds, rank_keys, select
from mtplx.wide import Scaled, Wide


def weigh(logits: mx.array, temperature: Any) -> tuple[Scaled, mx.array]:
    """Weights of rows [B, V] in units of 2^-96 of the largest, and which tokens have positive weight at all."""
    if temperature > 0:
        return exponential_weights(logits, temperature), logits > -mx.inf
    keys = rank_keys(logits)
    first = keys == mx.min(keys, axis=-1, keepdims=True)
    return Scaled(mx.where(first, mx.array(1, mx.uint64), mx.array(0, mx.uint64)), mx.full(keys.shape, 96, mx.int32)), first


def select_logits(logits: mx.array, config: SamplerConfig) -> tuple[Scaled, Wide, Selection]:
    """Weights, their masses and the proved cut of rows of logits [B, V]."""
    weights, weighty = weigh(logits, config.temperature)
    mass = masses(weights, weighty)
    cut = select(logits, mass, weighty, config.top_p, config.top_k)
    if config.temperature == 0 or config.top_p == 1:  # no mass had a say
        return weights, mass, cut
    return weights, mass, proved(cut, logits, mass, config)


def proved(cut: Selection, logits: mx.array, mass: Wide, config: SamplerConfig) -> Selection:
    """The same cut where the error of the masses leaves no other, and the one of the real weights where it does."""
    finite = logits > -mx.inf
    most, totals = most_kept(finite, config.top_k), mass.total().to_ints()
    bounds = nucleus_bounds(mass.take(cut.order), totals, logits.shape[-1], config.top_p, ERROR)
    lows, highs = (mx.minimum(size, most) for size in bounds)
    lowest = mx.min(mx.where(finite, logits, mx.array(mx.inf, mx.float32)), axis=-1, keepdims=True)
    level = lowest == mx.max(logits, axis=-1, keepdims=True)
    open_rows = np.flatnonzero(np.array((lows != highs) & ~level)).tolist()
    if not open_rows:
        return cut
    sizes, low, high = (np.array(size) for size in (cut.size, lows, highs))
    for b in open_rows:
        line = Line.of(np.array(logits[b]), config.temperature)
        sizes[b] = nucleus_between(line, config.top_p, int(low[b, 0]), int(high[b, 0]))
    return joint_cut(logits, cut.order, mx.array(sizes), len(open_rows))
