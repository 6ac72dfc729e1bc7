"""The code takes the steps that the proofs of ranking, filters and temperature are about."""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from functools import cache, partial, reduce
from itertools import accumulate
from random import Random
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from mtplx import doors, exponential
from mtplx import tail as code
from mtplx.selection import AT_ONCE, BLOCKS, leading, spare
from proofs import blocks, cuts, tail, temperature
from proofs.step_mutants import measured_on_what_is_left, measured_untempered
from reference import pointwise
from reference.dialects import Dialect, cut
from reference.filters import SamplerConfig, kept_by_top_k, rank
from reference.numbers import rational
from reference.numbers import rationals as n
from reference.one_token import total_variation
from reference.softmax import filtered_target, masses, softmax
from tests.support import fewer

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


@pytest.mark.device
@fewer(by=4)
@given(st.integers(1, 6), st.integers(1, 200), st.integers(0, 2**32), st.sampled_from([3, 150, 400, 10**6]))
def test_leading_ranks_are_sure_as_the_rule_is(ranks: int, more: int, seed: int, distinct: int) -> None:
    """`leading` is sure of the first ranks of a long row iff the rule of the proofs is, given the maxima of its blocks."""
    rng = Random(seed)
    row = [float(rng.randrange(distinct)) for _ in range(AT_ONCE + more)]
    filled = row + [-math.inf] * (-len(row) % BLOCKS[0])
    count = len(filled) // BLOCKS[0]
    maxima = sorted(reduce(partial(blocks.maximum_step, n), filled[j::count]) for j in range(count))
    sure = blocks.surely_first(n, maxima[-ranks], maxima[-spare(ranks) - 1])
    assert leading(mx.array([row]), ranks)[1].tolist() == [[sure]]


POSITIVE = st.fractions(0, 50, max_denominator=1000).filter(bool).map(rational)


@given(POSITIVE, POSITIVE)
def test_a_weight_is_at_most_what_the_proof_assumes(t: Any, gap: Any) -> None:
    """exp(-gap / T), in a ball, is below T / (T + gap)."""
    with ctx.workprec(100):
        assert arb(pointwise.scaled(n, -gap, t)).exp() < arb(temperature.most_weight(n, t, gap))


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=8), POSITIVE)
def test_a_low_temperature_is_near_its_limit(row: list[int], t: Any) -> None:
    """The certified law at T is within n T / (m d) of its limit; at 0 it is the first maximum, 1 - 1 / m away."""
    behind = [max(row) - logit for logit in row]
    m, gaps = behind.count(0), [d for d in behind if d]
    limit = [temperature.limit(n, rational(d), rational(m)) for d in behind]
    law = softmax(row, t)
    bound = len(gaps) * t / (m * min(gaps)) if gaps else 0
    assert total_variation(law.midpoints, limit) <= bound + law.radius
    cold = filtered_target(row, SamplerConfig(0, 1, 0)).midpoints
    assert cold == [rational(int(token == row.index(max(row)))) for token in range(len(row))]
    assert total_variation(cold, limit) == 1 - rational(1) / m


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), POSITIVE, POSITIVE)
def test_another_temperature_multiplies_the_weights(gaps: list[int], t: Any, other: Any) -> None:
    """The mass at another temperature is the fold of the proofs over the weights at the first, in balls."""
    differences = [rational(-gap) for gap in sorted({0, *gaps})]
    with ctx.workprec(100):
        found = arb(0)
        for d in differences:
            exponents = [pointwise.scaled(n, d, one) for one in (t, other)]
            found = temperature.tempered_step(n, found, arb(exponents[0]).exp(), arb(exponents[1] - exponents[0]).exp())
        assert masses(differences, other)[-1].ball().overlaps(found)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8), POSITIVE, POSITIVE, st.sampled_from(["1/3", "1/2", "9/10"]))
