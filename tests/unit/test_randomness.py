"""Draws by name: Threefry's known answers, names that never meet, and bits counted against derived bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mtplx.errors import CounterError, DenominatorError, ReuseError, ShapeError
from mtplx.randomness import ATTEMPTS, POSITIONS, REQUESTS, SEEDS, Run, draw, names, threefry2x32

pytestmark = pytest.mark.device

MASK = 2**32 - 1
HALF = Fraction(1, 2)


def threefry(key: tuple[int, int], counter: tuple[int, int]) -> tuple[int, int]:
    """The cipher in Python ints, written from the paper: 20 rounds, a key word pair after every fourth."""
    words = (*key, key[0] ^ key[1] ^ 0x1BD11BDA)
    x, y = (counter[0] + words[0]) & MASK, (counter[1] + words[1]) & MASK
    for turn in range(20):
        by = (13, 15, 26, 6, 17, 29, 16, 24)[turn % 8]
        x = (x + y) & MASK
        y = ((y << by | y >> (32 - by)) & MASK) ^ x
        if turn % 4 == 3:
            injection = turn // 4 + 1
            x = (x + words[injection % 3]) & MASK
            y = (y + words[(injection + 1) % 3] + injection) & MASK
    return x, y


def words(*values: int) -> tuple[mx.array, mx.array]:
    """Two uint32 scalars."""
    first, second = (mx.array(value, mx.uint32) for value in values)
    return first, second


@pytest.mark.parametrize(
    ("key", "counter", "answer"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((MASK, MASK), (MASK, MASK), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_known_answers(key: tuple[int, int], counter: tuple[int, int], answer: tuple[int, int]) -> None:
    """The vectors that Random123 publishes for threefry2x32 with 20 rounds."""
    found = threefry2x32(words(*key), words(*counter))
    assert [word.dtype for word in found] == [mx.uint32] * 2
    assert tuple(word.item() for word in found) == answer == threefry(key, counter)


@given(
    st.one_of(st.integers(0, SEEDS - 1), st.just(SEEDS - 1)),
    st.one_of(st.integers(0, REQUESTS - 1), st.just(REQUESTS - 1)),
    st.one_of(st.integers(0, POSITIONS - 1), st.just(POSITIONS - 1)),
    st.integers(0, ATTEMPTS - 1),
    st.integers(1, 62),
)
def test_draw_is_the_top_bits_of_its_name(seed: int, request: int, position: int, attempt: int, bits: int) -> None:
    """The key is the seed, the counter the packed name, low words first; r is the top b bits, the first word above."""
    counter = request << 32 | position << 8 | attempt
    first, second = threefry((seed & MASK, seed >> 32), (counter & MASK, counter >> 32))
    r = draw(seed, request, position, attempt, 2**bits)
    assert (r.dtype, r.shape) == (mx.uint64, ())
    assert r.item() == (first << 32 | second) >> (64 - bits)


def test_names_do_not_meet() -> None:
    """At the borders of the ranges each name has a key and counter of its own, in which its four numbers can be read."""
    borders = [
        [0, 1, 2**32 - 1, 2**32, SEEDS - 1],
        [0, 1, 255, 2**24, REQUESTS - 1],
        [0, 1, 255, 256, POSITIONS - 1],
        [0, 1, 2, ATTEMPTS - 1],
    ]
    for seed, request, position, attempt in product(*borders):
        key, counter = names(seed, request, position, attempt).tolist()
        assert (key, counter >> 32, counter >> 8 & 0xFFFFFF, counter & 0xFF) == (seed, request, position, attempt)


def test_draws_do_not_depend_on_their_neighbours() -> None:
    """A draw alone, in a batch of 32, in the reversed batch and in a table of names is the same number."""
    requests, positions = np.arange(32) * 977, np.arange(32) % 5
    batch = draw(11, requests, positions, 3).tolist()
    assert batch == [draw(11, int(q), int(t), 3).item() for q, t in zip(requests, positions, strict=True)]
    assert batch[::-1] == draw(11, requests[::-1], positions[::-1], 3).tolist()
    table = draw(11, requests[:, None], mx.arange(5), 3)
    assert batch == [table[i, i % 5].item() for i in range(32)]
    assert len(set(batch)) == 32


def test_smaller_denominators_see_the_leading_bits() -> None:
    """A draw over 2^b is the draw over 2^62 without its low bits."""
    whole = draw(5, 7, np.arange(100), 0)
    for bits in range(1, 63):
        assert draw(5, 7, np.arange(100), 0, 2**bits).tolist() == [r >> (62 - bits) for r in whole.tolist()]


COUNT = 2**14


def off(found: int, size: int, share: Fraction) -> bool:
    """Whether a count of `size` draws of probability `share` is too far from its mean.

    By Bernstein it strays by t with probability at most 2 exp(-t^2 / (2 (variance + t / 3))): below 2 e^-32 where off.
    """
    t = abs(found - size * share)
    return t * t > 64 * (size * share * (1 - share) + t / 3)


def ones(draws: NDArray[np.uint64]) -> list[int]:
    """How often each of the 62 bits is set."""
    return [int(((draws >> np.uint64(bit)) & np.uint64(1)).sum()) for bit in range(62)]


def names_along(axis: str) -> NDArray[np.uint64]:
    """Draws whose names differ in one number only, which counts up."""
    step = {"seed": 0, "request": 1, "position": 2, "attempt": 3}[axis]
    fields: list[Any] = [3, 5, 7, 0]
    fields[step] = np.arange(COUNT if step < 3 else ATTEMPTS)
    if step == 3:
        fields[1] = np.arange(COUNT // ATTEMPTS)[:, None]
    return np.array(draw(*fields)).reshape(-1)


@pytest.mark.parametrize("axis", ["seed", "request", "position", "attempt"])
def test_bits_are_fair_and_serially_independent(axis: str) -> None:
    """Along each number of the name every bit is set half of the time, and agrees half of the time with the next draw's.

    So does every pair of neighbouring bits of one draw. Fixed names: the counts are the same in every run.
    """
    draws = names_along(axis)
    assert draws.shape == (COUNT,)
    assert len(set(draws.tolist())) == COUNT
    assert not any(off(count, COUNT, HALF) for count in ones(draws))
    for lag in (1, 2, 256):
        assert not any(off(count, COUNT - lag, HALF) for count in ones(draws[lag:] ^ draws[:-lag]))
    assert not any(off(count, COUNT, HALF) for count in ones(draws ^ (draws >> np.uint64(1)))[:61])


def test_small_draws_are_even() -> None:
    """Each of the 8 values over denominator 8 comes an eighth of the time, each pair of neighbours a 64th of it."""
    draws = np.array(draw(1, 2, np.arange(COUNT), 0, 8)).astype(np.int64)
    assert not any(off(count, COUNT, Fraction(1, 8)) for count in np.bincount(draws, minlength=8).tolist())
    pairs = np.bincount(8 * draws[::2] + draws[1::2], minlength=64).tolist()
    assert not any(off(count, COUNT // 2, Fraction(1, 64)) for count in pairs)


def test_a_run_draws_each_name_once() -> None:
    """A run gives the draws of their names, and refuses one that came before, or twice in one call, and then draws nothing."""
    run = Run(9)
    assert run.draw(0, np.arange(4), 0).tolist() == draw(9, 0, np.arange(4), 0).tolist()
    with pytest.raises(ReuseError, match="request 0, position 3, attempt 0 is drawn twice"):
        run.draw(0, [4, 3], 0)
    with pytest.raises(ReuseError, match="request 1, position 5, attempt 2"):
        run.draw(1, [5, 5], 2)
    run.draw(0, 4, 0)
    run.draw(0, 3, 1)
    run.draw(1, 3, 0)
    assert len(run.used) == 7


def test_every_name_of_a_run_of_blocks_is_used_once() -> None:
    """Blocks of K drafts and a bonus that start after what was emitted never draw a name twice if attempts are counted.

    No position is drawn more than K + 1 times, so 256 attempts are enough for 255 drafts.
    """
    depth, run, attempts, start = 4, Run(2), [0] * 200, 0
    while start + depth < 190:
        positions = list(range(start, start + depth + 1))
        r = run.draw(0, positions, [attempts[t] for t in positions])
        for t in positions:
            attempts[t] += 1
        start += 1 + int(r[0].item()) % (depth + 1)
    assert max(attempts) <= depth + 1
    assert len(run.used) == sum(attempts)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ((SEEDS, 0, 0, 0), CounterError, "seed is 18446744073709551616"),
        ((-1, 0, 0, 0), CounterError, "seed is -1"),
        ((0, REQUESTS, 0, 0), CounterError, "request is 4294967296"),
        ((0, 0, [1, POSITIONS], 0), CounterError, "position is 16777216"),
        ((0, 0, 0, ATTEMPTS), CounterError, "attempt is 256"),
        ((0, 1.0, 0, 0), CounterError, "request is 1.0"),
        ((0, True, 0, 0), CounterError, "request is True"),
        ((0, "1", 0, 0), CounterError, "request is '1'"),
        ((0, [0, 1], [0, 1, 2], 0), ShapeError, "shapes"),
    ],
)
def test_refused_names(name: tuple[Any, Any, Any, Any], error: type[Exception], message: str) -> None:
    """What lies beyond the ranges is refused, by its name and value: nothing wraps around."""
    with pytest.raises(error, match=message):
        draw(*name)


@pytest.mark.parametrize("denominator", [0, 1, 3, 2**63, 2.0, True])
def test_refused_denominators(denominator: Any) -> None:
    """Denominators are powers of two from 2 to 2^62."""
    with pytest.raises(DenominatorError, match="a power of two"):
        draw(0, 0, 0, 0, denominator)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "a", None, [1, 2]])
def test_a_run_refuses_what_is_no_seed(seed: Any) -> None:
    """A run is made with one seed in range, or not at all."""
    with pytest.raises(ValueError, match="seed"):
        Run(seed)


@pytest.mark.parametrize("denominator", [0, 3, 2**63, 1.5, True, None])
def test_a_run_refuses_what_is_no_denominator(denominator: Any) -> None:
    """A run is made with a power of two, so that no name is burnt by a draw that fails."""
    with pytest.raises(DenominatorError):
        Run(1, denominator)
