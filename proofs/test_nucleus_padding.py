"""Tokens of weight 0 behind a row change nothing: neither the total nor what is before any other token, and none is kept.

Every positive weight outranks them. So what is before the first of them is the total already, and each leaves it as it is: not
below top_p of the total, even at top_p = 1.
"""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies
from proofs.mutants import keeps_at_the_boundary, keeps_without_total, ranks_the_lightest_first
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def padded(rules: Any, n: NumberSystem, through: Any, before: Any, top_p: Any, total: Any, padding: Any) -> Terms:
    """The fold that sums the row, with one token of padding more: it is still the total; who stays, stays, and it does not."""
    more = through + padding
    stays = before < top_p * total
    return [
        n.eq(more, total),
        implies(n, stays, rules.nucleus_keeps(n, before, top_p, more)),
        implies(n, rules.nucleus_keeps(n, before, top_p, more), stays),
        n.neg(rules.nucleus_keeps(n, through, top_p, more)),
    ]


CLAIM = Claim(
    id="nucleus_padding",
    sentence="Appending tokens of weight 0 changes no decision of a nucleus, and none of them is kept, even at top_p = 1.",
    scope="every row of positive total, any number of appended tokens, every top_p from above 0 to 1",
    source="spec 2.1 and 2.3",
    relied_on_by="reference.filters, mtplx.selection: ranks of -inf, vocabularies of different sizes",
    lemmas=(
        Lemma(
            slug="nucleus-padding-last",
            sentence="Every token of positive weight outranks every token of weight 0, and is not outranked by it.",
            variables="weight id padding padding_id",
            hypotheses=lambda n, weight, id, padding, padding_id: [weight > 0, n.eq(padding, 0), n.neg(n.eq(id, padding_id))],
            conclusion=lambda rules, n, weight, id, padding, padding_id: [
                rules.outranks(n, weight, id, padding, padding_id),
                n.neg(rules.outranks(n, padding, padding_id, weight, id)),
            ],
            mutants=(ranks_the_lightest_first,),
        ),
        Lemma(
            slug="nucleus-padding",
            sentence="One token of weight 0 more leaves total and decisions as they are, and is itself dropped.",
            variables="through before top_p total padding",
            hypotheses=lambda n, through, before, top_p, total, padding: [
                *(top_p > 0, top_p <= 1, total > 0, before >= 0),
                *(n.eq(padding, 0), n.eq(through, total)),
            ],
            conclusion=padded,
            mutants=(keeps_at_the_boundary, keeps_without_total),
        ),
    ),
    theorem="Nucleus.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
