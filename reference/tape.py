"""The law of a program: randomness is an input, read from named cells, and every path is explored exactly (spec 5).

A *program* is a callable `program(tape) -> outcome`, the outcome hashable. One name is one cell, the same randomness wherever
it is read; no name is a fresh cell. The program runs once a path, from the start: at a comparison that can fall either way it
forks, and the shares of the two sides, given the path so far, are exact. A coin is a symbolic number, and a comparison splits
the interval its cell is in; a race reads a vector of unit exponentials, and a comparison cuts a region of the simplex.

Cost: the number of paths times the length of one, about 20 microseconds a fork and 2 a branch. K drafts of V tokens have V^K
paths, each accept or reject up to doubles them, a last draw multiplies them by V: a chain has about V^K (V + K (V - 1)).
Two races over one vector of 5 tokens take 10 milliseconds, and eight times as long for every token more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, pairwise
from math import prod
from operator import index
from types import CoroutineType, GeneratorType
from typing import Any, NoReturn

from sympy import QQ

from reference.numbers import rational, row_of_rationals
from reference.simplex import Region, first_wins

Outcome = Hashable
Site = tuple[str, int, int]
"""File, line, and the place in the bytecode, which tells apart two comparisons of one line."""

LARGEST_BELOW = 4096
"""`below(n)` enumerates n values; beyond this it refuses."""
LARGEST_RACE = 8
"""A race over n tokens of a named vector cuts a simplex of n corners."""
LONGEST_PATH = 1000
"""Forks on one path; a loop that only ends with probability 1 has paths of every length."""
LONGEST_WALK = 10_000
"""Steps of a walk."""
MOST_PATHS = 1_000_000
"""Paths of one program, unless `explore` is told otherwise."""

WHOLE = (QQ(0), QQ(1))


class TapeError(TypeError):
    """What an exact path cannot represent. It stays on the tape, so the program's own `except` cannot hide it."""


@dataclass
class Exploration:
    """What exploring a program found.

    law: outcome -> probability, an element of QQ. paths: how often it ran. cells: the names it read. read_twice: names read
    more than once on one path. null_events: comparisons `u == c`, which hold with probability 0. sides: how each comparison
    with a coin came out.
    """

    law: dict[Outcome, Any] = field(default_factory=dict)
    paths: int = 0
    cells: set[Hashable] = field(default_factory=set)
    read_twice: set[Hashable] = field(default_factory=set)
    null_events: set[Site] = field(default_factory=set)
    sides: dict[Site, set[bool]] = field(default_factory=dict)

    @property
    def one_sided(self) -> set[Site]:
        """Comparisons with a coin that came out the same on every path: a branch is never reached."""
        return {place for place, sides in self.sides.items() if len(sides) == 1}

    @property
    def ignores_tape(self) -> bool:
        """Whether there is one path: the outcome is certain, or its randomness is not on the tape."""
        return self.paths == 1

    @property
    def remarks(self) -> list[str]:
        """What a reader should know before trusting the law, in sentences; none of it makes the law wrong."""
        found = ["the program ignores its tape: one path, a certain outcome"] if self.ignores_tape else []
        found += [
            f"cell {name!r} is read more than once: its draws are dependent" for name in sorted(self.read_twice, key=repr)
        ]
        for place in sorted(self.one_sided):
            (side,) = self.sides[place]
            found.append(f"{at(place)}: the comparison is {side} on every path: the other branch is never reached")
        found += [f"{at(place)}: equality with a coin has probability 0" for place in sorted(self.null_events)]
        return found


def at(place: Site) -> str:
    """file:line."""
    return f"{place[0]}:{place[1]}"


def site() -> Site:
    """Where the program called into the tape."""
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__") == __name__ and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno, frame.f_lasti


@dataclass(slots=True)
class Fork:
    """A decision on the current path: the shares of its branches, given the path before it, and the branch taken."""

    shares: list[Any]
    taken: int = 0


