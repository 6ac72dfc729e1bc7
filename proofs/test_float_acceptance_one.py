"""In floats the acceptance is exactly 1 where p >= q, so that every coin accepts; and nowhere else: no quotient rounds up to 1.

With significands of t bits the number before 1 is 1 - d, d = 2^-t. Let e be the spacing from a number q > 0 on upwards: q is
below e 2^t, so q d < e. The number before q is q - e, or q - e/2 where q is a power of two, 2 q d = e; subnormal, q - e.
"""

from typing import Any

from proofs import floats
from proofs.claim import Claim, Lemma, Terms, implies
from proofs.obligation import obligations_of
from proofs.step_mutants import (
    float_divides_without_draft,
    float_larger_of_two,
    float_never_accepts_without_draft,
    float_without_minimum,
    rounds_to_the_farther,
)
from reference.numbers import NumberSystem


def numbers_of_one_format(n: NumberSystem, p: Any, q: Any, r: Any, e: Any, d: Any) -> Terms:
    """p is at most the number before q."""
    before = n.either(p + e <= q, n.both(n.eq(2 * (q * d), e), 2 * p + e <= 2 * q))
    return [p >= 0, q > 0, d > 0, 2 * d <= 1, q * d < e, before]


CLAIM = Claim(
    id="float_acceptance_one",
    sentence="The acceptance in floats is exactly 1 where p >= q and p > 0, and only there.",
    scope=floats.SCOPE,
    source="spec 3; IEEE 754-2019, sections 3.3 and 4.3.1",
    relied_on_by="mtplx.audit.claims.one_token.acceptance_trial: floats get no tolerance where the acceptance is 1",
    lemmas=(
        Lemma(
            slug="float-one",
            sentence="For p >= q > 0, whatever p/q rounds to where 1 is a grid point, the acceptance is 1.",
            variables="p q r",
            hypotheses=lambda n, p, q, r: [q > 0, p >= q],
            conclusion=lambda rules, n, p, q, r: [
                implies(n, rules.rounds_to(n, n.quotient(p, q), r, n.one), n.eq(rules.acceptance(n, p, q, r), 1))
            ],
            rules=floats,
            mutants=(float_without_minimum, rounds_to_the_farther),
        ),
        Lemma(
            slug="float-one-without-draft",
            sentence="For p > 0 and q = 0 the acceptance is 1, whatever the division gives there.",
            variables="p r",
            hypotheses=lambda n, p, r: [p > 0],
            conclusion=lambda rules, n, p, r: [n.eq(rules.acceptance(n, p, n.zero, r), 1)],
            rules=floats,
            mutants=(float_never_accepts_without_draft, float_divides_without_draft),
        ),
        Lemma(
            slug="float-one-only",
            sentence="For numbers p < q of one binary format, p/q is at most the number before 1, and the acceptance below 1.",
            variables="p q r e d",
            hypotheses=numbers_of_one_format,
            conclusion=lambda rules, n, p, q, r, e, d: [
                implies(n, rules.rounds_to(n, n.quotient(p, q), r, 1 - d), rules.acceptance(n, p, q, r) < 1)
            ],
            rules=floats,
            mutants=(float_larger_of_two, rounds_to_the_farther),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
