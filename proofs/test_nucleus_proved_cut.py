"""Where the integer masses are sure, the real nucleus agrees (docs/integer-core.md, section 3).

In real weights a rank stays iff (1 - top_p) * before < top_p * after. With 1 - e and 1 + e beside the weights and in the
factors of the threshold this is rest * (1 - e) before < kept * (1 + e) after, and masses bound either side to one unit a rank.
"""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies
from proofs.mutants import (
    factors_of_the_other_side,
    factors_without_error,
    keeps_at_the_boundary,
    keeps_the_tail,
    stands_for_no_less,
    stands_for_units_only,
    stands_within_one_unit_more,
    threshold_with_half_the_units,
    threshold_without_units,
)
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def right_to(mass: Any, weight: Any, error: Any, units: Any) -> Terms:
    """|mass - weight| <= error * weight + units, for a weight that is not negative."""
    return [weight >= 0, mass - weight <= error * weight + units, weight - mass <= error * weight + units]


def weighed(rules: Any, n: NumberSystem, top_p: Any, error: Any, before: Any, after: Any) -> Terms:
    """How far the weighed side from a rank on is ahead: 1 - error^2 times the lead of top_p of the total."""
    rest, kept = rules.threshold_factors(n, top_p, error)
    ahead = top_p * (before + after) - before
    return [n.eq(kept * ((1 + error) * after) - rest * ((1 - error) * before), (1 - error) * (1 + error) * ahead)]


def sign_decides(rules: Any, n: NumberSystem, factor: Any, before: Any, top_p: Any, total: Any) -> Terms:
    """A rank stays iff a positive factor times that lead is positive."""
    stays, positive = rules.nucleus_keeps(n, before, top_p, total), factor * (top_p * total - before) > 0
    return [implies(n, stays, positive), implies(n, positive, stays)]


CLAIM = Claim(
    id="nucleus_proved_cut",
    sentence=(
        "Two thresholds on integer masses enclose the real cut: where they agree, so does the nucleus of the real exponentials."
    ),
    scope="every row, every top_p below 1, every relative error below 1",
    source="docs/integer-core.md, section 3",
    relied_on_by="mtplx.target, mtplx.dyadic.from_logits",
    lemmas=(
        Lemma(
            slug="masses-stand",
            sentence="A mass that is off by at most the error and the units, in either direction, stands for its weight.",
            variables="error units mass weight off",
            hypotheses=lambda n, error, units, mass, weight, off: [
                *(error >= 0, error < 1, units >= 0, weight >= 0, n.eq(mass, weight + off)),
                *(off <= error * weight + units, off >= 0 - error * weight - units),
            ],
            conclusion=lambda rules, n, error, units, mass, weight, off: [rules.stands_for(n, mass, weight, error, units)],
            mutants=(stands_for_units_only,),
        ),
        Lemma(
            slug="masses-step",
            sentence="If a sum of masses is right to the error and a unit a rank, it is with one rank more.",
            variables="error mass weight masses weights ranks",
            hypotheses=lambda n, error, mass, weight, masses, weights, ranks: [
                *(error >= 0, error < 1, ranks >= 0, weight >= 0),
                *right_to(masses, weights, error, ranks),
            ],
            conclusion=lambda rules, n, error, mass, weight, masses, weights, ranks: [
                implies(n, rules.stands_for(n, mass, weight, error, n.one), term)
                for term in right_to(masses + mass, weights + weight, error, ranks + 1)
            ],
            mutants=(stands_for_no_less, stands_within_one_unit_more),
        ),
        Lemma(
            slug="masses-sides",
            sentence="A mass right to error and units lies from (1 - error) * weight - units to (1 + error) * weight + units.",
            variables="error units mass weight",
            hypotheses=lambda n, error, units, mass, weight: [units >= 0, error >= 0, error < 1, weight >= 0],
            conclusion=lambda rules, n, error, units, mass, weight: [
                implies(n, rules.stands_for(n, mass, weight, error, units), (1 - error) * weight <= mass + units),
                implies(n, rules.stands_for(n, mass, weight, error, units), (1 + error) * weight >= mass - units),
            ],
            mutants=(stands_for_no_less, stands_within_one_unit_more),
        ),
        Lemma(
            slug="nucleus-weighed",
            sentence=(
                "kept * (1 + e) after - rest * (1 - e) before is 1 - e^2 times top_p * total - before, for e of either sign."
            ),
            variables="top_p error before after",
            hypotheses=lambda n, top_p, error, before, after: [
                *(top_p > 0, top_p < 1, error > -1, error < 1, before >= 0, after >= 0)
            ],
            conclusion=weighed,
            mutants=(factors_without_error, factors_of_the_other_side),
        ),
        Lemma(
            slug="nucleus-by-sign",
            sentence="A rank is in the real nucleus iff top_p * total - before is positive, times any positive factor as well.",
            variables="factor before top_p total",
            hypotheses=lambda n, factor, before, top_p, total: [factor > 0, before >= 0, top_p > 0, top_p < 1, total > 0],
            conclusion=sign_decides,
            mutants=(keeps_at_the_boundary, keeps_the_tail),
        ),
        Lemma(
            slug="nucleus-surely-kept",
            sentence="Below the first threshold the weighed weight before a rank is less than that from it on: the rank stays.",
            variables="rest kept units low high before after",
            hypotheses=lambda n, rest, kept, units, low, high, before, after: [
                *(rest > 0, kept > 0, units >= 0, low >= 0, high >= 0, before >= 0, after >= 0),
                *(before <= low + units, after >= high - units),
            ],
            conclusion=lambda rules, n, rest, kept, units, low, high, before, after: [
                implies(n, rules.below_threshold(n, low, low + high, units, rest, kept), rest * before < kept * after)
            ],
            mutants=(threshold_without_units, threshold_with_half_the_units),
        ),
        Lemma(
            slug="nucleus-surely-dropped",
            sentence="At the second threshold, units negated, or above, the weighed weight before a rank is not less: it goes.",
            variables="rest kept units low high before after",
            hypotheses=lambda n, rest, kept, units, low, high, before, after: [
                *(rest > 0, kept > 0, units >= 0, low >= 0, high >= 0, before >= 0, after >= 0),
                *(before >= low - units, after <= high + units),
            ],
            conclusion=lambda rules, n, rest, kept, units, low, high, before, after: [
                n.either(rules.below_threshold(n, low, low + high, n.zero - units, rest, kept), rest * before >= kept * after)
            ],
            mutants=(threshold_without_units, threshold_with_half_the_units),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
