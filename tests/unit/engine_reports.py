"""Audits of engines for tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from mtplx.audit.client import client_for
from mtplx.audit.engine_audit import EngineReport, audit
from mtplx.audit.finding import Finding
from mtplx.audit.subject import Subject

ROOT = Path(__file__).parents[2]
BAD = Path(__file__).with_name("bad_engines.py")


def report_of(spec: str, *claims: str, **limits: Any) -> EngineReport:
    """A finished audit."""
    subject = Subject(spec, client_for(spec, **limits), command=f"mtplx audit {spec}")
    subject.meet()
    *_, report = audit(subject, claims)
    subject.client.close()
    return report


def only(report: EngineReport) -> Finding:
    """The one finding of a report."""
    (finding,) = report.findings
    return finding


def command(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """mtplx audit in a process of its own."""
    line = [sys.executable, "-m", "mtplx", "audit", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, check=False, env=os.environ | environment)
