"""No known fault escapes again: the reference and the MLX implementation give the right value, which the fault does not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from flint import arb, ctx
from sympy import QQ

import reference
from mtplx import sampling
from mtplx.errors import TokenError
from mtplx.sampling import SamplerConfig
from reference.numbers import rational
from reference.one_token import residual_mass
from reference.softmax import CertifiedLaw, filtered_target
from tests.museum import cases
from tests.museum.cases import CASES, FILTERS, NOTHING, TARGETS, Case, rationals
from tests.museum.replays import REPLAYED
from tests.support import LAW_ERROR, MARGINAL_ERROR, RATIO_ERROR, UNIT, exact, far_entries, float32, fraction

pytestmark = pytest.mark.device

ROW_ERROR = RATIO_ERROR + 2 * UNIT + QQ(1, 2**40)
"""Of a cut of a row rounded to float32: entries err by u, so a share errs by (1 + u) / (1 - u) - 1 < 2u + 2^-46 more."""


def law(text: str) -> list[Any]:
    """'1/2 1/2' as elements of QQ."""
    return exact(rationals(text))


def logarithms(weights: str) -> list[Any]:
    """Natural logarithms as rationals, each within 2^-190."""
    with ctx.workprec(256):
        logs = [arb(int(weight)).log() for weight in weights.split()]
        assert all(log.rad() < arb(2) ** -190 for log in logs)
        return [log.mid().fmpq() for log in logs]


def certified(case: Case, dialect: str = "mtplx") -> CertifiedLaw:
    """The reference's filtered target of a case given as weights."""
    config = SamplerConfig(**{"temperature": 1, "top_p": 1, "top_k": 0} | case.config)
    return filtered_target(logarithms(case.weights), config, dialect)


def far_from(case: Case, found: CertifiedLaw, expected: str) -> list[Any]:
    """Entries of a certified law that are not the expected share.

    A logarithm within 2^-190 moves an exponent l / T by 2^-189 (T >= 1/2) and a share by less: 2^-180 and the law's own
    accuracy, 2^-80 at least, bound the rest.
    """
    assert found.accuracy >= 80
    bound = QQ(1, 2**180) + QQ(1, 2**80)
    return [(x, y) for x, y in zip(found.midpoints, law(expected), strict=True) if abs(x - y) > bound * y]


def implemented(case: Case) -> list[float]:
    """The MLX law of a case given as weights, from logits rounded to float32."""
    config = SamplerConfig(**{"temperature": 1, "top_p": 1, "top_k": 0} | case.config)
    return sampling.distribution_from_logits(float32(logarithms(case.weights)), config).tolist()


def rounded_logits_error(case: Case) -> Any:
    """Float32 logits err by u |l|, weights by u |l| / T, shares by twice that at most; 2^-40 covers squares."""
    largest = max(abs(log) for log in logarithms(case.weights))
    return LAW_ERROR + 2 * UNIT * largest / rational(case.config["temperature"]) + QQ(1, 2**40)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_fault_shows(case: Case) -> None:
    """The fault, made again, gives the recorded wrong value, and that is not the right one."""
    assert case.faulty != case.right
    if case is not cases.TINY_TEMPERATURE:
        assert REPLAYED[case.id] == (None if case.faulty == NOTHING else rationals(case.faulty))


@pytest.mark.parametrize("case", [*FILTERS, cases.CHAINED_CUT], ids=str)
def test_filter(case: Case) -> None:
    """The cut of a row of probabilities is the right one: exactly in the reference, its support and value in MLX."""
    assert reference.apply_top_p_top_k(rationals(case.p), **case.config) == law(case.right)
    found = sampling.apply_top_p_top_k(float32(rationals(case.p)), **case.config)
    assert not far_entries(found, law(case.right), ROW_ERROR)


