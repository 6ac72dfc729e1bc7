"""The rules that are one pattern: what is argued and assumed, and what follows. Each is proved here before it is used.

The proof is by cases: the connectives are taken apart until only Boolean constants and linear relations are left, and
Fourier-Motzkin elimination shows that these cannot all hold. So the table below is not to be trusted, only its reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from types import MappingProxyType

from proofs.cpc.reader import Expression, build, commands
from proofs.cpc.terms import (
    ANY_SIGN,
    FALSE,
    SIGNS,
    TRUE,
    Polynomial,
    Term,
    apply,
    combine,
    constant,
    equal,
    negation,
    polynomial,
    require,
    zero,
)

TRUTHS = {"true": TRUE, "false": FALSE}
SORTS = {
    **dict.fromkeys("cfg", ("Bool",)),
    **dict.fromkeys("ij", ("Int",)),
    **dict.fromkeys("ab", ("Real",)),
    **dict.fromkeys("rst", ("Real", "Int")),
    **dict.fromkeys("xyz", ("Bool", "Real", "Int")),
}
"""The sorts that a letter of the table may stand for: r, s and t are of one sort, and so are x, y and z."""

TABLE = """
(refl (x) () (= x x))
(eq_resolve () (f (= f g)) g)
(modus_ponens () (f (=> f g)) g)
(contra () (f (not f)) false)
(split (f) () (or f (not f)))
(true_intro () (f) (= f true))
(true_elim () ((= f true)) f)
(false_intro () ((not f)) (= f false))
(false_elim () ((= f false)) (not f))
(not_not_elim () ((not (not f))) f)
(implies_elim () ((=> f g)) (or (not f) g))
(not_implies_elim1 () ((not (=> f g))) f)
(not_implies_elim2 () ((not (=> f g))) (not g))
(equiv_elim1 () ((= f g)) (or (not f) g))
(equiv_elim2 () ((= f g)) (or f (not g)))
(not_equiv_elim1 () ((not (= f g))) (or f g))
(not_equiv_elim2 () ((not (= f g))) (or (not f) (not g)))
(xor_elim1 () ((xor f g)) (or f g))
(xor_elim2 () ((xor f g)) (or (not f) (not g)))
(not_xor_elim1 () ((not (xor f g))) (or f (not g)))
(not_xor_elim2 () ((not (xor f g))) (or (not f) g))
(ite_elim1 () ((ite c f g)) (or (not c) f))
(ite_elim2 () ((ite c f g)) (or c g))
(not_ite_elim1 () ((not (ite c f g))) (or (not c) (not f)))
(not_ite_elim2 () ((not (ite c f g))) (or c (not g)))
(ite_eq ((ite c x y)) () (ite c (= (ite c x y) x) (= (ite c x y) y)))

(cnf_implies_pos ((=> f g)) () (or (not (=> f g)) (not f) g))
(cnf_implies_neg1 ((=> f g)) () (or (=> f g) f))
(cnf_implies_neg2 ((=> f g)) () (or (=> f g) (not g)))
(cnf_equiv_pos1 ((= f g)) () (or (not (= f g)) (not f) g))
(cnf_equiv_pos2 ((= f g)) () (or (not (= f g)) f (not g)))
(cnf_equiv_neg1 ((= f g)) () (or (= f g) f g))
(cnf_equiv_neg2 ((= f g)) () (or (= f g) (not f) (not g)))
(cnf_xor_pos1 ((xor f g)) () (or (not (xor f g)) f g))
(cnf_xor_pos2 ((xor f g)) () (or (not (xor f g)) (not f) (not g)))
(cnf_xor_neg1 ((xor f g)) () (or (xor f g) (not f) g))
(cnf_xor_neg2 ((xor f g)) () (or (xor f g) f (not g)))
(cnf_ite_pos1 ((ite c f g)) () (or (not (ite c f g)) (not c) f))
(cnf_ite_pos2 ((ite c f g)) () (or (not (ite c f g)) c g))
(cnf_ite_pos3 ((ite c f g)) () (or (not (ite c f g)) f g))
(cnf_ite_neg1 ((ite c f g)) () (or (ite c f g) (not c) (not f)))
(cnf_ite_neg2 ((ite c f g)) () (or (ite c f g) c (not g)))
(cnf_ite_neg3 ((ite c f g)) () (or (ite c f g) (not f) (not g)))

