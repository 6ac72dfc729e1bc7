"""The audit sees planted faults at the step they sit in, and flags nothing that is right."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from flint import arb, ctx
from mlx_lm import sample_utils
from numpy.typing import NDArray
from sympy import QQ

from mtplx import sampling, target
from mtplx.audit import mlx_lm_chain, ours
from mtplx.audit.measure import errors, ulp, variation
from mtplx.audit.rows import all_rows
from mtplx.audit.verdict import Figure, Step, Verdict, overall
from mtplx.config import SamplerConfig
from mtplx.selection import Through
from mtplx.wide import Wide

pytestmark = pytest.mark.device

TIED = np.array([1, 1, 0, 0, 0, -1, -2, -np.inf], np.float32)
DRAFT = np.array([0, 2, 0, -1, 1, -np.inf, -2, 0], np.float32)
HALVES = np.array([0, 0, 0, 0], np.float32)
SETTINGS = [SamplerConfig(0, 1, 0), SamplerConfig("0.8", "0.95", 0), SamplerConfig(1, "0.5", 0), SamplerConfig(1, "0.9", 2)]


def refuted(steps: list[Step]) -> set[tuple[str, str]]:
    """Names and scopes of the refuted steps."""
    return {(step.name, step.scope) for step in steps if step.verdict is Verdict.REFUTED}


@pytest.mark.parametrize("config", SETTINGS, ids=str)
def test_our_steps_are_exact_on_tied_rows(config: SamplerConfig) -> None:
    """No step of ours is refuted on rows with ties, -inf and an exact nucleus tie."""
    for logits, draft in ((TIED, DRAFT), (DRAFT, TIED), (HALVES, HALVES)):
        assert refuted(ours.row_steps(logits, draft, config)) == set()


def row(*logits: float) -> Any:
    """A float32 row."""
    return np.array(logits, np.float32)


@pytest.mark.parametrize(
    ("logits", "draft", "config"),
    [
        (row(0, -95), row(0, -94), SamplerConfig(1, 1, 0)),
        (row(0, -9.5), row(0, -9.4), SamplerConfig("0.1", 1, 0)),
        (row(13.8125, -90.5), row(13.8125, -90.5), SamplerConfig("0.7", 1, 0)),
        (row(0, 0, -20), row(0, 0, -20), SamplerConfig("0.3", "0.5", 0)),
        (row(0, 0, -70), row(0, 0, -71), SamplerConfig(1, "0.5", 0)),
    ],
    ids=str,
)
def test_our_steps_are_exact_beside_underflow_and_far_tails(logits: Any, draft: Any, config: SamplerConfig) -> None:
    """Ratios of shares below 2^-126 are not judged, and a tie with a far tail is cut as in the reals."""
    assert refuted(ours.row_steps(logits, draft, config)) == set()


def test_ratios_of_underflowed_shares_are_counted() -> None:
    """A token whose target or draft share is below 2^-126 counts as an underflow of the global acceptance."""
    steps = ours.row_steps(row(0, -95), row(0, -94), SamplerConfig(1, 1, 0))
    assert [step.underflows for step in steps if (step.name, step.scope) == ("acceptance", "global")] == [1]


def inclusive_nucleus(through: Through, totals: list[int], top_p: Fraction) -> NDArray[np.int64]:
    """`<=` in the nucleus: one rank too many at a tie."""
    return np.array([1 + sum(through.mass(0, rank) <= top_p * totals[0] for rank in range(3))])


def hot(original: Any) -> Any:
    """The temperature left out."""
    return SimpleNamespace(of=lambda temperature: original.of(Fraction(1)))


def uncapped(p: Wide, q: Wide) -> mx.array:
    """p/q without min(1, .)."""
    return sampling.ratio(p.scaled(), q.scaled())


def unnormalised(original: Callable[..., Any]) -> Callable[..., Any]:
    """A residual of mass one half."""
    return lambda p, q: original(p, q) / 2


def one_more(original: Callable[..., Any]) -> Callable[..., Any]:
    """top-k keeps k + 1."""
    return lambda values, config: original(values, replace(config, top_k=config.top_k + 1))


PLANTED = {
    "nucleus": (target, "nucleus_size", inclusive_nucleus, HALVES, SamplerConfig(1, "0.5", 0), ("nucleus", "local")),
    "temperature": (target, "Scale", hot, TIED, SamplerConfig("0.5", 1, 0), ("softmax(l / T)", "global")),
    "top-k": (ours, "ranked_row", one_more, TIED, SamplerConfig(1, 1, 2), ("top-k", "local")),
    "acceptance": (sampling, "acceptance", uncapped, TIED[:7], SamplerConfig(1, 1, 0), ("acceptance", "local")),
    "residual": (sampling, "normalised_residual", unnormalised, TIED, SamplerConfig(1, 1, 0), ("residual", "local")),
    "marginal": (sampling, "normalised_residual", unnormalised, TIED, SamplerConfig(1, 1, 0), ("marginal", "local")),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_fault_is_refuted_at_its_step(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault planted in one step of ours is refuted at that step."""
    module, attribute, fault, logits, config, step = PLANTED[name]
    wraps = fault in (hot, one_more, unnormalised)
    monkeypatch.setattr(module, attribute, fault(getattr(module, attribute)) if wraps else fault)
    draft = np.array([0, 1, 2, 0, -1, 1, 0, 0], np.float32)[: len(logits)]
    assert step in refuted(ours.row_steps(logits, draft, config))


