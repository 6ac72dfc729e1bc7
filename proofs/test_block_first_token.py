"""The block rule begins as the token rule does."""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import ratio_of_the_target
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="block_first_token",
    sentence="At the first draft the block rule's running ratio is the token rule's acceptance.",
    scope="every vocabulary, every target and draft law",
    source="arXiv 2403.10444",
    relied_on_by="block_dominance",
    lemmas=(
        Lemma(
            slug="block-first-token",
            sentence="At rho = 1 the ratio after a drafted token is the token rule's acceptance.",
            variables="p q",
            hypotheses=lambda n, p, q: [p >= 0, q >= 0],
            conclusion=lambda rules, n, p, q: [
                implies(n, q > 0, n.eq(rules.running_ratio(n, n.one, p, q), rules.acceptance(n, p, q)))
            ],
            mutants=(ratio_of_the_target,),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
