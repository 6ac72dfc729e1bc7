"""Hypothesis strategies for small laws on rationals, rich in zeros, ties, one-hots and disjoint supports.

Weights are small integers divided by their sum, so counterexamples shrink to two tokens and small fractions.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from hypothesis import strategies as st
from sympy import QQ

from reference.numbers import rational

Law = list[Any]

WEIGHTS = st.one_of(st.integers(0, 2), st.integers(0, 9))
"""Most are 0, 1 or 2: zeros and ties are common."""

WEIGHT_PAIRS = st.one_of(
    st.tuples(WEIGHTS, WEIGHTS),
    WEIGHTS.map(lambda weight: (weight, weight)),
    WEIGHTS.map(lambda weight: (weight, 0)),
    WEIGHTS.map(lambda weight: (0, weight)),
)
"""Target and draft weight of one token: any, equal, or one of them 0."""


def law_of(weights: list[int]) -> Law:
    """Integer weights over their sum."""
    return [QQ(weight, sum(weights)) for weight in weights]


def laws(min_size: int = 2, max_size: int = 5) -> st.SearchStrategy[Law]:
    """One law."""
    return st.lists(WEIGHTS, min_size=min_size, max_size=max_size).filter(any).map(law_of)


def pairs(min_size: int = 2, max_size: int = 5) -> st.SearchStrategy[tuple[Law, Law]]:
    """A target and a draft over one vocabulary."""
    rows = st.lists(WEIGHT_PAIRS, min_size=min_size, max_size=max_size).map(lambda pair: tuple(zip(*pair, strict=True)))
    return rows.filter(lambda pair: all(map(any, pair))).map(lambda pair: (law_of(list(pair[0])), law_of(list(pair[1]))))


def one_hots(min_size: int = 2, max_size: int = 5) -> st.SearchStrategy[Law]:
    """The law of one certain token."""
    sizes = st.integers(min_size, max_size)
    return sizes.flatmap(lambda size: st.integers(0, size - 1).map(lambda hot: [QQ(int(i == hot)) for i in range(size)]))


@st.composite
def cuts(draw: st.DrawFn) -> tuple[Law, Any, int]:
    """A law, a top_p and a top_k; top_p is often the exact mass of the first ranks, where a nucleus ends in a tie."""
    law = draw(laws())
    shares = list(accumulate(sorted(law, reverse=True)))
    top_p = draw(st.one_of(st.sampled_from(shares), st.fractions(0, 1, max_denominator=10).filter(bool).map(rational)))
    return law, top_p, draw(st.integers(0, len(law)))
