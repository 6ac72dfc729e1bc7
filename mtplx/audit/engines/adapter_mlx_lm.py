"""mlx_lm: its sampling chain, and its speculative step run on toy models whose rows are the question's."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm import sample_utils
from mlx_lm.generate import speculative_generate_step


def drawn(row: Any, tape: Any) -> int:
    """The inverse CDF of exp(row) at the next coin; a row with one finite entry needs none."""
    finite = np.flatnonzero(np.isfinite(row))
    if len(finite) == 1:
        return int(finite[0])
    return int(tape.categorical(np.exp(row.astype(np.float64))))


class Counter:
    """A cache that only knows how many tokens it holds."""

    def __init__(self) -> None:
        self.offset = 0
        self.state = mx.zeros(1)

    def is_trimmable(self) -> bool:
        """Any number of tokens can be taken back."""
        return True

    def trim(self, n: int) -> int:
        """Take back n tokens."""
        self.offset -= n
        return n


class Rows:
    """A model whose logits at position i are row i."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self.rows = [mx.array(row) for row in rows]
        self.layers = [None]

    def make_cache(self) -> list[Counter]:
        """For mlx_lm's make_prompt_cache."""
        return [Counter()]

    def __call__(self, tokens: mx.array, cache: list[Counter]) -> mx.array:
        start, count = cache[0].offset, tokens.shape[1]
        cache[0].offset += count
        return mx.stack([self.rows[min(i, len(self.rows) - 1)] for i in range(start, start + count)])[None]


def logarithms(row: Any) -> Any:
    """Logits of a row of probabilities."""
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(row, np.float32))


class Engine:
    """The chain as `make_sampler` puts it together, and `speculative_generate_step`, which draws the target's own token."""

    name = "mlx_lm"
    dialect = "mlx_lm"
    numbers = "float"
    version = version("mlx-lm")
    rule = "sampler-match"

    def target(self, logits: Any, config: Any) -> Any:
        """The law that its sampler draws from."""
        row = mx.array(logits)
        row = row - mx.logsumexp(row)
        if config.temperature == 0:
            token = int(sample_utils.greedy_sampler(row[None]).item())
            return [float(token == i) for i in range(len(logits))]
        row = row[None]
        if config.top_p < 1:
            row = sample_utils.apply_top_p(row, config.top_p)
        if 0 < config.top_k < len(logits):
            row = sample_utils.apply_top_k(row, config.top_k)
        return mx.softmax(row[0] * (1 / config.temperature), precise=True)

    def verify_chain(self, p_rows: Sequence[Any], q_rows: Sequence[Any], drafts: Sequence[int], tape: Any) -> list[int]:
        """One step of its speculative decoding; the draft model insists on the drafts."""
        size = len(p_rows[0])
        insisting = [[0.0 if token == x else float("-inf") for token in range(size)] for x in drafts]

        def sampler(logprobs: mx.array) -> mx.array:
            return mx.array([drawn(row, tape) for row in np.array(logprobs).reshape(-1, size)], mx.uint32)

        steps = speculative_generate_step(
            mx.array([0]),
            Rows([logarithms(p) for p in p_rows]),
            Rows(insisting),
            num_draft_tokens=len(drafts),
            max_tokens=len(drafts) + 1,
            sampler=sampler,
        )
        emitted = []
        for token, _, drafted in steps:
            emitted.append(int(token))
            if not drafted:
                break
        steps.close()
        return emitted
