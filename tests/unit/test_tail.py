"""The weight behind the leading ranks: its interval holds the certified weight, and the sizes it gives hold the nucleus."""

from __future__ import annotations

import math
from fractions import Fraction
from math import ceil, floor

import mlx.core as mx
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mtplx.config import SamplerConfig
from mtplx.dyadic import from_logits
from mtplx.exponential import Scale
from mtplx.sampling import distribution_from_logits
from mtplx.selection import BLOCKS
from mtplx.tail import ERROR_BITS, TOP, UNIT_BITS, bits_of_powers, enclosed_sizes, product, truncated, weights_behind
from mtplx.target import Ranked, leading_ranks, ranked_row, whole_row
from reference.numbers import rational
from tests.support import fewer

pytestmark = pytest.mark.device


def test_a_power_of_two_from_its_bits() -> None:
    """2^(t - 63) is right to 2^-18.1 and the rounding 2^-19 + 2^-23, at every float32 t between two powers and at others."""
    fractions = np.arange(2**18, dtype=np.float32) / np.float32(2**18)
    for start in (0, 1, 30, 62):
        t = np.float32(start) + fractions
        found = np.array(bits_of_powers(mx.array(t)).view(mx.float32)).astype(np.float64)
        right = np.exp2(t.astype(np.float64) - TOP)  # right to 2^-50
        assert np.abs(found / right - 1).max() < 2**-18.1 + 2**-19 + 2**-23 + 2**-40
    assert bits_of_powers(mx.array([-np.inf, -1.0, 0.0])).view(mx.float32).tolist() == [2.0**-TOP] * 3


ROWS = {
    "flat": lambda rng: rng.normal(0, 2.5, 20_001),
    "steep": lambda rng: -3 * np.log(np.arange(1, 20_001)) + rng.normal(0, 0.5, 20_000),
    "far": lambda rng: np.concatenate([[900.0] * 3, rng.normal(850, 20, 4000)]),
    "level": lambda rng: np.full(3000, -7.25),
    "holes": lambda rng: np.where(rng.random(3000) < 0.5, -np.inf, rng.normal(0, 3, 3000)),
}


