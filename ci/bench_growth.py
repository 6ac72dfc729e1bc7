"""How our laws grow: time against the vocabulary, the drafts and the batch, and the memory of one batch of 32."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from bench_methods import DYADIC, FLOAT, local_methods
from bench_report import NOT_MEASURED, Grid, figure, saved
from bench_rows import JOINT, LLM_LIKE, NUCLEUS, PLACES, RECIPES, SETTINGS, TOP_K, Pool, Setting, made
from bench_timing import Timing, interleaved
from bench_verify import verify_methods

VOCABULARIES = tuple(1024 * times for times in (1, 4, 16, 64, 128, 256))
DEPTHS = (1, 2, 4, 8, 16)
BATCHES = (1, 2, 4, 8, 16, 32, 64)
LAWS = (FLOAT, DYADIC)
GROWING = (JOINT, TOP_K, NUCLEUS)
BLOCKS = len(RECIPES) * len(GROWING) + 2
"""Of curves that are measured together: those of V, then K, then the batch."""
PEAKS = len(SETTINGS) * len(LAWS)
MEMORY_BATCH = 32
MEMORY_WANTED = 3.0
"""Peak beyond the logits, as a multiple of them."""


@dataclass
class Curve:
    """Time of one thing against one size."""

    axis: str
    what: str
    points: dict[int, Timing] = field(default_factory=dict)

    @property
    def known(self) -> dict[int, float]:
        """Size -> median seconds, as far as it is measured."""
        return {x: timing.median for x, timing in sorted(self.points.items()) if timing.seconds}

    def exponent(self, last: int | None = None) -> float | None:
        """Slope of log seconds against log size by least squares, over all or the last few sizes; None below two."""
        points = list(self.known.items())[-(last or 0) :]
        if len(points) < 2:
            return None
        logs = np.log(np.array(points))
        return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])

    @property
    def sentence(self) -> str:
        """The law of growth in words."""
        if self.exponent() is None:
            return f"{self.what}: {NOT_MEASURED}"
        (low, first), *_, (high, end) = self.known.items()
        fits = f"as {self.axis}^{self.exponent():.2f}, over the last three sizes as {self.axis}^{self.exponent(3):.2f}"
        return f"{self.what}: {fits}; {figure(first * 1000)} ms at {low:,}, {figure(end * 1000)} ms at {high:,}"


def measure_growth(curves: list[Curve], vocab_size: int, rounds: int, advance: Callable[[], None]) -> None:
    """Fill the curves, sizes and laws taking turns: V up to twice the given one, K and batches at it."""

    def fill(axis: str, calls: dict[tuple[str, int], Callable[[int, bool], float]]) -> None:
        timings: dict[tuple[str, int], Timing] = {}
        mine = {what: Curve(axis, what) for what, _ in calls}
        curves.extend(mine.values())
        try:
            interleaved(calls, rounds, timings, advance)
        finally:
            for (what, x), timing in timings.items():
                mine[what].points[x] = timing

    laws = {method.name: method for method in local_methods()[0] if method.name in LAWS}
    sizes = [size for size in VOCABULARIES if size <= 2 * vocab_size]
    for kind in RECIPES:
        pools = {size: Pool(kind, made(kind, size, PLACES)) for size in sizes}
        for setting in GROWING:
            named = {f"{name}, {kind}, {setting.name}": method for name, method in laws.items()}
            keys = [(what, size) for what in named for size in sizes]
            fill("V", {(what, size): partial(named[what].seconds, pools[size], setting, 1) for what, size in keys})
    pool = Pool(LLM_LIKE, made(LLM_LIKE, vocab_size))
    fill("K", {(m.name, k): partial(m.seconds, pool, JOINT, 1) for k in DEPTHS for m in verify_methods(pool, k, PLACES)[:2]})
    named = {f"{name}, {LLM_LIKE}, {JOINT.name}, a batch": method for name, method in laws.items()}
    fill("batch", {(what, b): partial(method.seconds, pool, JOINT, b) for what, method in named.items() for b in BATCHES})


@dataclass(frozen=True)
class Peak:
    """Memory of one batch of 32 beyond its logits, as multiples of them; of the process: None where the system has no /proc."""

    law: str
    setting: str
    logits_bytes: int
    mlx: float
    process: float | None

    @property
    def verdict(self) -> str:
        """Whether the larger of the two is within what is wanted."""
        return "met" if max(self.mlx, self.process or 0) < MEMORY_WANTED else "missed"


def resident(name: str) -> int | None:
    """VmRSS (now) or VmHWM (peak) of this process in bytes, on Linux."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines[name].split()[0]) * 1024


