"""Rows of numbers, and numbers of few bits: what the exhibits share."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_float, c_uint32
from fractions import Fraction
from typing import Any

Row = Sequence[Any]
"""Fractions, or numbers in floats for an engine that takes floats."""


def one_hot(token: int, size: int) -> list[Fraction]:
    """The law of a certain token."""
    return [Fraction(token == t) for t in range(size)]


def best(row: Row) -> int:
    """The lowest id among the maxima."""
    return max(range(len(row)), key=lambda t: (row[t], -t))


def without(p: Row, *tokens: int) -> list[Any]:
    """p zeroed there, as weights."""
    return [0 * share if t in tokens else share for t, share in enumerate(p)]


def normalised(weights: Row) -> list[Any]:
    """Weights over their sum."""
    total = sum(weights)
    return [weight / total for weight in weights]


def float32(x: float) -> float:
    """x rounded to float32."""
    return c_float(x).value


def bfloat16(x: float) -> float:
    """x rounded to 8 bits of mantissa."""
    bits = c_uint32.from_buffer(c_float(x)).value
    return c_float.from_buffer(c_uint32((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000)).value
