"""The rows of logits and the settings that engines are asked, smallest first in every claim."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from random import Random
from struct import pack, unpack
from typing import Any

from mtplx.audit.inputs import SEED


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
    (bits,) = unpack("I", pack("f", x))
    (found,) = unpack("f", pack("I", (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000))
    return float(found)


def float16(x: float) -> float:
    """x rounded to 11 bits of mantissa."""
    (found,) = unpack("e", pack("e", x))
    return float(found)


def random_rows(count: int) -> list[tuple[Row, Settings]]:
    """Rows of 2 to 15 tokens, a fifth of them masked, some values repeated, with random settings: about half are cut."""
    source = Random(SEED)
    drawn = []
    for _ in range(count):
        size = source.randint(2, 15)  # ties in longer rows are up to the engine in dialect transformers
        values = normal(source.randrange(2**32), size, source.choice((0.5, 2.0, 6.0)))
        row = source.choice((values, [source.choice(values) for _ in range(size)]))
        row = [-inf if source.random() < 0.2 else x for x in row]
        row[source.randrange(size)] = values[0]
        temperature = source.choice((1.0, 2.0 ** source.uniform(-3, 2), 2.0 ** source.uniform(-3, 2)))
        top_p = source.choice((1.0, source.uniform(0.05, 0.99), source.uniform(0.5, 0.99)))
        drawn.append((row, Settings(temperature, top_p, source.choice((0, source.randint(1, size + 2))))))
    return sorted(drawn, key=lambda asked: len(asked[0]))


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
        ([0.0, -(2.0**-17)], Settings(1e-5, 1.0, 0)),
    ],
    "target-greedy": [
        ([1.0, 0.0], Settings(0.0, 1.0, 0)),
        ([0.0, 1.0], Settings(0.0, 1.0, 0)),
        ([0.0, 2.0, 1.0], Settings(0.0, 0.5, 2)),
        ([1.0, 1.0], Settings(0.0, 1.0, 0)),
        ([0.0, 3.0, 3.0, 3.0], Settings(0.0, 1.0, 0)),
        ([-inf, 1.0, 0.0], Settings(0.0, 1.0, 0)),
        ([-inf, 0.0, -inf], Settings(0.0, 1.0, 0)),
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
        ([2.0, 1.0, 0.5, -1.0], Settings(1.0, 0.8, 4)),
        ([2.0, 1.0, 0.5, -1.0], Settings(1.0, 0.8, 100)),
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
        ([float16(x) for x in (3.14159, 1.4142, 6e-8)], OFF),
        ([float16(x) for x in normal(21, 12, 3)], Settings(0.75, 0.9, 0)),
    ],
    "target-random": random_rows(40),
    "target-long": [
        (normal(30, 64, 1), OFF),
        (normal(31, 64, 1), Settings(0.75, 0.9, 20)),
        ([0.0] * 512, OFF),
        (normal(32, 1000, 2), Settings(1.0, 0.95, 50)),
        (normal(34, 1000, 1), Settings(1.0, 1.0, 100)),
        (normal(36, 1000, 1), Settings(1.0, 1.0, 300)),
        (normal(33, 8192, 2), Settings(0.75, 0.95, 0)),
        ([*[-1.0] * 69_999, 3.0], Settings(0.0, 1.0, 0)),
        ([*normal(35, 300, 1), *[-20.0] * 69_699, 3.0], Settings(1.0, 0.95, 0)),
    ],
}
"""Claim -> rows of logits and settings."""
