"""The faults of the museum, made again: each function is one wrong rule, and `REPLAYED` is what it makes of its case."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np

from mtplx.audit.rows import bfloat16_rounded
from tests.museum.cases import rationals

Law = list[Fraction]


def normalised(kept: Sequence[Fraction], size: int) -> Law | None:
    """The kept weights, which come first in their rows, over their sum; None where nothing is kept."""
    return [weight / sum(kept) for weight in kept] + [Fraction(0)] * (size - len(kept)) if kept else None


def cumulative_above_the_rest(p: Law, top_p: float) -> Law:
    """What stays where the mass from the smallest upwards must exceed 1 - top_p, in float32."""
    through = np.cumsum(np.array(p[::-1], np.float32), dtype=np.float32)[::-1]
    return [x for x, cumulative in zip(p, through, strict=True) if cumulative > np.float32(1 - top_p)]


def not_below_the_kth(p: Law, k: int) -> Law:
    """What stays where the k-th value is a threshold."""
    return [x for x in p if x >= sorted(p, reverse=True)[k - 1]]


def before_at_most(p: Law, top_p: Fraction) -> Law:
    """What stays while the mass before is <= top_p."""
    return [x for x, through in zip(p, accumulate(p), strict=True) if through - x <= top_p]


def before_below(p: Law, top_p: Fraction) -> Law:
    """What stays while the mass before is < top_p: the right rule, on the wrong law."""
    return [x for x, through in zip(p, accumulate(p), strict=True) if through - x < top_p]


def through_at_most(p: Law, top_p: Fraction) -> Law:
    """What stays while the mass through a token is <= top_p."""
    return [x for x, through in zip(p, accumulate(p), strict=True) if through <= top_p]


def powers(weights: Law, exponent: int) -> Law:
    """Weights at temperature 1 / exponent."""
    return [weight**exponent for weight in weights]


def bfloat16_count(terms: int) -> Fraction:
    """The running sum of that many ones in bfloat16."""
    total = np.zeros(1, np.float32)
    for _ in range(terms):
        total = bfloat16_rounded(total + np.float32(1))
    return Fraction(float(total[0]))


REPLAYED = {
    "empty-nucleus": normalised(cumulative_above_the_rest(rationals("1/5"), 0.7), 5),
    "tiny-top-p": normalised(cumulative_above_the_rest(rationals("1/2 1/2"), 1e-8), 2),
    "ties-keep-more-than-k": normalised(not_below_the_kth(rationals("4/9 2/9 2/9 1/9"), 2), 4),
    "boundary-one-too-many": normalised(before_at_most(rationals("1/2 1/4 1/4"), Fraction(1, 2)), 3),
    "crossing-token-dropped": normalised(through_at_most(rationals("3/5 3/10 1/10"), Fraction(7, 10)), 3),
    "top-k-zero-means-one": normalised(rationals("1/2 1/2")[:1], 2),
    "verify-ignores-temperature": normalised(powers(rationals("2 1"), 1), 2),
    "temperature-twice": normalised(powers(rationals("2 1"), 4), 2),
    "silent-greedy": normalised(rationals("2 1")[:1], 2),
    "greedy-through-the-ratio": [Fraction(3, 8) / Fraction(1, 2)],
    "accept-everything": rationals("1/4 3/4"),
    "ratio-with-epsilon": [Fraction("1e-6") / (Fraction("1e-6") + Fraction("1e-6"))],
    "softmax-stalls": [1 / bfloat16_count(512)],
    "placeholder-id": [Fraction(1, 4) * (token == 2) + Fraction(3, 4) * p for token, p in enumerate(rationals("1/2 1/4 1/4"))],
    "temperature-after-the-cut": normalised(powers(before_below(rationals("5/10 3/10 2/10"), Fraction(3, 5)), 2), 3),
    "chained-cut": normalised(before_below(rationals("4/7 3/7"), Fraction(1, 2)), 4),
}
"""Case id -> the wrong value; None is an empty set."""
