"""Dyadic laws by hand and by enumeration: every draw is tried, so each statement here is a count, not an estimate."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import accumulate, product
from math import prod
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtplx.config import SamplerConfig
from mtplx.dyadic import DyadicLaw, from_logits, from_probs, one_hot, stack, verify, verify_chain
from mtplx.errors import (
    ConfigError,
    DenominatorError,
    DrawError,
    LogitsError,
    MassError,
    ShapeError,
    TokenError,
    VocabularyError,
)
from mtplx.randomness import draw
from tests.support import TEMPERATURES, TOP_P, Row, fewer, logit_rows, rows

pytestmark = pytest.mark.device

D62 = 2**62
NO_CUT = SamplerConfig(1, 1, 0)


def law_of(counts: dict[int, int], vocab_size: int, denominator: int) -> DyadicLaw:
    """A law with these counts, its tokens in the order given."""
    assert sum(counts.values()) == denominator
    ids, units = mx.array(list(counts), mx.uint32), mx.array(np.array(list(counts.values()), np.uint64))
    return DyadicLaw(ids, units, denominator, vocab_size)


def every_draw(denominator: int) -> mx.array:
    """All of them, as one batch."""
    return mx.arange(denominator, dtype=mx.uint64)


def as_bits(law: DyadicLaw) -> tuple[Any, Any]:
    """What must not change: ids and counts."""
    return law.token_ids.tolist(), law.counts.tolist()


def without_fill(law: DyadicLaw) -> list[tuple[int, int]]:
    """The tokens of one law [n] with their counts, in rank order; the fill stands at the end and has none."""
    pairs = list(zip(law.token_ids.tolist(), law.counts.tolist(), strict=True))
    kept = [pair for pair in pairs if pair[0] < law.vocab_size]
    assert pairs[len(kept) :] == [(law.vocab_size, 0)] * (len(pairs) - len(kept))
    return kept


# Laws from rows


def test_counts_by_hand() -> None:
    """(16, 11, 5) / 32 over 16: 8, 5 and 2 whole units, and the one missing goes to the first rank."""
    law = from_probs([5 / 32, 0.0, 16 / 32, 11 / 32], denominator=16)
    assert (law.token_ids.dtype, law.counts.dtype) == (mx.uint32, mx.uint64)
    assert without_fill(law) == [(2, 9), (3, 5), (0, 2)]
    assert law.to_dense().tolist() == [2, 0, 9, 5]
    assert [law.probability(token) for token in range(4)] == [Fraction(1, 8), 0, Fraction(9, 16), Fraction(5, 16)]
    assert (law.denominator, law.vocab_size, law.undecided, law.shape) == (16, 4, 0, ())


def test_missing_units_go_to_the_first_ranks() -> None:
    """Seven equal tokens over 16 have 2 units each, and the two missing go to the two lowest ids; over 4, four ids have one."""
    assert from_logits([0.5] * 7, NO_CUT, 16).counts.tolist() == [3, 3, 2, 2, 2, 2, 2]
    assert from_logits([0.5] * 7, NO_CUT, 4).counts.tolist() == [1, 1, 1, 1, 0, 0, 0]


def test_ties_keep_the_lowest_ids() -> None:
    """Of 300 equal tokens a top-k of 3 keeps 0, 1 and 2 in this order, and a nucleus of 1/100 too."""
    for config in (SamplerConfig(1, 1, 3), SamplerConfig(1, "1/100", 0)):
        assert without_fill(from_logits([-1.5] * 300, config, 4)) == [(0, 2), (1, 1), (2, 1)]
    tied = [float(token % 3) for token in range(300)]
    assert from_logits(tied, SamplerConfig(1, 1, 5), 8).token_ids.tolist() == [2, 5, 8, 11, 14]


def test_greedy_and_tiny_temperatures() -> None:
    """Temperature 0 is certain of the lowest id among the maxima; a tiny one shares among the maxima, the rest has no unit."""
    row = [0.0, 2.0, float("-inf"), 2.0]
    assert without_fill(from_logits(row, SamplerConfig(0, 1, 0))) == [(1, D62)]
    assert without_fill(from_logits(row, SamplerConfig("1e-400", 1, 0))) == [(1, D62 // 2), (3, D62 // 2), (0, 0)]
    assert without_fill(from_logits(row, SamplerConfig("1e400", 1, 0), 4)) == [(1, 2), (3, 1), (0, 1)]


@given(logit_rows(1, 9), TEMPERATURES, TOP_P, st.integers(0, 9), st.integers(1, 62))
def test_rows_of_logits_sum_to_the_denominator(logits: Row, temperature: Any, top_p: Any, top_k: int, bits: int) -> None:
    """The counts of kept tokens sum to exactly D, and descend but for the one unit of the first ranks."""
    law = from_logits(logits, SamplerConfig(temperature, top_p, top_k), 2**bits)
    pairs = without_fill(law)
    counts = [count for _, count in pairs]
    assert sum(counts) == 2**bits
    values = [logits[token] for token, _ in pairs]
    assert [token for token, _ in pairs] == sorted((t for t, _ in pairs), key=lambda t: (-logits[t], t))
    assert all(value > float("-inf") for value in values)
    assert sum(law.to_dense().tolist()) == 2**bits


@given(rows(1, 9), st.integers(1, 62), TOP_P, st.integers(0, 9))
def test_rows_of_probabilities_are_divided_exactly(row: Row, bits: int, top_p: Any, top_k: int) -> None:
    """A count is floor(p * D / kept mass) on the exact float32 row, and one more for as many first ranks as units miss."""
    denominator = 2**bits
    law = from_probs(row, SamplerConfig(1, top_p, top_k), denominator)
    pairs = without_fill(law)
    kept = [Fraction(row[token]) for token, _ in pairs]
    floors = [x * denominator // sum(kept) for x in kept]
    missing = denominator - sum(floors)
    assert [count for _, count in pairs] == [floor + (rank < missing) for rank, floor in enumerate(floors)]


def test_a_row_does_not_depend_on_its_batch() -> None:
    """A row alone, in a batch of 32 and in the reversed batch has the same bits, and so has what is drawn from it."""
    rng = np.random.default_rng(3)
    logits = (rng.normal(0, 1, (32, 500)) * rng.uniform(0.5, 6, (32, 1))).astype(np.float32)
    logits[3], logits[4, 7:] = 0, -np.inf
    r = draw(1, np.arange(32), 0, 0)
    for config in (SamplerConfig(0.8, 0.95, 0), SamplerConfig(0.6, 0.9, 20), NO_CUT, SamplerConfig(0, 1, 0)):
        batch, reverse = from_logits(logits, config), from_logits(logits[::-1], config)
        drafts = from_logits(logits[::-1], NO_CUT)
        tokens, accepted = verify(batch, drafts, r)
        back_tokens, back_accepted = verify(reverse, from_logits(logits, NO_CUT), r[::-1])
        assert tokens.tolist() == back_tokens[::-1].tolist()
        assert accepted.tolist() == back_accepted[::-1].tolist()
        for b in range(32):
            alone = from_logits(logits[b], config)
            assert without_fill(alone) == without_fill(batch[b]) == without_fill(reverse[31 - b])
            one = verify(alone, from_logits(logits[31 - b], NO_CUT), int(r[b].item()))
            assert one == (tokens[b].item(), accepted[b].item())


def test_batches_of_any_shape() -> None:
    """A batch [2, 3, V] is the six rows, filled up with the id V and the count 0; law[i, j] is one of them."""
    logits = np.random.default_rng(4).normal(0, 3, (2, 3, 50)).astype(np.float32)
    config = SamplerConfig(1, 0.8, 0)
    batch = from_logits(mx.array(logits), config, 1024)
    assert batch.shape == (2, 3)
    assert batch.to_dense().shape == (2, 3, 50)
    for i, j in product(range(2), range(3)):
        alone = from_logits(logits[i, j], config, 1024)
        assert without_fill(batch[i, j]) == without_fill(batch[i][j]) == without_fill(alone)
        assert batch.to_dense()[i, j].tolist() == alone.to_dense().tolist()


@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16])
def test_half_precision(dtype: mx.Dtype) -> None:
    """float16 and bfloat16 logits mean their values: the law is that of the same numbers in float32."""
    logits = mx.array(np.random.default_rng(5).normal(0, 4, 300).astype(np.float32)).astype(dtype)
    config = SamplerConfig(0.7, 0.95, 0)
    assert as_bits(from_logits(logits, config)) == as_bits(from_logits(logits.astype(mx.float32), config))


@pytest.mark.parametrize("spread", [0.0, 1e-3, 3.0, 30.0])
def test_a_long_row(spread: float) -> None:
    """151,936 tokens, uncut: the counts sum to 2^62 exactly."""
    logits = (spread * np.random.default_rng(6).normal(0, 1, 151_936)).astype(np.float32)
    law = from_logits(logits, NO_CUT)
    assert law.counts.shape == (151_936,)
    assert sum(law.counts.tolist()) == D62


def test_open_rows_are_counted() -> None:
    """A far third token makes of a tie of two a nucleus of both: masses leave that open, balls decide it; it is counted."""
    config = SamplerConfig(1, "1/2", 0)
    law = from_logits([[0.0, 0.0, -1e30], [0.0, 0.0, float("-inf")], [0.0, -1.0, -2.0]], config, 4)
    assert law.undecided == 1
    assert [without_fill(law[b]) for b in range(3)] == [[(0, 2), (1, 2)], [(0, 4)], [(0, 4)]]


# One draw


@given(st.integers(1, 6), st.integers(1, 8), st.randoms(use_true_random=False))
def test_sample_has_the_counts_of_the_law(bits: int, size: int, rng: random.Random) -> None:
    """As r runs through 0..D-1 each token is drawn as often as its count says, in the order of the ranks."""
    law = random_law(rng, size, 2**bits)
    expected = [token for token, count in without_fill(law) for _ in range(count)]
    assert law.sample(every_draw(2**bits)).tolist() == expected
    assert [law.sample(r) for r in range(2**bits)] == expected


def random_law(rng: random.Random, size: int, denominator: int) -> DyadicLaw:
    """Counts in any order of ids, zeros and one-hots among them: a verdict of rank order is not needed for exactness."""
    ids = rng.sample(range(size), rng.randint(1, size))
    cuts = sorted(rng.choice([rng.randint(0, denominator), 0, denominator]) for _ in ids[1:])
    counts = [high - low for low, high in zip([0, *cuts], [*cuts, denominator], strict=True)]
    return law_of(dict(zip(ids, counts, strict=True)), size, denominator)


def random_pair(rng: random.Random, size: int, denominator: int) -> tuple[DyadicLaw, DyadicLaw]:
    """Target and draft: random, equal, certain, or without a common token."""
    kind = rng.choice(["random", "random", "equal", "reordered", "certain", "apart"])
    target = random_law(rng, size, denominator)
    if kind == "equal":
        return target, target
    if kind == "reordered":
        pairs = rng.sample(without_fill(target), len(without_fill(target)))
        return target, law_of(dict(pairs), size, denominator)
    if kind == "certain":
        return target, one_hot(rng.randrange(size), size, denominator)
    if kind == "apart" and size > 1:
        half = size // 2
        low, high = random_law(rng, half, denominator), random_law(rng, size - half, denominator)
        return (
            DyadicLaw(low.token_ids, low.counts, denominator, size),
            DyadicLaw(high.token_ids + half, high.counts, denominator, size),
        )
    return target, random_law(rng, size, denominator)


@pytest.mark.parametrize("bits", range(1, 11))
def test_verify_emits_the_target_exactly(bits: int) -> None:
    """For 300 pairs over 2^b, as r runs through 0..D-1: the drafts have the draft's counts, the emitted the target's.

    A batch of pairs is verified at every draw at once. Accepted tokens are the drafts, and min(P, Q) of each are accepted.
    """
    rng, denominator, size = random.Random(bits), 2**bits, 6
    pairs = [random_pair(rng, size, denominator) for _ in range(300)]
    targets, drafts = stack([p for p, _ in pairs]), stack([q for _, q in pairs])
    r = mx.broadcast_to(every_draw(denominator)[:, None], (denominator, 300))
    drafted, (tokens, accepted) = drafts.sample(r), verify(targets, drafts, r)
    assert (tokens.dtype, accepted.dtype) == (mx.uint32, mx.bool_)
    x, y, a = (np.array(values) for values in (drafted, tokens, accepted))
    p, q = np.array(targets.to_dense()).astype(np.int64), np.array(drafts.to_dense()).astype(np.int64)
    assert (x[a] == y[a]).all()
    for b in range(300):
        assert np.bincount(x[:, b], minlength=size).tolist() == q[b].tolist()
        assert np.bincount(y[:, b], minlength=size).tolist() == p[b].tolist()
        assert np.bincount(x[a[:, b], b], minlength=size).tolist() == np.minimum(p[b], q[b]).tolist()


def test_verify_by_hand() -> None:
    """Target (1, 4, 3), draft (5, 2, 1) over 8: the four excess cells of token 0 go to 1, 1, 2, 2 in this order."""
    target, draft = law_of({1: 4, 2: 3, 0: 1}, 3, 8), law_of({0: 5, 1: 2, 2: 1}, 3, 8)
    found = [verify(target, draft, r) for r in range(8)]
    assert [accepted for _, accepted in found] == [True, False, False, False, False, True, True, True]
    assert [token for token, _ in found] == [0, 1, 1, 2, 2, 1, 1, 2]


def test_a_rejected_token_is_never_emitted() -> None:
    """The excess goes to tokens that have less of the draft than of the target, never back to the token itself."""
    target, draft = law_of({0: 6, 1: 2}, 2, 8), law_of({1: 8}, 2, 8)
    assert [verify(target, draft, r) for r in range(8)] == [(1, True)] * 2 + [(0, False)] * 6


def test_what_has_no_mass_is_never_accepted() -> None:
    """The first cell of a draft token that the target does not have is rejected: `off < P(x)`, not `<=`."""
    assert verify(one_hot(0, 2, 8), one_hot(1, 2, 8), 0) == (0, False)
    assert verify(one_hot(0, 2), one_hot(1, 2), 0) == (0, False)


@pytest.mark.parametrize("seed", range(20))
def test_interval_ends_over_two_to_62(seed: int) -> None:
    """At both sides of every end of an interval over 2^62, and of P(x) in it, tokens are those of Python's integers."""
    rng = random.Random(seed)
    target, draft = random_pair(rng, 7, D62)
    ends = [0, *accumulate(count for _, count in without_fill(draft))]
    p = dict(without_fill(target))
    inner = [start + p.get(x, 0) for start, (x, _) in zip(ends, without_fill(draft), strict=False)]
    far = [start + excess for start in inner for excess in cells(target, draft)]
    probes = sorted({r + step for r in (*ends, *inner, *far) for step in (-1, 0, 1) if 0 <= r + step < D62})
    tokens, accepted = verify(target, draft, mx.array(np.array(probes, np.uint64)))
    drafted = draft.sample(mx.array(np.array(probes, np.uint64)))
    expected = [by_ints(without_fill(target), without_fill(draft), r) for r in probes]
    assert list(zip(drafted.tolist(), tokens.tolist(), accepted.tolist(), strict=True)) == expected


