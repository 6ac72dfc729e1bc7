"""What the benchmark found: medians, ratios and targets, as grids for a terminal or Markdown, as JSON, and as drawings.

Every ratio is one of medians of the same block: same run, same rows, interleaved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bench_methods import CUMSUM, DRAWN, FLOAT, MAX, MLX_LM, OURS, PUBLIC, TRANSFORMERS
from bench_rows import FLAT, JOINT, LLM_LIKE, NUCLEUS, TOP_K
from bench_timing import Timing
from rich.table import Table

LIKE = {MLX_LM: DRAWN, TRANSFORMERS: FLOAT, PUBLIC: FLOAT}
"""Peer -> ours that gives the same: a token a row, or a dense law a row."""
NOT_MEASURED = "not measured"


class Block(NamedTuple):
    """What is measured interleaved: kind of rows, setting, rows in a batch."""

    rows: str
    setting: str
    batch: int


Found = dict[Block, dict[str, Timing]]
VERIFY_ROWS, VERIFY, STEP = "compact laws", "verify", "target laws + verify"


def chain(depth: int) -> str:
    """The setting of a block of K drafts."""
    return f"K = {depth}"


def ratio(timings: dict[str, Timing], method: str, base: str) -> float | None:
    """Median of a method over that of another in the same block; None if one of them is not measured."""
    if not {method, base} <= timings.keys() or not (timings[method].seconds and timings[base].seconds):
        return None
    return timings[method].median / timings[base].median


@dataclass(frozen=True)
class Target:
    """How much faster than another method a law is wanted, or how few times the floor it may take."""

    rows: str
    setting: str
    against: str
    wanted: float
    faster: bool
    batch: int | None = None
    """None: every batch that is measured."""
    aim: bool = False
    methods: tuple[str, ...] = OURS

    @property
    def words(self) -> str:
        """What is wanted."""
        if self.faster:
            return f"{'aim: ' if self.aim else ''}at least {self.wanted:g}x faster than {self.against}"
        return f"at most {self.wanted:g}x {self.against}"

    def reached(self, timings: dict[str, Timing], method: str) -> float | None:
        """The figure to hold against `wanted`."""
        return ratio(timings, self.against, method) if self.faster else ratio(timings, method, self.against)

    def verdict(self, reached: float | None) -> str:
        """met, missed, or not measured."""
        if reached is None:
            return NOT_MEASURED
        return "met" if (reached >= self.wanted if self.faster else reached <= self.wanted) else "missed"


TARGETS = (
    Target(LLM_LIKE, JOINT.name, MAX, 5, faster=False),
    Target(LLM_LIKE, JOINT.name, MLX_LM, 17, faster=True),
    Target(LLM_LIKE, JOINT.name, PUBLIC, 4, faster=True, batch=1),
    Target(LLM_LIKE, JOINT.name, PUBLIC, 2.5, faster=True, batch=8),
    Target(LLM_LIKE, TOP_K.name, MAX, 2, faster=False),
    Target(LLM_LIKE, TOP_K.name, MLX_LM, 12, faster=True),
    Target(LLM_LIKE, NUCLEUS.name, MLX_LM, 6, faster=True),
    Target(FLAT, NUCLEUS.name, MLX_LM, 2, faster=True),
    Target(FLAT, NUCLEUS.name, MLX_LM, 3, faster=True, aim=True),
    Target(VERIFY_ROWS, chain(4), CUMSUM, 1.5, faster=False, methods=(VERIFY,)),
)
"""All hold with the exact nucleus; verify is K drafts and a bonus."""


def judged(found: Found) -> list[dict[str, Any]]:
    """Every target in every block it speaks of, for each method it is set for."""
    lines = []
    for target in TARGETS:
        for block in found:
            if block[:2] != (target.rows, target.setting) or target.batch not in (None, block.batch):
                continue
            for method in target.methods:
                reached = target.reached(found[block], method)
                line = {"target": target.words, "wanted": target.wanted, "reached": reached, "verdict": target.verdict(reached)}
                lines.append({**block._asdict(), "method": method, **line})
    return lines


def as_json(found: Found, missing: dict[str, str]) -> list[dict[str, Any]]:
    """A line a method and block: milliseconds a row, seconds of a call, and its ratios to the floor and to ours."""
    lines: list[dict[str, Any]] = []
    for block, timings in found.items():
        for method, timing in timings.items():
            low, high = timing.quartiles
            ms = 1000 / block.batch
            lines.append(
                {
                    **block._asdict(),
                    "method": method,
                    "ms_per_row": timing.median * ms,
                    "quartiles_ms_per_row": [low * ms, high * ms],
                    "measured": len(timing.seconds),
                    "first_call_seconds": timing.first,
                    "seconds": timing.seconds,
                    "max_passes": ratio(timings, method, MAX),
                    "times_ours": {ours: ratio(timings, method, ours) for ours in OURS if ours in timings},
                }
            )
        for method, why in missing.items():
            if method not in timings:
                lines.append({**block._asdict(), "method": method, "not_measured": why})
    return lines


@dataclass(frozen=True)
class Grid:
    """A table of words, to be shown anywhere."""

    title: str
    head: Sequence[str]
    lines: Sequence[Sequence[str]]

    def rich(self) -> Table:
        table = Table(title=self.title, title_justify="left")
        for column, words in enumerate(self.head):
            table.add_column(words, justify="right" if column else "left")
        for line in self.lines:
            table.add_row(*line)
        return table

    def markdown(self) -> str:
        def row(words: Iterable[str]) -> str:
            return f"| {' | '.join(words)} |"

        rule = row(["---", *["---:"] * (len(self.head) - 1)])
        return "\n".join([f"**{self.title}**", "", row(self.head), rule, *map(row, self.lines)])


def figure(value: float | None, unit: str = "") -> str:
    """Three digits."""
    if value is None:
        return NOT_MEASURED
    digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:,.{digits}f}{unit}"


def spoken(timings: dict[str, Timing], method: str, batch: int) -> str:
    """Milliseconds a row, and how many times the floor; for a peer also how many times ours."""
    if method not in timings:
        return NOT_MEASURED
    words = figure(timings[method].median * 1000 / batch)
    if method != MAX:
        words += f" ({figure(ratio(timings, method, MAX), 'x')})"
    if method in LIKE:
        words += f", {figure(ratio(timings, method, LIKE[method]), 'x')} ours"
    return words


def families(found: Found) -> Iterator[tuple[str, int, dict[str, dict[str, Timing]]]]:
    """Each kind of rows and batch, with the timings of its settings."""
    for rows, batch in dict.fromkeys((block.rows, block.batch) for block in found if block.rows != VERIFY_ROWS):
        yield rows, batch, {block.setting: found[block] for block in found if (block.rows, block.batch) == (rows, batch)}


def law_grids(found: Found, missing: dict[str, str]) -> list[Grid]:
    """A grid a kind of rows and batch: methods down, settings across."""
    grids = []
    for rows, batch, across in families(found):
        methods = dict.fromkeys([*(method for timings in across.values() for method in timings), *missing])
        lines = [[method, *(spoken(timings, method, batch) for timings in across.values())] for method in methods]
        grids.append(Grid(f"{rows} rows, batch {batch}: ms a row (how many times {MAX})", ["method", *across], lines))
    return grids


def verify_grid(found: Found) -> Grid:
    """One step of verification: K down."""
    columns = (VERIFY, STEP, CUMSUM)
    lines = []
    for block, timings in found.items():
        if block.rows == VERIFY_ROWS:
            medians = [timings[name].median * 1000 if name in timings else None for name in columns]
            lines.append([block.setting, *map(figure, medians), figure(ratio(timings, VERIFY, CUMSUM), "x")])
    head = ["drafts", *(f"{name}, ms" for name in columns), f"{VERIFY} / {CUMSUM}"]
    return Grid(f"One verify step of K drafts and a bonus on {VERIFY_ROWS} ({JOINT.name})", head, lines)


def target_grid(found: Found) -> Grid:
    """A line a target and block: what each of ours reached."""
    lines: dict[tuple[str, str, str], dict[str, str]] = {}
    for one in judged(found):
        key = (f"{one['rows']}, {one['setting']}", str(one["batch"]), one["target"])
        reached = "" if one["reached"] is None else f"{figure(one['reached'], 'x')} "
        lines.setdefault(key, {})[one["method"]] = f"{reached}{one['verdict']}"
    columns = (*OURS, VERIFY)
    body = [[*key, *(words.get(method, "") for method in columns)] for key, words in lines.items()]
    return Grid("Targets", ["rows and setting", "batch", "wanted", *columns], body)


def first_grid(found: Found) -> Grid:
    """The slowest first call of each method."""
    slowest: dict[str, tuple[float, Block]] = {}
    for block, timings in found.items():
        for method, timing in timings.items():
            slowest[method] = max(slowest.get(method, (0.0, block)), (timing.first, block))
    lines = [[method, figure(first), ", ".join(map(str, block))] for method, (first, block) in slowest.items()]
    return Grid(
        "First call of a setting and shape, where it took longest: compilation is in it", ["method", "seconds", "in"], lines
    )


def grids(found: Found, missing: dict[str, str]) -> list[Grid]:
    """All tables of the laws and of verification that have a line."""
    return [
        grid for grid in (target_grid(found), *law_grids(found, missing), verify_grid(found), first_grid(found)) if grid.lines
    ]


def replaced(text: str, part: str, body: str) -> str:
    """The text with the body between the two marker comments of a part; ValueError unless both are there, in order."""
    opening, closing = f"<!-- bench: {part} -->", f"<!-- end of bench: {part} -->"
    before, found, rest = text.partition(opening)
    _, ended, after = rest.partition(closing)
    if not found or not ended:
        raise ValueError(f"no {opening} followed by {closing}")
    return f"{before}{opening}\n\n{body}\n\n{closing}{after}"


def draw_bars(found: Found, folder: Path) -> list[Path]:
    """A drawing a kind of rows and batch: bars of ms a row, a group a setting."""
    from matplotlib.figure import Figure

    paths = []
    for rows, batch, across in families(found):
        methods = list(dict.fromkeys(method for timings in across.values() for method in timings))
        drawing = Figure(figsize=(11, 4), layout="constrained")
        axes = drawing.subplots()
        for number, method in enumerate(methods):
            known = [(x, timings[method]) for x, timings in enumerate(across.values()) if method in timings]
            places = [x + (number - (len(methods) - 1) / 2) * 0.8 / len(methods) for x, _ in known]
            heights = [timing.median * 1000 / batch for _, timing in known]
            axes.bar(places, heights, 0.8 / len(methods), label=method, color=f"C{number}")
        axes.set_xticks(range(len(across)), list(across))
        axes.set(yscale="log", ylabel="milliseconds a row", title=f"{rows} rows, batch {batch}")
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
        paths.append(saved(drawing, folder / f"laws-{rows.lower()}-{batch}.svg"))
    return paths


def saved(drawing: Any, path: Path) -> Path:
    """An SVG without a date; the same figures, the same bytes."""
    import matplotlib as mpl

    mpl.rcParams["svg.hashsalt"] = "bench"
    path.parent.mkdir(parents=True, exist_ok=True)
    drawing.savefig(path, metadata={"Date": None})
    return path
