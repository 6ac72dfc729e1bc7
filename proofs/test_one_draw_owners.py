"""Intervals laid end to end share the cells: each cell has one owner, and a token owns as many as its count."""

from typing import Any

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import owns_all_before, owns_its_end
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def inside(n: NumberSystem, count: Any, cells: Any) -> Any:
    """How many of `cells` cells, none if negative, an interval of `count` can hold from its start on."""
    return n.choose(cells <= 0, n.zero, n.choose(cells < count, cells, count))


CLAIM = Claim(
    id="one_draw_owners",
    sentence="Each cell belongs to one token, and each token has as many cells as its count.",
    scope="every denominator D, every vocabulary",
    source="docs/integer-core.md, section 5",
    relied_on_by="one_draw, mtplx.dyadic.DyadicLaw.sample",
    lemmas=(
        Lemma(
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
        Lemma(
            slug="one-draw-owned",
            sentence=(
                "Cell by cell, an interval owns min(count, cells past its start), and `count` once the cells reach its end."
            ),
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
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