class Tape:
    """The randomness of one path: the forks behind it, and what the cells may still be."""

    def __init__(self, script: list[Fork], found: Exploration) -> None:
        self.script = script
        self.found = found
        self.position = 0
        self.fresh = 0
        self.intervals: dict[Hashable, tuple[Any, Any]] = {}
        self.regions: dict[Hashable, Region] = {}
        self.refusal: TapeError | None = None
        self._read_before: set[Hashable] = set()

    def coin(self, name: Hashable = None) -> Coin:
        """A number uniform on [0, 1)."""
        return Coin(self, self._number(name), QQ(1), QQ(0))

    def categorical(self, law: Sequence[Any], name: Hashable = None) -> int:
        """An index with probability law[i] / sum(law): the inverse CDF, in id order, of the cell."""
        weights = self._weights(law, "categorical")
        total = sum(weights)
        cell = self._number(name)
        low, high = self.intervals[cell]
        ends = [end / total for end in accumulate(weights)]
        parts = [(max(low, start), min(high, end)) for start, end in pairwise([QQ(0), *ends])]
        possible = [i for i, (start, end) in enumerate(parts) if start < end]
        drawn = possible[self._choose([(parts[i][1] - parts[i][0]) / (high - low) for i in possible])]
        self.intervals[cell] = parts[drawn]
        return drawn

    def below(self, n: int, name: Hashable = None) -> int:
        """floor(n u), uniform on 0..n-1; n at most `LARGEST_BELOW`."""
        try:
            high = 0 if isinstance(n, bool) else index(n)
        except TypeError:
            high = 0
        if not 0 < high <= LARGEST_BELOW:
            self.refuse(f"below({n!r}); allowed: an integer from 1 to {LARGEST_BELOW}, each value is a path")
        n, cell, low = high, self._number(name), 0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._below(cell, QQ(middle, n)) else (middle, high)
        return low

    def race(self, rates: Sequence[Any], noise: Hashable = None) -> int:
        """The i with the smallest E_i / rates[i] over the noise vector's unit exponentials; a rate of 0 never wins."""
        exact = self._weights(rates, "race")
        if noise is None:  # nobody reads it again: the winner's law is that of the rates
            return self.categorical(exact)
        if len(exact) > LARGEST_RACE:
            self.refuse(f"race over {len(exact)} rates of a named vector; allowed: at most {LARGEST_RACE}")
        cell = self._read(noise)
        region = self.regions.get(cell)
        if cell in self.intervals or (region and region.size != len(exact)):
            self._refuse_second_kind(cell)
        wins = region.wins(exact) if region else first_wins(exact)
        whole = region.share if region else QQ(1)
        winner = list(wins)[self._choose([part.share / whole for part in wins.values()])]
        self.regions[cell] = wins[winner]
        return winner

    def refuse(self, why: str) -> NoReturn:
        """Raise, and keep the refusal on the tape."""
        self.refusal = self.refusal or TapeError(why)
        raise self.refusal

    def _refuse_second_kind(self, cell: Hashable) -> NoReturn:
        self.refuse(f"cell {cell!r} is read as two kinds of randomness; allowed: one kind and one length a name")

    def _weights(self, row: Sequence[Any], what: str) -> list[Any]:
        try:
            weights = row_of_rationals(row, what)
        except ValueError as error:
            self.refuse(str(error))
        for i, weight in enumerate(weights):
            if weight < 0:
                self.refuse(f"{what}[{i}] = {weight} is negative; allowed: >= 0")
        if not any(weights):
            self.refuse(f"{what} is all 0; allowed: a positive weight")
        return weights

    def _read(self, name: Hashable) -> Hashable:
        """The cell of a name, its reading noted; a new cell without."""
        if name is None:
            self.fresh += 1
            return Fork, self.fresh  # no name of a program's own
        if not isinstance(name, Hashable):
            self.refuse(f"cell {name!r}; allowed: a hashable name")
        self.found.cells.add(name)
        if name in self._read_before:
            self.found.read_twice.add(name)
        self._read_before.add(name)
        return name

    def _number(self, name: Hashable) -> Hashable:
        """A cell that holds one uniform number."""
        cell = self._read(name)
        if cell in self.regions:
            self._refuse_second_kind(cell)
        self.intervals.setdefault(cell, WHOLE)
        return cell

    def _choose(self, shares: list[Any]) -> int:
        """The branch that this path takes, of branches with these positive shares."""
        if len(shares) == 1:
            return 0
        if self.position == len(self.script):
            if self.position == LONGEST_PATH:
                self.refuse(f"a path of {LONGEST_PATH} forks; allowed: loops with a bound, every length is a path of its own")
            self.script.append(Fork(shares))
        fork = self.script[self.position]
        if fork.shares != shares:
            self.refuse("the same path forked differently when run again; allowed: no randomness or state outside the tape")
        self.position += 1
        return fork.taken

    def _below(self, cell: Hashable, threshold: Any) -> bool:
        """Whether the cell's number is below a threshold; on either side its interval shrinks."""
        low, high = self.intervals[cell]
        if high <= threshold:
            return True
        if threshold <= low:
            return False
        share = (threshold - low) / (high - low)
        answer = self._choose([share, 1 - share]) == 0
        self.intervals[cell] = (low, threshold) if answer else (threshold, high)
        return answer

    def __reduce_ex__(self, _: Any) -> NoReturn:
        self.refuse("a copy of a tape; allowed: the tape itself, whose forks are explored")


