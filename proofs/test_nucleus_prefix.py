"""Once a rank is dropped, every later one is: kept ranks are the first ones, and their number says which."""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import keeps_the_tail
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="nucleus_prefix",
    sentence="The kept ranks are the first ones.",
    scope="every row, whatever its length",
    source="spec 2.3",
    relied_on_by="reference.filters.nucleus_size, mtplx.selection",
    lemmas=(
        Lemma(
            slug="nucleus-is-a-prefix",
            sentence="Once a rank is dropped, every later rank is dropped: one more weight never brings a rank back.",
            variables="before weight top_p total",
            hypotheses=lambda n, before, weight, top_p, total: [top_p > 0, top_p <= 1, total > 0, before >= 0, weight >= 0],
            conclusion=lambda rules, n, before, weight, top_p, total: [
                implies(
                    n,
                    n.neg(rules.nucleus_keeps(n, before, top_p, total)),
                    n.neg(rules.nucleus_keeps(n, before + weight, top_p, total)),
                )
            ],
            mutants=(keeps_the_tail,),
        ),
    ),
    theorem="Nucleus.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