def test_a_lower_temperature_keeps_no_more(row: list[int], t: Any, other: Any, top_p: str) -> None:
    """The certified nucleus at the lower of two temperatures has no more ranks than at the higher."""
    low, high = (filtered_target(row, SamplerConfig(one, top_p, 0)).nucleus_size for one in sorted((t, other)))
    assert low <= high


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=8),
    st.sampled_from(["1/3", "1/2", "3/4", "1"]),
    st.integers(1, 9),
    st.sampled_from([rational("1/2"), rational(1)]),
)
def test_every_order_of_steps_is_that_of_the_rules(weights: list[int], top_p: str, top_k: int, t: Any) -> None:
    """The dialects keep as many ranks as the rules do, and in place of one of them the fault that they differ by."""
    row = sorted((rational(weight) for weight in weights), reverse=True)
    config = SamplerConfig(t, top_p, top_k)

    def weigh(size: int, temperature: Any) -> list[Any]:
        """Masses through the first ranks; at T = 1/2 each weight is squared."""
        return list(accumulate(weight if temperature == 1 else weight * weight for weight in row[:size]))

    def kept(measured_on: Any, measured_at: Any) -> int:
        """The ranks that the rules keep."""
        sums = [rational(0), *accumulate(measured_at(n, weight, weight if t == 1 else weight * weight) for weight in row)]
        measured = measured_on(n, sums[-1], sums[: top_k + 1][-1])
        return sum(cuts.keeps(n, rank, sums[rank], config.top_p, measured, top_k) for rank in range(len(row)))

    assert cut(Dialect("mtplx"), row, config, weigh)[1] == kept(cuts.measured_on, cuts.measured_at)
    assert cut(Dialect("k", top_k_first=True), row, config, weigh)[1] == kept(measured_on_what_is_left.by, cuts.measured_at)
    assert cut(Dialect("t", tempered=False), row, config, weigh)[1] == kept(cuts.measured_on, measured_untempered.by)


def sizes_by_rule(coarse: list[int], above: list[bool], behind: int, slack: int, shares: tuple[int, int]) -> tuple[int, int]:
    """Least and largest size by the steps of the proofs, on Python integers."""

    def times(a: int, share: int) -> Any:
        high, low = a >> tail.SHARE_BITS, a & (1 << tail.SHARE_BITS) - 1
        return tail.product(n, high, share, low * share >> tail.SHARE_BITS)

    exact = sum(weight for weight, counted in zip(coarse, above, strict=True) if counted)
    error = tail.coarse_error(n, exact >> tail.UNIT_BITS, behind >> tail.ERROR_BITS, slack)
    off, total = tail.widened(n, error, error >> tail.ERROR_BITS - 1), exact + behind
    least = times(tail.least_total(n, total, off), shares[0])
    most = tail.most(n, times(total + off, shares[1]))
    reached = [(through, tail.reach(n, slack, through >> tail.UNIT_BITS)) for through in accumulate(coarse)]
    surely = sum(tail.stays(n, through, reach, least) for through, reach in reached)
    return 1 + surely, 1 + sum(tail.may_stay(n, through, reach, most) for through, reach in reached)


@pytest.mark.device
@fewer(by=2)
@given(st.integers(1, 20), st.integers(0, 55), st.integers(0, 55), st.integers(0, 2**32))
def test_enclosed_sizes_take_the_steps_of_the_proof(ranks: int, bits: int, behind_bits: int, seed: int) -> None:
    """On weights of every size, `enclosed_sizes` changes at the very slack, to a unit, at which the proved steps do."""
    rng = Random(seed)
    share = rng.randrange(1, 2**32)
    coarse = sorted((rng.randrange(1 << bits) for _ in range(ranks)), reverse=True)
    above = [weight > coarse[-1] for weight in coarse]
    behind, shares = rng.randrange(1 << behind_bits), (share - rng.randrange(2), share)
    row, units, ends = (mx.array(np.array(one, np.uint64)) for one in ([coarse], [[behind]], shares))
    by_rule = cache(lambda slack: sizes_by_rule(coarse, above, behind, slack, shares))
    for size in rng.sample(range(1, ranks + 2), min(3, ranks)):
        least = bisect_left(range(2**50), -size + 1, key=lambda slack: -by_rule(slack)[0])
        most = bisect_left(range(2**50), size + 1, key=lambda slack: by_rule(slack)[1])
        for slack in {0, least, most, max(0, least - 1), max(0, most - 1)}:
            found = code.enclosed_sizes(row, mx.array([above]), units, mx.array(np.uint64(slack)), ends)
            assert tuple(end.item() for end in found) == by_rule(slack)


def test_the_errors_of_the_proof_are_those_of_the_code() -> None:
    """Leaders are right to 2^-43; slack counts one unit for each, one a block with the short last one, one more, and four."""
    assert (tail.ERROR_BITS, tail.UNIT_BITS) == (code.ERROR_BITS, code.UNIT_BITS)
    assert Fraction(1, 2**tail.LEADER_BITS) >= exponential.ERROR
    assert doors.MOST_TOKENS <= 2**20
    for tokens in range(1, 500):
        assert code.truncated(9, tokens) >= 9 + -(-tokens // BLOCKS[0]) + 1 + 4
