"""A larger top_p keeps no less: what is below a share of the total is below every larger share of it."""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import keeps_the_tail
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="nucleus_monotone",
    sentence="The nucleus of a larger top_p holds that of a smaller one.",
    scope="every row, whatever its length",
    source="spec 2.3",
    relied_on_by="mtplx.target.shares_of: top_p rounded down and up encloses the cut",
    lemmas=(
        Lemma(
            slug="nucleus-monotone",
            sentence="A rank that stays at one top_p stays at every larger one.",
            variables="before top_p larger total",
            hypotheses=lambda n, before, top_p, larger, total: [
                before >= 0,
                top_p > 0,
                top_p <= larger,
                larger <= 1,
                total > 0,
            ],
            conclusion=lambda rules, n, before, top_p, larger, total: [
                implies(n, rules.nucleus_keeps(n, before, top_p, total), rules.nucleus_keeps(n, before, larger, total))
            ],
            mutants=(keeps_the_tail,),
        ),
    ),
    theorem="Nucleus.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
