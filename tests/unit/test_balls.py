"""The host decision of open rows: ties exactly, far tails by their sign, the rest by balls of rising precision."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import reference
from mtplx.balls import Line, nucleus_between
from mtplx.config import SamplerConfig
from tests.support import TEMPERATURES, Row, fewer, fraction, logit_rows

HALF = Fraction(1, 2)


def size(logits: Row, temperature: Any, top_p: Fraction) -> int:
    """The nucleus of a row, no bounds known."""
    line = Line.of(np.array(logits, np.float32), Fraction(temperature))
    return nucleus_between(line, top_p, 1, line.ends[-1])


@pytest.mark.parametrize("far", [-1.0, -200.0, -1e30])
@pytest.mark.parametrize("temperature", ["1", "1e-300", "1e300"])
def test_a_tail_breaks_a_tie_however_far(far: float, temperature: str) -> None:
    """Of two equal tokens and a third, top_p = 1/2 keeps both: before the second lies less than half, by the third's mass."""
    assert size([0.0, 0.0, far], temperature, HALF) == 2
    assert size([0.0, 0.0], temperature, HALF) == size([0.0, 0.0, float("-inf")], temperature, HALF) == 1


def test_ties_of_equal_logits_are_exact() -> None:
    """Of ten equal tokens 4/5 keeps 8, 2^-400 more keeps 9; 0.0 equals -0.0."""
    assert size([0.0, -0.0] * 5, 1, Fraction(4, 5)) == 8
    assert size([0.0, -0.0] * 5, 1, Fraction(4, 5) + Fraction(1, 2**400)) == 9


def test_precision_rises_until_the_side_is_known() -> None:
    """A top_p that is 2^-2000 below the first token's share keeps one token, 2^-2000 above it two."""
    with ctx.workprec(3000):
        share = fraction((1 / (1 + arb(-1).exp())).mid().fmpq())
    line, step = Line.of(np.array([1.0, 0.0], np.float32), Fraction(1)), Fraction(1, 2**2000)
    assert nucleus_between(line, share - step, 1, 2) == 1
    assert nucleus_between(line, share + step, 1, 2) == 2


@fewer(by=2)
@given(logit_rows(1, 9), TEMPERATURES, st.fractions(0, 1, max_denominator=60).filter(lambda p: 0 < p < 1))
def test_nucleus_is_the_certified_one(logits: Row, temperature: Any, top_p: Fraction) -> None:
    """From no bounds at all, rows at every temperature have the nucleus of the certified reference."""
    config = SamplerConfig(temperature, top_p, 0)
    if config.temperature:
        assert size(logits, config.temperature, top_p) == reference.filtered_target(logits, config).nucleus_size
