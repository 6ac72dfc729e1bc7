"""The rules of arithmetic that are no linear pattern: polynomials, sums, products and their signs, values, integers.

Names and meanings are those of cvc5's documentation of its proof rules; each function states what follows from what.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil, floor, prod

from proofs.cpc.rules import Terms, expect, named, only, taken
from proofs.cpc.terms import (
    ANY_SIGN,
    FALSE,
    MIRRORED,
    NUMBERS,
    SIGNS,
    TRUE,
    Malformed,
    Term,
    apply,
    equal,
    numeral,
    polynomial,
    require,
    truth,
    zero,
)


def relation(f: Term) -> tuple[str, Term, Term]:
    """The relation of two numbers, with its sides."""
    require(f.op in SIGNS and len(f.args) == 2 and f.args[0].sort in NUMBERS, f"{f} relates no numbers")
    return f.op, f.args[0], f.args[1]


def known(t: Term) -> Fraction:
    """The value of a numeral."""
    require(t.value is not None, f"{t} is no numeral")
    assert t.value is not None
    return t.value


def value(t: Term) -> Fraction:
    """The value of a term without constants, 1 for true and 0 for false; refused where a divisor is 0."""
    if t.op in ("true", "false", "numeral"):
        return known(t) if t.op == "numeral" else Fraction(t is TRUE)
    if t.op == "ite":
        return value(t.args[1] if value(t.args[0]) else t.args[2])
    values = [value(a) for a in t.args]
    match t.op, values:
        case "+", _:
            return sum(values, Fraction(0))
        case "*", _:
            return prod(values, start=Fraction(1))
        case "-", [a]:
            return -a
        case "-", [a, b]:
            return a - b
        case "/", [a, b] if b:
            return a / b
        case "div", [a, b] if b:
            return Fraction(a // b if b > 0 else -(a // -b))
        case "mod", [a, b] if b:
            return a % abs(b)
        case "abs", [a]:
            return abs(a)
        case "to_real", [a]:
            return a
        case "to_int", [a]:
            return Fraction(floor(a))
        case (("=" | "<" | "<=" | ">=" | ">"), [a, b]):
            return Fraction((a > b) - (a < b) in SIGNS[t.op])
        case "distinct", _:
            return Fraction(len(set(values)) == len(values))
        case "not", [a]:
            return 1 - a
        case "and", _:
            return Fraction(all(values))
        case "or", _:
            return Fraction(any(values))
        case "=>", [a, b]:
            return Fraction(a <= b)
        case "xor", [a, b]:
            return Fraction(a != b)
    raise Malformed(f"{t} has no value")


def evaluate(premises: Terms, args: Terms) -> Term:
    """t = its value, for a term without constants."""
    (t,) = only(premises, args, 1)
    return equal(t, truth(value(t) == 1) if t.sort == "Bool" else numeral(value(t), t.sort))


def arith_poly_norm(premises: Terms, args: Terms) -> Term:
    """The given s = t, if both are the same polynomial."""
    (equality,) = only(premises, args, 1)
    _, left, right = relation(equality)
    require(equality.op == "=" and polynomial(left) == polynomial(right), f"{left} and {right} are different polynomials")
    return equality


def scaled(t: Term, left: Term, right: Term) -> Fraction:
    """The factor c of a term c * (left - right), be the difference converted to a real or not."""
    factor, difference = taken(t, "*", 2)
    inner = difference.args[0] if difference.op == "to_real" else difference
    require(inner is apply("-", left, right), f"{difference} is not the difference of {left} and {right}")
    require(known(factor) != 0, "the factor is 0")
    return known(factor)


def arith_poly_norm_rel(premises: Terms, args: Terms) -> Term:
    """From c (a - b) = d (s - t): the given (a r b) = (s r t); c and d are not 0, and of one sign unless r is equality."""
    (premise,), (equality,) = expect(premises, 1, "premises"), expect(args, 1, "arguments")
    (op, a, b), (other, s, t) = map(relation, taken(equality, "=", 2))
    ours, theirs = taken(premise, "=", 2)
    c, d = scaled(ours, a, b), scaled(theirs, s, t)
    require(op == other and (op == "=" or c * d > 0), f"{premise} does not make the relations equal")
    return equality


def arith_sum_ub(premises: Terms, args: Terms) -> Term:
    """From a < b or a <= b or a = b, ..: the sum of the left sides <= that of the right; <, if one premise is <."""
    expect(args, 0, "arguments")
    require(len(premises) >= 2, "less than two premises")
    parts = [relation(f) for f in premises]
    require({op for op, _, _ in parts} <= {"<", "<=", "="}, "a premise is no upper bound")
    strict = any(op == "<" for op, _, _ in parts)
    return apply("<" if strict else "<=", apply("+", *(a for _, a, _ in parts)), apply("+", *(b for _, _, b in parts)))


def arith_mult_pos(premises: Terms, args: Terms) -> Term:
    """m > 0 and a r b imply m a r m b."""
    m, f = only(premises, args, 2)
    op, a, b = relation(f)
    return apply("=>", apply("and", apply(">", m, zero(m)), f), apply(op, apply("*", m, a), apply("*", m, b)))


def arith_mult_neg(premises: Terms, args: Terms) -> Term:
    """m < 0 and a r b imply m a r' m b, with r' the mirror image of r."""
    m, f = only(premises, args, 2)
    op, a, b = relation(f)
    return apply("=>", apply("and", apply("<", m, zero(m)), f), apply(MIRRORED[op], apply("*", m, a), apply("*", m, b)))


def arith_mult_sign(premises: Terms, args: Terms) -> Term:
    """Given the signs of the factors of a product (not 0, of one that comes an even number of times), they imply its sign."""
    given, m = only(premises, args, 2)
    times = Counter(taken(m, "*"))
    negative = 0
    for f in given.args if given.op == "and" else (given,):
        op, t, nought = relation(f if f.op != "not" else f.args[0])
        require(nought.value == 0 and t in times, f"{f} is no sign of a factor")
        exponent = times.pop(t)
        if f.op == "not":
            require(op == "=" and exponent % 2 == 0, f"{f} does not give the sign of {exponent} factors")
        else:
            require(op in "<>", f"{f} is no sign")
            negative += exponent if op == "<" else 0
    require(not times, f"a factor of {m} has no sign")
    return apply("=>", given, apply("<" if negative % 2 else ">", m, zero(m)))


def arith_mult_abs_comparison(premises: Terms, args: Terms) -> Term:
    """From |a| r |b| and further such: |a a' ..| r |b b' ..|, with r one of = and >.

    Where r is >, a premise after the first may be: |a| = |b|, and a is not 0.
    """
    expect(args, 0, "arguments")
    require(bool(premises), "no premises")
    op = premises[0].op
    require(op in ("=", ">"), f"{premises[0]} compares no absolute values")
    pairs: list[tuple[Terms, Terms]] = []
    for f in premises:
        if f.op == "and" and op == ">" and pairs:
            comparison, nonzero = taken(f, "and", 2)
            (t,), _ = pair = absolute(comparison, "=")
            name, a, nought = relation(taken(nonzero, "not", 1)[0])
            require(name == "=" and a is t and nought.value == 0, f"{nonzero} does not keep {t} from 0")
        else:
            pair = absolute(f, op)
        pairs.append(pair)
    left, right = (apply("*", *(t for (t,) in side)) for side in zip(*pairs, strict=True))
    return apply(op, apply("abs", left), apply("abs", right))


def absolute(f: Term, op: str) -> tuple[Terms, Terms]:
    """The sides of |a| r |b|, each without its bars."""
    left, right = taken(f, op, 2)
    return taken(left, "abs", 1), taken(right, "abs", 1)


def arith_mult_tangent(premises: Terms, args: Terms) -> Term:
    """x y - (b x + a y - a b) is (x - a)(y - b): its sign from theirs; <= 0 if the last argument is false, >= 0 if true."""
    x, y, a, b, above = only(premises, args, 5)
    require(above in (TRUE, FALSE), f"{above} is no direction")
    same, other = (">=", "<=") if above is TRUE else ("<=", ">=")
    plane = apply("-", apply("+", apply("*", b, x), apply("*", a, y)), apply("*", a, b))
    cases = [apply("and", apply("<=", x, a), apply(other, y, b)), apply("and", apply(">=", x, a), apply(same, y, b))]
    return equal(apply(same, apply("*", x, y), plane), apply("or", *cases))


def arith_trichotomy(premises: Terms, args: Terms) -> Term:
    """From two of a <= b, a >= b, a != b, be they stated or negated: the relation they leave."""
    expect(args, 0, "arguments")
    pairs, left = set(), ANY_SIGN
    for f in expect(premises, 2, "premises"):
        op, a, b = relation(f.args[0] if f.op == "not" else f)
        signs = ANY_SIGN - SIGNS[op] if f.op == "not" else SIGNS[op]
        require(len(signs) == 2, f"{f} does not exclude just one order")
        pairs.add((a, b))
        left &= signs
    require(len(pairs) == 1 and len(left) == 1, f"{premises[0]} and {premises[1]} do not leave one order")
    ((a, b),), (sign,) = pairs, left
    return apply({-1: "<", 0: "=", 1: ">"}[sign], a, b)


def int_tight_ub(premises: Terms, args: Terms) -> Term:
    """From i < c, with i an Int and c a numeral: i <= the greatest integer below c."""
    expect(args, 0, "arguments")
    (f,) = expect(premises, 1, "premises")
    i, c = taken(f, "<", 2)
    require(i.sort == "Int", f"{i} is no integer")
    return apply("<=", i, numeral(ceil(known(c)) - 1, "Int"))


def int_tight_lb(premises: Terms, args: Terms) -> Term:
    """From i > c, with i an Int and c a numeral: i >= the least integer above c."""
    expect(args, 0, "arguments")
    (f,) = expect(premises, 1, "premises")
    i, c = taken(f, ">", 2)
    require(i.sort == "Int", f"{i} is no integer")
    return apply(">=", i, numeral(floor(known(c)) + 1, "Int"))


def arith_int_eq_conflict(premises: Terms, args: Terms) -> Term:
    """(i = c) = false, for an Int i and a numeral c that is no integer."""
    i, c = expect(args, 2, "arguments")
    require(known(c).denominator != 1, f"{c} is an integer")
    return equal(equal(apply("to_real", i), c), FALSE)


def arith_int_geq_tighten(premises: Terms, args: Terms) -> Term:
    """(i >= c) = (i >= k), for an Int i, a numeral c that is no integer, and k the least integer above it."""
    i, c, k = expect(args, 3, "arguments")
    require(known(c).denominator != 1 and known(k) == ceil(known(c)), f"{k} is not the least integer above {c}")
    return equal(apply(">=", apply("to_real", i), c), apply(">=", i, k))


def arith_reduction(premises: Terms, args: Terms) -> Term:
    """|t| = -t where t < 0, else t."""
    (magnitude,) = only(premises, args, 1)
    (t,) = taken(magnitude, "abs", 1)
    return equal(magnitude, apply("ite", apply("<", t, zero(t)), apply("-", t), t))


RULES = {
    **named(evaluate, arith_poly_norm, arith_poly_norm_rel, arith_sum_ub, arith_trichotomy, int_tight_ub, int_tight_lb),
    **named(arith_mult_pos, arith_mult_neg, arith_mult_sign, arith_mult_abs_comparison, arith_mult_tangent, arith_reduction),
    **{"arith-int-eq-conflict": arith_int_eq_conflict, "arith-int-geq-tighten": arith_int_geq_tighten},
}
