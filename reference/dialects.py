"""Dialects: in which order an engine takes the steps of the filter, and how it cuts (spec 6).

A dialect is a handful of facts; `cut` walks the same steps for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from reference.filters import SamplerConfig, kept_by_top_k, nucleus_size

Weigh = Callable[[int, Any], Sequence[Any]]
"""(how many ranks, temperature) -> the mass through each of them."""


@dataclass(frozen=True)
class Dialect:
    """How an engine filters; the defaults are `mtplx`.

    tempered: the nucleus is measured at the given temperature; otherwise at 1, and the temperature comes last.
    top_k_first: the nucleus is measured on what top-k left; otherwise on all tokens.
    inclusive: a rank stays also where the mass before it equals top_p of the total.
    top_k_ties, nucleus_ties: what ties with the last token that this step keeps stays too.
    highest_first: of equal logits the highest id ranks first; otherwise the lowest, also where an engine leaves it to its sort.
    """

    name: str
    tempered: bool = True
    top_k_first: bool = False
    inclusive: bool = False
    top_k_ties: bool = False
    nucleus_ties: bool = False
    highest_first: bool = False


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("mtplx"),
        Dialect("mlx_lm", tempered=False, nucleus_ties=True),
        # An ascending sort that drops what cumulates to 1 - top_p keeps the mass before < top_p, the highest ids first.
        Dialect("transformers", top_k_first=True, top_k_ties=True, highest_first=True),
        Dialect("vllm", top_k_first=True, top_k_ties=True, highest_first=True),
        Dialect("sglang", inclusive=True),
        Dialect("sglang-verify", top_k_first=True, inclusive=True),
        Dialect("llama.cpp", tempered=False, top_k_first=True),
    )
}


def dialect_named(name: str) -> Dialect:
    """The dialect of that name; ValueError lists the known ones."""
    if name not in DIALECTS:
        raise ValueError(f"dialect = {name!r}; allowed: {', '.join(DIALECTS)}")
    return DIALECTS[name]


def with_ties(logits: Sequence[Any], size: int) -> int:
    """The first ranks and all that tie with the last of them."""
    while size < len(logits) and logits[size] == logits[size - 1]:
        size += 1
    return size


def cut(dialect: Dialect, logits: Sequence[Any], config: SamplerConfig, weigh: Weigh) -> tuple[int, int]:
    """How many ranks the nucleus keeps of those it is measured on, and how many the whole filter keeps.

    logits: by rank, in the dialect's order of ties. Both sizes are the same where top-k comes first.
    """

    def top_k(size: int) -> int:
        kept = kept_by_top_k(size, config.top_k)
        return with_ties(logits[:size], kept) if dialect.top_k_ties else kept

    size = top_k(len(logits)) if dialect.top_k_first else len(logits)
    if config.top_p < 1:
        through = weigh(size, config.temperature if dialect.tempered else 1)
        nucleus = nucleus_size(through, config.top_p, inclusive=dialect.inclusive)
        size = with_ties(logits[:size], nucleus) if dialect.nucleus_ties else nucleus
    return size, size if dialect.top_k_first else top_k(size)
