"""The exact reference on rows: what it reads, what it refuses, and how a quotient by zero behaves."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sympy import QQ

import reference
from reference.filters import rank
from reference.numbers import Poison, law_of_row, rational, rationals, row_of_rationals
from reference.one_token import residual_mass

NAN, INF = float("nan"), float("inf")
HALF = [QQ(1, 2), QQ(1, 2)]


@pytest.mark.parametrize(
    "row",
    [
        [0.5, 0.5],
        [Fraction(1, 2), Fraction(1, 2)],
        ["1/2", "0.5"],
        ["5e-1", QQ(1, 2)],
        [np.float32(0.5), np.float64(0.5)],
        [np.float16(0.5), 0.5],
        np.array([0.5, 0.5], np.float32),
        (0.5, "1/2"),
    ],
    ids=lambda row: str(row)[:40],
)
def test_numbers_read(row: Any) -> None:
    """Int, float, Fraction, string, numpy scalar and QQ are read exactly, mixed too; results are elements of QQ."""
    law = reference.apply_top_p_top_k(row)
    assert law == HALF
    assert {type(x) for x in law} == {QQ.dtype}


def test_integers_read() -> None:
    """Integers are numbers: Python's and numpy's."""
    assert law_of_row([1, 0]) == law_of_row(np.array([1, 0])) == [QQ(1), QQ(0)]


def test_a_float_means_its_binary_value() -> None:
    """0.1 is not 1/10; "0.1" is."""
    assert rational(0.1) == QQ(3602879701896397, 2**55)
    assert rational(np.float32(0.1)) == QQ(13421773, 2**27)
    assert rational("0.1") == QQ(1, 10)


@pytest.mark.parametrize(
    "value", [NAN, INF, -INF, "nan", "x", "", "1/0", None, True, np.True_, 1j, [1], b"1", np.float32("nan")], ids=repr
)
def test_no_number(value: Any) -> None:
    """What is no finite number is refused, and a row names the entry."""
    with pytest.raises(ValueError, match="is no"):
        rational(value)
    with pytest.raises(ValueError, match=r"p\[1\]: .*is no"):
        row_of_rationals([0.5, value], "p")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([], "p is empty"),
        ([0.5, -0.5, 1], r"p\[1\] = -1/2 is negative"),
        ([2, 1], "p sum to 3; allowed: within 1/1000 of 1"),
        ([0, 0], "p sum to 0"),
        (["0.9989", 0], "p sum to 0.9989"),
        (["1.0011", 0], "p sum to 1.0011"),
    ],
)
def test_no_law(row: Any, message: str) -> None:
    """An empty row, a negative entry, or a sum further than 1/1000 from one is refused: [2, 1] is not renormalised."""
    with pytest.raises(ValueError, match=message):
        law_of_row(row, "p")


def test_law_is_row_over_sum() -> None:
    """A row within 1/1000 of one means row / sum, the edges included."""
    assert law_of_row(["0.999", 0]) == law_of_row(["1.001", 0]) == [QQ(1), QQ(0)]
    assert law_of_row(["0.4995", "0.4995"]) == HALF
    assert law_of_row(["0.25", "0.7495"]) == [QQ(500, 1999), QQ(1499, 1999)]


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "acceptance_probability": lambda p, q: reference.acceptance_probability(p, q, 0),
    "residual_distribution": reference.residual_distribution,
    "speculative_output_marginal": reference.speculative_output_marginal,
    "verify_one_token": lambda p, q: reference.verify_one_token(p, q, 0, coin=0, residual_coin=0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_pairs_refused(name: str) -> None:
    """Two vocabularies, or a row that is no law on either side, are refused."""
    with pytest.raises(ValueError, match=r"2 tokens.*3; allowed: one vocabulary"):
        FUNCTIONS[name](HALF, ["1/2", "1/4", "1/4"])
    for p, q, message in (([2, 1], HALF, "target_p sum to 3"), (HALF, [NAN, 1], r"draft_q\[0\]")):
        with pytest.raises(ValueError, match=message):
            FUNCTIONS[name](p, q)


@pytest.mark.parametrize("token", [-1, 2, True, np.True_, 1.0, NAN, None, "0"], ids=repr)
def test_token_refused(token: Any) -> None:
    """An id outside 0 to V - 1, a bool or a float is refused by name."""
    with pytest.raises(ValueError, match=r"token_id = .*from 0 to 1"):
        reference.acceptance_probability(HALF, HALF, token)
    with pytest.raises(ValueError, match=r"draft_token = .*from 0 to 1"):
        reference.verify_one_token(HALF, HALF, token, coin=0, residual_coin=0)


@pytest.mark.parametrize("coin", [1, 1.0, -0.1, "-1/3", NAN, INF, None, True, "x"], ids=repr)
def test_coin_refused(coin: Any) -> None:
    """A coin outside [0, 1) is refused, in all three places."""
    with pytest.raises(ValueError, match=r"is no|allowed: 0 <= coin < 1"):
        reference.sample_from_distribution(HALF, coin)
    with pytest.raises(ValueError, match=r"is no|allowed: 0 <= coin < 1"):
        reference.verify_one_token(HALF, HALF, 0, coin=coin, residual_coin=0)
    with pytest.raises(ValueError, match=r"is no|allowed: 0 <= residual_coin < 1"):
        reference.verify_one_token(HALF, HALF, 0, coin=0, residual_coin=coin)


def test_one_token_by_hand() -> None:
    """A worked example: p = (1/2, 1/2, 0), q = (1/4, 1/4, 1/2)."""
    p, q = ["1/2", "1/2", 0], ["1/4", "1/4", "1/2"]
    assert [reference.acceptance_probability(p, q, x) for x in range(3)] == [QQ(1), QQ(1), QQ(0)]
    assert reference.residual_distribution(p, q) == [QQ(1, 2), QQ(1, 2), QQ(0)]
    assert reference.speculative_output_marginal(p, q) == [QQ(1, 2), QQ(1, 2), QQ(0)]
    assert residual_mass(law_of_row(p), law_of_row(q)) == reference.total_variation(law_of_row(p), law_of_row(q)) == QQ(1, 2)
    assert reference.verify_one_token(p, q, 2, coin=0, residual_coin="1/2") == (1, False, QQ(0))


@pytest.mark.parametrize(("coin", "token"), [(0, 1), ("0.4999", 1), ("1/2", 3), (0.75, 4), (1 - 2.0**-53, 4)])
def test_sample_by_hand(coin: Any, token: int) -> None:
    """Of (0, 1/2, 0, 1/4, 1/4, 0) each token has its half-open interval of coins, and those without mass have none."""
    assert reference.sample_from_distribution([0, "1/2", 0, "1/4", "1/4", 0], coin) == token


def test_two_coins() -> None:
    """After a rejection the second coin draws from (1/2, 1/2, 0): the first, 0 here, has made its decision."""
    p, q = ["1/2", "1/2", 0], ["1/4", "1/4", "1/2"]
    for residual_coin, token in ((0, 0), ("0.4999", 0), ("1/2", 1)):
        assert reference.verify_one_token(p, q, 2, coin=0, residual_coin=residual_coin) == (token, False, QQ(0))


def test_draft_without_mass() -> None:
    """At q = 0 the acceptance is 1 where p > 0 and 0 where p = 0."""
    p, q = ["1/2", "1/2", 0, 0], ["1/2", 0, "1/2", 0]
    assert [reference.acceptance_probability(p, q, x) for x in range(4)] == [QQ(1), QQ(1), QQ(0), QQ(0)]


def test_rank_breaks_ties_by_id() -> None:
    """Equal values rank by id, lower first."""
    assert rank([1, 3, 2, 3, 1]) == [1, 3, 2, 0, 4]


SPREADING = [operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("operation", SPREADING, ids=lambda operation: operation.__name__)
def test_poison_spreads(operation: Callable[[Any, Any], Any]) -> None:
    """A quotient by zero spreads through arithmetic and order, from either side."""
    poison = rationals.quotient(QQ(1), QQ(0))
    assert isinstance(operation(poison, QQ(1)), Poison)
    assert isinstance(operation(QQ(1), poison), Poison)
    assert isinstance(-poison, Poison)


def test_poison_decides_nothing() -> None:
    """A decision that depends on a quotient by zero raises; a branch not taken is harmless."""
    poison = rationals.quotient(QQ(0), QQ(0))
    with pytest.raises(ZeroDivisionError):
        bool(poison < 1)
    with pytest.raises(ZeroDivisionError):
        rationals.neg(poison)
    with pytest.raises(ZeroDivisionError):
        rationals.both(poison, True)
    assert isinstance(rationals.choose(poison < 1, QQ(1), QQ(2)), Poison)
    assert isinstance(rationals.eq(QQ(0), poison), Poison)
    assert rationals.choose(QQ(0) < QQ(1), QQ(5), poison) == 5
    assert rationals.choose(QQ(1) < QQ(0), poison, QQ(5)) == 5
    assert repr(poison) == "a/0"


def test_quotients_are_exact() -> None:
    """A quotient by anything else is the rational itself."""
    assert rationals.quotient(QQ(1), QQ(3)) == QQ(1, 3)
