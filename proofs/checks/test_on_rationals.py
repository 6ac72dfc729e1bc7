"""The same statements end to end, on whole rows of rationals: every result is an exact fraction, every test an equality.

Right-hand sides are written here from the spec (sections 2 and 3), with Python's own min, max, sorted and sum.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sympy import QQ

from reference import (
    acceptance_probability,
    apply_top_p_top_k,
    residual_distribution,
    sample_from_distribution,
    speculative_output_marginal,
    strategies,
    total_variation,
    verify_one_token,
)
from reference.numbers import rational

Law = list[Any]
Pair = tuple[Law, Law]


def rationals(row: Law) -> Law:
    """A row in the field of the reference."""
    return [rational(x) for x in row]


def laws(size: int | None = None) -> st.SearchStrategy[Law]:
    """One law, of `size` tokens if that is given."""
    drawn = strategies.laws(min_size=size, max_size=size) if size else strategies.laws()
    return drawn.map(rationals)


PAIRS = strategies.draft_target_pairs().map(lambda pair: (rationals(pair.target), rationals(pair.draft)))
ONE_HOTS = strategies.one_hots().map(rationals)
CUTS = strategies.cuts().map(lambda cut: (rationals(cut.law), cut.config.top_p, cut.config.top_k))


def accepted_by_spec(p: Law, q: Law) -> Law:
    """min(1, p/q); where q is 0, 1 if p > 0 else 0."""
    return [min(QQ(1), p_x / q_x) if q_x else QQ(int(p_x > 0)) for p_x, q_x in zip(p, q, strict=True)]


def deficit(p: Law, q: Law) -> Law:
    """(p - q)+, token by token."""
    return [max(p_x - q_x, QQ(0)) for p_x, q_x in zip(p, q, strict=True)]


def law_in_a_coin(draw: Callable[[Any], int], thresholds: Law, size: int) -> Law:
    """The exact law of a draw that is constant between thresholds of a uniform coin: interval lengths at their midpoints."""
    law = [QQ(0)] * size
    for low, high in pairwise(sorted({QQ(0), QQ(1), *thresholds})):
        law[draw((low + high) / 2)] += high - low
    return law


@given(PAIRS)
def test_marginal_is_the_target(pair: Pair) -> None:
    """Whatever the draft, the law of the emitted token is the target."""
    p, q = pair
    assert speculative_output_marginal(p, q) == p


@given(PAIRS)
def test_acceptance_is_the_clipped_ratio(pair: Pair) -> None:
    """The acceptance is min(1, p/q), and at q = 0 it is 1 where p > 0, else 0."""
    p, q = pair
    assert [acceptance_probability(p, q, x) for x in range(len(p))] == accepted_by_spec(p, q)


@given(PAIRS)
def test_residual_is_a_law_proportional_to_the_deficit(pair: Pair) -> None:
    """The residual is a law; times the residual mass it is (p - q)+."""
    p, q = pair
    residual = residual_distribution(p, q)
    mass = sum(deficit(p, q), QQ(0))
    assert min(residual) >= 0
    assert sum(residual) == 1
    assert [mass * r_x for r_x in residual] == deficit(p, q)


@given(PAIRS)
def test_rejection_probability_is_total_variation(pair: Pair) -> None:
    """A draft is rejected with probability sum (p - q)+ = sum |p - q| / 2."""
    p, q = pair
    rejection = sum(q_x * (1 - acceptance_probability(p, q, x)) for x, q_x in enumerate(q))
    assert rejection == sum(deficit(p, q), QQ(0)) == total_variation(p, q)
    assert rejection == sum(abs(p_x - q_x) for p_x, q_x in zip(p, q, strict=True)) / 2


@given(PAIRS)
def test_verification_emits_the_target(pair: Pair) -> None:
    """Integrated over the draft and both coins, `verify_one_token` emits each token with probability p."""
    p, q = pair
    size, accepted, gaps = len(p), accepted_by_spec(p, q), deficit(p, q)
    ends = [end / sum(gaps) for end in accumulate(gaps)] if any(gaps) else list(accumulate(p))
    emitted = [QQ(0)] * size
    for x, q_x in enumerate(q):
        for low, high in pairwise(sorted({QQ(0), accepted[x], QQ(1)})):
            coin = (low + high) / 2

            def second_draw(v: Any, x: int = x, coin: Any = coin) -> int:
                return verify_one_token(p, q, x, coin=coin, residual_coin=v).token_id

            law = law_in_a_coin(second_draw, ends, size)
            emitted = [mass + q_x * (high - low) * share for mass, share in zip(emitted, law, strict=True)]
    assert emitted == p


@given(PAIRS, st.data())
def test_coin_at_the_acceptance_rejects(pair: Pair, data: st.DataObject) -> None:
    """A coin equal to an acceptance below 1 rejects, at 0 too; a coin just below it accepts the draft token."""
    p, q = pair
    x = data.draw(st.integers(0, len(p) - 1))
    a = accepted_by_spec(p, q)[x]
    if a < 1:
        assert not verify_one_token(p, q, x, coin=a, residual_coin=0).accepted
    if a > 0:
        assert verify_one_token(p, q, x, coin=a * QQ(99, 100), residual_coin=0) == (x, True, a)


@given(PAIRS, st.data())
def test_no_token_without_target_mass_is_emitted(pair: Pair, data: st.DataObject) -> None:
    """Coins of exactly 0 and coins on every boundary of the residual emit only tokens with p > 0."""
    p, q = pair
    x = data.draw(st.integers(0, len(p) - 1))
    boundary = data.draw(st.sampled_from([QQ(0), *accumulate(residual_distribution(p, q))]))
    assume(boundary < 1)
    assert p[verify_one_token(p, q, x, coin=0, residual_coin=boundary).token_id] > 0


@given(laws())
def test_sample_has_its_law(law: Law) -> None:
    """Over a uniform coin, `sample_from_distribution` returns each token with its probability."""
    assert law_in_a_coin(lambda u: sample_from_distribution(law, u), list(accumulate(law)), len(law)) == law


@given(laws())
def test_sample_intervals_are_half_open(law: Law) -> None:
    """A coin at the start of a token's interval returns that token; so no token of probability 0 is ever returned."""
    ends = list(accumulate(law))
    for token, (end, share) in enumerate(zip(ends, law, strict=True)):
        if share:
            assert sample_from_distribution(law, end - share) == token


