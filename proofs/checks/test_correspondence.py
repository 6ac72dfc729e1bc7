"""The proofs are about the reference's own code: a comparison changed inside `reference/` at run time refutes a lemma."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

import pytest

from proofs.claim import Lemma, every_claim
from proofs.obligation import Obligation
from proofs.provers import CVC5
from reference import pointwise

REVERSED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE}
LOOSENED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt}
SAME_AT_THE_TIE = {"minimum", "positive_part"}
"""Rules that give the same value on either side of their comparison where its two sides are equal."""
RULES = [function for _, function in inspect.getmembers(pointwise, inspect.isfunction)]


def comparisons(function: Callable[..., Any], into: dict[type[ast.cmpop], type[ast.cmpop]]) -> Iterator[CodeType]:
    """The code of a function with one of its comparisons changed, for each of them."""
    source = textwrap.dedent(inspect.getsource(function))
    for i in range(sum(isinstance(node, ast.Compare) for node in ast.walk(ast.parse(source)))):
        tree = ast.parse(source)
        node = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)][i]
        node.ops = [into[type(op)]() for op in node.ops]
        scope: dict[str, Any] = {}
        exec(compile(tree, "changed", "exec"), vars(pointwise).copy(), scope)
        yield scope[function.__name__].__code__


def refuted(lemmas: list[Lemma]) -> bool:
    """One of the lemmas has a counterexample, which replays on the rationals."""
    for lemma in lemmas:
        point = Obligation(lemma, CVC5).counterexample()
        if point is not None:
            assert lemma.assumes(point)
            assert not lemma.holds(point)
            return True
    return False


def about(function: FunctionType) -> list[Lemma]:
    """The lemmas with a mutant of this rule."""
    lemmas = [lemma for claim in every_claim() for lemma in claim.lemmas]
    return [lemma for lemma in lemmas if any(mutant.replaces == function.__name__ for mutant in lemma.mutants)]


CHANGES = [
    pytest.param(function, code, id=f"{function.__name__}-{words}-{i}")
    for words, into in (("reversed", REVERSED), ("loosened", LOOSENED))
    for function in RULES
    for i, code in enumerate(comparisons(function, into))
    if not (words == "loosened" and function.__name__ in SAME_AT_THE_TIE)
]


@pytest.mark.parametrize(("function", "code"), CHANGES)
def test_a_changed_comparison_is_refuted(function: FunctionType, code: CodeType, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one comparison of `reference.pointwise` reversed, or its strictness changed, a lemma about it is refuted."""
    monkeypatch.setattr(function, "__code__", code)
    assert refuted(about(function))


def test_all_lemmas_hold_unchanged() -> None:
    """Without a change none of these lemmas is refuted."""
    assert len(CHANGES) >= 15
    assert not refuted([lemma for function in RULES for lemma in about(function)])
