"""The benchmark: our laws against their floors and their peers, in one run, interleaved (ci/BENCH.md).

    python ci/bench.py --python pub/bin/python --python peers/bin/python --markdown ci/BENCH.md
    python ci/bench.py growth --plot plots

Every figure is a median of at least 15 calls, each on the next rows; every ratio is one of medians of the same block, where
each round goes through all methods in a shuffled order. What is not installed is *not measured*. Ctrl-C prints what there is.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import mlx.core as mx
import typer
from bench_growth import BLOCKS, PEAKS, Curve, Peak, draw_growth, growth_grids, growth_json, measure_growth, peaks
from bench_methods import Line, Method, local_methods, remote_methods
from bench_report import NOT_MEASURED, VERIFY_ROWS, Block, Found, Grid, as_json, chain, draw_bars, grids, judged, replaced
from bench_rows import JOINT, KINDS, LLM_LIKE, PLACES, ROWS, SETTINGS, VOCAB_SIZE, Pool, Setting, made
from bench_timing import interleaved
from bench_verify import verify_methods
from rich.console import Console
from rich.progress import Progress

DEPTHS = (1, 4, 8)
BATCHES = (1, 8, 32)
ROUNDS = PLACES + 1
"""At batch 1 every method sees every one of 16 rows."""
INTERRUPTED = 130


class Part(StrEnum):
    """What to measure."""

    laws = "laws"
    growth = "growth"


@dataclass(frozen=True)
class Plan:
    """What the laws are measured on."""

    kinds: list[str]
    batches: list[int]
    vocab_size: int
    rounds: int

    @property
    def steps(self) -> int:
        """Rounds of all blocks."""
        return self.rounds * (len(self.kinds) * len(self.batches) * len(SETTINGS) + len(DEPTHS))


@dataclass(frozen=True)
class Report:
    """What a part came to, and how to draw it into a folder."""

    facts: dict[str, Any]
    grids: list[Grid]
    sentences: list[str]
    whole: bool
    drawn: Callable[[Path], list[Path]]


def machine() -> dict[str, Any]:
    """Where the figures were measured."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "mlx": version("mlx"),
        "numpy": version("numpy"),
        "device": str(mx.default_device()),
        "load before": round(os.getloadavg()[0], 1),
    }


def measure_laws(plan: Plan, methods: list[Method], found: Found, missing: dict[str, str], advance: Callable[[], None]) -> None:
    """Fill every block: each kind of rows, setting and batch, then one verify step a K."""

    def fill(block: Block, methods: list[Method], pool: Pool, setting: Setting) -> None:
        calls = {method.name: partial(method.seconds, pool, setting, block.batch) for method in methods}
        missing.update(interleaved(calls, plan.rounds, found.setdefault(block, {}), advance))

    for kind in plan.kinds:
        pool = Pool(kind, made(kind, plan.vocab_size))
        for batch in plan.batches:
            for setting in SETTINGS:
                fill(Block(kind, setting.name, batch), methods, pool, setting)
    pool = Pool(LLM_LIKE, made(LLM_LIKE, plan.vocab_size))
    for depth in DEPTHS:
        fill(Block(VERIFY_ROWS, chain(depth), 1), verify_methods(pool, depth, PLACES), pool, JOINT)


def laws(console: Console, pythons: list[Path], plan: Plan) -> Report:
    """Our laws, their floors and their peers."""
    found: Found = {}
    whole = True
    with ExitStack() as stack:
        lines = [stack.enter_context(closing(Line(python))) for python in pythons]
        ours, lacking = local_methods()
        others, absent = remote_methods(lines)
        methods, missing = [*ours, *others], lacking | absent
        progress = stack.enter_context(Progress(console=console))
        task = progress.add_task("laws", total=plan.steps)
        try:
            measure_laws(plan, methods, found, missing, lambda: progress.advance(task))
        except KeyboardInterrupt:
            whole = False
    found = {block: {name: timing for name, timing in timings.items() if timing.seconds} for block, timings in found.items()}
    found = {block: timings for block, timings in found.items() if timings}
    about = {method.name: method.about for method in methods}
    facts = {"methods": about, "not_measured": missing, "blocks": as_json(found, missing), "targets": judged(found)}
    sentences = [f"{name}: {what}" for name, what in about.items()]
    sentences += [f"{name}: {NOT_MEASURED} ({why})" for name, why in missing.items()]
    return Report(facts, grids(found, missing), sentences, whole, partial(draw_bars, found))


