"""Dialects: in which order an engine takes the steps of the filter, and how it cuts (spec 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from reference.filters import nucleus_size

Cut = Callable[[Sequence[Any], Sequence[Any], Any], int]
"""(ranked logits, ranked weights, top_p) -> number of ranks the nucleus keeps."""


def strict_cut(_: Sequence[Any], weights: Sequence[Any], top_p: Any) -> int:
    """Ids break ties: a rank of its own for every token."""
    return nucleus_size(weights, top_p)


def cut_with_ties(logits: Sequence[Any], weights: Sequence[Any], top_p: Any) -> int:
    """Tokens that tie with the last kept one stay too."""
    size = nucleus_size(weights, top_p)
    while size < len(logits) and logits[size] == logits[size - 1]:
        size += 1
    return size


@dataclass(frozen=True)
class Dialect:
    """A named order of steps: is the nucleus measured on the tempered law, and how many ranks it keeps."""

    name: str
    order: str
    tempered_nucleus: bool
    nucleus: Cut


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("mtplx", "temperature, then nucleus and top-k jointly; ids break ties", True, strict_cut),
        Dialect("mlx_lm", "nucleus at T = 1 (ties at the cut stay), top-k, temperature last", False, cut_with_ties),
    )
}


def dialect_named(name: str) -> Dialect:
    """The dialect of that name; ValueError lists the known ones."""
    if name not in DIALECTS:
        raise ValueError(f"dialect = {name!r}; allowed: {', '.join(DIALECTS)}")
    return DIALECTS[name]
