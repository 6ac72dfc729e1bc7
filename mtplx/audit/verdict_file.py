"""What an audit leaves in a folder: verdict.json, after a schema of its own, and junit.xml (spec 7)."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from mtplx.audit.engine_audit import EngineReport
from mtplx.audit.finding import Finding
from mtplx.audit.inputs import SEED
from mtplx.audit.verdict import Verdict

SCHEMA = Path(__file__).with_name("verdict.schema.json")


def finding_data(finding: Finding) -> dict[str, Any]:
    """A finding as JSON data."""
    return {
        "claim": finding.claim,
        "section": finding.section,
        "verdict": finding.verdict.value,
        "sentence": finding.sentence,
        "level": finding.level,
        "figures": finding.figures,
        "witness": finding.witness,
        "remarks": list(finding.remarks),
    }


def report_data(report: EngineReport) -> dict[str, Any]:
    """A report as JSON data: everything a person reads, and what it takes to ask again."""
    return {
        "schema": 1,
        "tool": {"name": "mtplx-exact", "version": version("mtplx-exact"), "python": platform.python_version()},
        "engine": {"name": report.engine, "spec": report.spec, "version": report.version, "offers": list(report.offers)},
        "dialect": report.dialect,
        "level": report.level,
        "lossy": report.lossy,
        "seed": SEED,
        "inputs_sha256": report.inputs_sha256,
        "command": report.command,
        "verdict": report.verdict.value,
        "complete": report.complete,
        "findings": [finding_data(finding) for finding in report.findings],
        "not_offered": report.not_offered,
        "read_twice": sorted(report.read_twice),
        "changed": sorted(report.changed),
    }


def junit(report: EngineReport) -> ElementTree.ElementTree[ElementTree.Element]:
    """A test suite with a case a claim: refuted is a failure, inconclusive an error, not offered is skipped."""
    suite = ElementTree.Element("testsuite", name=f"mtplx audit {report.spec}")
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for finding in report.findings:
        case = ElementTree.SubElement(suite, "testcase", classname=report.engine, name=finding.claim)
        outside = finding.section == "robustness"
        kind = {Verdict.REFUTED: "skipped" if outside else "failure", Verdict.INCONCLUSIVE: "error"}.get(finding.verdict)
        if kind:
            counts[kind] += 1
            ElementTree.SubElement(case, kind, message=finding.sentence)
    for claim in report.not_offered:
        counts["skipped"] += 1
        case = ElementTree.SubElement(suite, "testcase", classname=report.engine, name=claim)
        ElementTree.SubElement(case, "skipped", message="not offered")
    suite.set("tests", str(len(suite)))
    for attribute, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(counts[kind]))
    ElementTree.indent(suite)
    return ElementTree.ElementTree(suite)


def write(report: EngineReport, folder: Path) -> None:
    """Write both files, each whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("verdict.json", json.dumps(report_data(report), indent=1) + "\n"),
        ("junit.xml", ElementTree.tostring(junit(report).getroot(), encoding="unicode", xml_declaration=True) + "\n"),
    ):
        part = folder / f".{name}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(folder / name)
