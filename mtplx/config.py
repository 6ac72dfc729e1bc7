"""The sampler configuration: exact numbers, checked once (spec 1)."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mtplx.errors import ConfigError


def exact(value: Any) -> Fraction:
    """The exact value of an int, float, rational, numpy scalar or string; ValueError or TypeError otherwise."""
    if isinstance(value, bool):
        raise TypeError("a bool is no number")
    if isinstance(value, str):
        return Fraction(value)
    if hasattr(value, "as_integer_ratio"):
        return Fraction(*value.as_integer_ratio())
    if hasattr(value, "denominator"):  # sympy's rationals, numpy's integers
        return Fraction(int(value.numerator), int(value.denominator))
    raise TypeError(f"{type(value).__name__} is no number")


@dataclass(frozen=True)
class SamplerConfig:
    """How a row of logits becomes a law; the fields hold exact Fractions of what was given (spec 1).

    temperature: finite, >= 0; 0 is greedy. top_p: 0 < top_p <= 1; 1 is off. top_k: integer >= 0; 0 is off.
    Both rationals may be int, float (its binary value), Fraction or a string ("0.8", "4/5").
    Raises ConfigError, a ValueError, naming the field and the value.
    """

    temperature: Any = 0.6
    top_p: Any = 0.95
    top_k: int = 20

    def __post_init__(self) -> None:
        self._set("temperature", exact, lambda t: t >= 0, "a finite number >= 0 (0 is greedy)")
        self._set("top_p", exact, lambda p: 0 < p <= 1, "0 < top_p <= 1 (1 is off)")
        self._set("top_k", self._integer, lambda k: k >= 0, "an integer >= 0 (0 is off)")

    def _set(self, field: str, read: Any, within: Any, allowed: str) -> None:
        given = getattr(self, field)
        try:
            value = read(given)
        except (TypeError, ValueError, ArithmeticError):
            value = None
        if value is None or not within(value):
            raise ConfigError(f"{field} = {given!r}; allowed: {allowed}")
        object.__setattr__(self, field, value)

    @staticmethod
    def _integer(value: Any) -> int:
        if isinstance(value, bool):
            raise TypeError("a bool is no count")
        return operator.index(value)

    def __repr__(self) -> str:
        return f"SamplerConfig(temperature={shown(self.temperature)}, top_p={shown(self.top_p)}, top_k={self.top_k})"


def shown(value: Fraction) -> str:
    """The shortest exact spelling: a float's repr where a float holds the value, else the fraction as a string."""
    try:
        if float(value) == value:
            return repr(float(value))
    except OverflowError:
        pass
    try:
        return f"'{value}'"
    except ValueError:  # Python prints no integer this long
        return f"about 2^{value.numerator.bit_length() - value.denominator.bit_length()}"
