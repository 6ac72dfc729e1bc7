"""What the benchmark measures: floors, our laws, mlx_lm's chain, and engines of other environments over a line.

A method makes a call ready, untimed, and answers the seconds of the call alone; unless it is to be cold, an untimed call on
another row goes before it. MLX is lazy: every call evaluates its result.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Literal, Protocol

import mlx.core as mx
import numpy as np
from bench_rows import Pool, Setting
from bench_timing import NotMeasured
from bench_worker import PublicMtplx, Transformers, seconds

from mtplx import dyadic
from mtplx.randomness import draw
from mtplx.sampling import distribution_from_logits

WORKER = Path(__file__).with_name("bench_worker.py")
QUIET = {"OMP_WAIT_POLICY": "passive"}
"""Threads of torch that spin while they wait make its own next step six times slower on two cores, and every other method."""

MAX, EXP_SUM, CUMSUM = "one max pass", "one exp + sum", "one cumsum"
FLOAT, DYADIC, DRAWN = "our float law", "our dyadic law", "law + one draw"
OURS = (FLOAT, DYADIC, DRAWN)
MLX_LM = "mlx_lm's chain"
TRANSFORMERS, PUBLIC = Transformers.name, PublicMtplx.name

Gives = Literal["floor", "law", "token"]


class Method(Protocol):
    """Something that can be timed on a batch of a pool."""

    name: str
    gives: Gives
    about: str

    def seconds(self, pool: Pool, setting: Setting, batch: int, place: int, cold: bool) -> float: ...


class Local:
    """A method of this process: `made` makes, for a setting, the call on a batch of rows [B, V]."""

    def __init__(self, name: str, gives: Gives, about: str, made: Callable[[Setting], Callable[[mx.array], Any]]) -> None:
        self.name, self.gives, self.about, self.made = name, gives, about, made
        self.calls: dict[Setting, Callable[[mx.array], Any]] = {}

    def seconds(self, pool: Pool, setting: Setting, batch: int, place: int, cold: bool) -> float:
        """Seconds of one call."""
        if setting not in self.calls:
            self.calls[setting] = self.made(setting)
        call, rows, before = self.calls[setting], pool.batch(batch, place), pool.before(batch, place)
        return seconds(lambda: call(rows), None if cold else lambda: call(before))


def floor(name: str, about: str, step: Callable[[mx.array], mx.array]) -> Local:
    """A floor: whatever the setting, a law has to do at least something like it."""
    return Local(name, "floor", about, lambda _: lambda rows: mx.eval(step(rows)))


def evaluated(law: dyadic.DyadicLaw) -> dyadic.DyadicLaw:
    """The same law, computed."""
    mx.eval(law.token_ids, law.counts)
    return law


def one_draw(setting: Setting) -> Callable[[mx.array], Any]:
    """Dyadic laws, a draw by name for each, and the tokens that hold them; every call draws at a new position."""
    config, positions = setting.config, count()

    def token(rows: mx.array) -> Any:
        law = dyadic.from_logits(rows, config)
        return law.sample(draw(0, range(len(rows)), next(positions), 0))

    return token


def mlx_lm_chain(setting: Setting) -> Callable[[mx.array], Any]:
    """mlx_lm's sampler on log-probabilities, as its generation makes them."""
    from mlx_lm.sample_utils import make_sampler

    sampler = make_sampler(setting.temperature, setting.top_p, top_k=setting.top_k)
    return lambda rows: mx.eval(sampler(rows - mx.logsumexp(rows, axis=-1, keepdims=True)))


def local_methods() -> tuple[list[Method], dict[str, str]]:
    """The methods of this process, and why mlx_lm is not one of them if it is not."""
    methods: list[Method] = [
        floor(MAX, "mx.max of each row", lambda rows: mx.max(rows, axis=-1)),
        floor(EXP_SUM, "mx.exp of each row, and its sum", lambda rows: mx.sum(mx.exp(rows), axis=-1)),
        floor(CUMSUM, "mx.cumsum of each row", lambda rows: mx.cumsum(rows, axis=-1)),
        Local(
            FLOAT,
            "law",
            "mtplx.sampling.distribution_from_logits: float32 [B, V]",
            lambda setting: lambda rows: mx.eval(distribution_from_logits(rows, setting.config)),
        ),
        Local(
            DYADIC,
            "law",
            "mtplx.dyadic.from_logits: token ids and counts",
            lambda setting: lambda rows: evaluated(dyadic.from_logits(rows, setting.config)),
        ),
        Local(DRAWN, "token", "the dyadic law, a draw of mtplx.randomness, law.sample: a token a row", one_draw),
    ]
    if importlib.util.find_spec("mlx_lm") is None:
        return methods, {MLX_LM: "mlx_lm is not installed"}
    about = f"mlx_lm {importlib.metadata.version('mlx-lm')}: logits - logsumexp, then make_sampler's filters and its own draw"
    return [*methods, Local(MLX_LM, "token", f"{about}: a token a row", mlx_lm_chain)], {}


class Line:
    """A worker in another environment, as long as the context lasts; the project is not on its path."""

    def __init__(self, python: Path) -> None:
        outside = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        self.process = subprocess.Popen(
            [str(python), str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=tempfile.gettempdir(),
            env=QUIET | outside,
            start_new_session=True,  # Ctrl-C is for us alone
        )
        self.loaded: Pool | None = None
        greeting = self.answer()
        self.offered: dict[str, str] = greeting["offered"]
        self.missing: dict[str, str] = greeting["missing"]

    def answer(self) -> dict[str, Any]:
        """The next line of the worker. NotMeasured if there is none."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise NotMeasured(f"the worker ended with exit code {self.process.wait()}")
        found: dict[str, Any] = json.loads(line)
        if "error" in found:
            raise NotMeasured(found["error"])
        return found

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to a question. NotMeasured if it is an error."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise NotMeasured(f"the worker ended with exit code {self.process.wait()}") from None
        return self.answer()

    def load(self, pool: Pool) -> None:
        """Give the worker the rows of a pool, once."""
        if self.loaded is pool:
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.npy"
            np.save(path, pool.rows)
            self.ask({"rows": str(path)})
        self.loaded = pool

    def close(self) -> None:
        """End the worker."""
        with suppress(BrokenPipeError):
            self.process.communicate()


class Remote:
    """A method of a worker."""

    gives: Gives = "law"

    def __init__(self, name: str, about: str, line: Line) -> None:
        self.name, self.about, self.line = name, about, line

    def seconds(self, pool: Pool, setting: Setting, batch: int, place: int, cold: bool) -> float:
        """Seconds of one call, as the worker measures them."""
        self.line.load(pool)
        settings = {"temperature": setting.temperature, "top_p": setting.top_p, "top_k": setting.top_k}
        asked = {"method": self.name, "start": pool.start(batch, place), "batch": batch, "cold": cold, **settings}
        found: float = self.line.ask(asked)["seconds"]
        return found


def remote_methods(lines: list[Line]) -> tuple[list[Method], dict[str, str]]:
    """The engines that the workers offer, each from the first that has it, and why the others are not measured."""
    methods: dict[str, Method] = {}
    for line in lines:
        for name, version in line.offered.items():
            methods.setdefault(name, Remote(name, f"{name} {version}: a law a row", line))
    missing = {}
    for name in {PUBLIC, TRANSFORMERS} - methods.keys():
        missing[name] = "; ".join(line.missing[name] for line in lines) or "no --python names an environment that has it"
    return list(methods.values()), missing