@pytest.mark.parametrize("temperature", [Fraction(1), Fraction(7, 10), Fraction(1, 1000), Fraction(2**99)], ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_weights_behind(name: str, temperature: Fraction) -> None:
    """The certified weight of the logits up to the last leader is within 2^-15 and one unit a block of what is found."""
    row = ROWS[name](np.random.default_rng(7)).astype(np.float32)
    last = np.sort(row)[-20]
    found = weights_behind(mx.array(row[None]), mx.array(np.array([[row.max(), last]])), Scale.of(temperature).per_log2).item()
    with ctx.workprec(100):
        exponents = [(Fraction(x) - Fraction(float(row.max()))) / temperature for x in row[row <= last].tolist() if x > -np.inf]
        right = sum((arb(rational(x)).exp() for x in exponents), arb(0)) * 2**UNIT_BITS
        slack = right / 2**ERROR_BITS + len(row) // BLOCKS[0] + 2
        assert abs(right - found) < slack


@given(st.integers(0, 2**62 - 1), st.integers(0, 2**32))
def test_product(a: int, share: int) -> None:
    """a * share / 2^32 rounded down, without leaving 64 bits."""
    found = product(mx.array(np.array([a], np.uint64)), mx.array(np.array([share], np.uint64))[0])
    assert found.tolist() == [a * share >> 32]


@fewer(by=2)
@given(st.integers(1, 40), st.integers(0, 2**32), st.fractions(0, 1, max_denominator=99).filter(lambda p: 0 < p < 1))
def test_enclosed_sizes(ranks: int, seed: int, top_p: Fraction) -> None:
    """Whatever the real weights are within their errors, the nucleus has a size between the two, or beyond the leaders."""
    rng = np.random.default_rng(seed)
    real = np.sort(rng.integers(0, 2**UNIT_BITS, ranks + 30))[::-1].tolist()
    coarse = [max(0, x - int(rng.integers(0, 2))) for x in real[:ranks]]
    tail = sum(real[ranks:])
    behind = max(0, tail + (tail * int(rng.integers(-1, 2)) >> ERROR_BITS + 1) - 1)
    shares = mx.array(np.array([floor(top_p * 2**32), ceil(top_p * 2**32)], np.uint64))
    columns = (mx.array(np.array([x], np.uint64)) for x in (coarse, [behind]))
    slack = mx.array(truncated(ranks, 64), mx.uint64)
    low, high = (size.item() for size in enclosed_sizes(*_with(columns, ranks), slack, shares))
    before = [sum(real[:r]) for r in range(ranks + 1)]
    size = sum(x < top_p * sum(real) for x in before)
    assert low <= size <= high <= low + 2 + ranks


def _with(columns: object, ranks: int) -> tuple[mx.array, mx.array, mx.array]:
    """Leaders all above the last, so that none is counted twice."""
    coarse, behind = columns  # type: ignore[misc]
    return coarse, mx.full((1, ranks), True), behind


SETTINGS = (SamplerConfig("0.7", "0.95", 20), SamplerConfig(1, "0.5", 0), SamplerConfig(1, 1, 50), SamplerConfig(0, 1, 0))


def rows_of(kind: str, seed: int) -> NDArray[np.float32]:
    """A long row: steep or flat, as float32 or as bfloat16 rounds it, with ties."""
    rng = np.random.default_rng(seed)
    row = ROWS["steep" if kind.startswith("steep") else "flat"](rng).astype(np.float32)
    return (row.view(np.uint32) & 0xFFFF0000).view(np.float32) if kind.endswith("bfloat16") else row


@pytest.mark.parametrize("kind", ["steep", "steep bfloat16", "flat", "flat bfloat16"])
@pytest.mark.parametrize("config", SETTINGS[:3], ids=str)
def test_settled_rows_are_what_whole_rows_are(kind: str, config: SamplerConfig) -> None:
    """Where the leading ranks settle a row they are, with weights and masses, those of the row ranked and weighed whole."""
    values = mx.array(np.stack([rows_of(kind, seed) for seed in range(6)]))
    found, settled, _ = leading_ranks(values, config, config.top_k or 256, lambda *_: [])
    assert settled.any() or kind.startswith("flat")
    for b in np.flatnonzero(settled).tolist():
        right = whole_row(values[b : b + 1], config)
        size = int(right.size[0])
        assert found.size[b] == size
        for ours, theirs in zip(arrays_of(found), arrays_of(right), strict=True):
            assert ours[b, :size].tolist() == theirs[0, :size].tolist()


def arrays_of(ranks: Ranked) -> list[mx.array]:
    """Order, mantissas, exponents and limbs."""
    return [ranks.order, ranks.weights.mantissa, ranks.weights.exponent, *ranks.mass.limbs]


def same_as_whole(row: NDArray[np.float32], config: SamplerConfig) -> int:
    """Hold the kept ranks of a row against those of the row ranked and weighed whole; their number."""
    values = mx.array(row[None])
    found, right = ranked_row(values, config), whole_row(values, config)
    size = int(right.size[0])
    assert found.size.tolist() == [size]
    assert found.order[0, :size].tolist() == right.order[0, :size].tolist()
    return size


def test_a_nucleus_beyond_the_leaders_is_not_theirs() -> None:
    """Of a flat row the nucleus reaches far beyond the 256 leaders that are tried, and is the whole row's."""
    assert same_as_whole(rows_of("flat", 1), SamplerConfig(1, "0.95", 0)) > 1000


def test_ties_beyond_the_blocks_keep_the_lowest_ids() -> None:
    """Of 20,000 equal logits, with three above and the first hundred below, the first by id are kept."""
    row = np.zeros(20_000, np.float32)
    row[:100] = -1
    row[[19_999, 164, 7]] = 1
    for config in (SamplerConfig(1, 1, 20), SamplerConfig(1, "0.99", 20), SamplerConfig(1, "0.1", 0)):
        same_as_whole(row, config)
    found = ranked_row(mx.array(row[None]), SamplerConfig(1, 1, 6))
    assert found.order[0, :6].tolist() == [7, 164, 19_999, 100, 101, 102]


def test_weights_that_truncation_loses_are_not_forgotten() -> None:
    """2^17 tokens of 2^-47 each, whose blocks count nothing, together decide that a second rank stays at 1 - 2^-31."""
    row = (-47 * math.log(2) - 0.1 * np.random.default_rng(3).random(2**17)).astype(np.float32)
    row[5] = 0
    assert same_as_whole(row, SamplerConfig(1, 1 - Fraction(1, 2**31), 0)) > 1


@pytest.mark.parametrize(("above", "sizes"), [(-20, (1, 2)), (-10, (2, 2)), (20, (1, 2)), (10, (1, 1))])
def test_sizes_are_open_within_the_error_of_what_is_behind(above: int, sizes: tuple[int, int]) -> None:
    """A leader with a fifth of all weight: the second rank is decided at top_p = 1/5 +- 2^-10, and open at 1/5 +- 2^-20."""
    top_p = Fraction(1, 5) + Fraction(1, 2 ** abs(above)) * (1 if above < 0 else -1)
    shares = mx.array(np.array([floor(top_p * 2**32), ceil(top_p * 2**32)], np.uint64))
    coarse, behind = (mx.array(np.array([row], np.uint64)) for row in ([2**40, 2**38], [2**42]))
    found = enclosed_sizes(coarse, mx.array([[True, False]]), behind, mx.array(truncated(2, 64), mx.uint64), shares)
    assert tuple(size.item() for size in found) == sizes


def test_a_batch_of_settled_and_open_rows_keeps_its_order() -> None:
    """Rows that are settled at once and rows that are not come back in the order they came in, each as it is alone."""
    kinds = ("steep", "flat", "steep bfloat16", "steep", "flat")
    rows = [rows_of(kind, seed)[:20_000] for seed, kind in enumerate(kinds)]
    config = SamplerConfig(1, "0.9", 0)
    law, dense = from_logits(np.stack(rows), config), distribution_from_logits(np.stack(rows), config)
    for b, row in enumerate(rows):
        alone = from_logits(row, config)
        kept, length = alone.counts.shape[-1], law.counts.shape[-1]
        ids = np.concatenate([np.array(alone.token_ids), np.full(length - kept, 20_000)])
        assert np.array_equal(np.array(law[b].token_ids), ids)
        assert np.array_equal(np.array(law[b].counts)[:kept], np.array(alone.counts))
        assert np.array_equal(np.array(dense[b]), np.array(distribution_from_logits(row, config)))


def test_one_wait_settles(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that its leading ranks settle waits for the device once, and is never ranked and weighed whole."""
    waits: list[int] = []
    monkeypatch.setattr("mtplx.target.whole_row", None)
    monkeypatch.setattr("mtplx.target.mx.eval", lambda *arrays: waits.append(len(arrays)))
    for config in SETTINGS:
        assert ranked_row(mx.array(rows_of("steep", 1)[None]), config).size.min() > 0
    assert len(waits) == len(SETTINGS)
