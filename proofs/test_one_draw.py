"""One draw drafts and verifies: over every denominator D, each token is emitted by exactly P of the D draws.

docs/integer-core.md, section 5. Of a token with p of the target's cells and q of the draft's, min(p, q) draws are accepted. The
other draws are excess cells: numbered one to one, as many as there are deficit cells, of which a token owns (p - q)+. A
vocabulary is a fold over its tokens: every claim is about one token more.
"""

from typing import Any

from proofs.mutants import (
    absolute_difference,
    accepts_above_the_threshold,
    accepts_at_the_threshold,
    larger_of_two,
    mass_forgets,
    numbers_by_offset,
    numbers_within_the_token,
    owns_all_before,
    owns_its_end,
    signed_difference,
)
from proofs.obligation import Claim, Terms, implies, obligations_of
from reference.numbers import NumberSystem


def balanced(n: NumberSystem, excess: Any, deficit: Any, sum_p: Any, sum_q: Any) -> Any:
    """The invariant of the two totals."""
    return n.eq(excess - deficit, sum_q - sum_p)


def one_token_more(rules: Any, n: NumberSystem, excess: Any, deficit: Any, p: Any, q: Any) -> tuple[Any, Any]:
    """The totals of excess (q - p)+ and deficit (p - q)+ with the token (p, q) appended."""
    return rules.residual_mass_step(n, excess, q, p), rules.residual_mass_step(n, deficit, p, q)


def totals(rules: Any, n: NumberSystem, excess: Any, deficit: Any, sum_p: Any, sum_q: Any, p: Any, q: Any) -> Terms:
    """The invariant at no token and after one more; where both laws then have the same total, the totals are equal."""
    more = one_token_more(rules, n, excess, deficit, p, q)
    complete = n.eq(sum_p + p, sum_q + q)
    return [
        balanced(n, n.zero, n.zero, n.zero, n.zero),
        balanced(n, *more, sum_p + p, sum_q + q),
        implies(n, complete, n.eq(*more)),
    ]


def inside(n: NumberSystem, count: Any, cells: Any) -> Any:
    """How many of `cells` cells, none if negative, an interval of `count` can hold from its start on."""
    return n.choose(cells <= 0, n.zero, n.choose(cells < count, cells, count))


def cell_numbered(rules: Any, n: NumberSystem, before: Any, p: Any, q: Any, cell: Any) -> Terms:
    """The offset that has the number `cell` of this token's is an offset of the token, rejected, and has that number."""
    off = p + (cell - before)
    return [off >= 0, off < q, n.neg(rules.accepts(n, off, p)), n.eq(rules.excess_cell(n, before, off, p), cell)]


