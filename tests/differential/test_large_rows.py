"""`mtplx.sampling` against the reference on rows of real vocabularies, where float32 running sums go wrong."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import mlx.core as mx
import numpy as np
import pytest
from sympy import QQ

import reference
from mtplx import sampling
from mtplx.audit.rows import all_rows
from mtplx.sampling import SamplerConfig
from reference import pointwise
from reference.numbers import law_of_row, rationals
from tests.differential.test_filtered_target import check_target
from tests.support import MARGINAL_ERROR, RATIO_ERROR, SMALLEST_NORMAL, exact, far_entries, fraction

pytestmark = pytest.mark.device
ROWS = {row.name: row.logits for row in all_rows()}
STANDARD, AGGRESSIVE, SHARP = SamplerConfig(0.8, 0.95, 0), SamplerConfig(1.0, 0.5, 0), SamplerConfig(0.6, 0.95, 20)


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("bigram/<unigram>", AGGRESSIVE),
        ("synthetic/ties/32000", STANDARD),
        ("synthetic/holes/32000", STANDARD),
        ("synthetic/peaked-8/32000", AGGRESSIVE),
        ("synthetic/flat-2.5/151936", STANDARD),
        ("synthetic/zipf-1.1/151936", SHARP),
    ],
)
def test_target_of_a_large_row(name: str, config: SamplerConfig) -> None:
    """The nucleus of a large row is the certified one, token for token, and its law is within the bound."""
    assert check_target(ROWS[name], config).undecided == 0


def pair(size: int) -> tuple[mx.array, mx.array]:
    """A filtered target and an unfiltered draft over one vocabulary."""
    names = {32_000: ("ties", "holes"), 151_936: ("zipf-1.1", "flat-2.5")}[size]
    p, q = (ROWS[f"synthetic/{name}/{size}"] for name in names)
    return sampling.distribution_from_logits(p, STANDARD), sampling.softmax(q)


def test_pair_of_large_rows() -> None:
    """Acceptance, residual and marginal over 32,000 tokens: every entry within its bound, zeros exactly."""
    p, q = pair(32_000)
    P, Q = law_of_row(p.tolist()), law_of_row(q.tolist())
    residual = reference.residual_distribution(P, Q)
    assert not far_entries(sampling.residual_distribution(p, q), residual, RATIO_ERROR)

    ids = [0, 31_999, int(mx.argmax(p).item()), int(mx.argmax(q).item()), int(mx.argmin(q).item())]
    rows = [mx.broadcast_to(row, (len(ids), row.size)) for row in (p, q)]
    accepted = [pointwise.acceptance(rationals, P[x], Q[x]) for x in ids]
    assert not far_entries(sampling.acceptance_probability(*rows, ids), accepted, RATIO_ERROR)

    found = exact(sampling.speculative_output_marginal(p, q).tolist())
    underflow = (len(P) + 3) * SMALLEST_NORMAL
    for x, p_y, q_y, r_y in zip(found, P, Q, residual, strict=True):
        assert abs(x - p_y) <= MARGINAL_ERROR * (q_y + r_y) + underflow


def test_draws_from_a_large_row() -> None:
    """Coins on the boundaries of a row of 151,936 tokens, and 2^-99 below them, draw the tokens on either side."""
    p, _ = pair(151_936)
    kept = np.flatnonzero(np.array(p)).tolist()
    ends = dict(zip(kept, accumulate(law_of_row(p[mx.array(kept)].tolist())), strict=True))  # zeros move no boundary
    below, step = [-1, *kept], Fraction(1, 2**99)
    for token in (kept[0], kept[len(kept) // 2], kept[-2]):
        coin = fraction(ends[token])
        after = kept[below.index(token)]
        assert [sampling.sample_from_distribution(p, u) for u in (coin - step, coin)] == [token, after]


def test_verify_on_large_rows() -> None:
    """Over 32,000 tokens a coin on the acceptance rejects, one 2^-99 below accepts, and both engines draw the same token."""
    p, q = pair(32_000)
    P, Q = law_of_row(p.tolist()), law_of_row(q.tolist())
    x = int(mx.argmax(q).item())
    a = fraction(pointwise.acceptance(rationals, P[x], Q[x]))
    coins = [a, max(a - Fraction(1, 2**99), Fraction(0)), Fraction(1, 3)]
    second = [0.0, 0.5, 1 - 2.0**-53]
    rows = [mx.broadcast_to(row, (3, row.size)) for row in (p, q)]
    found = sampling.verify_one_token(*rows, [x] * 3, coin=coins, residual_coin=second)
    right = [reference.verify_one_token(P, Q, x, coin=u, residual_coin=v) for u, v in zip(coins, second, strict=True)]
    assert found.token_id.tolist() == [verification.token_id for verification in right]
    assert found.accepted.tolist() == [verification.accepted for verification in right]
    assert a == QQ(0) or right[1].accepted