class Coin:
    """scale * u + offset of one cell's number u: affine arithmetic and comparisons are exact, anything else is refused."""

    __slots__ = ("cell", "offset", "scale", "tape")

    def __init__(self, tape: Tape, cell: Hashable, scale: Any, offset: Any) -> None:
        self.tape, self.cell, self.scale, self.offset = tape, cell, scale, offset

    def _plus(self, other: Any, sign: int) -> Coin:
        if isinstance(other, Coin):
            if other.cell != self.cell:
                self._no("two coins in one expression", "compare each with a number, or read one cell twice")
            return Coin(self.tape, self.cell, self.scale + sign * other.scale, self.offset + sign * other.offset)
        return Coin(self.tape, self.cell, self.scale, self.offset + sign * self._number(other))

    def _number(self, value: Any) -> Any:
        try:
            return rational(value)
        except ValueError as error:
            self.tape.refuse(f"beside a coin stands no exact number: {error}")

    def _no(self, what: str, instead: str) -> NoReturn:
        self.tape.refuse(f"{what} is not exact; use instead: {instead}")

    def __add__(self, other: Any) -> Coin:
        return self._plus(other, 1)

    def __sub__(self, other: Any) -> Coin:
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Coin:
        return (-self)._plus(other, 1)

    def __neg__(self) -> Coin:
        return self * -1

    def __pos__(self) -> Coin:
        return self

    def __mul__(self, other: Any) -> Coin:
        if isinstance(other, Coin):
            self._no("a product of coins", "comparisons of each coin with a number")
        factor = self._number(other)
        return Coin(self.tape, self.cell, self.scale * factor, self.offset * factor)

    def __truediv__(self, other: Any) -> Coin:
        if isinstance(other, Coin):
            self._no("a quotient of coins", "comparisons of each coin with a number")
        divisor = self._number(other)
        if not divisor:
            self._no("a coin over 0", "a divisor that is not 0")
        return Coin(self.tape, self.cell, self.scale / divisor, self.offset / divisor)

    __radd__, __rmul__ = __add__, __mul__

    def _less(self, other: Any, at_equality: bool) -> bool:
        """self < other, and at_equality where they are equal: of probability 0, unless the coin cancels."""
        difference = self - other
        if difference.scale:
            threshold = -difference.offset / difference.scale
            below = self.tape._below(self.cell, threshold)
            answer = below if difference.scale > 0 else not below
        else:
            answer = bool(difference.offset < 0) or (at_equality and not difference.offset)
        self.tape.found.sides.setdefault(site(), set()).add(answer)
        return answer

    def __lt__(self, other: Any) -> bool:
        return self._less(other, False)

    def __le__(self, other: Any) -> bool:
        return self._less(other, True)

    def __gt__(self, other: Any) -> bool:
        return not self._less(other, True)

    def __ge__(self, other: Any) -> bool:
        return not self._less(other, False)

    def __eq__(self, other: object) -> bool:
        difference = self - other
        if difference.scale:
            self.tape.found.null_events.add(site())
            return False
        return bool(difference.offset == 0)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __copy__(self) -> Coin:
        return self

    def __deepcopy__(self, _: Any) -> Coin:
        return self

    def __repr__(self) -> str:
        return f"<coin: {self.scale} u + {self.offset}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # a protocol that Python or a library looks for
            raise AttributeError(name)
        self._no(f"coin.{name}", "comparisons such as u < p")

    def _refused(self, *_: Any) -> NoReturn:
        what = sys._getframe(1).f_code.co_name
        self._no(f"a coin as a number, a key or text (in {what})", "u < p, tape.categorical, tape.below or tape.race")

    __float__ = __int__ = __complex__ = __bool__ = __index__ = __round__ = __floor__ = __ceil__ = __trunc__ = _refused
    __abs__ = __invert__ = __pow__ = __rpow__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _refused
    __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __hash__ = __str__ = __format__ = __reduce_ex__ = _refused


