"""How leading ranks are found without a sort: the two steps of `mtplx.selection` that rest on block maxima.

They transcribe `leading` and `narrowed`; tests/unit/test_proved_steps.py holds them against the code.
"""

from __future__ import annotations

from typing import Any

from reference.numbers import NumberSystem


def maximum_step(n: NumberSystem, maximum: Any, value: Any) -> Any:
    """One token of the fold that finds a block's maximum."""
    return n.choose(maximum < value, value, maximum)


def surely_first(n: NumberSystem, reached: Any, left_out: Any) -> Any:
    """The R-th largest block maximum is above the largest of the blocks left out: the first R ranks are in the others."""
    return left_out < reached
