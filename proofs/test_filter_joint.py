"""Nucleus and top-k are one joint cut: the first min(k, nucleus) ranks stay, whichever of the two is looked at first.

That holds where the nucleus is measured on the whole row. Dividing the row by its total in between changes nothing.
"""

from typing import Any

from proofs import cuts
from proofs.claim import Claim, Lemma, Terms, implies, replaces
from proofs.mutants import keeps_at_the_boundary, keeps_none_where_off, keeps_one_rank_more
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


@replaces("keeps", cuts)
def keeps_by_either(n: NumberSystem, rank: Any, before: Any, top_p: Any, total: Any, top_k: Any) -> Any:
    """A rank stays if one of the two keeps it."""
    return n.either(rank < top_k, before < top_p * total)


@replaces("keeps", cuts)
def keeps_the_rank_k(n: NumberSystem, rank: Any, before: Any, top_p: Any, total: Any, top_k: Any) -> Any:
    """rank <= top_k."""
    return n.both(rank <= top_k, before < top_p * total)


def least(n: NumberSystem, a: Any, b: Any) -> Any:
    """The smaller of two, said without the rule."""
    return n.choose(a < b, a, b)


def in_either_order(rules: Any, n: NumberSystem, nucleus: Any, size: Any, k: Any) -> Terms:
    """Top-k of the nucleus, and the nucleus's share of the first k of all, are the first min(k, nucleus) ranks."""
    joint = n.choose(n.eq(k, 0), nucleus, least(n, k, nucleus))
    return [n.eq(rules.first_ranks(n, nucleus, k), joint), n.eq(least(n, rules.first_ranks(n, size, k), nucleus), joint)]


def one_cut(rules: Any, n: NumberSystem, rank: Any, nucleus: Any, before: Any, top_p: Any, total: Any, k: Any) -> Terms:
    """A rank stays iff it is one of the first min(k, nucleus)."""
    stays, first = rules.keeps(n, rank, before, top_p, total, k), rank < least(n, k, nucleus)
    return [implies(n, stays, first), implies(n, first, stays)]


def divided(rules: Any, n: NumberSystem, before: Any, top_p: Any, total: Any, share: Any) -> Terms:
    """A rank stays by the share before it, of a total of one, iff it does by the mass."""
    stays, below = rules.nucleus_keeps(n, share, top_p, n.one), before < top_p * total
    return [n.eq(rules.renormalised(n, total, total, n.eq(n.one, 1)), 1), implies(n, stays, below), implies(n, below, stays)]


CLAIM = Claim(
    id="filter_joint",
    sentence="Nucleus and top-k keep the first min(k, nucleus size) ranks, in either order, renormalised in between or not.",
    scope="every row, every top_p and k; the nucleus is measured on all tokens",
    source="spec 2.4",
    relied_on_by="reference.dialects.cut, mtplx.selection.select",
    lemmas=(
        Lemma(
            slug="filter-either-order",
            sentence="Top-k of the nucleus keeps as many ranks as the nucleus of what top-k left, measured on all: the fewer.",
            variables="nucleus size k",
            hypotheses=lambda n, nucleus, size, k: [nucleus >= 1, nucleus <= size, k >= 0],
            conclusion=in_either_order,
            mutants=(keeps_one_rank_more, keeps_none_where_off),
            sort="Int",
        ),
        Lemma(
            slug="filter-one-cut",
            sentence="A rank stays iff it is below both numbers, the nucleus being the ranks with less than top_p before them.",
            variables="rank nucleus before top_p total k",
            hypotheses=lambda n, rank, nucleus, before, top_p, total, k: [
                *(rank >= 0, k >= 1, before >= 0, top_p > 0, top_p <= 1, total > 0),
                implies(n, rank < nucleus, before < top_p * total),
                implies(n, before < top_p * total, rank < nucleus),
            ],
            conclusion=one_cut,
            mutants=(keeps_by_either, keeps_the_rank_k),
            rules=cuts,
        ),
        Lemma(
            slug="filter-divided",
            sentence="Dividing all weights by their total before the nucleus is cut changes no decision.",
            variables="before top_p total share",
            hypotheses=lambda n, before, top_p, total, share: [
                *(before >= 0, top_p > 0, top_p <= 1, total > 0, n.eq(share * total, before)),
            ],
            conclusion=divided,
            mutants=(keeps_at_the_boundary,),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
