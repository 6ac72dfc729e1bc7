"""Terms over Bool, Int and Real, their sorts, and the polynomial of an arithmetic term.

Equal terms are one object: a term is built once, compared by identity, and remembers its polynomial.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import count, product

NUMBERS = ("Int", "Real")
ANY_SIGN = frozenset({-1, 0, 1})
SIGNS = {"<": frozenset({-1}), "<=": frozenset({-1, 0}), "=": frozenset({0}), ">=": frozenset({0, 1}), ">": frozenset({1})}
"""What the sign of left - right may be where the relation holds."""
MIRRORED = {"<": ">", "<=": ">=", "=": "=", ">=": "<=", ">": "<"}
CONNECTIVES = frozenset({"not", "and", "or", "=>", "xor", "distinct", "ite"})
FUNCTIONS = frozenset({"+", "-", "*", "/", "div", "mod", "abs", "to_real", "to_int", "@purify", "@list"})
OPERATORS = CONNECTIVES | FUNCTIONS | SIGNS.keys()
WORDS = OPERATORS | {"true", "false", "numeral", "let"}
"""What no constant may be called."""

_serials = count()


class Malformed(ValueError):
    """A term that has no sort, or a rule used where it does not apply."""


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """An operator and its arguments, a numeral with its value, or a constant: its name, without arguments."""

    op: str
    args: tuple[Term, ...]
    sort: str
    value: Fraction | None
    serial: int

    def __str__(self) -> str:
        """As SMT-LIB writes it, but cut after some 200 characters."""
        return _written(self)


def require(holds: bool, reason: str) -> None:
    """Refuses unless it holds."""
    if not holds:
        raise Malformed(reason)


@cache
def _written(t: Term) -> str:
    """A term in a message."""
    if t.value is not None:
        return str(t.value)
    text = f"({t.op} {' '.join(map(str, t.args))})" if t.args else t.op
    return text if len(text) <= 200 else f"{text[:200]} .."


@cache
def _term(op: str, args: tuple[Term, ...], sort: str, value: Fraction | None = None) -> Term:
    """The one term of these parts."""
    return Term(op, args, sort, value, next(_serials))


def numeral(value: Fraction | int, sort: str) -> Term:
    """The number, as an Int or a Real."""
    value = Fraction(value)
    require(sort == "Real" or (sort == "Int" and value.denominator == 1), f"{value} is no {sort}")
    return _term("numeral", (), sort, value)


def constant(name: str, sort: str) -> Term:
    """A constant of the problem."""
    require(name not in WORDS, f"{name} is a word of the language")
    require(sort in ("Bool", *NUMBERS), f"{sort} is no sort known here")
    return _term(name, (), sort)


TRUE, FALSE = _term("true", (), "Bool"), _term("false", (), "Bool")


def truth(holds: bool) -> Term:
    """The formula `true` or `false`."""
    return TRUE if holds else FALSE


def apply(op: str, *args: Term) -> Term:
    """The operator on these arguments; Malformed if their number or their sorts do not fit."""
    return _term(op, args, _sort(op, [a.sort for a in args], len(args)))


def _sort(op: str, sorts: list[str], n: int) -> str:
    """The sort of an application: no argument is converted, and no relation is chained."""
    alike, boolean = len(set(sorts)) == 1, set(sorts) == {"Bool"}
    number = alike and sorts[0] in NUMBERS
    match op:
        case "not" if n == 1 and boolean:
            return "Bool"
        case "and" | "or" if boolean:
            return "Bool"
        case "=>" | "xor" if n == 2 and boolean:
            return "Bool"
        case "=" if n == 2 and alike and sorts[0] != "List":
            return "Bool"
        case "distinct" if n >= 2 and alike and sorts[0] != "List":
            return "Bool"
        case "<" | "<=" | ">=" | ">" if n == 2 and number:
            return "Bool"
        case "ite" if n == 3 and sorts[0] == "Bool" and sorts[1] == sorts[2] != "List":
            return sorts[1]
        case "+" | "*" if number:
            return sorts[0]
        case "-" if n <= 2 and number:
            return sorts[0]
        case "abs" if n == 1 and number:
            return sorts[0]
        case "/" if sorts == ["Real", "Real"]:
            return "Real"
        case "div" | "mod" if sorts == ["Int", "Int"]:
            return "Int"
        case "to_real" if sorts == ["Int"]:
            return "Real"
        case "to_int" if sorts == ["Real"]:
            return "Int"
        case "@purify" if n == 1 and sorts[0] != "List":
            return sorts[0]
        case "@list":
            return "List"
    raise Malformed(f"({op} {' '.join(sorts)}) has no sort" if op in OPERATORS else f"unknown operator {op}")


def negation(f: Term) -> Term:
    """Not f."""
    return apply("not", f)


def equal(left: Term, right: Term) -> Term:
    """left = right."""
    return apply("=", left, right)


def zero(like: Term) -> Term:
    """0, of the sort of that term."""
    return numeral(0, like.sort)


Monomial = tuple[Term, ...]
Polynomial = Mapping[Monomial, Fraction]
"""The coefficients, none of them 0, of products of terms that are no sums and no products; a product is sorted."""


@cache
def polynomial(t: Term) -> Polynomial:
    """The term as a polynomial over the reals; an Int is one of them, and only a constant other than 0 divides."""
    match t.op:
        case "numeral":
            assert t.value is not None
            return {(): t.value} if t.value else {}
        case "+":
            return combine(*((Fraction(1), polynomial(a)) for a in t.args))
        case "-":
            signs = (1, -1) if len(t.args) == 2 else (-1,)
            return combine(*((Fraction(s), polynomial(a)) for s, a in zip(signs, t.args, strict=True)))
        case "*":
            result: Polynomial = {(): Fraction(1)}
            for a in t.args:
                result = _times(result, polynomial(a))
            return result
        case "/" if t.args[1].value:
            return combine((1 / t.args[1].value, polynomial(t.args[0])))
        case "to_real":
            return polynomial(t.args[0])
    return {(t,): Fraction(1)}


def combine(*parts: tuple[Fraction, Polynomial]) -> Polynomial:
    """The sum of the polynomials, each times its factor."""
    total: dict[Monomial, Fraction] = {}
    for factor, p in parts:
        for monomial, coefficient in p.items():
            total[monomial] = total.get(monomial, Fraction(0)) + factor * coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def _times(p: Polynomial, q: Polynomial) -> Polynomial:
    """The product of two polynomials."""
    pairs = product(p.items(), q.items())
    return combine(*((a * b, {tuple(sorted(m + n, key=_serial)): Fraction(1)}) for (m, a), (n, b) in pairs))


def _serial(t: Term) -> int:
    """The order of the factors of a monomial."""
    return t.serial