(eq-refl (x) () (= (= x x) true))
(eq-symm (x y) () (= (= x y) (= y x)))
(eq-cond-deq (x y z) ((= (= y z) false)) (= (= (= x y) (= x z)) (and (not (= x y)) (not (= x z)))))
(eq-ite-lift (c x y z) () (= (= (ite c x y) z) (ite c (= x z) (= y z))))
(distinct-binary-elim (x y) () (= (distinct x y) (not (= x y))))

(bool-double-not-elim (f) () (= (not (not f)) f))
(bool-not-true (f) ((= f false)) (= (not f) true))
(bool-not-false (f) ((= f true)) (= (not f) false))
(bool-eq-true (f) () (= (= f true) f))
(bool-eq-false (f) () (= (= f false) (not f)))
(bool-eq-nrefl (f) () (= (= f (not f)) false))
(bool-impl-false1 (f) () (= (=> f false) (not f)))
(bool-impl-false2 (f) () (= (=> false f) true))
(bool-impl-true1 (f) () (= (=> f true) true))
(bool-impl-true2 (f) () (= (=> true f) f))
(bool-impl-elim (f g) () (= (=> f g) (or (not f) g)))
(bool-dual-impl-eq (f g) () (= (and (=> f g) (=> g f)) (= f g)))
(bool-implies-de-morgan (f g) () (= (not (=> f g)) (and f (not g))))
(bool-xor-refl (f) () (= (xor f f) false))
(bool-xor-nrefl (f) () (= (xor f (not f)) true))
(bool-xor-false (f) () (= (xor f false) f))
(bool-xor-true (f) () (= (xor f true) (not f)))
(bool-xor-comm (f g) () (= (xor f g) (xor g f)))
(bool-xor-elim (f g) () (= (xor f g) (= (not f) g)))
(bool-not-xor-elim (f g) () (= (not (xor f g)) (= f g)))
(bool-not-eq-elim1 (f g) () (= (not (= f g)) (= (not f) g)))
(bool-not-eq-elim2 (f g) () (= (not (= f g)) (= f (not g))))
(bool-not-ite-elim (c f g) () (= (not (ite c f g)) (ite c (not f) (not g))))

(ite-true-cond (x y) () (= (ite true x y) x))
(ite-false-cond (x y) () (= (ite false x y) y))
(ite-not-cond (c x y) () (= (ite (not c) x y) (ite c y x)))
(ite-eq-branch (c x) () (= (ite c x x) x))
(ite-then-lookahead (c x y z) () (= (ite c (ite c x y) z) (ite c x z)))
(ite-else-lookahead (c x y z) () (= (ite c x (ite c y z)) (ite c x z)))
(ite-then-neg-lookahead (c x y z) () (= (ite c (ite (not c) x y) z) (ite c y z)))
(ite-else-neg-lookahead (c x y z) () (= (ite c x (ite (not c) y z)) (ite c x y)))
(ite-then-true (c f) () (= (ite c true f) (or c f)))
(ite-then-false (c f) () (= (ite c false f) (and (not c) f)))
(ite-else-true (c f) () (= (ite c f true) (or (not c) f)))
(ite-else-false (c f) () (= (ite c f false) (and c f)))
(ite-then-lookahead-self (c f) () (= (ite c c f) (ite c true f)))
(ite-else-lookahead-self (c f) () (= (ite c f c) (ite c f false)))
(ite-then-lookahead-not-self (c f) () (= (ite c (not c) f) (ite c false f)))
(ite-else-lookahead-not-self (c f) () (= (ite c f (not c)) (ite c f true)))
(ite-neg-branch (c f g) ((= (not g) f)) (= (ite c f g) (= c f)))
(ite-expand (c f g) () (= (ite c f g) (and (or (not c) f) (or c g))))

(arith-elim-gt (t s) () (= (> t s) (not (>= s t))))
(arith-elim-lt (t s) () (= (< t s) (not (>= t s))))
(arith-elim-leq (t s) () (= (<= t s) (>= s t)))
(arith-elim-int-gt (i j) () (= (> i j) (>= i (+ j 1))))
(arith-elim-int-lt (i j) () (= (< i j) (>= j (+ i 1))))
(arith-leq-norm (i j) () (= (<= i j) (not (>= i (+ j 1)))))
(arith-geq-tighten (i j) () (= (not (>= i j)) (>= j (+ i 1))))
(arith-geq-norm1-int (i j) () (= (>= i j) (>= (- i j) 0)))
(arith-geq-norm1-real (a b) () (= (>= a b) (>= (- a b) 0/1)))
(arith-eq-elim-int (i j) () (= (= i j) (and (>= i j) (<= i j))))
(arith-eq-elim-real (a b) () (= (= a b) (and (>= a b) (<= a b))))
(arith-abs-eq (t s) () (= (= (abs t) (abs s)) (or (= t s) (= t (- s)))))
(arith-abs-int-gt (i j) () (= (> (abs i) (abs j))
  (ite (>= i 0) (ite (>= j 0) (> i j) (> i (- j))) (ite (>= j 0) (> (- i) j) (> (- i) (- j))))))
