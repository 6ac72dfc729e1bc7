"""Block verification keeps the target: thresholds that stop at i with probability S_i, and residuals that fill what is missing.

Sun et al., arXiv 2403.10444; spec section 4. Write rho_i for the running ratio after i drafts, S_i = sum (rho_i p_i - q_i)+. By
the first claim, summed over the vocabulary, later drafts are kept with probability rho_i - S_i; by the second, i is kept
with probability rho_i and stopped at with S_i; by the third, token y then follows with probability rho_i p_i(y).
"""

from typing import Any

from proofs.mutants import (
    ratio_forgets_the_past,
    ratio_of_the_target,
    signed_difference,
    threshold_at_zero_divided,
    threshold_is_ratio,
    threshold_without_mass,
)
from proofs.obligation import Claim, implies, obligations_of
from reference.numbers import NumberSystem


def one_token(n: NumberSystem, rho: Any, p: Any, q: Any) -> list[Any]:
    """A running ratio and the probabilities of one token."""
    return [rho >= 0, rho <= 1, p >= 0, p <= 1, q >= 0, q <= 1]


CLAIMS = (
    Claim(
        slug="block-ratio",
        sentence="The ratio after a token is in [0, 1]; drafted and kept with it, the token comes with min(rho p, q).",
        variables="rho p q",
        hypotheses=one_token,
        conclusion=lambda rules, n, rho, p, q: [
            n.eq(q * rules.running_ratio(n, rho, p, q), n.choose(rho * p < q, rho * p, q)),
            rules.running_ratio(n, rho, p, q) >= 0,
            rules.running_ratio(n, rho, p, q) <= 1,
        ],
        mutants=(ratio_forgets_the_past, ratio_of_the_target),
    ),
    Claim(
        slug="block-threshold",
        sentence="If later drafts are kept with probability rho - S, this one is kept with rho and stopped at with S.",
        variables="mass rho",
        hypotheses=lambda n, mass, rho: [mass >= 0, mass <= rho, rho <= 1],
        conclusion=lambda rules, n, mass, rho: [
            rules.block_threshold(n, mass, rho) >= 0,
            rules.block_threshold(n, mass, rho) <= 1,
            n.eq((1 - rho + mass) * rules.block_threshold(n, mass, rho), mass),
        ],
        mutants=(threshold_at_zero_divided, threshold_is_ratio, threshold_without_mass),
    ),
    Claim(
        slug="block-emission",
        sentence="Kept as a draft or drawn from the residual, a token follows with probability rho p.",
        variables="rho p q",
        hypotheses=one_token,
        conclusion=lambda rules, n, rho, p, q: [
            n.eq(q * rules.running_ratio(n, rho, p, q) + rules.positive_part(n, rho * p - q), rho * p)
        ],
        mutants=(signed_difference, ratio_forgets_the_past),
    ),
    Claim(
        slug="block-first-token",
        sentence="At rho = 1 the ratio after a drafted token is the token rule's acceptance.",
        variables="p q",
        hypotheses=lambda n, p, q: [p >= 0, q >= 0],
        conclusion=lambda rules, n, p, q: [
            implies(n, q > 0, n.eq(rules.running_ratio(n, n.one, p, q), rules.acceptance(n, p, q)))
        ],
        mutants=(ratio_of_the_target,),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(*CLAIMS)
