"""The digits of the long division are right after one correction at most.

docs/integer-core.md, section 4. The unit is the last of the leading bits: what lies below, m of the divisor and `rest` of the
remainder, is less.
"""

from typing import Any

from proofs import arithmetic
from proofs.claim import Claim, Lemma, Terms, implies
from proofs.obligation import obligations_of
from proofs.step_mutants import digit_corrected_beyond, digit_without_correction, trial_by_the_leading_bits
from reference.numbers import NumberSystem

LIMB = 2**arithmetic.LIMB_BITS


def digit(rules: Any, n: NumberSystem, d: Any, m: Any, h: Any, rest: Any, trial: Any, over: Any) -> Terms:
    """If trial and over divide h by the trial divisor: the trial fits, and the digit leaves less than the divisor d + m."""
    by, divisor = rules.trial_divisor(n, d), d + m
    divided = n.both(n.eq(h, trial * by + over), n.both(over >= 0, over < by))
    left = (h + rest) - trial * divisor
    after = (h + rest) - rules.next_digit(n, trial, left, divisor) * divisor
    return [implies(n, divided, term) for term in (left >= 0, left < 2 * divisor, after >= 0, after < divisor)]


CLAIM = Claim(
    id="wide_quotient",
    sentence="A digit of the long division is its trial digit or one more, and one comparison says which.",
    scope="all divisors and remainders in range",
    source="docs/integer-core.md, section 4",
    relied_on_by="mtplx.wide, counts of mtplx.dyadic",
    lemmas=(
        Lemma(
            slug="long-division-digit",
            sentence=(
                "The leading bits by the divisor's, plus one, never give too large a digit, nor one more than one too small."
            ),
            variables="d m h rest trial over",
            hypotheses=lambda n, d, m, h, rest, trial, over: [
                *(d >= LIMB // 2, d < LIMB, m >= 0, m < 1, h >= 0, rest >= 0, rest < 1, trial >= 0),
                h + rest <= 2**arithmetic.DIGIT_BITS * (d + m),
            ],
            conclusion=digit,
            rules=arithmetic,
            mutants=(trial_by_the_leading_bits, digit_without_correction, digit_corrected_beyond),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
