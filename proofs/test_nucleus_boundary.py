"""What an exact tie decides: a rank with exactly top_p of the total before it goes; top_p = 1 keeps all positive weights."""

from proofs.claim import Claim, Lemma
from proofs.mutants import keeps_at_the_boundary, keeps_without_total
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="nucleus_boundary",
    sentence="A rank with exactly top_p of the total before it is dropped, and top_p = 1 keeps every positive weight.",
    scope="every row, whatever its length",
    source="spec 2.3",
    relied_on_by="reference.filters, mtplx.target",
    lemmas=(
        Lemma(
            slug="nucleus-boundary",
            sentence="A rank with exactly top_p of the total before it is dropped.",
            variables="before top_p total",
            hypotheses=lambda n, before, top_p, total: [top_p > 0, top_p <= 1, total > 0, n.eq(before, top_p * total)],
            conclusion=lambda rules, n, before, top_p, total: [n.neg(rules.nucleus_keeps(n, before, top_p, total))],
            mutants=(keeps_at_the_boundary, keeps_without_total),
        ),
        Lemma(
            slug="nucleus-off",
            sentence="top_p = 1 keeps every rank of positive weight, and drops a rank with the whole mass before it.",
            variables="before weight total",
            hypotheses=lambda n, before, weight, total: [before >= 0, weight > 0, before + weight <= total],
            conclusion=lambda rules, n, before, weight, total: [
                rules.nucleus_keeps(n, before, n.one, total),
                n.neg(rules.nucleus_keeps(n, total, n.one, total)),
            ],
            mutants=(keeps_at_the_boundary, keeps_without_total),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