def cells(target: DyadicLaw, draft: DyadicLaw) -> list[int]:
    """The ends of the intervals that the deficit cells have, token by token."""
    q = dict(without_fill(draft))
    return list(accumulate(max(0, count - q.get(y, 0)) for y, count in without_fill(target)))


def by_ints(target: list[tuple[int, int]], draft: list[tuple[int, int]], r: int) -> tuple[int, int, bool]:
    """Draft token, emitted token and acceptance in Python ints, walking from cell to cell."""
    p, q = dict(target), dict(draft)
    cell = start = 0
    for x, count in draft:
        if r < start + count:
            break
        start += count
        cell += max(0, count - p.get(x, 0))
    offset = r - start
    if offset < p.get(x, 0):
        return x, x, True
    cell += offset - p.get(x, 0)
    for y, count in target:
        deficit = max(0, count - q.get(y, 0))
        if cell < deficit:
            break
        cell -= deficit
    return x, y, False


@fewer(by=2)
@given(logit_rows(2, 7), logit_rows(2, 7), TOP_P, st.integers(0, D62 - 1))
def test_verify_on_laws_of_logits(target: Row, draft: Row, top_p: Any, r: int) -> None:
    """On laws made of logits, filtered or not, `draft.sample` and `verify` are Python's integers too."""
    size = min(len(target), len(draft))
    wanted, drafted = ([*row[:size], 0.0] for row in (target, draft))
    p, q = from_logits(wanted, SamplerConfig(0.7, top_p, 0)), from_logits(drafted, NO_CUT)
    x, y, accepted = by_ints(without_fill(p), without_fill(q), r)
    assert (q.sample(r), *verify(p, q, r)) == (x, y, accepted)


