"""The acceptance in floats is a probability."""

from proofs import floats
from proofs.claim import Claim, Lemma, implies
from proofs.obligation import obligations_of
from proofs.step_mutants import float_divides_without_draft, float_without_minimum, rounds_to_the_farther

CLAIM = Claim(
    id="float_acceptance_range",
    sentence="min(1, p/q) in floats, with its values at q = 0, lies in [0, 1].",
    scope=floats.SCOPE,
    source="spec 3; IEEE 754-2019, section 4.3.1",
    relied_on_by="float_coin; mtplx audit of engines in floats",
    lemmas=(
        Lemma(
            slug="float-range",
            sentence="For p >= 0 and q > 0, whatever p/q rounds to where 0 is a grid point, the acceptance lies in [0, 1].",
            variables="p q r",
            hypotheses=lambda n, p, q, r: [p >= 0, q > 0],
            conclusion=lambda rules, n, p, q, r: [
                implies(n, rules.rounds_to(n, n.quotient(p, q), r, n.zero), term)
                for term in (rules.acceptance(n, p, q, r) >= 0, rules.acceptance(n, p, q, r) <= 1)
            ],
            rules=floats,
            mutants=(float_without_minimum, rounds_to_the_farther),
        ),
        Lemma(
            slug="float-range-without-draft",
            sentence="At q = 0 the acceptance is 0 or 1, whatever the division gives there.",
            variables="p r",
            hypotheses=lambda n, p, r: [p >= 0],
            conclusion=lambda rules, n, p, r: [
                n.either(n.eq(rules.acceptance(n, p, n.zero, r), 0), n.eq(rules.acceptance(n, p, n.zero, r), 1))
            ],
            rules=floats,
            mutants=(float_divides_without_draft,),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
