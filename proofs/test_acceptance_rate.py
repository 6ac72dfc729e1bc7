"""How often a draft is accepted: sum min(p, q), which is 1 less the total variation distance of target and draft.

By induction on the tokens: accepted + mass = sum p, and twice the mass less the distance sum |p - q| is sum p - sum q.
"""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies
from proofs.mutants import absolute_difference, larger_of_two, mass_forgets, ratio_without_minimum, signed_difference
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def accepted_and_missing(rules: Any, n: NumberSystem, accepted: Any, mass: Any, sum_p: Any, p: Any, q: Any) -> Terms:
    """One token more: what is accepted and what is missing are together the target's mass; at the end, one."""
    accepted, mass = accepted + q * rules.acceptance(n, p, q), rules.residual_mass_step(n, mass, p, q)
    return [n.eq(accepted + mass, sum_p + p), implies(n, n.eq(sum_p + p, 1), n.eq(accepted, 1 - mass))]


def half_the_distance(rules: Any, n: NumberSystem, mass: Any, distance: Any, sum_p: Any, sum_q: Any, p: Any, q: Any) -> Terms:
    """One token more: the mass is half of sum |p - q| where both rows have the same sum."""
    mass, distance = rules.residual_mass_step(n, mass, p, q), distance + n.choose(p < q, q - p, p - q)
    return [
        n.eq(2 * mass - distance, (sum_p + p) - (sum_q + q)),
        implies(n, n.eq(sum_p + p, sum_q + q), n.eq(2 * mass, distance)),
    ]


CLAIM = Claim(
    id="acceptance_rate",
    sentence="A draft is accepted with probability 1 - TV(p, q).",
    scope="every vocabulary, every target and draft law",
    source="arXiv 2211.17192, theorem 3.5 and corollary 3.6",
    relied_on_by="acceptance_optimal, reference.claims.overlap",
    lemmas=(
        Lemma(
            slug="acceptance-rate-step",
            sentence="accepted + mass = sum p is kept by one more token; where p sums to one, accepted = 1 - mass.",
            variables="accepted mass sum_p p q",
            hypotheses=lambda n, accepted, mass, sum_p, p, q: [p >= 0, q >= 0, n.eq(accepted + mass, sum_p)],
            conclusion=accepted_and_missing,
            mutants=(larger_of_two, ratio_without_minimum, mass_forgets),
        ),
        Lemma(
            slug="residual-mass-is-total-variation",
            sentence=(
                "2 mass - sum |p - q| = sum p - sum q is kept by one more token; where the sums agree, mass is half of it."
            ),
            variables="mass distance sum_p sum_q p q",
            hypotheses=lambda n, mass, distance, sum_p, sum_q, p, q: [n.eq(2 * mass - distance, sum_p - sum_q)],
            conclusion=half_the_distance,
            mutants=(signed_difference, absolute_difference),
        ),
    ),
    theorem="TokenRule.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
