"""A count is off its share by one unit at most, so that total variation from m / W is at most min(missing, n - missing) /
D.

docs/integer-core.md, section 4.
"""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies
from proofs.mutants import count_drops_missing, count_gives_one_too_many, signed_difference
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def one_rank(rules: Any, n: NumberSystem, D: Any, W: Any, m: Any, floor: Any, rank: Any, missing: Any) -> Terms:
    """In units of 1 / (D W): a rank with a missing unit has at most one unit too much, another less than one too little."""
    ahead = rules.count(n, floor, rank, missing) * W - m * D
    return [
        implies(n, rank < missing, n.both(ahead > 0, ahead <= W)),
        implies(n, rank >= missing, n.both(ahead <= 0, ahead > n.zero - W)),
    ]


def one_rank_more(
    rules: Any, n: NumberSystem, D: Any, W: Any, m: Any, floor: Any, given: Any, gives: Any, gains: Any, losses: Any, ranks: Any
) -> Terms:
    """The folds that sum the ranks' gains and losses in units of 1 / (D W); `gives` is 1 if the rank has a missing unit."""
    ahead = rules.count(n, floor, n.zero, gives) * W - m * D
    gains, losses = gains + rules.positive_part(n, ahead), losses + rules.positive_part(n, n.zero - ahead)
    given, ranks = given + gives, ranks + 1
    return [
        n.both(gains >= 0, gains <= given * W),
        n.both(losses >= 0, losses <= (ranks - given) * W),
        implies(n, n.eq(gains, losses), 2 * gains <= ranks * W),
    ]


CLAIM = Claim(
    id="counts_variation",
    sentence="Counts over D differ from their shares by at most n / (2 D) in total variation.",
    scope="every denominator D, every vocabulary",
    source="docs/integer-core.md, section 4",
    relied_on_by="the bound of mtplx.dyadic, mtplx check --integer",
    lemmas=(
        Lemma(
            slug="counts-one-rank",
            sentence="A rank with a missing unit has more than its share by at most one unit; another, less by less than one.",
            variables="D W m floor rank missing",
            hypotheses=lambda n, D, W, m, floor, rank, missing: [
                *(D > 0, W > 0, m >= 0, floor * W <= m * D, m * D < (floor + 1) * W),
            ],
            conclusion=one_rank,
            mutants=(count_drops_missing, count_gives_one_too_many),
        ),
        Lemma(
            slug="counts-variation",
            sentence="Gains are at most a unit for each missing one, losses one for each other rank; where equal, half of n.",
            variables="D W m floor given gives gains losses ranks",
            hypotheses=lambda n, D, W, m, floor, given, gives, gains, losses, ranks: [
                *(D > 0, W > 0, m >= 0, floor * W <= m * D, m * D < (floor + 1) * W, ranks >= 0),
                *(gains >= 0, gains <= given * W, losses >= 0, losses <= (ranks - given) * W),
                n.either(n.eq(gives, 0), n.eq(gives, 1)),
            ],
            conclusion=one_rank_more,
            mutants=(count_gives_one_too_many, signed_difference),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
