"""The doors: what may enter `mtplx.sampling`, as float32 rows [B, V] that are known to be good."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mtplx.config import exact
from mtplx.errors import (
    CoinError,
    DenominatorError,
    DrawError,
    LogitsError,
    MassError,
    ShapeError,
    TokenError,
    VocabularyError,
)
from mtplx.wide import Wide

MASS_TOLERANCE = Fraction(1, 1000)
MOST_BITS = 62
"""Counts and their sums stay below 2^63, where Python ints still convert to MLX scalars."""
DENOMINATOR = 2**MOST_BITS
MOST_TOKENS = 2**20
"""Of a dyadic law: its kept mass then reaches the top limb of every `Wide` it is held in."""
FLOATS = (mx.float32, mx.float16, mx.bfloat16, mx.float64)


@dataclass(frozen=True)
class Rows:
    """float32 [B, V] with the shape [..., V] it came in."""

    values: mx.array
    shape: tuple[int, ...]

    def restore(self, rows: mx.array) -> mx.array:
        """Rows [B, V] in the caller's shape [..., V]."""
        return rows.reshape(self.shape)

    def per_row(self, values: mx.array) -> mx.array:
        """One value a row in the caller's batch shape [...]."""
        return values.reshape(self.shape[:-1])


@dataclass(frozen=True)
class Law(Rows):
    """Rows of probabilities with their exact masses: the law of a row is mass / total."""

    mass: Wide
    total: Wide


def rounded(x: Any) -> Any:
    """A Python int as the nearest float32, ties to even: by way of float64, as numpy goes, it would be rounded twice."""
    if isinstance(x, bool) or not isinstance(x, int):
        return x
    unit = 1 << max(0, x.bit_length() - 24)
    nearest = round(Fraction(x, unit)) * unit
    return float(nearest) if abs(nearest) < 2**128 else float("inf") if x > 0 else -float("inf")


def float32_rows(row: Any, name: str) -> Rows:
    """An mlx array, numpy array or (nested) list as float32 [B, V]; float64 and lists are rounded once, far ones to +-inf."""
    if not isinstance(row, mx.array):
        try:
            array = np.asarray(row)
        except ValueError as error:
            raise ShapeError(f"{name} is ragged; allowed: one row or a rectangular batch of rows") from error
        if (
            not isinstance(row, np.ndarray)
            and array.dtype.kind in "fO"
            and (array.dtype == object or (abs(array) > 2**53).any())
        ):
            array = np.array([rounded(x) for x in np.array(row, dtype=object).flat]).reshape(array.shape)
        if array.dtype.kind not in "fiu":
            raise ShapeError(f"{name} holds {array.dtype}; allowed: real numbers")
        with np.errstate(over="ignore"):
            row = mx.array(array.astype(np.float32))
    elif row.dtype not in FLOATS and not mx.issubdtype(row.dtype, mx.integer):
        raise ShapeError(f"{name} holds {row.dtype}; allowed: floats or integers")
    if row.ndim == 0 or row.size == 0:
        raise ShapeError(f"{name} has shape {tuple(row.shape)}; allowed: [..., V] with V >= 1 and no empty axis")
    return Rows(row.astype(mx.float32).reshape(-1, row.shape[-1]), tuple(row.shape))


def good_logits(values: mx.array, tops: NDArray[np.float32]) -> None:
    """LogitsError unless rows [B, V] are finite or -inf, and none is all -inf; tops: their maxima, to which NaN propagates."""
    for b in np.flatnonzero(~np.isfinite(tops)).tolist():
        if tops[b] == -np.inf:
            raise LogitsError(f"logits of row {b} are all -inf; allowed: finite float32 or -inf, one finite at least")
        row = np.array(values[b])
        token = int(np.flatnonzero(~(row < np.inf))[0])
        raise LogitsError(f"logits of row {b} hold {row[token]} at token {token}; allowed: finite float32 numbers or -inf")


def logit_rows(logits: Any) -> Rows:
    """Finite logits or -inf, not all -inf in a row; LogitsError otherwise."""
    rows = float32_rows(logits, "logits")
    good_logits(rows.values, np.array(mx.max(rows.values, axis=-1)))
    return rows


def law_rows(probs: Any, name: str) -> Law:
    """Rows of probabilities: finite, >= 0, summing to one within 1/1000 exactly; MassError otherwise."""
    rows = float32_rows(probs, name)
    for b, good in enumerate(np.array(mx.all((rows.values >= 0) & (rows.values < 2), axis=-1)).tolist()):
        if not good:
            values = np.array(rows.values[b])
            token = int(np.flatnonzero(~((values >= 0) & (values < 2)))[0])
            raise MassError(f"row {b} of {name} holds {values[token]} at token {token}; allowed: probabilities, from 0 to 1")
    mass = Wide.from_float32(rows.values)
    total = mass.total()
    for b, units in enumerate(total.to_ints()):
        if abs(Fraction(units, 2**149) - 1) > MASS_TOLERANCE:
            raise MassError(f"row {b} of {name} sums to {units / 2**149:.6g}; allowed: within {MASS_TOLERANCE} of 1")
    return Law(rows.values, rows.shape, mass, total)


