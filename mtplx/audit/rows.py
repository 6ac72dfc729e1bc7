"""Rows of logits that audits and tests run on: real ones, their bfloat16 copies, and seeded synthetic ones.

Every row is one that spec 2 accepts: float32, finite or -inf, never only -inf.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Row:
    """A named row of logits: float32 [V], in nats."""

    name: str
    logits: NDArray[np.float32]


def bfloat16_rounded(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Nearest bfloat16 of each logit, ties to even, kept as float32. Raises ValueError on NaN.

    bfloat16 is the upper half of a float32: adding just under half of its last place, plus its last bit, carries into it
    exactly when rounding goes up. Infinities have no lower half and stay.
    """
    if np.isnan(logits).any():
        raise ValueError("logits: NaN; allowed: finite or infinite numbers")
    bits = np.ascontiguousarray(logits, np.float32).view(np.uint32)
    last = (bits >> np.uint32(16)) & np.uint32(1)
    return ((bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)).view(np.float32)


def bigram_rows() -> list[Row]:
    """Rows of a word-bigram model of Python's standard library text, V = 20,000: see tests/rows/README.md.

    Raises FileNotFoundError if bigram.npz is neither beside this module (a wheel) nor in tests/rows (a checkout).
    """
    places = (Path(__file__).with_name("bigram.npz"), Path(__file__).parents[2] / "tests" / "rows" / "bigram.npz")
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise FileNotFoundError(f"bigram.npz: not at {' nor at '.join(map(str, places))}; ci/make_rows.py writes it")
    with np.load(found, allow_pickle=False) as saved:
        names = [f"bigram/{context}" for context in saved["contexts"]]
        return [Row(name, logits) for name, logits in zip(names, saved["logits"], strict=True)]


Recipe = Callable[[np.random.Generator, int], NDArray[np.float64]]
"""(generator, vocabulary size) -> logits."""


def _normal(spread: float) -> Recipe:
    """Independent normal logits: flat for a small spread, peaked for a large one."""
    return lambda rng, size: rng.normal(0, spread, size)


def _zipf(power: float) -> Recipe:
    """log(1 / rank^power), blurred and shuffled: the outline of a language model's row."""
    return lambda rng, size: rng.permutation(rng.normal(-power * np.log(np.arange(1, size + 1)), 0.25))


def _equal(_: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Every token ties with every other."""
    return np.full(size, -1.25)


def _ties(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Whole-number logits: long ties at every cut."""
    return np.rint(rng.normal(0, 3, size))


def _one_hot(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """One token, and -inf for the others."""
    logits = np.full(size, -np.inf)
    logits[rng.integers(size)] = 0
    return logits


def _holes(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Normal logits, about a third of them replaced by -inf; one drawn token always stays."""
    removed = rng.random(size) < 1 / 3
    removed[rng.integers(size)] = False
    return np.where(removed, -np.inf, rng.normal(0, 2.5, size))


RECIPES: dict[str, tuple[Recipe, tuple[int, ...]]] = {
    "equal": (_equal, (1, 2, 7, 128, 1000)),
    "one-hot": (_one_hot, (1, 2, 128, 1000)),
    "ties": (_ties, (7, 128, 1000, 32_000)),
    "holes": (_holes, (7, 1000, 32_000)),
    "flat-0.5": (_normal(0.5), (2, 1000)),
    "flat-1": (_normal(1), (7, 128)),
    "flat-2.5": (_normal(2.5), (1000, 151_936)),  # at this size a float32 running sum misplaces the nucleus
    "peaked-6": (_normal(6), (7, 128)),
    "peaked-8": (_normal(8), (1000, 32_000)),
    "zipf-1": (_zipf(1), (128, 1000)),
    "zipf-1.1": (_zipf(1.1), (151_936,)),
}
"""Kind of synthetic row -> its recipe and vocabulary sizes."""


def synthetic_rows(seed: int = 0) -> list[Row]:
    """One row per kind and size of RECIPES, smallest vocabulary first.

    Each row has a generator of its own, seeded by `seed` and its name: a new recipe leaves the other rows as they are.
    """
    rows = []
    for kind, (recipe, sizes) in RECIPES.items():
        for size in sizes:
            name = f"synthetic/{kind}/{size}"
            rng = np.random.Generator(np.random.PCG64([seed, *name.encode()]))
            rows.append(Row(name, recipe(rng, size).astype(np.float32)))
    return sorted(rows, key=lambda row: row.logits.size)


def all_rows() -> list[Row]:
    """Bigram rows, bfloat16 copies of every fourth of them (the unigram row first), and synthetic rows of seed 0."""
    real = bigram_rows()
    return [*real, *(Row(f"{row.name}/bfloat16", bfloat16_rounded(row.logits)) for row in real[::4]), *synthetic_rows()]