@given(laws())
def test_equal_rows_never_reject(p: Law) -> None:
    """A draft from the target itself is accepted with probability 1, and the residual is the target."""
    assert [acceptance_probability(p, p, x) for x in range(len(p)) if p[x]] == [1 for p_x in p if p_x]
    assert residual_distribution(p, p) == p


@given(ONE_HOTS, st.data())
def test_one_hot_target(p: Law, data: st.DataObject) -> None:
    """A one-hot target accepts its token always and any other never, and is its own residual."""
    q = data.draw(laws(len(p)))
    assert [acceptance_probability(p, q, x) for x in range(len(p))] == p
    assert residual_distribution(p, q) == p


@given(ONE_HOTS, st.data())
def test_one_hot_draft(q: Law, data: st.DataObject) -> None:
    """A draft certain of d is accepted with p(d); after a rejection the law is p without d, divided by 1 - p(d)."""
    p = data.draw(laws(len(q)))
    d = q.index(QQ(1))
    assert acceptance_probability(p, q, d) == p[d]
    assume(p[d] < 1)
    assert residual_distribution(p, q) == [QQ(0) if x == d else p_x / (1 - p[d]) for x, p_x in enumerate(p)]


def kept_by_spec(law: Law, top_p: Any, top_k: int) -> set[int]:
    """The tokens of positive weight with less than top_p before them, and fewer than top_k tokens (0 is off)."""
    kept = set()
    for token, weight in enumerate(law):
        ahead = [other for x, other in enumerate(law) if other > weight or (other == weight and x < token)]
        if weight and sum(ahead, QQ(0)) < top_p and not 0 < top_k <= len(ahead):
            kept.add(token)
    return kept


@given(CUTS)
def test_filter_keeps_what_the_spec_keeps(cut: tuple[Law, Any, int]) -> None:
    """The filter keeps the tokens of spec 2.2 to 2.4, exact ties at the cut included, in their old proportions."""
    law, top_p, top_k = cut
    kept = kept_by_spec(law, top_p, top_k)
    mass = sum(law[x] for x in kept)
    assert kept
    assert apply_top_p_top_k(law, top_p, top_k) == [w / mass if x in kept else QQ(0) for x, w in enumerate(law)]


@given(laws())
def test_filter_off_is_the_identity(law: Law) -> None:
    """top_p = 1 and top_k = 0, or top_k as large as the vocabulary, leave the law as it is."""
    assert apply_top_p_top_k(law, 1, 0) == apply_top_p_top_k(law, 1, len(law)) == law


@given(CUTS, st.data())
def test_marginal_is_the_filtered_target(cut: tuple[Law, Any, int], data: st.DataObject) -> None:
    """After the filter the law of the emitted token is the filtered target, for a draft that no filter touched."""
    law, top_p, top_k = cut
    target = apply_top_p_top_k(law, top_p, top_k)
    draft = data.draw(laws(len(law)))
    assert speculative_output_marginal(target, draft) == target


@pytest.mark.parametrize(
    ("top_p", "expected"),
    [
        ("1/2", [QQ(1), QQ(0), QQ(0)]),
        ("3/4", [QQ(2, 3), QQ(1, 3), QQ(0)]),
        ("0.7500000001", [QQ(1, 2), QQ(1, 4), QQ(1, 4)]),
    ],
)
def test_nucleus_at_an_exact_tie(top_p: str, expected: Law) -> None:
    """Of (1/2, 1/4, 1/4), a top_p of 1/2 keeps one token, 3/4 keeps two, a little more keeps all three."""
    assert apply_top_p_top_k([QQ(1, 2), QQ(1, 4), QQ(1, 4)], top_p) == expected
