"""The residual is a law: the part of the target that acceptance leaves over, divided by its mass.

The accepted part min(p, q) is excluded token by token, and what is left sums to one by induction on the tokens.
"""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import (
    absolute_difference,
    residual_is_target,
    residual_of_draft,
    residual_without_division,
    signed_difference,
)
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="residual_law",
    sentence="After a rejection the token has the law (p - min(p, q)) / mass, which is at least 0 and sums to one.",
    scope="every vocabulary, every target and draft law with a residual mass above 0",
    source="arXiv 2211.17192, section 2.3; spec 3",
    relied_on_by="token_rule, reference.residual_distribution, mtplx.sampling.residual_distribution",
    lemmas=(
        Lemma(
            slug="residual-excludes-accepted",
            sentence="Times its mass, the residual is the target less the accepted part; so it is 0 wherever p <= q.",
            variables="p q mass",
            hypotheses=lambda n, p, q, mass: [p >= 0, q >= 0, mass > 0, mass >= p - q],
            conclusion=lambda rules, n, p, q, mass: [
                n.eq(rules.residual(n, p, q, mass) * mass, p - n.choose(p < q, p, q)),
                rules.residual(n, p, q, mass) >= 0,
                rules.residual(n, p, q, mass) <= 1,
                implies(n, p <= q, n.eq(rules.residual(n, p, q, mass), 0)),
            ],
            mutants=(signed_difference, absolute_difference, residual_of_draft, residual_is_target),
        ),
        Lemma(
            slug="residual-sums-to-one",
            sentence=(
                "Shares so far times the whole mass are the mass so far; one more token keeps it, and in the end they are 1."
            ),
            variables="shares seen p q mass",
            hypotheses=lambda n, shares, seen, p, q, mass: [p >= 0, q >= 0, mass > 0, n.eq(shares * mass, seen)],
            conclusion=lambda rules, n, shares, seen, p, q, mass: [
                n.eq((shares + rules.residual(n, p, q, mass)) * mass, seen + n.choose(q < p, p - q, n.zero)),
                implies(
                    n,
                    n.eq(seen + n.choose(q < p, p - q, n.zero), mass),
                    n.eq(shares + rules.residual(n, p, q, mass), 1),
                ),
            ],
            mutants=(residual_without_division, absolute_difference),
        ),
    ),
    theorem="TokenRule.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
