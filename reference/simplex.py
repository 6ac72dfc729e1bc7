"""Races over shared noise, exactly: regions of the simplex of noise vectors, cut by comparisons of arrival times.

The smallest E_i / rate_i of unit exponentials decides a race (the exponential race; Gumbel-max is the same). Only ratios of
the E_i matter, and E / sum(E) is uniform on the simplex: so a region is a set of simplices, and its probability is the sum of
their shares of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import QQ

Corners = list[list[Any]]


@dataclass(frozen=True)
class Region:
    """Part of the simplex of noise vectors: (share of the whole, corners) of simplices that do not overlap."""

    parts: list[tuple[Any, Corners]]

    @classmethod
    def whole(cls, size: int) -> Region:
        """The simplex whose corners are the unit vectors."""
        return cls([(QQ(1), [[QQ(int(i == j)) for j in range(size)] for i in range(size)])])

    @property
    def share(self) -> Any:
        """The probability of the region."""
        return sum((share for share, _ in self.parts), QQ(0))

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
        return Region(inside), Region(outside)
