"""Rows as numbers: a pointwise rule on all tokens of a row in one call.

A row adds, multiplies, compares and chooses token by token, so `reference.pointwise` takes it for a number like any other, and
the rules stay written once. Entries are Python integers over positive denominators, not reduced: over one list of
denominators, sums and comparisons are those of the numerators, which is what makes 151,936 tokens cheap.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd, lcm
from typing import Any

from sympy import QQ

from reference.numbers import Poison

Mask = list[Any]
"""True, False or `Poison` for each token: what comparing rows gives."""


def each(operation: Callable[[Any, Any], Any], a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """An operation token by token."""
    return list(map(operation, a, b))


def chosen(condition: Mask, then: Sequence[Any], otherwise: Sequence[Any]) -> list[Any]:
    """A choice token by token; a poisoned condition gives poison."""
    return [a if c is True else b if c is False else c for c, a, b in zip(condition, then, otherwise, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One number for each token: a numerator, which may be `Poison`, over a denominator, an int above 0."""

    numerators: list[Any]
    denominators: list[int]

    def __len__(self) -> int:
        return len(self.numerators)

    def __getitem__(self, token: int) -> Any:
        """The entry of a token as an element of QQ."""
        return QQ.dtype(self.numerators[token], self.denominators[token])

    def rationals(self) -> list[Any]:
        """The entries as elements of QQ."""
        n, d = self.numerators, self.denominators
        if (common := gcd(*n, d[0])) > 1 and d.count(d[0]) == len(d):  # small integers become rationals faster
            n, d = [x // common for x in n], [d[0] // common] * len(d)
        rational, zero = QQ.dtype, QQ(0)
        return [rational(x, y) if x else zero for x, y in zip(n, d, strict=True)]

    def alike(self, other: Row | int) -> Row:
        """A row as it is; an int as a row of it, over the same denominators."""
        if isinstance(other, Row):
            return other
        same = self.denominators
        return Row(same if other == 1 else [0] * len(same) if other == 0 else [other * d for d in same], same)

    def aligned(self, other: Row | int) -> tuple[list[Any], list[Any], list[int]]:
        """The numerators of both over one list of denominators, and that list."""
        n, m, d, e = self.numerators, self.alike(other).numerators, self.denominators, self.alike(other).denominators
        return (n, m, d) if d is e else (each(operator.mul, n, e), each(operator.mul, m, d), each(operator.mul, d, e))

    def compared(self, order: Callable[[Any, Any], Any], other: Row | int) -> Mask:
        """The entries of both in an order: that of the numerators."""
        n, m, _ = self.aligned(other)
        return each(order, n, m)

    def __lt__(self, other: Row | int) -> Mask:
        return self.compared(operator.lt, other)

    def __le__(self, other: Row | int) -> Mask:
        return self.compared(operator.le, other)

    def __gt__(self, other: Row | int) -> Mask:
        return self.compared(operator.gt, other)

    def __add__(self, other: Row | int) -> Row:
        n, m, d = self.aligned(other)
        return Row(each(operator.add, n, m), d)

    __radd__ = __add__

    def __sub__(self, other: Row | int) -> Row:
        n, m, d = self.aligned(other)
        return Row(each(operator.sub, n, m), d)

    def __rsub__(self, other: int) -> Row:
        return self.alike(other) - self

    def __mul__(self, other: Row) -> Row:
        """Products; x/d * y/x is y/d, and 0/d * y/e is 0/d, so that denominators do not grow where they need not."""
        for a, b in ((self, other), (other, self)):
            if all(x == e or not x for x, e in zip(a.numerators, b.denominators, strict=True)):
                return Row([y if x else 0 for x, y in zip(a.numerators, b.numerators, strict=True)], a.denominators)
        return Row(
            each(operator.mul, self.numerators, other.numerators), each(operator.mul, self.denominators, other.denominators)
        )


class Rows:
    """The number system of rows and ints; conditions are masks."""

    zero = 0
    one = 1

    def choose(self, condition: Mask, then: Row | int, otherwise: Row | int) -> Row:
        like = next((row for row in (otherwise, then) if isinstance(row, Row)), Row([], [1] * len(condition)))
        a, b = like.alike(then), like.alike(otherwise)
        numerators = chosen(condition, a.numerators, b.numerators)
        if a.denominators is b.denominators:
            return Row(numerators, a.denominators)
        return Row(
            numerators, [d if c is True else e for c, d, e in zip(condition, a.denominators, b.denominators, strict=True)]
        )

    def eq(self, a: Row, b: Row | int) -> Mask:
        return a.compared(operator.eq, b)

    def both(self, a: Mask, b: Mask) -> Mask:
        return each(lambda x, y: x and y, a, b)

    def either(self, a: Mask, b: Mask) -> Mask:
        return each(lambda x, y: x or y, a, b)

    def neg(self, a: Mask) -> Mask:
        return list(map(operator.not_, a))

    def quotient(self, a: Row, b: Row) -> Row:
        n, m, _ = a.aligned(b)
        if min(m) > 0:
            return Row(n, m)
        top = [x if y > 0 else -x if y else Poison() for x, y in zip(n, m, strict=True)]
        return Row(top, [abs(y) or 1 for y in m])


rows = Rows()


class Total:
    """Where a fold over a row starts: adding the row gives the sum of its entries, at every token."""

    def __add__(self, row: Row) -> Row:
        size, d = len(row.denominators), row.denominators
        if d.count(d[0]) == size:
            return Row([sum(row.numerators)] * size, d)
        total = sum(row.rationals(), QQ(0))
        return Row([int(total.numerator)] * size, [int(total.denominator)] * size)


total = Total()


def side_by_side(p: Sequence[int], q: Sequence[int]) -> tuple[Row, Row]:
    """Two laws, given as masses, over one list of denominators."""
    of_p, of_q = sum(p), sum(q)
    common = lcm(of_p, of_q)
    same = [common] * len(p)
    return Row([x * (common // of_p) for x in p], same), Row([x * (common // of_q) for x in q], same)


def over_one_denominator(p: Sequence[Any], q: Sequence[Any]) -> tuple[Row, Row]:
    """Two rows of QQ as they are, over one list of denominators."""
    common = lcm(*{int(x.denominator) for row in (p, q) for x in row})
    same = [common] * len(p)
    first, second = ([int(x.numerator) * (common // int(x.denominator)) for x in row] for row in (p, q))
    return Row(first, same), Row(second, same)
