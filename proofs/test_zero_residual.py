"""Where the residual mass is 0, nothing is ever rejected, and the residual is p: the 0/0 of norm((p - q)+) is never met.

By test_rejection_probability.py the mass is 0 only if p <= q at every token.
"""

from proofs.claim import Claim, Lemma
from proofs.folds import balanced, one_token_more
from proofs.mutants import (
    absolute_difference,
    larger_of_two,
    rejection_without_draft,
    residual_at_zero_mass_divided,
    signed_difference,
)
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="zero_residual",
    sentence="With residual mass 0 a rejection has probability 0, and the residual is p.",
    scope="every vocabulary, every target and draft law",
    source="spec 3",
    relied_on_by="reference.residual_distribution, mtplx.sampling",
    lemmas=(
        Lemma(
            slug="zero-residual",
            sentence="With p and q normalised and residual mass 0, a rejection has probability 0.",
            variables="rejection sum_p sum_q p q",
            hypotheses=lambda n, rejection, sum_p, sum_q, p, q: [
                p >= 0,
                p <= q,
                balanced(n, n.zero, rejection, sum_p, sum_q),
                n.eq(sum_p + p, 1),
                n.eq(sum_q + q, 1),
            ],
            conclusion=lambda rules, n, rejection, sum_p, sum_q, p, q: [
                n.eq(result, 0) for result in one_token_more(rules, n, n.zero, rejection, p, q)
            ],
            mutants=(larger_of_two, absolute_difference, signed_difference, rejection_without_draft),
        ),
        Lemma(
            slug="zero-residual-returns-target",
            sentence="At residual mass 0 the residual is p.",
            variables="p q",
            hypotheses=lambda n, p, q: [p >= 0, p <= q],
            conclusion=lambda rules, n, p, q: [n.eq(rules.residual(n, p, q, n.zero), p)],
            mutants=(residual_at_zero_mass_divided,),
        ),
    ),
    theorem="TokenRule.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
