"""The audit's end of the line to an engine: a process with limits, whose crash or silence is an answer too."""

from __future__ import annotations

import json
import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

WORKER = Path(__file__).with_name("worker.py")
ANSWER_SECONDS = 20.0
START_SECONDS = 120.0
"""Importing an engine may load a framework."""
MEMORY_BYTES = 8 << 30
SILENCE = "gave no answer in"
PIPE_BYTES = 512
"""A pipe that is ready takes this many bytes at once without waiting (POSIX)."""


class EngineError(Exception):
    """The engine answered with an error of its own: a refusal."""


class WrongAnswer(EngineError):
    """The engine answered, and the answer is none that the question allows."""


class EngineDied(Exception):
    """The engine crashed, hung, or answered with something that is no answer."""


class NoEngine(ValueError):
    """The engine cannot be loaded or started."""


@dataclass
class Client:
    """A line to one engine. The process is started when first needed, and again after it died.

    history: the questions that the present process was asked.
    """

    command: Sequence[str]
    seconds: float = ANSWER_SECONDS
    memory: int = MEMORY_BYTES
    hidden: frozenset[str] = frozenset()
    process: subprocess.Popen[bytes] | None = None
    asked: int = 0
    last: dict[str, Any] = field(default_factory=dict)
    asked_sha256: Any = field(default_factory=sha256)
    pending: bytes = b""
    history: list[bytes] = field(default_factory=list)

    def start(self) -> None:
        """Start the process under its memory limit."""
        environment = {name: value for name, value in os.environ.items() if name not in self.hidden}
        try:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                bufsize=0,
            )
        except OSError as error:
            raise NoEngine(f"{shlex.join(self.command)} does not start: {error}") from error
        self.pending, self.history = b"", []
        if sys.platform == "linux":
            import resource

            resource.prlimit(self.process.pid, resource.RLIMIT_DATA, (self.memory, self.memory))

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to a question; EngineError or EngineDied where there is none."""
        if self.process is None:
            self.about()
        text = json.dumps(question).encode() + b"\n"
        self.asked += 1
        self.last = question
        self.asked_sha256.update(text)
        self.history.append(text)
        return self.exchange(text, self.seconds)

    def about(self) -> dict[str, Any]:
        """What a new process says of itself; it may take its time to load."""
        self.close()
        self.start()
        return dict(self.exchange(b'{"call": "about"}\n', START_SECONDS)["value"])

    def repeat(self, questions: Sequence[bytes]) -> None:
        """Ask a fresh process questions whose answers do not matter, as long as it lives."""
        self.about()
        for text in questions:
            try:
                self.exchange(text, self.seconds)
            except EngineError:
                continue
            except EngineDied:
                return

    def exchange(self, text: bytes, seconds: float) -> dict[str, Any]:
        """Send a line; the answer, waited for that long."""
        line = self.line(text, seconds)
        try:
            found = json.loads(line)
        except ValueError:
            raise self.died(f"answered {line[:80].decode(errors='replace')!r}, which is no JSON") from None
        if not isinstance(found, dict):
            raise self.died(f"answered {line[:80].decode(errors='replace')!r}, which is no JSON object")
        if "failed" in found:
            raise NoEngine(str(found["failed"]))
        if "error" in found:
            raise EngineError(str(found["error"]))
        if "value" not in found and "law" not in found:
            raise self.died(f"answered {line[:80].decode(errors='replace')}, which has neither value nor error")
        return found

    def line(self, text: bytes, seconds: float) -> bytes:
        """The line that answers a line; a process that does not even read is given up too."""
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if self.pending:
            raise self.died(f"answered more than one line: {self.pending[:80].decode(errors='replace')!r} was left")
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            selector.register(self.process.stdin, selectors.EVENT_WRITE)
            while text or b"\n" not in self.pending:
                ready = selector.select(max(0.0, end - time.monotonic()))
                if not ready:
                    raise self.died(f"{SILENCE} {seconds:g} s")
                for key, _ in ready:
                    if key.fileobj is self.process.stdin:
                        text = text[self.write(text[:PIPE_BYTES]) :]
                        if not text:
                            selector.unregister(self.process.stdin)
                    elif chunk := os.read(self.process.stdout.fileno(), 1 << 16):
                        self.pending += chunk
                    else:
                        raise self.died("ended")
        line, _, self.pending = self.pending.partition(b"\n")
        return line

    def write(self, text: bytes) -> int:
        """How many bytes a pipe that is ready took."""
        assert self.process is not None
        assert self.process.stdin is not None
        try:
            return os.write(self.process.stdin.fileno(), text)
        except BrokenPipeError:
            raise self.died("ended") from None

    def died(self, how: str) -> EngineDied:
        """End the process; say how it went."""
        process, self.process = self.process, None
        if process is None:
            return EngineDied(how)
        if how != "ended":
            process.kill()
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        return EngineDied(how if how != "ended" else ended(code))

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.died("closed")


def ended(code: int) -> str:
    """How a process ended by itself."""
    if code >= 0:
        return f"ended with exit code {code}"
    return f"crashed with signal {-code}, {signal.Signals(-code).name}"


def client_for(spec: str, python: str | None = None, **limits: Any) -> Client:
    """A line to the engine that a name stands for: stdio:COMMAND, or what `mtplx.audit.worker` loads."""
    if spec.startswith("stdio:"):
        if not shlex.split(spec.removeprefix("stdio:")):
            raise NoEngine(f"engine = {spec!r}; allowed: stdio:COMMAND")
        return Client(shlex.split(spec.removeprefix("stdio:")), **limits)
    hidden = frozenset({"PYTHONPATH"}) if python else frozenset()  # another Python has packages of its own
    return Client([python or sys.executable, str(WORKER), spec], hidden=hidden, **limits)
