"""What a temperature does to weights, where the exponential itself is not needed: only that it is at least 1 + y.

tests/unit/test_proved_steps.py holds these against the certified law of `reference.softmax`.
"""

from __future__ import annotations

from typing import Any

from reference.numbers import NumberSystem


def most_weight(n: NumberSystem, temperature: Any, gap: Any) -> Any:
    """What exp(-gap / T) is at most: T / (T + gap), since exp(gap / T) >= 1 + gap / T."""
    return n.quotient(temperature, temperature + gap)


def limit(n: NumberSystem, behind: Any, maxima: Any) -> Any:
    """The share that T -> 0 leaves to a logit so far behind the largest: the maxima share everything alike."""
    return n.choose(n.eq(behind, n.zero), n.quotient(n.one, maxima), n.zero)


def tempered_step(n: NumberSystem, mass: Any, weight: Any, multiplier: Any) -> Any:
    """One token of the fold that sums weights at another temperature: each is multiplied, exp(x / T') by exp(x / T)."""
    return mass + weight * multiplier
