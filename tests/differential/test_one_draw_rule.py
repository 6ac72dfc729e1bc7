"""The rules that proofs/test_one_draw.py and proofs/test_counts_sum.py are about, run on integers, against the MLX laws."""

from __future__ import annotations

import random
from collections import Counter

import mlx.core as mx
import numpy as np
import pytest

from mtplx.dyadic import DyadicLaw, from_probs, verify
from reference import pointwise
from reference.numbers import rationals

pytestmark = pytest.mark.device

D, V = 32, 5
Counts = dict[int, int]
"""Counts by token, in the order of the law."""


def owner(counts: Counts, cell: int) -> tuple[int, int]:
    """The token whose interval owns the cell, of intervals laid end to end, and the start of the interval."""
    start, found = 0, []
    for token, count in counts.items():
        if pointwise.owns(rationals, start, count, cell):
            found.append((token, start))
        start += count
    (one,) = found
    return one


def emitted(P: Counts, Q: Counts, r: int) -> tuple[int, bool]:
    """The token and the acceptance that the pointwise rules give a draw."""
    x, start = owner(Q, r)
    off, p = r - start, P.get(x, 0)
    if pointwise.accepts(rationals, off, p):
        return x, True
    before = 0
    for y in Q:
        if y == x:
            break
        before = pointwise.residual_mass_step(rationals, before, Q[y], P.get(y, 0))
    deficits = {y: int(pointwise.positive_part(rationals, P[y] - Q.get(y, 0))) for y in P}
    return owner(deficits, pointwise.excess_cell(rationals, before, off, p))[0], False


def some_counts(rng: random.Random) -> Counts:
    """Counts of some tokens in any order, zeros among them, with the sum D."""
    tokens = rng.sample(range(V), rng.randint(1, V))
    cuts = sorted(rng.randint(0, D) for _ in tokens[1:])
    return dict(zip(tokens, (b - a for a, b in zip([0, *cuts], [*cuts, D], strict=True)), strict=True))


def law(counts: Counts) -> DyadicLaw:
    """The same as an MLX law."""
    return DyadicLaw(mx.array(list(counts), mx.uint32), mx.array(np.array(list(counts.values()), np.uint64)), D, V)


def test_verify_is_the_proved_rule() -> None:
    """On 60 pairs of laws every draw has the token and acceptance of the pointwise rules, and each token P of the draws."""
    rng = random.Random(14)
    for _ in range(60):
        P, Q = some_counts(rng), some_counts(rng)
        wanted = [emitted(P, Q, r) for r in range(D)]
        tokens, accepted = verify(law(P), law(Q), mx.arange(D, dtype=mx.uint64))
        assert list(zip(tokens.tolist(), accepted.tolist(), strict=True)) == wanted
        assert Counter(token for token, _ in wanted) == Counter(P)


def test_counts_are_the_proved_rule() -> None:
    """The counts of rows of probabilities are floors of m D / W, and one unit more for the first ranks."""
    rng = np.random.default_rng(15)
    for _ in range(40):
        masses = rng.integers(1, 2**20, V).tolist()
        probabilities = np.array([m * 2.0**-20 for m in masses], np.float64)
        row = (probabilities / probabilities.sum()).astype(np.float32)
        found = from_probs(mx.array(row), denominator=D)
        exact = [int(float(row[token]) * 2**149) for token in found.token_ids.tolist()]
        floors = [m * D // sum(exact) for m in exact]
        assert all(pointwise.is_floor(rationals, c, m * D, sum(exact)) for c, m in zip(floors, exact, strict=True))
        missing = D - sum(floors)
        assert found.counts.tolist() == [pointwise.count(rationals, c, rank, missing) for rank, c in enumerate(floors)]
