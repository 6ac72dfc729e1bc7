"""The command line: exit codes, JSON, messages, and Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

pytestmark = pytest.mark.device

COMMAND = [sys.executable, "-m", "mtplx"]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Two rows of eight logits in a .npy file."""
    path = tmp_path / "rows.npy"
    np.save(path, np.array([[0, 1, 2, 3, -1, -2, 1, -np.inf], [0] * 8], np.float32))
    return path


def test_check_prints_every_step_and_exits_0(rows: Path) -> None:
    """Every step of the issue's list stands in the table, for each row, and the verdict is EXACT."""
    done = run("check", "--logits", rows, "--draft", rows, "--temperature", "0.8", "--top-k", "5")
    assert done.returncode == 0, done.stderr
    for step in ("softmax(l / T)", "rank", "nucleus", "top-k", "renormalise", "acceptance", "residual", "marginal"):
        assert len(re.findall(rf"^ +{re.escape(step)}[ :]", done.stdout, re.MULTILINE)) >= 2
    assert "EXACT" in done.stdout.splitlines()[-1]


def test_check_reads_bfloat16_safetensors_and_prints_json(tmp_path: Path) -> None:
    """A bfloat16 tensor is read as it is; --json holds the verdict, settings as fractions, and every step."""
    path = tmp_path / "rows.safetensors"
    mx.save_safetensors(str(path), {"logits": mx.array([[1.0, 2.0, 3.0]]).astype(mx.bfloat16), "other": mx.zeros(1)})
    done = run("check", "--logits", path, "--top-p", "0.9", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["verdict"] == "EXACT"
    assert [row["top_p"] for row in report["rows"]] == ["9/10"]
    assert {step["verdict"] for row in report["rows"] for step in row["steps"]} == {"EXACT"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "--logits", "{rows}", "--temperature", "-1"), "temperature = '-1'; allowed: a finite number >= 0"),
        (("check", "--logits", "{rows}", "--top-p", "2"), "top_p = '2'; allowed: 0 < top_p <= 1"),
        (("check", "--logits", "{rows}", "--top-k", "-1"), "top_k = -1; allowed: an integer >= 0"),
        (("check", "--logits", "{rows}", "--top-k", "many"), "--top-k"),
        (("check", "--logits", "absent.npy"), "absent.npy"),
        (("check", "--logits", "{text}"), "allowed: a .npy or .safetensors file"),
        (("check", "--logits", "{broken}"), "cannot be read as .npy"),
        (("check", "--logits", "{broken_tensors}"), "cannot be read as .safetensors"),
        (("check", "--logits", "{nan}"), "row 0 hold nan at token 0"),
        (("check", "--logits", "{rows}", "--draft", "{nan}"), "nan"),
        (("check", "--logits", "{rows}", "--draft", "{short}"), "allowed: the same shape"),
        (("check",), "--logits"),
        (("audit", "vllm"), "built in: mtplx, mlx_lm"),
    ],
)
def test_bad_input_is_exit_2_with_a_sentence(rows: Path, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """Bad input says what was wrong and what is allowed, without a traceback, and exits 2."""
    files = {"rows": rows, "text": tmp_path / "rows.txt", "broken": tmp_path / "broken.npy"}
    files |= {"nan": tmp_path / "nan.npy", "short": tmp_path / "short.npy", "broken_tensors": tmp_path / "broken.safetensors"}
    for name in ("text", "broken", "broken_tensors"):
        files[name].write_text("no numbers")
    np.save(files["nan"], np.array([np.nan, 0], np.float32))
    np.save(files["short"], np.zeros((2, 7), np.float32))
    done = run(*(argument.format(**files) for argument in arguments))
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_interrupt_keeps_what_is_done(tmp_path: Path) -> None:
    """Ctrl-C prints the rows that are done and is inconclusive."""
    path = tmp_path / "many.npy"
    np.save(path, np.random.default_rng(0).normal(size=(600, 4000)).astype(np.float32))
    process = subprocess.Popen(
        [*COMMAND, "check", "--logits", str(path), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"FORCE_COLOR": "1"},  # a terminal, as far as the progress bar knows
    )
    assert process.stderr is not None
    seen = ""
    while "row 1" not in seen:  # the progress line names the row just done
        seen += process.stderr.read(1)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=300)
    report = json.loads(stdout)
    assert process.returncode == 3, stderr
    assert report["verdict"] == "INCONCLUSIVE"
    assert 0 < len(report["rows"]) < report["planned"] == 600


def test_verdict_survives_a_reader_that_leaves(rows: Path) -> None:
    """Where the reader of the output is gone, the exit code is still the verdict's."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, "check", "--logits", str(rows)], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert done.returncode == 0, done.stderr


def test_rounded_numbers_are_said(tmp_path: Path) -> None:
    """A float64 file whose numbers are no float32 is checked as rounded, and the command says how many."""
    path = tmp_path / "double.npy"
    np.save(path, np.array([[1.0, 1 + 1e-12, 0.1]]))
    done = run("check", "--logits", path)
    assert done.returncode == 0
    assert "2 numbers of --logits are no float32" in done.stderr


def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    """Workers do not outlive a parent that was killed: their end of standard error closes."""
    path = tmp_path / "many.npy"
    np.save(path, np.zeros((400, 4000), np.float32))
    process = subprocess.Popen(
        [*COMMAND, "check", "--logits", str(path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"FORCE_COLOR": "1"},
    )
    assert process.stderr is not None
    seen = ""
    while "row 1" not in seen:
        seen += process.stderr.read(1)
    process.kill()
    process.communicate(timeout=300)  # returns when the last worker has closed it
    assert process.returncode == -signal.SIGKILL


def test_version() -> None:
    """--version prints the version."""
    assert run("--version").stdout.split(".")[0].isdigit()


def test_help_names_the_exit_codes() -> None:
    """Each command's help says what its exit codes mean."""
    for command in ("check", "audit"):
        assert "3 inconclusive" in " ".join(run(command, "--help").stdout.replace("│", " ").split())
