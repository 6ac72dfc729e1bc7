"""Rank, nucleus and top-k of `mtplx.selection`: keys order as the spec does, and the cut is made on integers."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate
from random import Random

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtplx.selection import (
    AT_ONCE,
    BLOCKS,
    Through,
    ascending,
    can_lead,
    ids_of,
    leading,
    nucleus_bounds,
    nucleus_size,
    rank_keys,
    select,
    spare,
    values_of,
)
from mtplx.wide import Wide
from tests.support import Row, logit_rows

pytestmark = pytest.mark.device


def order(values: Row) -> list[int]:
    """Token ids by key."""
    keys = rank_keys(mx.array([values]))
    assert keys.dtype == mx.uint64
    assert len(set(keys[0].tolist())) == len(values)
    return sorted(range(len(values)), key=keys[0].tolist().__getitem__)


def test_rank_of_special_values() -> None:
    """Value descending; 0.0 and -0.0 tie and the lower id goes first; -inf comes last."""
    values = [float("-inf"), -1.0, -0.0, 0.0, 2.0**-149, -(2.0**-149), 3e38, -3e38, 1.0, 0.0, float("-inf")]
    assert order(values) == [6, 8, 4, 2, 3, 9, 5, 1, 7, 0, 10]


@given(logit_rows(1, 12))
def test_rank_is_value_descending_then_id(values: Row) -> None:
    """The keys order as a stable sort by value descending does."""
    assert order(values) == sorted(range(len(values)), key=lambda token: -values[token])


def row(values: list[int]) -> Wide:
    """Masses [1, V]."""
    return Wide(tuple(limb.reshape(1, -1) for limb in Wide.from_ints(values, 3).limbs))


MASSES = st.lists(st.one_of(st.integers(1, 4), st.integers(1, 2**60)), min_size=1, max_size=8).map(
    lambda x: sorted(x, reverse=True)
)


@given(MASSES, st.data())
def test_nucleus_size(values: list[int], data: st.DataObject) -> None:
    """As many ranks as have less than top_p of the total before them, at exact ties too."""
    ends = [Fraction(end, sum(values)) for end in accumulate(values)]
    top_p = data.draw(st.one_of(st.sampled_from(ends), st.fractions(0, 1, max_denominator=9).filter(bool)))
    right = sum(end - Fraction(value, sum(values)) < top_p for end, value in zip(ends, values, strict=True))
    assert nucleus_size(Through.of(row(values)), [sum(values)], top_p).tolist() == [right]
    assert Through.of(row(values)).totals() == [sum(values)]


def bounds_of(values: list[int], top_p: Fraction, error: Fraction) -> tuple[int, int]:
    """The bounds of a row of masses, all of them ranked."""
    low, high = nucleus_bounds(Through.of(row(values)), [sum(values)], len(values), top_p, error)
    return low.item(), high.item()


ERRORS = st.sampled_from([Fraction(0), Fraction(1, 2**43), Fraction(1, 1000), Fraction(1, 3)])


@given(MASSES, ERRORS, st.data())
def test_nucleus_bounds_hold_for_every_real_mass_within_the_error(
    values: list[int], error: Fraction, data: st.DataObject
) -> None:
    """Whatever masses t the integers stand for, |mass - t| <= error * t + 1, their nucleus has a size between the bounds."""
    ends = [Fraction(end, sum(values)) for end in accumulate(values)]
    top_p = data.draw(st.one_of(st.sampled_from(ends[:-1] or [Fraction(1, 2)]), st.fractions(0, 1, max_denominator=9)))
    if not 0 < top_p < 1:
        return
    low, high = bounds_of(values, top_p, error)
    assert 1 <= low <= nucleus_size(Through.of(row(values)), [sum(values)], top_p).item() <= high <= len(values)
    corners = st.sampled_from([-1, 1])
    for _ in range(4):
        signs = [data.draw(corners) for _ in values]
        real = [max(Fraction(0), (value + sign) / (1 - sign * error)) for value, sign in zip(values, signs, strict=True)]
        assert all(abs(value - t) <= error * t + 1 for value, t in zip(values, real, strict=True))
        through = list(accumulate(real))
        assert low <= 1 + sum(before < top_p * through[-1] for before in through[:-1]) <= high


def test_nucleus_bounds_are_tight() -> None:
    """Masses of 2^90 each settle top_p = 1/2 +- 2^-40 among four, and leave 1/2 itself open by exactly one rank."""
    half, error = Fraction(1, 2), Fraction(1, 2**43)
    top_ps = (half - Fraction(1, 2**40), half, half + Fraction(1, 2**40))
    assert [bounds_of([2**90] * 4, top_p, error) for top_p in top_ps] == [(2, 2), (2, 3), (3, 3)]


@given(MASSES, st.integers(0, 10), st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(9, 10)]), st.permutations(range(8)))
def test_select(masses: list[int], top_k: int, top_p: Fraction, shuffle: list[int]) -> None:
    """The kept tokens are the first min(k, nucleus size) ranks, by id; the order begins with them."""
    ids = [token for token in shuffle if token < len(masses)]
    values, mass = [0.0] * len(ids), [0] * len(ids)
    for rank, token in enumerate(ids):
        values[token], mass[token] = float(len(ids) - rank), masses[rank]
    found = select(mx.array([values]), row(mass), top_p, top_k)
    nucleus = nucleus_size(Through.of(row(masses)), [sum(masses)], top_p).item()
    assert found.order.tolist() == [ids[: found.order.shape[-1]]]
    assert found.order.shape[-1] >= found.size.item()
    assert found.size.tolist() == [min(nucleus, top_k or nucleus)]


def test_tokens_without_weight_are_never_kept() -> None:
    """top_p = 1 keeps every token of positive share and no other."""
    values = mx.array([[0.75, 0.0, 0.25, -0.0]])
    assert select(values, row([3, 0, 1, 0]), Fraction(1), 0).size.tolist() == [2]
    assert select(values, row([3, 0, 1, 0]), Fraction(1), 3).size.tolist() == [2]
    assert select(values, row([3, 0, 1, 0]), Fraction(1, 2), 0).size.tolist() == [1]


@pytest.mark.parametrize("top_k", [2**31, 2**32, 2**64, 10**30])
def test_huge_top_k_is_off(top_k: int) -> None:
    """A top_k beyond the vocabulary, or beyond 64 bits, keeps every token."""
    values = mx.array([[0.5, 1.0]])
    assert select(values, row([1, 2]), Fraction(1), top_k).size.tolist() == [2]


def ranks_of(values: list[float], ranks: int) -> list[int]:
    """The first ranks by a stable sort."""
    return sorted(range(len(values)), key=lambda token: (-values[token], token))[:ranks]


@given(st.integers(1, 6), st.integers(0, 4), st.integers(0, 2**32), st.sampled_from([3, 40, 10**6]))
def test_leading_ranks_are_the_first_or_not_sure(ranks: int, more: int, seed: int, distinct: int) -> None:
    """Where `leading` is sure, the ranks are those of a stable sort: with few distinct values, holes and short last blocks."""
    size, rng = AT_ONCE + 2 * spare(ranks) * BLOCKS[0] + 7 * more, Random(seed)
    values = [rng.choice([float(rng.randrange(distinct)), 0.0, -0.0, -math.inf]) for _ in range(size)]
    assert can_lead(size, ranks)
    rows = (values, values[::-1])
    keys, sure, tops = leading(mx.array(rows), ranks)
    for found, certain, top, right in zip(ids_of(keys).tolist(), sure.tolist(), tops.tolist(), rows, strict=True):
        assert top == max(right)
        assert not certain[0] or found == ranks_of(right, ranks)
    assert distinct < 10**6 or sure.tolist() == [[True], [True]]


def test_keys_give_back_values_and_ids() -> None:
    """A key holds its value and id, and -0.0 comes back as 0.0."""
    values = [1.5, -0.0, -math.inf, 2.0**-149, -(2.0**127)]
    keys = rank_keys(mx.array([values]))
    assert (values_of(keys).tolist(), ids_of(keys).tolist()) == ([[0.0 if x == 0 else x for x in values]], [[0, 1, 2, 3, 4]])
    assert ascending(keys).tolist() == [sorted(keys[0].tolist())]


def test_ties_beyond_the_blocks_looked_into_are_not_sure() -> None:
    """A row of equal values leaves the first ranks open; with one value above the rest only that rank is found."""
    values = np.zeros(100 * BLOCKS[0], np.float32)
    assert leading(mx.array(values[None]), 1)[1].tolist() == [[False]]
    values[77] = 1
    keys, sure, _ = leading(mx.array(values[None]), 1)
    assert (sure.tolist(), ids_of(keys).tolist()) == ([[True]], [[77]])
    assert leading(mx.array(values[None]), 2)[1].tolist() == [[False]]


@pytest.mark.parametrize("bad", [0x7FC00000, 0xFFC00000, 0x7F800001, 0x7F800000])
def test_what_is_no_number_reaches_the_tops(bad: int) -> None:
    """A NaN of either sign, or +inf, anywhere in a long row makes the reported maximum no finite number."""
    for place in (0, 1, 63, 2000, 4095):
        values = np.full((1, 4096), -1, np.float32)
        values.view(np.uint32)[0, place] = bad
        assert not np.isfinite(np.array(leading(mx.array(values), 5)[2])).any()


def test_a_long_row_is_cut_as_a_sort_would() -> None:
    """top_k on a long row with many ties keeps what the order of all its tokens keeps, with and without a nucleus."""
    values = np.random.default_rng(3).integers(1, 9, 9000).astype(np.float32)
    right = np.lexsort((np.arange(9000), -values))
    for top_k, top_p in ((1, Fraction(1)), (20, Fraction(1)), (70, Fraction(1, 100)), (71, Fraction(1, 2))):
        cut = select(mx.array(values[None]), row([1] * 9000), top_p, top_k)
        size = min(top_k, int(np.ceil(top_p * 9000)))
        assert cut.size.item() == size
        assert cut.order.tolist()[0][:size] == right[:size].tolist()


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 2**32))
def test_few_tokens_are_ranked_at_once(ranks: int, more: int, seed: int) -> None:
    """The first ranks of a short row are sure, ties included."""
    values = np.random.default_rng(seed).integers(0, 4, ranks + more).astype(np.float32)
    assert can_lead(len(values), ranks)
    keys, sure, tops = leading(mx.array(values[None]), ranks)
    assert (sure.tolist(), tops.tolist()) == ([[True]], [values.max()])
    assert ids_of(keys).tolist() == [ranks_of(values.tolist(), ranks)]


def test_ranks_of_rows_that_are_no_numbers_are_tokens() -> None:
    """NaN of either sign ranks first, so that no id beyond the row, from its filled end, is ever looked up or written."""
    rng = np.random.default_rng(4)
    for size, ranks in ((4097, 5), (5121, 20), (4673, 1), (32_001, 20)):
        for signs in (np.full(size, 0xFFC00000), np.full(size, 0x7FC00000), rng.choice([0xFFC00000, 0x7FC00000], size)):
            keys, _, tops = leading(mx.array(signs.astype(np.uint32).view(np.float32)[None]), ranks)
            assert np.isnan(np.array(tops)).all()
            assert np.array(ids_of(keys)).max() < size
    values = np.array([[1.0, np.nan, -np.inf, -np.nan]], np.float32)
    assert sorted(range(4), key=rank_keys(mx.array(values))[0].tolist().__getitem__)[2:] == [0, 2]
