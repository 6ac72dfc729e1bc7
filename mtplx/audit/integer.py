"""Our integer laws of one row: counts bit for bit those of the reference's twin, near the certified law, one draw as its twin.

Steps of `mtplx check --integer`. Nothing here rounds: counts are compared as integers, distances are rationals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray
from sympy import QQ

import reference
from mtplx.audit.measure import entries
from mtplx.audit.verdict import Figure, Step
from mtplx.config import SamplerConfig
from mtplx.dyadic import DENOMINATOR, DyadicLaw, from_logits, verify
from mtplx.exponential import ERROR
from reference import dyadic as twin

Row = NDArray[np.float32]
MOST_PROBES = 256
"""Draws that are tried of a pair of laws; the twin takes a step a token for each."""


def law_steps(logits: Row, config: SamplerConfig, found: DyadicLaw, right: twin.DyadicLaw) -> list[Step]:
    """The kept tokens and their distance from the certified law, and every count against the twin's."""
    ids, counts = entries(found.token_ids), entries(found.counts)
    certified = reference.filtered_target(entries(logits), config)
    exact = [certified.midpoints[token] for token in ids]
    apart = sum((abs(QQ(count, DENOMINATOR) - share) for count, share in zip(counts, exact, strict=True)), QQ(0)) / 2
    size = len(ids)
    rounded = QQ(ERROR.numerator, ERROR.denominator) + QQ(size, 2**96) + QQ(size, 2 * DENOMINATOR)  # docs/integer-core.md, 4
    bound = certified.radius + (rounded if config.temperature else QQ(0))
    twins = zip(right.token_ids, right.counts, strict=True)
    strays = tuple(sorted(set(ids) ^ set(certified.support)))
    return [
        Step("integer law: tokens", "global", strays, kept=size, right=len(certified.support)),
        Step("integer law", "global", variation=Figure(apart, bound)),
        Step("integer law: bits", "twin", differing(zip(ids, counts, strict=True), twins)),
    ]


def differing(found: Iterable[tuple[int, int]], right: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Tokens that stand at another rank or have another count, of (token, count) by rank."""
    pairs = zip_longest(found, right)
    return tuple(sorted({ranked[0] for pair in pairs if pair[0] != pair[1] for ranked in pair if ranked}))


def probes(target: twin.DyadicLaw, draft: twin.DyadicLaw) -> list[int]:
    """Draws at both ends of every interval of a draft, and on both sides of where acceptance ends; 256 at most."""
    p, found, start = target.to_dense(), set[int](), 0
    for token, count in zip(draft.token_ids, draft.counts, strict=True):
        accepted = min(count, p[token])
        found |= {start, start + accepted - 1, start + accepted, start + count - 1}
        start += count
    drawn = sorted(r for r in found if 0 <= r < DENOMINATOR)
    return drawn[:: -(-len(drawn) // MOST_PROBES)]


def draw_step(found: tuple[DyadicLaw, DyadicLaw], right: tuple[twin.DyadicLaw, twin.DyadicLaw]) -> Step:
    """One draw verified by both sides, wherever the decision can change; wrong: the draft tokens of draws that differ."""
    drawn = probes(*right)
    tokens, accepted = verify(*found, mx.array(np.array(drawn, np.uint64)))
    decided = list(zip(entries(tokens), entries(accepted), strict=True))
    wrong = {right[1].sample(r) for r, one in zip(drawn, decided, strict=True) if one != twin.verify(*right, r)}
    return Step("one draw", "twin", tuple(sorted(wrong)))


def row_steps(logits: Row, draft: Row | None, config: SamplerConfig) -> list[Step]:
    """Every step of one row, and of its draft row where one is given."""
    rows = [logits] if draft is None else [logits, draft]
    found = [from_logits(row, config) for row in rows]
    right = [twin.from_logits(entries(row), config) for row in rows]
    steps = law_steps(logits, config, found[0], right[0])
    if draft is None:
        return steps
    drafted = [replace(step, name=f"draft, {step.name}") for step in law_steps(draft, config, found[1], right[1])]
    return [*steps, *drafted, draw_step((found[0], found[1]), (right[0], right[1]))]
