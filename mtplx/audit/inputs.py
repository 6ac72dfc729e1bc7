"""What engines are asked, the smallest first: the first question that refutes a claim is a minimal witness in its family.

Rows of probabilities are multiples of a power of two, so that they are exact as floats and sum to exactly one; engines that
take fractions also get thirds and models that encode their exact prefix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import inf
from random import Random
from typing import Any

from sympy import QQ

from reference.models import Model, Tokens, prefix_encoding, random_model, same_rows

Law = list[Any]
Pair = tuple[Law, Law]


@cache
def laws(size: int, parts: int) -> list[Law]:
    """Every law of `size` tokens in multiples of 1 / parts."""

    def split(left: int, rest: int) -> Iterator[list[int]]:
        if rest == 1:
            yield [left]
            return
        for first in range(left, -1, -1):
            for others in split(left - first, rest - 1):
                yield [first, *others]

    return [[QQ(weight, parts) for weight in weights] for weights in split(parts, size)]


def lone(share: Any) -> Law:
    """A law of two tokens, the first with this share."""
    return [share, 1 - share]


SMALL = [(lone(QQ(1, 64)), lone(QQ(1, 2)))] + [
    (lone(QQ(1, 2**bits)), lone(QQ(3, 2 ** (bits + more)))) for bits, more in ((7, 0), (7, 2), (12, 1), (12, 3))
]
"""Rows with a small probability, exact as floats."""


def pairs(floats: bool) -> Iterator[Pair]:
    """Targets and drafts: every pair of two tokens in quarters, then of three, small probabilities, and some longer rows."""
    yield from product(laws(2, 2), laws(2, 2))
    yield from [pair for pair in product(laws(2, 4), laws(2, 4)) if any(x.denominator == 4 for row in pair for x in row)]
    if not floats:
        yield from product(laws(3, 3), laws(3, 3))
    three = list(product(laws(3, 4), laws(3, 4)))
    yield from three[::15] if floats else three
    yield from SMALL if floats else [*SMALL, *((q, p) for p, q in SMALL)]
    source = Random(0)
    for size in (5, 7) if floats else (5, 7) * 10:
        yield source.choice(laws(size, 16)), source.choice(laws(size, 16))


def dyadic_model(seed: int, size: int, parts: int = 8) -> Model:
    """Rows in multiples of 1 / parts, each drawn from the seed and its prefix alone."""

    def row(*key: Any) -> Law:
        return Random(repr((seed, *key))).choice(laws(size, parts))

    return Model(size, lambda prefix: row("target", prefix), lambda prefix, _: row("draft", prefix))


@dataclass(frozen=True)
class Block:
    """A model and the number of drafts, with words for where its rows come from."""

    model: Model
    k: int
    words: str


def blocks(floats: bool) -> Iterator[Block]:
    """The same rows at every position, then rows that depend on the whole prefix."""
    halves = laws(2, 2) if floats else laws(2, 4)
    for k in (1, 2):
        for p, q in product(halves, halves):
            yield Block(same_rows(p, q), k, "the same rows at every position")
    for k in (1, 2) if floats else (1, 2, 3):
        if not floats:
            yield Block(prefix_encoding(2), k, "rows that encode their prefix")
        for seed in range(3 if floats else 8):
            yield Block(dyadic_model(seed, 2), k, "rows of their own after every prefix")
    for seed in range(1 if floats else 8):
        yield Block(dyadic_model(seed, 3, 4), 2, "rows of their own after every prefix")
    for size, k in ((4, 1), (2, 3)) if floats else ((4, 2), (3, 3), (2, 4), (6, 1)):
        yield Block(dyadic_model(3, size, 4), k, "rows of their own after every prefix")
    if not floats:
        for seed in range(4):
            yield Block(random_model(seed, 3), 2, "rows of their own after every prefix")


def rows_of(block: Block) -> dict[str, Any]:
    """The rows that a block can read, by prefix, as text."""
    model = block.model
    prefixes: list[Tokens] = [prefix for length in range(block.k + 1) for prefix in product(range(model.size), repeat=length)]
    name = {prefix: " ".join(map(str, prefix)) for prefix in prefixes}
    if len({tuple(model.target(prefix)) for prefix in prefixes} | {tuple(model.draft(prefix)) for prefix in prefixes}) <= 2:
        return {"p": list(map(str, model.target(()))), "q": list(map(str, model.draft(())))}
    return {
        "target": {name[prefix]: list(map(str, model.target(prefix))) for prefix in prefixes},
        "draft": {name[prefix]: list(map(str, model.draft(prefix))) for prefix in prefixes if len(prefix) < block.k},
    }


@dataclass(frozen=True)
class Settings:
    """Doubles, as an engine is given them."""

    temperature: float
    top_p: float
    top_k: int

    def data(self) -> dict[str, Any]:
        """As JSON."""
        return {"temperature": self.temperature, "top_p": self.top_p, "top_k": self.top_k}


Row = list[float]
OFF = Settings(1.0, 1.0, 0)


def normal(seed: int, size: int, spread: float) -> Row:
    """Seeded normal logits in units of 2^-20, exact as float32; with 8,192 of them hardly any tie."""
    source = Random(seed)
    return [round(source.gauss(0, spread) * 2**20) / 2**20 for _ in range(size)]


def bfloat16(x: float) -> float:
    """x rounded to 8 bits of mantissa."""
    import struct

    (bits,) = struct.unpack("I", struct.pack("f", x))
    (found,) = struct.unpack("f", struct.pack("I", (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000))
    return float(found)


TARGETS: dict[str, list[tuple[Row, Settings]]] = {
    "target-plain": [
        ([0.0, 0.0], OFF),
        ([1.0, 0.0], OFF),
        ([0.0, 1.0], OFF),
        ([3.5], OFF),
        ([2.0, 1.0, 0.5, -1.0], OFF),
        *((normal(seed, 6, 2), OFF) for seed in range(3)),
    ],
    "target-temperature": [
        ([1.0, 0.0], Settings(0.5, 1.0, 0)),
        ([1.0, 0.0], Settings(2.0, 1.0, 0)),
        ([0.0, 1.0, -2.0], Settings(0.75, 1.0, 0)),
        ([0.0, -1.0, -2.0], Settings(0.0625, 1.0, 0)),
        ([0.0, -0.015625], Settings(0.0078125, 1.0, 0)),
        ([0.0, -1.0], Settings(1e-6, 1.0, 0)),
        ([1.0, 0.0], Settings(1e-6, 1.0, 0)),
        ([0.0, 0.0, -1.0], Settings(1e-6, 1.0, 0)),
        ([1.0, 0.0], Settings(1e-39, 1.0, 0)),
        ([4.0, 0.0, -4.0], Settings(1e6, 1.0, 0)),
    ],
    "target-greedy": [
        ([1.0, 0.0], Settings(0.0, 1.0, 0)),
        ([0.0, 1.0], Settings(0.0, 1.0, 0)),
        ([0.0, 2.0, 1.0], Settings(0.0, 0.5, 2)),
        ([1.0, 1.0], Settings(0.0, 1.0, 0)),
        ([0.0, 3.0, 3.0, 3.0], Settings(0.0, 1.0, 0)),
        ([-inf, 1.0, 0.0], Settings(0.0, 1.0, 0)),
    ],
    "target-nucleus": [
        ([1.0, 0.0], Settings(1.0, 0.5, 0)),
        ([1.0, 0.0], Settings(1.0, 0.75, 0)),
        ([1.0, 0.0], Settings(1.0, 1e-9, 0)),
        ([0.5, 0.0], Settings(1.0, 0.35, 1)),
        ([0.0, 1.0, 2.0], Settings(1.0, 0.8, 0)),
        ([2.0, 1.0, 0.5, -1.0], Settings(1.0, 0.8, 0)),
        ([2.0, 1.0, 0.5, -1.0], Settings(1.0, 1e-9, 0)),
        ([6.0, 0.0, 0.0], Settings(1.0, 0.996, 0)),
        *((normal(seed, 12, 1.5), Settings(1.0, 0.9, 0)) for seed in range(3)),
    ],
    "target-boundary": [
        ([0.0, 0.0], Settings(1.0, 0.5, 0)),
        ([0.0] * 4, Settings(1.0, 0.5, 0)),
        ([0.0] * 4, Settings(1.0, 0.75, 0)),
        ([-1.25] * 8, Settings(1.0, 0.625, 0)),
    ],
    "target-top-k": [
        ([1.0, 0.0], Settings(1.0, 1.0, 1)),
        ([0.0, 1.0, 2.0], Settings(1.0, 1.0, 2)),
        ([2.0, 1.0, 0.5, -1.0], Settings(1.0, 1.0, 3)),
    ],
    "target-ties": [
        ([0.0, 0.0], Settings(1.0, 1.0, 1)),
        ([0.0, 1.0, 0.0], Settings(1.0, 1.0, 2)),
        ([0.0] * 5, Settings(1.0, 1.0, 3)),
    ],
    "target-off": [
        ([1.0, 0.0], Settings(1.0, 1.0, 2)),
        ([1.0, 0.0], Settings(1.0, 1.0, 100)),
        ([1.0, 0.0, -30.0], Settings(1.0, 1.0, 0)),
    ],
    "target-order": [
        ([1.0, 0.5, 0.0], Settings(0.5, 0.6, 0)),
        ([1.0, 0.5, 0.0], Settings(2.0, 0.6, 0)),
        ([1.0, 0.5, 0.0], Settings(1.0, 0.6, 2)),
        ([1.5, 1.0, 0.5, 0.0], Settings(1.0, 0.5, 2)),
        ([2.0, 1.0, 0.5, -1.0], Settings(0.75, 0.8, 2)),
        ([1.0, 0.5, 0.0], Settings(2.0, 1.0, 2)),
        ([1.0, 0.5, 0.0], Settings(0.25, 0.85, 0)),
        *((normal(seed, 12, 1.5), Settings(0.75, 0.9, 5)) for seed in range(10, 13)),
    ],
    "target-masked": [
        ([0.0, -inf], OFF),
        ([-inf, 0.0, -inf], Settings(0.5, 0.9, 2)),
        ([1.0, 0.0, -inf], OFF),
        ([1.0, -inf, 0.0], Settings(1.0, 0.75, 3)),
        ([1.0, -inf, 0.0, 0.5], Settings(1.0, 1.0, 2)),
        ([1.0, -inf, 0.0, -1.0], Settings(1.0, 0.5, 0)),
        ([1.0, -inf, 0.0], Settings(0.0, 1.0, 0)),
    ],
    "target-shift": [
        ([101.0, 100.0], OFF),
        ([-99.0, -100.0], OFF),
        ([1001.0, 1000.0], Settings(1.0, 0.75, 0)),
    ],
    "target-half": [
        ([bfloat16(x) for x in (3.14159, 1.4142, 0.57721)], OFF),
        ([bfloat16(x) for x in normal(20, 12, 3)], Settings(0.75, 0.9, 0)),
    ],
    "target-long": [
        (normal(30, 64, 1), OFF),
        (normal(31, 64, 1), Settings(0.75, 0.9, 20)),
        ([0.0] * 512, OFF),
        (normal(32, 1000, 2), Settings(1.0, 0.95, 50)),
        (normal(34, 1000, 1), Settings(1.0, 1.0, 100)),
        (normal(33, 8192, 2), Settings(0.75, 0.95, 0)),
        ([*normal(35, 300, 1), *[-20.0] * 69_699, 3.0], Settings(1.0, 0.95, 0)),
    ],
}
"""Claim -> rows of logits and settings."""
