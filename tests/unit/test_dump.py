"""The dump audit: a right dump passes what it has the fields for, and each fault is refuted by its own claim at its line."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mtplx.audit.dump import DumpReport, audit_dump
from mtplx.audit.dump_claims import CLAIMS
from mtplx.audit.dump_line import FIELDS
from mtplx.audit.verdict import Verdict
from reference.filters import SamplerConfig
from reference.one_token import sample_from_distribution, verify_one_token
from reference.softmax import filtered_target

PAGE = (Path(__file__).parents[2] / "docs" / "dumps.md").read_text()
CONFIG = {"temperature": 0.5, "top_p": "0.95", "top_k": 3}
Lines = list[dict[str, Any]]


def filtered(logits: list[float]) -> list[float]:
    """The filtered target in doubles."""
    return [float(share) for share in filtered_target(logits, SamplerConfig(**CONFIG)).midpoints]  # type: ignore[arg-type]


def rows_after(prefix: list[int]) -> dict[str, Any]:
    """Rows of a model on four tokens."""
    rng = random.Random(str(prefix))
    logits, draft_logits = ([rng.randrange(-8, 8) / 4 for _ in range(4)] for _ in "pq")
    rows = {"logits": logits, "p": filtered(logits), "draft_logits": draft_logits, "q": filtered(draft_logits)}
    return {"prefix": prefix, "config": CONFIG, "draft_config": CONFIG, **rows}


def steps(request: str, rng: random.Random) -> Iterator[dict[str, Any]]:
    """A request of ten steps of two drafts by the token rule, on the exact reference."""

    def coin() -> float:
        return rng.randrange(256) / 256

    tokens: list[int] = []
    for step in range(10):
        ended = False
        for _ in range(2):
            rows = rows_after(tokens)
            place = {"request": request, "position": len(tokens), "step": step}
            draft, u, v = sample_from_distribution(rows["q"], coin()), coin(), coin()
            if ended:
                yield {**place, **rows, "draft": draft}
                continue
            found = verify_one_token(rows["p"], rows["q"], draft, coin=u, residual_coin=v)
            decided = {"draft": draft, "coin": u, "residual_coin": v, "accepted": found.accepted, "output": found.token_id}
            yield {**place, **rows, **decided}
            tokens, ended = [*tokens, found.token_id], not found.accepted
        if not ended:
            rows, u = rows_after(tokens), coin()
            output = sample_from_distribution(rows["p"], u)
            place = {"request": request, "position": len(tokens), "step": step}
            target = {name: rows[name] for name in ("prefix", "config", "logits", "p")}
            yield {**place, **target, "bonus": True, "coin": u, "output": output}
            tokens = [*tokens, output]


def matches() -> Iterator[dict[str, Any]]:
    """Sampler-match: the target's own draw, accepted iff it is the draft."""
    for position, (u, output) in enumerate((("1/8", 0), ("3/8", 1), ("7/8", 2))):
        decided = {"draft": 1, "coin": u, "accepted": output == 1, "output": output}
        yield {
            "request": "m",
            "position": position,
            "step": position,
            "rule": "sampler-match",
            "p": [0.25, 0.25, 0.5, 0],
            **decided,
        }


def right_dump() -> Lines:
    """A dump of two mixed requests, one more by sampler-match, and a hand-made line whose coin is p/q."""
    tie = {"p": [0.25, 0.75, 0, 0], "q": [0.5, 0.5, 0, 0], "draft": 0, "coin": 0.5, "accepted": False, "output": 1}
    rng = random.Random(7)
    first, second = list(steps("a", rng)), list(steps("b", rng))
    mixed = [line for pair in zip(first, second, strict=False) for line in pair]
    return [*mixed, *matches(), {**tie, "residual_coin": 0.5}]


DUMP = right_dump()


def audit(lines: Lines, **settings: Any) -> DumpReport:
    """The report of a dump."""
    return audit_dump(map(json.dumps, lines), **settings)


def changed(index: int, **fields: Any) -> Lines:
    """The dump with other fields at one line; None takes a field away."""
    return [{**line, **fields} if at == index else line for at, line in enumerate(DUMP)]


def where(**fields: Any) -> int:
    """The index of the first line with these fields."""
    return next(at for at, line in enumerate(DUMP) if all(line.get(name) == value for name, value in fields.items()))


