"""How nucleus, top-k and temperature follow one another, rank by rank: the steps of `reference.dialects.cut`.

These are the facts of the dialect `mtplx`; tests/unit/test_proved_steps.py holds them, and the other orders, against the code.
"""

from __future__ import annotations

from typing import Any

from reference import pointwise
from reference.numbers import NumberSystem


def keeps(n: NumberSystem, rank: Any, before: Any, top_p: Any, total: Any, top_k: Any) -> Any:
    """A rank stays iff it is below top_k, which is not 0, and in the nucleus that is measured on this total."""
    return n.both(rank < top_k, pointwise.nucleus_keeps(n, before, top_p, total))


def measured_on(n: NumberSystem, total: Any, left: Any) -> Any:
    """Of the mass of all tokens and of those that top-k leaves: what the nucleus is measured on."""
    return total


def measured_at(n: NumberSystem, weight: Any, tempered: Any) -> Any:
    """Of a weight at T = 1 and at the given temperature: what the nucleus sums."""
    return tempered