(arith-abs-real-gt (a b) () (= (> (abs a) (abs b))
  (ite (>= a 0/1) (ite (>= b 0/1) (> a b) (> a (- b))) (ite (>= b 0/1) (> (- a) b) (> (- a) (- b))))))
(arith-geq-ite-lift (c t s r) () (= (>= (ite c t s) r) (ite c (>= t r) (>= s r))))
(arith-leq-ite-lift (c t s r) () (= (<= (ite c t s) r) (ite c (<= t r) (<= s r))))
(arith-min-lt1 (t s) () (= (<= (ite (< t s) t s) t) true))
(arith-min-lt2 (t s) () (= (<= (ite (< t s) t s) s) true))
(arith-max-geq1 (t s) () (= (>= (ite (>= t s) t s) t) true))
(arith-max-geq2 (t s) () (= (>= (ite (>= t s) t s) s) true))
"""


@dataclass(frozen=True)
class Schema:
    """A rule whose arguments and premises have fixed patterns, and so has its conclusion."""

    args: list[Expression]
    premises: list[Expression]
    conclusion: Expression

    def __call__(self, premises: tuple[Term, ...], args: tuple[Term, ...]) -> Term:
        """The conclusion for these premises and arguments, if they match."""
        require(len(args) == len(self.args), f"{len(args)} arguments instead of {len(self.args)}")
        require(len(premises) == len(self.premises), f"{len(premises)} premises instead of {len(self.premises)}")
        names = dict(TRUTHS)
        for pattern, term in zip((*self.args, *self.premises), (*args, *premises), strict=True):
            match(pattern, term, names)
        return build(self.conclusion, names)

    def is_a_theorem(self) -> bool:
        """Do the premises imply the conclusion whatever the letters stand for? What holds of reals holds of integers."""
        used = letters([*self.args, *self.premises, self.conclusion])
        for sort in ("Bool", "Real"):
            names = {letter: constant(letter, sort if sort in SORTS[letter] else SORTS[letter][0]) for letter in used} | TRUTHS
            holding = tuple((build(premise, names), True) for premise in self.premises)
            if consistent((*holding, (build(self.conclusion, names), False))):
                return False
        return True


def letters(pattern: Expression) -> set[str]:
    """The letters of a pattern."""
    if isinstance(pattern, str):
        return {pattern} & SORTS.keys()
    return {letter for part in pattern for letter in letters(part)}


def match(pattern: Expression, term: Term, names: dict[str, Term]) -> None:
    """Names the parts of a term that the letters of a pattern stand for; refuses if the term is not of the pattern."""
    if isinstance(pattern, list):
        op, *parts = pattern
        require(term.op == op and len(term.args) == len(parts), f"{term} is not of the pattern {shown(pattern)}")
        for part, argument in zip(parts, term.args, strict=True):
            match(part, argument, names)
    elif pattern in SORTS:
        require(term.sort in SORTS[pattern], f"{term} is no {' or '.join(SORTS[pattern])}")
        require(names.setdefault(pattern, term) is term, f"{term} is not {names[pattern]}")
    else:
        require(term is build(pattern, TRUTHS), f"{term} is not {pattern}")


def shown(pattern: Expression) -> str:
    """A pattern as the table writes it."""
    return pattern if isinstance(pattern, str) else f"({' '.join(map(shown, pattern))})"


@cache
def table() -> Mapping[str, Schema]:
    """The patterns by name."""
    rows: dict[str, Schema] = {}
    for _, row in commands(TABLE):
        match row:
            case [str(name), list(args), list(premises), conclusion] if name not in rows:
                rows[name] = Schema(args, premises, conclusion)
            case _:
                raise AssertionError(f"no row of the table: {row}")
    return rows


@cache
def schema(name: str) -> Schema:
    """The rule of that name; refused if there is none, or if it is not a theorem."""
    require(name in table(), f"the rule {name} is not known here")
    require(table()[name].is_a_theorem(), f"the pattern of {name} is not a theorem")
    return table()[name]


Bound = tuple[Polynomial, bool]
"""p <= 0, or p < 0 if true, with the monomials of p taken for unknowns of their own."""


def consistent(
    claims: tuple[tuple[Term, bool], ...], bounds: tuple[Bound, ...] = (), chosen: Mapping[Term, bool] = MappingProxyType({})
) -> bool:
    """Could each formula have its truth value? False is a proof that they cannot, beside the bounds and the chosen values."""
    if not claims:
        return feasible(bounds)
    (f, wanted), rest = claims[0], claims[1:]

    def some(*cases: Sequence[tuple[Term, bool]]) -> bool:
        """Is one of these cases consistent with the rest?"""
        return any(consistent((*case, *rest), bounds, chosen) for case in cases)

    match f.op:
        case "true" | "false":
            return wanted == (f is TRUE) and some([])
        case "not":
            return some([(f.args[0], not wanted)])
        case "and" | "or":
            parts = [(part, wanted) for part in f.args]
            return some(parts) if wanted == (f.op == "and") else some(*([part] for part in parts))
        case "=>":
            return some([(apply("or", negation(f.args[0]), f.args[1]), wanted)])
        case "xor" | "distinct":
            return some([(equal(*f.args), not wanted)])
        case "ite":
            condition, then, otherwise = f.args
            return some([(condition, True), (then, wanted)], [(condition, False), (otherwise, wanted)])
        case "=" if f.args[0].sort == "Bool":
            left, right = f.args
            return some(*([(left, value), (right, value == wanted)] for value in (True, False)))
        case op if op in SIGNS:
            for t in subterms(f):
                if t.op in ("ite", "abs"):
                    return some(*([(c, value), (replaced(f, t, by), wanted)] for c, value, by in branches_of(t)))
            difference = combine((Fraction(1), polynomial(f.args[0])), (Fraction(-1), polynomial(f.args[1])))
            signs = SIGNS[op] if wanted else ANY_SIGN - SIGNS[op]
            return any(consistent(rest, (*bounds, *of_sign(difference, sign)), chosen) for sign in signs)
    return chosen.get(f, wanted) == wanted and consistent(rest, bounds, {**chosen, f: wanted})


def subterms(t: Term) -> Iterator[Term]:
    """The term and all its parts."""
    yield t
    for argument in t.args:
        yield from subterms(argument)


def replaced(t: Term, old: Term, new: Term) -> Term:
    """The term with one of its parts replaced wherever it occurs."""
    return new if t is old else apply(t.op, *(replaced(a, old, new) for a in t.args)) if t.args else t


def branches_of(t: Term) -> list[tuple[Term, bool, Term]]:
    """A case distinction or an absolute value: a condition, its truth value, and what the term is then."""
    if t.op == "abs":
        return branches_of(apply("ite", apply(">=", t.args[0], zero(t)), t.args[0], apply("-", t.args[0])))
    condition, then, otherwise = t.args
    return [(condition, True, then), (condition, False, otherwise)]


def of_sign(p: Polynomial, sign: int) -> list[Bound]:
    """The bounds that say that the polynomial has this sign."""
    up, down = combine((Fraction(1), p)), combine((Fraction(-1), p))
    return [(up, False), (down, False)] if sign == 0 else [(up if sign < 0 else down, True)]


def rounded(bound: Bound) -> Bound:
    """p < 0 as p + 1 <= 0, where p is an integer."""
    p, strict = bound
    whole = all(c.denominator == 1 for c in p.values()) and all(t.sort == "Int" for monomial in p for t in monomial)
    return (combine((Fraction(1), p), (Fraction(1), {(): Fraction(1)})), False) if strict and whole else bound


def feasible(bounds: Sequence[Bound]) -> bool:
    """Can the unknowns meet all bounds, as reals? They are eliminated one by one, after Fourier and Motzkin."""
    bounds = [rounded(bound) for bound in bounds]
    unknowns = {monomial for p, _ in bounds for monomial in p} - {()}
    while unknowns:
        x = unknowns.pop()
        above = [(p, strict) for p, strict in bounds if p.get(x, 0) > 0]
        below = [(p, strict) for p, strict in bounds if p.get(x, 0) < 0]
        bounds = [(p, strict) for p, strict in bounds if x not in p]
        for (p, one), (q, other) in product(above, below):
            bounds.append((combine((1 / p[x], p), (-1 / q[x], q)), one or other))
    return all(p.get((), 0) < 0 or (not p and not strict) for p, strict in bounds)