@pytest.mark.parametrize("case", TARGETS, ids=str)
def test_target(case: Case) -> None:
    """The target of weights at a temperature is the right law."""
    assert not far_from(case, certified(case), case.right)
    assert not far_entries(implemented(case), law(case.right), rounded_logits_error(case))


def test_greedy_does_not_pass_the_ratio() -> None:
    """At temperature 0 a draft that is not the argmax is accepted with probability 0, whatever the coin."""
    case = cases.GREEDY_THROUGH_THE_RATIO
    p, q = certified(case).midpoints, rationals(case.q)
    assert reference.acceptance_probability(p, q, 0) == QQ(0)
    assert reference.verify_one_token(p, q, 0, coin=0, residual_coin=0) == (1, False, QQ(0))
    target = implemented(case)
    assert sampling.acceptance_probability(target, float32(q), 0).item() == 0
    assert sampling.verify_one_token(target, float32(q), 0, coin=0.0, residual_coin=0.0) == (1, False, 0)


def test_not_everything_is_accepted() -> None:
    """The emitted token has the target's law, and a coin decides: below 1/3 the likelier draft stays, from 1/3 on it goes."""
    case = cases.ACCEPT_EVERYTHING
    p, q = rationals(case.p), rationals(case.q)
    assert reference.speculative_output_marginal(p, q) == law(case.right)
    found = exact(sampling.speculative_output_marginal(float32(p), float32(q)).tolist())
    residual = law("1 0")
    for x, right, q_y, r_y in zip(found, law(case.right), exact(q), residual, strict=True):
        assert abs(x - right) <= MARGINAL_ERROR * (q_y + r_y)
    for engine in (reference, sampling):
        for coin, emitted in ((Fraction(1, 3) - Fraction(1, 2**80), (1, True)), (Fraction(1, 3), (0, False))):
            assert engine.verify_one_token(float32(p), float32(q), 1, coin=coin, residual_coin=0)[:2] == emitted


def test_ratio_has_no_epsilon() -> None:
    """Equal probabilities of one millionth are accepted with probability exactly 1."""
    case = cases.RATIO_WITH_EPSILON
    p, q = rationals(case.p), rationals(case.q)
    assert reference.acceptance_probability(p, q, 0) == law(case.right)[0]
    assert sampling.acceptance_probability(float32(p), float32(q), 0).item() == 1


def test_softmax_of_equal_bfloat16_logits() -> None:
    """512 equal bfloat16 logits have a share of 1/512 each, exactly."""
    right = law(cases.SOFTMAX_STALLS.right) * 512
    assert reference.softmax([2.5] * 512).midpoints == right
    assert exact(sampling.softmax(mx.full((512,), 2.5, dtype=mx.bfloat16)).tolist()) == right


def test_tiny_temperature() -> None:
    """At a temperature of 1e-39 the larger logit has everything that a float32 can hold, and a nucleus keeps it alone."""
    case = cases.TINY_TEMPERATURE
    temperature, right = case.config["temperature"], law(case.right)
    with np.errstate(all="ignore"):
        scaled = np.array([1, 0], np.float32) / np.float32(temperature)
        assert np.isnan(scaled - scaled.max()).any()  # the fault: infinity minus infinity
    full = reference.softmax([1.0, 0.0], temperature)
    assert sum(abs(x - y) for x, y in zip(full.midpoints, right, strict=True)) <= 2 * full.radius
    assert sampling.softmax([1.0, 0.0], temperature).tolist() == [1.0, 0.0]
    config = SamplerConfig(temperature, "999/1000", 0)
    assert filtered_target([1.0, 0.0], config).support == (0,)
    assert sampling.distribution_from_logits([1.0, 0.0], config).tolist() == [1.0, 0.0]


