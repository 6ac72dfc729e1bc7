"""Try every claim on an engine; a refutation is asked again of a fresh process before it counts (spec 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sympy import QQ

from mtplx.audit.claims import CLAIMS, Claim, Trial
from mtplx.audit.client import SILENCE, EngineDied, EngineError, WrongAnswer
from mtplx.audit.finding import Finding, overall
from mtplx.audit.lattice import CHECKS, Unprobeable
from mtplx.audit.sentences import sentence, witness
from mtplx.audit.subject import Subject
from mtplx.audit.verdict import Verdict
from mtplx.audit.worker import READS_MORE

TOO_WIDE = "TapeError: race over"
"""In an error of an engine: its race has more rates than the tape can judge, which says nothing of narrower ones."""
OUR_LIMITS = (READS_MORE, "TapeError: a path of", "TapeError: more than", "is not exact; use instead")
"""In an error of an engine: it met a limit of ours, which says nothing of its law."""
PROGRAM, COINS = "a program that the tape can represent", "exact numbers, every coin from the tape, and `read` in every answer"
"""What it would take to find a law."""
GIVE_UP = 2
"""A claim is left open after so many laws that cannot be found."""
FEWEST_CHECKS, MOST_CHECKS = 512, 50_000
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
    changed: set[str] = field(default_factory=set)
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


class TooWide(Exception):
    """A question that is beyond a limit of ours."""


def answered(trial: Callable[[], Trial], subject: Subject) -> Trial:
    """A trial's answer; a valid question without one is a refutation too."""
    try:
        return trial()
    except EngineError as error:
        if TOO_WIDE in str(error):
            raise TooWide(str(error)) from None
        if any(limit in str(error) for limit in OUR_LIMITS):
            raise Unprobeable(str(error)) from None
        note = str(error) if isinstance(error, WrongAnswer) else f"it refuses a valid question: {error}"
    except EngineDied as error:
        if SILENCE in str(error):
            subject.silent.add(subject.client.last["call"])
        note = f"it {error}"
    given = {name: value for name, value in subject.client.last.items() if name != "law"}
    return Trial(given, "an answer", None, QQ(1), note=note)


def try_claim(claim: Claim, subject: Subject) -> Finding:
    """The first refuted trial of a claim, asked again of a fresh process; else EXACT, with the largest distance found."""
    if silent := subject.silent.intersection(claim.methods or claim.either):
        words = f"not tried: {min(silent)} gave no answer to a question before"
        return Finding(claim.id, Verdict.INCONCLUSIVE, words, claim.section)
    if claim.section == "robustness":
        return try_refusals(claim, subject)
    return try_trials(claim, subject)


def try_trials(claim: Claim, subject: Subject) -> Finding:
    """Trial by trial, the smallest first. Laws that cannot be found leave the claim open, but others may refute it."""
    largest, tried, unknown, wide = None, 0, list[str](), list[str]()
    for trial in claim.trials(subject):
        if len(unknown) == GIVE_UP:
            break
        tried += 1
        try:
            found = confirmed(trial, subject)
            if found.holds:
                largest = found if largest is None or found.apart > largest.apart else largest
                continue
            return refuted(claim, subject, trial, found, tried)
        except Unprobeable as error:
            unknown.append(str(error))
        except TooWide as error:
            wide.append(str(error))
        finally:
            subject.checks = CHECKS
    if len(wide) == tried:
        unknown = wide
    if unknown:
        instead = PROGRAM if subject.laws else COINS
        words = f"its law cannot be found: {unknown[0]}; it would take {instead}"
        return Finding(claim.id, Verdict.INCONCLUSIVE, words, claim.section, subject.level, figures={"trials": tried})
    figures: dict[str, Any] = {"trials": tried}
    if largest is not None and largest.apart:
        figures |= {"largest distance": float(largest.apart), "bound": float(largest.bound)}
    remarks = (f"{len(wide)} of {tried} questions are beyond a limit of ours: {wide[0]}",) if wide else ()
    return Finding(claim.id, Verdict.EXACT, claim.sentence, claim.section, subject.level, None, figures, remarks)


def confirmed(trial: Callable[[], Trial], subject: Subject) -> Trial:
    """A trial's answer; where a probed law would refute, it has to predict more random coins first."""
    found = answered(trial, subject)
    while probed(found, subject) and subject.checks < checks_for(found.apart):
        subject.checks = checks_for(found.apart)
        found = answered(trial, subject)
    return found


def refuted(claim: Claim, subject: Subject, trial: Callable[[], Trial], found: Trial, tried: int) -> Finding:
    """A refutation, asked again of a fresh process; a method that draws nothing may also need the questions before it."""
    before, words = list(subject.client.history[:-1]), sentence(found)
    subject.client.close()
    again, line = answered(trial, subject), f"{subject.command} --claim {claim.id}"
    if not same_answer(found, again) and not claim.reads_tape:
        subject.client.repeat(before)
        after, line = answered(trial, subject), subject.command
        if same_answer(found, after):
            again, words = after, f"after {len(before)} other questions, and not at once: {words}"
    if not same_answer(found, again):
        words = f"two processes answer one question differently: {words}; {sentence(again)}"
        return Finding(claim.id, Verdict.INCONCLUSIVE, words, figures={"trials": tried})
    data = {**witness(found), "reproduce": line}
    return Finding(claim.id, Verdict.REFUTED, words, claim.section, subject.level, data, {"trials": tried})


def same_answer(a: Trial, b: Trial) -> bool:
    """Whether two trials found the same."""
    return (a.found, a.note) == (b.found, b.note)


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
        inputs_sha256=subject.client.asked_sha256.hexdigest(),
    )
    yield report
    for claim in tried:
        report.findings.append(try_claim(claim, subject))
        report.inputs_sha256 = subject.client.asked_sha256.hexdigest()
        report.read_twice, report.changed = subject.read_twice, subject.changed
        yield report
