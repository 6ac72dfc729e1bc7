"""The law of a program, read off its tape: literal laws, re-used cells, and what is refused."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from sympy import QQ

from reference.tape import LARGEST_BELOW, Tape, TapeError, cells_read_twice, explore, law_of

P = [Fraction(1, 6), Fraction(1, 2), Fraction(1, 3)]
Q = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]


@dataclass
class Held:
    """A coin in a dataclass."""

    coin: Any


def noisy(draft_noise: Any, residual_noise: Any) -> Callable[[Tape], int]:
    """The token rule with exponential races for the draft and for the residual."""

    def program(tape: Tape) -> int:
        x = tape.race(Q, draft_noise)
        if tape.coin() * Q[x] < P[x]:
            return x
        return tape.race([max(p - q, 0) for p, q in zip(P, Q, strict=True)], residual_noise)

    return program


def test_two_races_over_one_noise_vector() -> None:
    """A residual drawn from the noise that made the draft win gives 1/6, 10/21, 5/14 for a target of 1/6, 1/2, 1/3."""
    assert law_of(noisy("noise", "noise")) == {0: QQ(1, 6), 1: QQ(10, 21), 2: QQ(5, 14)}
    assert cells_read_twice(noisy("noise", "noise")) == {"noise"}


def test_fresh_noise_keeps_the_target() -> None:
    """With a noise vector of its own the residual makes the emitted law the target, and no cell is read twice."""
    for names in ((None, None), ("draft", "residual")):
        assert law_of(noisy(*names)) == {0: QQ(1, 6), 1: QQ(1, 2), 2: QQ(1, 3)}
        assert cells_read_twice(noisy(*names)) == set()


def test_races_of_five_tokens_have_their_rates_as_marginals() -> None:
    """Two races over one vector of five exponentials each have the law of their rates, and dependent winners."""
    first, second = [QQ(k, 15) for k in (1, 2, 3, 4, 5)], [QQ(k, 9) for k in (3, 1, 2, 2, 1)]
    joint = law_of(lambda tape: (tape.race(first, "e"), tape.race(second, "e")))
    for side, rates in ((0, first), (1, second)):
        assert [sum(p for winners, p in joint.items() if winners[side] == i) for i in range(5)] == rates
    assert any(joint.get((i, j), 0) != first[i] * second[j] for i in range(5) for j in range(5))


def test_a_rate_of_zero_never_wins() -> None:
    """A race is among the positive rates."""
    assert law_of(lambda tape: tape.race([0, "1/4", 0, "3/4"])) == {1: QQ(1, 4), 3: QQ(3, 4)}


def test_coin_reused_as_inverse_cdf() -> None:
    """The acceptance coin read again for the residual gives 1/2, 0, 1/2 for a target of 1/2, 1/4, 1/4."""

    def program(tape: Tape) -> int:
        if tape.coin("u") < Fraction(1, 2):
            return 0
        return 1 + tape.categorical([1, 1], "u")

    assert law_of(program) == {0: QQ(1, 2), 2: QQ(1, 2)}
    assert cells_read_twice(program) == {"u"}


@pytest.mark.parametrize(
    ("event", "probability"),
    [
        (lambda u: u < Fraction(1, 3), QQ(1, 3)),
        (lambda u: u <= "1/3", QQ(1, 3)),
        (lambda u: 1 - u < 0.25, QQ(1, 4)),
        (lambda u: Fraction(2, 5) > u * 2, QQ(1, 5)),
        (lambda u: 3 * u - 1 >= u, QQ(1, 2)),
        (lambda u: (u - Fraction(1, 2)) / -2 > 0, QQ(1, 2)),
        (lambda u: u < u + 1, QQ(1)),
        (lambda u: u == Fraction(1, 2), QQ(0)),
        (lambda u: u - u == 0, QQ(1)),
        (lambda u: u <= u, QQ(1)),
        (lambda u: u > +u, QQ(0)),
        (lambda u: u >= u, QQ(1)),
        (lambda u: u < u, QQ(0)),
        (lambda u: 0 * u <= 0, QQ(1)),
        (lambda u: copy.deepcopy(u) < Fraction(1, 2) <= u, QQ(0)),
        (lambda u: dataclasses.astuple(Held(u))[0] < "1/2", QQ(1, 2)),
    ],
)
def test_affine_comparisons_are_exact(event: Callable[[Any], bool], probability: Any) -> None:
    """A comparison of an affine expression in one coin holds with the length of the interval where it does."""
    assert law_of(lambda tape: event(tape.coin())).get(True, QQ(0)) == probability


def test_categorical_normalises_and_skips_zeros() -> None:
    """An index comes with its weight over the sum of weights; one without weight never comes."""
    assert law_of(lambda tape: tape.categorical([2, 0, "1", 0.0])) == {0: QQ(2, 3), 2: QQ(1, 3)}


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_below_is_uniform(n: int) -> None:
    """below(n) is each of 0..n-1 with probability 1/n."""
    assert law_of(lambda tape: tape.below(n)) == {k: QQ(1, n) for k in range(n)}


def test_cells_are_independent_and_names_are_shared() -> None:
    """Two names, or two reads without one, are independent; one name read twice is one number."""

    def both(a: Any, b: Any) -> Any:
        return law_of(lambda tape: (tape.coin(a) < 0.5, tape.coin(b) < 0.5)).get((True, True))

    assert both("a", "b") == both(None, None) == QQ(1, 4)
    assert both("a", "a") == QQ(1, 2)


REFUSED: dict[str, Callable[[Tape], Any]] = {
    "float": lambda tape: float(tape.coin()),
    "int": lambda tape: int(tape.coin()),
    "truth": lambda tape: bool(tape.coin()),
    "log": lambda tape: math.log(tape.coin()),  # type: ignore[arg-type]
    "product": lambda tape: tape.coin() * tape.coin(),
    "two coins": lambda tape: tape.coin() < tape.coin(),
    "quotient": lambda tape: 1 / tape.coin(),
    "power": lambda tape: tape.coin() ** 2,
    "nan": lambda tape: tape.coin() < float("nan"),
    "negative law": lambda tape: tape.categorical([1, -1, 1]),
    "empty law": lambda tape: tape.categorical([]),
    "many values": lambda tape: tape.below(LARGEST_BELOW + 1),
    "long race": lambda tape: tape.race([1] * 9, "e"),
    "divisor of 0": lambda tape: tape.coin() / 0,
    "text": lambda tape: f"{tape.coin()}",
    "format": lambda tape: f"{tape.coin():.2f}",
    "pickled": lambda tape: pickle.dumps(tape.coin()),
    "copied tape": lambda tape: copy.deepcopy(tape),
    "weights by name": lambda tape: tape.categorical({0: 1, 1: 1}),  # type: ignore[arg-type]
    "weights in a string": lambda tape: tape.categorical("11"),
    "no weight": lambda tape: tape.categorical([0, 0]),
    "name without a hash": lambda tape: tape.coin([]),  # type: ignore[arg-type]
    "outcome of a set": lambda tape: {tape.coin("u"): 1},
    "two kinds": lambda tape: (tape.coin("a") < 0.5, tape.race([1, 1], "a")),
    "two lengths": lambda tape: (tape.race([1, 1], "a"), tape.race([1, 1, 1], "a")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusal_cannot_be_swallowed(name: str) -> None:
    """What is not exact is refused, and a program that catches the refusal is refused all the same."""

    def program(tape: Tape) -> int:
        try:
            REFUSED[name](tape)
        except Exception:
            return 0
        return 1

    with pytest.raises(TapeError):
        law_of(program)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda tape: tape.coin(), "coin as a number, a key or text"),
        (lambda tape: (1, tape.coin()), "coin as a number, a key or text"),
        (lambda tape: [tape.below(2)], r"outcome \[0\] \(list\); allowed: a hashable value"),
        (lambda tape: (x for x in range(tape.below(2))), r"\(generator\); allowed: a hashable value"),
        (lambda tape: tape.categorical([1, -1]), r"categorical\[1\] = -1 is negative"),
    ],
)
def test_refusals_say_why(program: Callable[[Tape], Any], message: str) -> None:
    """An outcome that is no value, or holds a coin, and a weight below 0 are refused by name."""
    with pytest.raises(TapeError, match=message):
        law_of(program)


@pytest.mark.parametrize("goes_on", [True, False])
def test_loop_without_a_bound_is_refused(goes_on: bool) -> None:
    """A loop that only ends with probability 1 has paths of every length, and is refused whichever side goes on."""

    def program(tape: Tape) -> int:
        while (tape.coin() < Fraction(1, 2)) == goes_on:
            pass
        return 1

    with pytest.raises(TapeError, match="loops with a bound"):
        law_of(program)


def test_many_paths_are_refused() -> None:
    """Beyond the number of paths that is allowed the exploration stops, and says so; with just as many it does not."""
    with pytest.raises(TapeError, match="more than 9 paths"):
        explore(lambda tape: tape.below(10), most_paths=9)
    assert explore(lambda tape: tape.below(10), most_paths=10).paths == 10


def test_three_races_over_one_vector() -> None:
    """Each of three races, zeros among their rates, keeps the law of its own rates."""
    rates = [[1, 0, 2, 3], [0, 0, 1, 4], [2, 1, 1, 0]]
    joint = law_of(lambda tape: tuple(tape.race(row, "e") for row in rates))
    for k, row in enumerate(rates):
        for i in range(4):
            assert sum((p for winners, p in joint.items() if winners[k] == i), QQ(0)) == QQ(row[i], sum(row))


def test_errors_of_the_program_pass_through() -> None:
    """An exception of the program's own is not the tape's affair."""
    with pytest.raises(KeyError):
        law_of(lambda tape: {}[tape.below(2)])
