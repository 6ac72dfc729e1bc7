"""The rows of probabilities that engines are asked, smallest first: the first that refutes a claim is minimal in its family.

Most are multiples of a power of two, exact as floats, with a sum of exactly one; engines that take fractions also get thirds,
random weights and models that encode their exact prefix, engines that take floats also rows as a softmax rounds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random
from struct import pack, unpack
from typing import Any

from sympy import QQ

from reference.models import Model, Tokens, prefix_encoding, random_model, same_rows
from reference.numbers import rational
from reference.rules import greedy_law

Law = list[Any]
Pair = tuple[Law, Law]
SEED = 0
"""Of everything random that is asked."""


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


FLAT = [
    ([QQ(1, 8)] * 8, [QQ(1, 2), QQ(1, 2)] + [QQ(0)] * 6),
    ([QQ(1, 8)] * 8, [QQ(0)] * 7 + [QQ(1)]),
    ([QQ(1, 16)] * 8 + [QQ(1, 2)], [QQ(0)] * 8 + [QQ(1)]),
]
"""Rows whose residual has many equal maxima."""


def weights(source: Random, size: int, largest: int, zeros: float) -> Law:
    """Random weights up to `largest`, some of them 0, over their sum."""
    drawn = [source.randint(1, largest) if source.random() >= zeros else 0 for _ in range(size)]
    drawn[source.randrange(size)] += not any(drawn)
    return [QQ(weight, sum(drawn)) for weight in drawn]


def float32(x: Any) -> Any:
    """x rounded to float32."""
    (found,) = unpack("f", pack("f", float(x)))
    return rational(found)


def pairs(floats: bool, few: bool) -> Iterator[Pair]:
    """Targets and drafts: every pair of two tokens in quarters, then of three, small probabilities, and some longer rows.

    floats: the last ones are rounded to float32. few: for questions that take long.
    """
    yield from product(laws(2, 2), laws(2, 2))
    yield from [pair for pair in product(laws(2, 4), laws(2, 4)) if any(x.denominator == 4 for row in pair for x in row)]
    if not few:
        yield from product(laws(3, 3), laws(3, 3))
    three = list(product(laws(3, 4), laws(3, 4)))
    yield from three[::15] if few else three
    yield from SMALL if few else [*SMALL, *((q, p) for p, q in SMALL)]
    source = Random(SEED)
    for size in (5, 7) if few else (5, 7) * 10:
        yield source.choice(laws(size, 16)), source.choice(laws(size, 16))
    yield from FLAT
    for size in (3, 16) if few else (3, 4, 5, 6, 8, 10, 12, 16, 24):
        largest = 500 if few else 10**6
        p, q = weights(source, size, largest, 0.25), weights(source, size, largest, 0.75)
        yield ([float32(x) for x in p], [float32(x) for x in q]) if floats else (p, q)


def dyadic_model(seed: int, size: int, parts: int = 8, *, zeros: bool = True) -> Model:
    """Rows in multiples of 1 / parts, each drawn from the seed and its prefix alone; without zeros every draft is possible."""
    rows = [law for law in laws(size, parts) if zeros or all(law)]

    def row(*key: Any) -> Law:
        return Random(repr((seed, *key))).choice(rows)

    return Model(size, lambda prefix: row("target", prefix), lambda prefix, _: row("draft", prefix))


def certain_drafts(model: Model) -> Model:
    """The model with drafts of its target's most probable token alone: few drafts of long blocks, and often all accepted."""
    return Model(model.size, model.target, lambda prefix, _: greedy_law(model.target(prefix)))


@dataclass(frozen=True)
class Block:
    """A model and the number of drafts, with words for where its rows come from."""

    model: Model
    k: int
    words: str


def blocks(few: bool) -> Iterator[Block]:
    """The same rows at every position, then rows that depend on the whole prefix."""
    halves = laws(2, 2) if few else laws(2, 4)
    for k in (1, 2):
        for p, q in product(halves, halves):
            yield Block(same_rows(p, q), k, "the same rows at every position")
    for k, seed in product((1, 2), range(2 if few else 8)):
        yield Block(dyadic_model(seed, 2, 2), k, "rows of their own after every prefix")
    for k in (1, 2) if few else (1, 2, 3):
        if not few:
            yield Block(prefix_encoding(2), k, "rows that encode their prefix")
        for seed in range(3 if few else 8):
            yield Block(dyadic_model(seed, 2), k, "rows of their own after every prefix")
    for seed in range(1 if few else 8):
        yield Block(dyadic_model(seed, 3, 4), 2, "rows of their own after every prefix")
    for size, k in ((4, 1), (2, 3)) if few else ((4, 2), (3, 3), (2, 4), (6, 1), (12, 1), (2, 6)):
        yield Block(dyadic_model(3, size, 4), k, "rows of their own after every prefix")
    for size, k in ((2, 2), (2, 3)) if few else ((2, 4), (3, 3), (2, 6)):
        yield Block(dyadic_model(5, size, zeros=False), k, "rows of their own after every prefix, without zeros")
    for size, k in ((2, 6), (12, 1)) if few else ((2, 8), (3, 5), (16, 1)):
        model = dyadic_model(4, size, 8, zeros=False) if k > 1 else dyadic_model(4, size, 4)  # no zero ends a block early
        yield Block(certain_drafts(model), k, "rows of their own after every prefix, certain drafts")
    if not few:
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
