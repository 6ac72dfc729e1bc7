"""A refutation as a sentence for people, and as data for machines."""

from __future__ import annotations

from typing import Any

from mtplx.audit.claims import Trial
from reference.numbers import rational

LONGEST, MOST_OUTCOMES = 160, 6
"""Characters of a value in a sentence, and outcomes of a law."""


def sentence(trial: Trial) -> str:
    """A refutation in words."""
    given = ", ".join(f"{name} = {text(head(value) if name == 'coins' else value)}" for name, value in trial.given.items())
    if trial.found is None:
        return f"{trial.note}, asked {given}"
    note = f"{trial.note}; " if trial.note else ""
    right, found = telling(trial.right, trial.found)
    return f"{given}: {note}right {right}, found {found}, distance {apart(trial.apart)}"


def head(coins: list[Any]) -> list[Any]:
    """The first coins; more are there only in case they are read."""
    return coins if len(coins) <= 4 else [*coins[:3], "..."]


def apart(value: Any) -> str:
    """A distance: a small fraction as it is, a long one as a decimal."""
    words = str(value)
    return words if len(words) <= 16 else f"{float(value):.3g}"


def telling(right: Any, found: Any) -> tuple[str, str]:
    """Two answers in words; of laws with many outcomes the one outcome that they differ in most."""
    if not (isinstance(right, dict) and isinstance(found, dict) and max(len(right), len(found)) > MOST_OUTCOMES):
        return text(right), text(found)
    outcome = max({**right, **found}, key=lambda o: abs(rational(right.get(o, 0)) - rational(found.get(o, 0))))
    return f"P({outcome}) = {right.get(outcome, 0)}", f"{found.get(outcome, 0)}"


def text(value: Any) -> str:
    """A value on one line, its end left out where it is long."""
    if isinstance(value, dict):
        words = "{" + ", ".join(f"{name or 'start'}: {text(entry)}" for name, entry in value.items()) + "}"
    elif isinstance(value, list):
        words = "(" + ", ".join(map(text, value)) + ")"
    else:
        words = str(value)
    return words if len(words) <= LONGEST else f"{words[: words.rfind(',', 0, LONGEST)]}, .."


def witness(trial: Trial) -> dict[str, Any]:
    """A refutation as JSON data."""
    return {
        "input": trial.given,
        "right": trial.right,
        "found": trial.found,
        "distance": str(trial.apart),
        "bound": str(trial.bound),
        "note": trial.note,
    }
