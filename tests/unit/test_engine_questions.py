"""What engines are asked, and what their answers come to: state, silence, coins of their own, blocks without drafts."""

from __future__ import annotations

import json
import re
import sys
from itertools import product
from pathlib import Path

import pytest
from sympy import QQ

from mtplx.audit import inputs, logits
from mtplx.audit.client import client_for
from mtplx.audit.engine_audit import audit
from mtplx.audit.sentences import telling
from mtplx.audit.subject import Subject
from mtplx.audit.verdict import Verdict
from tests.unit.engine_reports import BAD, ROOT, command, only, report_of


def test_what_is_wrong_only_later_is_refuted() -> None:
    """A method that draws nothing and is wrong only after sixty questions is refuted, and the line asks them all again."""
    spec = f"{BAD}:WrongLater"
    (finding,) = (f for f in report_of(spec).findings if f.claim == "acceptance")
    assert finding.verdict is Verdict.REFUTED
    assert "other questions, and not at once" in finding.sentence
    assert finding.witness is not None
    assert finding.witness["reproduce"] == f"mtplx audit {spec}"


def test_a_silent_method_is_asked_no_more() -> None:
    """After a question without an answer the method's other claims are left open, and name the reason."""
    first, second = report_of(f"{BAD}:Hangs", "acceptance", "acceptance-at-q-0", seconds=1).findings
    assert (first.verdict, second.verdict) == (Verdict.REFUTED, Verdict.INCONCLUSIVE)
    assert second.sentence == "not tried: acceptance gave no answer to a question before"


def test_arguments_written_into_are_named() -> None:
    """An engine that writes into its arguments is EXACT while its answers are right, and the arguments are named."""
    report = report_of(f"{BAD}:Scribbles", "residual")
    assert (report.verdict, report.changed) == (Verdict.EXACT, {"p"})
    assert report_of(f"{BAD}:Right", "acceptance").changed == set()


def test_a_narrow_gap_of_coins_is_seen() -> None:
    """A thousandth of a coin that accepts what should be rejected is found on the fine grid."""
    finding = only(report_of(f"{BAD}:Gap", "one-token-law"))
    assert finding.verdict is Verdict.REFUTED
    assert "0 has probability 0 and comes out" in finding.sentence


def test_numbers_of_its_own_are_no_law() -> None:
    """An engine that draws without the tape is inconclusive, however its first answers come out."""
    finding = only(report_of(f"{BAD}:OwnRandomness", "sample-law"))
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert "it reads no coin, and yet its answers differ" in finding.sentence


@pytest.mark.parametrize(
    ("engine", "verdict"),
    [("Chain", Verdict.EXACT), ("NeedsDrafts", Verdict.EXACT), ("ForgetsBonus", Verdict.REFUTED)],
)
def test_blocks_without_drafts(engine: str, verdict: Verdict) -> None:
    """Without a draft a block is one draw from the target's row; a refusal is no fault, another law is one."""
    finding = only(report_of(f"{BAD}:{engine}", "joint-law"))
    assert finding.verdict is verdict, finding.sentence
    assert verdict is Verdict.EXACT or finding.sentence.startswith("k = 0")


@pytest.mark.parametrize(("engine", "shown"), [("TextTokens", "'0'"), ("OneElement", "[0]")])
def test_what_is_no_token_is_shown(engine: str, shown: str) -> None:
    """The text '0', or a list of one token, is no token 0, and the sentence shows it."""
    for claim in ("sample-law", "sample-coins"):
        assert f"the answer {shown} is no token id; allowed: an integer" in only(report_of(f"{BAD}:{engine}", claim)).sentence


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("{}", "which has neither value nor error"),
        ('{"value": 0, "read": null}', "says that it read None coins; allowed: an integer from 0 to 32"),
        ('{"value": 0, "read": 99}', "says that it read 99 coins"),
        ('{"value": 0, "read": 1}\\n{"value": 0, "read": 1}', "answered more than one line"),
        ("[]", "which is no JSON object"),
        ("hello", "which is no JSON"),
    ],
)
def test_answers_out_of_form_refute(answer: str, said: str, tmp_path: Path) -> None:
    """A line without value or error, an impossible number of coins, two lines for one question: verdicts, no crash of ours."""
    engine = tmp_path / "engine.py"
    about = '{"value": {"name": "odd", "offers": ["sample"]}}'
    engine.write_text(
        f"import sys\nprint('{about}', flush=True)\nnext(sys.stdin)\nfor _ in sys.stdin: print('{answer}', flush=True)\n"
    )
    finding = only(report_of(f"stdio:{sys.executable} {engine}", "sample-law"))
    assert finding.verdict is Verdict.REFUTED
    assert said in finding.sentence


