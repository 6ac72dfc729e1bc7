"""What a lemma owes: hypotheses that can hold, a proof by two solvers, a certificate, and faults with a rational witness."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from proofs.claim import Claim, Lemma, Mutant, Point
from proofs.provers import PROVERS, Prover
from reference.numbers import SolverTerms


class Obligation:
    """A lemma as the terms of one solver, about its rules or a mutant of them."""

    def __init__(self, lemma: Lemma, prover: Prover, rules: Any = None) -> None:
        n = SolverTerms(prover.module, lemma.sort)
        terms = n.variables(lemma.variables.split())
        hypotheses = lemma.hypotheses(n, **terms)
        conclusion = lemma.conclusion(rules or lemma.rules, n, **terms)
        self.lemma, self.prover, self.terms = lemma, prover, terms
        self.assumptions = [*hypotheses, *n.side_conditions]
        self.negation = prover.module.Not(prover.module.And(*conclusion))

    def example(self) -> Point | None:
        """A point where the hypotheses hold; None if the lemma is vacuous."""
        return self.prover.find(self.assumptions, self.terms)

    def counterexample(self) -> Point | None:
        """A point where the hypotheses hold and the conclusion does not; None if the lemma is proved."""
        return self.prover.find([*self.assumptions, self.negation], self.terms)

    def smt2(self) -> str:
        """The question as an SMT-LIB file; `unsat` proves the lemma."""
        asserts = [f"(assert {term.sexpr()})" for term in (*self.assumptions, self.negation)]
        quotients = sorted(set(re.findall(r"\bquotient_\d+\b", "\n".join(asserts))))
        constants = [f"(declare-const {name} {self.lemma.sort})" for name in (*self.terms, *quotients)]
        logic = "QF_NRA" if self.lemma.sort == "Real" else "QF_NIA"
        opening = [f"; {self.lemma.slug}: {self.lemma.sentence}", f"(set-logic {logic})"]
        return "\n".join([*opening, *constants, *asserts, "(check-sat)", ""])


Test = Callable[..., None]


def obligations_of(claim: Claim) -> tuple[Test, Test, Test, Test]:
    """The four tests of each lemma of a claim, as functions for a module to name."""
    lemmas = claim.lemmas
    each_prover = pytest.mark.parametrize("prover", PROVERS, ids=str)
    each_lemma = pytest.mark.parametrize("lemma", lemmas, ids=str)
    each_mutant = pytest.mark.parametrize(
        ("lemma", "mutant"), [(lemma, mutant) for lemma in lemmas for mutant in lemma.mutants], ids=str
    )

    @each_prover
    @each_lemma
    def test_satisfiable(lemma: Lemma, prover: Prover) -> None:
        """Some rational point meets the hypotheses, so the lemma is not vacuous; its conclusion holds there."""
        point = Obligation(lemma, prover).example()
        assert point is not None, f"vacuous: no point meets the hypotheses of: {lemma.sentence}"
        assert lemma.assumes(point), f"the solver's point {point} does not meet the hypotheses of: {lemma.sentence}"
        assert lemma.holds(point), f"refuted at {point}: {lemma.sentence}"

    @each_prover
    @each_lemma
    def test_proved(lemma: Lemma, prover: Prover) -> None:
        """The solver proves that no point meets the hypotheses and breaks the conclusion."""
        point = Obligation(lemma, prover).counterexample()
        assert point is None, f"refuted at {point}: {lemma.sentence}"

    @each_prover
    @each_mutant
    def test_refuted(lemma: Lemma, mutant: Mutant, prover: Prover) -> None:
        """The fault has a witness that replays on the rationals: the faulty rule breaks the lemma, the right one keeps it."""
        rules = mutant.rules()
        point = Obligation(lemma, prover, rules).counterexample()
        assert point is not None, f"survived: {mutant} in: {lemma.sentence}"
        assert lemma.assumes(point), f"the solver's point {point} does not meet the hypotheses of: {lemma.sentence}"
        assert not lemma.holds(point, rules), f"the witness {point} of {mutant} does not replay in: {lemma.sentence}"
        assert lemma.holds(point), f"the rule itself, without {mutant}, is refuted at {point}: {lemma.sentence}"

    @each_prover
    @each_lemma
    def test_exported(lemma: Lemma, prover: Prover) -> None:
        """The SMT-LIB file that one solver writes is proved by the other."""
        (other,) = (candidate for candidate in PROVERS if candidate is not prover)
        answer = other.reads(Obligation(lemma, prover).smt2())
        assert answer == "unsat", f"{other} answers {answer!r} to the file of {prover}: {lemma.sentence}"

    return test_satisfiable, test_proved, test_refuted, test_exported
