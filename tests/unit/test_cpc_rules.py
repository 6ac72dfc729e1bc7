"""The rules of the checker: what each refuses, and that what each concludes holds wherever its premises do."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import prod

import pytest

from proofs import cpc
from proofs.cpc import infer
from proofs.cpc.reader import build, commands
from proofs.cpc.schemas import Schema, schema, table
from proofs.cpc.terms import FALSE, TRUE, Malformed, Term, apply, constant
from tests.unit.test_cpc import SLUGS, certificate, question

LETTERS = {
    **{letter: constant(letter, "Real") for letter in "abcd"},
    **{letter: constant(letter, "Int") for letter in "ij"},
    **{letter: constant(letter, "Bool") for letter in "fgh"},
    **{"true": TRUE, "false": FALSE},
}


def terms(text: str) -> tuple[Term, ...]:
    """The terms of a text over the letters above."""
    ((_, expressions),) = commands(f"({text})")
    return tuple(build(e, LETTERS) for e in expressions)


def test_every_pattern_is_a_theorem() -> None:
    """The premises of every pattern of the table imply its conclusion."""
    for name in table():
        assert schema(name).is_a_theorem()


@pytest.mark.parametrize(
    ("premises", "conclusion"),
    [
        ("()", "(= (> t s) (not (>= t s)))"),
        ("()", "(= (<= t s) (>= t s))"),
        ("()", "(= (< a b) (<= (+ a 1/1) b))"),
        ("()", "(= (> (abs t) (abs s)) (> t s))"),
        ("()", "(= (= i j) (>= i j))"),
        ("()", "(= (ite c x y) x)"),
        ("()", "(= (= x y) (= x z))"),
        ("()", "(or (not (ite c f g)) c f)"),
        ("((=> f g))", "(or f (not g))"),
        ("((or f g))", "f"),
        ("((= (* i 2) j))", "(>= j i)"),
        ("()", "(= (/ t s) t)"),
    ],
)
def test_what_is_no_theorem_is_not_used(premises: str, conclusion: str) -> None:
    """A pattern whose premises do not imply its conclusion is found out."""
    ((_, pattern),) = commands(f"({premises} {conclusion})")
    given, concluded = pattern
    assert isinstance(given, list)
    assert not Schema([], given, concluded).is_a_theorem()


@pytest.mark.parametrize(
    ("rule", "premises", "args", "conclusion"),
    [
        ("symm", "(not (= a b))", "", "(not (= b a))"),
        ("cong", "(= a b)", "(ite f c a)", "(= (ite f c a) (ite f c b))"),
        ("resolution", "(or f g) (or (not f) h)", "true f", "(or g h)"),
        ("resolution", "(not f) f", "false f", "false"),
        ("resolution", "(or f g) (not (or f g))", "true (or f g)", "false"),
        ("chain_m_resolution", "(or f g f) (not f)", "g (@list true) (@list f)", "g"),
        ("factoring", "(or f g f)", "", "(or f g)"),
        ("process_scope", "(=> f (=> g false))", "false", "(not (and f g))"),
        ("process_scope", "(=> f g)", "g", "(=> f g)"),
        ("evaluate", "", "(div (- 7) 2)", "(= (div (- 7) 2) -4)"),
        ("evaluate", "", "(div 7 (- 2))", "(= (div 7 (- 2)) -3)"),
        ("evaluate", "", "(mod (- 7) (- 2))", "(= (mod (- 7) (- 2)) 1)"),
        ("evaluate", "", "(/ 1/1 -2/1)", "(= (/ 1/1 -2/1) -1/2)"),
        ("evaluate", "", "(to_int -1/2)", "(= (to_int -1/2) -1)"),
        ("arith_poly_norm", "", "(= (* (+ a b) (- a b)) (- (* a a) (* b b)))", "(= (* (+ a b) (- a b)) (- (* a a) (* b b)))"),
        ("arith_poly_norm", "", "(= (/ a 2/1) (* 1/2 a))", "(= (/ a 2/1) (* 1/2 a))"),
        ("arith_sum_ub", "(< a b) (= c d) (<= a d)", "", "(< (+ a c a) (+ b d d))"),
        ("arith_sum_ub", "(= a b) (= c d)", "", "(<= (+ a c) (+ b d))"),
        ("arith_mult_neg", "", "i (<= i j)", "(=> (and (< i 0) (<= i j)) (>= (* i i) (* i j)))"),
        ("arith_mult_sign", "", "(and (< a 0/1) (not (= b 0/1))) (* a b b)", None),
        ("arith_trichotomy", "(>= a b) (not (= a b))", "", "(> a b)"),
        ("arith_trichotomy", "(not (< a b)) (not (> a b))", "", "(= a b)"),
        ("int_tight_ub", "(< i 2)", "", "(<= i 1)"),
        ("int_tight_lb", "(> i -2)", "", "(>= i -1)"),
        ("distinct-elim", "", "(= (distinct a b c) (and (not (= a b)) (not (= a c)) (not (= b c))))", None),
        ("aci_norm", "", "(= (and f (and g true) f) (and g f))", "(= (and f (and g true) f) (and g f))"),
    ],
)
def test_what_follows(rule: str, premises: str, args: str, conclusion: str | None) -> None:
    """Each rule concludes what cvc5's documentation says, term by term."""
    assert [infer(rule, terms(premises), terms(args))] == list(terms(conclusion or args)) or conclusion is None


