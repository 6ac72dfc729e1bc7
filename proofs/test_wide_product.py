"""Products by limbs are exact: the carries of multiply-shift.

docs/integer-core.md, section 2. A product of two limbs is written by its two halves, high and low.
"""

from typing import Any

from proofs import arithmetic
from proofs.claim import Claim, Lemma, Terms
from proofs.obligation import obligations_of
from proofs.step_mutants import high_without_middle, middle_without_carry
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


CLAIM = Claim(
    id="wide_product",
    sentence="The high word of a product of two words by limbs is floor(a b / 2^64).",
    scope="all words of 64 bits",
    source="docs/integer-core.md, section 2",
    relied_on_by="mtplx.exponential",
    lemmas=(
        Lemma(
            slug="product-by-limbs",
            sentence=(
                "Halves and carries of the four limb products put together are the product: floor(a b / 2^64) and the rest."
            ),
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
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
