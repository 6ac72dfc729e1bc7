"""What an audit found about one claim: a verdict, a sentence, and the witness that a reader can check (spec 7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from mtplx.audit.verdict import Verdict


@dataclass(frozen=True)
class Finding:
    """One claim, tried.

    claim: its id. section: "rule", "numerics" or "robustness", which is outside the verdict. sentence: what was found, for a
    person. level: "reals" or "lattice" where a law was judged. witness: the smallest input that refutes it, JSON data with
    rationals as strings; None where nothing does. figures: numbers worth stating, such as a distance beside its bound.
    remarks: what is no fault but should be known.
    """

    claim: str
    verdict: Verdict
    sentence: str
    section: str = "rule"
    level: str | None = None
    witness: dict[str, Any] | None = None
    figures: dict[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def overall(findings: Iterable[Finding], *, lossy: bool = False, complete: bool = True) -> Verdict:
    """REFUTED by any claim (LOSSY if the engine declares it), else INCONCLUSIVE if one is, or none was tried; else EXACT."""
    verdicts = {finding.verdict for finding in findings if finding.section != "robustness"}
    if Verdict.REFUTED in verdicts:
        return Verdict.REFUTED
    if Verdict.INCONCLUSIVE in verdicts or not complete or not verdicts:
        return Verdict.INCONCLUSIVE
    return Verdict.LOSSY if lossy or Verdict.LOSSY in verdicts else Verdict.EXACT
