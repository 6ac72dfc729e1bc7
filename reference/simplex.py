"""Races over shared noise, exactly: regions of the simplex of noise vectors, cut by comparisons of arrival times.

The smallest E_i / rate_i of unit exponentials decides a race (the exponential race; Gumbel-max is the same). Only ratios of
the E_i matter, and E / sum(E) is uniform on the simplex: so a region is a set of simplices, and its probability is the sum of
their shares of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sympy import QQ

Corners = list[list[Any]]


@dataclass(frozen=True)
class Region:
    """Part of the simplex of noise vectors of `size`: (share of the whole, corners) of simplices that do not overlap."""

    size: int
    parts: list[tuple[Any, Corners]]

    @property
    def share(self) -> Any:
        """The probability of the region."""
        return sum((share for share, _ in self.parts), QQ(0))

    def wins(self, rates: Sequence[Any]) -> dict[int, Region]:
        """Winner of another race over the vector, with these rates -> where it wins, for those who can."""
        best, *others = (i for i, rate in enumerate(rates) if rate)
        won = {best: self}
        for i in others:
            ahead: list[tuple[Any, Corners]] = []
            for j, region in won.items():
                inside, won[j] = region.cut(i, j, rates[i], rates[j])
                ahead += inside.parts
            won[i] = Region(self.size, ahead)
        return {i: region for i, region in won.items() if region.parts}

    def cut(self, i: int, j: int, rate_i: Any, rate_j: Any) -> tuple[Region, Region]:
        """Where E_i / rate_i < E_j / rate_j, and where not.

        A simplex with corners on both sides is split at the point of one of its edges where the two are equal: putting that
        point in place of either corner leaves the shares in which it divides the edge.
        """
        inside: list[tuple[Any, Corners]] = []
        outside: list[tuple[Any, Corners]] = []
        waiting = list(self.parts)
        while waiting:
            share, corners = waiting.pop()
            sides = [corner[i] * rate_j - corner[j] * rate_i for corner in corners]
            low, high = min(range(len(sides)), key=sides.__getitem__), max(range(len(sides)), key=sides.__getitem__)
            if sides[high] <= 0:
                inside.append((share, corners))
            elif sides[low] >= 0:
                outside.append((share, corners))
            else:
                weight = sides[high] / (sides[high] - sides[low])  # of the low corner in the point where the two are equal
                point = [weight * a + (1 - weight) * b for a, b in zip(corners[low], corners[high], strict=True)]
                for replaced, part in ((low, weight), (high, 1 - weight)):
                    waiting.append((share * part, [point if k == replaced else c for k, c in enumerate(corners)]))
        return Region(self.size, inside), Region(self.size, outside)


def first_wins(rates: Sequence[Any]) -> dict[int, Region]:
    """Winner of the first race over a vector -> where it wins: there a corner gives way to the point where all tie."""
    size, total = len(rates), sum(rates)
    tie = [rate / total for rate in rates]
    corners = [[QQ(int(i == j)) for j in range(size)] for i in range(size)]
    return {
        i: Region(size, [(tie[i], [tie if k == i else corner for k, corner in enumerate(corners)])])
        for i in range(size)
        if rates[i]
    }
