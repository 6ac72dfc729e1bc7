"""Rejected offsets are numbered one to one by 0, 1, 2, ..: within a token, and from a token to the next."""

from typing import Any

from proofs.claim import Claim, Lemma, Terms
from proofs.mutants import accepts_at_the_threshold, numbers_by_offset, numbers_within_the_token
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def cell_numbered(rules: Any, n: NumberSystem, before: Any, p: Any, q: Any, cell: Any) -> Terms:
    """The offset that has the number `cell` of this token's is an offset of the token, rejected, and has that number."""
    off = p + (cell - before)
    return [off >= 0, off < q, n.neg(rules.accepts(n, off, p)), n.eq(rules.excess_cell(n, before, off, p), cell)]


CLAIM = Claim(
    id="one_draw_injective",
    sentence="The numbers of the excess cells are one to one and leave none out.",
    scope="every denominator D, every vocabulary",
    source="docs/integer-core.md, section 5",
    relied_on_by="one_draw, mtplx.dyadic.verify",
    lemmas=(
        Lemma(
            slug="one-draw-excess-range",
            sentence="The number of a rejected offset is one of the (q - p)+ numbers from the token's running start on.",
            variables="before off p q",
            hypotheses=lambda n, before, off, p, q: [before >= 0, p >= 0, p <= off, off < q],
            conclusion=lambda rules, n, before, off, p, q: [
                rules.owns(n, before, rules.positive_part(n, q - p), rules.excess_cell(n, before, off, p))
            ],
            mutants=(numbers_by_offset, numbers_within_the_token),
        ),
        Lemma(
            slug="one-draw-excess-onto",
            sentence=(
                "Each of the (q - p)+ numbers from the token's running start on is the number of one of its rejected offsets."
            ),
            variables="before p q cell",
            hypotheses=lambda n, before, p, q, cell: [before >= 0, p >= 0, q >= 0, before <= cell, cell < before + (q - p)],
            conclusion=cell_numbered,
            mutants=(numbers_by_offset, accepts_at_the_threshold),
        ),
        Lemma(
            slug="one-draw-injective",
            sentence=(
                "Numbers increase with the offset in a token, and from a token to a later one: no two excess cells share one."
            ),
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
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