def refuted(lines: Lines, **settings: Any) -> list[tuple[str, int]]:
    """Claim and line number of everything refuted."""
    found = [finding for finding in audit(lines, **settings).findings if finding.verdict is Verdict.REFUTED]
    return [(finding.claim, finding.witness["lines"][-1]["line"]) for finding in found if finding.witness]


def test_right_dump_passes_every_claim() -> None:
    """Of a right dump every claim is tried, and holds."""
    report = audit(DUMP)
    assert [(f.claim, f.sentence) for f in report.findings if f.verdict is not Verdict.EXACT] == []
    assert list(report.not_tried) == []
    assert report.verdict is Verdict.EXACT
    assert (report.lines, report.complete) == (len(DUMP), True)


def test_logits_alone_decide() -> None:
    """Rows that are only given as logits give the same decisions, or leave a coin within rounding open; none is refuted."""
    bare = [{k: v for k, v in line.items() if k not in ("p", "q") or "logits" not in line} for line in DUMP]
    report = audit(bare)
    assert refuted(bare) == []
    assert set(report.not_tried) == {"target", "draft"}
    assert report.tallies["decision"].tried == audit(DUMP).tallies["decision"].tried


def test_flipped_decision() -> None:
    """A rejected draft said to be accepted, or an accepted one rejected, is a wrong decision and nothing else."""
    rejected = next(at for at, line in enumerate(DUMP) if line.get("accepted") is False and line["p"][line["draft"]] > 0)
    assert refuted(changed(rejected, accepted=True)) == [("decision", rejected + 1)]
    accepted = where(accepted=True)
    assert refuted(changed(accepted, accepted=False)) == [("decision", accepted + 1)]


def test_coin_on_the_ratio_rejects() -> None:
    """At coin == p/q the draft is rejected: `<=` is refuted, however near it is."""
    last = len(DUMP) - 1
    lines = changed(last, accepted=True, output=0)
    assert refuted(lines) == [("decision", last + 1)]
    assert "never <=" in next(f.sentence for f in audit(lines).findings if f.claim == "decision")


def test_coin_within_rounding_is_inconclusive() -> None:
    """A coin one unit roundoff below p/q is left open, one well below is refuted."""
    last = len(DUMP) - 1
    near, far = (changed(last, coin=0.5 - gap) for gap in (2.0**-26, 2.0**-20))
    assert audit(near).tallies["decision"].inconclusive == 1
    assert audit(near).verdict is Verdict.INCONCLUSIVE
    assert refuted(far) == [("decision", last + 1)]


def test_swapped_draft_row() -> None:
    """The row of another prefix in place of q is not the law of draft_logits."""
    discarded = ((at, line) for at, line in enumerate(DUMP) if "q" in line and "accepted" not in line)
    at, line = next(discarded)
    others = (other["q"] for other in DUMP if other.get("q", line["q"]) != line["q"] and other["q"][line["draft"]])
    assert refuted(changed(at, q=next(others))) == [("draft", at + 1)]


def test_swapped_draft_row_without_logits() -> None:
    """Where q stands alone, another q makes the decision wrong."""
    last = len(DUMP) - 1
    assert refuted(changed(last, q=[0.25, 0.75, 0, 0])) == [("decision", last + 1)]


@pytest.mark.parametrize("fields", [{"output": 3}, {"draft": 3}, {"output": 0}])
def test_impossible_token(fields: dict[str, int]) -> None:
    """A token without mass in p, q or the residual is refuted as impossible."""
    last = len(DUMP) - 1
    assert refuted(changed(last, **fields)) == [("possible", last + 1)]


def test_accepted_without_mass() -> None:
    """An accepted draft with p = 0 is impossible, whatever the coin, and even if the output is not told."""
    line = {"p": [0, 1], "q": [0.5, 0.5], "draft": 0, "accepted": True}
    assert refuted([line]) == [("possible", 1)]
    assert refuted([{**line, "coin": 0, "output": 0}]) == [("possible", 1)]


def test_wrong_residual_draw() -> None:
    """A token that has residual mass, but not at this coin, is a wrong draw."""
    line = {"p": [0, 0.5, 0.5], "q": [1, 0, 0], "draft": 0, "coin": 0.5, "accepted": False, "residual_coin": 0.25, "output": 2}
    assert refuted([line]) == [("residual", 1)]
    assert refuted([{**line, "output": 1}]) == []
    assert "residual" in audit([{**line, "draw_order": "unknown"}]).not_tried


