"""`mtplx.dyadic` and `mtplx.randomness` against their twin in Python integers: the same bits, row for row."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from sympy import QQ

import reference
from mtplx import dyadic, randomness
from mtplx.config import SamplerConfig
from reference import dyadic as twin
from reference.numbers import rational
from tests.support import fraction

pytestmark = pytest.mark.device

CONFIGS = [
    (0, 1, 0),
    (0.8, 0.95, 0),
    (1.0, 0.5, 0),
    (0.6, 1, 20),
    (0.6, 0.95, 20),
    (1, 1, 0),
    (1, "1/2", 0),
    (1, "2/3", 3),
    ("7/3", Fraction(4, 5), 0),
    (1, 5e-324, 0),
    (1e-3, 1 - 2.0**-53, 0),
    (2.0**-140, 0.7, 0),
    (5e-324, "3/4", 40),
    ("1e-400", 0.9, 0),
    (1e38, 0.9, 0),
    ("1e400", "1/3", 0),
]
"""(temperature, top_p, top_k): every part alone and together, from the smallest numbers to the largest."""
SIZES = (1, 2, 3, 8, 33, 257)
DTYPES = {"float32": mx.float32, "float16": mx.float16, "bfloat16": mx.bfloat16}
ALL_BITS = range(1, 63)


def hard_rows(rng: np.random.Generator, size: int) -> Iterator[Any]:
    """Rows of that many logits: spread, tied, level, subnormal, with zeros of both signs, far apart, holed by -inf."""
    tiny = 2.0**-149
    for spread in (2.0**-12, 0.5, 2.0, 8.0, 60.0, 3000.0):
        yield rng.normal(size=size) * spread
    yield rng.integers(-3, 3, size)  # ties
    yield np.round(rng.normal(size=size) * 2) / 8
    yield np.full(size, rng.normal())  # level
    yield np.where(rng.integers(0, 2, size), 0.0, -0.0)
    yield rng.integers(-40, 40, size) * tiny
    yield rng.integers(-(2**24), 2**24, size) * tiny
    yield np.ldexp(rng.integers(-(2**24) + 1, 2**24, size), rng.integers(-149, 105, size))  # any bits
    yield -np.exp(rng.uniform(-100, 88, size))
    yield np.where(np.arange(size) < 4, 0.0, -(10.0 ** rng.uniform(0, 38)))  # a tie that what is far behind breaks
    yield np.where(rng.integers(0, 4, size), -np.inf, rng.normal(size=size))
    yield np.where(rng.integers(0, 4, size), rng.integers(-2, 2, size), -np.inf)


def batch_of_rows(rng: np.random.Generator, size: int, dtype: Any) -> mx.array:
    """Hard rows in one batch of a dtype: beyond its range they end at its largest number, and none is all -inf."""
    rows = np.stack([np.asarray(row, np.float64) for row in hard_rows(rng, size)])
    largest = float(mx.finfo(dtype).max)
    rows = np.where(np.isinf(rows), rows, np.clip(rows, -largest, largest))
    rows[np.isinf(rows).all(axis=-1), 0] = 1.5
    return mx.array(rows.astype(np.float32)).astype(dtype)


def hold(law: dyadic.DyadicLaw, expected: list[twin.DyadicLaw]) -> None:
    """A batch [n] of laws is, row for row, what the twin says: tokens, counts, fills, and how many rows balls decided."""
    ids, counts = law.token_ids.tolist(), law.counts.tolist()
    for found_ids, found_counts, right in zip(ids, counts, expected, strict=True):
        fill = len(found_ids) - len(right.token_ids)
        assert found_ids == right.token_ids + [right.vocabulary] * fill
        assert found_counts == right.counts + [0] * fill
    assert law.undecided == sum(right.undecided for right in expected)


def hold_logits(logits: mx.array, config: SamplerConfig, denominator: int) -> int:
    """Hold a batch of rows of logits against the twin; how many of them balls decided."""
    values = logits.astype(mx.float32).tolist()
    expected = [twin.from_logits(row, config, denominator) for row in values]
    law = dyadic.from_logits(logits, config, denominator)
    hold(law, expected)
    return int(law.undecided)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_rows_of_logits(dtype: str, config: tuple[Any, Any, int]) -> None:
    """Every row of every dtype has the twin's tokens and counts, and is open to the one iff it is open to the other."""
    rng = np.random.default_rng([CONFIGS.index(config), len(dtype)])
    for size in SIZES:
        for bits in (62, int(rng.integers(1, 62))):
            hold_logits(batch_of_rows(rng, size, DTYPES[dtype]), SamplerConfig(*config), 1 << bits)


