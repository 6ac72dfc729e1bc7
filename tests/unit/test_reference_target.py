"""The certified target of the reference: closed forms, decided nuclei, rising precision, dialects."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from sympy import QQ

import reference
from mtplx.sampling import SamplerConfig
from reference.dialects import DIALECTS, dialect_named
from reference.filters import SamplerConfig as ReferenceConfig
from reference.numbers import Mass, Undecided, rational
from reference.softmax import START_BITS, CertifiedLaw, RankedMasses, filtered_target
from tests.support import fraction

INF = float("inf")


def config(temperature: Any = 1, top_p: Any = 1, top_k: int = 0) -> ReferenceConfig:
    """A configuration with everything off."""
    return ReferenceConfig(temperature, top_p, top_k)


def encloses(law: CertifiedLaw, token: int, share: Any) -> bool:
    """Does a share, a ball of higher precision, lie as near to its midpoint as the law promises?"""
    midpoint = arb(law.midpoints[token])
    return bool(abs(share - midpoint) <= arb(2) ** -law.accuracy * midpoint + arb(2) ** -1000)


@pytest.mark.parametrize("temperature", ["1/3", 1, 0.6, 100])
@pytest.mark.parametrize("difference", [1.0, 0.1, -3.5, 40.0, 2.0**-30])
def test_two_tokens(difference: float, temperature: Any) -> None:
    """Of logits d and 0 the first has the share 1 / (1 + exp(-d / T)), within the stated accuracy of 80 bits and more."""
    law = reference.softmax([difference, 0.0], temperature)
    assert law.accuracy >= 80
    with ctx.workprec(400):
        share = 1 / (1 + (-arb(rational(difference)) / arb(rational(temperature))).exp())
        assert encloses(law, 0, share)
        assert encloses(law, 1, 1 - share)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 512])
def test_equal_logits_are_exact(size: int) -> None:
    """n equal logits have exactly 1/n each, at any temperature."""
    assert reference.softmax([0.1] * size, "2/7").midpoints == [QQ(1, size)] * size


def test_minus_infinity_weighs_nothing() -> None:
    """A -inf has no share, no rank and no part in a nucleus."""
    law = reference.softmax([-INF, 3.0, -INF, 3.0])
    assert law.midpoints == [QQ(0), QQ(1, 2), QQ(0), QQ(1, 2)]
    assert law.ranked == law.support == (1, 3)
    assert law.nucleus_size == 2


def test_temperature_zero() -> None:
    """Temperature 0 is the one-hot on the lowest id among the maxima, in every dialect."""
    for dialect in DIALECTS:
        law = filtered_target([0.0, 2.0, 2.0, -INF], config(0), dialect)
        assert law.midpoints == [QQ(0), QQ(1), QQ(0), QQ(0)]
        assert law.support == (1,)


def test_low_temperature_tends_to_the_top_token() -> None:
    """At 1e-309 and 1e-400 the rest is below 2^-1000, and at 1e400 all tokens are nearly equal."""
    for temperature in (1e-309, "1e-400"):
        law = reference.softmax([1.0, 2.0], temperature)
        assert law.midpoints[0] == 0
        assert abs(law.midpoints[1] - 1) <= law.radius
    law = reference.softmax([1.0, 2.0], "1e400")
    assert all(abs(x - QQ(1, 2)) <= QQ(1, 2**90) for x in law.midpoints)


def test_joint_cut() -> None:
    """The first min(k, nucleus size) ranks stay: nucleus and top-k are one cut, divided by the kept mass once."""
    logits = [0.0] * 10
    for top_k, kept in ((0, 5), (3, 3), (5, 5), (7, 5), (10, 5), (99, 5)):
        law = filtered_target(logits, config(1, "1/2", top_k))
        assert (law.nucleus_size, law.kept_size, law.support) == (5, kept, tuple(range(kept)))
        assert law.midpoints == [QQ(1, kept)] * kept + [QQ(0)] * (10 - kept)


@pytest.mark.parametrize("bits", [60, 100, 400, 3000])
def test_precision_rises_until_the_nucleus_is_decided(bits: int) -> None:
    """With top_p within 2^-bits of the first share e / (1 + e), below it one token stays, above it two."""
    with ctx.workprec(bits + 100):
        share = arb(1).exp() / (1 + arb(1).exp())
        low = QQ(int((share * arb(2) ** bits).floor().unique_fmpz()), 2**bits)
        assert arb(low) < share < arb(low + QQ(1, 2**bits))
    for top_p, kept in ((low, 1), (low + QQ(1, 2**bits), 2)):
        law = filtered_target([1.0, 0.0], config(1, top_p))
        assert law.nucleus_size == kept
        assert bits < START_BITS or law.accuracy > START_BITS


def test_precision_is_restored() -> None:
    """The precision of the ball arithmetic is what it was, after a decision and after a refusal."""
    before = ctx.prec
    test_precision_rises_until_the_nucleus_is_decided(400)
    assert ctx.prec == before
    with pytest.raises(ValueError, match="allowed"):
        reference.softmax([float("nan")])
    assert ctx.prec == before


@pytest.mark.parametrize(
    ("logits", "temperature"),
    [([0.0, 0.0, -100.0], 1), ([0.0, 0.0, -1e6], 1), ([1.0, 1.0, 0.0], "1e-39"), ([3e38, 3e38, -3e38, -INF], 1e-309)],
    ids=["-100", "-1e6", "T = 1e-39", "T = 1e-309"],
)
def test_a_far_token_breaks_a_tie(logits: list[float], temperature: Any) -> None:
    """Two equal tokens and a far one: the first has a little less than half of the mass, so top_p = 1/2 keeps both."""
    for dialect in DIALECTS:
        assert filtered_target(logits, config(temperature, "1/2"), dialect).nucleus_size == 2
    assert filtered_target(logits[:2], config(temperature, "1/2")).nucleus_size == 1


def test_open_comparisons_are_told() -> None:
    """Enclosures that overlap have no order; apart they do; equal exact parts are told apart by a positive rest."""
    one, wide = Mass(QQ(1)), Mass(QQ(0), arb(1).union(arb(2)))
    with pytest.raises(Undecided):
        wide < Mass(QQ(3, 2))  # noqa: B015
    assert Mass(QQ(1, 2)) < wide < Mass(QQ(5, 2))
    assert not wide < Mass(QQ(1, 2))
    assert not one < one
    assert one < Mass(QQ(1), arb(0).union(arb(2) ** -1000))
    assert not Mass(QQ(1), wide.enclosed) < one
    assert Mass(QQ(1), wide.enclosed).ball() < (QQ(4) * one).ball()


def test_an_enclosed_part_breaks_a_tie() -> None:
    """Of equal exact parts the one with an enclosed part beside it is larger, though the enclosure reaches down to 0."""
    little = arb(0).union(arb(2) ** -1000)
    assert Mass(QQ(1)) < Mass(QQ(1), little)
    assert not Mass(QQ(1), little) < Mass(QQ(1))


def test_masses_add_and_scale() -> None:
    """Through the ranks, exact and enclosed weights add apart, and a rational factor scales both sums."""
    through = RankedMasses(2, [arb(2), arb(5)])
    assert list(through) == [Mass(QQ(1)), Mass(QQ(2)), Mass(QQ(2), arb(2)), Mass(QQ(2), arb(7))]
    total = through[-1]
    half = QQ(1, 2) * total
    assert (total.exact, total.enclosed, half.exact, half.enclosed) == (2, 7, 1, arb(7) / 2)
    assert (total.ball(), (QQ(1, 2) * Mass(QQ(1))).ball()) == (9, arb(1) / 2)


@pytest.mark.parametrize(
    "logits", [[], [-INF], [-INF, -INF], [0.0, INF], [0.0, float("nan")], ["x"], [None], [True], [0.0, "-inf"]], ids=str
)
def test_logits_refused(logits: Any) -> None:
    """NaN, +inf, an empty row, a row of only -inf, or what is no number is refused."""
    with pytest.raises(ValueError, match=r"logits.*allowed"):
        reference.softmax(logits)


def test_logits_read() -> None:
    """Fractions, strings, ints, numpy scalars and floats of the same value have the same law."""
    right = reference.softmax([0.5, -1.0, 2.0])
    for logits in (["1/2", -1, "2.0"], [Fraction(1, 2), QQ(-1), np.float32(2)], np.array([0.5, -1, 2], np.float32)):
        assert reference.softmax(logits) == right


def test_configuration_of_the_implementation() -> None:
    """Any object with the three fields is a configuration."""
    assert filtered_target([1.0, 0.0], SamplerConfig("1/3", 0.9, 1)) == filtered_target([1.0, 0.0], config("1/3", 0.9, 1))


@pytest.mark.parametrize("temperature", [-1, INF, "x"])
def test_temperature_of_softmax_refused(temperature: Any) -> None:
    """softmax refuses what the configuration refuses."""
    with pytest.raises(ValueError, match="temperature"):
        reference.softmax([0.0], temperature)


def test_midpoints_sum_to_one() -> None:
    """The midpoints lie within the radius of a law, so their sum is that close to one."""
    law = filtered_target([0.3, 0.1, -2.0, 5.0, 5.0], config("2/3", 0.99))
    assert abs(sum(law.midpoints, QQ(0)) - 1) <= law.radius


def test_dialects_are_named() -> None:
    """A dialect is asked for by name; an unknown one is refused with the list of those there are."""
    assert set(DIALECTS) >= {"mtplx", "mlx_lm"}
    with pytest.raises(ValueError, match="dialect = 'vllm-ish'; allowed: mtplx, mlx_lm"):
        dialect_named("vllm-ish")
    with pytest.raises(ValueError, match="dialect"):
        filtered_target([0.0], config(), "none")


def test_ties_at_the_nucleus_cut() -> None:
    """Of four equal tokens at top_p = 1/2, `mtplx` keeps the two lowest ids, `mlx_lm` all that tie with the last kept."""
    assert filtered_target([0.0] * 4, config(1, "1/2"), "mtplx").support == (0, 1)
    assert filtered_target([0.0] * 4, config(1, "1/2"), "mlx_lm").support == (0, 1, 2, 3)
    logits = [1.0, 0.0, 0.0, -5.0]
    assert filtered_target(logits, config(1, "3/5"), "mtplx").support == (0, 1)
    assert filtered_target(logits, config(1, "3/5"), "mlx_lm").support == (0, 1, 2)
    assert filtered_target(logits, config(1, "3/5", 2), "mlx_lm").support == (0, 1)


def test_mlx_lm_measures_the_nucleus_at_temperature_one() -> None:
    """`mlx_lm` cuts the untempered law and divides by the temperature last."""
    logits = [1.0, 0.0]  # shares 0.73 and 0.27 at T = 1, 0.88 and 0.12 at T = 1/2
    assert filtered_target(logits, config("1/2", "4/5"), "mtplx").kept_size == 1
    law = filtered_target(logits, config("1/2", "4/5"), "mlx_lm")
    assert law.kept_size == 2
    assert law.midpoints == reference.softmax(logits, "1/2").midpoints


def test_margin_of_a_decided_nucleus_is_exact() -> None:
    """top_p is read exactly: the double nearest e / (1 + e) and its neighbours decide as the reals do."""
    with ctx.workprec(200):
        share = arb(1).exp() / (1 + arb(1).exp())
        nearest = float(share.mid())
        for top_p in (nearest, np.nextafter(nearest, 0), np.nextafter(nearest, 1)):
            kept = 2 if share < arb(rational(top_p)) else 1
            assert filtered_target([1.0, 0.0], config(1, fraction(rational(top_p)))).nucleus_size == kept
