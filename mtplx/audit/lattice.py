"""The law of an engine that takes its coins as numbers: each is one of k / 2^24, and changes of outcome are found exactly.

An outcome is a step function of every coin. A coin is probed on a grid, at the ends, and on both sides of the thresholds that
the right rule has; between two neighbours that differ the step is found by bisection. A piece narrower than the grid that has
no right threshold beside it is not seen: this is the level "lattice, probed", weaker than a law in the reals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import cycle, islice, pairwise
from typing import Any

from sympy import QQ

BITS = 24
SIZE = 1 << BITS
"""float32 uniforms are k / 2^24."""
LAST = SIZE - 1
GRID = 4
LOW, HIGH = SIZE // 16 + 1, LAST - SIZE // 16
RESTS = ((LOW, LOW), (LOW, HIGH), (HIGH, LOW), (HIGH, HIGH))
"""What the coins behind the one that is probed are set to, over and over; two values are told apart by what comes out."""

Answer = tuple[Any, int]
"""(outcome, how many coins were read)."""
Ask = Callable[[Sequence[float]], Answer]


def points(thresholds: Iterable[Any]) -> list[int]:
    """Where a coin is probed: a grid, the ends, and both sides of each threshold."""
    near = (int(t * SIZE) + step for t in thresholds if 0 < t < 1 for step in (-1, 0))
    return sorted({*range(0, SIZE, SIZE // GRID), LAST, *(k for k in near if 0 <= k <= LAST)})


def law_on_lattice(ask: Ask, length: int, thresholds: Sequence[Any] = ()) -> dict[Any, Any]:
    """The law of ask(coins), of which at most `length` are read; `thresholds` are where the right rule changes its mind."""
    law: dict[Any, Any] = {}
    probed = points(thresholds)

    def behaviour(before: tuple[int, ...], k: int) -> tuple[Answer, ...]:
        left = length - len(before) - 1
        found: list[Answer] = []
        for rest in RESTS:
            found.append(ask([c / SIZE for c in (*before, k, *islice(cycle(rest), left))]))
            if found[-1][1] <= len(before) + 1:  # no coin behind this one was read
                break
        return tuple(found)

    def step(before: tuple[int, ...], low: int, high: int, known: dict[int, Any]) -> None:
        """Find the behaviour at both sides of every change between low and high, which differ."""
        while high - low > 1:
            middle = (low + high) // 2
            known[middle] = behaviour(before, middle)
            if known[middle] == known[low]:
                low = middle
            elif known[middle] == known[high]:
                high = middle
            else:
                step(before, low, middle, known)
                low = middle

    def walk(before: tuple[int, ...], weight: Any) -> None:
        known = {k: behaviour(before, k) for k in probed}
        for low, high in pairwise(probed):
            if known[low] != known[high]:
                step(before, low, high, known)
        places = sorted(known)
        start = 0
        for i, k in enumerate(places):
            if i + 1 < len(places) and known[places[i + 1]] == known[k]:
                continue
            end = k + 1
            share = weight * QQ(end - start, SIZE)
            outcome, read = known[k][0]
            if read <= len(before) + 1:
                law[outcome] = law.get(outcome, QQ(0)) + share
            else:
                walk((*before, (start + k) // 2), share)
            start = end

    first, read = ask([LOW / SIZE] * length)
    if not read:
        return {first: QQ(1)}
    walk((), QQ(1))
    return law
