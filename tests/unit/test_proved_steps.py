"""The code takes the steps that the proofs of ranking, filters and temperature are about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reference import pointwise
from reference.filters import kept_by_top_k, rank
from reference.numbers import rationals as n

TIED = st.lists(st.integers(0, 4), min_size=1, max_size=12)


def ranks_by_rule(row: list[int]) -> list[int]:
    """Of each token, how many outrank it by the rule of the proofs."""
    return [sum(pointwise.outranks(n, row[a], a, row[b], b) for a in range(len(row))) for b in range(len(row))]


@given(TIED)
def test_rank_orders_as_the_rule_does(row: list[int]) -> None:
    """A token's place in the sorted row is the number of tokens that outrank it."""
    assert [rank(row).index(token) for token in range(len(row))] == ranks_by_rule(row)


@given(TIED, st.integers(0, 14))
def test_top_k_keeps_the_tokens_below_rank_k(row: list[int], top_k: int) -> None:
    """The first ranks that top-k keeps are the min(k, n) tokens outranked by fewer than k; 0 is off."""
    kept = rank(row)[: kept_by_top_k(len(row), top_k)]
    assert sorted(kept) == [token for token, above in enumerate(ranks_by_rule(row)) if not 0 < top_k <= above]
    assert len(kept) == min(top_k or len(row), len(row))
