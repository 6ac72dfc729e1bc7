"""The checker of certificates: it accepts what cvc5 proves, and refuses every change that breaks a proof."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import cvc5
import pytest
import z3

from proofs.claim import every_claim
from proofs.cpc import Problem, Refused, check, read_smt2
from proofs.cpc.terms import Term
from proofs.obligation import Obligation
from proofs.provers import CVC5

SLUGS = ("coin", "coin-ends", "acceptance-range", "nucleus-by-sign", "counts-sum", "one-draw-owned", "product-by-limbs")
OPTIONS = {**CVC5.options, "produce-proofs": "true", "proof-granularity": "dsl-rewrite"}

REAL = """(set-logic QF_NRA)
(declare-const a Real)
(declare-const b Real)
(assert (< a b))
(assert (<= b a))
(check-sat)
"""
REAL_PROOF = """(
(declare-const a Real)
(declare-const b Real)
(define @t1 () (>= a b))
(assume @p1 (< a b))
(assume @p2 (<= b a))
(step @p3 (= (< a b) (not @t1)) :rule arith-elim-lt :args (a b))
(step @p4 :rule eq_resolve :premises (@p1 @p3))
(step @p5 :rule arith-elim-leq :args (b a))
(step @p6 :rule eq_resolve :premises (@p2 @p5))
(step @p7 false :rule contra :premises (@p6 @p4))
)
"""
INT = """(set-logic QF_NIA)
(declare-const i Int)
(declare-const f Bool)
(assert (> i 1))
(assert (< i 2))
(assert (=> f false))
(check-sat)
"""
INT_PROOF = """(
(declare-const i Int)
(assume @p1 (> i 1))
(assume @p2 (< i 2))
(step @p3 :rule int_tight_lb :premises (@p1))
(step @p4 :rule arith-elim-lt :args (i 2))
(step @p5 :rule eq_resolve :premises (@p2 @p4))
(assume-push @p6 (>= i 2))
(step @p7 false :rule contra :premises (@p6 @p5))
(step-pop @p8 :rule scope :premises (@p7))
(step @p9 (not (>= i 2)) :rule process_scope :premises (@p8) :args (false))
(step @p10 false :rule contra :premises (@p3 @p9))
)
"""


@cache
def question(slug: str) -> str:
    """The SMT-LIB file of a lemma."""
    (lemma,) = (lemma for claim in every_claim() for lemma in claim.lemmas if lemma.slug == slug)
    return Obligation(lemma, CVC5).smt2()


@cache
def certificate(slug: str) -> str:
    """cvc5's certificate of a lemma."""
    solver = cvc5.Solver(cvc5.TermManager())
    for option, value in OPTIONS.items():
        solver.setOption(option, str(value))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, question(slug), "claim.smt2")
    while not (command := parser.nextCommand()).isNull():
        command.invoke(solver, parser.getSymbolManager())
    return str(solver.proofToString(solver.getProof()[0], cvc5.ProofFormat.CPC).decode())


def without_line(text: str, line: int) -> str:
    """The text without one of its lines, empty in its place."""
    lines = text.split("\n")
    return "\n".join([*lines[: line - 1], "", *lines[line:]])


@pytest.mark.parametrize("slug", SLUGS)
def test_a_certificate_of_cvc5_is_accepted(slug: str) -> None:
    """What cvc5 proves is followed to the end, every step of it."""
    checked = check(certificate(slug), read_smt2(question(slug)))
    assert checked.steps == len(re.findall(r"^\(step", certificate(slug), re.M)) == checked.rules.total()


def test_nothing_but_python_is_needed() -> None:
    """The checker runs where no package is installed: neither a solver nor arithmetic of others takes part."""
    program = f"from proofs.cpc import check, read_smt2; print(check({REAL_PROOF!r}, read_smt2({REAL!r})).steps)"
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-S", "-c", program], cwd=root, capture_output=True, check=True).stdout == b"5\n"


@pytest.mark.parametrize(("text", "proof", "steps"), [(REAL, REAL_PROOF, 5), (INT, INT_PROOF, 7)])
def test_a_certificate_by_hand_is_accepted(text: str, proof: str, steps: int) -> None:
    """A proof without cvc5 is accepted, for reals and for integers."""
    assert check(proof, read_smt2(text)).steps == steps