def test_wrong_bonus_draw() -> None:
    """A bonus token is drawn from p at coin; on a boundary the next token is drawn."""
    line = {"p": [0.5, 0.5], "bonus": True, "coin": 0.5, "output": 0}
    assert refuted([line]) == [("bonus", 1)]
    assert refuted([{**line, "output": 1}]) == []


def test_wrong_match() -> None:
    """Sampler-match emits the target's own draw, and accepts iff it is the draft."""
    at = where(request="m", position=0)
    assert refuted(changed(at, output=2)) == [("sampler-match", at + 1)]
    assert refuted(changed(at, accepted=True)) == [("emitted", at + 1)]


def test_temperature_ignored() -> None:
    """A target computed at another temperature is refuted at every line that shows it."""
    warm = [{**line, "config": {**CONFIG, "temperature": 1}} if "config" in line else line for line in DUMP]
    assert {claim for claim, _ in refuted(warm)} == {"target"}
    assert refuted(warm)[0] == ("target", 1)
    assert len(refuted(warm)) == 5


def test_changed_support() -> None:
    """A token that the nucleus drops, kept, is a fault of rule with its token named."""
    line = {"logits": [0.0, 0.0, -9.0], "config": {**CONFIG, "top_p": 0.9}, "p": [0.5, 0.4999999, 0.0000001]}
    assert refuted([line]) == [("target", 1)]
    assert "keeps token 2" in audit([line]).findings[1].sentence


def test_exact_tie_is_a_matter_of_rule() -> None:
    """Of four equal tokens top_p = 1/2 keeps two, and no rounding explains a third."""
    line = {"logits": [1, 1, 1, 1], "config": {**CONFIG, "top_p": "1/2"}, "p": [0.5, 0.5, 0, 0]}
    assert refuted([line]) == []
    assert refuted([{**line, "p": ["1/3", "1/3", "1/3", 0]}]) == [("target", 1)]


def test_cut_within_rounding_is_explained() -> None:
    """Where top_p lies within rounding of the mass before a token, a float32 row may keep it or not."""
    share = filtered_target([1.0, 0.0], SamplerConfig(1, 1, 0)).midpoints[0]
    config = {"temperature": 1, "top_p": float(share), "top_k": 0}
    for p in ([1, 0], [float(share), 1 - float(share)]):
        assert refuted([{"logits": [1.0, 0.0], "config": config, "p": p}]) == []
        assert refuted([{"logits": [1.0, 0.0], "config": {**config, "top_p": float(share) + 0.01}, "p": [1, 0]}]) != []


def test_dialect_is_the_one_named() -> None:
    """The same row is right in one dialect and wrong in another; the default is mtplx."""
    logits, config = [2.0, 1.0, 0.0], {"temperature": 2, "top_p": 0.85, "top_k": 0}
    p = [float(x) for x in filtered_target(logits, SamplerConfig(2, 0.85, 0), "mlx_lm").midpoints]
    line = {"logits": logits, "config": config, "p": p}
    assert refuted([line], dialect="mlx_lm") == refuted([{**line, "dialect": "mlx_lm"}]) == []
    assert refuted([line]) == [("target", 1)]
    with pytest.raises(ValueError, match="dialect = 'none'"):
        audit([line], dialect="none")


def test_changed_row_of_one_prefix() -> None:
    """Two lines of one prefix have one row: another is refuted, one within rounding is a remark."""
    line = {"prefix_hash": "x", "p": [0.5, 0.5]}
    assert refuted([line, line, {**line, "p": [0.25, 0.75]}]) == [("prefix", 3)]
    near = audit([line, {**line, "p": [0.5, 0.5 + 2.0**-30]}])
    assert near.verdict is Verdict.EXACT
    assert "differ from line 1" in near.findings[1].remarks[0]
    logits = [{"prefix": [1], "logits": row} for row in ([0, 1], [0, 1.5])]
    assert audit(logits).tallies["prefix"].inconclusive == 1
    assert "prefix" in audit([line]).not_tried


