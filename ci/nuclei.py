"""The nucleus of the integer law against the certified one, on 400 rows of real and synthetic vocabularies.

Every kept set must be the certified one, in order; the rows that were decided on the host are counted. Exit code 1 if one is
wrong. The same rows every time: each has a generator of its own.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import cycle, islice
from multiprocessing import get_context
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import reference
from mtplx.audit.rows import bigram_rows
from mtplx.config import SamplerConfig
from mtplx.dyadic import from_logits

TOP_P = (0.4, 0.5, 0.8, 0.9, 0.95, 0.99, Fraction(9, 10), Fraction(19, 20))
"""Doubles, and fractions that mean what they say."""


@dataclass(frozen=True)
class Case:
    """A row by name, so that a worker can make it, and top_p: as text, or beside the share of `hit` ranks."""

    kind: str
    size: int
    number: int
    top_p: str
    hit: int | None = None


@dataclass(frozen=True)
class Found:
    """What a row came to: ranks kept, ranks that are right, whether the support agrees, and whether the host decided."""

    kind: str
    size: int
    top_p: str
    kept: int
    right: int
    agrees: bool
    on_host: bool


def row_of(case: Case) -> NDArray[np.float32]:
    """The row of a case."""
    if case.kind == "bigram":
        return bigram_rows()[case.number].logits
    rng = np.random.Generator(np.random.PCG64([case.number, case.size, *case.kind.encode()]))
    name, _, figure = case.kind.partition(" ")
    if name == "normal":
        return rng.normal(0, float(figure), case.size).astype(np.float32)
    if name == "zipf":
        ranks = -float(figure) * np.log(np.arange(1, case.size + 1))
        return rng.permutation(rng.normal(ranks, 0.25)).astype(np.float32)
    if name == "near-flat":
        return (rng.integers(0, 2, case.size) * 2.0**-20).astype(np.float32)
    return np.full(case.size, -1.25, np.float32)


def cases() -> list[Case]:
    """400 of them: 32,000, 20,000 and 151,936 tokens; top_p beside the share of a rank, and at it where that is rational."""
    kinds = [f"normal {spread}" for spread in (1.5, 2, 3, 4, 6, 8)] + ["zipf 1", "zipf 1.1", "zipf 1.5", "near-flat"]
    settings = cycle(map(str, TOP_P))

    def family(kinds: list[str], size: int, count: int) -> Iterator[Case]:
        for number, kind in enumerate(islice(cycle(kinds), count)):
            yield Case(kind, size, number, next(settings))

    found = [*family(kinds, 32_000, 190), *family(kinds, 151_936, 90)]
    found += [Case("bigram", 20_000, number, next(settings)) for number in range(len(bigram_rows()))]
    level = [Case("level", size, 0, str(Fraction(part, 16))) for size in (32_000, 151_936) for part in range(1, 16)]
    rest = 400 - len(found) - len(level)
    found += [Case(kind, 32_000, hit, "", 1 + hit * hit) for hit, kind in enumerate(islice(cycle(kinds[:9]), rest))]
    return found + level


def top_p_of(case: Case, row: NDArray[np.float32], temperature: Fraction) -> Fraction | str:
    """The setting of a case: as named, or within 2^-60 of the share of its first `hit` ranks, a little above or below."""
    if case.hit is None:
        return case.top_p if "/" in case.top_p else Fraction(float(case.top_p))
    full = reference.softmax(row.tolist(), temperature)
    share = sum((full.midpoints[token] for token in full.ranked[: case.hit]), full.midpoints[0] * 0)
    return Fraction(int(share * 2**60) + case.number % 2, 2**60)


def judge(case: Case) -> Found:
    """One case, from both sides."""
    row, temperature = row_of(case), Fraction(4, 5) if case.number % 2 else Fraction(1)
    config = SamplerConfig(temperature, top_p_of(case, row, temperature), 0)
    right = reference.filtered_target(row.tolist(), config).support
    law = from_logits(row, config)
    kept = tuple(law.token_ids.tolist())
    words = case.top_p or f"at rank {case.hit}"
    return Found(case.kind, case.size, words, len(kept), len(right), kept == right, bool(law.undecided))


def shown(found: list[Found]) -> Table:
    """A line a kind and size of row."""
    table = Table("rows", "tokens", "judged", "wrong", "decided on the host", title="Nuclei of the integer law")
    count: Counter[tuple[str, int, str]] = Counter()
    for one in found:
        family = one.kind.partition(" ")[0] + (", at a rank's share" if one.top_p.startswith("at") else "")
        for what, holds in (("judged", True), ("wrong", not one.agrees), ("host", one.on_host)):
            count[family, one.size, what] += holds
    for family, size in dict.fromkeys((family, size) for family, size, _ in count):
        figures = [str(count[family, size, what]) for what in ("judged", "wrong", "host")]
        table.add_row(family, f"{size:,}", *figures)
    return table


def main(
    rows: Annotated[int, typer.Option(help="Every so many-th case only, to make about this many.", min=1, max=400)] = 400,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, a line a row.")] = False,
) -> None:
    """Judge the nuclei."""
    wanted = cases()[:: 400 // rows]
    out, found = Console(width=None if sys.stdout.isatty() else 128), list[Found]()
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:  # MLX does not survive a fork
        for one in track(pool.map(judge, wanted), "nuclei", len(wanted), console=Console(stderr=True)):
            found.append(one)
            if as_json:
                print(json.dumps(asdict(one)))
    wrong = [one for one in found if not one.agrees]
    if not as_json:
        out.print(shown(found))
        for one in wrong:
            out.print(f"wrong: {one}", highlight=False)
        out.print(f"{len(found) - len(wrong)} of {len(found)} supports are right", highlight=False)
    raise typer.Exit(bool(wrong))


if __name__ == "__main__":
    typer.run(main)
