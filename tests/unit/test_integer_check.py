"""`mtplx check --integer`: what it says of right laws, and that wrong ones are refuted step by step."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from mtplx.audit import integer
from mtplx.audit.verdict import Step, Verdict
from mtplx.config import SamplerConfig
from mtplx.dyadic import DyadicLaw

pytestmark = pytest.mark.device
CONFIG = SamplerConfig("0.8", "0.95", 0)
ROWS = [np.random.default_rng(seed).normal(0, 2, 40).astype(np.float32) for seed in range(2)]
STEPS = ["integer law: tokens", "integer law", "integer law: bits"]


def refuted(steps: list[Step]) -> list[str]:
    """The names of refuted steps."""
    return [step.name for step in steps if step.verdict is Verdict.REFUTED]


def test_the_command(tmp_path: Path) -> None:
    """Tokens, distance, bits and one draw stand in the table of each row, and the verdict is EXACT."""
    np.save(tmp_path / "rows.npy", np.stack(ROWS))
    line = [sys.executable, "-m", "mtplx", "check", "--integer", "--logits", str(tmp_path / "rows.npy")]
    done = subprocess.run([*line, "--draft", str(tmp_path / "rows.npy")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in (*STEPS, "one draw"):
        assert done.stdout.count(f"  {name}") >= 2
    assert done.stdout.splitlines()[-1].startswith("EXACT")


@pytest.mark.parametrize("config", [SamplerConfig(0, 1, 0), CONFIG, SamplerConfig(1, "0.5", 0), SamplerConfig()], ids=str)
def test_right_laws_pass(config: SamplerConfig) -> None:
    """Every step holds at greedy, standard, aggressive and default settings, with a draft of disjoint support too."""
    for draft in (ROWS[1], np.where(ROWS[0] > 0, -np.inf, ROWS[0]).astype(np.float32)):
        steps = integer.row_steps(ROWS[0], draft, config)
        assert [step.name for step in steps] == [*STEPS, *(f"draft, {name}" for name in STEPS), "one draw"]
        assert not refuted(steps)


def moved_unit(law: DyadicLaw) -> DyadicLaw:
    """One unit from the first rank to the second."""
    step = np.zeros(law.counts.shape, np.uint64)
    step[0] = 1
    return replace(law, counts=law.counts - mx.array(step) + mx.array(np.roll(step, 1)))


def swapped(law: DyadicLaw) -> DyadicLaw:
    """The first two ranks have each other's token."""
    ids = law.token_ids.tolist()
    return replace(law, token_ids=mx.array([ids[1], ids[0], *ids[2:]], mx.uint32))


def one_less(law: DyadicLaw) -> DyadicLaw:
    """The last rank is cut, and the first has its units."""
    counts = np.array(law.counts)
    counts[0] += counts[-1]
    return replace(law, token_ids=law.token_ids[:-1], counts=mx.array(counts[:-1]))


@pytest.mark.parametrize(
    ("wrong", "steps"),
    [(moved_unit, STEPS[2:]), (swapped, STEPS[1:]), (one_less, STEPS)],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_wrong_laws_are_refuted(wrong: Callable[[DyadicLaw], DyadicLaw], steps: list[str], monkeypatch: Any) -> None:
    """A unit out of place shows in the bits, exchanged tokens in the distance too, a shorter cut in all three."""
    right = integer.from_logits
    monkeypatch.setattr(integer, "from_logits", lambda *given: wrong(right(*given)))
    assert refuted(integer.row_steps(ROWS[0], None, CONFIG)) == steps


def test_a_wrong_draw_is_refuted(monkeypatch: Any) -> None:
    """A verifier that accepts at off <= P is seen at the ends of intervals."""
    right = integer.verify

    def inclusive(target: DyadicLaw, draft: DyadicLaw, r: mx.array) -> Any:
        tokens, accepted = right(target, draft, r)
        before, kept = right(target, draft, mx.where(r > 0, r - 1, r))
        same = draft.sample(r) == draft.sample(mx.where(r > 0, r - 1, r))
        late = same & kept & ~accepted
        return mx.where(late, before, tokens), accepted | late

    monkeypatch.setattr(integer, "verify", inclusive)
    assert refuted(integer.row_steps(ROWS[0], ROWS[1], CONFIG)) == ["one draw"]


def test_a_vocabulary_too_large_is_an_input_error(tmp_path: Path) -> None:
    """More tokens than a law can have are refused with the number allowed, before anything is computed."""
    np.save(tmp_path / "rows.npy", np.zeros(2**20 + 1, np.float32))
    line = [sys.executable, "-m", "mtplx", "check", "--integer", "--logits", str(tmp_path / "rows.npy")]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "1048577 tokens; allowed: 1 to 1048576" in done.stderr
