"""The audit refutes every known fault by the claim meant for it, with a small witness, and nothing that is right."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from mtplx.audit.claims import CLAIMS
from mtplx.audit.museum.catalogue import FAULTS, NO_METHOD, RIGHT, UNSEEN
from mtplx.audit.museum.exhibit import Exhibit
from mtplx.audit.museum.matrix import Matrix, Shown, matrix_data, museum, print_matrix, report_of
from mtplx.audit.verdict import Verdict
from tests.museum.cases import CASES
from tests.museum.programs import FAULTS as PROGRAMS
from tests.museum.test_programs import NOT_FAULTS

WITHOUT_SMALL_INPUTS = ("target-long", "steady")
"""Claims about long rows, and about no one input."""


def by_id(exhibit: type[Exhibit]) -> str:
    """For pytest."""
    return exhibit.id


def vocabulary(given: dict[str, Any]) -> int:
    """The number of tokens of a witness."""
    rows = [given.get(name) for name in ("logits", "draft logits", "p", "reported q")]
    return next(len(row) for row in [*rows, next(iter(given.get("target", {}).values()), None)] if row)


@pytest.mark.parametrize("fault", FAULTS, ids=by_id)
def test_the_claim_meant_for_a_fault_refutes_it(fault: type[Exhibit]) -> None:
    """The claim refutes the engine, and where it has small inputs its witness has at most three tokens."""
    (finding,) = report_of(fault, [str(fault.meant_for)]).findings
    assert finding.verdict is Verdict.REFUTED, finding.sentence
    if finding.section == "rule" and finding.claim not in WITHOUT_SMALL_INPUTS:
        assert finding.witness is not None
        assert "refuses" not in finding.sentence
        assert vocabulary(finding.witness["input"]) <= 3


@pytest.mark.parametrize("right", RIGHT, ids=by_id)
def test_what_is_right_passes(right: type[Exhibit]) -> None:
    """Every claim about what a right engine offers holds, refusals too; a lossy one that says so is LOSSY."""
    report = report_of(right)
    assert report.findings
    assert report.verdict is (Verdict.LOSSY if right.lossy else Verdict.EXACT)
    assert right.lossy or {finding.verdict for finding in report.findings} == {Verdict.EXACT}


def test_no_case_is_forgotten() -> None:
    """Every case of the museum is an engine, or has a reason why not; every engine has an id and a source of its own."""
    ids = [exhibit.id for exhibit in (*FAULTS, *RIGHT)]
    assert len(set(ids)) == len(ids)
    sources = {exhibit.id: exhibit.source for exhibit in (*FAULTS, *RIGHT)}
    known = {case.id: case.source for case in CASES} | {fault.id: fault.source for fault in PROGRAMS} | NOT_FAULTS
    reasons = NO_METHOD | UNSEEN
    assert not sources.keys() & reasons.keys()
    assert known.keys() <= sources.keys() | reasons.keys()
    assert {id: sources[id] for id in known.keys() & sources.keys()} == {id: known[id] for id in known.keys() & sources.keys()}
    assert reasons.keys() == {
        "randint-through-float",
        "penalty-counts-once-a-step",
        "eos-inside-the-block",
        "cache-not-rolled-back",
        "draws-re-read-after-a-discard",
        "gumbel-tail",
    }
    assert {fault.id for fault in FAULTS} == {
        "verify-ignores-temperature",
        "temperature-twice",
        "tiny-temperature",
        "silent-greedy",
        "greedy-through-the-ratio",
        "empty-nucleus",
        "tiny-top-p",
        "temperature-after-the-cut",
        "chained-cut",
        "ties-keep-more-than-k",
        "boundary-one-too-many",
        "crossing-token-dropped",
        "top-k-zero-means-one",
        "top-k-of-ids",
        "softmax-stalls",
        "softmax-without-maximum",
        "mask-is-a-number",
        "settings-of-the-request-before",
        "draft-law-of-the-request-before",
        "q-rows-swapped",
        "inclusive-chain",
        "accept-everything",
        "half-one-hot",
        "ratio-with-epsilon",
        "refused-at-q-0",
        "residual-not-normalised",
        "residual-0-over-0",
        "placeholder-id",
        "inclusive-coin",
        "uniform-returns-one",
        "coin-reused-in-residual",
        "coin-is-constant-zero",
        "tree-without-renormalising",
        "siblings-q-not-renormalised",
        "uniform-on-the-support",
        "inclusive-cdf",
        "shared-noise",
        "greedy-draft-soft-q",
        "raw-q-filtered-draft",
        "raw-q-filtered-draft-2",
        "q-in-another-dtype",
        "sibling-residual-from-soft-q",
        "one-coin-for-all-positions",
        "frozen-rng",
        "first-token-unverified",
        "block-rule-token-residual",
        "block-rule-first-rejected",
    }
    assert {right.id for right in RIGHT} == {
        "joint-cut",
        "log-softmax-then-temperature",
        "documented-order",
        "token-rule",
        "token-rule-in-floats",
        "residual-zero-mass",
        "one-hot-q-for-any-draft",
        "deterministic-tree",
        "siblings-without-replacement",
        "inverse-cdf",
        "honest-proposer",
        "noise-of-its-own",
        "token-chain",
        "match-rule",
        "bonus-token-dropped",
        "block-rule",
        "medusa-typical",
    }


def test_every_claim_has_a_fault_of_its_own() -> None:
    """Only rows from half precision and random ones have none: what breaks there breaks on other rows too."""
    assert {claim.id for claim in CLAIMS} - {fault.meant_for for fault in FAULTS} == {"target-half", "target-random"}


def test_every_sentence_is_one() -> None:
    """A fault and what looks like one say what they do in one sentence."""
    for exhibit in (*FAULTS, *RIGHT):
        assert exhibit.sentence().endswith(".")
        assert "\n" not in exhibit.sentence()


def shown(id: str, meant_for: str | None, *, lossy: bool = False, **found: Verdict) -> Shown:
    """An exhibit with made-up findings."""
    verdict = Verdict.REFUTED if Verdict.REFUTED in found.values() else Verdict.EXACT
    verdict = Verdict.LOSSY if lossy and verdict is Verdict.REFUTED else verdict
    claims = {name.replace("_", "-"): said for name, said in found.items()}
    return Shown(id, "ours", "It is so.", meant_for, lossy, verdict, claims, {"said": "of it"})


CAUGHT = shown("caught", "acceptance", acceptance=Verdict.REFUTED, residual=Verdict.EXACT)
BY_ANOTHER = shown("by another", "acceptance", acceptance=Verdict.EXACT, residual=Verdict.REFUTED)
UNSURE = shown("unsure", "acceptance", acceptance=Verdict.INCONCLUSIVE, residual=Verdict.REFUTED)
PASSES = shown("passes", None, acceptance=Verdict.EXACT)
FLAGGED = shown("flagged", None, acceptance=Verdict.REFUTED)
DECLARED = shown("declared", None, lossy=True, acceptance=Verdict.REFUTED)
NOT_EVEN_LOSSY = shown("not even lossy", None, lossy=True, acceptance=Verdict.EXACT)
NOTHING = shown("nothing", None)


@pytest.mark.parametrize(
    ("exhibit", "holds"),
    [
        (CAUGHT, True),
        (BY_ANOTHER, False),
        (UNSURE, False),
        (PASSES, True),
        (FLAGGED, False),
        (DECLARED, True),
        (NOT_EVEN_LOSSY, False),
        (NOTHING, False),
    ],
    ids=lambda value: value.id if isinstance(value, Shown) else "",
)
def test_what_counts_as_caught(exhibit: Shown, holds: bool) -> None:
    """Only the claim meant for a fault catches it, and what is right must pass whatever it offers."""
    assert exhibit.holds is holds
    assert Matrix([exhibit] if exhibit.meant_for else [], [] if exhibit.meant_for else [exhibit]).holds is holds


def printed(matrix: Matrix) -> str:
    """The matrix at 128 columns."""
    console = Console(width=128, file=StringIO())
    with console.capture() as capture:
        print_matrix(matrix, console)
    return capture.get()


def test_the_matrix_for_people() -> None:
    """A mark a claim, the numbers of the claims, and at the end what was missed or flagged, why, and the count."""
    text = printed(Matrix([CAUGHT, BY_ANOTHER, UNSURE], [PASSES, FLAGGED]))
    lines = {line.split("  ")[0].strip(): line.split() for line in text.splitlines() if line.strip()}
    assert lines["caught"] == ["caught", "X", ".", "acceptance", "caught"]
    assert lines["by another"] == ["by", "another", "!", "x", "acceptance", "MISSED"]
    assert lines["unsure"] == ["unsure", "!", "x", "acceptance", "MISSED"]
    assert lines["passes"] == ["passes", ".", "EXACT"]
    assert lines["flagged"] == ["flagged", "x", "FLAGGED"]
    assert "MISSED by another: said: of it" in text
    assert text.endswith("1 of 3 faults are caught by the claim meant for them; 1 of 2 that are none pass\n")
    assert all(f"{number} {claim.id}" in " ".join(text.split()) for number, claim in enumerate(CLAIMS, 1))
    assert max(map(len, text.splitlines())) <= 128


def test_the_matrix_for_machines() -> None:
    """JSON says of every claim what it found, null where it is not offered."""
    data = json.loads(json.dumps(matrix_data(Matrix([CAUGHT], [FLAGGED]))))
    assert data["holds"] is False
    (fault,), (right,) = data["faults"], data["right"]
    assert (fault["id"], fault["meant_for"], fault["holds"], right["holds"]) == ("caught", "acceptance", True, False)
    assert fault["claims"].keys() == {claim.id for claim in CLAIMS}
    assert {claim: said for claim, said in fault["claims"].items() if said} == {"acceptance": "REFUTED", "residual": "EXACT"}
    assert data["not_on_show"] == NO_METHOD | UNSEEN


def test_the_museum_tells_of_each_exhibit_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults come first, then what is right; each is told of once, as soon as it and those before it are done."""
    monkeypatch.setattr("mtplx.audit.museum.matrix.FAULTS", [fault for fault in FAULTS if fault.id == "ties-keep-more-than-k"])
    monkeypatch.setattr("mtplx.audit.museum.matrix.RIGHT", [right for right in RIGHT if right.id == "inverse-cdf"])
    told: list[Shown] = []
    matrix = museum(told.append)
    assert [exhibit.id for exhibit in told] == ["ties-keep-more-than-k", "inverse-cdf"]
    assert (matrix.faults, matrix.right) == (told[:1], told[1:])
    assert matrix.holds
