"""The rules of equality, clauses, and conjunctions of any length: each computes its conclusion, or refuses.

Names and meanings are those of cvc5's documentation of its proof rules; each function states what follows from what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, pairwise

from proofs.cpc.terms import FALSE, TRUE, Term, apply, equal, negation, require

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
    for (_, right), (left, _) in pairwise(sides):
        require(right is left, f"{right} is not {left}")
    return equal(sides[0][0], sides[-1][1])


def cong(premises: Terms, args: Terms) -> Term:
    """f(.., a, b) = f(.., a', b'), for the term on the left and premises a = a', b = b' about its last arguments."""
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
    return negation(index(at, taken(taken(f, "not", 1)[0], "or")))


def not_and(premises: Terms, args: Terms) -> Term:
    """From not (and f g ..): not f, or not g, or .."""
    expect(args, 0, "arguments")
    (f,) = expect(premises, 1, "premises")
    return apply("or", *map(negation, taken(taken(f, "not", 1)[0], "and")))


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
    """The given f = g, if both join the same formulas by `and`, or by `or`, in any order, nesting and number."""
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


def named(*functions: Rule) -> dict[str, Rule]:
    """The functions by their names."""
    return {function.__name__: function for function in functions}


RULES = {
    **named(symm, trans, cong, nary_cong, skolem_intro, process_scope),
    **named(resolution, chain_resolution, chain_m_resolution, factoring, reordering),
    **named(and_intro, and_elim, not_or_elim, not_and, cnf_and_pos, cnf_and_neg, cnf_or_pos, cnf_or_neg, aci_norm, absorb),
    **{"distinct-elim": distinct_elim, "distinct-true": distinct_true, "distinct-false": distinct_false},
}