# Chains


class Model:
    """Target and draft laws over 8 for every prefix: what comes next depends on what came before."""

    def __init__(self, seed: int, vocab_size: int, depth: int) -> None:
        rng = random.Random(seed)
        self.vocab_size = vocab_size
        prefixes = [prefix for length in range(depth + 1) for prefix in product(range(vocab_size), repeat=length)]
        self.number = {prefix: i for i, prefix in enumerate(prefixes)}
        pairs = [random_pair(rng, vocab_size, 8) for _ in prefixes]
        self.targets, self.drafts = stack([p for p, _ in pairs]), stack([q for _, q in pairs])
        self.dense = self.targets.to_dense().tolist()

    def rows(self, laws: DyadicLaw, prefixes: list[tuple[int, ...]]) -> DyadicLaw:
        """The laws after these prefixes."""
        places = mx.array([self.number[prefix] for prefix in prefixes])
        return DyadicLaw(laws.token_ids[places], laws.counts[places], 8, self.vocab_size)

    def units(self, tokens: tuple[int, ...], start: int = 0) -> int:
        """8^n times the probability of the n tokens from `start` on, given the ones before, under the target."""
        return prod(self.dense[self.number[tokens[:i]]][tokens[i]] for i in range(start, len(tokens)))


def blocks(model: Model, depth: int, r: mx.array) -> Counter[tuple[int, ...]]:
    """How often each block is emitted over draws r [N, K + 1]: drafts one after the other, then one verification."""
    prefixes: list[tuple[int, ...]] = [()] * r.shape[0]
    steps = []
    for k in range(depth + 1):
        steps.append((model.rows(model.targets, prefixes), model.rows(model.drafts, prefixes)))
        drafted = steps[-1][1].sample(r[:, k]).tolist()
        prefixes = [(*prefix, token) for prefix, token in zip(prefixes, drafted, strict=True)]
    targets, drafts = (
        DyadicLaw(
            mx.stack([step[side].token_ids for step in steps[: depth + 1 - side]], axis=1),
            mx.stack([step[side].counts for step in steps[: depth + 1 - side]], axis=1),
            8,
            model.vocab_size,
        )
        for side in (0, 1)
    )
    tokens, emitted = verify_chain(targets, drafts, r)
    assert (tokens.dtype, tokens.shape, emitted.dtype, emitted.shape) == (mx.uint32, r.shape, mx.uint32, r.shape[:1])
    rows = list(zip(tokens.tolist(), emitted.tolist(), prefixes, strict=True))
    assert all(row[: n - 1] == list(prefix[: n - 1]) for row, n, prefix in rows)
    assert all(token == model.vocab_size for row, n, _ in rows for token in row[n:])
    return Counter(tuple(row[:n]) for row, n, _ in rows)


