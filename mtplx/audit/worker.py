"""The process that holds an engine written in Python: one JSON question a line in, one JSON answer a line out.

Run by its path, with any Python: it needs the standard library only, and `reference` where a law is asked for. The questions
are those of docs/engines.md, which an engine in another language answers itself.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

METHODS = {
    "target": ("logits", "config"),
    "acceptance": ("p", "q", "token"),
    "residual": ("p", "q"),
    "sample": ("p",),
    "propose": ("logits", "config"),
    "verify_token": ("p", "q", "draft"),
    "verify_chain": ("p_rows", "q_rows", "drafts"),
}
"""Method of an engine -> its arguments, without the tape."""
READS_MORE = "one answer reads more than"


@dataclass(frozen=True)
class Config:
    """Settings of a sampler, as the engine is given them."""

    temperature: Any
    top_p: Any
    top_k: int


class Coins:
    """A tape of given numbers, read one after another; a name reads its first number again."""

    def __init__(self, coins: Sequence[Any]) -> None:
        self.coins = coins
        self.read = 0
        self.named: dict[Any, Any] = {}

    def coin(self, name: Any = None) -> Any:
        """The next number, in [0, 1)."""
        if name in self.named:
            return self.named[name]
        if self.read == len(self.coins):
            raise IndexError(f"{READS_MORE} {len(self.coins)} coins")
        coin = self.coins[self.read]
        self.read += 1
        if name is not None:
            self.named[name] = coin
        return coin

    def categorical(self, law: Sequence[Any], name: Any = None) -> int:
        """The inverse CDF of law / sum(law), in id order, of the next number."""
        u = self.coin(name) * sum(law)
        through: Any = 0
        for token, share in enumerate(law):
            through = through + share
            if u < through:
                return token
        return max(token for token, share in enumerate(law) if share > 0)  # u = 1 - 2^-24 beyond a rounded sum

    def below(self, n: int, name: Any = None) -> int:
        """floor(n u)."""
        return int(n * self.coin(name))

    def race(self, rates: Sequence[Any], noise: Any = None) -> int:
        """The i with the smallest E_i / rates[i], with the exponential of a coin each: E = -log(1 - u)."""
        waits = [-math.log1p(-float(self.coin(None if noise is None else (noise, i)))) for i in range(len(rates))]
        return min((i for i, rate in enumerate(rates) if rate), key=lambda i: waits[i] / float(rates[i]))


def load(spec: str) -> Any:
    """The engine that `module:attribute`, `path.py:attribute` or an entry point of group `mtplx.engines` names."""
    place, _, attribute = spec.rpartition(":")
    if not place:
        entries = list(importlib.metadata.entry_points(group="mtplx.engines", name=spec))
        if not entries:
            hint = ": name one of its classes, as path.py:Class" if spec.endswith(".py") else ""
            raise ImportError(
                f"no engine of that name{hint}; allowed: a built-in one, an entry point, module:attribute, path.py:attribute, "
                "stdio:COMMAND"
            )
        found = entries[0].load()
    elif place.endswith(".py"):
        path = Path(place).resolve()
        sys.path.insert(0, str(path.parent))
        described = importlib.util.spec_from_file_location(path.stem, path)
        if described is None or described.loader is None:
            raise ImportError(f"{place} is no Python file")
        module = importlib.util.module_from_spec(described)
        sys.modules[path.stem] = module
        described.loader.exec_module(module)
        found = getattr(module, attribute)
    else:
        sys.path.insert(0, os.getcwd())
        found = getattr(importlib.import_module(place), attribute)
    return found() if isinstance(found, type) else found


def about(engine: Any) -> dict[str, Any]:
    """What the engine says of itself; a method that is None is not offered."""
    for method in METHODS:
        if not callable(found := getattr(engine, method, None)) and found is not None:
            raise TypeError(f"{method} = {found!r}; allowed: a method, or None where it is not offered")
    return {
        "name": str(getattr(engine, "name", type(engine).__name__)),
        "offers": [method for method in METHODS if callable(getattr(engine, method, None))],
        "dialect": getattr(engine, "dialect", "mtplx"),
        "numbers": getattr(engine, "numbers", "exact"),
        "rule": getattr(engine, "rule", None),
        "lossy": bool(getattr(engine, "lossy", False)),
        "version": getattr(engine, "version", None),
        "laws": all(importlib.util.find_spec(name) for name in ("reference", "sympy", "flint")),
    }


def number(value: Any) -> Any:
    """A number of a question: JSON numbers as they are, strings as fractions, and -inf."""
    return float(value) if value in ("-inf", "inf", "nan") else Fraction(value) if isinstance(value, str) else value


def argument(name: str, value: Any, floats: bool) -> Any:
    """An argument of a question as the engine takes it; rows become float32 arrays for an engine that takes floats."""
    if name == "config":
        return Config(**{field: number(entry) for field, entry in value.items()})
    if name in ("p", "q", "logits"):
        row = [number(entry) for entry in value]
        if floats:
            import numpy as np

            return np.array(row, dtype=np.float32)
        return row
    if name in ("p_rows", "q_rows"):
        return [argument("p", row, floats) for row in value]
    return value


def plain(value: Any) -> Any:
    """An answer as JSON: arrays as lists, rationals as strings, floats as they are."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not (float("-inf") < value < float("inf")):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "numerator"):
        return f"{value.numerator}/{value.denominator}"
    if hasattr(value, "__index__"):
        return int(value)
    return float(value)


