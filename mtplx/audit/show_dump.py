"""The report of a dump, for people and for machines."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from mtplx.audit.dump import DumpReport
from mtplx.audit.show import coloured, number, table_of
from mtplx.audit.verdict import Verdict
from mtplx.audit.verdict_file import finding_data

COLUMNS = ("claim", "verdict", "judged", "refuted", "largest distance")


def lines(report: DumpReport) -> str:
    """How many there are."""
    return f"{report.lines:,} line{'' if report.lines == 1 else 's'}"


def print_dump(report: DumpReport, name: str, console: Console) -> None:
    """A line a claim, the witnesses as sentences, what was not tried, and the verdict."""
    table = table_of(f"{name}: {lines(report)}, dialect {report.dialect}", COLUMNS)
    for tally in report.summary:
        verdict = tally.witnesses[0].verdict if tally.witnesses else Verdict.EXACT
        distance = number(tally.figures["variation"]) if "variation" in tally.figures else ""
        table.add_row(tally.claim, coloured(verdict), f"{tally.tried:,}", f"{tally.refuted:,}", distance)
    console.print(table)
    for finding in report.findings:
        if finding.verdict is not Verdict.EXACT:
            console.print(f"{coloured(finding.verdict)} {finding.claim}: {escape(finding.sentence)}", highlight=False)
        for remark in finding.remarks:
            console.print(f"note {finding.claim}: {escape(remark)}", highlight=False)
    for claim, fields in report.not_tried.items():
        lacking = f"for want of {', '.join(fields)} on a line that no other claim refutes"
        why = lacking if fields else "no line got so far: the dump is empty, or other claims refute its lines"
        console.print(f"not tried: {claim}, {escape(why)}", highlight=False)
    done = "" if report.complete else ", interrupted"
    console.print(f"{coloured(report.verdict)}  {name}, {lines(report)}{done}", highlight=False)


def readable(value: Any) -> Any:
    """Figures as floats, for reading; witnesses are JSON already."""
    if isinstance(value, dict):
        return {name: readable(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [readable(entry) for entry in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else float(value)


def dump_data(report: DumpReport) -> dict[str, Any]:
    """A report as JSON data."""
    return {
        "dialect": report.dialect,
        "lines": report.lines,
        "complete": report.complete,
        "verdict": report.verdict.value,
        "findings": [readable(finding_data(finding)) for finding in report.findings],
        "not_tried": {claim: list(fields) for claim, fields in report.not_tried.items()},
    }
