"""Where the residual mass is 0, nothing is ever rejected, and the residual is p: the 0/0 of norm((p - q)+) is never met.

Spec section 3. By test_residual_mass.py the mass is 0 only if p <= q at every token.
"""

from proofs.mutants import (
    absolute_difference,
    larger_of_two,
    rejection_without_draft,
    residual_at_zero_mass_divided,
    signed_difference,
)
from proofs.obligation import Claim, implies, obligations_of
from proofs.test_residual_mass import balanced, one_token_more

CLAIMS = (
    Claim(
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
    Claim(
        slug="zero-residual-returns-target",
        sentence="At residual mass 0 the residual is p.",
        variables="p q",
        hypotheses=lambda n, p, q: [p >= 0, p <= q],
        conclusion=lambda rules, n, p, q: [n.eq(rules.residual(n, p, q, n.zero), p)],
        mutants=(residual_at_zero_mass_divided,),
    ),
    Claim(
        slug="equal-rows",
        sentence="Where p = q, the token adds neither mass nor rejection, and once drafted it is always accepted.",
        variables="mass rejection p q",
        hypotheses=lambda n, mass, rejection, p, q: [p >= 0, n.eq(p, q)],
        conclusion=lambda rules, n, mass, rejection, p, q: [
            n.eq(rules.residual_mass_step(n, mass, p, q), mass),
            n.eq(rules.rejection_step(n, rejection, q, rules.acceptance(n, p, q)), rejection),
            implies(n, q > 0, n.eq(rules.acceptance(n, p, q), 1)),
        ],
        mutants=(rejection_without_draft,),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(*CLAIMS)
