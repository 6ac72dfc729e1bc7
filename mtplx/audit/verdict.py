"""What one step of an engine was found to be, and the verdict over many (spec 7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """The word an audit ends with."""

    EXACT = "EXACT"
    REFUTED = "REFUTED"
    LOSSY = "LOSSY"
    INCONCLUSIVE = "INCONCLUSIVE"


EXIT_CODES = {Verdict.EXACT: 0, Verdict.LOSSY: 0, Verdict.REFUTED: 1, Verdict.INCONCLUSIVE: 3}
"""LOSSY is an engine's own declaration: it counts as holding."""
USAGE_ERROR = 2


@dataclass(frozen=True)
class Figure:
    """An error beside its derived bound, both rationals; bound None where only another figure of the step has one."""

    value: Any
    bound: Any

    @property
    def holds(self) -> bool:
        """Within the bound."""
        return self.bound is None or bool(self.value <= self.bound)


@dataclass(frozen=True)
class Step:
    """One step of one row, judged on its own input (`local`), from the logits (`global`), or bit for bit (`twin`).

    wrong: tokens (or ranks, for an order) whose decision differs from the reference; None where the step decides nothing.
    margin: how far the disputed masses are from the tie, as a share of the total. Within its bound, rounding of the row
    explains the difference and it is numerics; outside, or on an exact tie, the rule is broken. tie: masses can tie exactly,
    which needs all finite logits equal (Lindemann-Weierstrass).
    ulps: largest error in units of the last place of float32, at `token`. variation: total variation distance.
    underflows: tokens below 2^-126 that came out 0. kept: how many tokens the step keeps, where it cuts; right: how many the
    reference keeps.
    """

    name: str
    scope: str
    wrong: tuple[int, ...] | None = None
    margin: Figure | None = None
    ulps: Figure | None = None
    token: int | None = None
    variation: Figure | None = None
    underflows: int = 0
    kept: int | None = None
    right: int | None = None
    tie: bool = False

    @property
    def rule_holds(self) -> bool:
        """No decision differs, or rounding of the row explains each that does."""
        return not self.wrong or (self.margin is not None and self.margin.holds and not self.tie)

    @property
    def verdict(self) -> Verdict:
        """EXACT, or REFUTED by a decision or by a number outside its bound."""
        figures = [figure for figure in (self.ulps, self.variation) if figure is not None]
        return Verdict.EXACT if self.rule_holds and all(figure.holds for figure in figures) else Verdict.REFUTED


def overall(steps: Iterable[Step], complete: bool) -> Verdict:
    """REFUTED by any step; else INCONCLUSIVE if something was left out or nothing was tried; else EXACT."""
    verdicts = {step.verdict for step in steps}
    if Verdict.REFUTED in verdicts:
        return Verdict.REFUTED
    return Verdict.EXACT if complete and verdicts else Verdict.INCONCLUSIVE
