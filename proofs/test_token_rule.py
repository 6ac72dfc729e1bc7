"""The emitted token has the target's law: q*a + rejection * residual = p at every token.

The hypotheses on rejection and mass are what test_rejection_probability.py proves of the folds over any vocabulary; proofs/coq
does the whole in one theorem.
"""

from proofs.claim import Claim, Lemma
from proofs.mutants import (
    absolute_difference,
    larger_of_two,
    marginal_without_residual,
    ratio_without_minimum,
    residual_is_target,
    residual_of_draft,
    residual_without_division,
)
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="token_rule",
    sentence="The token emitted by accept / reject has the target's law, whatever the draft.",
    scope="every vocabulary, every target and draft law",
    source="arXiv 2302.01318, theorem 1; arXiv 2211.17192, appendix A.1",
    relied_on_by="reference.speculative_output_marginal, mtplx.sampling, mtplx audit",
    lemmas=(
        Lemma(
            slug="marginal",
            sentence="Where the rejection probability equals the residual mass, the marginal at every token is p.",
            variables="p q rejection mass",
            hypotheses=lambda n, p, q, rejection, mass: [p >= 0, q >= 0, mass >= 0, mass >= p - q, n.eq(rejection, mass)],
            conclusion=lambda rules, n, p, q, rejection, mass: [
                n.eq(rules.marginal(n, p, q, rules.acceptance(n, p, q), rejection, mass), p)
            ],
            mutants=(
                larger_of_two,
                absolute_difference,
                ratio_without_minimum,
                residual_without_division,
                residual_is_target,
                residual_of_draft,
                marginal_without_residual,
            ),
        ),
    ),
    theorem="TokenRule.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