@pytest.mark.parametrize(
    ("rule", "premises", "args"),
    [
        ("symm", "(< a b)", ""),
        ("symm", "(not (<= a b))", ""),
        ("trans", "(= a b) (= c d)", ""),
        ("trans", "", ""),
        ("cong", "(= a b)", "(+ c c)"),
        ("cong", "(< a b)", "(+ c a)"),
        ("cong", "(= a b) (= a b)", "(- a)"),
        ("nary_cong", "(= a b)", "(+ c a)"),
        ("eq_resolve", "f (= g f)", ""),
        ("modus_ponens", "g (=> f g)", ""),
        ("true_elim", "(= f false)", ""),
        ("false_intro", "f", ""),
        ("skolem_intro", "", "(+ a b)"),
        ("resolution", "(or f g) (or (not f) h)", "true g"),
        ("resolution", "(or f g) (or (not f) h)", "false f"),
        ("resolution", "(or f g) (or f h)", "true f"),
        ("resolution", "(or f g) (or (not f) h)", "h f"),
        ("chain_resolution", "(or f g) (not f)", "(@list true true) (@list f g)"),
        ("chain_m_resolution", "(or f g) (not f)", "h (@list true) (@list f)"),
        ("chain_m_resolution", "(or f g) (not f)", "false (@list true) (@list f)"),
        ("chain_m_resolution", "(or f g) (not f)", "g (@list true) (@list h)"),
        ("factoring", "(and f g f)", ""),
        ("reordering", "(or f g)", "(or f h)"),
        ("reordering", "(or f g)", "(or f f)"),
        ("reordering", "(and f g)", "(or f g)"),
        ("and_intro", "f", ""),
        ("and_elim", "(and f g)", "2"),
        ("and_elim", "(and f g)", "-1"),
        ("and_elim", "(and f g)", "1/2"),
        ("and_elim", "(or f g)", "0"),
        ("not_or_elim", "(or f g)", "0"),
        ("not_and", "(not (or f g))", ""),
        ("cnf_and_pos", "", "(or f g) 0"),
        ("cnf_ite_pos1", "", "(ite f a b)"),
        ("aci_norm", "", "(= (and f g) (or f g))"),
        ("aci_norm", "", "(= (and f g) (and f h))"),
        ("aci_norm", "", "(= (+ a b) (+ b a))"),
        ("absorb", "", "(= (or f true) false)"),
        ("absorb", "", "(= (and f true) true)"),
        ("process_scope", "(=> f g)", "f"),
        ("distinct-elim", "", "(= (distinct a b c) (and (not (= a b)) (not (= b c))))"),
        ("distinct-true", "", "(= (distinct a b) true)"),
        ("distinct-true", "", "(= (distinct 1 2 1) true)"),
        ("distinct-false", "", "(= (distinct a b) false)"),
        ("evaluate", "", "(+ a 1/1)"),
        ("evaluate", "", "(/ 1/1 0/1)"),
        ("evaluate", "", "(div 1 0)"),
        ("evaluate", "", "(mod 1 0)"),
        ("arith_poly_norm", "", "(= (* a a) a)"),
        ("arith_poly_norm", "", "(= (/ a b) (* a b))"),
        ("arith_poly_norm", "", "(= (/ a 0/1) a)"),
        ("arith_poly_norm", "", "(= (/ b a) (/ (* 2/1 b) (* 2/1 a)))"),
        ("arith_poly_norm", "", "(= (div i 1) i)"),
        ("arith_poly_norm", "", "(<= a a)"),
        ("arith_poly_norm", "", "(= f f)"),
        ("arith_poly_norm_rel", "(= (* 1/1 (- a b)) (* -1/1 (- b a)))", "(= (>= a b) (>= b a))"),
        ("arith_poly_norm_rel", "(= (* 1/1 (- a b)) (* 1/1 (- c d)))", "(= (>= a b) (> c d))"),
        ("arith_poly_norm_rel", "(= (* 0/1 (- a b)) (* 0/1 (- c d)))", "(= (= a b) (= c d))"),
        ("arith_poly_norm_rel", "(= (* c (- a b)) (* c (- c d)))", "(= (= a b) (= c d))"),
        ("arith_poly_norm_rel", "(= (* 1/1 (- b a)) (* 1/1 (- c d)))", "(= (>= a b) (>= c d))"),
        ("arith_sum_ub", "(< a b) (> c d)", ""),
        ("arith_sum_ub", "(< a b) (>= c d)", ""),
        ("arith_sum_ub", "(< a b) (not (= c d))", ""),
        ("arith_sum_ub", "(< a b)", ""),
        ("arith_sum_ub", "(< a b) (< i j)", ""),
        ("arith_mult_neg", "", "i (< a b)"),
        ("arith_mult_neg", "", "-1/1 (distinct a b)"),
        ("arith_mult_pos", "(< a b)", "2/1 (< a b)"),
        ("arith_mult_sign", "", "(> a 0/1) (* a b)"),
        ("arith_mult_sign", "", "(not (= a 0/1)) (* a a a)"),
        ("arith_mult_sign", "", "(> a 1/1) (* a a)"),
        ("arith_mult_sign", "", "(>= a 0/1) (* a a)"),
        ("arith_mult_sign", "", "(and (> a 0/1) (< a 0/1)) (* a a)"),
        ("arith_mult_abs_comparison", "(>= (abs a) (abs b)) (> (abs c) (abs d))", ""),
        ("arith_mult_abs_comparison", "(> (abs a) (abs b)) (= (abs c) (abs d))", ""),
        ("arith_mult_abs_comparison", "(> (abs a) (abs b)) (and (= (abs c) (abs d)) (not (= d 0/1)))", ""),
        ("arith_mult_abs_comparison", "(and (= (abs c) (abs d)) (not (= c 0/1))) (> (abs a) (abs b))", ""),
        ("arith_mult_abs_comparison", "(> a b) (> c d)", ""),
        ("arith_trichotomy", "(>= a b)", ""),
        ("arith_trichotomy", "(>= a b) (not (= b a))", ""),
        ("arith_trichotomy", "(>= a b) (not (= a c))", ""),
        ("arith_trichotomy", "(>= a b) (not (< a b))", ""),
        ("arith_trichotomy", "(> a b) (not (= a b))", ""),
        ("int_tight_ub", "(< a 2/1)", ""),
        ("int_tight_ub", "(< i j)", ""),
        ("int_tight_ub", "(<= i 2)", ""),
        ("int_tight_lb", "(> a 2/1)", ""),
        ("int_tight_lb", "(< i 2)", ""),
        ("arith-leq-norm", "", "a b"),
        ("arith-geq-tighten", "", "a b"),
        ("arith-int-eq-conflict", "", "i 2/1"),
        ("arith-int-geq-tighten", "", "i 5/2 2"),
        ("arith_reduction", "", "(div i j)"),
        ("trust", "", "false"),
    ],
)
def test_what_does_not_follow(rule: str, premises: str, args: str) -> None:
    """A rule that is used where it does not apply is refused."""
    with pytest.raises(Malformed):
        infer(rule, terms(premises), terms(args))


