"""Hypothesis strategies for the inputs on which sampling goes wrong: zeros, ties, one-hots, disjoint supports, boundary sums.

Rows are small integer weights over their sum, so that counterexamples shrink to two tokens and small fractions. Numbers are
`Fraction`s that mean what they say, or with rounded="float32" or "float64" the nearest floats, each rounded once.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate, product
from typing import Any, NamedTuple

from hypothesis import strategies as st

from reference.filters import SamplerConfig
from reference.models import Model, Tokens
from reference.numbers import law_of_row

Row = list[Any]
Weights = Sequence[int]
Shape = Callable[[Weights], Weights]
ROUNDINGS: dict[str | None, Callable[[Any], Any]] = {
    None: Fraction,
    "float32": lambda x: struct.unpack("f", struct.pack("f", float(x)))[0],
    "float64": float,
}


class Pair(NamedTuple):
    """A target and a draft over one vocabulary, in the order of the arguments target_p and draft_q."""

    target: Row
    draft: Row


class Cut(NamedTuple):
    """A law and a configuration to cut it with."""

    law: Row
    config: SamplerConfig


@dataclass(frozen=True)
class Chain:
    """k drafts and the rows of prefixes of up to k tokens: all that k + 1 tokens of decoding read.

    target[prefix] and draft[prefix, seen] are rows; `seen` is () or the first token that the last block discarded, and a draft
    without a row for what it saw has forgotten it. The repr is the source of the chain.
    """

    k: int
    target: dict[Tokens, Row]
    draft: dict[tuple[Tokens, Tokens], Row]

    @cached_property
    def model(self) -> Model:
        """The chain as a model of `reference.models`."""
        return Model(len(self.target[()]), self.target.__getitem__, self._draft_row)

    def _draft_row(self, prefix: Tokens, discarded: Tokens) -> Row:
        return self.draft.get((prefix, discarded[:1])) or self.draft[prefix, ()]


def one_hot(weights: Weights) -> Weights:
    """Only the first of the largest weights."""
    return [int(token == weights.index(max(weights))) for token in range(len(weights))]


def level(weights: Weights) -> Weights:
    """Equal weights where there is any: ten tenths, whose floats do not sum to 1."""
    return [int(weight > 0) for weight in weights]


WEIGHTS = st.one_of(st.integers(0, 2), st.integers(0, 9))
"""Most are 0, 1 or 2: zeros and ties are common."""
SHAPES: st.SearchStrategy[Shape] = st.sampled_from([list, list, level, one_hot])
"""As drawn (small sums are often dyadic), level, one-hot: each again a row of small weights, so that shrinking passes them."""
EQUAL = WEIGHTS.map(lambda weight: (weight, weight))
APART = st.one_of(WEIGHTS.map(lambda weight: (weight, 0)), WEIGHTS.map(lambda weight: (0, weight)))
COLUMNS = (st.tuples(WEIGHTS, WEIGHTS), st.one_of(EQUAL, APART), EQUAL, APART)
"""Target and draft weight of one token, for all tokens of a pair: any, equal or apart, equal, apart."""

TEMPERATURES = st.one_of(
    st.sampled_from([1, 0, 0.6, 0.8, Fraction(4, 5)]),
    st.builds(Fraction, st.integers(1, 100), st.integers(1, 100)),
    st.floats(2.0**-10, 2.0**10),
)
TOP_P = st.one_of(st.sampled_from([1, 0.5, 0.95, 0.8, Fraction(4, 5)]), st.fractions(0, 1, max_denominator=10), st.floats(0, 1))
NOTABLE = (0.0, -0.0, 2.0**-149, -(2.0**-149), 88.0, -104.0)
"""Logits: both zeros, the least float32, and where exp in float32 is largest and where it is 0."""


def laws(*, min_size: int = 2, max_size: int = 5, rounded: str | None = None) -> st.SearchStrategy[Row]:
    """A row of probabilities over min_size to max_size tokens.

    Bias: zeros or none, ties, one-hots, dyadics (exact as floats), and laws such as ten times 1/10 whose floats do not sum to
    1. Exact rows sum to 1; rounded rows nearly, and mean row / sum(row). Shrinks to fewer tokens, then to weights 0 and 1.
    """
    _check(rounded, min_size, max_size)
    rows = (st.lists(weights, min_size=min_size, max_size=max_size) for weights in (WEIGHTS, st.integers(1, 9)))
    return st.builds(_row, st.one_of(*rows), SHAPES, st.just(rounded))


def one_hots(*, min_size: int = 2, max_size: int = 5, rounded: str | None = None) -> st.SearchStrategy[Row]:
    """The row of one certain token. Shrinks to fewer tokens."""
    _check(rounded, min_size, max_size)
    return st.lists(WEIGHTS, min_size=min_size, max_size=max_size).map(lambda weights: _row(weights, one_hot, rounded))


def draft_target_pairs(*, min_size: int = 2, max_size: int = 5, rounded: str | None = None) -> st.SearchStrategy[Pair]:
    """A `Pair(target, draft)` over one vocabulary.

    Bias: each row as in `laws`; both equal, equal at some tokens, or with disjoint supports. Shrinks like `laws`.
    """
    _check(rounded, min_size, max_size)
    return st.builds(_pair, _columns(min_size, max_size), SHAPES, SHAPES, st.just(rounded))


def logit_rows(
    *, min_size: int = 2, max_size: int = 5, largest: float = 128, rounded: str | None = None
) -> st.SearchStrategy[Row]:
    """A row of logits from -largest to largest or -inf, one of them finite at least; -inf is a float in exact rows too.

    Bias: small integers (ties), -inf, both zeros, +-largest, floats of the width. Shrinks to fewer tokens and small integers.
    """
    _check(rounded, min_size, max_size)
    number = ROUNDINGS[rounded]
    try:
        bound = float(number(largest))
    except (TypeError, ValueError, OverflowError):
        bound = 0.0
    if not 0 < bound < float("inf"):
        raise ValueError(f"largest = {largest!r}; allowed: a number > 0 that is finite when rounded")
    small = min(int(bound), 3)
    logits = st.one_of(
        st.integers(-small, small),
        st.floats(-min(bound, 32), min(bound, 32)),
        st.sampled_from([float("-inf"), *(x for x in (*NOTABLE, bound, -bound) if abs(x) <= bound)]),
        st.floats(-bound, bound),
    )
    rows = st.lists(logits, min_size=min_size, max_size=max_size).filter(lambda row: max(row) > float("-inf"))
    return rows.map(lambda row: [number(x) if x > float("-inf") else x for x in row])


def configs(law: Sequence[Any] | None = None, *, rounded: str | None = None) -> st.SearchStrategy[SamplerConfig]:
    """A `SamplerConfig`.

    Bias: settings that are off, greedy, decimals and the doubles beside them; given a law, a top_p that is the mass of its
    first ranks, exactly or as the nearest double, and a top_k up to its size + 1. Rounded temperatures and top_p are floats of
    the width. Shrinks to temperature 1 and both cuts off.
    """
    _check(rounded)
    number, top_p, most = ROUNDINGS[rounded], TOP_P, 8
    if law is not None:
        shares = [Fraction(int(x.numerator), int(x.denominator)) for x in law_of_row(law, "law")]
        ends = list(accumulate(sorted(filter(None, shares), reverse=True)))
        top_p, most = st.one_of(TOP_P, st.sampled_from(ends), st.sampled_from(ends).map(float)), len(shares) + 1
    return st.builds(
        SamplerConfig, TEMPERATURES.map(number), top_p.map(number).filter(lambda p: 0 < p <= 1), st.integers(0, most)
    )


def cuts(*, min_size: int = 2, max_size: int = 5, rounded: str | None = None) -> st.SearchStrategy[Cut]:
    """A `Cut(law, config)`: a row of `laws` and one of its own `configs`."""
    rows = laws(min_size=min_size, max_size=max_size, rounded=rounded)
    return rows.flatmap(lambda law: configs(law, rounded=rounded).map(lambda config: Cut(law, config)))


def chains(
    *, max_k: int = 2, min_size: int = 2, max_size: int = 3, remembers: bool = False, rounded: str | None = None
) -> st.SearchStrategy[Chain]:
    """A `Chain` of 1 to max_k drafts and about size^k rows: one pair, as in `draft_target_pairs`, and rows that differ.

    A draft that remembers also has rows of its own for what it saw discarded. Shrinks to fewer drafts, two tokens, the same
    rows after every prefix, and weights 0 and 1.
    """
    _check(rounded, min_size, max_size, max_k)
    tokens = st.integers(0, max_size - 1)
    prefixes = st.lists(tokens, max_size=max_k).map(tuple)
    seen = st.one_of(st.just(()), st.tuples(tokens)) if remembers else st.just(())
    rows = st.tuples(st.lists(WEIGHTS, min_size=max_size, max_size=max_size), SHAPES)
    return st.builds(
        partial(_chain, rounded),
        st.integers(1, max_k),
        st.lists(st.integers(0, max_size), min_size=max_size - min_size, max_size=max_size - min_size),
        _columns(max_size, max_size),
        st.tuples(SHAPES, SHAPES),
        st.dictionaries(prefixes, rows),
        st.dictionaries(st.tuples(prefixes, seen), rows),
    )


def _chain(rounded: str | None, k: int, left_out: list[int], columns: Any, shapes: Any, p_rows: Any, q_rows: Any) -> Chain:
    """Rows are drawn over the largest vocabulary and tokens left out here, so that shrinking leaves one out in one step."""
    kept = [token for token in range(len(columns)) if token not in left_out]
    usual_p, usual_q = zip(zip(*columns, strict=True), shapes, strict=True)
    names = {token: name for name, token in enumerate(kept)}

    def row(weights: Weights, shape: Shape) -> Row:
        return _row([weights[token] for token in kept], shape, rounded)

    chain = Chain(k, {}, {})
    for prefix in (prefix for length in range(k + 1) for prefix in product(kept, repeat=length)):
        renamed = tuple(names[token] for token in prefix)
        chain.target[renamed] = row(*p_rows.get(prefix, usual_p))
        if len(prefix) < k:
            chain.draft[renamed, ()] = row(*q_rows.get((prefix, ()), usual_q))
            for token in kept:
                if prefix and (prefix, (token,)) in q_rows:
                    chain.draft[renamed, (names[token],)] = row(*q_rows[prefix, (token,)])
    return chain


def _columns(min_size: int, max_size: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    return st.one_of(*(st.lists(column, min_size=min_size, max_size=max_size) for column in COLUMNS))


def _pair(columns: Sequence[tuple[int, int]], shape_p: Shape, shape_q: Shape, rounded: str | None) -> Pair:
    p, q = zip(*columns, strict=True)
    return Pair(_row(p, shape_p, rounded), _row(q, shape_q, rounded))


def _row(weights: Weights, shape: Shape, rounded: str | None) -> Row:
    """Weights over their sum; without any weight the first token is certain."""
    shaped = shape(weights) if any(weights) else one_hot(weights)
    return [ROUNDINGS[rounded](Fraction(weight, sum(shaped))) for weight in shaped]


def _check(rounded: Any, min_size: Any = 1, max_size: Any = 1, max_k: Any = 1) -> None:
    """ValueError naming the first argument that is not allowed."""
    if rounded not in tuple(ROUNDINGS):
        raise ValueError(f"rounded = {rounded!r}; allowed: {', '.join(map(repr, ROUNDINGS))}")
    for name, value, least in (("min_size", min_size, 1), ("max_size", max_size, min_size), ("max_k", max_k, 1)):
        if type(value) is not int or value < least:
            raise ValueError(f"{name} = {value!r}; allowed: an integer >= {least}")
