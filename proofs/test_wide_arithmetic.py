"""Products and quotients by limbs are exact: the carries of multiply-shift, and the digits of the long division.

docs/integer-core.md, sections 2 and 4. A product of two limbs is written by its two halves, high and low. In the long
division the unit is the last of the leading bits: what lies below, m of the divisor and `rest` of the remainder, is less.
"""

from typing import Any

from proofs import arithmetic
from proofs.mutants import (
    digit_corrected_beyond,
    digit_without_correction,
    high_without_middle,
    middle_without_carry,
    trial_by_the_leading_bits,
)
from proofs.obligation import Claim, Terms, implies, obligations_of
from reference.numbers import NumberSystem

LIMB = 2**arithmetic.LIMB_BITS


def product_by_limbs(rules: Any, n: NumberSystem, hh: Any, hl1: Any, hl0: Any, lh1: Any, lh0: Any, ll1: Any, ll0: Any) -> Terms:
    """With the middle column split by its carry (0, 1 or 2), high * 2^64 + rest is the product, and rest is below 2^64."""
    middle = rules.middle_column(n, ll1, hl0, lh0)
    carry = n.choose(middle < LIMB, n.zero, n.choose(middle < 2 * LIMB, n.one, n.one + n.one))
    high = rules.high_column(n, hh, hl1, lh1, carry)
    rest = (middle - carry * LIMB) * LIMB + ll0
    whole = hh * LIMB**2 + (hl1 * LIMB + hl0 + lh1 * LIMB + lh0) * LIMB + (ll1 * LIMB + ll0)
    return [n.eq(whole, high * LIMB**2 + rest), rest >= 0, rest < LIMB**2]


def digit(rules: Any, n: NumberSystem, d: Any, m: Any, h: Any, rest: Any, trial: Any, over: Any) -> Terms:
    """If trial and over divide h by the trial divisor: the trial fits, and the digit leaves less than the divisor d + m."""
    by, divisor = rules.trial_divisor(n, d), d + m
    divided = n.both(n.eq(h, trial * by + over), n.both(over >= 0, over < by))
    left = (h + rest) - trial * divisor
    after = (h + rest) - rules.next_digit(n, trial, left, divisor) * divisor
    return [implies(n, divided, term) for term in (left >= 0, left < 2 * divisor, after >= 0, after < divisor)]


CLAIMS = (
    Claim(
        slug="product-by-limbs",
        sentence="Halves and carries of the four limb products put together are the product: floor(a b / 2^64) and the rest.",
        variables="hh hl1 hl0 lh1 lh0 ll1 ll0",
        hypotheses=lambda n, hh, **halves: [
            hh >= 0,
            *(term for half in halves.values() for term in (half >= 0, half < LIMB)),
        ],
        conclusion=product_by_limbs,
        sort="Int",
        rules=arithmetic,
        mutants=(middle_without_carry, high_without_middle),
    ),
    Claim(
        slug="long-division-digit",
        sentence="The leading bits by the divisor's, plus one, never give too large a digit, nor one more than one too small.",
        variables="d m h rest trial over",
        hypotheses=lambda n, d, m, h, rest, trial, over: [
            *(d >= LIMB // 2, d < LIMB, m >= 0, m < 1, h >= 0, rest >= 0, rest < 1, trial >= 0),
            h + rest <= 2**arithmetic.DIGIT_BITS * (d + m),
        ],
        conclusion=digit,
        rules=arithmetic,
        mutants=(trial_by_the_leading_bits, digit_without_correction, digit_corrected_beyond),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(*CLAIMS)