CLAIMS = (
    Claim(
        slug="one-draw-totals",
        sentence="excess - deficit = sum Q - sum P holds of no token and after one more: over one D they are equal.",
        variables="excess deficit sum_p sum_q p q",
        hypotheses=lambda n, excess, deficit, sum_p, sum_q, p, q: [p >= 0, q >= 0, balanced(n, excess, deficit, sum_p, sum_q)],
        conclusion=totals,
        mutants=(signed_difference, absolute_difference, mass_forgets),
    ),
    Claim(
        slug="one-draw-accepted",
        sentence="Of the first q offsets min(p, q) are accepted: none of none, and the next offset adds one iff accepted.",
        variables="accepted p q",
        hypotheses=lambda n, accepted, p, q: [p >= 0, q >= 0, n.eq(accepted, n.choose(p < q, p, q))],
        conclusion=lambda rules, n, accepted, p, q: [
            n.eq(rules.minimum(n, p, n.zero), 0),
            n.eq(n.choose(rules.accepts(n, q, p), accepted + 1, accepted), n.choose(p < q + 1, p, q + 1)),
        ],
        mutants=(accepts_at_the_threshold, accepts_above_the_threshold),
        sort="Int",
    ),
    Claim(
        slug="one-draw-excess-range",
        sentence="The number of a rejected offset is one of the (q - p)+ numbers from the token's running start on.",
        variables="before off p q",
        hypotheses=lambda n, before, off, p, q: [before >= 0, p >= 0, p <= off, off < q],
        conclusion=lambda rules, n, before, off, p, q: [
            rules.owns(n, before, rules.positive_part(n, q - p), rules.excess_cell(n, before, off, p))
        ],
        mutants=(numbers_by_offset, numbers_within_the_token),
    ),
    Claim(
        slug="one-draw-excess-onto",
        sentence="Each of the (q - p)+ numbers from the token's running start on is the number of one of its rejected offsets.",
        variables="before p q cell",
        hypotheses=lambda n, before, p, q, cell: [before >= 0, p >= 0, q >= 0, before <= cell, cell < before + (q - p)],
        conclusion=cell_numbered,
        mutants=(numbers_by_offset, accepts_at_the_threshold),
    ),
    Claim(
        slug="one-draw-injective",
        sentence="Numbers increase with the offset in a token, and from a token to a later one: no two excess cells share one.",
        variables="before p q off next_off later later_p later_off",
        hypotheses=lambda n, before, p, q, off, next_off, later, later_p, later_off: [
            *(before >= 0, p >= 0, p <= off, off < next_off, next_off < q),
            *(later >= before + (q - p), later_p >= 0, later_p <= later_off),
        ],
        conclusion=lambda rules, n, before, p, q, off, next_off, later, later_p, later_off: [
            rules.excess_cell(n, before, off, p) < rules.excess_cell(n, before, next_off, p),
            rules.excess_cell(n, before, next_off, p) < rules.excess_cell(n, later, later_off, later_p),
        ],
        mutants=(numbers_by_offset, numbers_within_the_token),
    ),
    Claim(
        slug="one-draw-one-owner",
        sentence="Of intervals laid end to end, a cell below the end of one is in it or before it, and in none later.",
        variables="start count cell later later_count",
        hypotheses=lambda n, start, count, cell, later, later_count: [
            *(start >= 0, count >= 0, cell >= 0, cell < start + count),
            *(later >= start + count, later_count >= 0),
        ],
        conclusion=lambda rules, n, start, count, cell, later, later_count: [
            n.either(cell < start, rules.owns(n, start, count, cell)),
            n.neg(n.both(cell < start, rules.owns(n, start, count, cell))),
            n.neg(rules.owns(n, later, later_count, cell)),
        ],
        mutants=(owns_all_before,),
    ),
    Claim(
        slug="one-draw-owned",
        sentence="Cell by cell, an interval owns min(count, cells past its start), and `count` once the cells reach its end.",
        variables="owned start count cells",
        hypotheses=lambda n, owned, start, count, cells: [
            *(start >= 0, count >= 0, cells >= 0),
            n.eq(owned, inside(n, count, cells - start)),
        ],
        conclusion=lambda rules, n, owned, start, count, cells: [
            n.eq(inside(n, count, n.zero - start), 0),
            n.eq(n.choose(rules.owns(n, start, count, cells), owned + 1, owned), inside(n, count, cells + 1 - start)),
            implies(n, cells >= start + count, n.eq(owned, count)),
        ],
        mutants=(owns_its_end, owns_all_before),
        sort="Int",
    ),
    Claim(
        slug="one-draw-target",
        sentence="A token's min(p, q) accepted draws and the (p - q)+ deficit cells it owns are p draws together.",
        variables="p q",
        hypotheses=lambda n, p, q: [p >= 0, q >= 0],
        conclusion=lambda rules, n, p, q: [n.eq(rules.minimum(n, p, q) + rules.positive_part(n, p - q), p)],
        mutants=(larger_of_two, signed_difference, absolute_difference),
    ),
    Claim(
        slug="one-draw-support",
        sentence="After a rejection only a token with more of the target than of the draft is emitted.",
        variables="before p q cell",
        hypotheses=lambda n, before, p, q, cell: [before >= 0, p >= 0, q >= 0, cell >= 0],
        conclusion=lambda rules, n, before, p, q, cell: [
            implies(n, rules.owns(n, before, rules.positive_part(n, p - q), cell), q < p)
        ],
        mutants=(owns_its_end, owns_all_before, absolute_difference),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(*CLAIMS)
