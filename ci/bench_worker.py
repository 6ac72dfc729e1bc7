"""Times engines of another Python environment for the benchmark: one JSON request a line in, one JSON answer a line out.

Run by its path; it needs the standard library, and measures whichever of its engines can be imported beside it. The first
line out says which. Then {"rows": path of a .npy} loads a pool of rows, and {"method", "temperature", "top_p", "top_k",
"start", "batch", "cold"} answers {"seconds"} for the laws of those rows, or {"error"}.
"""

from __future__ import annotations

import gc
import importlib.metadata
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any


class Transformers:
    """The warpers of `generate` in their order, then softmax: a law a row."""

    name = "transformers"

    def __init__(self) -> None:
        import torch
        from transformers.generation import logits_process

        self.torch, self.process = torch, logits_process
        versions = f"{importlib.metadata.version('transformers')}, torch {torch.__version__} on the CPU"
        self.version = f"{versions}, {torch.get_num_threads()} threads, OMP_WAIT_POLICY {os.environ.get('OMP_WAIT_POLICY')}"

    def load(self, rows: Any) -> None:
        self.rows = self.torch.from_numpy(rows)

    def call(self, temperature: float, top_p: float, top_k: int, start: int, batch: int) -> Callable[[], Any]:
        warpers: list[Any] = [self.process.TemperatureLogitsWarper(temperature)] if temperature != 1 else []
        warpers += [self.process.TopKLogitsWarper(top_k)] if top_k else []
        warpers += [self.process.TopPLogitsWarper(top_p)] if top_p < 1 else []
        scores = self.rows[start : start + batch]

        def law() -> Any:
            warped = scores
            for warper in warpers:
                warped = warper(None, warped)
            return self.torch.softmax(warped, dim=-1)

        return law


class PublicMtplx:
    """The numpy path of the package `mtplx`: a law a row, one row after another."""

    name = "public mtplx"

    def __init__(self) -> None:
        self.version = importlib.metadata.version("mtplx") + ", numpy path"  # ours is the distribution mtplx-exact
        from mtplx import sampling

        self.sampling: Any = sampling

    def load(self, rows: Any) -> None:
        self.rows = rows

    def call(self, temperature: float, top_p: float, top_k: int, start: int, batch: int) -> Callable[[], Any]:
        config = self.sampling.SamplerConfig(temperature=temperature, top_p=top_p, top_k=top_k)
        rows = self.rows[start : start + batch]
        return lambda: [self.sampling.distribution_from_logits(row, config) for row in rows]


def offered() -> tuple[dict[str, Any], dict[str, str]]:
    """Engines that can be imported here, by name, and why the others cannot."""
    engines, missing = {}, {}
    for engine in (Transformers, PublicMtplx):
        try:
            engines[engine.name] = engine()
        except Exception as error:
            missing[engine.name] = f"{type(error).__name__}: {error}"
    return engines, missing


def seconds(call: Callable[[], Any], awake: Callable[[], Any] | None) -> float:
    """Seconds of one call, without a collection of garbage in it.

    `awake` is the same on another row, untimed: a process that waited for others takes half as long again for its next call.
    None: the call is timed as it comes.
    """
    if awake:
        awake()
    gc.collect(0)
    gc.disable()
    try:
        start = time.perf_counter()
        call()
        return time.perf_counter() - start
    finally:
        gc.enable()


def main() -> None:
    """Answer until the line closes."""
    line = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints is no answer
    engines, missing = offered()
    rows: Any = ()
    print(json.dumps({"offered": {name: engine.version for name, engine in engines.items()}, "missing": missing}), file=line)
    for question in sys.stdin:
        asked = json.loads(question)
        try:
            if "rows" in asked:
                import numpy as np

                rows = np.load(asked["rows"])
                for engine in engines.values():
                    engine.load(rows)
                answer: dict[str, Any] = {}
            else:
                engine, cold = engines[asked.pop("method")], asked.pop("cold")
                before = {**asked, "start": (asked["start"] - 1) % len(rows), "batch": 1}
                answer = {"seconds": seconds(engine.call(**asked), None if cold else engine.call(**before))}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=line)


if __name__ == "__main__":
    main()
