"""The benchmark: ratios of medians, targets, what is not measured, and what it writes. No time is compared with a clock's."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

CI = Path(__file__).parents[2] / "ci"
sys.path.insert(0, str(CI))  # as `python ci/bench.py` does
bench, growth, methods, report, rows, timing, worker = (
    import_module(f"bench{name}") for name in ("", "_growth", "_methods", "_report", "_rows", "_timing", "_worker")
)

SMALL = ["--vocab-size", "1024", "--rounds", "15", "--rows", "LLM-like", "--batch", "1"]
FAKE = """
import os
class SamplerConfig:
    def __init__(self, temperature, top_p, top_k):
        self.top_p, self.top_k = top_p, top_k
def distribution_from_logits(row, config):
    assert row.shape == (1024,)
    if not config.top_k and config.top_p < 1:
        os._exit(3)
    if not config.top_k:
        raise RuntimeError("no filter")
    print("this is no answer")
"""
"""A public mtplx that answers with top-k, dies at a nucleus alone, and fails at neither."""


def run(*arguments: object) -> Any:
    """The command line, in this process."""
    app = typer.Typer()
    app.command()(bench.main)
    return CliRunner().invoke(app, list(map(str, arguments)))


def timed(*seconds: float) -> Any:
    """A timing of made-up calls."""
    return timing.Timing(1.0, list(seconds))


def found(batch: int = 1, **seconds: float) -> Any:
    """One made-up block of LLM-like rows with T 0.7, k 20, p 0.95."""
    names = {
        "floor": methods.MAX,
        "ours": methods.FLOAT,
        "drawn": methods.DRAWN,
        "mlx_lm": methods.MLX_LM,
        "pub": methods.PUBLIC,
    }
    timings = {names[short]: timed(value) for short, value in seconds.items()}
    return {report.Block("LLM-like", rows.JOINT.name, batch): timings}


def verdicts(blocks: Any, method: str) -> dict[str, str]:
    """Verdict of a method by target."""
    return {line["target"]: line["verdict"] for line in report.judged(blocks) if line["method"] == method}


def test_ratios_are_those_of_medians() -> None:
    """3 / 2, although every mean, minimum and maximum says otherwise; milliseconds are those of one of 8 rows."""
    block = report.Block("flat", rows.TOP_K.name, 8)
    timings = {methods.MAX: timed(1, 2, 90), methods.FLOAT: timed(3, 0.5, 40), methods.MLX_LM: timed(12, 6, 6)}
    assert report.ratio(timings, methods.FLOAT, methods.MAX) == 3 / 2
    lines = {line["method"]: line for line in report.as_json({block: timings}, {})}
    assert lines[methods.FLOAT]["ms_per_row"] == 3000 / 8
    assert lines[methods.FLOAT]["max_passes"] == 3 / 2
    assert lines[methods.MLX_LM]["times_ours"] == {methods.FLOAT: 2}
    assert lines[methods.FLOAT]["quartiles_ms_per_row"] == [1.75 * 125, 21.5 * 125]


def test_targets_are_met_or_missed_by_the_ratio_of_the_same_block() -> None:
    """At the wanted figure a target is met, beyond it missed, in both directions; each of ours is judged by itself."""
    met = found(floor=1, ours=5, drawn=6, mlx_lm=85, pub=20)
    words = ("at most 5x one max pass", "at least 17x faster than mlx_lm's chain", "at least 4x faster than public mtplx")
    assert [verdicts(met, methods.FLOAT)[target] for target in words] == ["met"] * 3
    assert [verdicts(met, methods.DRAWN)[target] for target in words] == ["missed"] * 3
    assert [line["reached"] for line in report.judged(met) if line["method"] == methods.FLOAT] == [5, 17, 4]
    assert verdicts(found(batch=8, ours=2, pub=5), methods.FLOAT)["at least 2.5x faster than public mtplx"] == "met"
    assert "at least 4x faster than public mtplx" not in verdicts(found(batch=8, ours=2, pub=5), methods.FLOAT)


def test_what_is_not_there_is_not_measured() -> None:
    """A target against a missing peer is neither met nor missed; tables and JSON say why."""
    blocks = found(floor=1, ours=5)
    assert verdicts(blocks, methods.FLOAT)["at least 17x faster than mlx_lm's chain"] == "not measured"
    assert {"method": methods.MLX_LM, "not_measured": "gone"}.items() <= report.as_json(blocks, {methods.MLX_LM: "gone"})[
        -1
    ].items()
    grid = report.law_grids(blocks, {methods.MLX_LM: "gone"})[0]
    assert [methods.MLX_LM, "not measured"] in grid.lines


def test_without_mlx_lm_the_rest_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """mlx_lm is an extra: a machine without it has our methods and the reason."""
    monkeypatch.setattr(methods.importlib.util, "find_spec", lambda _: None)
    local, missing = methods.local_methods()
    assert missing == {methods.MLX_LM: "mlx_lm is not installed"}
    assert {method.name for method in local} >= set(methods.OURS)


def test_calls_take_turns_on_the_next_rows() -> None:
    """Each round makes each call once, in an order that changes, on the next places; one that fails is left out."""
    asked: list[tuple[str, int]] = []

    def call(name: str) -> Any:
        def seconds(place: int, cold: bool) -> float:
            asked.append((name, place))
            if name == "c":
                raise timing.NotMeasured("c is broken")
            return 1.0

        return seconds

    timings: dict[str, Any] = {}
    advances: list[None] = []
    missing = timing.interleaved({name: call(name) for name in "abc"}, 9, timings, lambda: advances.append(None))
    assert missing == {"c": "c is broken"}
    assert {name: len(one.seconds) for name, one in timings.items()} == {"a": 9, "b": 9}
    measured = asked[-2 * 9 :]
    assert [{*measured[2 * number : 2 * number + 2]} for number in range(9)] == [{("a", n), ("b", n + 1)} for n in range(9)]
    assert {name for name, _ in measured[::2]} == {"a", "b"}
    assert len(advances) == 9


def test_a_run_writes_json_and_markdown_and_keeps_what_stands_around_it(tmp_path: Path) -> None:
    """The documented fields are there, peers without an environment are not measured, and the page keeps its own words."""
    page, data = tmp_path / "page.md", tmp_path / "found.json"
    page.write_text("mine\n<!-- bench: laws -->\nold\n<!-- end of bench: laws -->\nalso mine\n")
    done = run(*SMALL, "--json", data, "--markdown", page)
    assert done.exit_code == 0, done.output
    facts = json.loads(data.read_text())
    assert facts.keys() >= {"part", "vocab_size", "rounds", "whole", "machine", "methods", "not_measured", "blocks", "targets"}
    assert facts["not_measured"].keys() == {methods.PUBLIC, methods.TRANSFORMERS}
    measured = [line for line in facts["blocks"] if "ms_per_row" in line]
    assert {line["setting"] for line in measured} == {*(setting.name for setting in rows.SETTINGS), "K = 1", "K = 4", "K = 8"}
    assert {line["measured"] for line in measured} == {15}
    for line in measured:
        low, high = line["quartiles_ms_per_row"]
        assert 0 < low <= line["ms_per_row"] <= high
        assert line["first_call_seconds"] > 0
    assert {"rows", "setting", "batch", "method", "wanted", "reached", "verdict"} <= facts["targets"][0].keys()
    text = page.read_text()
    assert text.startswith("mine\n<!-- bench: laws -->\n")
    assert text.endswith("<!-- end of bench: laws -->\nalso mine\n")
    assert "old" not in text
    assert "| our dyadic law |" in text


def test_a_page_without_markers_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    """The missing comments are named, and the page is left alone."""
    page = tmp_path / "page.md"
    page.write_text("<!-- end of bench: laws --> <!-- bench: laws -->")
    done = run(*SMALL, "--markdown", page)
    assert done.exit_code == 2
    assert page.read_text() == "<!-- end of bench: laws --> <!-- bench: laws -->"
    with pytest.raises(ValueError, match="no <!-- bench: growth -->"):
        report.replaced("", "growth", "body")


def test_options_that_a_part_has_no_use_for_are_refused() -> None:
    """growth measures ours alone; kinds of rows have names."""
    assert run("growth", "--batch", 1).exit_code == 2
    assert run("--rows", "flatter").exit_code == 2
    assert run("--rounds", 14).exit_code == 2


def test_an_interrupt_reports_what_is_measured_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of a block loses nothing: JSON says that it is not whole, and the exit code is 130."""
    calls = iter(range(100))

    def seconds(*_: object) -> float:
        if next(calls) == 60:
            raise KeyboardInterrupt
        return 1.0

    monkeypatch.setattr(methods.Local, "seconds", seconds)
    done = run(*SMALL, "--json", "-")
    assert done.exit_code == 130
    facts = json.loads(done.stdout)
    assert not facts["whole"]
    assert sum(line["measured"] for line in facts["blocks"] if "measured" in line) == 60 - 3 * 7
    assert {line["setting"] for line in facts["blocks"]} == {rows.JOINT.name}


