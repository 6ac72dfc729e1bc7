"""The last lines of `pytest proofs/`: what was proved, certified, refuted as expected, and what was not run."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

import pytest

STARTED = pytest.StashKey[float]()
OBLIGATIONS = {
    "test_satisfiable": "proved",
    "test_proved": "proved",
    "test_exported": "proved",
    "test_certified": "certified",
    "test_refuted": "refuted",
    "test_closed": "in Coq",
}
"""What each test of a claim establishes."""


def pytest_configure(config: pytest.Config) -> None:
    """Starts the clock."""
    config.stash[STARTED] = time.monotonic()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Notes which claim each obligation is about."""
    for item in items:
        claim = item.callspec.params.get("claim") if isinstance(item, pytest.Function) and hasattr(item, "callspec") else None
        claim = claim or getattr(getattr(item, "module", None), "CLAIM", None)
        kind = OBLIGATIONS.get(getattr(item, "originalname", ""))
        if claim is not None and kind:
            item.user_properties.append((kind, claim.id))


def tally(reports: Iterable[Any]) -> dict[str, dict[str, list[str]]]:
    """kind -> claim -> the outcomes of its tests."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for report in reports:
        for kind, claim in report.user_properties:
            if kind in OBLIGATIONS.values() and (report.when == "call" or report.outcome != "passed"):
                found[kind][claim].append(report.outcome)
    return found


def lines(found: dict[str, dict[str, list[str]]], seconds: float) -> list[str]:
    """One line a kind: how many claims hold in all their tests, which do not, and which were not run."""
    by = {
        "proved": f"by z3 {version('z3-solver')} and cvc5 {version('cvc5')}",
        "certified": "step by step, no step taken on trust",
        "refuted": "mutants, each with a rational witness that replays",
        "in Coq": "closed under the global context",
    }
    said = []
    for kind, words in by.items():
        claims = found.get(kind, {})
        if not claims:
            continue
        done = [claim for claim, outcomes in claims.items() if set(outcomes) == {"passed"}]
        failed = sorted(claim for claim, outcomes in claims.items() if "failed" in outcomes)
        skipped = len(claims) - len(done) - len(failed)
        number = sum(map(len, (claims[claim] for claim in done))) // 2 if kind == "refuted" else len(done)
        text = f"{kind:<10}{number} of {sum(map(len, claims.values())) // 2 if kind == 'refuted' else len(claims)} {words}"
        text += f"; NOT {kind}: {', '.join(failed)}" if failed else ""
        said.append(text + (f"; not run: {skipped}" if skipped else ""))
    return [*said, f"{'seconds':<10}{seconds:.0f}"] if said else []


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Prints the lines, if any claim was asked about."""
    reports = [report for kind in ("passed", "failed", "skipped") for report in terminalreporter.stats.get(kind, ())]
    said = lines(tally(reports), time.monotonic() - config.stash[STARTED])
    if said:
        terminalreporter.section("claims")
        for line in said:
            terminalreporter.line(line)
