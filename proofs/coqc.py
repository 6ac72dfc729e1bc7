"""Runs Coq on the theorems of this folder: compiles them, and asks what each rests on."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent / "coq"
ORDER = (
    *("Laws", "TokenRule", "Chain", "MultiDraft", "BlockRule", "Block", "BlockDominance", "Folds"),
    *("Counting", "OneDraw", "OneDrawChain", "Ranks", "Nucleus"),
)
"""The files, each after those it needs."""
CLOSED = "Closed under the global context"
SECONDS = 300


def installed() -> str | None:
    """Coq's version, or None where there is no `coqc`."""
    if shutil.which("coqc") is None:
        return None
    found = re.search(r"version (\S+)", run(["coqc", "--version"], FOLDER))
    return found[1] if found else "unknown"


def run(command: list[str], folder: Path) -> str:
    """What a command prints, on either stream; RuntimeError with it if it fails."""
    out = subprocess.PIPE
    done = subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def compile_all(build: Path) -> None:
    """Copies the files and compiles them in order; RuntimeError with Coq's words where one is not accepted."""
    for name in ORDER:
        shutil.copy(FOLDER / f"{name}.v", build)
        run(["coqc", "-q", f"{name}.v"], build)


def ask(build: Path, name: str, text: str) -> str:
    """What Coq prints on a file of this text beside the compiled ones."""
    (build / f"{name}.v").write_text(text, encoding="utf-8")
    return run(["coqc", "-q", f"{name}.v"], build)


def statements(file: str) -> list[str]:
    """The names of the theorems stated in a file."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    return re.findall(r"^ *(?:Theorem|Corollary) (\w+)", text, re.MULTILINE)
