"""Checks cvc5's proof certificates (the format CPC) against the SMT-LIB file of a claim, without cvc5.

Every conclusion is computed here, from the rule, its premises and its arguments; what the certificate states is only
compared. So a certificate that passes shows that the assertions cannot all hold, whatever wrote it. What is not known here,
`trust` steps among it, is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from proofs.cpc import arithmetic, rules
from proofs.cpc.reader import Expression, Problem, Refused, build, commands, read_smt2
from proofs.cpc.schemas import schema
from proofs.cpc.terms import FALSE, TRUE, Malformed, Term, apply, constant, require

__all__ = ["Checked", "Problem", "Refused", "check", "read_smt2"]

RULES = rules.RULES | arithmetic.RULES


def infer(rule: str, premises: rules.Terms, args: rules.Terms) -> Term:
    """What follows by the rule of that name; Malformed if nothing does."""
    return (RULES.get(rule) or schema(rule))(premises, args)


@dataclass(frozen=True)
class Checked:
    """A certificate that proves its claim: how many steps it takes, and how often each rule is used."""

    steps: int
    rules: Counter[str]


@dataclass
class Proof:
    """What is known at one point of a certificate."""

    problem: Problem
    terms: dict[str, Term] = field(default_factory=lambda: {"true": TRUE, "false": FALSE})
    scopes: list[dict[str, Term]] = field(default_factory=lambda: [{}])
    """The formulas that have been proved, by name; a new scope under every open assumption, gone with it."""
    open: list[Term] = field(default_factory=list)
    """The open assumptions, one for every scope but the first."""
    rules: Counter[str] = field(default_factory=Counter)

    def follow(self, command: list[Expression]) -> Term | None:
        """Takes one command; the conclusion if it is a step."""
        match command:
            case ["declare-const", str(name), str(sort)]:
                require(self.problem.constants.get(name) == sort, f"{name} of sort {sort} is no constant of the claim")
                self.define(name, constant(name, sort))
            case ["define", str(name), [], body]:
                self.define(name, build(body, self.terms))
            case ["assume", str(name), formula]:
                self.learn(name, self.assertion(formula))
            case ["assume-push", str(name), formula]:
                self.open.append(self.formula(formula))
                self.scopes.append({})
                self.learn(name, self.open[-1])
            case ["step", str(name), *rest]:
                return self.learn(name, self.conclude(rest))
            case ["step-pop", str(name), *rest]:
                require(bool(self.open), "no assumption is open")
                conclusion = self.conclude(rest, closing=self.open.pop())
                self.scopes.pop()
                return self.learn(name, conclusion)
            case _:
                raise Malformed(f"the command {str(command)[:200]} is not known here")
        return None

    def conclude(self, rest: list[Expression], closing: Term | None = None) -> Term:
        """The conclusion of a step; `scope` alone closes an assumption."""
        match rest:
            case [":rule", *_]:
                stated = None
            case [formula, *rest]:
                stated = self.formula(formula)
        match rest:
            case [":rule", str(rule), *named]:
                parts = _parts(named)
            case _:
                raise Malformed("the step names no rule")
        premises = tuple(self.proved(name) for name in parts.get(":premises", []))
        args = tuple(build(a, self.terms) for a in parts.get(":args", []))
        self.rules[rule] += 1
        if closing is not None:
            require(rule == "scope" and len(premises) == 1 and not args, f"{rule} closes no assumption")
            conclusion = apply("=>", closing, premises[0])
        else:
            conclusion = infer(rule, premises, args)
        require(stated in (None, conclusion), f"{rule} concludes {conclusion}, not {stated}")
        return conclusion

    def define(self, name: str, term: Term) -> None:
        """Gives a term a name, once."""
        require(name not in self.terms, f"{name} is defined twice")
        self.terms[name] = term

    def learn(self, name: str, formula: Term) -> Term:
        """Gives a proved formula a name that no formula in sight has."""
        require(not any(name in scope for scope in self.scopes), f"{name} is proved twice")
        self.scopes[-1][name] = formula
        return formula

    def proved(self, name: Expression) -> Term:
        """The formula of a premise, as long as it is in sight."""
        found = [scope[name] for scope in self.scopes if isinstance(name, str) and name in scope]
        require(bool(found), f"the premise {str(name)[:200]} is not in sight")
        return found[0]

    def formula(self, e: Expression) -> Term:
        """A term of sort Bool."""
        term = build(e, self.terms)
        require(term.sort == "Bool", f"{term} is no formula")
        return term

    def assertion(self, e: Expression) -> Term:
        """A formula the claim asserts."""
        formula = self.formula(e)
        require(formula in self.problem.assertions, f"the claim does not assert {formula}")
        return formula


def _parts(named: list[Expression]) -> Mapping[str, list[Expression]]:
    """The premises and the arguments of a step."""
    match named:
        case []:
            return {}
        case [":premises" | ":args" as key, list(values)]:
            return {key: values}
        case [":premises", list(premises), ":args", list(args)]:
            return {":premises": premises, ":args": args}
    raise Malformed("neither premises nor arguments")


def check(certificate: str, problem: Problem) -> Checked:
    """Refuses the certificate, or has followed it from the assertions to `false`, step by step."""
    proof = Proof(problem)
    line, last = 1, None
    for line, command in commands(certificate, enclosed=True):
        try:
            last = proof.follow(command)
        except (Malformed, RecursionError) as error:
            raise Refused(line, str(error)) from error
    if last is not FALSE or proof.open:
        raise Refused(line, "the last step does not prove false from the assertions alone")
    return Checked(proof.rules.total(), proof.rules)