@pytest.mark.parametrize("config", SETTINGS, ids=str)
def test_mlx_lm_is_exact_on_small_rows(config: SamplerConfig) -> None:
    """On rows of a few tokens, ties included, mlx_lm's chain keeps to its own dialect."""
    for logits in (TIED, DRAFT, HALVES):
        assert refuted(mlx_lm_chain.row_steps(logits, config)) == set()


def test_mlx_lm_leaves_its_dialect_at_the_float32_nucleus() -> None:
    """On 32,000 random logits mlx_lm's float32 running sum cuts the nucleus elsewhere than its own dialect does."""
    holes = next(item for item in all_rows() if item.name == "synthetic/holes/32000")
    steps = {step.name: step for step in mlx_lm_chain.row_steps(holes.logits, SamplerConfig("0.8", "0.95", 0))}
    nucleus = steps["nucleus"]
    assert nucleus.verdict is Verdict.REFUTED
    assert nucleus.wrong
    assert nucleus.margin is not None
    assert nucleus.margin.value > nucleus.margin.bound
    assert {name for name, step in steps.items() if step.verdict is Verdict.EXACT} >= {"top-k", "temperature"}


@pytest.mark.parametrize(
    ("logits", "config"),
    [
        (row(1.1694526672363281, 1e-8, 0), SamplerConfig(1, 0.6168750878988923, 0)),
        (row(-20, -4), SamplerConfig(100, 0.9999999, 0)),
        (row(0, 16), SamplerConfig("0.7", "0.9", 0)),
        (row(1e-8, 2e-8, *[0] * 50), SamplerConfig(0, 1, 0)),
    ],
    ids=str,
)
def test_mlx_lm_is_not_refuted_for_rounding_its_row(logits: Any, config: SamplerConfig) -> None:
    """Logits that its float32 log-probabilities merge, and laws one enclosure apart, are numerics."""
    assert refuted(mlx_lm_chain.row_steps(logits, config)) == set()


@pytest.mark.parametrize(
    ("logits", "config", "step"),
    [
        (row(1, 2, 3), SamplerConfig(1e-40, 1, 0), "temperature"),
        (row(1, 2, 3, 4), SamplerConfig(1e300, 1, 2), "temperature"),
        (row(3e38, -3e38, -3.2e38, -3.3e38), SamplerConfig(3e38, 1, 0), "filtered target"),
    ],
    ids=str,
)
def test_mlx_lm_is_refuted_where_it_masks_what_it_should_keep(logits: Any, config: SamplerConfig, step: str) -> None:
    """Settings that overflow and so empty the row or poison it are faults of the step, not crashes of ours."""
    assert step in {name for name, _ in refuted(mlx_lm_chain.row_steps(logits, config))}


MLX_LM_FAULTS: dict[str, tuple[str, Callable[..., Any], str]] = {
    "top-k keeps one more": ("apply_top_k", lambda f: lambda x, k: f(x, k + 1), "top-k"),
    "top-k drops the best": ("apply_top_k", lambda f: lambda x, k: f(mx.where(x == mx.max(x), -mx.inf, x), k), "top-k"),
    "nucleus drops the crossing token": ("apply_top_p", lambda f: lambda x, p: f(x, p * 0.6), "nucleus"),
    "greedy takes the last": ("greedy_sampler", lambda f: lambda x: mx.array(x.shape[-1] - 1), "greedy"),
}


