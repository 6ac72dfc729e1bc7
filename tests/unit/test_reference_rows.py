"""`reference.rows`: a rule on a whole row is the same rule on the rationals, token by token."""

from __future__ import annotations

from fractions import Fraction
from inspect import getmembers, isfunction, signature
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sympy import QQ

import reference
from reference import pointwise
from reference.numbers import Poison, law_of_row, masses_of_row, rationals
from reference.one_token import residual_law, residual_mass
from reference.rows import Row, rows, side_by_side, total

RULES = {name: rule for name, rule in getmembers(pointwise, isfunction) if rule.__module__ == pointwise.__name__}
FOLDS = {"residual_mass_step", "rejection_step"}
"""Rules that add to a number."""
CONDITION = "stays"
"""The parameter of a rule that is true or false at each token."""
DENOMINATORS = ([6, 6, 6], [1, 4, 3], [5, 1, 2])


def plain(found: Any) -> Any:
    """What a rule gives at one token, with a word for poison so that it can be compared."""
    return tuple(map(plain, found)) if isinstance(found, tuple) else "a/0" if isinstance(found, Poison) else found


def at(found: Any, token: int) -> Any:
    """What a rule gives on rows, at one token: a number, an answer, or a pair."""
    if isinstance(found, tuple):
        return tuple(at(part, token) for part in found)
    if isinstance(found, Row):
        return plain(found.numerators[token]) if isinstance(found.numerators[token], Poison) else found[token]
    return plain(found[token])


@pytest.mark.parametrize("name", RULES)
@given(data=st.data())
def test_rules_on_rows(name: str, data: st.DataObject) -> None:
    """Every pointwise rule gives on rows what it gives on rationals at each token, quotients by zero included."""
    rule, drawn = RULES[name], []
    for parameter in list(signature(rule).parameters)[1 + (name in FOLDS) :]:
        if parameter == CONDITION:
            drawn.append(data.draw(st.lists(st.booleans(), min_size=3, max_size=3)))
            continue
        numerators = data.draw(st.lists(st.integers(-3, 6), min_size=3, max_size=3))
        drawn.append(Row(numerators, data.draw(st.sampled_from(DENOMINATORS))))
    tokens = [[row[token] for row in drawn] for token in range(3)]
    if name in FOLDS:
        right = rationals.zero
        for numbers in tokens:
            right = rule(rationals, right, *numbers)
        assert rule(rows, total, *drawn).rationals() == [right] * 3
    else:
        found = rule(rows, *drawn)
        assert [at(found, token) for token in range(3)] == [plain(rule(rationals, *numbers)) for numbers in tokens]


def test_conditions_on_rows() -> None:
    """Conditions combine token by token, and one that depends on a quotient by zero raises where it decides."""
    assert rows.both([True, True, False], [True, False, True]) == [True, False, False]
    assert rows.either([True, False, False], [False, True, False]) == [True, True, False]
    assert rows.neg([True, False]) == [False, True]
    poisoned = rows.quotient(Row([1, 1], [2, 2]), Row([1, 0], [2, 2])) < 1
    for decide in (rows.neg, lambda mask: rows.both(mask, [True] * 2), lambda mask: rows.either(mask, [True] * 2)):
        with pytest.raises(ZeroDivisionError):
            decide(poisoned)


def test_poison_is_no_entry() -> None:
    """A row with a quotient by zero has no rationals, and none is multiplied away."""
    poisoned = rows.quotient(Row([1, 1], [2, 2]), Row([1, 0], [2, 2]))
    with pytest.raises(TypeError):
        poisoned.rationals()
    with pytest.raises(ZeroDivisionError):
        poisoned * poisoned


def weights(entries: Any, size: int = 5) -> Any:
    """Laws of numbers, some of them 0."""
    return (
        st.lists(entries, min_size=size, max_size=size)
        .filter(any)
        .map(lambda row: [Fraction(x) / sum(map(Fraction, row)) for x in row])
    )


LAWS = weights(st.integers(0, 9)) | weights(st.sampled_from([0, 1])) | weights(st.floats(0, 1, width=32))


@given(LAWS, LAWS, st.sampled_from([Fraction, str, float, np.float64]))
@example([Fraction(1, 3), Fraction(2, 3)], [Fraction(0), Fraction(1)], str)
@example([Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)], float)
def test_marginal_by_hand(p: list[Fraction], q: list[Fraction], kind: Any) -> None:
    """Residual and marginal of rows in any numbers are those of a fold written out token by token."""
    target, draft = [kind(x) for x in p], [kind(x) for x in q]
    P, Q = law_of_row(target), law_of_row(draft)
    mass = sum((max(a - b, QQ(0)) for a, b in zip(P, Q, strict=True)), QQ(0))
    assert residual_mass(P, Q) == mass
    residual = [max(a - b, QQ(0)) / mass for a, b in zip(P, Q, strict=True)] if mass else P
    accepted = [min(QQ(1), a / b) if b else QQ(int(a > 0)) for a, b in zip(P, Q, strict=True)]
    rejected = sum((b * (1 - a) for b, a in zip(Q, accepted, strict=True)), QQ(0))
    emitted = [b * a + rejected * r for b, a, r in zip(Q, accepted, residual, strict=True)]
    assert residual_law(P, Q, mass) == reference.residual_distribution(target, draft) == residual
    assert reference.speculative_output_marginal(target, draft) == emitted == P
    assert [reference.acceptance_probability(target, draft, x) for x in range(len(p))] == accepted


def test_masses_of_a_row() -> None:
    """Masses are a row's entries over their common denominator, whatever they sum to."""
    assert masses_of_row(["0.25", Fraction(1, 2), 0.25]) == [1, 2, 1]
    assert masses_of_row(["1/3", "2/3", 0]) == [1, 2, 0]
    assert masses_of_row(["0.4995", "0.4995"]) == [999, 999]


def test_rows_side_by_side() -> None:
    """Two laws share one list of denominators, the least that both have."""
    p, q = side_by_side([1, 2], [1, 1])
    assert (p.numerators, q.numerators, p.denominators) == ([2, 4], [3, 3], [6, 6])
    assert p.denominators is q.denominators
