"""`mtplx.dyadic` against the certified target: the same tokens in the same order, and a total variation within its bound."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import QQ

import reference
from mtplx.audit.rows import all_rows
from mtplx.config import SamplerConfig
from mtplx.dyadic import DyadicLaw, from_logits, from_probs
from reference.numbers import rational
from tests.support import TEMPERATURES, TOP_P, Row, logit_rows, rows

pytestmark = pytest.mark.device
ROWS = {row.name: row.logits for row in all_rows()}


def variation(law: DyadicLaw, shares: list[Any]) -> Any:
    """Total variation between a law [n] and exact shares of its tokens, in rank order, which sum to one."""
    counts = law.counts.tolist()
    return sum((abs(QQ(c, law.denominator) - share) for c, share in zip(counts, shares, strict=True)), QQ(0)) / 2


def hold(logits: Any, config: SamplerConfig, denominator: int) -> DyadicLaw:
    """Hold the law of one row of logits against the certified one."""
    certified = reference.filtered_target(np.asarray(logits, np.float32).tolist(), config)
    law = from_logits(logits, config, denominator)
    assert tuple(law.token_ids.tolist()) == certified.support
    size = len(certified.support)
    weights = QQ(1, 2**43) + QQ(size, 2**96) if config.temperature else QQ(0)
    bound = weights + QQ(size, 2 * denominator) + certified.radius
    assert variation(law, [certified.midpoints[token] for token in certified.support]) <= bound
    return law


@given(logit_rows(1, 9), TEMPERATURES, TOP_P, st.integers(0, 9), st.sampled_from([1, 3, 20, 44, 62]))
def test_law_of_logits(logits: Row, temperature: Any, top_p: Any, top_k: int, bits: int) -> None:
    """Tokens and ranks are the certified ones; the law is 2^-43 + n (2^-96 + 1 / 2D) from it at most, in total variation."""
    hold(logits, SamplerConfig(temperature, top_p, top_k), 2**bits)


@given(rows(1, 9), TOP_P, st.integers(0, 9), st.sampled_from([1, 3, 20, 62]))
def test_law_of_probabilities(row: Row, top_p: Any, top_k: int, bits: int) -> None:
    """A law of probabilities is the reference's, n / 2D away at most."""
    config = SamplerConfig(1, top_p, top_k)
    right, law = reference.apply_top_p_top_k(row, top_p, top_k), from_probs(row, config, 2**bits)
    kept = law.token_ids.tolist()
    assert {token for token, share in enumerate(right) if share} == set(kept)
    assert kept == sorted(kept, key=lambda token: (-row[token], token))
    assert variation(law, [right[token] for token in kept]) <= QQ(len(kept), 2 ** (bits + 1))


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("bigram/<unigram>", SamplerConfig(0.8, 0.95, 0)),
        ("synthetic/ties/32000", SamplerConfig(1.0, 0.5, 0)),
        ("synthetic/peaked-8/32000", SamplerConfig(0.8, "0.99", 0)),
        ("synthetic/flat-2.5/151936", SamplerConfig(0.8, 0.95, 0)),
        ("synthetic/zipf-1.1/151936", SamplerConfig(0.6, 0.95, 20)),
    ],
)
def test_law_of_a_large_row(name: str, config: SamplerConfig) -> None:
    """Large rows have the certified tokens in the certified order, within the bound, and no cut that was left to balls."""
    assert hold(ROWS[name], config, 2**62).undecided == 0


def test_a_top_p_at_the_share_of_a_rank_is_decided_on_the_host() -> None:
    """A top_p within 2^-60 of the mass of the first ranks of a long row is open, counted, and decided as certified."""
    logits = np.random.default_rng(1).normal(0, 2, 5000).astype(np.float32)
    full = reference.softmax(logits.tolist(), 1)
    for size in (1, 17, 1200):
        share = sum((full.midpoints[token] for token in full.ranked[:size]), QQ(0))
        near = Fraction(int(share * 2**60), 2**60)
        for top_p, kept in ((near, size), (near + Fraction(1, 2**59), size + 1)):
            law = hold(logits, SamplerConfig(1, top_p, 0), 2**62)
            assert (law.undecided, law.counts.size) == (1, kept)
            assert rational(top_p) < share if kept == size else rational(top_p) > share
