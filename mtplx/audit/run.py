"""Run row audits in worker processes, in order, with progress; what is done is kept when interrupted."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from threading import Thread

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mtplx.audit import integer, mlx_lm_chain, ours
from mtplx.audit.verdict import Step, Verdict, overall
from mtplx.config import SamplerConfig

Logits = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Job:
    """One row of logits [V], a draft row or None, and the settings."""

    row: str
    logits: Logits
    draft: Logits | None
    config: SamplerConfig


@dataclass(frozen=True)
class RowReport:
    """The steps of one job."""

    row: str
    vocabulary: int
    config: SamplerConfig
    steps: list[Step]


@dataclass(frozen=True)
class Report:
    """What an engine was found to do on all rows; `planned` counts the jobs, done or not."""

    engine: str
    dialect: str
    rows: list[RowReport]
    planned: int

    @property
    def complete(self) -> bool:
        """Every job was done."""
        return len(self.rows) == self.planned

    @property
    def verdict(self) -> Verdict:
        """The verdict over all steps (spec 7)."""
        return overall((step for row in self.rows for step in row.steps), self.complete)


def our_steps(job: Job) -> list[Step]:
    """Our implementation on one job."""
    return ours.row_steps(job.logits, job.draft, job.config)


def mlx_lm_steps(job: Job) -> list[Step]:
    """The mlx_lm chain on one job."""
    return mlx_lm_chain.row_steps(job.logits, job.config)


def integer_steps(job: Job) -> list[Step]:
    """Our integer laws on one job."""
    return integer.row_steps(job.logits, job.draft, job.config)


ENGINES: dict[str, Callable[[Job], list[Step]]] = {"mtplx": our_steps, "mlx_lm": mlx_lm_steps}
"""Engines that can be audited, each against the dialect of its own name."""
STEPS = {**ENGINES, "mtplx --integer": integer_steps}


def end_with_parent() -> None:
    """Leave this process as soon as its parent is gone."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def follow_parent() -> None:
    """In a worker: leave Ctrl-C to the parent, which lets running rows finish, and end when the parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=end_with_parent, daemon=True).start()


def run(engine: str, jobs: Sequence[Job], console: Console) -> Report:
    """Audit an engine on every job; Ctrl-C ends early and keeps what is done."""
    done: list[RowReport] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    workers = min(os.cpu_count() or 1, len(jobs))
    pool = ProcessPoolExecutor(workers, get_context("spawn"), follow_parent)  # MLX does not survive a fork
    try:
        with Progress(*columns, console=console) as progress:
            task = progress.add_task(engine, total=len(jobs))
            for job, steps in zip(jobs, pool.map(STEPS[engine], jobs), strict=True):
                done.append(RowReport(job.row, len(job.logits), job.config, steps))
                progress.update(task, advance=1, description=f"{engine}  {job.row}")
    except KeyboardInterrupt:
        console.print(f"interrupted: {len(done)} of {len(jobs)} done; what follows is about those")
    finally:
        pool.shutdown(cancel_futures=True)
    return Report(engine, engine.partition(" ")[0], done, len(jobs))