def explore(program: Callable[[Tape], Outcome], *, most_paths: int = MOST_PATHS) -> Exploration:
    """Run every path of a program.

    Raises TapeError if a path asks for what cannot be exact, whatever the program catches; if a path run again forks another
    way, as it does where randomness from elsewhere reaches a fork; and beyond `most_paths` paths.
    """
    found = Exploration()
    script: list[Fork] = []
    while True:
        tape = Tape(script, found)
        try:
            outcome = program(tape)
            if tape.position < len(script):
                tape.refuse("the same path ended earlier when run again; allowed: no randomness or state outside the tape")
            if not isinstance(outcome, Hashable) or isinstance(outcome, (GeneratorType, CoroutineType)):
                tape.refuse(f"outcome {outcome!r} ({type(outcome).__name__}); allowed: a hashable value, such as a tuple")
            share = prod((fork.shares[fork.taken] for fork in script), start=QQ(1))
            found.law[outcome] = found.law.get(outcome, QQ(0)) + share
        finally:
            if tape.refusal:
                raise tape.refusal
        found.paths += 1
        while script and script[-1].taken + 1 == len(script[-1].shares):
            script.pop()
        if not script:
            return found
        if found.paths >= most_paths:
            raise TapeError(f"more than {most_paths} paths; allowed: fewer, or a larger most_paths")
        script[-1].taken += 1


def law_of(program: Callable[[Tape], Outcome]) -> dict[Outcome, Any]:
    """The exact law of a program's outcome: outcome -> element of QQ; the probabilities sum to 1."""
    return explore(program).law


def cells_read_twice(program: Callable[[Tape], Outcome]) -> set[Hashable]:
    """Names of the cells that some path reads more than once: draws that share one are dependent."""
    return explore(program).read_twice


def law_of_walk(
    start: Outcome, step: Callable[[Any, Tape], Outcome], ended: Callable[[Any], bool], *, most_paths: int = MOST_PATHS
) -> dict[Any, Any]:
    """The law of the last state of a walk from `start`: step(state, tape) is a program whose outcome is the next state.

    The states reached after as many steps are explored once each, however many paths lead there: much cheaper than the same
    walk on one tape, and the same law as long as no step reads a cell that an earlier one read: TapeError if it does.
    """
    law: dict[Any, Any] = {}
    reached = {start: QQ(1)}
    read: set[Hashable] = set()
    for _ in range(LONGEST_WALK):
        following: dict[Any, Any] = {}
        reading: set[Hashable] = set()
        for state, probability in reached.items():
            if ended(state):
                law[state] = law.get(state, QQ(0)) + probability
                continue
            found = explore(partial(step, state), most_paths=most_paths)
            if found.cells & read:
                raise TapeError(f"two steps read {found.cells & read}; allowed: cells of their own, or the walk on one tape")
            reading |= found.cells
            for outcome, share in found.law.items():
                following[outcome] = following.get(outcome, QQ(0)) + probability * share
        reached, read = following, read | reading
        if not reached:
            return law
    raise TapeError(f"a walk of more than {LONGEST_WALK} steps, now at {min(reached, key=repr)!r}; allowed: one that ends")