def test_exact_engines_without_the_reference_are_probed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a Python that lacks this package an engine with exact numbers is judged on the lattice, and right ones pass."""
    subject = Subject("there", client_for(f"{ROOT}/examples/engine.py:Engine"))
    about = subject.client.about
    assert about()["laws"] is True
    monkeypatch.setattr(subject.client, "about", lambda: about() | {"laws": False})
    subject.meet()
    *_, report = audit(subject, ["acceptance", "residual", "one-token-law", "one-hot-draft", "extreme-coins", "steady"])
    subject.client.close()
    assert (report.level, report.verdict) == ("lattice", Verdict.EXACT)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((f"{BAD}:Right", "--claim", "joint-law"), "claim = 'joint-law' needs verify_chain; the engine offers acceptance"),
        ((f"{BAD}:Right", "--out", BAD), "is a file; allowed: a folder"),
        ((str(BAD),), "name one of its classes, as path.py:Class"),
        (("--dump", BAD, "--claim", "decision"), "--claim with --dump; allowed with it: --dialect, --json"),
        ((f"{BAD}:Right", "--seconds", "-1"), "greater than or equal to 0.1"),
    ],
)
def test_arguments_that_do_not_fit(arguments: tuple[object, ...], said: str) -> None:
    """What was asked for and cannot be done is an input error with a sentence."""
    done = command(*arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_the_line_that_asks_again_keeps_the_limits() -> None:
    """A refutation by a limit is repeated under that limit."""
    done = command(f"{BAD}:Hangs", "--seconds", "0.5", "--claim", "acceptance", "--json")
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["witness"]["reproduce"] == f"mtplx audit {BAD}:Hangs --seconds 0.5 --claim acceptance"


def test_questions_beyond_our_limits_are_counted() -> None:
    """A race over more tokens than the tape can judge leaves the verdict to narrower rows, and a remark says so."""
    finding = only(report_of("mtplx.audit.museum.proposals:OwnNoise", "one-token-law"))
    assert finding.verdict is Verdict.EXACT
    (remark,) = finding.remarks
    assert re.match(r"\d+ of \d+ questions are beyond a limit of ours: TapeError: race over 9 rates", remark)


def test_laws_of_many_outcomes_are_told_by_one() -> None:
    """Of two long laws a sentence tells the outcome that they differ in most; short ones are shown whole."""
    right = {str(i): "1/8" for i in range(8)}
    assert telling(right, {**right, "2": "3/8", "3": "0"}) == ("P(2) = 1/8", "3/8")
    assert telling({"0": "1"}, {"1": "1"}) == ("{0: 1}", "{1: 1}")


def test_the_page_says_what_is_asked() -> None:
    """The ranges on the page are those of the inputs: rows, their entries and sums, blocks, temperatures."""
    rows = {floats: [row for pair in inputs.pairs(floats, floats) for row in pair] for floats in (True, False)}
    assert {floats: max(map(len, found)) for floats, found in rows.items()} == {True: 16, False: 24}
    assert min(x for row in rows[True] for x in row if x) >= QQ(1, 2**14)
    assert {sum(row) for row in rows[False]} == {1}
    assert all(abs(sum(row) - 1) <= QQ(1, 2**24) for row in rows[True])
    assert any(sum(row) != 1 for row in rows[True])
    assert {floats: max(block.k for block in inputs.blocks(floats)) for floats in (True, False)} == {True: 6, False: 8}
    asked = [question for claim in logits.TARGETS.values() for question in claim]
    assert (min(len(row) for row, _ in asked), max(len(row) for row, _ in asked)) == (1, 70_000)
    assert sum(len(row) > 4096 for row, _ in asked) == 3
    temperatures = sorted({settings.temperature for _, settings in asked})
    assert (*temperatures[:2], temperatures[-1]) == (0.0, 1e-39, 1e6)
    assert len(logits.TARGETS["target-random"]) == 40


def test_a_float_among_exact_numbers_is_named() -> None:
    """An engine with exact numbers that answers with floats is told how to say so."""
    sentence = only(report_of(f"{BAD}:Halves", "acceptance")).sentence
    assert "numbers = 'float' allows for rounding" in sentence


def test_names_are_printed_as_they_are() -> None:
    """Brackets in the name of an engine are no markup."""
    done = command(f"{BAD}:Bracketed", "--claim", "acceptance")
    assert done.returncode == 0, done.stderr
    assert "EXACT  my [/chain] engine [v2], dialect" in done.stdout


@pytest.mark.parametrize("few", [True, False])
def test_every_place_of_a_block_is_reached(few: bool) -> None:
    """With three drafts and with six there are rows without zeros: each draft is judged, each residual and bonus is drawn."""
    for k in (3, 6):
        found = [block for block in inputs.blocks(few) if block.k >= k]
        assert any(all(all(block.model.target(prefix)) for prefix in prefixes(block)) for block in found)
    choice = [block for block in inputs.blocks(few) if block.k >= 3]
    assert any(all(all(block.model.draft(prefix)) for prefix in prefixes(block)) for block in choice)


def prefixes(block: inputs.Block) -> list[tuple[int, ...]]:
    """What a block can read rows of."""
    return [tuple(prefix) for n in range(block.k + 1) for prefix in product(range(block.model.size), repeat=n)]


@pytest.mark.parametrize("at", [3, 6])
def test_a_stale_bonus_of_a_long_block_is_seen_in_floats(at: int, tmp_path: Path) -> None:
    """A float chain that takes its bonus from the first row, in blocks of three or of six drafts only, is refuted."""
    engine = tmp_path / "stale.py"
    engine.write_text(
        "class Stale:\n    numbers = 'float'\n    def verify_chain(self, P, Q, D, tape):\n"
        "        for i, x in enumerate(D):\n            if not tape.coin() * Q[i][x] < P[i][x]:\n"
        "                return [*D[:i], tape.categorical([max(a - b, 0) for a, b in zip(P[i].tolist(), Q[i].tolist())])]\n"
        f"        return [*D, tape.categorical(P[0 if len(D) >= {at} else -1].tolist())]\n"
    )
    assert only(report_of(f"{engine}:Stale", "joint-law")).verdict is Verdict.REFUTED
