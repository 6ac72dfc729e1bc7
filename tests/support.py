"""What the tests share: float32 rows as rationals, the bounds that `mtplx.sampling` states, and strategies of hard rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from sympy import QQ

from reference import strategies
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


DUST = st.sampled_from([0.0, 0.0, 0.0, 2.0**-149, 2.0**-140, 3 * 2.0**-130, 2.0**-126, 2.0**-100])
"""In place of a zero: mostly zero, or a probability at and below the smallest normal float32."""


@st.composite
def worn(draw: st.DrawFn, law: Sequence[Any]) -> Row:
    """An exact law as a float32 row: its sum up to 0.0007 away from one, its zeros partly subnormal and tiny numbers."""
    scale = draw(st.sampled_from([1, 1 - 2.0**-11, 0.9995, 1.0007]))  # the first two are exact on short binary fractions
    return [x or draw(DUST) for x in float32(scale * x for x in law)]


def rows(min_size: int = 1, max_size: int = 7) -> st.SearchStrategy[Row]:
    """One float32 row of probabilities."""
    return strategies.laws(min_size=min_size, max_size=max_size).flatmap(worn)


def pairs(min_size: int = 1, max_size: int = 6) -> st.SearchStrategy[tuple[Row, Row]]:
    """A target and a draft over one vocabulary, each a float32 row."""
    exact_pairs = strategies.draft_target_pairs(min_size=min_size, max_size=max_size)
    return exact_pairs.flatmap(lambda pair: st.tuples(worn(pair.target), worn(pair.draft)))


def logit_rows(min_size: int = 1, max_size: int = 7) -> st.SearchStrategy[Row]:
    """Float32 logits, one of them finite at least, up to the largest number there is."""
    largest = float(np.finfo(np.float32).max)
    return strategies.logit_rows(min_size=min_size, max_size=max_size, largest=largest, rounded="float32")


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