def same(a: Any, b: Any) -> bool:
    """Whether an argument is what it was."""
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a.tobytes() == b.tobytes()) if hasattr(a, "tobytes") else a is b or bool(a == b)


def program(engine: Any, question: dict[str, Any], changed: set[str]) -> Callable[..., Any]:
    """What the engine does, with a tape if it reads one; `changed` collects the arguments that it wrote into."""
    floats = getattr(engine, "numbers", "exact") == "float"
    method = question["call"]
    if method == "speculate":

        def speculate(tape: Any) -> Any:
            logits, config = (argument(name, question[name], floats) for name in ("logits", "config"))
            token, q = engine.propose(logits, config, tape)
            return engine.verify_token(argument("p", question["p"], floats), q, token, tape)

        return speculate
    arguments = {name: argument(name, question[name], floats) for name in METHODS[method]}

    def call(*tape: Any) -> Any:
        given = deepcopy(arguments)  # of its own for every run
        found = getattr(engine, method)(*given.values(), *tape)
        changed.update(name for name, value in arguments.items() if not same(value, given[name]))
        return found

    return call


def hashed(value: Any) -> Any:
    """An answer that can be an outcome."""
    return json.dumps(plain(value))


def answer(engine: Any, question: dict[str, Any]) -> dict[str, Any]:
    """The answer to one question."""
    method = question["call"]
    if method == "about":
        return {"value": about(engine)}
    changed: set[str] = set()
    run = program(engine, question, changed)
    if question.get("law"):
        from reference.tape import explore

        found = explore(lambda tape: hashed(run(tape)))
        law = [[json.loads(str(outcome)), f"{share.numerator}/{share.denominator}"] for outcome, share in found.law.items()]
        read_twice = sorted(map(str, found.read_twice))
        return {"law": law, "read_twice": read_twice, "paths": found.paths, "changed": sorted(changed)}
    tapes = [Coins([number(coin) for coin in question["coins"]])] if "coins" in question else []
    value = plain(run(*tapes))
    return {"value": value, "read": sum(tape.read for tape in tapes), "changed": sorted(changed)}


def main(spec: str) -> None:
    """Answer until the questions end. What the engine prints goes to standard error."""
    sys.path.pop(0)  # the folder of this file, whose modules are not the engine's
    questions, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # the engine's own standard streams
    os.dup2(2, 1)
    try:
        engine = load(spec)
    except Exception as error:
        engine, failure = None, f"{type(error).__name__}: {error}"
    for line in questions:
        if engine is None:
            found = {"failed": failure}
        else:
            try:
                found = answer(engine, json.loads(line))
            except Exception as error:
                found = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(found) + "\n")
        answers.flush()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        main(sys.argv[1])