@pytest.mark.parametrize(("text", "proof"), [(REAL, REAL_PROOF), (INT, INT_PROOF)])
def test_every_line_is_needed(text: str, proof: str) -> None:
    """A certificate without one of its lines is refused."""
    for line in range(1, proof.count("\n") + 1):
        with pytest.raises(Refused):
            check(without_line(proof, line), read_smt2(text))


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("(assume @p1 (< a b))", "(assume @p1 (<= a b))", 5, "the claim does not assert (<= a b)"),
        ("(assume @p2 (<= b a))", "(assume @p2 (<= b 1/1))", 6, "the claim does not assert"),
        ("(>= a b)", "(> a b)", 7, "arith-elim-lt concludes"),
        ("(>= a b)", "(>= b a)", 7, "arith-elim-lt concludes"),
        ("arith-elim-leq :args (b a)", "arith-elim-leq :args (a b)", 10, "is not"),
        ("eq_resolve :premises (@p2 @p5)", "eq_resolve :premises (@p5 @p2)", 10, "not of the pattern"),
        ("contra :premises (@p6 @p4)", "contra :premises (@p4 @p6)", 11, "is not"),
        ("contra :premises (@p6 @p4)", "contra :premises (@p6 @p8)", 11, "the premise @p8 is not in sight"),
        ("contra :premises (@p6 @p4)", "contra :premises (@p6)", 11, "1 premises instead of 2"),
        ("false :rule contra :premises (@p6 @p4)", "false :rule trust :args (false)", 11, "the rule trust is not known here"),
        ("false :rule contra :premises (@p6 @p4)", "false :rule hole", 11, "the rule hole is not known here"),
        ("false :rule contra :premises (@p6 @p4)", ":rule refl :args (false)", 11, "the last step does not prove false"),
        ("(step @p5", "(assume-push @p5 false)\n(step @p9", 11, "is not"),
        (")\n)\n", ")\n(assume-push @p8 (< a b))\n)\n", 12, "the last step does not prove false"),
        (")\n)\n", ")\n(step @p8 :rule refl :args (a))\n)\n", 12, "the last step does not prove false"),
        (")\n)\n", ")\n) (\n", 12, "text after the end"),
        (")\n)\n", ")\n", 12, "the text ends inside a list"),
        ("(step @p6", "(step @p5", 10, "@p5 is proved twice"),
        ("(define @t1", "(define a", 4, "a is defined twice"),
        ("(declare-const b Real)", "(declare-const b Int)", 3, "b of sort Int is no constant of the claim"),
        ("(declare-const b Real)", "(declare-const c Real)", 3, "c of sort Real is no constant of the claim"),
        ("(>= a b)", "(>= a 0)", 4, "(>= Real Int) has no sort"),
        ("(>= a b)", "(exists a b)", 4, "unknown operator exists"),
        ("(step @p3", "(stop @p3", 7, "is not known here"),
        (":rule arith-elim-lt", ":role arith-elim-lt", 7, "the step names no rule"),
        ("(a b))\n(step @p4", "(a b) :premises ())\n(step @p4", 7, "neither premises nor arguments"),
    ],
)
def test_a_corrupted_certificate_is_refused(old: str, new: str, line: int, reason: str) -> None:
    """A change that breaks the proof is refused, with the line and the reason."""
    assert old in REAL_PROOF
    with pytest.raises(Refused, match=rf"line {line}: .*{re.escape(reason)}"):
        check(REAL_PROOF.replace(old, new, 1), read_smt2(REAL))


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("false :rule contra :premises (@p3 @p9)", "false :rule contra :premises (@p6 @p5)", 12, "@p6 is not in sight"),
        ("(step-pop @p8 :rule scope", "(step @p8 :rule scope", 10, "the rule scope is not known here"),
        ("(step-pop @p8 :rule scope :premises (@p7))", "(step-pop @p8 :rule refl :args (i))", 10, "refl closes no assumption"),
        ("(assume-push @p6 (>= i 2))", "(assume-push @p6 (>= i 3))", 9, "is not"),
        ("(assume-push @p6 (>= i 2))", "(assume-push @p6 i)", 8, "i is no formula"),
        ("(step @p9", "(step-pop @p9", 11, "no assumption is open"),
        ("(assume @p2 (< i 2))", "(assume @p2 (< i 3))", 4, "the claim does not assert"),
    ],
)
def test_an_assumption_ends_with_its_scope(old: str, new: str, line: int, reason: str) -> None:
    """Nothing proved under an assumption is used after it, and no assumption is another than was opened."""
    assert old in INT_PROOF
    with pytest.raises(Refused, match=rf"line {line}: .*{re.escape(reason)}"):
        check(INT_PROOF.replace(old, new, 1), read_smt2(INT))


@pytest.mark.parametrize("slug", SLUGS)
def test_a_certificate_proves_no_other_claim(slug: str) -> None:
    """With any one assertion negated, or left out, the claim is not proved by its certificate."""
    lines = question(slug).split("\n")
    for at, line in enumerate(lines):
        if line.startswith("(assert "):
            for other in ("", f"(assert (not {line.removeprefix('(assert ')})"):
                with pytest.raises(Refused, match="the claim does not assert"):
                    check(certificate(slug), read_smt2("\n".join([*lines[:at], other, *lines[at + 1 :]])))