def peak(name: str, setting: Setting, vocab_size: int) -> Peak:
    """Peak of one law of a batch, in a process of its own."""
    law = next(method for method in local_methods()[0] if method.name == name)
    pool = Pool(LLM_LIKE, made(LLM_LIKE, vocab_size, MEMORY_BATCH))
    law.seconds(pool, setting, 1, 0, True)  # loads and compiles
    gc.collect()
    mx.clear_cache()
    if resident("VmHWM") is not None:
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    mx.reset_peak_memory()
    active, before = mx.get_active_memory(), resident("VmRSS")
    law.seconds(pool, setting, MEMORY_BATCH, 0, True)
    size, highest = pool.rows.nbytes, resident("VmHWM")
    process = None if highest is None or before is None else (highest - before) / size
    return Peak(name, setting.name, size, (mx.get_peak_memory() - active) / size, process)


def peaks(vocab_size: int) -> Iterator[Peak]:
    """Peaks of our laws at every setting, each in a fresh process: MLX does not survive a fork."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for setting in SETTINGS:
            for name in LAWS:
                yield pool.submit(peak, name, setting, vocab_size).result()


def growth_grids(curves: list[Curve], memory: list[Peak]) -> list[Grid]:
    """A grid an axis, and one of memory."""
    grids = []
    for axis in dict.fromkeys(curve.axis for curve in curves):
        mine = [curve for curve in curves if curve.axis == axis]
        sizes = sorted({x for curve in mine for x in curve.known})
        lines = [
            [curve.what, *(figure(curve.known[x] * 1000 if x in curve.known else None) for x in sizes), *map(figure, slopes)]
            for curve in mine
            for slopes in [(curve.exponent(), curve.exponent(3))]
        ]
        grids.append(
            Grid(f"ms a call against {axis}", [axis, *(f"{x:,}" for x in sizes), "exponent", "of the last three"], lines)
        )
    if memory:
        lines = [[one.law, one.setting, figure(one.mlx), figure(one.process), one.verdict] for one in memory]
        title = (
            f"Peak memory of one batch of {MEMORY_BATCH} beyond its logits, as multiples of them; wanted: < {MEMORY_WANTED:g}"
        )
        grids.append(Grid(title, ["law", "setting", "MLX's count", "the process's", "verdict"], lines))
    return grids


def growth_json(curves: list[Curve], memory: list[Peak]) -> dict[str, Any]:
    """Everything, with every single measurement."""
    return {
        "curves": [
            {
                "axis": curve.axis,
                "what": curve.what,
                "ms": {x: seconds * 1000 for x, seconds in curve.known.items()},
                "seconds": {x: timing.seconds for x, timing in curve.points.items()},
                "exponent": curve.exponent(),
                "exponent_of_last_three": curve.exponent(3),
                "sentence": curve.sentence,
            }
            for curve in curves
        ],
        "memory": [{**asdict(one), "verdict": one.verdict} for one in memory],
    }


def draw_growth(curves: list[Curve], folder: Path) -> list[Path]:
    """A drawing an axis, both scales logarithmic: a straight line is a power."""
    from matplotlib.figure import Figure

    paths = []
    for axis in dict.fromkeys(curve.axis for curve in curves):
        drawing = Figure(figsize=(12, 5), layout="constrained")
        axes = drawing.subplots()
        mine = [curve for curve in curves if curve.axis == axis and curve.known]
        for number, curve in enumerate(mine):
            style = "o-" if number % 2 == 0 else "s--"
            axes.plot(
                list(curve.known), [1000 * y for y in curve.known.values()], style, label=curve.what, color=f"C{number // 2}"
            )
        sizes = sorted({x for curve in mine for x in curve.known})
        axes.set(xscale="log", yscale="log", xlabel=axis, ylabel="milliseconds a call")
        axes.set_xticks(sizes, [f"{x:,}" for x in sizes])
        axes.minorticks_off()
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
        paths.append(saved(drawing, folder / f"growth-{axis.lower()}.svg"))
    return paths
