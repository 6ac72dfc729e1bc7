"""The law of an engine that takes its coins as numbers: each is one of k / 2^24, and changes of outcome are found exactly.

An outcome is taken for a step function of every coin. A coin is probed on a grid, at the ends, and on both sides of the
thresholds that the right rule has; between two neighbours that differ the step is found by bisection. What was found then
predicts the outcomes of random coins: where it fails they are probed too, and if that does not end, there is no law. A piece
narrower than the grid that no random coin meets is not seen: this is the level "lattice", weaker than a law in the reals.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice, pairwise
from random import Random
from typing import Any

from sympy import QQ

BITS = 24
SIZE = 1 << BITS
"""float32 uniforms are k / 2^24."""
LAST = SIZE - 1
GRID, FINE = 4, 1024
"""Where nothing else is known, a coin is probed at multiples of 1 / GRID; of 1 / FINE for a few laws."""
LOW, HIGH = SIZE // 16 + 1, LAST - SIZE // 16
RESTS = ((LOW, LOW), (LOW, HIGH), (HIGH, LOW), (HIGH, HIGH))
"""What the coins behind the one that is probed are set to, over and over; two values are told apart by what comes out."""
ROUNDS = 6
CHECKS = 16
MOST_QUESTIONS = 8_000

Coins = tuple[int, ...]
Answer = tuple[Any, int]
"""(outcome, how many coins were read)."""
Ask = Callable[[Sequence[float]], Answer]


class Unprobeable(Exception):
    """The engine's law cannot be found by probing: its outcomes are no step functions of few steps."""


@dataclass
class Pieces:
    """A coin's intervals: each ends before `ends[i]` and leads to an outcome, or to the pieces of the next coin."""

    ends: list[int] = field(default_factory=list)
    leads: list[Any] = field(default_factory=list)

    def outcome(self, coins: Coins, at: int = 0) -> Any:
        """What these coins lead to."""
        lead = self.leads[bisect_right(self.ends, coins[at])]
        return lead.outcome(coins, at + 1) if isinstance(lead, Pieces) else lead

    def law(self, weight: Any = 1) -> Iterator[tuple[Any, Any]]:
        """Outcomes with their probabilities."""
        for start, end, lead in zip([0, *self.ends], self.ends, self.leads, strict=False):
            share = weight * QQ(end - start, SIZE)
            if isinstance(lead, Pieces):
                yield from lead.law(share)
            else:
                yield lead, share


def points(thresholds: Iterable[Any], grid: int) -> set[int]:
    """Where a coin is probed: multiples of 1 / grid, the ends, and both sides of each threshold."""
    near = (int(t * SIZE) + step for t in thresholds if 0 < t < 1 for step in (-1, 0))
    return {*range(0, SIZE, SIZE // grid), LAST, *(k for k in near if 0 <= k <= LAST)}


def law_on_lattice(
    ask: Ask, length: int, thresholds: Sequence[Any] = (), checks: int = CHECKS, seed: int = 0, grid: int = GRID
) -> dict[Any, Any]:
    """The law of ask(coins), coins of `length`; `thresholds` are where the right rule changes its mind.

    Raises Unprobeable unless `checks` random coins come out as predicted, in one of a few rounds.
    """
    probed, rests = points(thresholds, grid), list[Coins](RESTS)
    source, asked = Random(seed), 0

    def answer(coins: Coins) -> Answer:
        nonlocal asked
        asked += 1
        if asked > MOST_QUESTIONS + ROUNDS * checks:
            raise Unprobeable(f"{MOST_QUESTIONS} questions do not settle one law")
        return ask([k / SIZE for k in coins])

    def behaviour(before: Coins, k: int) -> tuple[Answer, ...]:
        found: list[Answer] = []
        for rest in rests:
            behind = islice(cycle(rest), len(before) + 1, None) if len(rest) == length else cycle(rest)
            found.append(answer((*before, k, *islice(behind, length - len(before) - 1))))
            if found[-1][1] <= len(before) + 1:  # no coin behind this one was read
                break
        return tuple(found)

    def step(before: Coins, low: int, high: int, known: dict[int, tuple[Answer, ...]]) -> None:
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

    def pieces(before: Coins) -> Pieces:
        known = {k: behaviour(before, k) for k in sorted(probed)}
        for low, high in pairwise(sorted(known)):
            if known[low] != known[high]:
                step(before, low, high, known)
        found, start = Pieces(), 0
        for k, following in pairwise([*sorted(known), SIZE]):
            if following < SIZE and known[following] == known[k]:
                continue
            outcome, read = known[k][0]
            found.ends.append(k + 1)
            found.leads.append(outcome if read <= len(before) + 1 else pieces((*before, (start + k) // 2)))
            start = k + 1
        return found

    first, read = answer((LOW,) * length)
    if not read:
        if any(answer((k,) * length)[0] != first for k in range(checks)):
            raise Unprobeable("it reads no coin, and yet its answers differ: numbers that are not the tape's")
        return {first: QQ(1)}
    for _ in range(ROUNDS):
        found = pieces(())
        drawn = [tuple(source.randrange(SIZE) for _ in range(length)) for _ in range(checks)]
        strays = [coins for coins in drawn if answer(coins)[0] != found.outcome(coins)]
        if not strays:
            law: dict[Any, Any] = {}
            for outcome, share in found.law():
                law[outcome] = law.get(outcome, QQ(0)) + share
            return law
        for coins in strays[:4]:
            rests.append(coins)
            probed |= set(coins[: answer(coins)[1]])
    raise Unprobeable("outcomes change with a coin in more ways than probing finds")
