"""The fixed-point exponential is right to a relative 2^-43: how its errors add up.

Of 2^-f the table has an entry s, right to half a unit u = 2^-48, and four terms of a series whose rest is t^5 / 120. Every
term loses less than 2 u by truncation, the product with the entry 2 u more: 7 units in all, and 9 are allowed. With the error
of y that is 2^-43. That the code's own steps lose no more is found by running it in each of the 256 intervals (tests/unit/
test_exponential_bound.py, by balls: 6.2 units).
"""

from typing import Any

from proofs import arithmetic
from proofs.claim import Claim, Lemma, Terms
from proofs.obligation import obligations_of
from proofs.step_mutants import error_of_one_only, rises_from, series_of_one_sign, series_without_fourth
from reference.numbers import NumberSystem

TWO_TO_43 = 2**43


def truncated(found: Any, ideal: Any, units: Any) -> Terms:
    """A number from which less than so many units were cut off."""
    return [ideal - units < found, found <= ideal]


def fall_is_near(rules: Any, n: NumberSystem, t: Any, square: Any, cube: Any, fourth: Any, **found: Any) -> Terms:
    """The fall of the truncated terms is within 4 units of that of the terms."""
    ahead = rules.series_fall(n, *found.values()) - rules.series_fall(n, t, square, cube, fourth)
    return [ahead < 4, ahead > -4]


CLAIM = Claim(
    id="exponential_error",
    sentence="The mass of a token is right to a relative 2^-43, if each step is right to what its truncation can cost.",
    scope="every difference of logits and every temperature; the steps' own errors by ball arithmetic",
    source="docs/integer-core.md, section 2",
    relied_on_by="nucleus_proved_cut, mtplx.exponential",
    lemmas=(
        Lemma(
            slug="exponential-series",
            sentence="Where exp(-t) lies between its fourth and fifth partial sums, four terms are right to t^5 / 120.",
            variables="t square cube fourth fifth power",
            hypotheses=lambda n, t, square, cube, fourth, fifth, power: [
                *(t >= 0, t <= 1, n.eq(2 * square, t * t), n.eq(3 * cube, square * t), n.eq(4 * fourth, cube * t)),
                *(n.eq(5 * fifth, fourth * t), power <= 1 - t + square - cube + fourth),
                power >= 1 - t + square - cube + fourth - fifth,
            ],
            conclusion=lambda rules, n, t, square, cube, fourth, fifth, power: [
                (1 - rules.series_fall(n, t, square, cube, fourth)) - power >= 0,
                (1 - rules.series_fall(n, t, square, cube, fourth)) - power <= fifth,
            ],
            rules=arithmetic,
            mutants=(series_without_fourth, series_of_one_sign),
        ),
        Lemma(
            slug="exponential-terms",
            sentence="Four terms that lose less than 2 units each give a fall that is right to 4 units, as they alternate.",
            variables="t square cube fourth T SQUARE CUBE FOURTH",
            hypotheses=lambda n, t, square, cube, fourth, T, SQUARE, CUBE, FOURTH: [
                *truncated(T, t, 2),
                *truncated(SQUARE, square, 2),
                *truncated(CUBE, cube, 2),
                *truncated(FOURTH, fourth, 2),
            ],
            conclusion=fall_is_near,
            rules=arithmetic,
            mutants=(series_of_one_sign,),
        ),
        Lemma(
            slug="exponential-product",
            sentence="An entry right to half a unit, less its product with a fall right to 4 units, truncated twice: 7 units.",
            variables="s S fall FALL product ideal lost u",
            hypotheses=lambda n, s, S, fall, FALL, product, ideal, lost, u: [
                *(u > 0, s >= 0, s <= 1, S >= 0, S <= 1, fall >= 0, fall <= 1, n.eq(product, S * FALL), n.eq(ideal, s * fall)),
                *(2 * (S - s) <= u, 2 * (s - S) <= u, FALL - fall <= 4 * u, fall - FALL <= 4 * u),
                *truncated(lost, product, 2 * u),
            ],
            conclusion=lambda rules, n, s, S, fall, FALL, product, ideal, lost, u: [
                rules.falls_from(n, S, lost) - (s - ideal) <= 7 * u,
                (s - ideal) - rules.falls_from(n, S, lost) <= 7 * u,
            ],
            rules=arithmetic,
            mutants=(rises_from,),
        ),
        Lemma(
            slug="exponential-composed",
            sentence="9 units of at least 2^47, and 0.71 * 2^-44 by the error of y, are less than 2^-43 together.",
            variables="of_power of_y",
            hypotheses=lambda n, of_power, of_y: [
                *(2**47 * of_power <= 9, 2**47 * of_power >= -9, 100 * 2**44 * of_y <= 71, 100 * 2**44 * of_y >= -71),
            ],
            conclusion=lambda rules, n, of_power, of_y: [
                TWO_TO_43 * rules.within(n, of_power, of_y) < 1,
                TWO_TO_43 * rules.within(n, of_power, of_y) > -1,
                n.eq((1 + of_power) * (1 + of_y), 1 + rules.within(n, of_power, of_y)),
            ],
            rules=arithmetic,
            mutants=(error_of_one_only,),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
