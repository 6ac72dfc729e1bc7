"""What u <= a costs: on a lattice of N coins one coin more accepts, exactly where a is on the lattice and below 1.

So each such token is accepted with 1/N more than its acceptance, and a token that the target gives no mass with 1/N instead of
0. In the reals, or off the lattice, the two coins are the same.
"""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies
from proofs.mutants import accepts_above_the_threshold, accepts_at_the_threshold, residual_is_target
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def least(n: NumberSystem, a: Any, b: Any) -> Any:
    """The smaller of two numbers."""
    return n.choose(a < b, a, b)


def coins_counted(rules: Any, n: NumberSystem, N: Any, m: Any, u: Any, strict: Any, inclusive: Any) -> Terms:
    """With the coin u as well: strict coins are min(m, coins), inclusive ones min(m + 1, coins); of N, one more."""
    strict = n.choose(rules.accepts(n, u, m), strict + 1, strict)
    inclusive = n.choose(n.either(rules.accepts(n, u, m), n.eq(u, m)), inclusive + 1, inclusive)
    return [
        n.eq(strict, least(n, m, u + 1)),
        n.eq(inclusive, least(n, m + 1, u + 1)),
        implies(n, n.eq(u + 1, N), n.both(n.eq(strict, m), n.eq(inclusive - strict, n.choose(m < N, n.one, n.zero)))),
    ]


CLAIM = Claim(
    id="inclusive_coin",
    sentence="Over N coins u <= a accepts exactly one more than u < a, if a < 1 is a multiple of 1/N, and no more otherwise.",
    scope="every number of coins, every acceptance",
    source="spec 3; museum: inclusive coins",
    relied_on_by="mtplx audit: claims about coins; BUGS_FOUND.md",
    lemmas=(
        Lemma(
            slug="inclusive-coins-counted",
            sentence="Of the coins 0 .. N - 1, m are below m, and one more is at or below it where m < N: coin by coin.",
            variables="N m u strict inclusive",
            hypotheses=lambda n, N, m, u, strict, inclusive: [
                *(N > 0, m >= 0, m <= N, u >= 0, u < N),
                *(n.eq(strict, least(n, m, u)), n.eq(inclusive, least(n, m + 1, u))),
            ],
            conclusion=coins_counted,
            mutants=(accepts_at_the_threshold, accepts_above_the_threshold),
            sort="Int",
        ),
        Lemma(
            slug="inclusive-off-the-lattice",
            sentence="Off the lattice, where no coin equals the acceptance, u < a and u <= a are one rule.",
            variables="u a",
            hypotheses=lambda n, u, a: [u >= 0, u < 1, a >= 0, a <= 1, n.neg(n.eq(u, a))],
            conclusion=lambda rules, n, u, a: [
                implies(n, u <= a, rules.accepts(n, u, a)),
                implies(n, rules.accepts(n, u, a), u <= a),
            ],
            mutants=(accepts_above_the_threshold,),
        ),
        Lemma(
            slug="inclusive-excess",
            sentence=(
                "If every a < 1 is e more, such a token comes with e q more than p: accepted more often, and never a residual."
            ),
            variables="p q e excess mass",
            hypotheses=lambda n, p, q, e, excess, mass: [p >= 0, p < q, e > 0, excess >= q, mass > 0, mass >= e * excess],
            conclusion=lambda rules, n, p, q, e, excess, mass: [
                n.eq(rules.marginal(n, p, q, rules.acceptance(n, p, q) + e, mass - e * excess, mass), p + e * q)
            ],
            mutants=(residual_is_target,),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
