"""The law of a program: randomness is an input, read from named cells, and every path is explored exactly (spec 5).

A *program* is a callable `program(tape) -> outcome`, the outcome hashable. One name is one cell, the same randomness wherever
it is read; no name is a fresh cell. The program runs once a path. A coin is a symbolic number: a comparison splits the
interval its cell is in at the exact threshold, and a path weighs the product of the lengths left. A race reads a vector of
unit exponentials, of which only ratios matter: E / sum(E) is uniform on the simplex, and a comparison cuts simplices exactly.

Cost: the number of paths times the length of one; K draws over V tokens have up to V^K paths, each accept or reject doubles.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NoReturn

from sympy import QQ

from reference.numbers import rational

Outcome = Hashable
LARGEST_BELOW = 4096
"""`below(n)` enumerates n values; beyond this it refuses."""
LARGEST_RACE = 8
"""A race over n tokens cuts a simplex of n corners."""


class TapeError(TypeError):
    """What an exact path cannot represent. It stays on the tape, so the program's own `except` cannot hide it."""


@dataclass
class Simplices:
    """A region of the simplex of noise vectors: (share of the whole, corners) of simplices that do not overlap."""

    parts: list[tuple[Any, list[list[Any]]]]

    @classmethod
    def whole(cls, size: int) -> Simplices:
        """The simplex whose corners are the unit vectors."""
        return cls([(QQ(1), [[QQ(int(i == j)) for j in range(size)] for i in range(size)])])

    @property
    def share(self) -> Any:
        """The probability of the region."""
        return sum((share for share, _ in self.parts), QQ(0))

    def cut(self, i: int, j: int, rate_i: Any, rate_j: Any) -> tuple[Simplices, Simplices]:
        """Where E_i / rate_i < E_j / rate_j, and where not.

        A simplex with corners on both sides is split at the point of one of its edges where the two are equal: putting that
        point in place of either corner leaves the shares in which it divides the edge.
        """
        inside: list[tuple[Any, list[list[Any]]]] = []
        outside: list[tuple[Any, list[list[Any]]]] = []
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
        return Simplices(inside), Simplices(outside)


@dataclass
class Exploration:
    """What exploring a program found.

    law: outcome -> probability, an element of QQ. paths: how often it ran. cells: names it read. read_twice: names of cells
    read more than once on one path. null_events: comparisons `u == c`, which hold with probability 0, as (file, line).
    one_sided: comparisons with a coin, as (file, line), that came out the same on every path: a branch is never reached.
    """

    law: dict[Outcome, Any] = field(default_factory=dict)
    paths: int = 0
    cells: set[Hashable] = field(default_factory=set)
    read_twice: set[Hashable] = field(default_factory=set)
    null_events: set[tuple[str, int]] = field(default_factory=set)
    sides: dict[tuple[str, int], set[bool]] = field(default_factory=dict)

    @property
    def one_sided(self) -> set[tuple[str, int]]:
        """Comparisons of which only one side is ever reached."""
        return {site for site, sides in self.sides.items() if len(sides) == 1}


def site() -> tuple[str, int]:
    """File and line of the program that called into the tape."""
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__") == __name__ and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


