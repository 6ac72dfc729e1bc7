"""No result depends on the batch a row stands in: every public function gives a batch the bits it gives each row alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtplx import sampling
from mtplx.sampling import SamplerConfig
from tests.support import COINS, Row, fewer, logit_rows, rows

pytestmark = pytest.mark.device
CONFIG = SamplerConfig("2/3", 0.9, 3)


@st.composite
def blocks(draw: st.DrawFn) -> dict[str, Any]:
    """Four rows of logits, targets, drafts, draft tokens and coins over one vocabulary."""
    size = draw(st.integers(1, 5))

    def four(strategy: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(strategy, min_size=4, max_size=4))

    return {
        "logits": four(logit_rows(size, size)),
        "p": four(rows(size, size)),
        "q": four(rows(size, size)),
        "x": four(st.integers(0, size - 1)),
        "u": four(COINS),
        "v": four(COINS),
    }


Block = dict[str, Any]
FUNCTIONS: dict[str, Callable[[Block], Any]] = {
    "softmax": lambda b: sampling.softmax(b["logits"], "2/3"),
    "distribution_from_logits": lambda b: sampling.distribution_from_logits(b["logits"], CONFIG),
    "greedy": lambda b: sampling.distribution_from_logits(b["logits"], SamplerConfig(0, 1, 0)),
    "apply_top_p_top_k": lambda b: sampling.apply_top_p_top_k(b["p"], 0.9, 3),
    "acceptance_probability": lambda b: sampling.acceptance_probability(b["p"], b["q"], b["x"]),
    "residual_distribution": lambda b: sampling.residual_distribution(b["p"], b["q"]),
    "speculative_output_marginal": lambda b: sampling.speculative_output_marginal(b["p"], b["q"]),
    "sample_from_distribution": lambda b: sampling.sample_from_distribution(b["p"], b["u"]),
    "verify_one_token": lambda b: sampling.verify_one_token(b["p"], b["q"], b["x"], coin=b["u"], residual_coin=b["v"]),
}


def plain(result: Any) -> Any:
    """Results as nested lists, those of `verify_one_token` as a list of fields."""
    if isinstance(result, sampling.Verification):
        return [plain(field) for field in result]
    return result.tolist() if isinstance(result, mx.array) else result


def rowwise(name: str, result: Any) -> list[Any]:
    """What a batch of rows gives, row by row."""
    out = plain(result)
    return [list(fields) for fields in zip(*out, strict=True)] if name == "verify_one_token" else out


@pytest.mark.parametrize("name", FUNCTIONS)
@fewer(by=10)  # nine functions, seven calls an example
@given(block=blocks())
def test_batch_gives_the_bits_of_its_rows(name: str, block: Block) -> None:
    """A batch [4, V], the same in reverse, and one [2, 2, V] give each row what it gets alone."""
    function = FUNCTIONS[name]
    alone = [plain(function({key: rows[b] for key, rows in block.items()})) for b in range(4)]
    assert rowwise(name, function(block)) == alone
    assert rowwise(name, function({key: rows[::-1] for key, rows in block.items()})) == alone[::-1]
    deep = plain(function({key: [rows[:2], rows[2:]] for key, rows in block.items()}))
    parts = [list(zip(*halves, strict=True)) for halves in zip(*deep, strict=True)] if name == "verify_one_token" else deep
    assert [list(row) if name == "verify_one_token" else row for half in parts for row in half] == alone


@pytest.mark.parametrize("name", FUNCTIONS)
def test_shapes_and_types(name: str) -> None:
    """A row [V] gives [V] or a scalar, a batch [2, 3, V] gives [2, 3, V] or [2, 3]: float32 laws, int32 tokens, bool flags."""
    row: Row = [0.5, 0.25, 0.25]
    block = {"logits": row, "p": row, "q": row, "x": 1, "u": 0.5, "v": 0.5}
    deep = {key: np.broadcast_to(np.array(value), (2, 3, *np.shape(value))) for key, value in block.items()}
    one, many = FUNCTIONS[name](block), FUNCTIONS[name](deep)
    if name == "verify_one_token":
        assert [type(field) for field in one] == [int, bool, float]
        assert [(field.shape, field.dtype) for field in many] == [((2, 3), t) for t in (mx.int32, mx.bool_, mx.float32)]
    elif name == "sample_from_distribution":
        assert type(one) is int
        assert (many.shape, many.dtype) == ((2, 3), mx.int32)
    else:
        shape = () if name == "acceptance_probability" else (3,)
        assert (one.shape, one.dtype) == (shape, mx.float32)
        assert (many.shape, many.dtype) == ((2, 3, *shape), mx.float32)