@pytest.mark.parametrize("fault", MLX_LM_FAULTS)
def test_fault_planted_in_mlx_lm_is_refuted(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault planted in one function of mlx_lm's chain is refuted at that step."""
    attribute, wrap, step = MLX_LM_FAULTS[fault]
    monkeypatch.setattr(sample_utils, attribute, wrap(getattr(sample_utils, attribute)))
    logits = np.array([3, 2, 1, 0, -1, -2], np.float32)
    config = SamplerConfig(0 if step == "greedy" else 1, "0.8" if step == "nucleus" else 1, 2)
    assert step in {name for name, _ in refuted(mlx_lm_chain.row_steps(logits, config))}


def test_mlx_exponential_is_within_the_bound_the_margin_uses() -> None:
    """MLX's float32 exp errs by at most (1.25 |x| + 1) 2^-24 relatively on 4,000 arguments from -87 to 0."""
    draw = random.Random(0)
    arguments = [float(np.float32(-87 * draw.random() ** 2)) for _ in range(4000)]
    with ctx.workprec(120):
        for x, found in zip(arguments, mx.exp(mx.array(arguments)).tolist(), strict=True):
            exact = arb(x).exp()
            assert abs(arb(found) - exact) < exact * (arb(1.25) * abs(arb(x)) + 1) / 2**24


@pytest.mark.parametrize(
    ("x", "spacing"),
    [
        (QQ(1), QQ(1, 2**23)),
        (QQ(2**24 - 1, 2**24), QQ(1, 2**24)),
        (QQ(1, 3), QQ(1, 2**25)),
        (QQ(1, 2**126), QQ(1, 2**149)),
        (QQ(1, 2**140), QQ(1, 2**149)),
    ],
)
def test_ulp_is_the_spacing_of_float32(x: Any, spacing: Any) -> None:
    """An ulp is the spacing of float32 at the exact value, below powers of two and among subnormals too."""
    assert ulp(x) == spacing


def test_errors_tell_underflows_from_strays() -> None:
    """A share below 2^-126 that came out 0 is an underflow; any other zero on one side only is a stray."""
    found = errors(np.array([1, 0, 0, 0.5], np.float32), [QQ(1), QQ(1, 2**127), QQ(1, 4), QQ(0)])
    assert (found.ulps, found.underflows, found.stray) == (0, 1, (2, 3))


def test_errors_find_the_worst_token() -> None:
    """The largest error in ulps is found at its token."""
    found = errors(np.array([0.5, 0.25], np.float32), [QQ(1, 2) + QQ(1, 2**25), QQ(1, 4) - QQ(3, 2**26)])
    assert (found.ulps, found.token) == (3, 1)  # just below 1/4 an ulp is 2^-26


def test_variation_normalises_the_row() -> None:
    """Total variation is taken between laws: a row of half the mass is the same law."""
    assert variation(np.array([0.25, 0.25], np.float32), [QQ(3, 4), QQ(1, 4)]) == QQ(1, 4)


def test_difference_on_the_tie_is_a_fault_of_the_rule() -> None:
    """A decision that differs within the margin is rounding; on an exact tie, outside or without a margin it is a fault."""
    step = Step("nucleus", "global", wrong=(3,), margin=Figure(QQ(1, 8), QQ(1, 4)))
    assert step.verdict is Verdict.EXACT
    assert replace(step, tie=True).verdict is Verdict.REFUTED
    assert replace(step, margin=Figure(QQ(1, 2), QQ(1, 4))).verdict is Verdict.REFUTED
    assert replace(step, margin=None).verdict is Verdict.REFUTED


def test_verdict_over_all_steps() -> None:
    """One refuted step refutes; without one, an audit cut short, or one that tried nothing, is inconclusive."""
    good, bad = Step("rank", "local", ()), Step("rank", "local", (1,))
    assert overall([good], complete=True) is Verdict.EXACT
    assert overall([good, bad], complete=False) is Verdict.REFUTED
    assert overall([good], complete=False) is Verdict.INCONCLUSIVE
    assert overall([], complete=True) is Verdict.INCONCLUSIVE
