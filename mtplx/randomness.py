"""Draws r by name: (seed, request, position, attempt) -> an integer, from the bits of Threefry-2x32 (Salmon et al., SC 2011).

A draw is a function of its own name alone: no state, no split, no neighbour in the batch. Names map one to one to the 128
bits of key and counter, so two names share a draw by chance only, and within one seed their 64 bits always differ: for a
fixed key Threefry permutes the counters.

The attempt is part of the name because positions behind a rejection are drafted again: with the r of the discarded drafts
the new ones would depend on what was discarded. Plain decoding is attempt 0, and so is the first try of any position.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mtplx.doors import DENOMINATOR, denominator_bits
from mtplx.errors import CounterError, ReuseError, ShapeError

__all__ = ["ATTEMPTS", "POSITIONS", "REQUESTS", "SEEDS", "Run", "bits_of", "draw", "threefry2x32"]

SEEDS, REQUESTS, POSITIONS, ATTEMPTS = 2**64, 2**32, 2**24, 2**8
"""How many there are of each. 256 attempts are enough for 255 drafts: a position is drawn at most K + 1 times, since every
block of K drafts and a bonus that reaches it and does not settle it starts one token later at least."""

PARITY = 0x1BD11BDA
ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
ROUNDS = 20


def rotated(x: mx.array, by: int) -> mx.array:
    """uint32 turned left."""
    return mx.left_shift(x, mx.array(by, mx.uint32)) | mx.right_shift(x, mx.array(32 - by, mx.uint32))


def threefry2x32(key: tuple[mx.array, mx.array], counter: tuple[mx.array, mx.array]) -> tuple[mx.array, mx.array]:
    """The two words of Threefry-2x32 with 20 rounds, uint32 element by element; sums are modulo 2^32."""
    words = (*key, key[0] ^ key[1] ^ PARITY)
    x, y = counter[0] + words[0], counter[1] + words[1]
    for block in range(ROUNDS // 4):
        for by in ROTATIONS[block % 2]:
            x = x + y
            y = rotated(y, by) ^ x
        x = x + words[(block + 1) % 3]
        y = y + words[(block + 2) % 3] + (block + 1)
    return x, y


def numbered(values: Any, count: int, name: str) -> NDArray[np.uint64]:
    """Integers 0 <= value < count as uint64; CounterError otherwise."""
    array = np.array(np.array(values) if isinstance(values, mx.array) else values, dtype=object)
    for value in array.reshape(-1).tolist():
        whole = hasattr(value, "__index__") and not isinstance(value, (bool, np.bool_))
        if not whole or not 0 <= value < count:
            raise CounterError(f"{name} is {value!r}; allowed: an integer from 0 to {count - 1}")
    return array.astype(np.uint64)


def names(seed: Any, request: Any, position: Any, attempt: Any) -> NDArray[np.uint64]:
    """uint64 [..., 2], one to one: the key, which is the seed, and the counter request * 2^32 + position * 2^8 + attempt.

    Of either, the low 32 bits are Threefry's first word. CounterError, ShapeError.
    """
    fields = (
        numbered(seed, SEEDS, "seed"),
        numbered(request, REQUESTS, "request"),
        numbered(position, POSITIONS, "position"),
        numbered(attempt, ATTEMPTS, "attempt"),
    )
    try:
        keys, requests, positions, attempts = np.broadcast_arrays(*fields)
    except ValueError as error:
        shapes = [field.shape for field in fields]
        raise ShapeError(f"seed, request, position, attempt have shapes {shapes}; allowed: shapes that broadcast") from error
    counters = (requests << np.uint64(32)) | (positions << np.uint64(8)) | attempts
    return np.stack([keys, counters], axis=-1)


@mx.compile
def leading_bits(words: mx.array, spare: mx.array) -> mx.array:
    """uint64 [...]: the bits of names given as uint32 [..., key or counter, low or high], the lowest `spare` of 64 cut off."""
    first, second = threefry2x32((words[..., 0, 0], words[..., 0, 1]), (words[..., 1, 0], words[..., 1, 1]))
    together = mx.left_shift(first.astype(mx.uint64), mx.array(32, mx.uint64)) | second.astype(mx.uint64)
    return mx.right_shift(together, spare)


def bits_of(name: NDArray[np.uint64], denominator: int = DENOMINATOR) -> mx.array:
    """uint64 [...]: the top b of the 64 bits of each name, first word on top, for a denominator 2^b with b <= 62."""
    words = mx.array((name[..., None] >> np.array([0, 32], np.uint64)).astype(np.uint32))
    return leading_bits(words, mx.array(64 - denominator_bits(denominator), mx.uint64))


def draw(seed: Any, request: Any, position: Any, attempt: Any, denominator: int = DENOMINATOR) -> mx.array:
    """Draws r from 0 to denominator - 1, uint64 of the shape that the four integers or integer arrays broadcast to.

    0 <= seed < 2^64, request < 2^32, position < 2^24, attempt < 2^8. denominator: 2^b with 1 <= b <= 62; r is the top b of
    the 64 bits, so a smaller denominator sees the leading bits of the same draw. CounterError, ShapeError, DenominatorError.
    """
    return bits_of(names(seed, request, position, attempt), denominator)


class Run:
    """The draws of one run, each name once: a second use of any raises ReuseError, and nothing is drawn.

    seed: one integer. CounterError, DenominatorError.
    """

    def __init__(self, seed: int, denominator: int = DENOMINATOR) -> None:
        denominator_bits(denominator)
        if np.ndim(seed):
            raise CounterError(f"seed is {seed!r}; allowed: one integer")
        self.seed = int(numbered(seed, SEEDS, "seed"))
        self.denominator = denominator
        self.used: set[int] = set()

    def draw(self, request: Any, position: Any, attempt: Any) -> mx.array:
        """`draw` under the run's seed, for names that no call before and no neighbour in this one has used."""
        name = names(self.seed, request, position, attempt)
        counters = Counter(name[..., 1].reshape(-1).tolist())
        for x, times in counters.items():
            if times > 1 or x in self.used:
                request, position, attempt = x >> 32, x >> 8 & (POSITIONS - 1), x & (ATTEMPTS - 1)
                raise ReuseError(f"request {request}, position {position}, attempt {attempt} is drawn twice; allowed: once")
        self.used |= counters.keys()
        return bits_of(name, self.denominator)
