"""Engines in processes of their own: what they answer, how they die, what is found, and what is written down."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from sympy import QQ

from mtplx.audit.claims import CLAIMS
from mtplx.audit.client import NoEngine, client_for
from mtplx.audit.engine_audit import EngineReport, checks_for
from mtplx.audit.lattice import SIZE, Unprobeable, law_on_lattice
from mtplx.audit.subject import Subject
from mtplx.audit.verdict import Verdict
from mtplx.audit.verdict_file import SCHEMA, report_data, write
from tests.unit.engine_reports import BAD, ROOT, command, only, report_of

DOCS = (ROOT / "docs" / "engines.md").read_text()


@pytest.mark.parametrize("engine", ["Right", "Prints"])
def test_right_acceptance_passes(engine: str) -> None:
    """An engine with the right rule is EXACT, whatever it prints."""
    report = report_of(f"{BAD}:{engine}", "acceptance", "acceptance-at-q-0")
    assert [finding.verdict for finding in report.findings] == [Verdict.EXACT, Verdict.EXACT]
    assert report.verdict is Verdict.EXACT


@pytest.mark.parametrize(
    ("engine", "said", "limits"),
    [
        ("Hangs", "it gave no answer in 1 s", {"seconds": 1}),
        ("Crashes", "it crashed with signal 6, SIGABRT", {}),
        ("Eats", "MemoryError", {"memory": 1 << 28}),
        ("Raises", "it refuses a valid question: RuntimeError: not today", {}),
        ("Nonsense", "the answer is no finite number", {}),
    ],
)
def test_no_answer_is_a_verdict(engine: str, said: str, limits: dict[str, Any]) -> None:
    """Silence, a crash, memory without end, an exception and nonsense refute, and name the question."""
    finding = only(report_of(f"{BAD}:{engine}", "acceptance", **limits))
    assert finding.verdict is Verdict.REFUTED
    assert said in finding.sentence
    assert "token = 0" in finding.sentence


def test_process_that_does_not_read_is_given_up() -> None:
    """A question larger than a pipe, to a process that stopped, does not block the audit."""
    client = client_for(f"{BAD}:Stops", seconds=1)
    subject = Subject("stops", client)
    subject.meet()
    started = time.monotonic()
    for size in (2, 100_000):
        with pytest.raises(Exception, match="gave no answer in 1 s"):
            subject.value("target", logits=[0.0] * size, config={"temperature": 1.0, "top_p": 1.0, "top_k": 0})
        client.close()
    assert time.monotonic() - started < 60


def test_answers_that_waver_are_inconclusive() -> None:
    """A refutation that a fresh process does not repeat is no verdict."""
    finding = only(report_of(f"{BAD}:Wavers", "acceptance"))
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert "two processes answer one question differently" in finding.sentence


@pytest.mark.parametrize(("engine", "said"), [("Rejects", "a path of 1000 forks"), ("Floats", "is not exact; use instead")])
def test_limits_of_ours_refute_nobody(engine: str, said: str) -> None:
    """A program that the tape cannot represent is inconclusive, and the limit is named."""
    finding = only(report_of(f"{BAD}:{engine}", "sample-law"))
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert said in finding.sentence


def test_declared_loss_counts_as_holding() -> None:
    """An engine that declares itself lossy is LOSSY where it is refuted."""
    report = report_of(f"{BAD}:Lossy", "acceptance")
    assert only(report).verdict is Verdict.REFUTED
    assert report.verdict is Verdict.LOSSY
    assert command(f"{BAD}:Lossy", "--claim", "acceptance").returncode == 0


def test_harmless_reuse_is_reported_only() -> None:
    """A cell that is read twice is named; while the law is right that is all."""
    report = report_of(f"{BAD}:SharedCoin", "one-token-law")
    assert report.verdict is Verdict.EXACT
    assert report.read_twice == {"u"}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (f"{BAD}:Absent", "Absent"),
        (f"{BAD}:NoMethod", "residual = 5; allowed: a method, or None where it is not offered"),
        (f"{BAD}:Nothing", "offers nothing; allowed: at least one of target"),
        ("absent.py:Engine", "FileNotFoundError"),
        ("absent_module:Engine", "ModuleNotFoundError"),
        ("absent", "no engine of that name; allowed: a built-in one"),
        ("stdio:/absent/command", "does not start"),
        ("stdio:true", "does not say what it is: ended with exit code 0"),
        ("stdio:", "allowed: stdio:COMMAND"),
        ("stdio:cat", "does not say what it is"),
    ],
)
def test_engines_that_cannot_be_met(spec: str, said: str) -> None:
    """What cannot be loaded, started or understood, or offers nothing, is an input error with a sentence."""
    with pytest.raises(NoEngine, match=re.escape(said)):
        report_of(spec)


def test_entry_points(tmp_path: Path) -> None:
    """An entry point of group mtplx.engines names an engine."""
    shutil.copy(BAD, tmp_path / "their_engines.py")
    info = tmp_path / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mtplx.engines]\ntheirs = their_engines:Right\n")
    done = command("theirs", "--claim", "acceptance", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr


def test_lattice_finds_every_step() -> None:
    """Steps between the grid's points are found to the last place, in a coin that follows another too."""
    steps = [SIZE // 3, SIZE // 3 + 5, SIZE * 7 // 8 + 1]

    def ask(coins: Any) -> tuple[int, int]:
        first = sum(coins[0] * SIZE >= step for step in steps)
        return (first, 1) if first else (10 + (coins[1] * SIZE >= 12345), 2)

    law = law_on_lattice(ask, 3)
    share = QQ(steps[0], SIZE)
    assert law == {
        10: share * QQ(12345, SIZE),
        11: share * QQ(SIZE - 12345, SIZE),
        1: QQ(5, SIZE),
        2: QQ(steps[2] - steps[1], SIZE),
        3: QQ(SIZE - steps[2], SIZE),
    }


def test_lattice_looks_beside_the_right_thresholds() -> None:
    """A single coin that is wrong beside a threshold of the right rule is found, as is one at either end."""
    for wrong in (SIZE // 5, 0, SIZE - 1):
        law = law_on_lattice(lambda coins, wrong=wrong: (coins[0] * SIZE == wrong, 1), 1, [QQ(SIZE // 5, SIZE)])
        assert law == {True: QQ(1, SIZE), False: QQ(SIZE - 1, SIZE)}


def test_lattice_looks_at_what_later_coins_would_do() -> None:
    """Values of a coin that differ only in what a later, high coin brings are told apart, though all coins are always read."""
    half = SIZE // 2

    def ask(coins: Any) -> tuple[int, int]:
        first, second = (coin * SIZE >= half for coin in coins[:2])
        return int(first and second), 2

    assert law_on_lattice(ask, 2) == {0: QQ(3, 4), 1: QQ(1, 4)}


def test_lattice_mends_what_random_coins_show() -> None:
    """A rotated coin, whose pieces the first probes confuse, and a gap between the grid's points are found in a later round."""

    def rotated(coins: Any) -> tuple[tuple[bool, bool], int]:
        return tuple((coin + 0.375) % 1.0 >= 0.8125 for coin in coins[:2]), 2  # type: ignore[return-value]

    law = law_on_lattice(rotated, 2, checks=64)
    assert law == {(a, b): QQ(3 if a else 13, 16) * QQ(3 if b else 13, 16) for a in (True, False) for b in (True, False)}
    gap = law_on_lattice(lambda coins: (0.5625 <= coins[0] < 0.6875, 1), 1, checks=64)
    assert gap == {True: QQ(1, 8), False: QQ(7, 8)}


def test_no_law_is_made_up() -> None:
    """A race of two coins, and a coin whose last bit decides, have no law that probing finds."""
    for outcome in (lambda coins: coins[0] < coins[1], lambda coins: int(coins[0] * SIZE) % 2):
        with pytest.raises(Unprobeable):
            law_on_lattice(lambda coins, outcome=outcome: (outcome(coins), 2), 2, checks=1000)


def test_a_small_distance_takes_many_coins() -> None:
    """A probed law refutes at distance d after 21 / d random coins; where those are too many it does not."""
    assert (checks_for(QQ(1, 2)), checks_for(QQ(1, 100))) == (512, 2101)
    with pytest.raises(Unprobeable, match="random coins"):
        checks_for(QQ(1, 10**6))


def test_what_cannot_occur_refutes_within_the_bound() -> None:
    """A coin of 0 that lets a token of probability 0 through moves a law by 2^-25, less than rounding, and refutes it."""
    finding = only(report_of("mtplx.audit.museum.one_token:InclusiveCoin", "one-token-law"))
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness is not None
    assert finding.witness["input"] == {"p": ["1", "0"], "q": ["1/2", "1/2"], "draft": "drawn from q"}
    assert finding.witness["found"] == {"0": "33554431/33554432", "1": "1/33554432"}


def test_lattice_without_coins() -> None:
    """An answer that reads no coin is certain."""
    assert law_on_lattice(lambda coins: ("always", 0), 2) == {"always": QQ(1)}


@pytest.fixture(scope="module")
def refuted() -> EngineReport:
    """The report of the example with one coin."""
    return report_of(f"{ROOT}/examples/engine.py:OneCoin")


def test_verdict_file_keeps_its_schema(refuted: EngineReport, tmp_path: Path) -> None:
    """verdict.json satisfies the committed schema, refuted or not, and holds the witness as rationals in text."""
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for report in (refuted, report_of(f"{BAD}:Crashes", "acceptance"), report_of(f"{BAD}:Right", "acceptance")):
        write(report, tmp_path)
        data = json.loads((tmp_path / "verdict.json").read_text())
        jsonschema.validate(data, schema)
        assert data == report_data(report)
    (witness,) = (f.witness for f in refuted.findings if f.claim == "one-hot-draft")
    assert witness is not None
    assert witness["input"] == {"p": ["1/2", "1/4", "1/4"], "q": ["1", "0", "0"], "draft": 0}
    assert (witness["right"], witness["found"]) == ({"0": "1/2", "1": "1/4", "2": "1/4"}, {"0": "1/2", "2": "1/2"})
    assert (witness["distance"], witness["bound"]) == ("1/4", "0")
    assert witness["reproduce"].endswith("--claim one-hot-draft")


def test_junit(refuted: EngineReport, tmp_path: Path) -> None:
    """junit.xml has a case a claim: refuted ones fail, robustness and what is not offered are skipped."""
    write(refuted, tmp_path)
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert {case.get("name") for case in suite} == {claim.id for claim in CLAIMS}
    assert {case.get("name") for case in suite if case.find("failure") is not None} == {"one-token-law", "one-hot-draft"}
    assert suite.get("failures") == "2"
    assert suite.get("errors") == "0"


def test_one_question_has_one_hash(refuted: EngineReport) -> None:
    """The same audit asks the same questions: their hash says so, and another audit's is another."""
    again = report_of(f"{ROOT}/examples/engine.py:OneCoin")
    assert again.inputs_sha256 == refuted.inputs_sha256
    assert report_of(f"{BAD}:Right").inputs_sha256 != refuted.inputs_sha256


def test_interrupt_leaves_what_was_found(tmp_path: Path) -> None:
    """After Ctrl-C the folder holds the claims that were tried, and the command is inconclusive."""
    engine = tmp_path / "slow.py"
    engine.write_text(
        f"import time\nfrom importlib.util import spec_from_file_location, module_from_spec\n"
        f"spec = spec_from_file_location('bad', {str(BAD)!r})\nbad = module_from_spec(spec)\nspec.loader.exec_module(bad)\n"
        "class Slow(bad.Right):\n    def residual(self, p, q):\n        time.sleep(1000)\n"
    )
    line = [sys.executable, "-m", "mtplx", "audit", f"{engine}:Slow", "--out", str(tmp_path / "out"), "--seconds", "1000"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    verdict = tmp_path / "out" / "verdict.json"
    while not verdict.is_file() or len(json.loads(verdict.read_text())["findings"]) < 2:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 3, stderr
    assert "2 of 2 claims hold, 3 not tried" in stdout
    data = json.loads(verdict.read_text())
    assert (data["verdict"], data["complete"], len(data["findings"])) == ("INCONCLUSIVE", False, 2)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((f"{BAD}:Right", "--claim", "acceptance"), 0, "EXACT"),
        ((f"{BAD}:Raises", "--claim", "acceptance"), 1, "REFUTED"),
        ((f"{BAD}:Wavers", "--claim", "acceptance"), 3, "INCONCLUSIVE"),
        ((f"{BAD}:Nothing",), 2, "offers nothing"),
        ((f"{BAD}:Right", "--claim", "accept"), 2, "claim = 'accept'; allowed: target-plain"),
        ((f"{BAD}:Right", "--dialect", "vLLM"), 2, "dialect = 'vLLM'; allowed: mtplx"),
        ((), 2, "an engine, or --dump FILE, and not both"),
        ((f"{BAD}:Right", "--dump", "x.jsonl"), 2, "an engine, or --dump FILE, and not both"),
        (("--dump", "absent.jsonl"), 2, "absent.jsonl"),
        (("mtplx-pypi",), 2, "--python names one that has the public engine"),
    ],
)
def test_exit_codes(arguments: tuple[str, ...], code: int, said: str) -> None:
    """Each verdict, and each kind of bad input, has its exit code and says what it is."""
    done = command(*arguments)
    assert done.returncode == code, done.stderr
    assert said in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr


def test_dump_by_command(tmp_path: Path) -> None:
    """The example of docs/dumps.md is EXACT by the command, as table and as JSON; a flipped decision is REFUTED."""
    example = re.search(r"```jsonl\n(.*?)```", (ROOT / "docs" / "dumps.md").read_text(), re.DOTALL)
    assert example
    path = tmp_path / "run.jsonl"
    path.write_text(example[1])
    assert command("--dump", path).returncode == 0
    assert json.loads(command("--dump", path, "--json").stdout)["verdict"] == "EXACT"
    path.write_text(example[1].replace('"coin": 0.5, "accepted": false', '"coin": 0.5, "accepted": true'))
    done = command("--dump", path)
    assert done.returncode == 1
    assert "REFUTED decision: line 4" in done.stdout
    path.write_text("{}\n{")
    done = command("--dump", path)
    assert done.returncode == 2
    assert "line 2" in done.stderr


def test_engine_in_c(tmp_path: Path) -> None:
    """The example in C, compiled, passes every claim about what it offers; with `<=` in place of `<` it is refuted."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("not run: no C compiler")
    source = (ROOT / "examples" / "engine.c").read_text()
    for name, text, verdict in (
        ("right", source, Verdict.EXACT),
        ("inclusive", source.replace("coins[0] * q[draft] < p[draft]", "coins[0] * q[draft] <= p[draft]"), Verdict.REFUTED),
    ):
        (tmp_path / f"{name}.c").write_text(text)
        subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", tmp_path / name, tmp_path / f"{name}.c"], check=True)
        assert report_of(f"stdio:{tmp_path / name}").verdict is verdict


def test_example_in_python() -> None:
    """The right example passes every claim but the refusals, which are outside the verdict."""
    report = report_of(f"{ROOT}/examples/engine.py:Engine")
    assert report.verdict is Verdict.EXACT
    assert [f.claim for f in report.findings if f.verdict is not Verdict.EXACT] == ["bad-input"]


def test_example_in_torch() -> None:
    """The torch kernel passes every claim about what it offers, where torch is installed."""
    pytest.importorskip("torch", reason="not run: torch is not installed")
    assert report_of(f"{ROOT}/examples/torch_engine.py:Engine").verdict is Verdict.EXACT


def test_page_holds_the_examples_and_the_claims() -> None:
    """docs/engines.md shows the example files as they are, and lists exactly the claims that are tried."""
    blocks = dict(re.findall(r"```(python|c)\n(.*?)```", DOCS, re.DOTALL))
    for name, language in (("engine.py", "python"), ("torch_engine.py", "python"), ("engine.c", "c")):
        assert f"```{language}\n{(ROOT / 'examples' / name).read_text()}```" in DOCS
    assert set(blocks) == {"python", "c"}
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| ([^|]+) \|$", DOCS.split("## What is tried")[1], re.MULTILINE)
    assert rows == [(claim.id, claim.sentence) for claim in CLAIMS]
