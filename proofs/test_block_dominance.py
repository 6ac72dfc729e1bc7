"""The block rule accepts at least as many drafts as the token rule, in expectation, on every model.

Given the drafts x_1 .. x_i it keeps at least i with probability rho_i, the token rule with the product of the acceptances. By
induction the product never exceeds rho; summed over the drafts, and over i, so do the expected accepted lengths.
"""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import ratio_of_the_target
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="block_dominance",
    sentence="Block verification accepts at least as many drafts in expectation as the token rule.",
    scope="every vocabulary, every K, rows that depend on the whole prefix",
    source="arXiv 2403.10444",
    relied_on_by="reference.claims.running",
    lemmas=(
        Lemma(
            slug="block-ratio-dominates",
            sentence=(
                "If the token rule's product is at most rho, it is after one draft more; and so are the sums over that draft."
            ),
            variables="tokens blocks product rho p q",
            hypotheses=lambda n, tokens, blocks, product, rho, p, q: [
                *(tokens <= blocks, product >= 0, product <= rho, rho <= 1, p >= 0, q >= 0),
            ],
            conclusion=lambda rules, n, tokens, blocks, product, rho, p, q: [
                implies(n, q > 0, product * rules.acceptance(n, p, q) <= rules.running_ratio(n, rho, p, q)),
                tokens + q * (product * rules.acceptance(n, p, q)) <= blocks + q * rules.running_ratio(n, rho, p, q),
            ],
            mutants=(ratio_of_the_target,),
        ),
    ),
    theorem="BlockDominance.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
