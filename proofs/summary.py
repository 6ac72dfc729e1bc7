"""The last lines of `pytest proofs/`: the claims proved, certified, refuted as expected, and those not run."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest

from proofs.provers import PROVERS

STARTED = pytest.StashKey[float]()
KINDS = {
    "proved": ("test_satisfiable", "test_proved", "test_exported"),
    "certified": ("test_certified",),
    "refuted": ("test_refuted",),
    "in Coq": ("test_closed",),
}
"""What tests of a claim establish."""
WORDS = {
    "proved": "claims, every lemma of them by each of " + " and ".join(prover.version for prover in PROVERS),
    "certified": "claims, step by step, no step taken on trust",
    "refuted": "claims against all their mutants, each with a rational witness that replays",
    "in Coq": "claims, for lists of any length, by no axiom",
}


class Outcome(NamedTuple):
    """One test of a claim."""

    kind: str
    claim: str
    outcome: str


def pytest_configure(config: pytest.Config) -> None:
    """Starts the clock."""
    config.stash[STARTED] = time.monotonic()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Notes which claim each obligation is about: its parameter, or its file's."""
    for item in items:
        if isinstance(item, pytest.Function):
            parameters = item.callspec.params if hasattr(item, "callspec") else {}
            claim: Any = parameters.get("claim") or getattr(item.module, "CLAIM", None)
            kinds = [kind for kind, tests in KINDS.items() if item.originalname in tests]
            item.user_properties += [(kind, claim.id) for kind in kinds if claim]


def outcomes(reports: Iterable[Any]) -> list[Outcome]:
    """What came of every test of a claim."""
    return [
        Outcome(kind, claim, report.outcome) for report in reports for kind, claim in report.user_properties if kind in KINDS
    ]


def lines(found: list[Outcome], seconds: float) -> list[str]:
    """A line a kind: how many claims hold in all their tests, which do not, and which were not run."""
    said = []
    for kind, words in WORDS.items():
        claims = {claim: {one.outcome for one in found if (one.kind, one.claim) == (kind, claim)} for _, claim, _ in found}
        asked = {claim: results for claim, results in claims.items() if results}
        if asked:
            held = sum(results == {"passed"} for results in asked.values())
            said.append(f"{kind:<10}{held} of {len(asked)} {words}")
            failed, skipped = ([claim for claim in asked if word in asked[claim]] for word in ("failed", "skipped"))
            said += [f"{'':<10}NOT {kind}: {', '.join(failed)}"] if failed else []
            said += [f"{'':<10}not run: {', '.join(skipped)}"] if skipped else []
    return [*said, f"{'seconds':<10}{seconds:.0f}"] if said else []


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Prints the lines, if any claim was asked about."""
    reports = [report for kind in ("passed", "failed", "skipped") for report in terminalreporter.stats.get(kind, ())]
    if said := lines(outcomes(reports), time.monotonic() - config.stash[STARTED]):
        terminalreporter.section("claims")
        for line in said:
            terminalreporter.line(line)
