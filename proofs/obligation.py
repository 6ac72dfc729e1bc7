"""What a claim owes: hypotheses that can hold, a proof by two solvers, and faults that are refuted by a rational witness.

A claim is written once and runs the functions of `reference.pointwise` themselves, on solver terms to be proved and on
rationals to replay a witness. Its right-hand sides use none of these functions, so that no fault can move both sides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import pytest

import proofs
from proofs.provers import PROVERS, Point, Prover
from reference import pointwise
from reference.numbers import NumberSystem, SolverTerms, rationals

Terms = list[Any]
"""A conjunction."""


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
class Claim:
    """For all values of the variables, real or ("Int") whole, the hypotheses imply the conclusion.

    hypotheses(n, *variables) and conclusion(rules, n, *variables) return conjunctions; rules are the pointwise functions.
    """

    slug: str
    sentence: str
    variables: str
    hypotheses: Callable[..., Terms]
    conclusion: Callable[..., Terms]
    mutants: tuple[Mutant, ...]
    sort: str = "Real"
    rules: ModuleType = pointwise

    def __str__(self) -> str:
        return self.slug

    def assumes(self, point: Point) -> bool:
        """Do the hypotheses hold at this rational point, of whole numbers if the claim is about those?"""
        whole = self.sort == "Real" or all(value.denominator == 1 for value in point.values())
        return whole and all_hold(self.hypotheses(rationals, **point))

    def holds(self, point: Point, rules: Any = None) -> bool:
        """Does the conclusion hold at this rational point?"""
        return all_hold(self.conclusion(rules or self.rules, rationals, **point))


def all_hold(terms: Sequence[Any]) -> bool:
    """Every term is true; one that rests on a quotient by zero is not."""
    return all(term is True for term in terms)


def implies(n: NumberSystem, condition: Any, consequence: Any) -> Any:
    """The consequence holds wherever the condition does."""
    return n.either(n.neg(condition), consequence)


class Obligation:
    """A claim as the terms of one solver, about its rules or a mutant of them."""

    def __init__(self, claim: Claim, prover: Prover, rules: Any = None) -> None:
        n = SolverTerms(prover.module, claim.sort)
        terms = n.variables(claim.variables.split())
        hypotheses = claim.hypotheses(n, **terms)
        conclusion = claim.conclusion(rules or claim.rules, n, **terms)
        self.claim, self.prover, self.terms = claim, prover, terms
        self.assumptions = [*hypotheses, *n.side_conditions]
        self.negation = prover.module.Not(prover.module.And(*conclusion))

    def example(self) -> Point | None:
        """A point where the hypotheses hold; None if the claim is vacuous."""
        return self.prover.find(self.assumptions, self.terms)

    def counterexample(self) -> Point | None:
        """A point where the hypotheses hold and the conclusion does not; None if the claim is proved."""
        return self.prover.find([*self.assumptions, self.negation], self.terms)

    def smt2(self) -> str:
        """The question as an SMT-LIB file; `unsat` proves the claim."""
        asserts = [f"(assert {term.sexpr()})" for term in (*self.assumptions, self.negation)]
        quotients = sorted(set(re.findall(r"\bquotient_\d+\b", "\n".join(asserts))))
        constants = [f"(declare-const {name} {self.claim.sort})" for name in (*self.terms, *quotients)]
        logic = "QF_NRA" if self.claim.sort == "Real" else "QF_NIA"
        opening = [f"; {self.claim.slug}: {self.claim.sentence}", f"(set-logic {logic})"]
        return "\n".join([*opening, *constants, *asserts, "(check-sat)", ""])


def every_claim() -> list[Claim]:
    """The claims of every file in this folder."""
    files = (f"proofs.{module.name}" for module in iter_modules(proofs.__path__) if module.name.startswith("test_"))
    return [claim for file in files for claim in getattr(import_module(file), "CLAIMS", ())]


Test = Callable[..., None]


def obligations_of(*claims: Claim) -> tuple[Test, Test, Test, Test]:
    """The four tests of each claim, as functions for a module to name."""
    each_prover = pytest.mark.parametrize("prover", PROVERS, ids=str)
    each_claim = pytest.mark.parametrize("claim", claims, ids=str)
    each_mutant = pytest.mark.parametrize(
        ("claim", "mutant"), [(claim, mutant) for claim in claims for mutant in claim.mutants], ids=str
    )

    @each_prover
    @each_claim
    def test_satisfiable(claim: Claim, prover: Prover) -> None:
        """Some rational point meets the hypotheses, so the claim is not vacuous; its conclusion holds there."""
        point = Obligation(claim, prover).example()
        assert point is not None, f"vacuous: no point meets the hypotheses of: {claim.sentence}"
        assert claim.assumes(point), f"the solver's point {point} does not meet the hypotheses of: {claim.sentence}"
        assert claim.holds(point), f"refuted at {point}: {claim.sentence}"

    @each_prover
    @each_claim
    def test_proved(claim: Claim, prover: Prover) -> None:
        """The solver proves that no real point meets the hypotheses and breaks the conclusion."""
        point = Obligation(claim, prover).counterexample()
        assert point is None, f"refuted at {point}: {claim.sentence}"

    @each_prover
    @each_mutant
    def test_refuted(claim: Claim, mutant: Mutant, prover: Prover) -> None:
        """The fault has a witness that replays on the rationals: the faulty rule breaks the claim, the right one keeps it."""
        rules = mutant.rules()
        point = Obligation(claim, prover, rules).counterexample()
        assert point is not None, f"survived: {mutant} in: {claim.sentence}"
        assert claim.assumes(point), f"the solver's point {point} does not meet the hypotheses of: {claim.sentence}"
        assert not claim.holds(point, rules), f"the witness {point} of {mutant} does not replay in: {claim.sentence}"
        assert claim.holds(point), f"the rule itself, without {mutant}, is refuted at {point}: {claim.sentence}"

    @each_prover
    @each_claim
    def test_exported(claim: Claim, prover: Prover) -> None:
        """The SMT-LIB file that one solver writes is proved by the other."""
        (other,) = (candidate for candidate in PROVERS if candidate is not prover)
        answer = other.reads(Obligation(claim, prover).smt2())
        assert answer == "unsat", f"{other} answers {answer!r} to the file of {prover}: {claim.sentence}"

    return test_satisfiable, test_proved, test_refuted, test_exported
