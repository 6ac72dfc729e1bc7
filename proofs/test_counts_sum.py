"""Counts: the floors of m * D / W leave fewer units than ranks; one each for the first ranks makes the sum D.

docs/integer-core.md, section 4, for every D, every W = sum of the masses, and one rank more at a time.
"""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies
from proofs.mutants import count_drops_missing, count_gives_all_to_the_first, count_gives_one_too_many, is_any_below, is_ceiling
from proofs.obligation import obligations_of
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


CLAIM = Claim(
    id="counts_sum",
    sentence="The counts of a dyadic law sum to D.",
    scope="every denominator D, every vocabulary",
    source="docs/integer-core.md, section 4",
    relied_on_by="one_draw, mtplx.dyadic.from_logits",
    lemmas=(
        Lemma(
            slug="counts-floor",
            sentence="Every a has its floor: k with a = k b + rest, 0 <= rest < b.",
            variables="a b k rest",
            hypotheses=lambda n, a, b, k, rest: [b > 0, rest >= 0, rest < b, n.eq(a, k * b + rest)],
            conclusion=lambda rules, n, a, b, k, rest: [rules.is_floor(n, k, a, b)],
            mutants=(is_ceiling,),
        ),
        Lemma(
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
        Lemma(
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
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