def test_placeholder_id_is_refused() -> None:
    """The draft id -1 is refused, by every function that takes an id."""
    p = rationals(cases.PLACEHOLDER_ID.p)
    for engine, row, error in ((reference, p, ValueError), (sampling, float32(p), TokenError)):
        with pytest.raises(error, match=r"token_id.*-1.*0 to 2"):
            engine.acceptance_probability(row, row, -1)
        with pytest.raises(error, match=r"draft_token.*-1.*0 to 2"):
            engine.verify_one_token(row, row, -1, coin=0, residual_coin=0)


def test_temperature_after_the_cut() -> None:
    """Each dialect has its own order of temperature and nucleus: one token stays in `mtplx`, two in `mlx_lm`."""
    case = cases.TEMPERATURE_AFTER_THE_CUT
    assert not far_from(case, certified(case, "mtplx"), case.right)
    assert not far_from(case, certified(case, "mlx_lm"), case.faulty)
    assert implemented(case) == float32(rationals(case.right))


def test_chained_cut() -> None:
    """The nucleus of both dialects is measured before top-k takes its share."""
    case = cases.CHAINED_CUT
    tenths = [fraction(10 * p) for p in law(case.p)]
    for dialect in ("mtplx", "mlx_lm"):
        config = SamplerConfig(1, case.config["top_p"], case.config["top_k"])
        found = filtered_target(logarithms(" ".join(map(str, tenths))), config, dialect)
        assert found.support == (0, 1)
        assert not far_from(case, found, case.right)


@pytest.mark.parametrize("temperature", ["1/2", 1, 3])
def test_log_softmax_before_the_temperature_is_no_fault(temperature: Any) -> None:
    """softmax(log_softmax(l) / T) is softmax(l / T): a constant added to every logit changes nothing (Kimi-Audio#161)."""
    logits = [0.5, -1.25, 2.0, 0.5]
    log_mass = float(np.log(np.exp(logits).sum()))
    shifted = [rational(x) - rational(log_mass) for x in logits]
    right = reference.softmax(logits, temperature)
    assert reference.softmax(shifted, temperature) == right
    rounded = float32(shifted)  # each errs by u |l|, so shares by at most 2u max |l| / T, and 2^-40 covers squares
    bound = LAW_ERROR + 2 * UNIT * max(map(abs, exact(rounded))) / rational(temperature) + QQ(1, 2**40)
    assert not far_entries(sampling.softmax(rounded, temperature), right.midpoints, bound)
    dyadic = [x - 3.5 for x in logits]  # no rounding: the same bits
    assert sampling.softmax(dyadic, temperature).tolist() == sampling.softmax(logits, temperature).tolist()


@pytest.mark.parametrize("p", ["1/2 1/2 0", "1 0 0", "1/4 1/4 1/2"])
def test_residual_without_mass_is_no_fault(p: str) -> None:
    """Where (p - q)+ has no mass, no draft from q is ever rejected, and the residual is p (TorchCode#16)."""
    row = rationals(p)
    assert residual_mass(law(p), law(p)) == 0
    assert reference.residual_distribution(row, row) == law(p)
    scaled = [x * (1 - 2.0**-11) for x in float32(row)]  # the same law: rows mean row / sum
    assert sampling.residual_distribution(float32(row), scaled).tolist() == float32(row)
    last = Fraction(2**53 - 1, 2**53)
    for x in [token for token, mass in enumerate(row) if mass]:
        for engine in (reference, sampling):
            assert engine.verify_one_token(float32(row), scaled, x, coin=last, residual_coin=0)[:2] == (x, True)


def test_rows_apart_have_residual_mass() -> None:
    """The residual has mass as soon as two laws differ at all: 2^-149 of a difference is enough."""
    p, q = [1.0, 0.0], [1.0, 2.0**-149]
    assert residual_mass(*map(reference.apply_top_p_top_k, (p, q))) > 0
    for engine in (reference, sampling):
        assert engine.verify_one_token(p, q, 1, coin=0, residual_coin=0)[:2] == (0, False)


def test_ids_are_unique() -> None:
    """A case has a name of its own."""
    assert len({case.id for case in CASES}) == len(CASES)