def growth(console: Console, vocab_size: int, rounds: int) -> Report:
    """How our laws grow, and the memory they take."""
    curves: list[Curve] = []
    memory: list[Peak] = []
    whole = True
    with Progress(console=console) as progress:
        task = progress.add_task("growth", total=rounds * BLOCKS)
        try:
            measure_growth(curves, vocab_size, rounds, lambda: progress.advance(task))
            for one in progress.track(peaks(vocab_size), PEAKS, description="memory"):
                memory.append(one)  # noqa: PERF402 what is there when it is interrupted stays
        except KeyboardInterrupt:
            whole = False
    curves = [curve for curve in curves if curve.known]
    sentences = [curve.sentence for curve in curves]
    return Report(growth_json(curves, memory), growth_grids(curves, memory), sentences, whole, partial(draw_growth, curves))


def main(
    part: Annotated[Part, typer.Argument(help="What to measure.")] = Part.laws,
    python: Annotated[list[Path] | None, typer.Option(help="An environment with peers; again for another.")] = None,
    rows: Annotated[list[str] | None, typer.Option(help=f"Kinds of rows: {', '.join(KINDS)}; all by default.")] = None,
    batch: Annotated[list[int] | None, typer.Option(help="Rows a call; again for more.", min=1, max=ROWS)] = None,
    rounds: Annotated[int, typer.Option(help="Measurements of each figure.", min=15)] = ROUNDS,
    vocab_size: Annotated[
        int, typer.Option(help="Tokens of made rows; growth goes up to twice as many.", min=1024)
    ] = VOCAB_SIZE,
    json_to: Annotated[str | None, typer.Option("--json", help="Everything, to a file or, instead of tables, to -.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write drawings to a folder.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Put the tables between this file's marker comments.")] = None,
) -> None:
    """Measure, and print medians and their ratios."""
    for kind in rows or ():
        if kind not in KINDS:
            raise typer.BadParameter(f"{kind!r}; allowed: {', '.join(KINDS)}", param_hint="--rows")
    if part is Part.growth and (python or rows or batch):
        hint = "--python, --rows, --batch"
        raise typer.BadParameter("growth is of ours alone, on rows and batches of its own", param_hint=hint)
    if markdown:
        try:
            replaced(markdown.read_text(), part, "")  # before anything is measured
        except (OSError, ValueError) as error:
            raise typer.BadParameter(str(error), param_hint="--markdown") from error
    progress, where = Console(stderr=True), machine()
    if part is Part.laws:
        report = laws(progress, python or [], Plan(rows or list(KINDS), batch or list(BATCHES), vocab_size, rounds))
    else:
        report = growth(progress, vocab_size, rounds)
    facts = {"part": part, "vocab_size": vocab_size, "rounds": rounds, "whole": report.whole, "machine": where, **report.facts}
    about = f"Medians of {rounds} calls; V = {vocab_size:,}{', bigram rows 20,000' if part is Part.laws else ''}. "
    about += ", ".join(f"{name} {value}" for name, value in where.items()) + "."
    about += "" if report.whole else " INTERRUPTED: this is what was measured until then."
    if json_to == "-":
        print(json.dumps(facts, indent=1))
    else:
        out = Console(width=None if sys.stdout.isatty() else 200)
        for thing in (about, *report.sentences, *(grid.rich() for grid in report.grids)):
            out.print(thing, highlight=False)
    if json_to and json_to != "-":
        Path(json_to).write_text(json.dumps(facts, indent=1))
    if markdown:
        sentences = "\n".join(f"- {sentence}" for sentence in report.sentences)
        body = "\n\n".join([about, sentences, *(grid.markdown() for grid in report.grids)])
        markdown.write_text(replaced(markdown.read_text(), part, body))
    if plot:
        for path in report.drawn(plot):
            progress.print(str(path), highlight=False)
    raise typer.Exit(0 if report.whole else INTERRUPTED)


if __name__ == "__main__":
    typer.run(main)
