"""The steps of wide arithmetic whose correctness is not plain from the ranges, over any ordered field.

They transcribe steps of `mtplx.wide.Wide.quotient` and `mtplx.exponential.multiply_shift`; tests/unit/test_ranges.py holds
the constants against the code's, and bounds every step of the code itself.
"""

from __future__ import annotations

from typing import Any

from reference.numbers import NumberSystem

LIMB_BITS = 32
DIGIT_BITS = 31


def trial_divisor(n: NumberSystem, leading: Any) -> Any:
    """What the leading bits of a remainder are divided by, for a divisor with these leading bits."""
    return leading + n.one


def next_digit(n: NumberSystem, trial: Any, left: Any, divisor: Any) -> Any:
    """The digit of a long division from its trial: one more where the divisor still fits into what is left."""
    return n.choose(left < divisor, trial, trial + n.one)


def middle_column(n: NumberSystem, carry: Any, first: Any, second: Any) -> Any:
    """The middle limb of a product of two limbs by two, with the carry out of the lowest."""
    return carry + first + second


def high_column(n: NumberSystem, product: Any, first: Any, second: Any, carry: Any) -> Any:
    """The high limb: the highest product and what the two middle ones and the middle column carry into it."""
    return product + first + second + carry


def series_fall(n: NumberSystem, t: Any, square: Any, cube: Any, fourth: Any) -> Any:
    """1 - exp(-t) by four terms of its series: square is t^2 / 2, cube t^3 / 6, fourth t^4 / 24."""
    return t + cube - square - fourth


def falls_from(n: NumberSystem, start: Any, lost: Any) -> Any:
    """What is left of an entry of the table when its product with the fall is taken off."""
    return start - lost


def within(n: NumberSystem, a: Any, b: Any) -> Any:
    """The relative error of a product of two numbers with these relative errors."""
    return a + b + a * b
