"""The matrix: every known fault that is a behaviour of an engine, against every claim of the audit.

A fault counts as caught only if the claim meant for it refutes it, and nothing that is right may be flagged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any

from rich.console import Console
from rich.table import Table

from mtplx.audit.claims import CLAIMS
from mtplx.audit.client import client_for
from mtplx.audit.engine_audit import EngineReport, audit
from mtplx.audit.museum.catalogue import FAULTS, NO_METHOD, RIGHT, UNSEEN
from mtplx.audit.museum.exhibit import Exhibit
from mtplx.audit.run import follow_parent
from mtplx.audit.subject import Subject
from mtplx.audit.verdict import Verdict

WORKERS = 2
"""Audits at a time, each with an engine's process beside it."""


@dataclass(frozen=True)
class Shown:
    """An exhibit and what the audit said of it. found: claim -> verdict, of those that its methods offer."""

    id: str
    source: str
    sentence: str
    meant_for: str | None
    lossy: bool
    verdict: Verdict
    found: dict[str, Verdict]
    words: dict[str, str]

    @property
    def holds(self) -> bool:
        """A fault is refuted by the claim meant for it; what is right is refuted by none, or is lossy and says so."""
        if self.meant_for:
            return self.found.get(self.meant_for) is Verdict.REFUTED
        if self.lossy:
            return self.verdict is Verdict.LOSSY
        return bool(self.found) and set(self.found.values()) == {Verdict.EXACT}

    @property
    def outcome(self) -> str:
        """What it is to a reader."""
        if self.meant_for:
            return "caught" if self.holds else "MISSED"
        return str(self.verdict) if self.holds else "FLAGGED"


@dataclass(frozen=True)
class Matrix:
    """All exhibits: faults, and what is right."""

    faults: list[Shown]
    right: list[Shown]

    @property
    def holds(self) -> bool:
        """Every fault is caught and nothing else is flagged."""
        return all(exhibit.holds for exhibit in (*self.faults, *self.right))


def spec_of(exhibit: type[Exhibit]) -> str:
    """The name by which the audit loads it."""
    return f"{exhibit.__module__}:{exhibit.__name__}"


def report_of(exhibit: type[Exhibit], only: Iterable[str] = ()) -> EngineReport:
    """The audit of an exhibit, of all claims or of those named."""
    subject = Subject(spec_of(exhibit), client_for(spec_of(exhibit)))
    try:
        subject.meet()
        *_, report = audit(subject, tuple(only))
    finally:
        subject.client.close()
    return report


def show(exhibit: type[Exhibit]) -> Shown:
    """The audit of an exhibit against every claim."""
    report = report_of(exhibit)
    return Shown(
        exhibit.id,
        exhibit.source,
        exhibit.sentence(),
        exhibit.meant_for,
        exhibit.lossy,
        report.verdict,
        {finding.claim: finding.verdict for finding in report.findings},
        {finding.claim: finding.sentence for finding in report.findings if finding.verdict is not Verdict.EXACT},
    )


def museum(progress: Callable[[Shown], None] = lambda shown: None) -> Matrix:
    """Audit every exhibit; progress is told of each, in order."""
    shown: list[Shown] = []
    # Processes, because threads would share the precision of the ball arithmetic.
    pool = ProcessPoolExecutor(WORKERS, get_context("spawn"), follow_parent)
    try:
        for exhibit in pool.map(show, (*FAULTS, *RIGHT)):
            progress(exhibit)
            shown.append(exhibit)
    finally:
        pool.shutdown(cancel_futures=True)
    return Matrix(shown[: len(FAULTS)], shown[len(FAULTS) :])


MARKS = {Verdict.EXACT: ".", Verdict.REFUTED: "x", Verdict.INCONCLUSIVE: "?"}
COLOURS = {"X": "bold red", "x": "red", ".": "green", "?": "yellow", "!": "bold yellow"}
LEGEND = "X refuted by the claim meant for it, x refuted too, . holds, ? inconclusive, ! should be refuted, blank not offered"
ACROSS = 5
"""Claims on a line of the legend."""


def mark(exhibit: Shown, claim: str) -> str:
    """One cell of the matrix."""
    found = exhibit.found.get(claim)
    if claim == exhibit.meant_for:
        return "X" if found is Verdict.REFUTED else "!"
    return MARKS[found] if found else ""


def matrix_table(title: str, exhibits: list[Shown]) -> Table:
    """A line an exhibit, a column a claim; its number stands on its head."""
    table = Table(title=title, title_justify="left", box=None, padding=(0, 0, 0, 1))
    table.add_column(no_wrap=True)
    for number in range(1, len(CLAIMS) + 1):
        tens, units = divmod(number, 10)
        table.add_column(f"{tens or ' '}\n{units}")
    table.add_column("\nmeant for", no_wrap=True)
    table.add_column("\n", no_wrap=True)
    for exhibit in exhibits:
        marks = [mark(exhibit, claim.id) for claim in CLAIMS]
        cells = [f"[{COLOURS[m]}]{m}[/]" if m else "" for m in marks]
        outcome = exhibit.outcome if exhibit.holds else f"[bold yellow]{exhibit.outcome}[/]"
        table.add_row(exhibit.id, *cells, exhibit.meant_for or "", outcome)
    return table


def legend() -> Table:
    """The numbers of the claims."""
    table = Table.grid(padding=(0, 2, 0, 0))
    names = [f"{number:2} {claim.id}" for number, claim in enumerate(CLAIMS, 1)]
    for start in range(0, len(names), ACROSS):
        table.add_row(*names[start : start + ACROSS])
    return table


def print_matrix(matrix: Matrix, console: Console) -> None:
    """Both tables, what the columns are, what went wrong, what is not on show, and how many are caught."""
    line = partial(console.print, highlight=False, markup=False)
    for title, exhibits in (("faults", matrix.faults), ("not faults", matrix.right)):
        console.print(matrix_table(title, exhibits))
        line()
    line(LEGEND)
    console.print(legend())
    line()
    for exhibit in (*matrix.faults, *matrix.right):
        if not exhibit.holds:
            words = exhibit.words or {exhibit.meant_for or "": "no claim refutes it"}
            line(f"{exhibit.outcome} {exhibit.id}: {'; '.join(f'{claim}: {said}' for claim, said in words.items())}")
    for id, why in (NO_METHOD | UNSEEN).items():
        line(f"not on show: {id}: {why}")
    caught, passed = (sum(exhibit.holds for exhibit in exhibits) for exhibits in (matrix.faults, matrix.right))
    line(f"{caught} of {len(matrix.faults)} faults are caught by the claim meant for them; ", end="")
    line(f"{passed} of {len(matrix.right)} that are none pass")


def exhibit_data(exhibit: Shown) -> dict[str, Any]:
    """An exhibit as JSON data."""
    return {
        "id": exhibit.id,
        "source": exhibit.source,
        "sentence": exhibit.sentence,
        "meant_for": exhibit.meant_for,
        "holds": exhibit.holds,
        "verdict": exhibit.verdict.value,
        "claims": {claim.id: exhibit.found[claim.id].value if claim.id in exhibit.found else None for claim in CLAIMS},
        "refutations": exhibit.words,
    }


def matrix_data(matrix: Matrix) -> dict[str, Any]:
    """The matrix as JSON data; a claim that is not offered is null."""
    return {
        "holds": matrix.holds,
        "faults": [exhibit_data(exhibit) for exhibit in matrix.faults],
        "right": [exhibit_data(exhibit) for exhibit in matrix.right],
        "not_on_show": NO_METHOD | UNSEEN,
    }
