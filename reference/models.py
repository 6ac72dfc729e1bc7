"""Toy autoregressive models on rationals: a target and a draft row for every prefix.

Rules are judged on models whose rows depend on the whole prefix, so that a stale row, a missing rollback or a row taken from
the wrong position changes the law.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sympy import QQ

from reference.numbers import law_of_row

Tokens = tuple[int, ...]
Law = list[Any]


@dataclass(frozen=True)
class Model:
    """A vocabulary of `size` tokens; target_row(prefix) and draft_row(prefix, discarded) are rows of probabilities.

    `discarded` are the drafted tokens that the last block threw away: a draft model may remember them. Rows are checked and
    made laws once (spec 3); ValueError names the row.
    """

    size: int
    target_row: Callable[[Tokens], Sequence[Any]]
    draft_row: Callable[[Tokens, Tokens], Sequence[Any]]
    rows: dict[Any, Law] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size = {self.size}; allowed: at least one token")

    def target(self, prefix: Tokens) -> Law:
        """The target's law of the token after a prefix."""
        if prefix not in self.rows:
            self.rows[prefix] = self._law(self.target_row(prefix), f"target row of {prefix}")
        return self.rows[prefix]

    def draft(self, prefix: Tokens, discarded: Tokens = ()) -> Law:
        """The law that the draft token after a prefix is drawn from."""
        if (prefix, discarded) not in self.rows:
            self.rows[prefix, discarded] = self._law(self.draft_row(prefix, discarded), f"draft row of {prefix}")
        return self.rows[prefix, discarded]

    def _law(self, row: Sequence[Any], name: str) -> Law:
        law = law_of_row(row, name)
        if len(law) != self.size:
            raise ValueError(f"{name} has {len(law)} tokens; allowed: {self.size}, the model's vocabulary")
        return law


def from_tables(target: Mapping[Tokens, Sequence[Any]], draft: Mapping[Tokens, Sequence[Any]]) -> Model:
    """A model of written-out rows, keyed by prefix; the draft remembers nothing."""

    def row(table: Mapping[Tokens, Sequence[Any]], prefix: Tokens, name: str) -> Sequence[Any]:
        if prefix not in table:
            raise ValueError(f"there is no {name} row of {prefix}; allowed: a row for every prefix that decoding reaches")
        return table[prefix]

    size = len(row(target, (), "target"))
    return Model(size, lambda prefix: row(target, prefix, "target"), lambda prefix, _: row(draft, prefix, "draft"))


def same_rows(p: Sequence[Any], q: Sequence[Any]) -> Model:
    """A model with the same two rows after every prefix."""
    return Model(len(p), lambda _: p, lambda _, __: q)


def code_of(size: int, prefix: Tokens) -> int:
    """A number that no other prefix over this vocabulary has: its tokens as digits after a leading 2."""
    code = 2  # not 1, at which the rows of target and draft would both be uniform
    for token in prefix:
        code = code * size + token
    return code


def prefix_encoding(size: int) -> Model:
    """A target whose law encodes its exact prefix, and a draft that also encodes how much was discarded."""

    def row(code: int) -> Law:
        heavy = code % size
        return [QQ(code if token == heavy else 1, code + size - 1) for token in range(size)]

    return Model(
        size,
        lambda prefix: row(code_of(size, prefix)),
        lambda prefix, discarded: row(code_of(size, prefix) // 2 + code_of(size, discarded)),
    )


def random_model(seed: int, size: int, *, largest: int = 4, remembers: bool = False) -> Model:
    """Rows of random integer weights up to `largest` over their sum, each from the seed and its prefix alone.

    Small weights make zeros, ties and one-hots common. A draft that remembers has other rows after other discards.
    """

    def row(*key: Any) -> Law:
        source = Random(repr((seed, size, *key)))
        weights = [source.randint(0, largest) for _ in range(size)]
        weights[source.randrange(size)] += not any(weights)
        return [QQ(weight, sum(weights)) for weight in weights]

    return Model(
        size,
        lambda prefix: row("target", prefix),
        lambda prefix, discarded: row("draft", prefix, discarded if remembers else ()),
    )
