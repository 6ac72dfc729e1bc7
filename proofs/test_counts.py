"""Counts: the floors of m * D / W leave fewer units than ranks; one each for the first ranks makes the sum D.

docs/integer-core.md, section 4, for every D, every W = sum of the masses, and one rank more at a time. So total variation
from m / W is at most min(missing, n - missing) / D for n ranks.
"""

from typing import Any

from proofs.mutants import (
    count_drops_missing,
    count_gives_all_to_the_first,
    count_gives_one_too_many,
    is_any_below,
    is_ceiling,
    signed_difference,
)
from proofs.obligation import Claim, Terms, implies, obligations_of
from reference.numbers import NumberSystem


def missing_after(
    rules: Any, n: NumberSystem, D: Any, W: Any, m: Any, floor: Any, masses: Any, floors: Any, ranks: Any
) -> Terms:
    """One rank more: what the floors leave of masses * D is less than W a rank; complete, they leave fewer units than ranks."""
    left = (masses + m) * D - (floors + floor) * W
    units = D - (floors + floor)
    complete = n.both(rules.is_floor(n, floor, m * D, W), n.eq(masses + m, W))
    return [
        implies(n, rules.is_floor(n, floor, m * D, W), n.both(left >= 0, left < (ranks + 1) * W)),
        implies(n, complete, n.both(units >= 0, units < ranks + 1)),
    ]


def least(n: NumberSystem, a: Any, b: Any) -> Any:
    """The smaller of two numbers."""
    return n.choose(a < b, a, b)


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


CLAIMS = (
    Claim(
        slug="counts-missing",
        sentence="Floors of m * D / W leave less than one unit a rank; of all ranks together, fewer units than ranks.",
        variables="D W m floor masses floors ranks",
        hypotheses=lambda n, D, W, m, floor, masses, floors, ranks: [
            *(D > 0, W > 0, m >= 0, ranks >= 0),
            masses * D - floors * W >= 0,
            masses * D - floors * W <= ranks * W,
        ],
        conclusion=missing_after,
        mutants=(is_ceiling, is_any_below),
    ),
    Claim(
        slug="counts-sum",
        sentence="Rank by rank the counts sum to the floors and the units given; when none is missing any more, to D.",
        variables="D counts floors floor rank missing",
        hypotheses=lambda n, D, counts, floors, floor, rank, missing: [
            *(rank >= 0, missing >= 0, floor >= 0),
            n.eq(counts, floors + least(n, rank, missing)),
        ],
        conclusion=lambda rules, n, D, counts, floors, floor, rank, missing: [
            n.eq(least(n, n.zero, missing), 0),
            n.eq(counts + rules.count(n, floor, rank, missing), floors + floor + least(n, rank + 1, missing)),
            implies(n, n.both(missing <= rank, n.eq(missing, D - floors)), n.eq(counts, D)),
        ],
        mutants=(count_drops_missing, count_gives_one_too_many, count_gives_all_to_the_first),
        sort="Int",
    ),
    Claim(
        slug="counts-one-rank",
        sentence="A rank with a missing unit has more than its share by at most one unit; another, less by less than one.",
        variables="D W m floor rank missing",
        hypotheses=lambda n, D, W, m, floor, rank, missing: [
            *(D > 0, W > 0, m >= 0, floor * W <= m * D, m * D < (floor + 1) * W),
        ],
        conclusion=one_rank,
        mutants=(count_drops_missing, count_gives_one_too_many),
    ),
    Claim(
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
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(*CLAIMS)
