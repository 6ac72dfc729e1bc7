"""An engine under audit: its answers as exact numbers, and its laws, computed from its own code or probed on the lattice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sympy import QQ

from mtplx.audit.client import Client, EngineDied, EngineError, NoEngine
from mtplx.audit.lattice import CHECKS, FINE, GRID, Unprobeable, law_on_lattice
from mtplx.audit.worker import METHODS, READS_MORE
from reference.dialects import dialect_named
from reference.numbers import rational

Law = dict[Any, Any]
COINS = 32
"""How many numbers an engine on the lattice is given for one answer."""


def on_the_wire(value: Any, floats: bool) -> Any:
    """A number or rows of numbers as JSON: floats for an engine that takes floats, else fractions in text."""
    if isinstance(value, (list, tuple)):
        return [on_the_wire(entry, floats) for entry in value]
    exact = rational(value)
    return float(exact.numerator) / float(exact.denominator) if floats else str(exact)


def logits_on_the_wire(logits: Sequence[float]) -> list[Any]:
    """Logits as JSON; -inf is a string, which JSON has no number for."""
    return [logit if abs(logit) < float("inf") else str(logit) for logit in logits]


def outcome_of(value: Any) -> Any:
    """An answer as something hashable: a token, or a tuple of tokens; 1.0 and True are no tokens, though they equal 1."""
    if isinstance(value, list):
        return tuple(map(outcome_of, value))
    return str(value) if isinstance(value, (bool, float)) else value


@dataclass
class Subject:
    """An engine: what it says of itself, and its answers.

    command: the line that audits it. read_twice: names of tape cells that it read more than once. changed: arguments that it
    changed in place. silent: methods that once gave no answer. checks: random coins that must come out as a probed law
    predicts.
    """

    spec: str
    client: Client
    name: str = ""
    offers: tuple[str, ...] = ()
    dialect: str = "mtplx"
    floats: bool = False
    laws: bool = False
    lossy: bool = False
    version: str | None = None
    command: str = ""
    read_twice: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)
    checks: int = CHECKS
    laws_asked: int = 0

    def meet(self, dialect: str | None = None) -> None:
        """Ask the engine about itself; NoEngine if it cannot be met or offers nothing."""
        try:
            self.introduce(self.client.about(), dialect)
        except NoEngine as error:
            raise NoEngine(f"engine = {self.spec!r}: {error}") from error
        except (EngineDied, EngineError, KeyError, TypeError) as error:
            raise NoEngine(f"engine = {self.spec!r} does not say what it is: {error}") from error
        finally:
            if not self.offers:
                self.client.close()

    def introduce(self, about: dict[str, Any], dialect: str | None) -> None:
        """Take down what the engine says of itself."""
        if strange := [name for name in about.get("offers", ()) if name not in METHODS]:
            raise NoEngine(f"it offers {strange[0]!r}; allowed: {', '.join(METHODS)}")
        offers = tuple(method for method in METHODS if method in about.get("offers", ()))
        if not offers:
            raise NoEngine(f"it offers nothing; allowed: at least one of {', '.join(METHODS)}")
        self.name = str(about.get("name", self.spec))
        self.version = None if about.get("version") is None else str(about["version"])
        if about.get("numbers", "float") not in ("float", "exact"):
            raise NoEngine(f"numbers = {about['numbers']!r}; allowed: 'exact', 'float'")
        self.floats, self.lossy = about.get("numbers", "float") == "float", bool(about.get("lossy", False))
        self.laws = bool(about.get("laws", False)) and not self.floats
        self.dialect = dialect_named(dialect or str(about.get("dialect", "mtplx"))).name
        self.offers = offers

    @property
    def few(self) -> bool:
        """Its laws have to be probed, which takes long: it is asked less."""
        return not self.laws

    @property
    def level(self) -> str:
        """Of its laws."""
        return "reals" if self.laws else "lattice"

    def question(self, call: str, **arguments: Any) -> dict[str, Any]:
        """A question with its rows in the engine's numbers."""
        asked: dict[str, Any] = {"call": call}
        for name, value in arguments.items():
            if name == "logits":
                asked[name] = logits_on_the_wire(value)
            elif name in ("p", "q", "p_rows", "q_rows", "coins"):
                asked[name] = on_the_wire(value, self.floats)
            else:
                asked[name] = value
        return asked

    def value(self, call: str, **arguments: Any) -> Any:
        """The answer to a call."""
        found = self.client.ask(self.question(call, **arguments))
        self.changed |= set(found.get("changed", ()))
        return found["value"]

    def law(self, call: str, thresholds: Sequence[Any] = (), coins: int = 3, fine: bool = False, **arguments: Any) -> Law:
        """The law of the answer to a call that reads the tape; `coins` is how many, where the engine does not say.

        fine: where it has to be probed, the coins are probed on a fine grid.
        """
        if self.laws:
            found = self.client.ask({**self.question(call, **arguments), "law": True})
            self.read_twice |= set(found["read_twice"])
            self.changed |= set(found["changed"])
            return {outcome_of(outcome): rational(share) for outcome, share in found["law"]}

        def ask(given: Sequence[float]) -> tuple[Any, int]:
            try:
                found = self.client.ask(self.question(call, coins=list(given), **arguments))
            except EngineError as error:
                if READS_MORE in str(error):
                    raise Unprobeable(f"one answer reads more than {len(given)} coins") from None
                raise
            read = found.get("read", coins)
            if type(read) is not int or not 0 <= read <= len(given):
                raise self.client.died(f"says that it read {read!r} coins; allowed: an integer from 0 to {len(given)}")
            return outcome_of(found["value"]), read

        self.laws_asked += 1  # other random coins for every law, the same in every audit
        return law_on_lattice(ask, COINS, thresholds, self.checks, self.laws_asked, FINE if fine else GRID)


def mixture(laws: Sequence[tuple[Any, Law]]) -> Law:
    """The law of an outcome whose law is drawn with these weights."""
    mixed: Law = {}
    for weight, law in laws:
        for outcome, share in law.items():
            mixed[outcome] = mixed.get(outcome, QQ(0)) + weight * share
    return mixed
