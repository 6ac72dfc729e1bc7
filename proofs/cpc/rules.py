"""The rules that are more than a pattern: each computes its conclusion from premises and arguments, or refuses.

Names and meanings are those of cvc5's documentation of its proof rules; each function states what it concludes and from what.
Fixed patterns of Boolean and linear rules are in proofs/cpc/schemas.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations
from math import ceil, floor

from proofs.cpc.terms import (
    FALSE,
    MIRRORED,
    NUMBERS,
    SIGNS,
    TRUE,
    Malformed,
    Term,
    apply,
    equal,
    negation,
    numeral,
    polynomial,
    require,
    truth,
    zero,
)

Terms = tuple[Term, ...]
Rule = Callable[[Terms, Terms], Term]


def expect(terms: Terms, n: int, what: str) -> Terms:
    """The terms, if there are n of them."""
    require(len(terms) == n, f"{len(terms)} {what} instead of {n}")
    return terms


def only(premises: Terms, args: Terms, given: int = 0) -> Terms:
    """The arguments of a rule that has this many of them and no premise."""
    expect(premises, 0, "premises")
    return expect(args, given, "arguments")


def taken(t: Term, op: str, n: int | None = None) -> Terms:
    """The arguments of a term that is an application of this operator (to n arguments)."""
    require(t.op == op and n in (None, len(t.args)), f"{t} is no application of {op}")
    return t.args


def index(t: Term, among: Terms) -> Term:
    """The term at the position a numeral names."""
    require(t.value in range(len(among)), f"{t} is no position below {len(among)}")
    assert t.value is not None
    return among[int(t.value)]


# Equality.


def symm(premises: Terms, args: Terms) -> Term:
    """From a = b: b = a; from not a = b: not b = a."""
    expect(args, 0, "arguments")
    (f,) = expect(premises, 1, "premises")
    if f.op == "not":
        return negation(equal(*reversed(taken(f.args[0], "=", 2))))
    return equal(*reversed(taken(f, "=", 2)))


def trans(premises: Terms, args: Terms) -> Term:
    """From a = b, b = c, .., y = z: a = z."""
    expect(args, 0, "arguments")
    require(bool(premises), "no premises")
    sides = [taken(f, "=", 2) for f in premises]
    for (_, right), (left, _) in zip(sides, sides[1:], strict=False):
        require(right is left, f"{right} is not {left}")
    return equal(sides[0][0], sides[-1][1])


def cong(premises: Terms, args: Terms) -> Term:
    """For the argument f(.., a, b, ..) and premises a = a', b = b', ..: it equals f(.., a', b', ..); the last arguments change."""
    (t,) = expect(args, 1, "arguments")
    kept = len(t.args) - len(premises)
    require(kept >= 0 and bool(t.args), f"{len(premises)} equalities for the arguments of {t}")
    pairs = [taken(f, "=", 2) for f in premises]
    for argument, (left, _) in zip(t.args[kept:], pairs, strict=True):
        require(argument is left, f"{left} is not the argument {argument}")
    return equal(t, apply(t.op, *t.args[:kept], *(right for _, right in pairs)))


def nary_cong(premises: Terms, args: Terms) -> Term:
    """As cong, with one equality for every argument."""
    (t,) = expect(args, 1, "arguments")
    expect(premises, len(t.args), "premises")
    return cong(premises, args)


def skolem_intro(premises: Terms, args: Terms) -> Term:
    """(@purify t) = t: @purify is the identity, a name for a term."""
    (k,) = only(premises, args, 1)
    return equal(k, *taken(k, "@purify", 1))


def distinct_elim(premises: Terms, args: Terms) -> Term:
    """The given (distinct a b ..) = the conjunction of not a = b over all pairs in order."""
    (f,) = only(premises, args, 1)
    left, right = taken(f, "=", 2)
    pairs = [negation(equal(a, b)) for a, b in combinations(taken(left, "distinct"), 2)]
    require(right is (pairs[0] if len(pairs) == 1 else apply("and", *pairs)), f"{right} is not its pairs")
    return f


def distinct_true(premises: Terms, args: Terms) -> Term:
    """The given (distinct a b ..) = true, for numerals no two of which are equal."""
    (f,) = only(premises, args, 1)
    left, right = taken(f, "=", 2)
    values = [a.value for a in taken(left, "distinct")]
    require(right is TRUE and None not in values and len(set(values)) == len(values), f"{left} is not plainly true")
    return f


def distinct_false(premises: Terms, args: Terms) -> Term:
    """The given (distinct a b ..) = false, where a term occurs twice."""
    (f,) = only(premises, args, 1)
    left, right = taken(f, "=", 2)
    terms = taken(left, "distinct")
    require(right is FALSE and len(set(terms)) < len(terms), f"{left} is not plainly false")
    return f


# Clauses: a disjunction is the clause of its parts, `false` the empty one, any other formula a clause of one.


def literals(clause: Term) -> Terms:
    """The literals of a clause."""
    if clause.op == "or":
        return clause.args
    return () if clause is FALSE else (clause,)


def disjunction(parts: Iterable[Term]) -> Term:
    """The clause of these literals."""
    match tuple(parts):
        case ():
            return FALSE
        case (literal,):
            return literal
        case several:
            return apply("or", *several)


def clause_with(literal: Term, clause: Term) -> Terms:
    """The literals of a clause; one that is the given literal as a whole counts as one."""
    return (clause,) if clause is literal else literals(clause)


def without(parts: Terms, literal: Term) -> Terms:
    """The literals but for the first that is the given one."""
    require(literal in parts, f"{literal} is no literal of the clause")
    at = parts.index(literal)
    return parts[:at] + parts[at + 1 :]


def once(parts: Terms) -> Terms:
    """The literals, each only where it occurs first."""
    return tuple(dict.fromkeys(parts))


def resolve(clauses: Terms, polarities: Terms, lits: Terms, tidy: Callable[[Terms], Terms] = tuple) -> Terms:
    """The literals left when the first clause is resolved with every other in turn.

    With the polarity true, what is left so far loses the pivot and the next clause its negation; else the other way round.
    """
    require(len(clauses) == len(polarities) + 1 == len(lits) + 1 >= 2, "not one pivot and polarity for each resolution")
    left: Terms = ()
    for step, (polarity, pivot) in enumerate(zip(polarities, lits, strict=True)):
        require(polarity in (TRUE, FALSE) and pivot.sort == "Bool", f"{polarity} and {pivot} are no polarity and pivot")
        here, there = (pivot, negation(pivot)) if polarity is TRUE else (negation(pivot), pivot)
        left = left if step else tidy(clause_with(here, clauses[0]))
        right = tidy(clause_with(there, clauses[step + 1]))
        left = tidy(without(left, here) + without(right, there))
    return left


def resolution(premises: Terms, args: Terms) -> Term:
    """From two clauses, one with the pivot and one with its negation: the clause of all their other literals."""
    polarity, pivot = expect(args, 2, "arguments")
    return disjunction(resolve(expect(premises, 2, "premises"), (polarity,), (pivot,)))


def chain_resolution(premises: Terms, args: Terms) -> Term:
    """Several resolutions in turn."""
    polarities, lits = expect(args, 2, "arguments")
    return disjunction(resolve(premises, taken(polarities, "@list"), taken(lits, "@list")))


def chain_m_resolution(premises: Terms, args: Terms) -> Term:
    """The given clause, if it has the literals that several resolutions leave, in any order and number."""
    clause, polarities, lits = expect(args, 3, "arguments")
    left = resolve(premises, taken(polarities, "@list"), taken(lits, "@list"), once)
    require(set(left) in (set(literals(clause)), {clause}), f"{disjunction(left)} is left, not {clause}")
    return clause


def factoring(premises: Terms, args: Terms) -> Term:
    """The clause with every literal once."""
    expect(args, 0, "arguments")
    (clause,) = expect(premises, 1, "premises")
    return disjunction(once(taken(clause, "or")))


def reordering(premises: Terms, args: Terms) -> Term:
    """The given clause, if it has the literals of the premise."""
    (before,), (after,) = expect(premises, 1, "premises"), expect(args, 1, "arguments")
    require(set(taken(before, "or")) == set(taken(after, "or")), f"{after} has other literals than {before}")
    return after


# Conjunctions and disjunctions of any length.


def and_intro(premises: Terms, args: Terms) -> Term:
    """From f, g, ..: their conjunction."""
    expect(args, 0, "arguments")
    require(len(premises) >= 2, "less than two premises")
    return apply("and", *premises)


def and_elim(premises: Terms, args: Terms) -> Term:
    """From a conjunction: its part at the position given."""
    (f,), (at,) = expect(premises, 1, "premises"), expect(args, 1, "arguments")
    return index(at, taken(f, "and"))


def not_or_elim(premises: Terms, args: Terms) -> Term:
    """From not (or f g ..): the negation of the part at the position given."""
    (f,), (at,) = expect(premises, 1, "premises"), expect(args, 1, "arguments")
    return negation(index(at, taken(*taken(f, "not"), "or")))


def not_and(premises: Terms, args: Terms) -> Term:
    """From not (and f g ..): not f, or not g, or .."""
    expect(args, 0, "arguments")
    (f,) = expect(premises, 1, "premises")
    return apply("or", *map(negation, taken(*taken(f, "not"), "and")))


def cnf_and_pos(premises: Terms, args: Terms) -> Term:
    """Not (and f g ..), or the part at the position given."""
    f, at = only(premises, args, 2)
    return apply("or", negation(f), index(at, taken(f, "and")))


def cnf_and_neg(premises: Terms, args: Terms) -> Term:
    """(and f g ..), or not f, or not g, or .."""
    (f,) = only(premises, args, 1)
    return apply("or", f, *map(negation, taken(f, "and")))


def cnf_or_pos(premises: Terms, args: Terms) -> Term:
    """Not (or f g ..), or f, or g, or .."""
    (f,) = only(premises, args, 1)
    return apply("or", negation(f), *taken(f, "or"))


def cnf_or_neg(premises: Terms, args: Terms) -> Term:
    """(or f g ..), or the negation of the part at the position given."""
    f, at = only(premises, args, 2)
    return apply("or", f, negation(index(at, taken(f, "or"))))


def leaves(op: str, f: Term) -> frozenset[Term]:
    """What a nest of conjunctions (or of disjunctions) joins, but for the neutral `true` (`false`)."""
    if f.op == op:
        return frozenset[Term]().union(*(leaves(op, a) for a in f.args))
    return frozenset({f} - {TRUE if op == "and" else FALSE})


def aci_norm(premises: Terms, args: Terms) -> Term:
    """The given f = g, if both join the same formulas by `and`, or by `or`: up to order, nesting, repetition and neutral parts."""
    (equality,) = only(premises, args, 1)
    f, g = taken(equality, "=", 2)
    require(f.sort == "Bool" and any(leaves(op, f) == leaves(op, g) for op in ("and", "or")), f"{f} is not {g}")
    return equality


def absorb(premises: Terms, args: Terms) -> Term:
    """The given (or .. true ..) = true or (and .. false ..) = false, nested or not."""
    (equality,) = only(premises, args, 1)
    f, g = taken(equality, "=", 2)
    require((f.op, g) in (("or", TRUE), ("and", FALSE)) and g in leaves(f.op, f), f"{f} does not contain {g}")
    return equality


def process_scope(premises: Terms, args: Terms) -> Term:
    """From f => (g => (.. => c)) and c: (f and g and ..) => c; not (f and g and ..) where c is false."""
    (rest,), (conclusion,) = expect(premises, 1, "premises"), expect(args, 1, "arguments")
    assumed: Terms = ()
    while not assumed or rest is not conclusion:
        condition, rest = taken(rest, "=>", 2)
        assumed = (*assumed, condition)
    together = assumed[0] if len(assumed) == 1 else apply("and", *assumed)
    return negation(together) if conclusion is FALSE else apply("=>", together, conclusion)


# Arithmetic.


def relation(f: Term) -> tuple[str, Term, Term]:
    """The relation of two numbers, with its sides."""
    require(f.op in SIGNS and len(f.args) == 2 and f.args[0].sort in NUMBERS, f"{f} relates no numbers")
    return f.op, f.args[0], f.args[1]


def known(t: Term) -> Fraction:
    """The value of a numeral."""
    require(t.value is not None, f"{t} is no numeral")
    assert t.value is not None
    return t.value


def value(t: Term) -> Fraction | bool:
    """The value of a term without constants; refused where a divisor is 0."""
    if t.op in ("true", "false", "numeral"):
        return known(t) if t.op == "numeral" else t is TRUE
    if t.op == "ite":
        return value(t.args[1] if value(t.args[0]) else t.args[2])
    values = [value(a) for a in t.args]
    match t.op, values:
        case ("+", _):
            return sum(values, Fraction(0))
        case ("*", _):
            result = Fraction(1)
            for factor in values:
                result *= factor
            return result
        case ("-", [a]):
            return -Fraction(a)
        case ("-", [a, b]):
            return Fraction(a) - b
        case ("/", [a, b]) if b:
            return Fraction(a) / b
        case ("div", [a, b]) if b:
            return Fraction(a // b if b > 0 else -(a // -b))
        case ("mod", [a, b]) if b:
            return Fraction(a) % abs(b)
        case ("abs", [a]):
            return abs(Fraction(a))
        case ("to_real", [a]):
            return a
        case ("to_int", [a]):
            return Fraction(floor(a))
        case ("=", [a, b]):
            return a == b
        case ("<" | "<=" | ">=" | ">", [a, b]):
            return (a > b) - (a < b) in SIGNS[t.op]
        case ("distinct", _):
            return len(set(values)) == len(values)
        case ("not", [a]):
            return not a
        case ("and", _):
            return all(values)
        case ("or", _):
            return any(values)
        case ("=>", [a, b]):
            return bool(not a or b)
        case ("xor", [a, b]):
            return a != b
    raise Malformed(f"{t} has no value")


def evaluate(premises: Terms, args: Terms) -> Term:
    """t = its value, for a term without constants."""
    (t,) = only(premises, args, 1)
    result = value(t)
    return equal(t, truth(result) if isinstance(result, bool) else numeral(result, t.sort))


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
    pairs = []
    for f in premises:
        if f.op == "and" and op == ">" and pairs:
            comparison, nonzero = taken(f, "and", 2)
            (t,), _ = pair = absolute(comparison, "=")
            name, a, nought = relation(*taken(nonzero, "not"))
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
    """For x, y, a, b: x y against b x + a y - a b is the sign of (x - a)(y - b); <= with the last argument false, >= if true."""
    x, y, a, b, above = only(premises, args, 5)
    require(above in (TRUE, FALSE), f"{above} is no direction")
    same, other = (">=", "<=") if above is TRUE else ("<=", ">=")
    plane = apply("-", apply("+", apply("*", b, x), apply("*", a, y)), apply("*", a, b))
    cases = [apply("and", apply("<=", x, a), apply(other, y, b)), apply("and", apply(">=", x, a), apply(same, y, b))]
    return equal(apply(same, apply("*", x, y), plane), apply("or", *cases))


def arith_trichotomy(premises: Terms, args: Terms) -> Term:
    """From two of a <= b, a >= b, a != b, be they stated or negated: the relation they leave."""
    expect(args, 0, "arguments")
    pairs, left = set(), {-1, 0, 1}
    for f in expect(premises, 2, "premises"):
        op, a, b = relation(f.args[0] if f.op == "not" else f)
        signs = {-1, 0, 1} - SIGNS[op] if f.op == "not" else SIGNS[op]
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


_FUNCTIONS: tuple[Rule, ...] = (
    *(symm, trans, cong, nary_cong, skolem_intro),
    *(resolution, chain_resolution, chain_m_resolution, factoring, reordering),
    *(and_intro, and_elim, not_or_elim, not_and, cnf_and_pos, cnf_and_neg, cnf_or_pos, cnf_or_neg),
    *(aci_norm, absorb, process_scope, evaluate, arith_poly_norm, arith_poly_norm_rel, arith_sum_ub),
    *(arith_mult_pos, arith_mult_neg, arith_mult_sign, arith_mult_abs_comparison, arith_mult_tangent, arith_trichotomy),
    *(int_tight_ub, int_tight_lb, arith_reduction),
)
_REWRITES: tuple[Rule, ...] = (distinct_elim, distinct_true, distinct_false, arith_int_eq_conflict, arith_int_geq_tighten)

RULES: dict[str, Rule] = {f.__name__: f for f in _FUNCTIONS} | {f.__name__.replace("_", "-"): f for f in _REWRITES}
"""Every rule here by the name that certificates give it."""
