"""Timings of calls that take turns: what a drift of the machine does to one of them, it does to all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from random import Random
from statistics import median, quantiles
from typing import TypeVar

WARM_UPS = 3
Key = TypeVar("Key", bound=Hashable)


class NotMeasured(Exception):
    """A call that cannot be measured here, with the reason."""


@dataclass
class Timing:
    """Seconds of one call, measured again and again."""

    first: float
    """The first call of its settings and shapes: compilation is in it, as far as the process has not met them before."""
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The figure of every table."""
        return median(self.seconds)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The lower and the upper one."""
        if len(self.seconds) == 1:
            return self.seconds[0], self.seconds[0]
        low, _, high = quantiles(self.seconds, n=4, method="inclusive")
        return low, high


def interleaved(
    calls: Mapping[Key, Callable[[int, bool], float]], rounds: int, timings: dict[Key, Timing], advance: Callable[[], None]
) -> dict[Key, str]:
    """Fill the timings, a round at a time: every call once, in an order that is shuffled, each at the next place of its rows.

    A call takes a place, and whether it is to come cold, and answers its seconds. Returns why calls that raised NotMeasured are
    left out. Timings hold what is measured so far whenever this is interrupted.
    """
    missing: dict[Key, str] = {}

    def at(key: Key, place: int, cold: bool = False) -> float | None:
        try:
            return calls[key](place, cold) if key not in missing else None
        except NotMeasured as why:
            missing[key] = str(why)
            timings.pop(key, None)
            return None

    for key in calls:
        first = at(key, -1, cold=True)
        for call in range(1, WARM_UPS):
            at(key, -1 - call)
        if first is not None and key not in missing:
            timings[key] = Timing(first)
    shuffled, deck = Random(0), list(enumerate(calls))
    for number in range(rounds):
        shuffled.shuffle(deck)  # in a mere rotation a call would always follow the same one
        for offset, key in deck:
            taken = at(key, number + offset)
            if taken is not None:
                timings[key].seconds.append(taken)
        advance()
    return missing
