"""The nucleus of one row of logits, decided by ball arithmetic: for the rare rows that integer masses leave open (spec 2).

Precision rises until the comparison is decided. That ends: a rank stays iff (1 - top_p) * before < top_p * after, both sides
are sums of exponentials of distinct rationals, and such a sum is 0 only if every coefficient is (Lindemann-Weierstrass). The
coefficient of the largest logits, which weigh exactly 1, is rational and compared as such.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

START_BITS = 128


def rational(x: Fraction) -> Any:
    """The same number in flint."""
    return fmpq(x.numerator, x.denominator)


def weight(exponent: Fraction) -> Any:
    """A ball around exp(exponent) for exponent < 0; from 0 upwards where it is below exp(-8 bits), to keep exponents small."""
    floor = -8 * ctx.prec
    return arb(rational(exponent)).exp() if exponent > floor else arb(0).union(arb(floor).exp())


@dataclass(frozen=True)
class Line:
    """A row's finite logits by rank, equal ones together: `exponents` (l - max l) / T, descending from 0, and their `ends`.

    ends[g] is the number of ranks in the groups up to g.
    """

    exponents: tuple[Fraction, ...]
    ends: tuple[int, ...]

    @staticmethod
    def of(logits: NDArray[np.float32], temperature: Fraction) -> Line:
        """The line of one row [V]."""
        values, counts = np.unique(logits[logits > -np.inf], return_counts=True)
        descending = [Fraction(value) for value in values[::-1].tolist()]
        exponents = tuple((value - descending[0]) / temperature for value in descending)
        return Line(exponents, tuple(accumulate(counts[::-1].tolist())))

    @cached_property
    def enclosed(self) -> dict[int, tuple[list[Any], list[Any]]]:
        """By precision: a ball for each weight below the largest, and one for the mass of the groups up to each."""
        return {}

    def balls(self) -> tuple[list[Any], list[Any]]:
        """`enclosed` at the current precision."""
        if ctx.prec not in self.enclosed:
            single = [arb(0), *(weight(x) for x in self.exponents[1:])]
            sizes = [end - start for start, end in zip((0, *self.ends), self.ends, strict=False)]
            through = list(accumulate(ball * size for ball, size in zip(single, sizes, strict=True)))
            self.enclosed[ctx.prec] = single, through
        return self.enclosed[ctx.prec]

    def stays(self, rank: int, top_p: Fraction) -> bool:
        """Whether the mass of the ranks before is < top_p of the total: the sign of top_p * total - before."""
        largest = self.ends[0]
        known = top_p * largest - min(rank, largest)
        if len(self.ends) == 1:
            return known > 0
        if rank <= largest and known >= 0:  # the smaller weights are all behind, and have some mass
            return True
        group = bisect_right(self.ends, rank)
        bits = START_BITS
        while True:
            with ctx.workprec(bits):
                single, through = self.balls()
                before = through[group - 1] + single[group] * (rank - self.ends[group - 1]) if group else arb(0)
                gap = arb(rational(known)) + arb(rational(top_p)) * through[-1] - before
                if gap > 0 or gap < 0:
                    return bool(gap > 0)
            bits *= 2


def nucleus_between(line: Line, top_p: Fraction, low: int, high: int) -> int:
    """The number of ranks that stay, where the first `low` do and those from `high` on do not."""
    return low + bisect_left(range(low, high), True, key=lambda rank: not line.stays(rank, top_p))