@pytest.mark.parametrize(("depth", "seed"), [(1, 0), (1, 1), (1, 2), (2, 3), (2, 4), (2, 5), (3, 6), (3, 7)])
def test_joint_law_of_a_chain(depth: int, seed: int) -> None:
    """All 8^(K+1) draw vectors at once: each K + 1 tokens come out as often as the target says, after plain decoding.

    A block of n tokens is followed by K + 1 - n tokens of the target itself.
    """
    model = Model(seed, 3, depth)
    vectors = mx.array(np.array(list(product(range(8), repeat=depth + 1)), np.uint64))
    found = blocks(model, depth, vectors)
    assert sum(found.values()) == 8 ** (depth + 1)
    for tokens in product(range(3), repeat=depth + 1):
        ways = (Fraction(found[tokens[:n]] * model.units(tokens, n), 8 ** (depth + 1 - n)) for n in range(1, depth + 2))
        assert sum(ways) == model.units(tokens)


def test_the_bonus_takes_a_draw_of_its_own() -> None:
    """With certain drafts that are accepted, the bonus is what the last draw says, whatever the others were."""
    half = law_of({0: 4, 1: 4}, 2, 8)
    targets, drafts = stack([one_hot(1, 2, 8), half]), stack([one_hot(1, 2, 8)])
    for first, last in product(range(8), repeat=2):
        tokens, emitted = verify_chain(targets, drafts, [first, last])
        assert (tokens.tolist(), emitted.item()) == ([1, int(last >= 4)], 2)


