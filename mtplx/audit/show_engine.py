"""The report of an engine for people: a line a claim, the refutations as sentences, the verdict."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from mtplx.audit.engine_audit import EngineReport
from mtplx.audit.finding import Finding
from mtplx.audit.show import coloured, number, table_of
from mtplx.audit.verdict import Verdict
from mtplx.audit.worker import METHODS


def row(finding: Finding) -> tuple[str, str, str, str]:
    """Claim, verdict, number of questions, and the largest distance beside its bound."""
    figures = finding.figures
    distance = f"{number(figures['largest distance'])} <= {number(figures['bound'])}" if "largest distance" in figures else ""
    name = finding.claim if finding.section == "rule" else f"{finding.claim} (outside the verdict)"
    verdict = "[yellow]not refused[/]" if outside(finding) else coloured(finding.verdict)
    return name, verdict, str(figures.get("trials", "")), distance


def outside(finding: Finding) -> bool:
    """Bad input that was not refused, which is no part of the verdict."""
    return finding.section == "robustness" and finding.verdict is Verdict.REFUTED


def print_engine(report: EngineReport, console: Console) -> None:
    """The table of claims, what refutes them, what is not offered, and the verdict."""
    version = f" {report.version}" if report.version else ""
    table = table_of(f"{escape(report.engine + version)}, dialect {report.dialect}, laws on the {report.level}", COLUMNS)
    for finding in report.findings:
        table.add_row(*row(finding))
    console.print(table)
    for finding in report.findings:
        if outside(finding):
            console.print(f"{finding.claim}, outside the verdict: {escape(finding.sentence)}", highlight=False)
        elif finding.verdict is not Verdict.EXACT:
            console.print(f"{coloured(finding.verdict)} {finding.claim}: {escape(finding.sentence)}", highlight=False)
            if finding.witness and "reproduce" in finding.witness:
                console.print(f"  again: {escape(finding.witness['reproduce'])}", highlight=False, soft_wrap=True)
        for remark in finding.remarks:
            console.print(f"{finding.claim}: {escape(remark)}", highlight=False)
    if missing := [method for method in METHODS if method not in report.offers]:
        console.print(f"not offered: {', '.join(missing)}", highlight=False)
    if report.read_twice:
        cells = escape(", ".join(sorted(report.read_twice)))
        console.print(f"cells read more than once, so that their draws are dependent: {cells}", highlight=False)
    if report.changed:
        names = ", ".join(sorted(report.changed))
        console.print(f"arguments changed in place, which a caller may use again: {names}", highlight=False)
    judged = [finding.verdict for finding in report.findings if finding.section != "robustness"]
    done = f"{judged.count(Verdict.EXACT)} of {len(judged)} claims hold"
    done += "" if report.complete else f", {report.planned - len(report.findings)} not tried"
    console.print(f"{coloured(report.verdict)}  {escape(report.engine)}, dialect {report.dialect}, {done}", highlight=False)


COLUMNS = ("claim", "verdict", "judged", "largest distance")
