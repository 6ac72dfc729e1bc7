"""The engine's own drafts: against the q that it reports, and verified on the same tape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sympy import QQ

from mtplx.audit import inputs
from mtplx.audit.claims.trial import Trial, lattice_bound, law_of, law_trial, texts
from mtplx.audit.client import WrongAnswer
from mtplx.audit.logits import OFF, Row, Settings
from mtplx.audit.measure import UNIT
from mtplx.audit.subject import Law, Subject
from reference.numbers import rational

PROPOSALS = [
    ([0.0, 0.0], OFF),
    ([1.0, 0.0], OFF),
    ([0.0, 0.0, 0.0], Settings(1.0, 1.0, 2)),
    ([0.0, 0.0, 0.0], Settings(1.0, 0.5, 0)),
    ([1.0, 0.0], Settings(0.5, 1.0, 0)),
    ([2.0, 1.0, 0.0], Settings(1.0, 1.0, 2)),
    ([2.0, 1.0, 0.0], Settings(0.0, 1.0, 0)),
]


def proposed(subject: Subject, logits: Row, settings: Settings) -> tuple[Law, list[Any]]:
    """The law of a proposed token, and the q that is reported with it; q must be the same for every token."""
    law = subject.law("propose", [QQ(k, 16) for k in range(16)], logits=logits, config=settings.data())
    for outcome in law:
        if not (isinstance(outcome, tuple) and len(outcome) == 2 and isinstance(outcome[1], tuple)):
            raise WrongAnswer(f"propose answers {outcome!r}; allowed: a token and the law it was drawn from")
    try:
        reports = {tuple(map(rational, q)) for _, q in law}
    except ValueError as error:
        raise WrongAnswer(f"propose reports no law: {error}") from None
    tokens: Law = {}
    for (token, _), share in law.items():
        tokens[token] = tokens.get(token, QQ(0)) + share
    if len(reports) > 1:
        raise WrongAnswer(f"propose reports {len(reports)} laws for one row")
    return tokens, list(reports.pop())


def honest(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """The law of the drawn token against the q that is reported with it."""
    for logits, settings in PROPOSALS:

        def trial(logits: Row = logits, settings: Settings = settings) -> Trial:
            tokens, q = proposed(subject, logits, settings)
            total = sum(q, QQ(0))
            given = {"logits": logits, "config": settings.data(), "reported q": [f"{float(x):.6g}" for x in q]}
            bound = lattice_bound(subject, 1, len(q)) + (len(q) + 2) * UNIT
            if abs(total - 1) > bound:
                return Trial(given, "a law", texts(q), abs(total - 1), bound, "the reported q does not sum to 1")
            return law_trial(given, law_of([x / total for x in q]), tokens, bound)

        yield trial


def own_drafts(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Proposed and verified on one tape."""
    for logits, settings in PROPOSALS:
        for p in inputs.laws(len(logits), 4)[1 : 3 if subject.few else 8]:

            def trial(logits: Row = logits, settings: Settings = settings, p: Any = p) -> Trial:
                found = subject.law(
                    "speculate", [*p, *(QQ(k, 8) for k in range(8))], logits=logits, config=settings.data(), p=p
                )
                given = {"p": texts(p), "draft logits": logits, "config": settings.data()}
                return law_trial(given, law_of(p), found, lattice_bound(subject, 3, len(p)) + (len(p) + 2) * UNIT)

            yield trial