def test_a_chain_ends_at_its_first_rejection() -> None:
    """Later drafts are dropped, accepted or not; the places behind hold the id V; a batch of any shape is its chains."""
    sure = [one_hot(token, 3, 8) for token in (0, 1, 2)]
    targets = stack([sure[0], sure[1], sure[2], sure[0]])
    chains = {
        (0, 1, 2): ([0, 1, 2, 0], 4),
        (0, 1, 1): ([0, 1, 2, 3], 3),
        (0, 0, 2): ([0, 1, 3, 3], 2),
        (1, 1, 2): ([0, 3, 3, 3], 1),
    }
    for drafted, expected in chains.items():
        tokens, emitted = verify_chain(targets, one_hot(list(drafted), 3, 8), [7, 0, 3, 5])
        assert (tokens.tolist(), emitted.item()) == expected
    batch = one_hot(np.array(list(chains)).reshape(2, 2, 3), 3, 8)
    wide = DyadicLaw(*(mx.broadcast_to(x, (2, 2, *x.shape)) for x in (targets.token_ids, targets.counts)), 8, 3)
    tokens, emitted = verify_chain(wide, batch, draw(0, np.arange(4).reshape(2, 2, 1), np.arange(4), 0, 8))
    assert tokens.reshape(4, 4).tolist() == [tokens for tokens, _ in chains.values()]
    assert emitted.tolist() == [[4, 3], [2, 1]]


