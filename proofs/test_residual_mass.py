"""Over a whole vocabulary the rejection probability is the residual mass: sum q(1 - a) = sum (p - q)+.

By induction on the tokens, with the invariant mass - rejection = sum p - sum q: it holds at no token, one more token keeps
it, and it ends in the claim because both rows sum to one. So the number of tokens never matters.
"""

from typing import Any

from proofs.mutants import (
    absolute_difference,
    larger_of_two,
    mass_forgets,
    rejection_counts_acceptance,
    rejection_without_draft,
    signed_difference,
)
from proofs.obligation import Claim, Terms, obligations_of
from reference.numbers import NumberSystem


def balanced(n: NumberSystem, mass: Any, rejection: Any, sum_p: Any, sum_q: Any) -> Any:
    """The invariant of the two folds."""
    return n.eq(mass - rejection, sum_p - sum_q)


def one_token_more(rules: Any, n: NumberSystem, mass: Any, rejection: Any, p: Any, q: Any) -> tuple[Any, Any]:
    """Mass and rejection with the token (p, q) appended."""
    a = rules.acceptance(n, p, q)
    return rules.residual_mass_step(n, mass, p, q), rules.rejection_step(n, rejection, q, a)


def starts_and_goes_on(rules: Any, n: NumberSystem, mass: Any, rejection: Any, sum_p: Any, sum_q: Any, p: Any, q: Any) -> Terms:
    """The invariant before the first token, and after one more."""
    after = one_token_more(rules, n, mass, rejection, p, q)
    return [balanced(n, n.zero, n.zero, n.zero, n.zero), balanced(n, *after, sum_p + p, sum_q + q)]


CLAIMS = (
    Claim(
        slug="residual-mass-step",
        sentence="mass - rejection = sum p - sum q holds of no tokens, and appending a token keeps it.",
        variables="mass rejection sum_p sum_q p q",
        hypotheses=lambda n, mass, rejection, sum_p, sum_q, p, q: [p >= 0, q >= 0, balanced(n, mass, rejection, sum_p, sum_q)],
        conclusion=starts_and_goes_on,
        mutants=(larger_of_two, signed_difference, absolute_difference, mass_forgets, rejection_without_draft),
    ),
    Claim(
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
    Claim(
        slug="residual-mass-bounds",
        sentence="The residual mass is at least 0, and at least p - q at the new token and at every token before.",
        variables="mass seen p q",
        hypotheses=lambda n, mass, seen, p, q: [mass >= 0, mass >= seen, p >= 0, q >= 0],
        conclusion=lambda rules, n, mass, seen, p, q: [
            rules.residual_mass_step(n, mass, p, q) >= bound for bound in (n.zero, seen, p - q)
        ],
        mutants=(signed_difference, mass_forgets),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(*CLAIMS)
