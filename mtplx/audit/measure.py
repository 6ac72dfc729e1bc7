"""Distances between a float32 row and exact numbers, as rationals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from sympy import QQ

from reference.numbers import rational

SMALLEST_NORMAL = QQ(1, 2**126)
UNIT = QQ(1, 2**24)
"""Unit roundoff of float32: nearest rounding of a normal number errs by at most this, relatively."""


@cache
def power_of_two(e: int) -> Any:
    """2^e as a rational."""
    return QQ(2**e) if e >= 0 else QQ(1, 2**-e)


def ulp(x: Any) -> Any:
    """The spacing of float32 numbers at a rational x > 0: 2^(e-23) for 2^e <= x < 2^(e+1), 2^-149 below 2^-126."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    if x < power_of_two(e):
        e -= 1
    return power_of_two(max(e, -126) - 23)


def entries(array: Any) -> list[Any]:
    """The entries of an mlx or numpy array as a flat list of Python numbers."""
    return list(array.reshape(-1).tolist())


def exact_row(row: Any) -> list[Any]:
    """A float array [V] read back as rationals."""
    return [QQ.dtype(*x.as_integer_ratio()) for x in entries(row)]


@dataclass(frozen=True)
class Errors:
    """Entry by entry: the largest error in units of the last place of the exact value, and the token it is at.

    Underflows (exact value below 2^-126, found 0, or named as unseen) are counted apart; stray: other tokens where just one
    of the two is 0.
    """

    ulps: Any
    token: int | None
    underflows: int
    stray: tuple[int, ...]


def errors(found: Any, exact: Sequence[Any], unseen: Collection[int] = ()) -> Errors:
    """Compare a float32 array [V] with exact values; `unseen` tokens rest on underflows and are not judged.

    The largest error is exact, but sought only where doubles leave it possible. A rational becomes a double within 2^-50 of
    it, at most 2^-26 ulp of float32: an error within 2^-24 ulp of the largest double is a candidate, and where the double is
    within 2^-50 of a power of two the smaller ulp counts.
    """
    x = np.asarray(entries(found))
    positive = np.fromiter(map(bool, exact), bool, len(x))
    p = np.zeros(len(x))
    p[positive] = [float(value) for value in exact if value]
    judged = np.ones(len(x), bool)
    judged[list(unseen)] = False
    small = p < float(SMALLEST_NORMAL)
    lost = judged & positive & (x == 0) & small
    stray = judged & ~lost & ((x == 0) != ~positive)

    both = judged & positive & (x != 0)
    below, above = (np.ldexp(1.0, np.maximum(np.frexp(p * (1 + side))[1] - 1, -126) - 23) for side in (-(2.0**-50), 2.0**-50))
    apart = np.where(both, np.abs(x - p), 0)
    candidates = np.flatnonzero(both & (apart / below >= np.max(apart / above) - 2.0**-24)).tolist()
    worst, at = QQ(0), None
    for token in candidates:
        error = abs(rational(float(x[token])) - exact[token]) / ulp(exact[token])
        if error > worst:
            worst, at = error, token
    return Errors(worst, at, int(lost.sum()) + len(unseen), tuple(np.flatnonzero(stray).tolist()))


def all_equal(logits: Sequence[float]) -> bool:
    """Whether all finite logits are the same number."""
    return len({logit for logit in logits if logit > float("-inf")}) == 1


def variation(found: Any, law: Sequence[Any]) -> Any:
    """Total variation between row / sum(row) and an exact law."""
    met = [(x, p) for x, p in zip(entries(found), law, strict=True) if x or p]
    row = exact_row(np.array([x for x, _ in met]))
    mass = sum(row, QQ(0))
    if not mass:
        return QQ(1)
    return sum((abs(x - p * mass) for x, (_, p) in zip(row, met, strict=True)), QQ(0)) / (2 * mass)