def test_token_after_a_rejection() -> None:
    """A step ends with its rejection: one more token of it is refuted."""
    at = next(at for at, line in enumerate(DUMP) if line.get("request") == "a" and line.get("accepted") is False)
    step, position = DUMP[at]["step"], DUMP[at]["position"] + 1
    extra = {"request": "a", "step": step, "position": position, "output": 0}
    later = [{**line, "position": line["position"] + 1} if line.get("request") == "a" else line for line in DUMP[at + 1 :]]
    assert refuted([*DUMP[: at + 1], extra, *later]) == [("block", at + 2)]


def test_position_skipped() -> None:
    """Positions of a request increase by one."""
    line = {"request": 1, "output": 0}
    assert refuted([{**line, "position": 4}, {**line, "position": 5}, {**line, "position": 7}]) == [("positions", 3)]


def test_accepted_draft_is_emitted() -> None:
    """An accepted draft and another output is refuted."""
    assert refuted([{"draft": 1, "accepted": True, "output": 2}]) == [("emitted", 1)]


@pytest.mark.parametrize(
    "fields",
    [
        {"p": [0.5, float("nan")]},
        {"p": [1.5, -0.5]},
        {"p": [2, 1]},
        {"q": [1, 0, 0]},
        {"draft": 2},
        {"coin": 1},
        {"prefix": [-1]},
    ],
)
def test_rows_that_are_no_laws(fields: dict[str, Any]) -> None:
    """NaN, negative, unnormalised and longer rows, ids outside and a coin of 1 are refuted, and no more is judged there."""
    line = {"p": [0.5, 0.5], "q": [0.5, 0.5], "draft": 0, "coin": 0.5, "accepted": True, "output": 0}
    assert refuted([line, {**line, **fields}]) == [("rows", 2)]


def test_coin_inside_an_enclosure_is_inconclusive() -> None:
    """With rows given as logits, a coin nearer to p/q = 1/e than rounding is open whatever was decided; another is not."""
    plain = {"temperature": 1, "top_p": 1, "top_k": 0}
    rows = {"logits": [0, 1], "draft_logits": [1, 0], "config": plain, "draft_config": plain, "draft": 0}
    for accepted in (True, False):
        assert audit([{**rows, "coin": math.exp(-1), "accepted": accepted}]).verdict is Verdict.INCONCLUSIVE
        wrong = {**rows, "coin": math.exp(-1) + (1 if accepted else -1) * 1e-5, "accepted": accepted}
        assert refuted([wrong]) == [("decision", 1)]


def test_places_that_rounding_swaps_are_open() -> None:
    """Two logits one unit roundoff apart can change places at top-k in float32, not in float64; equal ones are ranked by id."""
    line = {"logits": [1 - 2.0**-24, 1], "config": {"temperature": 1, "top_p": 1, "top_k": 1}, "p": [1, 0]}
    assert refuted([line]) == []
    assert refuted([{**line, "precision": "float64"}]) == [("target", 1)]
    assert refuted([{**line, "logits": [1, 1], "p": [0, 1]}]) == [("target", 1)]
    decided = {"logits": line["logits"], "config": line["config"], "q": [0.5, 0.5], "draft": 0, "coin": 0.5, "accepted": True}
    assert audit([decided]).tallies["decision"].inconclusive == 1
    assert refuted([{**decided, "precision": "float64"}]) == [("possible", 1)]


@pytest.mark.parametrize("rest", [0.7495, 0.7505])
def test_rows_that_do_not_sum_to_one(rest: float) -> None:
    """A coin between p/q before and after p is divided by its sum is open: engines differ in whether they divide."""
    line = {"p": [0.25, rest], "q": [0.5, 0.5], "draft": 0, "coin": 0.5 + (0.75 - rest) / 4}
    for accepted in (True, False):
        assert audit([{**line, "accepted": accepted}]).tallies["decision"].inconclusive == 1


def test_residual_of_equal_rows_is_the_target() -> None:
    """Where p = q the residual is p itself, and the draw is judged by that."""
    line = {"p": [0.5, 0.5], "q": [0.5, 0.5], "accepted": False, "residual_coin": 0.5, "output": 1}
    assert audit([line]).tallies["residual"].tried == 1
    assert refuted([line]) == []
    assert refuted([{**line, "output": 0}]) == [("residual", 1)]


