"""In floats too, more target mass never lowers the acceptance, and more draft mass never raises it.

Of two quotients each rounds to its own result r; the other's result is a grid point, no nearer.
"""

from typing import Any

from proofs import floats
from proofs.claim import Claim, Lemma, Terms, implies
from proofs.obligation import obligations_of
from proofs.step_mutants import (
    float_never_accepts_without_draft,
    float_rejection,
    float_without_minimum,
    rounds_to_a_neighbour,
    rounds_to_the_farther,
)
from reference.numbers import NumberSystem


def two_quotients(n: NumberSystem, p: Any, q: Any, x: Any, r: Any, p_2: Any, q_2: Any, x_2: Any, r_2: Any) -> Terms:
    """x = p/q <= p_2/q_2 = x_2; where they are equal, so is what they round to."""
    positive = [p >= 0, q > 0, p_2 >= 0, q_2 > 0]
    quotients = [n.eq(x * q, p), n.eq(x_2 * q_2, p_2)]
    return [*positive, *quotients, p * q_2 <= p_2 * q, implies(n, n.eq(x, x_2), n.eq(r, r_2))]


CLAIM = Claim(
    id="float_monotone",
    sentence="The acceptance in floats does not fall where p/q does not: not as p grows, nor as q shrinks, nor at q = 0.",
    scope=floats.SCOPE + "; equal quotients round equally",
    source="spec 3; IEEE 754-2019, section 4.3.1",
    relied_on_by="kernels that compare acceptances; proofs/checks/test_bfloat16.py holds it against every pair of one format",
    lemmas=(
        Lemma(
            slug="float-monotone",
            sentence="For p/q <= p'/q' with q, q' > 0 the acceptance of p, q is not above that of p', q'.",
            variables="p q x r p_2 q_2 x_2 r_2",
            hypotheses=two_quotients,
            conclusion=lambda rules, n, p, q, x, r, p_2, q_2, x_2, r_2: [
                implies(
                    n,
                    n.both(rules.rounds_to(n, x, r, r_2), rules.rounds_to(n, x_2, r_2, r)),
                    rules.acceptance(n, p, q, r) <= rules.acceptance(n, p_2, q_2, r_2),
                )
            ],
            rules=floats,
            mutants=(rounds_to_a_neighbour, rounds_to_the_farther, float_rejection),
        ),
        Lemma(
            slug="float-monotone-without-draft",
            sentence="At q = 0 the acceptance does not fall as p grows, and for p > 0 it is not below that at any q > 0.",
            variables="p q r p_2 r_2",
            hypotheses=lambda n, p, q, r, p_2, r_2: [p >= 0, q > 0, p_2 >= p],
            conclusion=lambda rules, n, p, q, r, p_2, r_2: [
                rules.acceptance(n, p, n.zero, r) <= rules.acceptance(n, p_2, n.zero, r_2),
                implies(n, p > 0, rules.acceptance(n, p, q, r) <= rules.acceptance(n, p, n.zero, r_2)),
            ],
            rules=floats,
            mutants=(float_without_minimum, float_never_accepts_without_draft),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
