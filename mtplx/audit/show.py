"""Reports for people (rich tables) and for machines (plain JSON data)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from mtplx.audit.run import Report, RowReport
from mtplx.audit.verdict import Figure, Step, Verdict

COLOURS = {Verdict.EXACT: "green", Verdict.REFUTED: "red", Verdict.LOSSY: "yellow", Verdict.INCONCLUSIVE: "yellow"}
SHOWN_TOKENS = 5
ROW_COLUMNS = ("step", "judged", "differ", "error, ulp", "total variation", "verdict")
SUMMARY_COLUMNS = ("step", "judged", "refuted", "from the tie", "error, ulp", "total variation")
COUNTS = ("refuted",)
WHOLE = ("step", "judged", "refuted", "verdict")
"""Columns that are never folded."""


def coloured(verdict: Verdict) -> str:
    """The verdict word in its colour."""
    return f"[{COLOURS[verdict]}]{verdict}[/]"


def number(value: Any) -> str:
    """A rational to two or three digits."""
    x = float(value)
    return f"{x:.3g}" if x == 0 or 0.01 <= abs(x) < 1000 else f"{x:.1e}".replace("e-0", "e-").replace("e+0", "e+")


def figure(error: Figure | None) -> str:
    """An error and its bound."""
    if error is None:
        return ""
    return number(error.value) + (f" {'<=' if error.holds else '>'} {number(error.bound)}" if error.bound is not None else "")


def tokens(wrong: tuple[int, ...]) -> str:
    """How many tokens, and the first few."""
    more = " .." if len(wrong) > SHOWN_TOKENS else ""
    return f"{len(wrong)}: {' '.join(map(str, wrong[:SHOWN_TOKENS]))}{more}"


def decisions(step: Step) -> str:
    """What a step decided, in words."""
    if step.wrong is None:
        return ""
    if not step.wrong:
        return "none"
    return tokens(step.wrong) + (f"; {figure(step.margin)} from the tie" if step.margin else "")


def table_of(title: str, columns: tuple[str, ...]) -> Table:
    """An empty table; counts stand to the right."""
    table = Table(title=title, title_justify="left", box=SIMPLE)
    for heading in columns:
        table.add_column(heading, justify="right" if heading in COUNTS else "left", no_wrap=heading in WHOLE)
    return table


def row_table(row: RowReport) -> Table:
    """Every step of one row."""
    table = table_of(f"{row.row}: {row.vocabulary:,} tokens, {row.config}", ROW_COLUMNS)
    for step in row.steps:
        cells = (decisions(step), figure(step.ulps), figure(step.variation))
        name = step.name if step.kept is None else f"{step.name}: {step.kept:,}"
        table.add_row(name, step.scope, *cells, coloured(step.verdict))
    table.caption = remarks(row.steps)
    return table


def remarks(steps: Iterable[Step]) -> str | None:
    """What is no fault but should be known: underflows, and decisions that differ within rounding."""
    steps = list(steps)
    lost = sum(step.underflows for step in steps)
    near = sum(step.verdict is Verdict.EXACT and bool(step.wrong) for step in steps)
    lines = [f"underflows (shares below 2^-126 that came out 0): {lost:,}"] if lost else []
    lines += [f"steps whose difference rounding of the row explains: {near:,}"] if near else []
    return "\n".join(lines) or None


def largest(figures: Iterable[Figure | None]) -> str:
    """The largest of the errors, with its own bound."""
    present = [error for error in figures if error is not None]
    return figure(max(present, key=lambda error: error.value)) if present else ""


def summary_table(report: Report) -> Table:
    """Each kind of step over all rows: how often it is refuted, and its largest errors."""
    groups: dict[tuple[str, str], list[Step]] = {}
    for row in report.rows:
        for step in row.steps:
            groups.setdefault((step.name, step.scope), []).append(step)
    table = table_of(f"{report.engine} against dialect {report.dialect}", SUMMARY_COLUMNS)
    for (name, scope), steps in groups.items():
        refuted = sum(step.verdict is Verdict.REFUTED for step in steps)
        disputed = largest(step.margin for step in steps if step.wrong)
        numbers = (disputed, largest(step.ulps for step in steps), largest(step.variation for step in steps))
        count = f"{refuted} / {len(steps)}"
        table.add_row(name, scope, f"[red]{count}[/]" if refuted else count, *numbers)
    table.caption = remarks([step for row in report.rows for step in row.steps])
    return table


def refutations(report: Report) -> list[tuple[RowReport, Step]]:
    """Every refuted step, the smallest vocabulary and the fewest tokens first."""
    found = [(row, step) for row in report.rows for step in row.steps if step.verdict is Verdict.REFUTED]
    return sorted(found, key=lambda item: (item[0].vocabulary, len(item[1].wrong or ())))


def sentence(row: RowReport, step: Step) -> str:
    """One refutation as a sentence."""
    parts = [f"{row.row} ({row.vocabulary:,} tokens, {row.config}): {step.name}, judged {step.scope}"]
    if step.wrong:
        right = "" if step.right is None else f", right: {step.right:,}"
        kept = "" if step.kept is None else f"; kept: {step.kept:,}{right}"
        parts.append(f"tokens that differ {tokens(step.wrong)}{kept}")
    if step.margin:
        parts.append(f"the disputed masses lie {figure(step.margin)} from the tie, more than rounding of the weights explains")
    if step.variation:
        parts.append(f"total variation {figure(step.variation)}")
    elif step.ulps:
        parts.append(f"error {figure(step.ulps)} ulp at token {step.token}")
    return "; ".join(parts)


def print_report(report: Report, console: Console, *, by_row: bool) -> None:
    """Tables, the refutations smallest first, and the verdict."""
    for row in report.rows if by_row else ():
        console.print(row_table(row))
    if not by_row:
        console.print(summary_table(report))
    for row, step in refutations(report):
        console.print(f"[red]refuted[/] {sentence(row, step)}", highlight=False)
    done = f"{len(report.rows)} of {report.planned} row audits"
    console.print(f"{coloured(report.verdict)}  {report.engine}, dialect {report.dialect}, {done}", highlight=False)


def plain(error: Figure | None) -> dict[str, float | None] | None:
    """A figure as floats, for reading."""
    if error is None:
        return None
    return {"value": float(error.value), "bound": None if error.bound is None else float(error.bound)}


def step_data(step: Step) -> dict[str, Any]:
    """One step as JSON data."""
    return {
        "step": step.name,
        "judged": step.scope,
        "verdict": step.verdict.value,
        "kept": step.kept,
        "right": step.right,
        "wrong": None if step.wrong is None else list(step.wrong),
        "margin": plain(step.margin),
        "ulps": plain(step.ulps),
        "token": step.token,
        "total_variation": plain(step.variation),
        "underflows": step.underflows,
    }


def report_data(report: Report) -> dict[str, Any]:
    """A report as JSON data; settings are rationals as strings."""
    return {
        "engine": report.engine,
        "dialect": report.dialect,
        "verdict": report.verdict.value,
        "planned": report.planned,
        "rows": [
            {
                "row": row.row,
                "vocabulary": row.vocabulary,
                "temperature": str(row.config.temperature),
                "top_p": str(row.config.top_p),
                "top_k": row.config.top_k,
                "steps": [step_data(step) for step in row.steps],
            }
            for row in report.rows
        ],
    }