def law_pair(target_p: Any, draft_q: Any) -> tuple[Law, Law]:
    """Target and draft over one vocabulary and in one batch shape; VocabularyError or ShapeError otherwise."""
    p, q = law_rows(target_p, "target_p"), law_rows(draft_q, "draft_q")
    if p.shape[-1] != q.shape[-1]:
        raise VocabularyError(f"target_p has {p.shape[-1]} tokens, draft_q has {q.shape[-1]}; allowed: one vocabulary")
    if p.shape != q.shape:
        raise ShapeError(f"target_p has shape {p.shape}, draft_q {q.shape}; allowed: the same shape")
    return p, q


def one_per_row(values: Any, rows: Rows, name: str) -> list[Any]:
    """A scalar for one row [V], an array of shape [...] for a batch [..., V], as a flat list."""
    if isinstance(values, mx.array):
        values = np.array(values.astype(mx.float32) if values.dtype == mx.bfloat16 else values)  # numpy has no bfloat16
    array = np.asarray(values, dtype=object)
    if array.shape != rows.shape[:-1]:
        raise ShapeError(f"{name} has shape {array.shape}; allowed: {rows.shape[:-1]}, one for each row")
    return list(array.reshape(-1).tolist())


def token_ids(tokens: Any, rows: Rows, name: str) -> mx.array:
    """Token ids as uint32 [B, 1]; TokenError unless 0 <= id < V."""
    ids = one_per_row(tokens, rows, name)
    size = rows.shape[-1]
    for b, token in enumerate(ids):
        if isinstance(token, (bool, np.bool_)) or not hasattr(token, "__index__") or not 0 <= token < size:
            raise TokenError(f"{name} of row {b} is {token!r}; allowed: an integer from 0 to {size - 1}")
    return mx.array(np.array(ids, dtype=np.uint32)[:, None])


def coins(values: Any, rows: Rows, name: str) -> list[Fraction]:
    """Coins as exact fractions, one a row; CoinError unless 0 <= coin < 1."""
    out: list[Fraction] = []
    for b, value in enumerate(one_per_row(values, rows, name)):
        try:
            coin = exact(value)
        except (TypeError, ValueError, ArithmeticError):
            coin = Fraction(-1)
        if not 0 <= coin < 1:
            raise CoinError(f"{name} of row {b} is {value!r}; allowed: 0 <= {name} < 1")
        out.append(coin)
    return out


def is_row(rows: Rows) -> bool:
    """One row, not a batch: results are scalars."""
    return len(rows.shape) == 1


def denominator_bits(denominator: Any) -> int:
    """b of a denominator 2^b with 1 <= b <= 62; DenominatorError otherwise."""
    whole = not isinstance(denominator, bool) and isinstance(denominator, int)
    bits = denominator.bit_length() - 1 if whole else 0
    if not 1 <= bits <= MOST_BITS or denominator != 1 << bits:
        raise DenominatorError(f"denominator = {denominator!r}; allowed: a power of two from 2 to 2^{MOST_BITS}")
    return int(bits)


def vocabulary(size: Any) -> int:
    """The size of a vocabulary of dyadic laws; VocabularyError unless an integer from 1 to 2^20."""
    whole = hasattr(size, "__index__") and not isinstance(size, (bool, np.bool_))
    if not whole or not 1 <= size <= MOST_TOKENS:
        raise VocabularyError(f"the vocabulary has {size!r} tokens; allowed: 1 to {MOST_TOKENS}")
    return int(size)


def draws(r: Any, denominator: int) -> mx.array:
    """Draws as a uint64 array of their own shape; DrawError unless integers from 0 to denominator - 1.

    The range of an mlx array is not looked at here, since that would wait for the device: whoever uses it must check.
    """
    if isinstance(r, mx.array):
        if r.dtype != mx.uint64:
            raise DrawError(f"r holds {r.dtype}; allowed: uint64")
        return r
    array = np.array(r, dtype=object)
    for value in array.reshape(-1).tolist():
        whole = hasattr(value, "__index__") and not isinstance(value, (bool, np.bool_))
        if not whole or not 0 <= value < denominator:
            raise DrawError(f"r is {value!r}; allowed: an integer from 0 to {denominator - 1}")
    return mx.array(array.astype(np.uint64))
