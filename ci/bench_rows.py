"""Rows and settings of the benchmark: seeded, the same every time, and enough of them that no row stays hot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mtplx.audit.rows import bigram_rows
from mtplx.config import SamplerConfig

VOCAB_SIZE = 151_936
ROWS = 64
"""Rows of a pool; 39 MB at the full vocabulary, far more than a core's own cache."""
PLACES = 16
"""Batches that measurements walk through, as far as the pool has so many."""


@dataclass(frozen=True)
class Setting:
    """A sampler's settings by name, as doubles: what every engine is given."""

    name: str
    temperature: float
    top_p: float
    top_k: int

    @property
    def config(self) -> SamplerConfig:
        """The settings as ours takes them."""
        return SamplerConfig(self.temperature, self.top_p, self.top_k)


JOINT = Setting("T 0.7, k 20, p 0.95", 0.7, 0.95, 20)
NUCLEUS = Setting("p 0.95", 1.0, 0.95, 0)
TOP_K = Setting("k 20", 1.0, 1.0, 20)
NEITHER = Setting("neither", 1.0, 1.0, 0)
SETTINGS = (JOINT, NUCLEUS, TOP_K, NEITHER)


def llm_like(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Zipf's law of an exponent from 1.5 to 2, blurred and shuffled: the outline of a language model's row."""
    power = rng.uniform(1.5, 2)
    return rng.permutation(rng.normal(-power * np.log(np.arange(1, size + 1)), 0.25))


def flat(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Independent normal logits of spread 2.5: at top_p 0.95 the nucleus is a fifth of the vocabulary."""
    return rng.normal(0, 2.5, size)


Recipe = Callable[[np.random.Generator, int], NDArray[np.float64]]
LLM_LIKE, FLAT, BIGRAM = "LLM-like", "flat", "bigram"
RECIPES: dict[str, Recipe] = {LLM_LIKE: llm_like, FLAT: flat}
KINDS = (*RECIPES, BIGRAM)


def made(kind: str, vocab_size: int, count: int = ROWS) -> NDArray[np.float32]:
    """Rows of a kind [count, V]; each has a generator of its own. The bigram rows have their own V and are repeated."""
    if kind == BIGRAM:
        rows = [row.logits for row in bigram_rows()]
        return np.stack([rows[number % len(rows)] for number in range(count)])
    seeds = ([number, vocab_size, *kind.encode()] for number in range(count))
    return np.stack(
        [RECIPES[kind](np.random.Generator(np.random.PCG64(seed)), vocab_size).astype(np.float32) for seed in seeds]
    )


class Pool:
    """The rows of a kind as one MLX array; a batch is a view of neighbouring rows, so taking one copies nothing."""

    def __init__(self, kind: str, rows: NDArray[np.float32]) -> None:
        self.kind = kind
        self.rows = rows
        self.array = mx.array(rows)
        mx.eval(self.array)

    def start(self, batch: int, place: int) -> int:
        """The first row of the batch at a place; places repeat when the pool, or PLACES, are through."""
        return place % min(PLACES, len(self.rows) // batch) * batch

    def batch(self, batch: int, place: int) -> mx.array:
        """Rows [batch, V], evaluated."""
        return self.rows_from(self.start(batch, place), batch)

    def before(self, batch: int, place: int) -> mx.array:
        """The one row [1, V] before those, for a call that nobody times."""
        return self.rows_from((self.start(batch, place) - 1) % len(self.rows), 1)

    def rows_from(self, start: int, batch: int) -> mx.array:
        """Rows [batch, V] from one on, evaluated."""
        view = self.array[start : start + batch]
        mx.eval(view)
        return view
