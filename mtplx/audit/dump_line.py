"""One line of a dump: its fields (docs/dumps.md), its rows as numbers, and what rounding explains.

Numbers are exact as given. A row that is only given as logits is enclosed, together with what the engine's rounding can do.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from sympy import QQ

from reference.dialects import dialect_named
from reference.filters import SamplerConfig
from reference.numbers import law_of_row, rational, row_of_rationals
from reference.softmax import filtered_target, row_of_logits, softmax

WHOLE_ROW = 16
"""A witness shows a row of up to this many tokens whole, and of a longer one the tokens that matter."""


class Precision(NamedTuple):
    """Unit roundoff, that of sums, the smallest normal number, and a whole number above -log of it."""

    unit: Any
    sums: Any
    smallest: Any
    reach: int


PRECISIONS = {
    "bfloat16": Precision(QQ(1, 2**8), QQ(1, 2**24), QQ(1, 2**126), 88),  # sums run in float32: in bfloat16 they stall at 256
    "float32": Precision(QQ(1, 2**24), QQ(1, 2**24), QQ(1, 2**126), 88),
    "float64": Precision(QQ(1, 2**53), QQ(1, 2**53), QQ(1, 2**1022), 709),
}

GRID = 100
"""Errors are rounded up to multiples of 2^-GRID."""

P, Q = "p | logits + config", "q | draft_logits + draft_config"
"""The fields that give a row, in the form of Line.has."""
ROWS = ("logits", "p", "draft_logits", "q")
DEFAULTS = {"precision": "float32", "rule": "token", "draw_order": "id", "bonus": False}


def kind(allowed: str, *types: type) -> Callable[[Any], Any]:
    """A parser that lets these JSON types through."""

    def parse(value: Any) -> Any:
        if type(value) not in types:
            raise ValueError(f"{value!r:.80}; allowed: {allowed}")
        return value

    return parse


def one_of(*names: str) -> Callable[[Any], Any]:
    """A parser of a word."""
    return lambda value: value if value in names else kind(" or ".join(map(json.dumps, names)))(value)


def parse_row(value: Any) -> list[Any]:
    """Entries as given: numbers, strings that are exact, and "-inf"."""
    entries = kind("a list of numbers, one for each token", list)(value)
    for token, entry in enumerate(entries):
        if kind(f"a number or a string at token {token}", int, float, str)(entry) == "-inf":
            entries[token] = float("-inf")
        elif isinstance(entry, str):
            rational(entry)
    return list(entries)


def parse_config(value: Any) -> SamplerConfig:
    """All three settings: none is inferred."""
    if not isinstance(value, dict) or set(value) != {"temperature", "top_p", "top_k"}:
        raise ValueError(f"{value!r:.80}; allowed: an object with temperature, top_p and top_k")
    return SamplerConfig(**value)


def parse_ids(value: Any) -> list[int]:
    """Token ids."""
    return [integer(token) for token in kind("a list of token ids", list)(value)]


integer, truth = kind("an integer", int), kind("true or false", bool)
FIELDS: dict[str, Callable[[Any], Any]] = {
    "request": kind("a string or an integer", str, int),
    **dict.fromkeys(("position", "step", "draft", "output"), integer),
    **dict.fromkeys(ROWS, parse_row),
    **dict.fromkeys(("config", "draft_config"), parse_config),
    **dict.fromkeys(("coin", "residual_coin"), rational),
    **dict.fromkeys(("accepted", "bonus"), truth),
    "prefix": parse_ids,
    "prefix_hash": kind("a string", str),
    "dialect": lambda value: dialect_named(kind("a string", str)(value)).name,
    "precision": one_of(*PRECISIONS),
    "rule": one_of("token", "sampler-match"),
    "draw_order": one_of("id", "unknown"),
    "note": lambda value: value,
}


class Bounds(NamedTuple):
    """A law, token by token between two numbers, which are equal where it is known exactly."""

    low: list[Any]
    high: list[Any]


class Rounding:
    """What rounding can do to a row of logits on its way to a law, in units u of the precision.

    The argument of exp, l/T - m/T with m the largest logit, errs by u |l|/T (a division), u |l - m|/T (the subtraction) and
    u |l - m|/T (T itself); m/T is common to all weights and cancels. The relative error of a weight is that, 4u of exp (two
    units of the last place), and u for each of two divisions: e = u ((|l| + 2 |l - m|)/T + 6), at most g = e / (1 - e) with
    all higher orders. Sums are common to all tokens and cancel in the law. With r the mean of g under the law, normalised
    entries lie in p (1 -+ g) / (1 +- r), and their total variation from p is at most r / (1 - r). Shares below V times the
    smallest normal number may be lost: V^2 times it joins r.
    """

    def __init__(self, row: Sequence[Any], temperature: Any, precision: Precision) -> None:
        self.row, self.temperature, self.precision = row, temperature, precision
        self.top = max(logit for logit in row if logit is not None)
        self.lost = len(row) * precision.smallest

    def weight(self, token: int) -> Any:
        """g of one token; where e reaches 1, a number that bounds nothing."""
        logit = self.row[token]
        e = self.precision.unit * ((abs(logit) + 2 * (self.top - logit)) / self.temperature + 6)
        if e >= 1:
            return 1 / self.precision.smallest
        g = e / (1 - e)
        return QQ(-(-(g.numerator << GRID) // g.denominator), 1 << GRID)  # rounded up: sums of dyadic numbers stay short

    def mean(self, law: Sequence[Any]) -> Any:
        """r of a law over the same tokens."""
        seen = (share * self.weight(token) for token, share in enumerate(law) if share >= self.lost)
        return sum(seen, len(law) * self.lost)


def capped(r: Any) -> Any:
    """r / (1 - r), or 1: no total variation is larger."""
    return min(r / (1 - r), QQ(1)) if r < 1 else QQ(1)


class Target:
    """The certified filtered target of a row, and how far rounding of the row can take it."""

    def __init__(self, logits: Sequence[Any], config: SamplerConfig, dialect: str, precision: Precision) -> None:
        self.logits, self.config, self.dialect = logits, config, dialect
        self.row, self.sums = row_of_logits(logits), precision.sums
        self.law = filtered_target(logits, config, dialect)
        self.rounding = None if config.temperature == 0 else Rounding(self.row, config.temperature, precision)

    @cached_property
    def mean(self) -> Any:
        """r of the law; temperature 0 rounds nothing."""
        return self.rounding.mean(self.law.midpoints) if self.rounding else QQ(0)

    @property
    def bound(self) -> Any:
        """Bound of the total variation between the law and what rounding makes of it."""
        return capped(self.mean) + self.law.radius

    def support_at(self, top_p: Any) -> set[int]:
        """What the filter keeps at another top_p."""
        moved = replace(self.config, top_p=max(min(top_p, QQ(1)), QQ(1, 2**1000)))
        return set(filtered_target(self.logits, moved, self.dialect).support)

    @cached_property
    def opened(self) -> set[int]:
        """The tokens whose place rounding leaves open.

        Those that change between top_p - r / (1 - r) and top_p + r / (1 - r), with r of the whole law: no mass moves by more.
        And those whose logit is so near to one across the cut, but not equal, that the weights can change places. Equal logits
        and a top_p that is met exactly are a matter of rule; top_p = 1 is off, and compares nothing.
        """
        if not self.rounding:
            return set()
        kept, top_p, T, opened = self.law.support, self.config.top_p, self.config.temperature, set[int]()
        if top_p < 1:
            precision = self.rounding.precision
            whole = (Rounding(self.row, t, precision).mean(softmax(self.logits, t).midpoints) for t in {T, QQ(1)})
            epsilon, tiny = capped(max(whole)), QQ(1, 2**200)
            opened = self.support_at(top_p - epsilon) ^ self.support_at(top_p + epsilon)
            if opened and self.support_at(top_p - tiny) != self.support_at(top_p + tiny):
                opened = set()
        out = self.law.ranked[len(kept) :]
        if out:
            last, first, near = self.row[kept[-1]], self.row[out[0]], T * 2 * self.rounding.weight(out[0])
            opened |= {token for token in out if last - near <= self.row[token] < last}
            opened |= {token for token in kept if first < self.row[token] <= first + near}
        return opened

    @cached_property
    def bounds(self) -> Bounds:
        """Each probability as an engine may have computed it: one that does not divide again keeps the error of its sum."""
        law, kept = self.law.midpoints, self.law.support
        if not self.rounding:
            return Bounds(law, law)
        scale, lost = self.mean + (len(kept) + 1) * self.sums, self.rounding.lost
        low, high = [QQ(0)] * len(law), [QQ(0)] * len(law)
        for token in kept:
            share, g = law[token], self.rounding.weight(token)
            low[token] = max(share * (1 - g) / (1 + scale), QQ(0)) if share >= lost else QQ(0)
            high[token] = share * (1 + g) / (1 - scale) + lost if scale < 1 else QQ(2)
        return Bounds(low, high)


@dataclass(eq=False)
class Line:
    """One line of a dump: its number and its fields."""

    number: int
    given: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.given[name]

    def has(self, need: str) -> bool:
        """Whether the fields of `need` are there (see CLAIMS)."""
        return any(all(map(self._has, way.strip().split(" + "))) for way in need.split(" | "))

    def _has(self, name: str) -> bool:
        name, equals, value = name.partition("=")
        given = self.given.get(name)
        return given is not None and (not equals or str(given).lower() == value)

    @property
    def precision(self) -> Precision:
        """What the engine computes in."""
        return PRECISIONS[self["precision"]]

    @cached_property
    def target(self) -> Target:
        """The target of logits under config."""
        return Target(self["logits"], self["config"], self["dialect"], self.precision)

    @cached_property
    def draft_target(self) -> Target:
        """The law of draft_logits under draft_config."""
        return Target(self["draft_logits"], self["draft_config"], self["dialect"], self.precision)

    @cached_property
    def p(self) -> Bounds | None:
        """The target row: as given, else from logits; None where there is none, or rounding may change its support."""
        return self._row("p", P, lambda: self.target)

    @cached_property
    def q(self) -> Bounds | None:
        """The draft row, likewise."""
        return self._row("q", Q, lambda: self.draft_target)

    def _row(self, name: str, need: str, derived: Callable[[], Target]) -> Bounds | None:
        if self.has(name):  # engines differ in whether they divide by the sum: the hull of both
            pair = sorted((row_of_rationals(self[name], name), law_of_row(self[name], name)), key=sum)
            return Bounds(*pair)
        return derived().bounds if self.has(need) and not derived().opened else None

    @property
    def place(self) -> str:
        """Where a sentence says it is."""
        named = [f"{name} {self[name]}" for name in ("request", "position", "step") if name in self.given]
        return ", ".join([f"line {self.number}", *named])

    @property
    def size(self) -> int:
        """The number of tokens of its first row; 0 without rows."""
        return next((len(self[name]) for name in ROWS if name in self.given), 0)

    def reduced(self, names: Iterable[str], tokens: Iterable[int]) -> dict[str, Any]:
        """The line for a witness: where it is, and the fields named; of long rows only the tokens named."""
        shown: dict[str, Any] = {"line": self.number}
        for name in dict.fromkeys(("request", "position", "step", *names)):
            value = self.given.get(name)
            if name in ROWS and value:
                entries = [str(x) if isinstance(x, float) and not math.isfinite(x) else x for x in value]
                whole = len(entries) <= WHOLE_ROW
                value = entries if whole else {str(x): entries[x] for x in sorted(set(tokens)) if x < len(entries)}
            elif name in ("config", "draft_config") and value:
                value = {"temperature": str(value.temperature), "top_p": str(value.top_p), "top_k": value.top_k}
            elif name in ("coin", "residual_coin") and value is not None:
                value = str(value)
            if value is not None:
                shown[name] = value
        return shown


def parse_line(number: int, text: str, defaults: dict[str, Any]) -> Line:
    """One line of a dump; a line {"defaults": {..}} changes `defaults`, and has no fields itself.

    Raises ValueError with the line's number if it is no JSON object, or a field is unknown or not of its type.
    """
    try:
        found = json.loads(text)
        if not isinstance(found, dict):
            raise ValueError(f"{text.strip()!r:.80}; allowed: a JSON object")
        header = set(found) == {"defaults"}
        fields = found["defaults"] if header else found
        if not isinstance(fields, dict):
            raise ValueError(f"defaults = {fields!r:.80}; allowed: an object")
        given = {name: parse_field(name, value) for name, value in fields.items() if value is not None}
    except (ValueError, RecursionError) as error:
        raise ValueError(f"line {number}: {error}") from None
    if header:
        defaults.update(given)
    return Line(number, {} if header else defaults | given)


def parse_field(name: str, value: Any) -> Any:
    """A field's value; ValueError says which field."""
    if name not in FIELDS:
        raise ValueError(f"{name!r} is no field; allowed: {', '.join(FIELDS)}")
    try:
        return FIELDS[name](value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
