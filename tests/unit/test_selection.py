"""Rank, nucleus and top-k of `mtplx.selection`: keys order as the spec does, and the cut is made on integers."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtplx.selection import BLOCK, leading, nucleus_bounds, nucleus_size, rank_keys, select
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
    found = nucleus_size(row(values), [sum(values)], top_p)
    assert (found.dtype, found.tolist()) == (mx.uint32, [[right]])


def bounds_of(values: list[int], top_p: Fraction, error: Fraction) -> tuple[mx.array, mx.array]:
    """The bounds of a row of masses, all of them ranked."""
    return nucleus_bounds(row(values), [sum(values)], len(values), top_p, error)


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
    low, high = (int(size.item()) for size in bounds_of(values, top_p, error))
    assert 1 <= low <= nucleus_size(row(values), [sum(values)], top_p).item() <= high <= len(values)
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
    sizes = [[size.item() for size in bounds_of([2**90] * 4, top_p, error)] for top_p in top_ps]
    assert sizes == [[2, 2], [2, 3], [3, 3]]


@given(MASSES, st.integers(0, 10), st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(9, 10)]), st.permutations(range(8)))
def test_select(masses: list[int], top_k: int, top_p: Fraction, shuffle: list[int]) -> None:
    """The kept tokens are the first min(k, nucleus size) ranks, by id; the order lists every token."""
    ids = [token for token in shuffle if token < len(masses)]
    values, mass = [0.0] * len(ids), [0] * len(ids)
    for rank, token in enumerate(ids):
        values[token], mass[token] = float(-rank), masses[rank]
    weighty = mx.array([[True] * len(ids)])
    found = select(mx.array([values]), row(mass), weighty, top_p, top_k)
    nucleus = nucleus_size(row(masses), [sum(masses)], top_p).item()
    assert found.order.tolist() == [ids]
    size = min(nucleus, top_k or nucleus)
    assert found.size.tolist() == [[size]]
    kept = set(ids[:size])
    assert found.kept.tolist() == [[token in kept for token in range(len(ids))]]


def test_tokens_without_weight_are_never_kept() -> None:
    """top_p = 1 keeps every token of positive weight and no other, though masses so small count as 0."""
    values = mx.array([[0.0, float("-inf"), -90.0]])
    weighty = mx.array([[True, False, True]])
    assert select(values, row([2**90, 0, 0]), weighty, Fraction(1), 0).kept.tolist() == [[True, False, True]]
    assert select(values, row([2**90, 0, 0]), weighty, Fraction(1, 2), 0).kept.tolist() == [[True, False, False]]


@pytest.mark.parametrize("top_k", [2**31, 2**32, 2**64, 10**30])
def test_huge_top_k_is_off(top_k: int) -> None:
    """A top_k beyond the vocabulary, or beyond 64 bits, keeps every token."""
    values = mx.array([[0.0, 1.0]])
    assert select(values, row([1, 2]), mx.array([[True, True]]), Fraction(1), top_k).kept.tolist() == [[True, True]]


@given(
    st.lists(st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0, -float("inf")]), min_size=1, max_size=24),
    st.integers(1, 4),
    st.data(),
)
def test_leading_ranks_come_from_the_leading_blocks(values: list[float], block: int, data: st.DataObject) -> None:
    """The first ranks out of the blocks with the largest maxima are the first of all, ties and a short last block included."""
    if block > len(values):
        return
    ranks = data.draw(st.integers(1, len(values) // block))
    right = sorted(range(len(values)), key=lambda token: (-values[token], token))[:ranks]
    rows = mx.array([values, values[::-1]])
    found = leading(rows, ranks, block).tolist()
    assert found[0] == right
    assert found[1] == sorted(range(len(values)), key=lambda token: (-values[::-1][token], token))[:ranks]


def test_ties_across_blocks_keep_the_lower_block() -> None:
    """Of 40 blocks with one maximum the first ones are chosen, so that a row of ties keeps the lowest ids, as a sort does."""
    values = mx.zeros((1, 40 * BLOCK))
    cut = select(values, row([1] * (40 * BLOCK)), values == 0, Fraction(1), 20)
    assert cut.order.tolist() == [list(range(20))]
    assert np.flatnonzero(np.array(cut.kept)).tolist() == list(range(20))


def test_a_long_row_is_cut_as_a_sort_would() -> None:
    """top_k on a long row with many ties keeps what the order of all its tokens keeps, with and without a nucleus."""
    values = np.random.default_rng(3).integers(0, 9, 9000).astype(np.float32)
    right = np.lexsort((np.arange(9000), -values))
    for top_k, top_p in ((1, Fraction(1)), (20, Fraction(1)), (70, Fraction(1, 100)), (71, Fraction(1, 2))):
        cut = select(mx.array(values[None]), row([1] * 9000), mx.array([[True] * 9000]), top_p, top_k)
        size = min(top_k, int(np.ceil(top_p * 9000)))
        assert cut.size.item() == size
        assert cut.order.shape[-1] == (top_k if top_k * BLOCK <= 9000 else 9000)
        assert set(np.flatnonzero(np.array(cut.kept)).tolist()) == set(right[:size].tolist())
