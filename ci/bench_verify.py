"""Chains of compact laws for the benchmark: K drafts of a filtered law each, and the K + 1 targets that verify them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
from bench_methods import CUMSUM, Gives, Method, evaluated, floor
from bench_report import STEP, VERIFY
from bench_rows import JOINT, Pool, Setting
from bench_worker import seconds
from numpy.typing import NDArray

from mtplx import dyadic
from mtplx.randomness import draw

BLUR = 0.5
"""Spread, in nats, of a draft's logits about its target's: most drafts are accepted, not all."""


class Chain:
    """K drafted positions ready to be verified: target rows [K + 1, V], draft laws [K], and the draws they were drawn with."""

    def __init__(self, rows: NDArray[np.float32], number: int) -> None:
        rng = np.random.Generator(np.random.PCG64([number, *rows.shape]))
        self.logits = mx.array(rows)
        self.targets = evaluated(dyadic.from_logits(self.logits, JOINT.config))
        blurred = (rows[:-1] + rng.normal(0, BLUR, rows[:-1].shape)).astype(np.float32)
        self.drafts = evaluated(dyadic.stack([dyadic.from_logits(row, JOINT.config) for row in blurred]))
        self.r = draw(0, number, range(len(rows)), 0)
        mx.eval(self.logits, self.r)

    def verify(self) -> Any:
        """The decision alone."""
        return dyadic.verify_chain(self.targets, self.drafts, self.r)

    def step(self) -> Any:
        """Target laws of K + 1 rows of logits as one batch, then the decision."""
        return dyadic.verify_chain(dyadic.from_logits(self.logits, JOINT.config), self.drafts, self.r)


def chains(rows: NDArray[np.float32], depth: int, count: int) -> list[Chain]:
    """Chains of different neighbouring rows."""
    return [Chain(np.take(rows, range(at, at + depth + 1), axis=0, mode="wrap"), at) for at in range(count)]


class ChainMethod:
    """A method that takes its chain by the place, and no rows."""

    gives: Gives = "token"

    def __init__(self, name: str, about: str, call: Callable[[Chain], Any], ready: list[Chain]) -> None:
        self.name, self.about, self.call, self.ready = name, about, call, ready

    def seconds(self, pool: Pool, setting: Setting, batch: int, place: int, cold: bool) -> float:
        """Seconds of one call."""
        chain, before = (self.ready[at % len(self.ready)] for at in (place, place - 1))
        return seconds(lambda: self.call(chain), None if cold else lambda: self.call(before))


def verify_methods(pool: Pool, depth: int, count: int) -> list[Method]:
    """The decision, the whole step, and the floor: a chain a place. The laws are those of T 0.7, k 20, p 0.95."""
    ready = chains(pool.rows, depth, count)
    return [
        ChainMethod(VERIFY, "mtplx.dyadic.verify_chain on laws that are there", Chain.verify, ready),
        ChainMethod(STEP, "mtplx.dyadic.from_logits of K + 1 rows as one batch, then verify_chain", Chain.step, ready),
        floor(CUMSUM, "mx.cumsum of each row", lambda rows: mx.cumsum(rows, axis=-1)),
    ]
