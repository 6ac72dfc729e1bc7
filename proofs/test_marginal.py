"""The emitted token has the target's law: q*a + rejection * residual = p at every token.

Chen et al., arXiv 2302.01318, theorem 1. The hypotheses on rejection and mass are what test_residual_mass.py proves of
the folds over any vocabulary.
"""

from proofs.mutants import (
    absolute_difference,
    larger_of_two,
    marginal_without_residual,
    ratio_without_minimum,
    residual_is_target,
    residual_of_draft,
    residual_without_division,
)
from proofs.obligation import Claim, obligations_of

CLAIMS = (
    Claim(
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
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(*CLAIMS)
