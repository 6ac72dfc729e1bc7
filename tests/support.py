"""What the tests share: float32 rows as rationals, the bounds that `mtplx.sampling` states, and strategies of hard rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from sympy import QQ

from reference.numbers import rational

Row = list[float]

UNIT = QQ(1, 2**24)
"""Nearest rounding of a normal float32 errs by at most this, relatively."""
RATIO_ERROR = 3 * UNIT + QQ(1, 2**30)
"""Relative error of an acceptance, a residual or a cut row of probabilities (docstrings of mtplx.sampling)."""
LAW_ERROR = RATIO_ERROR + QQ(1, 2**42)
"""Relative error of a law made from logits: the weights and their total add 2^-43 each."""
MARGINAL_ERROR = 11 * UNIT
"""Error of a marginal relative to q(y) + residual(y), with u = 2^-24 and R the rejection probability.

q(y) a(y): the draft law errs by 2u (its mantissa is exact), the acceptance by 3u, product and final sum by u each: 7u.
The rejection: sum of q (1 - a) errs by 2u R from the draft, 3u (1 - R) from the acceptance, 2u R from 1 - a and the product,
u R from its own rounding; then 3u R from the residual and 2u R from product and sum: 3u + 7u R <= 10u of residual(y).
The last u covers the terms 2^-30 and u^2.
"""
SMALLEST_NORMAL = QQ(1, 2**126)


def fewer(by: int) -> settings:
    """The profile's number of examples divided: for tests that call MLX often, or whose inputs are simple."""
    return settings(max_examples=settings.default.max_examples // by)


def exact(row: Iterable[Any]) -> list[Any]:
    """The numbers of a row as rationals."""
    return [rational(x) for x in row]


def float32(row: Iterable[Any]) -> Row:
    """Numbers rounded once to float32."""
    return [float(x) for x in np.array([float(x) for x in row], dtype=np.float32)]


def fraction(x: Any) -> Fraction:
    """An element of QQ as a Fraction, which every engine reads exactly."""
    return Fraction(int(x.numerator), int(x.denominator))


def nested(row: Any) -> Any:
    """MLX and numpy arrays as Python lists and numbers; anything else as it is."""
    return row.tolist() if hasattr(row, "tolist") else row


def far_entries(found: Any, expected: Sequence[Any], relative: Any) -> list[tuple[int, float, Any]]:
    """The entries (token, found, expected) of a float32 row that are further off than allowed; [] where all is well.

    Zeros must be zeros. Normal numbers err by at most `relative`, so they are never zero. What lies below 2^-126 may
    come out 0 (spec 2) or be rounded to a multiple of 2^-149: it errs by at most 2^-126.
    """

    def far(x: float, value: Any) -> bool:
        if value == 0:
            return x != 0
        return bool(abs(rational(x) - value) > (relative * value if value >= SMALLEST_NORMAL else SMALLEST_NORMAL))

    pairs = enumerate(zip(nested(found), expected, strict=True))
    return [(token, x, value) for token, (x, value) in pairs if far(x, value)]


TINY = st.sampled_from([2.0**-149, 2.0**-140, 3 * 2.0**-130, 2.0**-126, 2.0**-100])
"""Probabilities at and below the smallest normal float32."""


@st.composite
def dyadic_rows(draw: st.DrawFn, size: int) -> Row:
    """Multiples of a 2^-k that sum to exactly one: zeros, ties, one-hots, and boundaries that short coins hit exactly."""
    parts = 2 ** draw(st.integers(0, 6))
    inner = sorted(draw(st.lists(st.integers(0, parts), min_size=size - 1, max_size=size - 1)))
    return [(high - low) / parts for low, high in pairwise([0, *inner, parts])]


@st.composite
def loose_rows(draw: st.DrawFn, size: int) -> Row:
    """Small integers over their sum, rounded to float32, their sum up to 0.0007 away from one."""
    weights = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    scale = draw(st.sampled_from([1.0, 0.9995, 1.0007]))
    return float32(scale * weight / sum(weights) for weight in weights)


@st.composite
def rows_with_dust(draw: st.DrawFn, size: int) -> Row:
    """A row whose zeros are partly replaced by subnormal and tiny numbers."""
    row = draw(st.one_of(dyadic_rows(size), loose_rows(size)))
    return [x or draw(st.one_of(st.just(0.0), TINY)) for x in row]


def rows_of(size: int) -> st.SearchStrategy[Row]:
    """Float32 rows of probabilities over `size` tokens."""
    return st.one_of(dyadic_rows(size), loose_rows(size), rows_with_dust(size))


def rows(min_size: int = 1, max_size: int = 7) -> st.SearchStrategy[Row]:
    """One float32 row of probabilities."""
    return st.integers(min_size, max_size).flatmap(rows_of)


@st.composite
def pairs(draw: st.DrawFn, min_size: int = 1, max_size: int = 6) -> tuple[Row, Row]:
    """A target and a draft over one vocabulary: any two rows, one law at two scales, or rows with disjoint supports."""
    size = draw(st.integers(min_size, max_size))
    p = draw(rows_of(size))
    kind = draw(st.sampled_from(["any", "any", "same law", "disjoint"]))
    if kind == "any":
        return p, draw(rows_of(size))
    if kind == "same law":
        scale = draw(st.sampled_from([1.0, 1 - 2.0**-11]))  # exact on short binary fractions
        return p, float32(x * scale for x in p)
    other = draw(rows_of(draw(st.integers(1, 3))))
    return p + [0.0] * len(other), [0.0] * len(p) + other


LOGITS = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-30, 30, width=32),
    st.sampled_from([float("-inf"), 0.0, -0.0, 2.0**-149, -(2.0**-149), 2.0**127, -(2.0**127), 88.0, -104.0]),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
)


def logit_rows(min_size: int = 1, max_size: int = 7) -> st.SearchStrategy[Row]:
    """Float32 logits, one of them finite at least: ties, -inf, both zeros, subnormals, the largest numbers there are."""
    return st.lists(LOGITS, min_size=min_size, max_size=max_size).filter(lambda row: max(row) > float("-inf"))


TEMPERATURES = st.one_of(
    st.sampled_from([1, 0, 0.6, 0.8, "1/3", 1e-309, 5e-324, 1e-39, 1e38, 1.7e308, "1e-400", "1e400"]),
    st.floats(2.0**-10, 2.0**10),
    st.fractions(Fraction(1, 100), 100, max_denominator=100),
)
TOP_P = st.one_of(
    st.sampled_from([1, 0.95, 0.5, 0.8, "0.8", 1e-8, 5e-324, 1 - 2.0**-53]),
    st.fractions(0, 1, max_denominator=8).filter(bool),
    st.floats(0, 1, exclude_min=True),
)
COINS = st.one_of(st.sampled_from([0.0, 1 - 2.0**-53, 0.5, 0.25]), st.floats(0, 1, exclude_max=True))


def near(x: Any) -> list[Fraction]:
    """x and its neighbours 2^-200 away, as far as they are coins."""
    step = QQ(1, 2**200)
    return [fraction(y) for y in (x - step, x, x + step) if 0 <= y < 1]
