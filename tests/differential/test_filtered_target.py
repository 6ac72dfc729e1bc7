"""`mtplx.sampling` against the certified target, on the same float32 logits: order and support equal, numbers in bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import QQ

import reference
from mtplx import doors, sampling
from mtplx.sampling import SamplerConfig
from mtplx.target import Ranked, ranked_row
from reference.numbers import law_of_row
from tests.support import LAW_ERROR, RATIO_ERROR, TEMPERATURES, TOP_P, Row, far_entries, fewer, fraction, logit_rows, near, rows

pytestmark = pytest.mark.device


@st.composite
def cuts(draw: st.DrawFn) -> tuple[Row, Any, int]:
    """A float32 row, a top_p, often on or 2^-200 beside the mass of its first ranks, and a top_k."""
    row = draw(rows())
    ends = [top_p for end in accumulate(sorted(law_of_row(row), reverse=True)) for top_p in near(end) if top_p]
    return row, draw(st.one_of(TOP_P, st.sampled_from([*ends, Fraction(1)]))), draw(st.integers(0, len(row) + 1))


@given(cuts())
def test_apply_top_p_top_k(cut: tuple[Row, Any, int]) -> None:
    """The cut of a row of probabilities keeps exactly the same tokens, and its numbers are right to 3 * 2^-24 + 2^-30."""
    row, top_p, top_k = cut
    right = reference.apply_top_p_top_k(row, top_p, top_k)
    assert not far_entries(sampling.apply_top_p_top_k(row, top_p, top_k), right, RATIO_ERROR)


@fewer(by=2)
@given(st.integers(1, 64), st.integers(1, 64), st.integers(0, 9))
def test_nucleus_of_equal_shares(parts: int, size: int, exponent: int) -> None:
    """Of n equal tokens a top_p of k/n keeps k, and 2^-200 more keeps one more: for probabilities and for logits."""
    size = min(size, parts)
    for top_p, kept in zip(near(QQ(size, parts)), (size, size, size + 1), strict=False):
        expected = [QQ(1, kept)] * kept + [QQ(0)] * (parts - kept)
        config = SamplerConfig(Fraction(2) ** (exponent - 4), top_p, 0)
        assert not far_entries(sampling.distribution_from_logits([-3.75] * parts, config), expected, RATIO_ERROR)
        assert not far_entries(sampling.apply_top_p_top_k([1 / parts] * parts, top_p), expected, RATIO_ERROR)


def selection(logits: Any, config: SamplerConfig) -> Ranked:
    """The cut that the implementation makes of one row."""
    return ranked_row(doors.float32_rows(logits, "logits").values, config)


def check_target(logits: Any, config: SamplerConfig) -> Ranked:
    """Hold one row of logits against the certified target: order, nucleus and support equal, numbers in bounds."""
    values = np.asarray(logits, np.float32).tolist()
    law = reference.filtered_target(values, config)
    cut = selection(logits, config)
    order = cut.order.reshape(-1).tolist()[: len(law.ranked)]
    assert tuple(order) == law.ranked[: len(order)]
    assert law.kept_size <= len(order)
    assert cut.size.tolist() == [law.kept_size]
    assert set(order[: law.kept_size]) == set(law.support)
    found = sampling.distribution_from_logits(logits, config)
    assert not far_entries(found, law.midpoints, LAW_ERROR + QQ(2, 2**law.accuracy))
    return cut


@given(logit_rows(), TEMPERATURES, TOP_P, st.integers(0, 8))
def test_distribution_from_logits(logits: Row, temperature: Any, top_p: Any, top_k: int) -> None:
    """Order, nucleus and support are the certified ones, at every temperature and every top_p."""
    check_target(logits, SamplerConfig(temperature, top_p, top_k))


@pytest.mark.parametrize("far", [-1.0, -66.0, -100.0, -1e30])
def test_a_far_token_breaks_a_tie(far: float) -> None:
    """Two equal tokens and any third: the first has less than half of the mass, so top_p = 1/2 keeps both, and no third."""
    config = SamplerConfig(1, "1/2", 0)
    assert sampling.distribution_from_logits([0.0, 0.0, far], config).tolist() == [0.5, 0.5, 0.0]
    assert reference.filtered_target([0.0, 0.0, far], config).support == (0, 1)


@fewer(by=2)
@given(logit_rows(2, 5), st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(8)]), st.data())
def test_nucleus_beside_the_share_of_its_ranks(logits: Row, temperature: Fraction, data: st.DataObject) -> None:
    """With top_p 2^-40 to 2^-400 beside the share of the first ranks the nucleus is the certified one.

    At 2^-400 the masses leave that open and balls decide, but for equal logits, where the masses are exact.
    """
    full = reference.softmax(logits, temperature)
    through = list(accumulate(full.midpoints[token] for token in full.ranked))
    rank = data.draw(st.integers(0, len(through) - 1))
    level = len({logit for logit in logits if logit > float("-inf")}) == 1
    for exponent in (40, 60, 400):
        for step in (QQ(-1, 2**exponent), QQ(1, 2**exponent)):
            top_p = through[rank] + step
            if 0 < top_p < 1:
                cut = check_target(logits, SamplerConfig(temperature, fraction(top_p), 0))
                assert cut.undecided[0] <= (not level)
                assert cut.undecided[0] or exponent < 400 or level or rank == len(through) - 1


@fewer(by=2)
@given(logit_rows(), st.sampled_from([0, 0.6, "1/3", 1, 1e38]))
def test_softmax(logits: Row, temperature: Any) -> None:
    """softmax is the target without a cut, the same bits."""
    config = SamplerConfig(temperature, 1, 0)
    assert sampling.softmax(logits, temperature).tolist() == sampling.distribution_from_logits(logits, config).tolist()
    check_target(logits, config)


@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16])
@fewer(by=4)
@given(logits=st.lists(st.one_of(st.integers(-8, 8), st.floats(-60, 60), st.just(float("-inf"))), min_size=1, max_size=6))
def test_half_precision_logits(dtype: mx.Dtype, logits: Row) -> None:
    """float16 and bfloat16 logits mean their values: the law is that of the same numbers in float32, bit for bit."""
    array = mx.array([*logits, 0.0]).astype(dtype)
    config = SamplerConfig(0.7, 0.9, 4)
    values = array.astype(mx.float32)
    assert (
        sampling.distribution_from_logits(array, config).tolist() == sampling.distribution_from_logits(values, config).tolist()
    )
    check_target(values, config)


@fewer(by=4)
@given(st.lists(st.floats(-100, 100), min_size=1, max_size=6))
def test_float64_is_rounded_once(logits: list[float]) -> None:
    """float64 arrays, lists and float32 arrays of the same numbers have one law: that of the nearest float32 row."""
    config = SamplerConfig(0.7, 0.9, 4)
    rounded = np.array(logits, np.float64).astype(np.float32)
    laws = [
        sampling.distribution_from_logits(row, config).tolist()
        for row in (rounded, np.array(logits), logits, mx.array(rounded))
    ]
    assert laws == [laws[0]] * 4


def test_close_logits_do_not_merge() -> None:
    """Logits that a float32 division by 0.7 would merge keep their order: top-k of 1 takes the larger, first or second."""
    small, large = 7.000000953674316, 7.000001430511475
    config = SamplerConfig(0.7, 1, 1)
    assert sampling.distribution_from_logits([small, large], config).tolist() == [0.0, 1.0]
    assert sampling.distribution_from_logits([large, small], config).tolist() == [1.0, 0.0]


def test_ten_equal_tokens() -> None:
    """Of ten equal tokens the double 0.8 keeps 9, "0.8" keeps 8, the double 0.7 keeps 7: each is read exactly."""
    for top_p, kept in ((0.8, 9), ("0.8", 8), (Fraction(4, 5), 8), (0.7, 7), ("0.7", 7)):
        config = SamplerConfig(1, top_p, 0)
        right = [QQ(1, kept)] * kept + [QQ(0)] * (10 - kept)
        assert reference.filtered_target([0.0] * 10, config).midpoints == right
        assert reference.apply_top_p_top_k(["1/10"] * 10, top_p) == reference.apply_top_p_top_k([0.1] * 10, top_p) == right
        assert not far_entries(sampling.distribution_from_logits([0.0] * 10, config), right, RATIO_ERROR)
        assert not far_entries(sampling.apply_top_p_top_k([0.1] * 10, top_p), right, RATIO_ERROR)


def test_three_decimals() -> None:
    """Of (0.6, 0.3, 0.1) at 0.9 the decimals keep 2 tokens, the doubles 3: the reference reads each as it is given."""
    assert [x > 0 for x in reference.apply_top_p_top_k(["0.6", "0.3", "0.1"], "0.9")] == [True, True, False]
    assert [x > 0 for x in reference.apply_top_p_top_k([0.6, 0.3, 0.1], 0.9)] == [True, True, True]
