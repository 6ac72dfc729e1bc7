"""One token: acceptance, residual, draws from a row, and the law of what is emitted for a draft."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, chain, product, repeat
from typing import Any

from sympy import QQ

from mtplx.audit import inputs
from mtplx.audit.claims.trial import (
    LOG_RATIO,
    Trial,
    Trials,
    lattice_bound,
    law_of,
    law_trial,
    masses,
    possible_trial,
    texts,
    thresholds,
)
from mtplx.audit.lattice import LAST, SIZE
from mtplx.audit.measure import UNIT
from mtplx.audit.subject import Law, Subject, mixture
from reference.claims import distance
from reference.numbers import rational
from reference.one_token import acceptance_probability, residual_distribution

ENDS = (QQ(0), QQ(LAST, SIZE))
"""The least and the largest float32 coin."""


def each_token(subject: Subject) -> Iterator[tuple[inputs.Pair, int]]:
    """Every pair, with every token."""
    for p, q in inputs.pairs(subject.floats, subject.few):
        for token in range(len(p)):
            yield (p, q), token


def acceptance_trial(subject: Subject, p: Any, q: Any, token: int) -> Trial:
    """min(1, p/q) at a token."""
    right = acceptance_probability(p, q, token)
    given = {"p": texts(p), "q": texts(q), "token": token}
    value = subject.value("acceptance", p=p, q=q, token=token)
    try:
        found = rational(value)
    except ValueError:
        return Trial(given, str(right), value, QQ(1), note="the answer is no finite number")
    bound = LOG_RATIO * right if subject.floats and right not in (0, 1) else QQ(0)
    inexact = isinstance(value, float) and not subject.floats and found != right
    note = "a float, where numbers are exact; numbers = 'float' allows for rounding" if inexact else ""
    return Trial(given, str(right), str(found), abs(found - right), bound, note)


def acceptances(drafted: bool) -> Trials:
    """Tokens that the draft gives, or those it does not."""

    def trials(subject: Subject) -> Iterator[Callable[[], Trial]]:
        for (p, q), token in each_token(subject):
            if bool(q[token]) == drafted:
                yield lambda p=p, q=q, token=token: acceptance_trial(subject, p, q, token)  # type: ignore[misc]

    return trials


def residual_trial(subject: Subject, p: Any, q: Any) -> Trial:
    """norm((p - q)+), or p."""
    right = residual_distribution(p, q)
    given = {"p": texts(p), "q": texts(q)}
    value = subject.value("residual", p=p, q=q)
    try:
        row = [rational(x) for x in value]
    except (TypeError, ValueError):
        return Trial(given, texts(right), value, QQ(1), note="the answer is no row of finite numbers")
    if len(row) != len(p) or min(row) < 0:
        return Trial(given, texts(right), texts(row), QQ(1), note="the answer is no row of probabilities, one for each token")
    slack = (LOG_RATIO + len(p) * UNIT) if subject.floats else QQ(0)
    apart = max(distance(masses(row), masses(right)), abs(sum(row, QQ(0)) - 1))
    stray = [t for t, (x, r) in enumerate(zip(row, right, strict=True)) if bool(x) != bool(r)]
    note = f"token {stray[0]} should {'not ' if not right[stray[0]] else ''}have mass" if stray else ""
    return Trial(given, texts(right), texts(row), apart, slack, note)


def residuals(equal: bool) -> Trials:
    """Pairs of equal rows, or of rows that differ."""

    def trials(subject: Subject) -> Iterator[Callable[[], Trial]]:
        for p, q in inputs.pairs(subject.floats, subject.few):
            if (p == q) == equal:
                yield lambda p=p, q=q: residual_trial(subject, p, q)  # type: ignore[misc]

    return trials


def verified(subject: Subject, p: Any, q: Any, *, fine: bool = False) -> Law:
    """The law of the token emitted for a draft from q."""
    near = thresholds(p, q)
    return mixture([(share, subject.law("verify_token", near, fine=fine, p=p, q=q, draft=x)) for x, share in law_of(q).items()])


def one_token(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Honest drafts; then two that are always rejected and always accepted, on a fine grid of coins."""
    always = [([QQ(0), QQ(1, 4), QQ(3, 4)], [QQ(1), QQ(0), QQ(0)]), ([QQ(1, 4), QQ(3, 4)], [QQ(1, 4), QQ(3, 4)])]
    for (p, q), fine in chain(zip(inputs.pairs(subject.floats, subject.few), repeat(False)), zip(always, repeat(True))):

        def trial(p: Any = p, q: Any = q, fine: bool = fine) -> Trial:
            given = {"p": texts(p), "q": texts(q), "draft": "drawn from q"}
            return law_trial(given, law_of(p), verified(subject, p, q, fine=fine), lattice_bound(subject, 2, len(p)))

        yield trial


def certain_drafts(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Deterministic drafters that report their one-hot."""
    for size, parts in ((2, 2), (2, 4), (3, 2 if subject.few else 4)):
        for p, hot in product(inputs.laws(size, parts), inputs.laws(size, 1)):

            def trial(p: Any = p, hot: Any = hot) -> Trial:
                given = {"p": texts(p), "q": texts(hot), "draft": hot.index(QQ(1))}
                return law_trial(given, law_of(p), verified(subject, p, hot), lattice_bound(subject, 2, len(p)))

            yield trial


def extreme_coins(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """The least and the largest coins: what is emitted must have p > 0."""
    for p, q in inputs.pairs(True, True):
        if all(p) or len(p) > 8:
            continue
        for x, coins in product(masses(q), product(ENDS, ENDS)):

            def trial(p: Any = p, q: Any = q, x: int = x, coins: Any = coins) -> Trial:
                given = {"p": texts(p), "q": texts(q), "draft": x, "coins": [*texts(coins), "..."]}
                token = subject.value("verify_token", p=p, q=q, draft=x, coins=[*coins] * 16)
                return possible_trial(given, p, token)

            yield trial


def extreme_samples(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """The least and the largest coins: what is drawn must have p > 0."""
    for p, u in product([*inputs.laws(2, 1), *inputs.laws(3, 2)], ENDS):
        if all(p):
            continue

        def trial(p: Any = p, u: Any = u) -> Trial:
            token = subject.value("sample", p=p, coins=[u] * 32)
            return possible_trial({"p": texts(p), "coins": [str(u), "..."]}, p, token)

        yield trial


def samples(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Draws from rows; from one of them on a fine grid of coins."""
    small = [p for size, parts in ((2, 2), (2, 4), (3, 4), (4, 4)) for p in inputs.laws(size, parts)]
    longer = [p for p, _ in inputs.pairs(subject.floats, subject.few) if len(p) > 4]
    for p, fine in [*product([*small, *longer], [False]), ([QQ(1, 4), QQ(3, 4)], True)]:

        def trial(p: Any = p, fine: bool = fine) -> Trial:
            found = subject.law("sample", list(accumulate(p)), fine=fine, p=p)
            return law_trial({"p": texts(p)}, law_of(p), found, lattice_bound(subject, 1, len(p)))

        yield trial