def test_doubles_are_rounded_once() -> None:
    """Lists of Python floats and float64 arrays are rounded as in the twin: to nearest, also among subnormal numbers."""
    rng = np.random.default_rng(64)
    for scale in (1.0, 2.0**-140, 2.0**-148, 2.0**110):
        rows = rng.normal(size=(8, 9)) * scale
        rows[:, 1] = (2.0**24 + 2 * rng.integers(0, 9, 8) + 1) * scale / 2**20  # ties, unless they are subnormal
        config = SamplerConfig(Fraction(scale), 1, 0)
        for given in (rows, rows.tolist()):
            hold(dyadic.from_logits(given, config), [twin.from_logits(row, config) for row in rows.tolist()])


@pytest.mark.parametrize("bits", ALL_BITS)
def test_every_denominator(bits: int) -> None:
    """The counts are the twin's over every denominator that there is."""
    rng = np.random.default_rng(bits)
    hold_logits(batch_of_rows(rng, 40, mx.float32), SamplerConfig(1, 0.97, 0), 1 << bits)


def test_temperatures() -> None:
    """The counts are the twin's at temperatures through all powers of two, on them, beside them and beyond the clamp."""
    rng = np.random.default_rng(7)
    for exponent in [*range(-1001, 1002, 77), -1000, 1000, *range(-150, 130, 20)]:
        for factor in (Fraction(1), 1 - Fraction(1, 2**60), Fraction(int(rng.integers(2**20, 2**21)), 2**20)):
            config = SamplerConfig(Fraction(2) ** exponent * factor, Fraction(9, 10), 0)
            rows = rng.normal(size=(3, 12)) * 2.0 ** np.clip(exponent, -140, 120)
            hold_logits(mx.array(rows.astype(np.float32)), config, 2**62)


def test_equal_logits_tie_exactly() -> None:
    """Of n equal logits a top_p of k/n, and the double beside it, keeps what it keeps in the twin, and no row is open."""
    for size in (1, 2, 3, 7, 10, 24):
        for kept in range(1, size + 1):
            for top_p in (Fraction(kept, size), kept / size):
                assert hold_logits(mx.full((2, size), -3.7), SamplerConfig("3/7", top_p, 0), 2**62) == 0