Use = tuple[tuple[Term, ...], tuple[Term, ...]]


@cache
def uses() -> Mapping[str, list[Use]]:
    """The premises and the arguments that certificates of cvc5 give to each rule."""
    seen: dict[str, list[Use]] = defaultdict(list)

    def recorded(rule: str, premises: tuple[Term, ...], args: tuple[Term, ...]) -> Term:
        seen[rule].append((premises, args))
        return infer(rule, premises, args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpc, "infer", recorded)
        for slug in SLUGS:
            cpc.check(certificate(slug), cpc.read_smt2(question(slug)))
    return seen


class Point(dict[Term, Fraction]):
    """The value of every term where each constant has a small number, drawn when it is first met; 1 is true and 0 is false."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def __missing__(self, t: Term) -> Fraction:
        self[t] = t.value if t.value is not None else Fraction(self.of(t.op, t.sort, [self[a] for a in t.args]))
        return self[t]

    def of(self, op: str, sort: str, x: list[Fraction]) -> Fraction | int | bool:
        """The value of an operator where its arguments have these, written apart from the checker's."""
        match op, x:
            case (("true" | "false"), _):
                return op == "true"
            case _, []:
                return self.draw.choice([0, 1]) if sort == "Bool" else self.draw.choice([-2, -1, 0, 1, 2])
            case "ite", [condition, then, otherwise]:
                return then if condition else otherwise
            case (("+" | "or"), _):
                return sum(x) if op == "+" else max(x)
            case (("*" | "and"), _):
                return prod(x) if op == "*" else min(x)
            case (("-" | "not"), [a]):
                return -a if op == "-" else not a
            case "-", [a, b]:
                return a - b
            case "abs", [a]:
                return max(a, -a)
            case (("to_real" | "@purify"), [a]):
                return a
            case (("=" | "<" | "<=" | ">" | ">="), [a, b]):
                return {"=": a == b, "<": a < b, "<=": not b < a, ">": b < a, ">=": not a < b}[op]
            case "distinct", [a, b]:
                return a != b
            case "=>", [a, b]:
                return not a or bool(b)
        raise AssertionError(f"{op} has no value here")


