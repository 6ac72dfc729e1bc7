"""The two solvers behind one question: is there a point where all these assertions hold?

An answer is a point of exact rationals or a proof that there is none. `unknown`, a time limit included, is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import cvc5
import cvc5.pythonic
import z3

from proofs.claim import Point
from reference.numbers import rational

MILLISECONDS = 5_000


class Unknown(Exception):
    """The solver gave no answer: neither a proof nor a counterexample."""


@dataclass(frozen=True)
class Prover:
    """A solver module with `z3`'s interface and the options it runs with."""

    name: str
    module: Any
    options: Mapping[str, Any]
    reads: Callable[[str], str]
    package: str

    def __str__(self) -> str:
        return self.name

    @property
    def version(self) -> str:
        """Its name and version."""
        return f"{self.name} {metadata.version(self.package)}"

    def find(self, assertions: Iterable[Any], variables: Mapping[str, Any]) -> Point | None:
        """A point where every assertion holds; None if the solver proves that there is none.

        Raises Unknown for any other answer, and AttributeError for a point that is not rational.
        """
        solver = self.module.Solver()
        for option, value in self.options.items():
            solver.set(option, value)
        solver.add(*assertions)
        answer = str(solver.check())
        if answer == "unsat":
            return None
        if answer != "sat":
            raise Unknown(f"{self.name}: {answer} ({solver.reason_unknown()})")
        model = solver.model()
        return {name: number(model.eval(term, model_completion=True)) for name, term in variables.items()}


def number(value: Any) -> Any:
    """A solver's real or integer as an element of QQ."""
    return rational(value.as_fraction() if value.is_real() else value.as_long())


def z3_reads(text: str) -> str:
    """z3's answer to an SMT-LIB file."""
    solver = z3.Solver()
    solver.set("timeout", MILLISECONDS)
    solver.from_string(text)
    return str(solver.check())


def cvc5_reads(text: str) -> str:
    """cvc5's answer to an SMT-LIB file."""
    solver = cvc5.Solver(cvc5.TermManager())
    for option, value in CVC5.options.items():
        solver.setOption(option, str(value))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "claim.smt2")
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer += str(command.invoke(solver, parser.getSymbolManager()))
    return answer.strip()


Z3 = Prover("z3", z3, {"timeout": MILLISECONDS}, z3_reads, "z3-solver")
CVC5 = Prover("cvc5", cvc5.pythonic, {"tlimit-per": MILLISECONDS, "nl-cov": "false", "nl-ext": "full"}, cvc5_reads, "cvc5")
PROVERS = (Z3, CVC5)
