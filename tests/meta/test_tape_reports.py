"""The tape reports programs whose law would mislead: no randomness, a dead branch, a shared coin, state behind its back."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import count

import pytest
from sympy import QQ

from reference.tape import Tape, TapeError, cells_read_twice, explore, law_of


def line_of(program: object, offset: int) -> int:
    """The line of a program, counted from its `def`."""
    return int(program.__code__.co_firstlineno) + offset  # type: ignore[attr-defined]


@pytest.mark.parametrize("program", [lambda tape: "always", lambda tape: ["always"][tape.categorical([1])]])
def test_program_that_ignores_its_tape(program: Callable[[Tape], str]) -> None:
    """A program with one path has a certain outcome and is reported, whether it looks at the tape or not."""
    found = explore(program)
    assert (found.law, found.paths, found.ignores_tape) == ({"always": QQ(1)}, 1, True)
    assert found.remarks == ["the program ignores its tape: one path, a certain outcome"]


@pytest.mark.parametrize("name", [None, "u"])
def test_program_that_reads_its_tape(name: str | None) -> None:
    """A program that reads a cell once, both of whose sides it takes, is reported for nothing."""
    found = explore(lambda tape: tape.coin(name) < Fraction(1, 3))
    assert not found.ignores_tape
    assert found.remarks == []


def test_branch_that_is_never_reached() -> None:
    """A comparison that comes out the same on every path is named by its line; one that does not is not."""

    def program(tape: Tape) -> int:
        if tape.coin() < 2:
            return int(tape.coin() < Fraction(1, 2))
        return -1

    found = explore(program)
    assert found.law == {0: QQ(1, 2), 1: QQ(1, 2)}
    assert [place[:2] for place in found.one_sided] == [(__file__, line_of(program, 1))]
    (remark,) = found.remarks
    assert f"{__file__}:{line_of(program, 1)}: the comparison is True on every path" in remark


def test_dead_branch_beside_a_living_one() -> None:
    """Two comparisons on one line are told apart."""
    found = explore(lambda tape: (tape.coin() < Fraction(1, 2), tape.coin() < 2))
    assert len(found.sides) == 2
    assert len(found.one_sided) == 1


def test_coin_used_twice() -> None:
    """A cell that one path reads twice is named; cells that different paths read once each are not."""

    def program(tape: Tape) -> tuple[bool, bool]:
        return tape.coin("u") < Fraction(1, 2), tape.coin("u") < Fraction(1, 3)

    def either(tape: Tape) -> bool:
        return tape.coin("u") < Fraction(1, 2) if tape.coin() < Fraction(1, 2) else tape.coin("u") < Fraction(1, 3)

    assert cells_read_twice(program) == {"u"}
    assert explore(program).remarks == ["cell 'u' is read more than once: its draws are dependent"]
    assert cells_read_twice(either) == set()


def test_null_event() -> None:
    """A test for equality with a coin fails on every path, and its line is named."""

    def program(tape: Tape) -> bool:
        return tape.coin() == Fraction(1, 2)

    found = explore(program)
    assert found.law == {False: QQ(1)}
    assert [place[:2] for place in found.null_events] == [(__file__, line_of(program, 1))]
    assert found.remarks[-1] == f"{__file__}:{line_of(program, 1)}: equality with a coin has probability 0"


def test_state_outside_the_tape() -> None:
    """A program that goes another way when the same path is run again is refused, longer or shorter."""
    for bound in (lambda run: Fraction(1, run + 2), lambda run: 1 if run else Fraction(1, 2)):
        runs = count()
        with pytest.raises(TapeError, match="no randomness or state outside the tape"):
            law_of(lambda tape, runs=runs, bound=bound: tape.coin() < bound(next(runs)))