def test_every_rule_is_sound_at_points() -> None:
    """At every point where the premises hold the conclusion does, whichever uses of a rule are mixed, if it is accepted."""
    draw, tried = random.Random(0), 0
    for rule, seen in uses().items():
        for _ in range(60):
            premises, args = list(draw.choice(seen)[0]), draw.choice(seen)[1]
            for at in range(len(premises) * draw.randrange(2)):
                premises[at] = draw.choice(draw.choice(seen)[0] or premises)
            try:
                conclusion = infer(rule, tuple(premises), args)
            except Malformed:
                continue
            tried += 1
            for seed in range(8):
                point = Point(seed)
                if all(point[f] for f in premises):
                    assert point[conclusion], f"{rule} from {premises} and {args}"
    assert tried > 1000


def test_a_term_without_a_sort_is_refused() -> None:
    """No argument is converted from one sort to another, and a constant has no name of the language."""
    for text in (
        "(+ a i)",
        "(< a i)",
        "(= a f)",
        "(ite a b c)",
        "(ite f a i)",
        "(and f a)",
        "(not f g)",
        "(to_real a)",
        "(- a b c)",
    ):
        with pytest.raises(Malformed):
            terms(text)
    with pytest.raises(Malformed):
        constant("or", "Bool")
    assert apply("+", *terms("a b")) is apply("+", *terms("a b"))
