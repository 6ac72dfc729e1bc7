"""Between questions: what was asked before must not matter, and what has no answer is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sympy import QQ

from mtplx.audit.claims.chains import chain_law
from mtplx.audit.claims.one_token import verified
from mtplx.audit.claims.trial import Trial, law_text
from mtplx.audit.client import EngineDied, EngineError
from mtplx.audit.inputs import Block
from mtplx.audit.logits import OFF, Settings
from mtplx.audit.subject import Subject
from reference.models import same_rows


def steady(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """A question, another, and the first again."""
    p, q, p2, q2 = ([QQ(weight, 4) for weight in row] for row in ((1, 2, 1), (2, 1, 1), (1, 1, 2), (1, 3, 0)))
    block, other = (Block(same_rows(*rows), 1, "") for rows in ((p, q), (p2, q2)))
    first, second = Settings(0.5, 0.75, 2).data(), Settings(2.0, 1.0, 0).data()
    questions: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "target": (
            lambda: subject.value("target", logits=[2.0, 1.0, 0.0], config=first),
            lambda: subject.value("target", logits=[0.0, 1.0, 2.0], config=second),
        ),
        "verify_token": (lambda: law_text(verified(subject, p, q)), lambda: law_text(verified(subject, p2, q2))),
        "verify_chain": (lambda: law_text(chain_law(subject, block)), lambda: law_text(chain_law(subject, other))),
    }
    for method, (ask, ask_other) in questions.items():
        if method not in subject.offers:
            continue

        def trial(method: str = method, ask: Callable[[], Any] = ask, ask_other: Callable[[], Any] = ask_other) -> Trial:
            subject.client.close()  # a fresh process, so that what happens does not depend on other claims
            before, between = ask(), ask_other()
            after, between_again = ask(), ask_other()
            changed = next((pair for pair in ((before, after), (between, between_again)) if pair[0] != pair[1]), None)
            note = f"the answer of {method} changes after a question with other rows and settings" if changed else ""
            first, then = changed or (before, after)
            return Trial({"asked twice": method}, first, then, QQ(bool(changed)), QQ(0), note)

        yield trial


def refusals(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Questions that have no right answer but a refusal."""
    half, bad, hot = [QQ(1, 2), QQ(1, 2)], [QQ(2), QQ(1)], [QQ(0), QQ(1)]
    off = OFF.data()
    questions: list[tuple[str, str, dict[str, Any]]] = [
        ("NaN among the logits", "target", {"logits": [0.0, float("nan")], "config": off}),
        ("+inf among the logits", "target", {"logits": [0.0, float("inf")], "config": off}),
        ("an empty row", "target", {"logits": [], "config": off}),
        ("a row of only -inf", "target", {"logits": [float("-inf")] * 2, "config": off}),
        ("a negative temperature", "target", {"logits": [1.0, 0.0], "config": {**off, "temperature": -1.0}}),
        ("top_p = 0", "target", {"logits": [1.0, 0.0], "config": {**off, "top_p": 0.0}}),
        ("top_k = -1", "target", {"logits": [1.0, 0.0], "config": {**off, "top_k": -1}}),
        ("a token id of -1", "acceptance", {"p": half, "q": half, "token": -1}),
        ("a token id beyond the vocabulary", "acceptance", {"p": half, "q": half, "token": 2}),
        ("a target that sums to 3", "acceptance", {"p": bad, "q": half, "token": 0}),
        ("two vocabularies", "residual", {"p": half, "q": [*half, QQ(0)]}),
        ("a draft id of -1", "verify_token", {"p": half, "q": half, "draft": -1, "coins": half * 4}),
        ("a draft id beyond the vocabulary", "verify_token", {"p": half, "q": half, "draft": 2, "coins": half * 4}),
    ]
    impossible = ("a draft of probability 0", "verify_token", {"p": hot, "q": hot, "draft": 0, "coins": half * 4})
    for words, method, arguments in [*questions, impossible]:
        if method not in subject.offers:
            continue

        def trial(words: str = words, method: str = method, arguments: Any = arguments) -> Trial:
            try:
                value = subject.value(method, **arguments)
            except EngineError as error:
                return Trial({"asked": words}, "a refusal", str(error), QQ(0))
            except EngineDied as error:
                return Trial({"asked": f"{method} of {words}, it {error}"}, "a refusal", None, QQ(1))
            if arguments == impossible[2] and value == 1:
                return Trial({"asked": words}, "a refusal, or token 1", value, QQ(0))
            return Trial({"asked": f"{method} of {words}"}, "a refusal", value, QQ(1), QQ(0), "answers instead of refusing")

        yield trial
