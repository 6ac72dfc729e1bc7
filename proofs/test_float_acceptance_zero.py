"""A token that the target gives no mass has the acceptance 0 in floats too, not a small number: no coin accepts it."""

from proofs import floats
from proofs.claim import Claim, Lemma, implies
from proofs.obligation import obligations_of
from proofs.step_mutants import (
    float_always_accepts_without_draft,
    float_divides_without_draft,
    float_larger_of_two,
    rounds_to_the_farther,
)

CLAIM = Claim(
    id="float_acceptance_zero",
    sentence="At p = 0 the acceptance in floats is exactly 0.",
    scope=floats.SCOPE,
    source="spec 3; IEEE 754-2019, section 4.3.1",
    relied_on_by="mtplx.audit.claims.one_token.acceptance_trial: floats get no tolerance where the acceptance is 0",
    lemmas=(
        Lemma(
            slug="float-zero",
            sentence="At p = 0 and q > 0 the quotient is the grid point 0, and so is the acceptance.",
            variables="q r",
            hypotheses=lambda n, q, r: [q > 0],
            conclusion=lambda rules, n, q, r: [
                implies(n, rules.rounds_to(n, n.quotient(n.zero, q), r, n.zero), n.eq(rules.acceptance(n, n.zero, q, r), 0))
            ],
            rules=floats,
            mutants=(float_larger_of_two, rounds_to_the_farther),
        ),
        Lemma(
            slug="float-zero-without-draft",
            sentence="At p = q = 0 the acceptance is 0, whatever the division gives there.",
            variables="r",
            hypotheses=lambda n, r: [],
            conclusion=lambda rules, n, r: [n.eq(rules.acceptance(n, n.zero, n.zero, r), 0)],
            rules=floats,
            mutants=(float_always_accepts_without_draft, float_divides_without_draft),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