def test_prefix_is_compared_under_one_config() -> None:
    """Another config has another row; the bound of two rows comes from their logits where those are given."""
    plain = {"temperature": 1, "top_p": 1, "top_k": 0}
    line = {"prefix": [0], "config": plain, "p": [0.5, 0.5]}
    assert refuted([line, {**line, "config": CONFIG, "p": [0.25, 0.75]}]) == []
    moved = {**line, "logits": [0, 0], "p": [0.501, 0.499]}
    assert refuted([line, moved]) == [("target", 2), ("prefix", 2)]


def test_order_goes_on_after_a_bad_row() -> None:
    """A line whose rows are no laws still has its place."""
    line = {"request": 1, "output": 0, "p": [1, 0]}
    lines = [{**line, "position": 0}, {**line, "position": 1, "p": [2, 0]}, {**line, "position": 2}]
    assert refuted(lines) == [("rows", 2)]


def test_not_tried_names_what_is_missing() -> None:
    """A claim without its fields is not tried, and the fields of the nearest line are named."""
    far, near = {"p": [0.5, 0.5], "output": 0}, {"p": [0.5, 0.5], "draft": 0, "coin": 0.5, "accepted": True}
    report = audit([far, near, far])
    assert [tally.claim for tally in report.summary] == ["rows", "possible"]
    assert report.not_tried["target"] == ("logits", "config")
    assert report.not_tried["decision"] == ("q | draft_logits + draft_config",)
    nothing = audit([])
    assert nothing.findings == []
    assert nothing.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "Expecting"),
        ("[1]", "allowed: a JSON object"),
        ('{"acepted": true}', "'acepted' is no field; allowed: request"),
        ('{"accepted": 1}', "accepted: 1; allowed: true or false"),
        ('{"draft": 1.0}', "draft: 1.0; allowed: an integer"),
        ('{"p": [0.5, "half"]}', "p: 'half' is no finite number"),
        ('{"p": 1}', "allowed: a list of numbers"),
        ('{"coin": true}', "coin: True"),
        ('{"config": {"temperature": 1}}', "allowed: an object with temperature, top_p and top_k"),
        ('{"config": {"temperature": -1, "top_p": 1, "top_k": 0}}', "temperature = -1"),
        ('{"precision": "float8"}', 'allowed: "bfloat16" or "float32"'),
        ('{"defaults": 3}', "defaults = 3"),
    ],
)
def test_bad_lines_name_their_number(text: str, said: str) -> None:
    """A line that cannot be read is a ValueError with its number, and what is allowed."""
    with pytest.raises(ValueError, match=f"line 3: .*{re.escape(said)}"):
        audit_dump(['{"output": 1}', "", text])


def test_interrupt_keeps_what_was_found() -> None:
    """Ctrl-C ends the audit early; what was judged stays, and the verdict is not EXACT."""

    def lines() -> Iterator[str]:
        yield '{"p": [1, 0], "output": 0}'
        raise KeyboardInterrupt

    seen: list[int] = []
    report = audit_dump(lines(), progress=seen.append)
    assert (seen, report.lines, report.verdict) == ([1], 1, Verdict.INCONCLUSIVE)
    assert {finding.verdict for finding in report.findings} == {Verdict.EXACT}


def test_few_witnesses_are_kept_and_are_json() -> None:
    """Of many refuted lines five are kept and all are counted; long rows are shown by the tokens that matter."""
    wide = {"p": [1, *[0] * 30], "output": 20}
    report = audit([wide] * 9)
    tally = report.tallies["possible"]
    assert (tally.tried, tally.refuted, len(tally.witnesses)) == (9, 9, 5)
    assert json.loads(json.dumps(tally.witnesses[0].witness, allow_nan=False)) == {
        "lines": [{"line": 1, "p": {"20": 0}, "output": 20}]
    }


def test_page_example_passes() -> None:
    """The example of docs/dumps.md is a right dump, and tries what it says."""
    (example,) = re.findall(r"```jsonl\n(.*?)```", PAGE, re.DOTALL)
    report = audit_dump(example.splitlines())
    assert report.verdict is Verdict.EXACT
    assert set(report.not_tried) == {"draft", "sampler-match", "prefix"}


def test_page_names_every_field_and_claim() -> None:
    """The tables of docs/dumps.md have a row for each field and each claim, and no other."""
    assert set(re.findall(r"^\| `([\w-]+)`", PAGE, re.MULTILINE)) == {*FIELDS, *CLAIMS}
