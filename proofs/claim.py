"""What is claimed: a statement about every vocabulary, resting on lemmas that solvers decide and on a theorem in Coq.

A lemma is written once and runs the functions of `reference.pointwise` themselves, on solver terms to be proved and on
rationals to replay a witness. Its right-hand sides use none of these functions, so that no fault can move both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import proofs
from reference import pointwise
from reference.numbers import NumberSystem, rationals

Terms = list[Any]
"""A conjunction."""
Point = dict[str, Any]
"""A rational for every variable of a lemma."""


@dataclass(frozen=True)
class Mutant:
    """A faulty version of one function of a module of rules."""

    replaces: str
    by: Callable[..., Any]
    module: ModuleType

    def __str__(self) -> str:
        return self.by.__name__

    def rules(self) -> Any:
        """A copy of the rules with the faulty one in place: the others call it too."""
        spec = find_spec(self.module.__name__)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        assert hasattr(module, self.replaces)
        setattr(module, self.replaces, self.by)
        return module


def replaces(function: str, module: ModuleType = pointwise) -> Callable[[Callable[..., Any]], Mutant]:
    """Makes a mutant of a faulty version of that function, a pointwise one unless a module is given."""
    return lambda by: Mutant(function, by, module)


@dataclass(frozen=True)
class Lemma:
    """For all values of the variables, real or ("Int") whole, the hypotheses imply the conclusion.

    hypotheses(n, *variables) and conclusion(rules, n, *variables) return conjunctions; rules are the pointwise functions.
    uncertified: why no certificate of it is kept, if none is.
    """

    slug: str
    sentence: str
    variables: str
    hypotheses: Callable[..., Terms]
    conclusion: Callable[..., Terms]
    mutants: tuple[Mutant, ...]
    sort: str = "Real"
    rules: ModuleType = pointwise
    uncertified: str = ""

    def __str__(self) -> str:
        return self.slug

    def assumes(self, point: Point) -> bool:
        """Do the hypotheses hold at this rational point, of whole numbers if the lemma is about those?"""
        whole = self.sort == "Real" or all(value.denominator == 1 for value in point.values())
        return whole and all_hold(self.hypotheses(rationals, **point))

    def holds(self, point: Point, rules: Any = None) -> bool:
        """Does the conclusion hold at this rational point?"""
        return all_hold(self.conclusion(rules or self.rules, rationals, **point))


@dataclass(frozen=True)
class Claim:
    """A statement that people rely on: its id is the name of its file, test_<id>.py, and of its theorem in Coq.

    scope: for what it holds; source: the paper's item or the spec's; relied_on_by: what would be wrong without it; theorem:
    the file of proofs/coq/ with the theorem of that name, where there is one.
    """

    id: str
    sentence: str
    scope: str
    source: str
    relied_on_by: str
    lemmas: tuple[Lemma, ...]
    theorem: str = ""

    def __str__(self) -> str:
        return self.id

    @property
    def file(self) -> str:
        """Where it is stated and proved."""
        return f"proofs/test_{self.id}.py"


def all_hold(terms: Sequence[Any]) -> bool:
    """Every term is true; one that rests on a quotient by zero is not."""
    return all(term is True for term in terms)


def implies(n: NumberSystem, condition: Any, consequence: Any) -> Any:
    """The consequence holds wherever the condition does."""
    return n.either(n.neg(condition), consequence)


@cache
def every_claim() -> tuple[Claim, ...]:
    """The claims of every file in this folder, by id."""
    files = (f"proofs.{module.name}" for module in iter_modules(proofs.__path__) if module.name.startswith("test_"))
    return tuple(import_module(file).CLAIM for file in sorted(files))
