"""Try every claim on an engine; a refutation is asked again of a fresh process before it counts (spec 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sympy import QQ

from mtplx.audit.claims import CLAIMS, Claim, Trial
from mtplx.audit.client import EngineDied, EngineError
from mtplx.audit.finding import Finding, overall
from mtplx.audit.lattice import CHECKS, Unprobeable
from mtplx.audit.subject import Subject
from mtplx.audit.verdict import Verdict
from mtplx.audit.worker import READS_MORE

OUR_LIMITS = (READS_MORE, "TapeError: a path of", "TapeError: more than", "is not exact; use instead")
"""In an error of an engine: it met a limit of ours, which says nothing of its law."""
FEWEST_CHECKS, MOST_CHECKS = 512, 20_000
"""Random coins that a probed law must predict before it refutes."""


@dataclass
class EngineReport:
    """What an engine was found to do; `not_offered`: claims about methods it does not have."""

    engine: str
    spec: str
    dialect: str
    level: str
    lossy: bool
    version: str | None
    offers: tuple[str, ...]
    command: str
    inputs_sha256: str = ""
    read_twice: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    not_offered: list[str] = field(default_factory=list)
    planned: int = 0

    @property
    def complete(self) -> bool:
        """Every claim about what is offered was tried."""
        return len(self.findings) == self.planned

    @property
    def verdict(self) -> Verdict:
        """Over all claims; a refuted engine that declares itself lossy is LOSSY."""
        found = overall(self.findings, complete=self.complete)
        return Verdict.LOSSY if found is Verdict.REFUTED and self.lossy else found


def answered(trial: Callable[[], Trial], subject: Subject) -> Trial:
    """A trial's answer; a valid question without one is a refutation too."""
    try:
        return trial()
    except EngineError as error:
        if any(limit in str(error) for limit in OUR_LIMITS):
            raise Unprobeable(str(error)) from None
        note = f"it refuses a valid question: {error}"
    except EngineDied as error:
        note = f"it {error}"
    return Trial(subject.client.last, "an answer", None, QQ(1), note=note)


def sentence(trial: Trial) -> str:
    """A refutation in words."""
    given = ", ".join(f"{name} = {short(value)}" for name, value in trial.given.items())
    if trial.found is None:
        return f"{given}: {trial.note}"
    words = f"{trial.note}; " if trial.note else ""
    return f"{given}: {words}right {short(trial.right)}, found {short(trial.found)}, distance {apart(trial.apart)}"


def apart(value: Any) -> str:
    """A distance: a small fraction as it is, a long one as a decimal."""
    text = str(value)
    return text if len(text) <= 16 else f"{float(value):.3g}"


def short(value: Any) -> str:
    """A value on one line, its end left out where it is long."""
    if isinstance(value, dict):
        text = "{" + ", ".join(f"{k}: {v}" for k, v in value.items()) + "}"
    elif isinstance(value, list):
        text = "(" + ", ".join(map(str, value)) + ")"
    else:
        text = str(value)
    return text if len(text) <= 160 else f"{text[:150]} .."


def witness(trial: Trial) -> dict[str, Any]:
    """A refutation as JSON data."""
    return {
        "input": trial.given,
        "right": trial.right,
        "found": trial.found,
        "distance": str(trial.apart),
        "bound": str(trial.bound),
        "note": trial.note,
    }


def try_claim(claim: Claim, subject: Subject) -> Finding:
    """The first refuted trial of a claim, asked again of a fresh process; else EXACT, with the largest distance found."""
    if claim.section == "robustness":
        return try_refusals(claim, subject)
    try:
        return try_trials(claim, subject)
    except Unprobeable as error:
        instead = "a program that the tape can represent" if subject.laws else "exact numbers"
        words = f"its law cannot be found: {error}; it would take {instead}"
        return Finding(claim.id, Verdict.INCONCLUSIVE, words, claim.section, subject.level)
    finally:
        subject.checks = CHECKS


def try_trials(claim: Claim, subject: Subject) -> Finding:
    """Trial by trial, the smallest first."""
    largest, tried = None, 0
    for trial in claim.trials(subject):
        found = answered(trial, subject)
        tried += 1
        if found.holds:
            largest = found if largest is None or found.apart > largest.apart else largest
            continue
        while probed(found, subject) and subject.checks < checks_for(found.apart):
            subject.checks = checks_for(found.apart)
            found = answered(trial, subject)
        if found.holds:
            subject.checks = CHECKS
            continue
        subject.client.close()
        again = answered(trial, subject)
        if (found.found, found.note) != (again.found, again.note):
            words = f"two processes answer one question differently: {sentence(found)}; {sentence(again)}"
            return Finding(claim.id, Verdict.INCONCLUSIVE, words, figures={"trials": tried})
        data = {**witness(found), "reproduce": f"{subject.command} --claim {claim.id}"}
        return Finding(claim.id, Verdict.REFUTED, sentence(found), claim.section, subject.level, data, {"trials": tried})
    figures: dict[str, Any] = {"trials": tried}
    if largest is not None and largest.apart:
        figures |= {"largest distance": float(largest.apart), "bound": float(largest.bound)}
    return Finding(claim.id, Verdict.EXACT, claim.sentence, claim.section, subject.level, figures=figures)


def probed(trial: Trial, subject: Subject) -> bool:
    """Whether a trial is refuted by the distance of a law that was probed, and not by an outcome that cannot be."""
    return not trial.holds and not trial.note and not subject.laws and isinstance(trial.right, dict)


def checks_for(apart: Any) -> int:
    """How many random coins must come out as a probed law predicts before it may refute at this distance from the right law.

    If the engine were right, each would stray with probability `apart` at least: 21 / apart of them all agree with probability
    exp(-21) < 10^-9 at most. Raises Unprobeable where that is too many.
    """
    checks = int(21 / apart) + 1
    if checks > MOST_CHECKS:
        raise Unprobeable(f"a distance of {float(apart):.2g} takes {checks:,} random coins to tell from a step not seen")
    return max(FEWEST_CHECKS, checks)


def try_refusals(claim: Claim, subject: Subject) -> Finding:
    """All questions that should be refused, and those that were answered, or ended the process."""
    found = [answered(trial, subject) for trial in claim.trials(subject)]
    bad = [result.given.get("asked", result.note) for result in found if not result.holds]
    figures = {"trials": len(found), "answered": len(bad)}
    if not bad:
        return Finding(claim.id, Verdict.EXACT, claim.sentence, claim.section, figures=figures)
    return Finding(claim.id, Verdict.REFUTED, f"not refused: {'; '.join(bad)}", claim.section, figures=figures)


def audit(subject: Subject, only: Sequence[str] = ()) -> Iterator[EngineReport]:
    """Try every claim, or only those named; the report after each, growing."""
    wanted = [claim for claim in CLAIMS if not only or claim.id in only]
    tried = [claim for claim in wanted if claim.offered(subject)]
    report = EngineReport(
        subject.name,
        subject.spec,
        subject.dialect,
        subject.level,
        subject.lossy,
        subject.version,
        subject.offers,
        subject.command,
        not_offered=[claim.id for claim in wanted if claim not in tried],
        planned=len(tried),
    )
    yield report
    for claim in tried:
        report.findings.append(try_claim(claim, subject))
        report.inputs_sha256, report.read_twice = subject.client.asked_sha256.hexdigest(), subject.read_twice
        yield report
