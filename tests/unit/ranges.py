"""Arrays of unsigned 64-bit integers of which only the range is known: the code runs on them, and no step may leave 64 bits.

Every operation returns a range that holds all results for all elements of its arguments' ranges, and raises `Wraps` if one of
them is negative or needs 65 bits. So one run of a function of `mtplx` covers every input in the ranges it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

WORD = 2**64


class Wraps(ArithmeticError):
    """A step may leave the unsigned 64 bits."""


class Range:
    """Some integer from low to high, in a uint64; a condition is 0 or 1."""

    def __init__(self, low: int, high: int | None = None) -> None:
        self.low, self.high = low, low if high is None else high
        if not 0 <= self.low <= self.high < WORD:
            raise Wraps(f"{self} is no range of unsigned 64-bit integers")

    def __repr__(self) -> str:
        return f"[{self.low}, {self.high}]"

    def astype(self, _: object) -> Range:
        return self

    def _corners(self, operation: Callable[[int, int], int], other: Any) -> Range:
        """For operations that are monotone in either argument."""
        ends = [operation(a, b) for a, b in product((self.low, self.high), ends_of(other))]
        return Range(min(ends), max(ends))

    def __add__(self, other: Any) -> Range:
        return self._corners(lambda a, b: a + b, other)

    def __sub__(self, other: Any) -> Range:
        return self._corners(lambda a, b: a - b, other)

    def __rsub__(self, other: Any) -> Range:
        return as_range(other) - self

    def __mul__(self, other: Any) -> Range:
        return self._corners(lambda a, b: a * b, other)

    __radd__, __rmul__ = __add__, __mul__

    def __floordiv__(self, other: Any) -> Range:
        return self._corners(lambda a, b: a // b, other)

    def __lshift__(self, other: Any) -> Range:
        if max(ends_of(other)) > 63:
            raise Wraps(f"a shift by {other}")
        return self._corners(lambda a, b: a << b, other)

    def __rshift__(self, other: Any) -> Range:
        if max(ends_of(other)) > 63:
            raise Wraps(f"a shift by {other}")
        return self._corners(lambda a, b: a >> b, other)

    def __mod__(self, other: int) -> Range:
        same = self.low // other == self.high // other
        return Range(self.low % other, self.high % other) if same else Range(0, other - 1)

    def __and__(self, other: Any) -> Range:
        if isinstance(other, Range):
            return Range(0, min(self.high, other.high))
        assert other & (other + 1) == 0, "a mask of low bits"
        return self % (other + 1)

    def __or__(self, other: Any) -> Range:
        low, high = ends_of(other)
        if self.low == self.high and low == high:
            return Range(low | self.low)
        bits = max(self.high, high).bit_length()
        return Range(max(self.low, low), min(self.high + high, (1 << bits) - 1))

    def __lt__(self, other: Any) -> Any:
        if isinstance(other, Several):
            return Several(self < one for one in other)
        low, high = ends_of(other)
        return Range(int(self.high < low), int(self.low < high))

    def __gt__(self, other: Any) -> Range:
        low, high = ends_of(other)
        return Range(int(self.low > high), int(self.high > low))

    def __eq__(self, other: Any) -> Range:  # type: ignore[override]
        low, high = ends_of(other)
        certain = self.low == self.high == low == high
        return Range(int(certain), int(self.low <= high and low <= self.high))

    def __invert__(self) -> Range:
        """Of a condition."""
        assert self.high <= 1
        return Range(1 - self.high, 1 - self.low)


class Several(tuple[Any, ...]):
    """An axis of a known number of elements."""

    def astype(self, _: object) -> Several:
        return self


class Exponent(int):
    """A known signed integer."""

    def astype(self, _: object) -> Range:
        return Range(int(self))

    def __neg__(self) -> Exponent:
        return Exponent(-int(self))


def ends_of(value: Any) -> tuple[int, int]:
    """The least and the largest value."""
    return (value.low, value.high) if isinstance(value, Range) else (value, value)


def as_range(value: Any) -> Range:
    """A Python int is a range of one."""
    return value if isinstance(value, Range) else Range(value)


def where(condition: Range, then: Any, otherwise: Any) -> Range:
    """Either, unless the condition is certain."""
    if condition.low == condition.high:
        return as_range(then if condition.low else otherwise)
    ends = (*ends_of(then), *ends_of(otherwise))
    return Range(min(ends), max(ends))


def left_shift(a: Any, b: Any) -> Any:
    """a * 2^b."""
    return Several(as_range(a) << one for one in b) if isinstance(b, Several) else as_range(a) << b


def along(elements: int) -> Callable[..., Range]:
    """Sums along an axis of at most so many elements; of a known axis, of its elements."""

    def total(values: Any, axis: int, keepdims: bool = False) -> Range:
        if isinstance(values, Several):
            return Range(sum(one.low for one in values), sum(one.high for one in values))
        return Range(values.low, values.high * elements)

    return total


def operations(elements: int) -> SimpleNamespace:
    """The operations of `mlx.core` that the code uses, on ranges; axes have from 1 to `elements` elements."""
    return SimpleNamespace(
        array=lambda value, dtype: value if isinstance(value, Exponent) else as_range(value),
        arange=lambda size, dtype: Several(range(size)),
        take=lambda values, index: as_range(values[index.low]),
        zeros_like=lambda _: Range(0),
        where=where,
        left_shift=left_shift,
        right_shift=lambda a, b: as_range(a) >> b,
        maximum=lambda a, b: Exponent(max(ends_of(a)[0], ends_of(b)[0])),
        clip=lambda a, low, high: Exponent(min(max(a, low), high)),
        bitwise_or=lambda a, b: a | b,
        add=lambda a, b: a + b,
        sum=along(elements),
        cumsum=along(elements),
        uint32=None,
        uint64=None,
        int32=None,
    )


@contextmanager
def on_ranges(*modules: Any, elements: int = 1) -> Iterator[None]:
    """Within, the modules calculate with ranges."""
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            patch.setattr(module, "mx", operations(elements))
        yield
