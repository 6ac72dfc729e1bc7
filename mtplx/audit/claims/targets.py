"""Filtered targets: the engine's row beside the certified one of its dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

from sympy import QQ

from mtplx.audit.claims.trial import Claim, Trial, law_of
from mtplx.audit.logits import TARGETS, Row, Settings
from mtplx.audit.measure import SMALLEST_NORMAL, UNIT, all_equal
from mtplx.audit.subject import Subject
from reference import filtered_target, softmax
from reference.claims import distance
from reference.dialects import dialect_named
from reference.numbers import rational


def target_bound(logits: Row, settings: Settings, law: Any) -> Any:
    """Total variation that arithmetic with unit roundoff u can make of a filtered target, and how far it can move a mass.

    With l/T and m/T rounded apart, by reciprocal and product, and their difference rounded, an exponent errs by at most
    4u (|l| + |m|)/T, and exp by (1.25 |x| + 2) u; weights off by e^(+-e_i) move the law by (1 + 2^-8) sum p_i e_i at most. A
    sum of n terms in any order, and the division, err by (n + 2) u. Engines that subtract the maximum first err by less.
    """
    top, T = max(logits), rational(settings.temperature)
    mean = QQ(0)
    for logit, p in zip(logits, law, strict=True):
        if p:
            x = (rational(top) - rational(logit)) / T
            size = (abs(rational(logit)) + abs(rational(top))) / T if top else x
            mean += p * min(4 * size + QQ(5, 4) * x + 2, 1 / UNIT)
    return (QQ(257, 256) * mean + len(logits) + 2) * UNIT


def target_trial(subject: Subject, logits: Row, settings: Settings) -> Trial:
    """The engine's filtered target beside the certified one."""
    given = {
        "logits": [x if abs(x) < float("inf") else str(x) for x in logits],
        "config": settings.data(),
        "dialect": subject.dialect,
    }
    right = filtered_target(logits, settings, subject.dialect)
    shown = [f"{float(p):.6g}" for p in right.midpoints]
    value = subject.value("target", logits=logits, config=settings.data())
    try:
        row = [rational(float(x) if x in ("nan", "inf", "-inf") else x) for x in value]
    except (TypeError, ValueError):
        return Trial(given, shown, value, QQ(1), note="the answer is no row of finite numbers")
    if len(row) != len(logits) or min(row) < 0 or not sum(row):
        return Trial(given, shown, value, QQ(1), note="the answer is no row of probabilities, one for each token")
    found = [f"{float(p):.6g}" for p in row]
    total = sum(row, QQ(0))
    greedy = settings.temperature == 0
    uncut = right.midpoints if greedy else softmax(logits, settings.temperature).midpoints
    slack = QQ(0) if greedy else target_bound(logits, settings, uncut)
    kept, expected = {t for t, p in enumerate(row) if p}, set(right.support)
    lost = {t for t in expected - kept if right.midpoints[t] < SMALLEST_NORMAL}
    disputed = (kept ^ expected) - lost
    moved = QQ(0)
    if disputed:
        mass = softmax(logits, settings.temperature if not greedy and dialect_named(subject.dialect).tempered else 1).midpoints
        through = list(accumulate(mass[t] for t in right.ranked))
        low, high = sorted((len(kept), len(expected)))
        near = max((abs(through[r - 1] - rational(settings.top_p)) for r in range(low, high) if r), default=QQ(1))
        same_size = low == high
        if greedy or same_size or all_equal(logits) or near > 2 * slack or not 0 < settings.top_p < 1:
            words = f"keeps {sorted(kept)}, right: {sorted(expected)}"
            return Trial(given, shown, found, distance(law_of(row), law_of(right.midpoints)), QQ(0), words)
        moved = sum((max(row[t], right.midpoints[t]) for t in disputed), QQ(0))
    if abs(total - 1) > slack:
        return Trial(given, shown, found, abs(total - 1), slack, note=f"the probabilities sum to {float(total)!r}")
    return Trial(given, shown, found, distance(law_of(row), law_of(right.midpoints)), slack + moved + right.radius)


def target_claim(name: str, sentence: str) -> Claim:
    """A claim about filtered targets of the rows of that name."""

    def trials(subject: Subject) -> Iterator[Callable[[], Trial]]:
        for logits, settings in TARGETS[name]:
            yield lambda logits=logits, settings=settings: target_trial(subject, logits, settings)  # type: ignore[misc]

    return Claim(name, sentence, ("target",), trials)
