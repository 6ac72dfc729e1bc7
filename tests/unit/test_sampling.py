"""`mtplx.sampling` by hand: short rows whose right values are read off the page."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from sympy import QQ

from mtplx import sampling
from mtplx.sampling import SamplerConfig
from tests.support import RATIO_ERROR, exact, far_entries

pytestmark = pytest.mark.device

A_LITTLE = Fraction(1, 2**200)
TARGET, DRAFT = [0.5, 0.25, 0.25, 0.0], [0.25, 0.25, 0.5, 0.0]
"""Their residual is the one-hot on token 0; token 2 is accepted with probability 1/2."""


@pytest.mark.parametrize(
    ("coin", "token"),
    [
        (0.0, 1),
        (Fraction(1, 2) - A_LITTLE, 1),
        (0.5, 3),
        (Fraction(3, 4) - A_LITTLE, 3),
        (0.75, 4),
        (1 - 2.0**-53, 4),
        (1 - A_LITTLE, 4),
    ],
)
def test_sample(coin: Any, token: int) -> None:
    """Of (0, 1/2, 0, 1/4, 1/4, 0) each token has its half-open interval of coins, and those without mass have none."""
    assert sampling.sample_from_distribution([0.0, 0.5, 0.0, 0.25, 0.25, 0.0], coin) == token


def test_acceptance() -> None:
    """min(1, p/q) token by token, and at q = 0 it is 1 where p > 0, else 0."""
    ids = [0, 1, 2, 3]
    assert sampling.acceptance_probability([TARGET] * 4, [DRAFT] * 4, ids).tolist() == [1.0, 1.0, 0.5, 0.0]
    assert sampling.acceptance_probability([DRAFT] * 4, [[0.0, 0.5, 0.5, 0.0]] * 4, ids).tolist() == [1.0, 0.5, 1.0, 0.0]


def test_residual() -> None:
    """(p - q)+ over its mass; the target itself where nothing is left."""
    assert sampling.residual_distribution(TARGET, DRAFT).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert sampling.residual_distribution([0.5, 0.5, 0.0], [0.25, 0.25, 0.5]).tolist() == [0.5, 0.5, 0.0]
    assert sampling.residual_distribution(TARGET, TARGET).tolist() == TARGET


def test_marginal() -> None:
    """The law of the emitted token is the target: 1/4 + 1/4 * 1 for token 0, which alone takes what is rejected."""
    assert sampling.speculative_output_marginal(TARGET, DRAFT).tolist() == TARGET
    assert sampling.speculative_output_marginal(TARGET, [0.0, 0.0, 0.0, 1.0]).tolist() == TARGET


@pytest.mark.parametrize(
    ("draft", "coin", "residual_coin", "emitted"),
    [
        (0, 1 - 2.0**-53, 0.9, (0, True, 1.0)),
        (2, Fraction(1, 2) - A_LITTLE, 0.9, (2, True, 0.5)),
        (2, 0.5, 0.9, (0, False, 0.5)),
        (3, 0.0, 0.9, (0, False, 0.0)),
    ],
)
def test_verify(draft: int, coin: Any, residual_coin: float, emitted: tuple[int, bool, float]) -> None:
    """A coin below the acceptance keeps the draft token, one at it draws from the residual, where token 0 is alone."""
    found = sampling.verify_one_token(TARGET, DRAFT, draft, coin=coin, residual_coin=residual_coin)
    assert found == emitted


def test_two_coins() -> None:
    """The residual is drawn with the second coin: the first, 0 here, has made its decision."""
    p, q = [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]
    for residual_coin, token in ((0.0, 0), (Fraction(1, 2) - A_LITTLE, 0), (0.5, 1)):
        assert sampling.verify_one_token(p, q, 2, coin=0.0, residual_coin=residual_coin) == (token, False, 0.0)


def test_rows_that_do_not_sum_to_one() -> None:
    """A row of 2047/2048 means row / sum: against itself at full scale it is always accepted, and nothing is left of it."""
    p, q = [x * (1 - 2.0**-11) for x in TARGET], TARGET
    assert sampling.acceptance_probability(p, q, 0).item() == 1
    assert sampling.residual_distribution(p, q).tolist() == TARGET
    assert sampling.verify_one_token(p, q, 0, coin=1 - 2.0**-53, residual_coin=0).accepted
    assert sampling.apply_top_p_top_k(p, "1/2").tolist() == [1.0, 0.0, 0.0, 0.0]
    assert sampling.sample_from_distribution(p, Fraction(1, 2) - A_LITTLE) == 0
    assert sampling.sample_from_distribution(p, Fraction(1, 2)) == 1


@pytest.mark.parametrize("temperature", [0, 1e-309, "1e-400"])
def test_greedy(temperature: Any) -> None:
    """Temperature 0 is the one-hot on the lowest id among the maxima; a tiny one leaves the maxima, all of them."""
    found = sampling.distribution_from_logits([0.0, 2.0, -1.0, 2.0], SamplerConfig(temperature, 1, 0)).tolist()
    assert found == ([0.0, 1.0, 0.0, 0.0] if temperature == 0 else [0.0, 0.5, 0.0, 0.5])


@pytest.mark.parametrize(
    ("top_p", "top_k", "kept"),
    [
        (1, 0, 4),
        ("3/4", 0, 2),
        (Fraction(3, 4) + A_LITTLE, 0, 3),
        ("1/2", 0, 1),
        (1, 1, 1),
        (1, 2, 2),
        ("3/4", 3, 2),
        ("1e-9", 0, 1),
    ],
)
def test_cut(top_p: Any, top_k: int, kept: int) -> None:
    """Of (1/2, 1/4, 1/8, 1/8) the first min(k, nucleus size) ranks stay, the lower id first among the last two."""
    row = [0.5, 0.25, 0.125, 0.125]
    right = [x / sum(exact(row[:kept])) for x in exact(row[:kept])] + [QQ(0)] * (4 - kept)
    assert not far_entries(sampling.apply_top_p_top_k(row, top_p, top_k), right, RATIO_ERROR)


def test_equal_logits() -> None:
    """Four equal logits have 1/4 each, two of them 1/2 each under a nucleus or a top-k of half: the two lowest ids."""
    logits = [-7.25] * 4
    assert sampling.softmax(logits, 0.3).tolist() == [0.25] * 4
    for config in (SamplerConfig(0.3, "1/2", 0), SamplerConfig(0.3, 1, 2), SamplerConfig(0.3, "1/2", 3)):
        assert sampling.distribution_from_logits(logits, config).tolist() == [0.5, 0.5, 0.0, 0.0]