class Tape:
    """The randomness of one path: what was decided so far, and what the cells may still be."""

    def __init__(self, script: list[tuple[int, int]], found: Exploration) -> None:
        self.script = script
        self.found = found
        self.position = 0
        self.intervals: dict[Hashable, tuple[Any, Any]] = {}
        self.regions: dict[Hashable, tuple[int, Simplices]] = {}
        self.reads: Counter[Hashable] = Counter()
        self.refusal: TapeError | None = None

    def coin(self, name: Hashable = None) -> Coin:
        """A number uniform on [0, 1)."""
        return Coin(self, self._read(name), QQ(1), QQ(0))

    def categorical(self, law: Sequence[Any], name: Hashable = None) -> int:
        """An index with probability law[i] / sum(law): the inverse CDF, in id order, of the cell."""
        through = list(accumulate(map(rational, law)))
        if not through or min(map(rational, law)) < 0 or not through[-1]:
            self.refuse(f"categorical({list(law)!r}): allowed: weights >= 0, not all 0")
        cell = self._read(name)
        return next(i for i, mass in enumerate(through) if mass and self._below(cell, mass / through[-1]))

    def below(self, n: int, name: Hashable = None) -> int:
        """floor(n u), uniform on 0..n-1; n at most `LARGEST_BELOW`."""
        if isinstance(n, bool) or not isinstance(n, int) or not 0 < n <= LARGEST_BELOW:
            self.refuse(f"below({n!r}): allowed: an integer from 1 to {LARGEST_BELOW}, each value is a path")
        cell, low, high = self._read(name), 0, n
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._below(cell, QQ(middle, n)) else (middle, high)
        return low

    def race(self, rates: Sequence[Any], noise: Hashable = None) -> int:
        """The i with the smallest E_i / rates[i] over the noise vector's unit exponentials; a rate of 0 never wins."""
        exact = [rational(rate) for rate in rates]
        if not 0 < len(exact) <= LARGEST_RACE or min(exact) < 0 or not max(exact):
            self.refuse(f"race({list(rates)!r}): allowed: 1 to {LARGEST_RACE} rates >= 0, not all 0")
        cell = self._read(noise, vector=len(exact))
        running = [i for i, rate in enumerate(exact) if rate]
        best = running[0]
        for i in running[1:]:
            if self._faster(cell, i, best, exact[i], exact[best]):
                best = i
        return best

    def refuse(self, why: str) -> NoReturn:
        """Raise, and keep the refusal on the tape."""
        self.refusal = self.refusal or TapeError(why)
        raise self.refusal

    def _read(self, name: Hashable, vector: int = 0) -> Hashable:
        cell = ("fresh", sum(self.reads.values())) if name is None else name
        self.reads[cell] += 1
        self.found.cells.add(cell)
        if self.reads[cell] > 1:
            self.found.read_twice.add(cell)
        if vector and cell not in self.regions and cell not in self.intervals:
            self.regions[cell] = (vector, Simplices.whole(vector))
        elif not vector and cell not in self.regions:
            self.intervals.setdefault(cell, (QQ(0), QQ(1)))
        elif self.regions.get(cell, (0,))[0] != vector:
            self.refuse(f"cell {cell!r} is read as two kinds of randomness; allowed: one kind and one length a name")
        return cell

    def _choose(self, possible: Sequence[bool]) -> bool:
        """The next decision of this path: the only possible one, or the script's, True first."""
        if len(possible) == 1:
            return possible[0]
        if self.position == len(self.script):
            self.script.append((0, len(possible)))
        choice = possible[self.script[self.position][0]]
        self.position += 1
        return choice

    def _below(self, cell: Hashable, threshold: Any) -> bool:
        """Whether the cell's number is below a threshold; on either side its interval shrinks."""
        low, high = self.intervals[cell]
        answer = self._choose([True] if high <= threshold else [False] if threshold <= low else [True, False])
        self.intervals[cell] = (low, min(high, threshold)) if answer else (max(low, threshold), high)
        return answer

    def _faster(self, cell: Hashable, i: int, j: int, rate_i: Any, rate_j: Any) -> bool:
        """Whether E_i / rate_i < E_j / rate_j; on either side the region shrinks."""
        size, region = self.regions[cell]
        sides = region.cut(i, j, rate_i, rate_j)
        answer = self._choose([side for side, part in zip((True, False), sides, strict=True) if part.parts])
        self.regions[cell] = (size, sides[0] if answer else sides[1])
        return answer

    @property
    def weight(self) -> Any:
        """The probability of this path."""
        weight = QQ(1)
        for low, high in self.intervals.values():
            weight *= high - low
        for _, region in self.regions.values():
            weight *= region.share
        return weight


