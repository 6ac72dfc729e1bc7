"""The sampler configuration of both engines: what is allowed, what is off, what is refused, and that numbers are exact."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import reference
from mtplx import sampling
from mtplx.config import SamplerConfig, exact
from mtplx.errors import ConfigError
from reference.filters import SamplerConfig as ReferenceConfig
from reference.numbers import rational

CONFIGS = pytest.mark.parametrize("config", [SamplerConfig, ReferenceConfig], ids=["mtplx", "reference"])


@CONFIGS
def test_defaults(config: Any) -> None:
    """The defaults are temperature 0.6, top_p 0.95 and top_k 20, the first two as the doubles they are."""
    found = config()
    assert (rational(found.temperature), rational(found.top_p), found.top_k) == (rational(0.6), rational(0.95), 20)


@CONFIGS
@pytest.mark.parametrize(
    ("given", "value"),
    [
        (1, Fraction(1)),
        (0.5, Fraction(1, 2)),
        (0.9, Fraction(8106479329266893, 2**53)),
        ("0.9", Fraction(9, 10)),
        ("4/5", Fraction(4, 5)),
        ("1e-8", Fraction(1, 10**8)),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (np.float64(0.9), Fraction(8106479329266893, 2**53)),
        (np.float32(0.9), Fraction(15099494, 2**24)),
        (np.float16(0.5), Fraction(1, 2)),
        (np.int64(1), Fraction(1)),
        (5e-324, Fraction(1, 2**1074)),
    ],
    ids=lambda x: repr(x)[:24],
)
def test_numbers_are_exact(config: Any, given: Any, value: Fraction) -> None:
    """A float means its binary value, a string and a Fraction mean what they say, as temperature and as top_p."""
    found = config(given, given, 0)
    assert (rational(found.temperature), rational(found.top_p)) == (rational(value), rational(value))


@CONFIGS
@pytest.mark.parametrize("top_k", [0, 1, 20, 10**30, np.int32(7), np.uint8(7)], ids=repr)
def test_top_k_allowed(config: Any, top_k: Any) -> None:
    """top_k is any integer >= 0, kept as an int."""
    assert config(1, 1, top_k).top_k == int(top_k)
    assert type(config(1, 1, top_k).top_k) is int


@CONFIGS
@pytest.mark.parametrize("temperature", [0, 0.0, -0.0, "0", 1e-309, "1e-400", "1e400", 1.7e308], ids=repr)
def test_temperature_allowed(config: Any, temperature: Any) -> None:
    """Every finite temperature >= 0 is allowed, exactly; 0 and -0.0 are greedy."""
    assert rational(config(temperature).temperature) == rational(temperature)


NO_NUMBERS = [
    float("nan"),
    float("inf"),
    float("-inf"),
    "nan",
    "inf",
    "x",
    "",
    "1/0",
    None,
    True,
    False,
    np.True_,
    1j,
    [1],
    b"1",
]


@CONFIGS
@pytest.mark.parametrize("temperature", [*NO_NUMBERS, -1, -0.1, "-1/2", -5e-324, np.float32("nan")], ids=repr)
def test_temperature_refused(config: Any, temperature: Any) -> None:
    """A negative temperature or one that is no finite number is refused with field, value and what is allowed."""
    with pytest.raises(ValueError, match=r"temperature.*allowed: a finite number >= 0") as refusal:
        config(temperature=temperature)
    assert repr(temperature) in str(refusal.value)


@CONFIGS
@pytest.mark.parametrize("top_p", [*NO_NUMBERS, 0, 0.0, "0", -0.1, 1.1, 1 + 2.0**-52, "1.0000001", 2], ids=repr)
def test_top_p_refused(config: Any, top_p: Any) -> None:
    """top_p outside (0, 1] or no number is refused with field, value and what is allowed: it never means "off"."""
    with pytest.raises(ValueError, match=r"top_p.*allowed: 0 < top_p <= 1") as refusal:
        config(top_p=top_p)
    assert repr(top_p) in str(refusal.value)


@CONFIGS
@pytest.mark.parametrize(
    "top_k", [-1, 1.0, 1.5, "1", None, True, False, np.True_, np.float32(1), float("nan"), Fraction(1)], ids=repr
)
def test_top_k_refused(config: Any, top_k: Any) -> None:
    """top_k that is negative, a bool or no integer is refused with field, value and what is allowed."""
    with pytest.raises(ValueError, match=r"top_k.*allowed: an integer >= 0") as refusal:
        config(top_k=top_k)
    assert repr(top_k) in str(refusal.value)


def test_refusals_of_mtplx_have_a_type() -> None:
    """The implementation raises ConfigError, which is a ValueError."""
    assert issubclass(ConfigError, ValueError)
    for field, value in (("temperature", -1), ("top_p", 0), ("top_k", 0.5)):
        with pytest.raises(ConfigError):
            SamplerConfig(**{field: value})


@CONFIGS
def test_configuration_is_frozen_and_compares_by_value(config: Any) -> None:
    """A configuration cannot change, and equals another of the same numbers however they were spelled."""
    assert config(0.5, "3/4", 2) == config("0.5", 0.75, np.int64(2))
    assert config(0.9) != config("0.9")
    with pytest.raises(dataclasses.FrozenInstanceError):
        config().top_k = 1


@pytest.mark.parametrize("given", [0.6, "1/3", "0.6", 1, "1e400", 5e-324, "1e-400"], ids=repr)
def test_repr_gives_the_configuration_back(given: Any) -> None:
    """The repr of a configuration is exact: evaluated, it is the same configuration."""
    config = SamplerConfig(given, "2/3", 3)
    assert eval(repr(config)) == config


def test_reference_takes_any_object_with_the_fields() -> None:
    """The reference reads a configuration of the implementation as it is."""
    found = ReferenceConfig.of(SamplerConfig("1/3", 0.9, 4))
    assert found == ReferenceConfig("1/3", 0.9, 4)


@pytest.mark.parametrize("value", [True, "x", None, 1j, float("nan"), float("inf"), "1/0"], ids=repr)
def test_exact_refuses(value: Any) -> None:
    """`exact` raises what the doors translate: TypeError, ValueError or ArithmeticError."""
    with pytest.raises((TypeError, ValueError, ArithmeticError)):
        exact(value)


@pytest.mark.parametrize("config", [None, 1, "greedy", (1, 1, 0)])
@pytest.mark.parametrize("engine", [reference, sampling])
def test_what_is_no_configuration_is_refused(engine: Any, config: Any) -> None:
    """A target asks for a configuration, and says so."""
    with pytest.raises(ValueError, match=r"config = .*allowed"):
        engine.distribution_from_logits([1.0, 2.0], config)


@pytest.mark.parametrize("row", [None, 3.0, "0.5"])
def test_what_is_no_row_is_refused(row: Any) -> None:
    """The reference asks for a sequence of numbers, and says so."""
    for read in (reference.softmax, lambda r: reference.sample_from_distribution(r, 0)):
        with pytest.raises(ValueError, match=r"= .*allowed: a sequence of numbers"):
            read(row)
