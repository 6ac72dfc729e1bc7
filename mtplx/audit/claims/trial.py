"""A question to an engine beside its right answer, a claim made of such questions, and the bounds of float32 answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from sympy import QQ

from mtplx.audit.measure import UNIT
from mtplx.audit.subject import Law, Subject
from reference.claims import distance
from reference.numbers import law_of_row
from reference.one_token import acceptance_probability, residual_distribution

LOG_RATIO = 64 * UNIT
"""Relative error of a quotient of probabilities of at least 2^-14 taken through logarithms: each is below 11 in size and
errs by one ulp, 22u, their difference by 11u more, and exp by 2u besides: 57u; a division alone errs by u. Rows rounded to
float32 sum to 1 + u at most, 2u of a quotient."""
NO_TOKEN = "the answer {} is no token id; allowed: an integer"


@dataclass(frozen=True)
class Trial:
    """One question and its answer. `apart`: the distance of right and found; it refutes the claim where it exceeds `bound`.

    given: the input as JSON data. note: what is wrong in words, where a distance does not say it.
    """

    given: dict[str, Any]
    right: Any
    found: Any
    apart: Any
    bound: Any = 0
    note: str = ""

    @property
    def holds(self) -> bool:
        """The answer is right, within what rounding explains."""
        return not self.note and bool(self.apart <= self.bound)


Trials = Callable[[Subject], Iterator[Callable[[], Trial]]]


@dataclass(frozen=True)
class Claim:
    """Something an engine promises by offering these methods. section: see `Finding`."""

    id: str
    sentence: str
    methods: tuple[str, ...]
    trials: Trials
    section: str = "rule"
    either: tuple[str, ...] = ()

    @property
    def reads_tape(self) -> bool:
        """Whether it is about methods that draw."""
        return not set(self.methods) <= {"target", "acceptance", "residual"}

    def offered(self, subject: Subject) -> bool:
        """Whether the engine offers all that the claim is about, and one of `either`."""
        offers = set(subject.offers)
        return set(self.methods) <= offers and (not self.either or bool(offers & set(self.either)))


def texts(row: Sequence[Any]) -> list[str]:
    """Numbers in text."""
    return [str(x) for x in row]


def outcome_text(outcome: Any) -> str:
    """Tokens one after another; what is no token as it is."""
    if isinstance(outcome, tuple):
        return " ".join(map(outcome_text, outcome))
    return str(outcome) if isinstance(outcome, int) else repr(outcome)


def law_text(law: Law) -> dict[str, str]:
    """A law in text, by outcome."""
    return {outcome_text(outcome): str(share) for outcome, share in sorted(law.items(), key=repr)}


def masses(row: Sequence[Any]) -> Law:
    """A row by token, without its zeros."""
    return {token: share for token, share in enumerate(row) if share}


def law_of(row: Sequence[Any]) -> Law:
    """The law row / sum(row) of tokens."""
    return masses(law_of_row(row, "row"))


def law_trial(given: dict[str, Any], right: Law, found: Law, bound: Any) -> Trial:
    """A law beside the right one; an outcome that cannot occur refutes whatever the bound."""
    kind = type(next(iter(right)))
    impossible = [outcome for outcome in found if outcome not in right]
    if strange := [outcome for outcome in impossible if type(outcome) is not kind]:
        shown = list(strange[0]) if isinstance(strange[0], tuple) else strange[0]
        return Trial(given, law_text(right), str(shown), QQ(1), note=NO_TOKEN.format(repr(shown)))
    note = f"{outcome_text(impossible[0])} has probability 0 and comes out" if impossible else ""
    return Trial(given, law_text(right), law_text(found), distance(found, right), bound, note)


def possible_trial(given: dict[str, Any], p: Any, token: Any) -> Trial:
    """A token beside those that can occur."""
    known = isinstance(token, int) and not isinstance(token, bool)
    fair = known and 0 <= token < len(p) and p[token]
    note = "" if fair else f"token {token} is emitted, which has probability 0" if known else NO_TOKEN.format(repr(token))
    return Trial(given, f"one of {[t for t, share in enumerate(p) if share]}", token, QQ(0 if fair else 1), QQ(0), note)


def lattice_bound(subject: Subject, coins: int, tokens: int) -> Any:
    """Total variation that coins on the lattice make: a threshold is met to 2^-24, and errs by LOG_RATIO and n sums."""
    return QQ(0) if subject.laws else coins * (tokens + 1) * (LOG_RATIO + (tokens + 1) * UNIT)


def thresholds(p: Any, q: Any) -> list[Any]:
    """Where the token rule changes its mind."""
    accept = [acceptance_probability(p, q, token) for token in range(len(p))]
    return sorted({*accept, *accumulate(residual_distribution(p, q)), *accumulate(p), *p})