def test_a_chain_at_two_to_62() -> None:
    """Every position of a chain is decided as `verify` decides it alone, and the bonus as `sample` draws it."""
    rng = np.random.default_rng(12)
    logits = rng.normal(0, 2, (16, 5, 40)).astype(np.float32)
    targets = from_logits(logits, SamplerConfig(0.9, 0.9, 0))
    drafts = from_logits(logits[:, :4] + rng.normal(0, 0.3, (16, 4, 40)).astype(np.float32), SamplerConfig(1, 0.95, 0))
    r = draw(4, np.arange(16)[:, None], np.arange(5), 0)
    tokens, emitted = verify_chain(targets, drafts, r)
    assert {1, 5} <= set(emitted.tolist())
    for b in range(16):
        expected: list[int] = []
        for k in range(4):
            token, accepted = verify(targets[b, k], drafts[b, k], int(r[b, k].item()))
            expected.append(token)
            if not accepted:
                break
        else:
            expected.append(targets[b, 4].sample(int(r[b, 4].item())))
        assert emitted[b].item() == len(expected)
        assert tokens[b].tolist() == expected + [40] * (5 - len(expected))


# Doors

LAW, OTHER = [0.5, 0.5], [0.25, 0.25, 0.5]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: from_logits(LAW, NO_CUT, 12), DenominatorError, "denominator = 12; allowed: a power of two from 2 to 2\\^62"),
        (lambda: from_logits(LAW, NO_CUT, 2**63), DenominatorError, "a power of two"),
        (lambda: from_probs(LAW, None, 1), DenominatorError, "denominator = 1;"),
        (lambda: one_hot(0, 2, True), DenominatorError, "denominator = True"),
        (lambda: from_logits(LAW, None), ConfigError, "a SamplerConfig"),  # type: ignore[arg-type]
        (lambda: from_probs(LAW, SamplerConfig(0.5, 1, 0)), ConfigError, "temperature = 1"),
        (lambda: from_logits([0.0, float("nan")], NO_CUT), LogitsError, "nan at token 1"),
        (lambda: from_probs([0.5, 0.4]), MassError, "sums to 0.9"),
        (lambda: from_logits(mx.zeros((2**20 + 1,)), NO_CUT), VocabularyError, "1048577 tokens; allowed: 1 to 1048576"),
        (lambda: one_hot(0, 5.0), VocabularyError, "5.0 tokens; allowed: 1 to 1048576"),
        (lambda: one_hot(0, True), VocabularyError, "True tokens"),
        (lambda: one_hot([[0], [1, 0]], 2), ShapeError, "token is ragged"),
        (lambda: one_hot([], 2), ShapeError, "no empty axis"),
        (lambda: verify(from_probs(LAW), None, 0), ShapeError, "None is no law"),  # type: ignore[arg-type]
        (lambda: verify_chain([1], from_probs([LAW]), [0]), ShapeError, "is no law"),  # type: ignore[arg-type]
        (lambda: stack([]), ShapeError, "at least one"),
        (lambda: stack([from_probs(LAW), from_probs([LAW])]), ShapeError, "batch shapes"),
        (lambda: stack([from_probs(LAW), from_probs(OTHER)]), VocabularyError, "one vocabulary"),
        (lambda: from_probs([LAW])["a"], ShapeError, "index 'a'"),  # type: ignore[index]
        (lambda: from_probs([LAW])[True], ShapeError, "index True"),
        (lambda: len(from_probs(LAW)), ShapeError, "no length"),
        (lambda: one_hot(2, 2), TokenError, "token of row 0 is 2"),
        (lambda: one_hot([0, -1], 2), TokenError, "token of row 1 is -1"),
        (lambda: from_probs(LAW).probability(2), TokenError, "token is 2; allowed: an integer from 0 to 1"),
        (lambda: from_probs([LAW]).probability(0), ShapeError, r"shape \(1,\)"),
        (lambda: from_probs([LAW])[1], ShapeError, "index 1"),
        (lambda: from_probs(LAW)[0], ShapeError, "index 0"),
        (lambda: from_probs(LAW).sample(D62), DrawError, "r is 4611686018427387904"),
        (lambda: from_probs(LAW).sample(-1), DrawError, "r is -1"),
        (lambda: from_probs(LAW).sample(0.5), DrawError, "r is 0.5"),
        (lambda: from_probs(LAW, None, 8).sample(every_draw(9)), DrawError, "r reaches 8; allowed: integers from 0 to 7"),
        (lambda: from_probs(LAW).sample(mx.array([1])), DrawError, "r holds mlx.core.int32; allowed: uint64"),
        (lambda: from_probs([LAW, LAW]).sample(every_draw(3)), ShapeError, r"r has shape \(3,\)"),
        (lambda: from_probs([LAW, LAW]).sample(3), ShapeError, r"r has shape \(\)"),
        (lambda: verify(from_probs(LAW), from_probs(OTHER), 0), VocabularyError, "target has 2 tokens, draft 3"),
        (lambda: verify(from_probs(LAW), from_probs(LAW, None, 8), 0), DenominatorError, "one denominator"),
        (lambda: verify(from_probs([LAW]), from_probs(LAW), [0]), ShapeError, "allowed: the same"),
        (lambda: verify(from_probs(LAW), from_probs(LAW), D62), DrawError, "r is 4611686018427387904"),
        (lambda: verify_chain(from_probs([LAW]), from_probs([LAW]), [0]), ShapeError, r"allowed: \[..., K \+ 1\] and"),
        (lambda: verify_chain(from_probs(LAW), from_probs(LAW), 0), ShapeError, r"allowed: \[..., K \+ 1\] and"),
        (lambda: verify_chain(from_probs([LAW] * 2), from_probs([LAW]), [0]), ShapeError, "r has shape"),
        (
            lambda: verify_chain(from_probs([LAW] * 2, None, 8), from_probs([LAW], None, 8), mx.array([0, 8], mx.uint64)),
            DrawError,
            "r reaches 8",
        ),
    ],
)
def test_refusals(call: Any, error: type[Exception], message: str) -> None:
    """Each mistake has its own error, which names the value and what is allowed; nothing reads out of bounds."""
    with pytest.raises(error, match=message):
        call()