@pytest.mark.parametrize("exponent", [36, 42, 44, 50, 80, 200])
def test_top_p_beside_the_share_of_the_first_ranks(exponent: int) -> None:
    """With top_p at a distance of 2^-36 to 2^-200 from a partial sum, the same rows are open, and they are decided alike."""
    rng = np.random.default_rng(exponent)
    step, rows_open, rows_held = Fraction(1, 2**exponent), 0, 0
    for size in (2, 5, 40):
        row = (rng.normal(size=size) * 2).astype(np.float32)
        batch = mx.array(np.stack([row, *(rng.permutation(row) for _ in range(3))]))
        law = reference.softmax(row.tolist(), Fraction(4, 5))
        through = list(accumulate(fraction(law.midpoints[token]) for token in law.ranked))
        for rank in {0, size // 3}:
            for top_p in (through[rank] - step, through[rank] + step):
                rows_open += hold_logits(batch, SamplerConfig("4/5", top_p, 0), 2**62)
                rows_held += len(batch)
    if exponent not in (42, 44):  # about the error of the masses itself
        assert rows_open == (rows_held if exponent > 44 else 0)


def test_top_p_on_the_thresholds() -> None:
    """Where one top_p puts a threshold on the mass before a rank, and 2^-400 more above it, both sides turn to open alike.

    threshold(e, n) = S_b solves to top_p = (1 + e) (S_b + n) / ((1 - e) (S - n) + (1 + e) n + 2 e S_b) (section 3).
    """
    rng, step, temperature = np.random.default_rng(3), Fraction(1, 2**400), Fraction(3, 4)
    found = []
    for size in (2, 3, 9, 60):
        row = mx.array((rng.normal(size=(1, size)) * 2).astype(np.float32))
        ranked = sorted((twin.float32_units(rational(logit)) for logit in row.tolist()[0]), reverse=True)
        through = list(accumulate(twin.masses(ranked, QQ(3, 4))))
        for before in through[: min(5, size - 1)]:
            for e, n in ((Fraction(1, 2**43), size), (-Fraction(1, 2**43), -size)):
                top_p = (1 + e) * (before + n) / ((1 - e) * (through[-1] - n) + (1 + e) * n + 2 * e * before)
                sides = [SamplerConfig(temperature, side, 0) for side in (top_p - step, top_p, top_p + step)]
                found += [hold_logits(row, config, 2**62) for config in sides]
    # the first threshold closes the row above top_p, and the second opens it there
    assert found == [1, 1, 0, 0, 0, 1] * (len(found) // 6)


@pytest.mark.parametrize("size", [20_000, 151_936])
def test_long_rows(size: int) -> None:
    """Long rows of logits, near-flat to peaked, have the twin's counts."""
    rng = np.random.default_rng(size)
    rows = rng.normal(size=(2, size)) * np.array([[1.5], [6.0]])
    hold_logits(mx.array(rows.astype(np.float32)), SamplerConfig(0.8, 0.95, 0), 2**62)


def probabilities(rng: np.random.Generator, size: int) -> Any:
    """A batch of float32 rows of probabilities: of any kind, of eighths, equal, with zeros and subnormal numbers."""
    cells = rng.multinomial(8, np.full(size, 1 / size), size=6) / 8
    free = rng.exponential(size=(6, size)) * rng.integers(0, 2, (6, size)) + np.eye(6, size) + 1e-9
    dusty = np.where(cells == 0, rng.integers(0, 3, (6, size)) * 2.0**-149, cells)
    return np.concatenate([cells, free / free.sum(axis=-1, keepdims=True), dusty, np.full((1, size), 1 / size)]).astype(
        np.float32
    )


@pytest.mark.parametrize("size", SIZES)
def test_rows_of_probabilities(size: int) -> None:
    """Rows of probabilities have the twin's tokens and counts, with a top_p on their partial sums, beside them, and none."""
    rng = np.random.default_rng(size)
    for top_p in (1, "1/8", "1/2", "3/4", Fraction(3, 4) + Fraction(1, 2**200), 0.9, 5e-324):
        for top_k, bits in ((0, 62), (2, int(rng.integers(1, 62)))):
            rows, config = probabilities(rng, size), SamplerConfig(1, top_p, top_k)
            expected = [twin.from_probs(row, config, 1 << bits) for row in rows.tolist()]
            hold(dyadic.from_probs(mx.array(rows), config, 1 << bits), expected)


def test_one_hot() -> None:
    """The law of a certain token is the twin's."""
    tokens = [0, 3, 6]
    hold(dyadic.one_hot(mx.array(tokens), 7, 2**9), [twin.one_hot(token, 7, 2**9) for token in tokens])


TARGET, DRAFT = SamplerConfig(1, 0.9, 0), SamplerConfig(0.7, 1, 6)


def some_laws(
    rng: np.random.Generator, config: SamplerConfig, shape: tuple[int, ...], denominator: int
) -> tuple[dyadic.DyadicLaw, list[twin.DyadicLaw]]:
    """A batch of laws with many ties, the last number of the shape the vocabulary's size, and its twins in one list."""
    rows = np.round(rng.normal(size=shape) * 2).astype(np.float32)
    twins = [twin.from_logits(row, config, denominator) for row in rows.reshape(-1, shape[-1]).tolist()]
    return dyadic.from_logits(mx.array(rows), config, denominator), twins


def some_draw(rng: np.random.Generator, law: twin.DyadicLaw) -> int:
    """Any draw, or one at or beside the end of an interval."""
    end = int(rng.choice(np.array(list(accumulate(law.counts)), np.uint64)))
    draw = [int(rng.integers(0, law.denominator)), end - 1, end, end + 1][int(rng.integers(0, 4))]
    return min(max(draw, 0), law.denominator - 1)


@pytest.mark.parametrize("bits", [1, 3, 10, 31, 61, 62])
def test_one_draw(bits: int) -> None:
    """A draw has the twin's owner and the twin's verdict, and emits the twin's token."""
    rng = np.random.default_rng(bits)
    for size in (1, 2, 2, 3, 5, 8, 30):
        targets, ps = some_laws(rng, TARGET, (64, size), 1 << bits)
        drafts, qs = some_laws(rng, DRAFT, (64, size), 1 << bits)
        draws = [some_draw(rng, q) for q in qs]
        r = mx.array(np.array(draws, np.uint64))
        assert drafts.sample(r).tolist() == [q.sample(draw) for q, draw in zip(qs, draws, strict=True)]
        tokens, accepted = dyadic.verify(targets, drafts, r)
        found = list(zip(tokens.tolist(), accepted.tolist(), strict=True))
        assert found == [twin.verify(p, q, draw) for p, q, draw in zip(ps, qs, draws, strict=True)]


@pytest.mark.parametrize("depth", [1, 2, 4, 7])
def test_chain(depth: int) -> None:
    """A chain emits the twin's tokens, as many as the twin's, and the id V behind them."""
    rng = np.random.default_rng(depth)
    for size, bits in ((2, 1), (3, 4), (5, 62), (12, 62)):
        targets, ps = some_laws(rng, TARGET, (48, depth + 1, size), 1 << bits)
        drafts, qs = some_laws(rng, DRAFT, (48, depth, size), 1 << bits)
        chains = [(ps[i * (depth + 1) : (i + 1) * (depth + 1)], qs[i * depth : (i + 1) * depth]) for i in range(48)]
        draws = [[some_draw(rng, law) for law in [*q, p[-1]]] for p, q in chains]
        tokens, emitted = dyadic.verify_chain(targets, drafts, mx.array(np.array(draws, np.uint64)))
        for (p, q), r, found, length in zip(chains, draws, tokens.tolist(), emitted.tolist(), strict=True):
            right, accepted = twin.verify_chain(p, q, r)
            assert length == accepted + 1 == len(right)
            assert found == right + [size] * (depth + 1 - length)


def test_draws() -> None:
    """A draw of any name, the least and the greatest among them, is the twin's over every denominator."""
    rng = np.random.default_rng(6)
    for bits in ALL_BITS:
        columns = []
        for most in (2**64 - 1, 2**32 - 1, 2**24 - 1, 2**8 - 1):
            free = rng.integers(0, most, 24, dtype=np.uint64, endpoint=True)
            columns.append(np.concatenate([np.array([0, most], np.uint64), free]))
        names = list(zip(*(column.tolist() for column in columns), strict=True))
        found = randomness.draw(*columns, 1 << bits).tolist()
        assert found == [twin.draw(*name, 1 << bits) for name in names]
