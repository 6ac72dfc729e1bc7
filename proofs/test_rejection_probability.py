"""Over a whole vocabulary the rejection probability is the residual mass: sum q(1 - a) = sum (p - q)+.

By induction on the tokens, with the invariant mass - rejection = sum p - sum q: it holds at no token, one more token keeps it,
and it ends in the claim because both rows sum to one. So the number of tokens never matters.
"""

from typing import Any

from proofs.claim import Claim, Lemma, Terms
from proofs.folds import balanced, one_token_more
from proofs.mutants import (
    absolute_difference,
    larger_of_two,
    mass_forgets,
    rejection_counts_acceptance,
    rejection_without_draft,
    signed_difference,
)
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def starts_and_goes_on(rules: Any, n: NumberSystem, mass: Any, rejection: Any, sum_p: Any, sum_q: Any, p: Any, q: Any) -> Terms:
    """The invariant before the first token, and after one more."""
    after = one_token_more(rules, n, mass, rejection, p, q)
    return [balanced(n, n.zero, n.zero, n.zero, n.zero), balanced(n, *after, sum_p + p, sum_q + q)]


CLAIM = Claim(
    id="rejection_probability",
    sentence="A draft is rejected with probability sum (p - q)+.",
    scope="every vocabulary, every target and draft law",
    source="arXiv 2211.17192, section 3.1",
    relied_on_by="token_rule, zero_residual",
    lemmas=(
        Lemma(
            slug="residual-mass-step",
            sentence="mass - rejection = sum p - sum q holds of no tokens, and appending a token keeps it.",
            variables="mass rejection sum_p sum_q p q",
            hypotheses=lambda n, mass, rejection, sum_p, sum_q, p, q: [
                p >= 0,
                q >= 0,
                balanced(n, mass, rejection, sum_p, sum_q),
            ],
            conclusion=starts_and_goes_on,
            mutants=(larger_of_two, signed_difference, absolute_difference, mass_forgets, rejection_without_draft),
        ),
        Lemma(
            slug="residual-mass-end",
            sentence="After the last token, when p and q both sum to one, the rejection probability is the residual mass.",
            variables="mass rejection sum_p sum_q p q",
            hypotheses=lambda n, mass, rejection, sum_p, sum_q, p, q: [
                p >= 0,
                q >= 0,
                balanced(n, mass, rejection, sum_p, sum_q),
                n.eq(sum_p + p, 1),
                n.eq(sum_q + q, 1),
            ],
            conclusion=lambda rules, n, mass, rejection, sum_p, sum_q, p, q: [
                n.eq(*one_token_more(rules, n, mass, rejection, p, q))
            ],
            mutants=(larger_of_two, signed_difference, rejection_counts_acceptance),
        ),
        Lemma(
            slug="residual-mass-bounds",
            sentence="The residual mass is at least 0, and at least p - q at the new token and at every token before.",
            variables="mass seen p q",
            hypotheses=lambda n, mass, seen, p, q: [mass >= 0, mass >= seen, p >= 0, q >= 0],
            conclusion=lambda rules, n, mass, seen, p, q: [
                rules.residual_mass_step(n, mass, p, q) >= bound for bound in (n.zero, seen, p - q)
            ],
            mutants=(signed_difference, mass_forgets),
        ),
    ),
    theorem="TokenRule.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
