"""Rank, nucleus and top-k of `mtplx.selection`: keys order as the spec does, and the cut is made on integers."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import mlx.core as mx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtplx.selection import nucleus_bounds, nucleus_size, rank_keys, select
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
    found = nucleus_size(row(values), top_p)
    assert (found.dtype, found.tolist()) == (mx.uint32, [[right]])


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
    low, high = (int(size.item()) for size in nucleus_bounds(row(values), top_p, error))
    assert 1 <= low <= nucleus_size(row(values), top_p).item() <= high <= len(values)
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
    sizes = [[size.item() for size in nucleus_bounds(row([2**90] * 4), top_p, error)] for top_p in top_ps]
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
    nucleus = nucleus_size(row(masses), top_p).item()
    assert found.order.tolist() == [ids]
    assert found.nucleus_size.tolist() == [[nucleus]]
    kept = set(ids[: min(nucleus, top_k or nucleus)])
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