class Anything(tuple[Term, ...]):
    """Assertions that a certificate names itself."""

    named: list[Term]

    def __contains__(self, formula: object) -> bool:
        assert isinstance(formula, Term)
        self.named.append(formula)
        return True


def written(t: Term) -> str:
    """The term in SMT-LIB, with |t| and @purify spelled out."""
    if t.value is not None:
        size = str(abs(t.value)) if t.sort == "Int" else f"(/ {abs(t.value.numerator)}.0 {t.value.denominator}.0)"
        return f"(- {size})" if t.value < 0 else size
    parts = [written(a) for a in t.args]
    if t.op == "abs":
        return f"(ite (>= {parts[0]} 0) {parts[0]} (- {parts[0]}))"
    return parts[0] if t.op == "@purify" else f"({t.op} {' '.join(parts)})" if parts else t.op


KINDS = (r"@p\d+", r"@t\d+|[a-z_]+\d*", r"-?\d+(/\d+)?", r"[<>=]=?|distinct", r"\+|-|\*", r"[a-z_-]+|=>")
"""Names of proofs, of terms, numerals, relations, operations, and rules and connectives."""


def words_like(word: str, words: list[str]) -> list[str]:
    """The other words of a text that could stand in a word's place."""
    for kind in KINDS:
        if re.fullmatch(kind, word):
            return sorted({other for other in words if re.fullmatch(kind, other)} - {word})
    return []


@pytest.mark.parametrize("slug", SLUGS)
def test_a_changed_word_proves_nothing_false(slug: str) -> None:
    """A certificate with one word changed is refused, or z3 refutes what it then assumes."""
    text, draw = certificate(slug), random.Random(slug)
    constants = read_smt2(question(slug)).constants
    places = [place for place in re.finditer(r"[^\s()]+", text) if not place[0].startswith(":")]
    refused = 0
    for _ in range(60):
        place = draw.choice(places)
        others = words_like(place[0], [other[0] for other in places])
        word = draw.choice(others or ["trust"])
        assumed = Anything()
        assumed.named = []
        try:
            check(text[: place.start()] + word + text[place.end() :], Problem(constants, assumed))
        except Refused:
            refused += 1
            continue
        solver = z3.Solver()
        declared = [f"(declare-const {name} {sort})" for name, sort in constants.items()]
        solver.from_string("\n".join([*declared, *(f"(assert {written(f)})" for f in assumed.named)]))
        assert str(solver.check()) == "unsat", f"{place[0]} at {place.start()} became {word}"
    assert refused >= 30


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(declare-const a Real)", "line 1: the command .* is not known here"),
        ("(set-logic QF_BV)", "line 1: the logic QF_BV is not known here"),
        ("(set-logic QF_NRA)\n(declare-const a Real)\n(declare-const a Real)", "line 3: a cannot be declared"),
        ("(set-logic QF_NRA)\n(declare-const and Real)", "line 2: and is a word of the language"),
        ("(set-logic QF_NRA)\n(declare-const |a| Real)", "line 2: |a| cannot be declared"),
        ("(set-logic QF_NRA)\n(declare-const a String)", "line 2: String is no sort known here"),
        ("(set-logic QF_NRA)\n(assert 1)", "line 2: the assertion is no formula"),
        ("(set-logic QF_NRA)\n(assert (< a 1))", "line 2: unknown name a"),
        ("(set-logic QF_NIA)\n(assert (< 1 2.0))", "line 2: .* has no sort"),
        ("(set-logic QF_NIA)\n(assert (< 1 2 3))", "line 2: .* has no sort"),
        ("(set-logic QF_NRA)\n(assert (let ((true false)) true))", "line 2: .* binds nothing"),
        ("(set-logic QF_NRA)\n(check-sat)\n(assert true)", "line 3: a command after the question"),
        ("(set-logic QF_NRA)\n(assert true)", "line 2: no question at the end"),
        ("(set-logic QF_NRA", "line 1: the text ends inside a list"),
        ("(set-logic QF_NRA))", "line 1: a parenthesis closes nothing"),
        ("sat", "line 1: sat outside a command"),
    ],
)
def test_a_file_that_is_not_understood_is_refused(text: str, reason: str) -> None:
    """An SMT-LIB file with anything that is not known here is refused, with the line."""
    with pytest.raises(Refused, match=reason.replace("|", r"\|")):
        read_smt2(text)


def test_a_let_and_a_numeral_mean_what_smt_lib_says() -> None:
    """Names of a let see only what is outside of it; a numeral is a real where the logic knows no integers."""
    (swapped,) = read_smt2(
        "(set-logic QF_NRA)(declare-const a Real)(declare-const b Real)(assert (let ((a b) (b a)) (< a (+ b 1))))(check-sat)"
    ).assertions
    assert str(swapped) == "(< b (+ a 1))"
    assert swapped.args[1].args[1].sort == "Real"
