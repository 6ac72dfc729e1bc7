"""Number systems: the few operations the pointwise rules need beside `+ - * < <=`.

One table per system, so that the same source runs on rationals (to judge engines) and on solver terms (to be proved).
Arithmetic and order stay native to the values; what differs between a number and a term is how one *chooses*.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, repeat
from math import isfinite, lcm
from typing import Any, Protocol

from flint import arb, ctx
from sympy import QQ

MASS_TOLERANCE = QQ(1, 1000)
"""A row counts as probabilities when its sum is this close to one (spec 3)."""


class NumberSystem(Protocol):
    """What a pointwise rule may ask of its numbers."""

    zero: Any
    one: Any

    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any: ...
    def eq(self, a: Any, b: Any) -> Any: ...
    def both(self, a: Any, b: Any) -> Any: ...
    def either(self, a: Any, b: Any) -> Any: ...
    def neg(self, a: Any) -> Any: ...
    def quotient(self, a: Any, b: Any) -> Any: ...


class Poison:
    """The value of a/0: it spreads through arithmetic and order, and raises when anything depends on it.

    `choose` evaluates both branches on rationals, so a quotient in the branch not taken must be harmless, and one in
    the branch taken must not pass for a number.
    """

    def _spread(self, *_: object) -> Poison:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _spread
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = _spread
    __eq__ = _spread  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise ZeroDivisionError("a decision depends on a quotient by zero")

    def __repr__(self) -> str:
        return "a/0"


class Rationals:
    """Exact rationals: sympy's QQ, which is flint's `fmpq` where python-flint is installed."""

    zero = QQ(0)
    one = QQ(1)

    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any:
        if condition is True:
            return then
        if condition is False:
            return otherwise
        return condition  # poisoned

    def eq(self, a: Any, b: Any) -> Any:
        return a == b

    def both(self, a: Any, b: Any) -> Any:
        return a and b

    def either(self, a: Any, b: Any) -> Any:
        return a or b

    def neg(self, a: Any) -> Any:
        return not a

    def quotient(self, a: Any, b: Any) -> Any:
        return a / b if b else Poison()


rationals = Rationals()


class SolverTerms:
    """Terms of `z3` or `cvc5.pythonic`, real unless `sort` is "Int": the two modules offer the same constructors.

    A quotient a/b (of reals only) becomes a fresh t with `b != 0 -> t*b = a` in `side_conditions`: SMT-LIB leaves division
    by zero open, so nothing may be concluded from it.
    """

    def __init__(self, solver_module: Any, sort: str = "Real") -> None:
        self.module = solver_module
        self.sort = sort
        self.zero, self.one = (getattr(solver_module, sort + "Val")(value) for value in (0, 1))
        self.side_conditions: list[Any] = []

    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any:
        return self.module.If(condition, then, otherwise)

    def eq(self, a: Any, b: Any) -> Any:
        return a == b

    def both(self, a: Any, b: Any) -> Any:
        return self.module.And(a, b)

    def either(self, a: Any, b: Any) -> Any:
        return self.module.Or(a, b)

    def neg(self, a: Any) -> Any:
        return self.module.Not(a)

    def variables(self, names: Sequence[str]) -> dict[str, Any]:
        """A constant of the sort for each name."""
        return {name: getattr(self.module, self.sort)(name) for name in names}

    def quotient(self, a: Any, b: Any) -> Any:
        if self.sort != "Real":
            raise TypeError("integers have no quotient: state it as a product")
        t = self.module.Real(f"quotient_{len(self.side_conditions)}")
        self.side_conditions.append(self.module.Implies(b != 0, t * b == a))
        return t


class Undecided(ArithmeticError):
    """The order of two enclosed masses is open at this precision."""


@dataclass(frozen=True, slots=True)
class Mass:
    """A sum of weights: an exact part, and an enclosed part (a flint ball) that is positive, or None where there is none.

    The largest weights are exactly 1 and the rest are exponentials, so the two parts never tie by accident: equal exact
    parts are told apart by the enclosed ones, however small. An order that the enclosure leaves open raises `Undecided`.
    """

    exact: Any
    enclosed: Any = None

    def __rmul__(self, factor: Any) -> Mass:
        return Mass(factor * self.exact, None if self.enclosed is None else arb(factor) * self.enclosed)

    def __lt__(self, other: Mass) -> bool:
        ahead = other.exact - self.exact
        if self.enclosed is None and other.enclosed is None:
            return bool(ahead > 0)
        if ahead == 0 and (self.enclosed is None or other.enclosed is None):
            return self.enclosed is None
        difference = arb(ahead) + (other.enclosed or 0) - (self.enclosed or 0)
        if difference > 0:
            return True
        if difference <= 0:
            return False
        raise Undecided(
            f"masses are within 2^{1 - ctx.prec} of a tie, relatively, and {ctx.prec} bits do not tell which is less"
        )

    def ball(self) -> Any:
        """The whole mass as one ball."""
        return arb(self.exact) + (self.enclosed or 0)


def ratio(value: Any) -> tuple[int, int]:
    """The exact value of an int, float, Fraction, string or numpy scalar as numerator and denominator.

    A float means its binary value, a string its decimal or fraction (spec, opening). Raises ValueError for anything
    that is no finite number.
    """
    try:
        if isinstance(value, QQ.dtype):
            return int(value.numerator), int(value.denominator)
        if isinstance(value, str):
            value = Fraction(value)
        elif isinstance(value, bool):
            raise TypeError
        elif not hasattr(value, "as_integer_ratio"):  # numpy's integers
            value = operator.index(value)
        numerator, denominator = value.as_integer_ratio()
        return numerator, denominator
    except TypeError:
        kind = type(value).__name__
        raise ValueError(f"{value!r} ({kind}) is no number; allowed: int, float, Fraction, string, numpy scalar") from None
    except (OverflowError, ValueError, ZeroDivisionError):
        raise ValueError(f"{value!r} is no finite number; a string is a decimal or a fraction ('0.9', '9/10')") from None


def rational(value: Any) -> Any:
    """The exact value of a number, as `ratio` reads it, as an element of QQ."""
    return value if isinstance(value, QQ.dtype) else QQ.dtype(*ratio(value))


def listed(row: Any, name: str) -> list[Any]:
    """A sequence or array of numbers as a list; ValueError if it is neither."""
    entries = row.tolist() if hasattr(row, "tolist") else row
    if not isinstance(entries, Sequence) or isinstance(entries, (str, bytes)):
        raise ValueError(f"{name} = {row!r}; allowed: a sequence of numbers, one for each token")
    return list(entries)


def named_ratio(token: int, entry: Any, name: str) -> tuple[int, int]:
    """The ratio of an entry; its ValueError names the entry."""
    try:
        return ratio(entry)
    except ValueError as error:
        raise ValueError(f"{name}[{token}]: {error}") from None


def row_of_ratios(row: Sequence[Any], name: str) -> tuple[list[int], list[int]]:
    """Numerators and denominators of every entry; raises ValueError naming the first that is no finite number."""
    entries = listed(row, name)
    if not entries:
        raise ValueError(f"{name} is empty; allowed: at least one token")
    numerators, denominators = [], []
    plain = set(map(type, entries)) == {float} and all(map(isfinite, entries))  # nothing to ask of each
    ratios = map(float.as_integer_ratio, entries) if plain else map(named_ratio, count(), entries, repeat(name))
    for numerator, denominator in ratios:
        numerators.append(numerator)
        denominators.append(denominator)
    return numerators, denominators


def row_of_rationals(row: Sequence[Any], name: str) -> list[Any]:
    """Every entry as an element of QQ; raises ValueError naming the first that is no finite number."""
    return list(map(QQ.dtype, *row_of_ratios(row, name)))


def masses_of_row(row: Sequence[Any], name: str = "probabilities") -> list[int]:
    """The law row / sum(row) as integers, its entries times one number (spec 3).

    Raises ValueError, naming the entry, unless every entry is finite and >= 0 and the sum is within 1/1000 of one.
    """
    numerators, denominators = row_of_ratios(row, name)
    if min(numerators) < 0:
        token = next(token for token, numerator in enumerate(numerators) if numerator < 0)
        value = QQ(numerators[token], denominators[token])
        raise ValueError(f"{name}[{token}] = {value} is negative; allowed: >= 0")
    unit = lcm(*set(denominators))
    masses = [numerator * (unit // denominator) for numerator, denominator in zip(numerators, denominators, strict=True)]
    mass = QQ(sum(masses), unit)
    if abs(mass - 1) > MASS_TOLERANCE:
        raise ValueError(f"{name} sum to {float(mass):.6g}; allowed: within {MASS_TOLERANCE} of 1")
    return masses


def law_of_row(row: Sequence[Any], name: str = "probabilities") -> list[Any]:
    """The law row / sum(row) as a list of QQ (spec 3); raises ValueError as `masses_of_row`."""
    masses = masses_of_row(row, name)
    total = sum(masses)
    return [QQ.dtype(mass, total) for mass in masses]
