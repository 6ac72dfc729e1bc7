"""When the acceptance of a token that the target gives mass is lost: below half the smallest positive number s, and only there.

At exactly half it is 0 or s, as ties are broken: 0 to even.
"""

from proofs import floats
from proofs.claim import Claim, Lemma, implies
from proofs.obligation import obligations_of
from proofs.step_mutants import float_rejection, rounds_to_a_neighbour, rounds_to_the_farther, rounds_towards_zero

CLAIM = Claim(
    id="float_underflow",
    sentence="A positive p/q gives acceptance 0 if it is below half the smallest positive number, and not if it is above.",
    scope=floats.SCOPE,
    source="spec 2; IEEE 754-2019, sections 3.3 and 4.3.1",
    relied_on_by="mtplx.audit.measure.errors: a positive number that comes out 0 is an underflow only where it is small",
    lemmas=(
        Lemma(
            slug="float-underflow",
            sentence="With p/q < s/2, and no grid point between 0 and s, the acceptance is 0.",
            variables="p q s r",
            hypotheses=lambda n, p, q, s, r: [p >= 0, q > 0, s > 0, s <= 1, n.either(r <= 0, r >= s), 2 * p < s * q],
            conclusion=lambda rules, n, p, q, s, r: [
                implies(n, rules.rounds_to(n, n.quotient(p, q), r, n.zero), n.eq(rules.acceptance(n, p, q, r), 0))
            ],
            rules=floats,
            mutants=(rounds_to_a_neighbour, rounds_to_the_farther, float_rejection),
        ),
        Lemma(
            slug="float-no-underflow",
            sentence="With p/q > s/2, and no grid point between 0 and s, the acceptance is at least s.",
            variables="p q s r",
            hypotheses=lambda n, p, q, s, r: [p >= 0, q > 0, s > 0, s <= 1, n.either(r <= 0, r >= s), 2 * p > s * q],
            conclusion=lambda rules, n, p, q, s, r: [
                implies(n, rules.rounds_to(n, n.quotient(p, q), r, s), rules.acceptance(n, p, q, r) >= s)
            ],
            rules=floats,
            mutants=(rounds_towards_zero, rounds_to_a_neighbour, float_rejection),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