def test_denominators() -> None:
    """Every power of two from 2 to 2^62 is a denominator: the counts of a third and two thirds are exact."""
    for bits in range(1, 63):
        third = 2**bits // 3
        assert from_probs([1 / 3, 2 / 3], None, 2**bits).counts.tolist()[1] == by_thirds(bits)
        assert third - 1 <= by_thirds(bits) <= third + 1


def by_thirds(bits: int) -> int:
    """The smaller count of the float32 row (1/3, 2/3), by Python's integers."""
    small, large = (Fraction(float(np.float32(x))) for x in (1 / 3, 2 / 3))
    return int(small * 2**bits // (small + large))


def test_stacked_laws_are_the_batch() -> None:
    """Laws made one after another and stacked are the batch made at once, and a batch is a sequence of its laws."""
    rows = np.random.default_rng(8).normal(0, 2, (3, 9)).astype(np.float32)
    config = SamplerConfig("0.8", "0.9", 0)
    batch = from_logits(rows, config)
    again = stack([from_logits(row, config) for row in rows])
    assert as_bits(again) == as_bits(batch) == as_bits(stack(list(batch)))
    assert len(batch) == 3
    mixed = stack([one_hot([1, 2], 9), batch.positions(slice(0, 2))])
    assert mixed.shape == (2, 2)
    assert mixed[0, 0].probability(1) == mixed[1, 0].probability(2) == 1