def test_peers_of_another_environment_are_measured_over_a_line(tmp_path: Path) -> None:
    """Answers come through what the peer prints; its error and its death are reasons, and this project is not on its path."""
    (tmp_path / "mtplx").mkdir()
    (tmp_path / "mtplx" / "sampling.py").write_text(FAKE)
    (tmp_path / "mtplx" / "__init__.py").touch()
    (tmp_path / "mtplx-7.dist-info").mkdir()
    (tmp_path / "mtplx-7.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: mtplx\nVersion: 7\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    pool = rows.Pool("flat", rows.made("flat", 1024, 4))
    line = methods.Line(python)
    try:
        assert line.offered[methods.PUBLIC] == "7, numpy path"
        found, _ = methods.remote_methods([line])
        public = next(method for method in found if method.name == methods.PUBLIC)
        assert public.seconds(pool, rows.JOINT, 2, 1, False) > 0
        with pytest.raises(timing.NotMeasured, match="RuntimeError: no filter"):
            public.seconds(pool, rows.NEITHER, 1, 0, False)
        with pytest.raises(timing.NotMeasured, match="exit code 3"):
            public.seconds(pool, rows.NUCLEUS, 1, 0, False)
        with pytest.raises(timing.NotMeasured, match="exit code 3"):
            public.seconds(pool, rows.JOINT, 1, 0, False)
    finally:
        line.close()


def test_our_own_package_is_not_taken_for_the_public_one() -> None:
    """Both are imported as mtplx: the name of the distribution tells them apart."""
    offered, missing = worker.offered()
    assert methods.PUBLIC not in offered
    assert "PackageNotFoundError" in missing[methods.PUBLIC]


def test_rows_are_the_same_every_time_and_batches_walk_through_them() -> None:
    """Generators are seeded by row; a batch is whole, and places repeat only when the pool is through."""
    first, again = (rows.made("LLM-like", 1024, 8) for _ in range(2))
    assert (first == again).all()
    assert len({row.tobytes() for row in first}) == 8
    pool = rows.Pool("LLM-like", first)
    assert [pool.start(2, place) for place in range(5)] == [0, 2, 4, 6, 0]
    assert pool.batch(3, 1).tolist() == first[3:6].tolist()
    assert rows.made("bigram", 1024, 30).shape == (30, 20_000)


def test_an_exponent_is_the_slope_of_logarithms() -> None:
    """Time as the square of the size has exponent 2, over all sizes and over the last three; below two sizes there is none."""
    square = growth.Curve("V", "made up", {x: timed(x * x / 1000) for x in (1, 2, 4, 8)})
    assert square.exponent() == pytest.approx(2, abs=1e-12)
    assert square.exponent(3) == pytest.approx(2, abs=1e-12)
    assert square.sentence == "made up: as V^2.00, over the last three sizes as V^2.00; 1.00 ms at 1, 64.0 ms at 8"
    assert growth.Curve("V", "made up", {1: timed(1)}).exponent() is None


def test_growth_writes_curves_and_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Curves of V, K and the batch, and the peaks with their verdicts, come out as JSON."""
    monkeypatch.setattr(growth, "GROWING", (rows.TOP_K,))
    monkeypatch.setattr(growth, "RECIPES", ("flat",))
    monkeypatch.setattr(growth, "DEPTHS", (1, 2))
    monkeypatch.setattr(growth, "BATCHES", (1, 2))
    made = [growth.Peak(methods.FLOAT, "k 20", 8, 2.5, 2.9), growth.Peak(methods.FLOAT, "p 0.95", 8, 2.5, 3.1)]
    monkeypatch.setattr(bench, "peaks", lambda _: iter(made))
    done = run("growth", "--vocab-size", 2048, "--rounds", 15, "--json", tmp_path / "found.json")
    assert done.exit_code == 0, done.output
    facts = json.loads((tmp_path / "found.json").read_text())
    assert {curve["axis"]: list(curve["ms"]) for curve in facts["curves"]} == {
        "V": ["1024", "4096"],
        "K": ["1", "2"],
        "batch": ["1", "2"],
    }
    assert all(len(seconds) == 15 for curve in facts["curves"] for seconds in curve["seconds"].values())
    assert [one["verdict"] for one in facts["memory"]] == ["met", "missed"]


def test_a_peak_counts_what_comes_beyond_the_logits() -> None:
    """A dense float law of a batch is itself as large as its logits."""
    found = growth.peak(methods.FLOAT, rows.NEITHER, 4096)
    assert found.logits_bytes == 32 * 4096 * 4
    assert found.mlx >= 1


def test_drawings_are_svg_files(tmp_path: Path) -> None:
    """Bars a kind of rows and batch, a curve an axis."""
    pytest.importorskip("matplotlib")
    (bars,) = report.draw_bars(found(floor=1, ours=5, mlx_lm=85), tmp_path)
    (curve,) = growth.draw_growth([growth.Curve("V", "made up", {1: timed(1), 2: timed(3)})], tmp_path)
    assert [bars.name, curve.name] == ["laws-llm-like-1.svg", "growth-v.svg"]
    assert bars.read_text().count("<svg") == curve.read_text().count("<svg") == 1