class Coin:
    """scale * u + offset of one cell's number u: affine arithmetic and comparisons are exact, anything else is refused."""

    __slots__ = ("cell", "offset", "scale", "tape")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tape: Tape, cell: Hashable, scale: Any, offset: Any) -> None:
        self.tape, self.cell, self.scale, self.offset = tape, cell, scale, offset

    def _plus(self, other: Any, sign: int) -> Coin:
        if isinstance(other, Coin):
            if other.cell != self.cell:
                self._no("arithmetic of two coins", "compare each with a number of its own, or read one cell")
            return Coin(self.tape, self.cell, self.scale + sign * other.scale, self.offset + sign * other.offset)
        return Coin(self.tape, self.cell, self.scale, self.offset + sign * self._number(other))

    def _number(self, value: Any) -> Any:
        try:
            return rational(value)
        except ValueError as error:
            self._no(str(error), "an exact number")

    def _no(self, what: str, instead: str) -> NoReturn:
        self.tape.refuse(f"{what} with a coin is not exact; use instead: {instead}")

    def __add__(self, other: Any) -> Coin:
        return self._plus(other, 1)

    def __sub__(self, other: Any) -> Coin:
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Coin:
        return (-self)._plus(other, 1)

    def __neg__(self) -> Coin:
        return self * -1

    def __mul__(self, other: Any) -> Coin:
        if isinstance(other, Coin):
            self._no("a product of coins", "comparisons of each coin with a number")
        factor = self._number(other)
        return Coin(self.tape, self.cell, self.scale * factor, self.offset * factor)

    def __truediv__(self, other: Any) -> Coin:
        if isinstance(other, Coin):
            self._no("a quotient of coins", "comparisons of each coin with a number")
        divisor = self._number(other)
        return Coin(self.tape, self.cell, self.scale / divisor, self.offset / divisor)

    __radd__, __rmul__ = __add__, __mul__

    def _less(self, other: Any) -> bool:
        """self < other; `<=` is the same but for an event of probability 0."""
        difference = self - other
        if difference.scale:
            threshold = -difference.offset / difference.scale
            below = self.tape._below(self.cell, threshold)
            answer = below if difference.scale > 0 else not below
        else:
            answer = bool(difference.offset < 0)
        self.tape.found.sides.setdefault(site(), set()).add(answer)
        return answer

    def __lt__(self, other: Any) -> bool:
        return self._less(other)

    def __le__(self, other: Any) -> bool:
        return self._less(other)

    def __gt__(self, other: Any) -> bool:
        return not self._less(other)

    def __ge__(self, other: Any) -> bool:
        return not self._less(other)

    def __eq__(self, other: object) -> bool:
        difference = self - other
        if difference.scale:
            self.tape.found.null_events.add(site())
            return False
        return bool(difference.offset == 0)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def _refused(self, *_: Any) -> NoReturn:
        self._no("this operation", "comparisons such as u < p, or tape.categorical, tape.below, tape.race")

    __float__ = __int__ = __bool__ = __index__ = __round__ = __floor__ = __ceil__ = __trunc__ = _refused
    __abs__ = __pow__ = __rpow__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = _refused


def explore(program: Callable[[Tape], Outcome]) -> Exploration:
    """Run every path of a program. Raises TapeError if a path asked for what cannot be exact, whatever the program caught."""
    found = Exploration()
    script: list[tuple[int, int]] = []
    while True:
        tape = Tape(script, found)
        try:
            outcome = program(tape)
        finally:
            if tape.refusal:
                raise tape.refusal
        found.law[outcome] = found.law.get(outcome, QQ(0)) + tape.weight
        found.paths += 1
        while script and script[-1][0] + 1 == script[-1][1]:
            script.pop()
        if not script:
            return found
        choice, choices = script.pop()
        script.append((choice + 1, choices))


def law_of(program: Callable[[Tape], Outcome]) -> dict[Outcome, Any]:
    """The exact law of a program's outcome: outcome -> element of QQ; the probabilities sum to 1."""
    return explore(program).law


def cells_read_twice(program: Callable[[Tape], Outcome]) -> set[Hashable]:
    """Names of the cells that some path reads more than once: draws that share one are dependent."""
    return explore(program).read_twice
