"""The sampler configuration and the cut: which ranks stay (spec 1 and 2).

The cut is one function of ranked weights. It runs unchanged on rationals (a row of probabilities) and on balls (the
exponentials of logits), because it only adds and compares.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import index
from typing import Any

from sympy import QQ

from reference import pointwise
from reference.numbers import law_of_row, rational
from reference.numbers import rationals as n


@dataclass(frozen=True)
class SamplerConfig:
    """Temperature, nucleus and top-k; temperature and top_p as elements of QQ, exactly as given.

    Raises ValueError naming field and value unless temperature >= 0 (0 is greedy), 0 < top_p <= 1 (1 is off),
    and top_k is an integer >= 0 (0 is off).
    """

    temperature: Any = 0.6
    top_p: Any = 0.95
    top_k: int = 20

    def __post_init__(self) -> None:
        for field, allowed in (("temperature", "a finite number >= 0"), ("top_p", "0 < top_p <= 1")):
            given = getattr(self, field)
            try:
                value = rational(given)
            except ValueError as error:
                raise ValueError(f"{field}: {error}; allowed: {allowed}") from None
            if value < 0 or (field == "top_p" and not 0 < value <= 1):
                raise ValueError(f"{field} = {given!r}; allowed: {allowed}")
            object.__setattr__(self, field, value)
        try:
            k = -1 if isinstance(self.top_k, bool) else index(self.top_k)
        except TypeError:
            k = -1
        if k < 0:
            raise ValueError(f"top_k = {self.top_k!r}; allowed: an integer >= 0 (0 keeps every token)")
        object.__setattr__(self, "top_k", k)

    def __repr__(self) -> str:
        return f"SamplerConfig(temperature='{self.temperature}', top_p='{self.top_p}', top_k={self.top_k})"

    @classmethod
    def of(cls, config: Any) -> SamplerConfig:
        """The same configuration from any object with the three fields; ValueError if one is missing."""
        try:
            return cls(config.temperature, config.top_p, config.top_k)
        except AttributeError:
            raise ValueError(f"config = {config!r}; allowed: an object with temperature, top_p and top_k") from None


def rank(values: Sequence[Any]) -> list[int]:
    """Token ids by value descending, id ascending: ids break ties (spec 2.2)."""
    return sorted(range(len(values)), key=values.__getitem__, reverse=True)  # a reversed sort is stable too


def nucleus_size(through: Sequence[Any], top_p: Any, *, inclusive: bool = False) -> int:
    """How many ranks the nucleus keeps of those that have this mass through them, descending and positive weights summed.

    top_p: in the number system of the masses, of which only a few are looked at.
    inclusive: a rank stays also where the mass before it equals top_p of the total (a dialect's cut, spec 6).
    """
    keeps = pointwise.nucleus_keeps_ties if inclusive else pointwise.nucleus_keeps
    return 1 + bisect_left(range(1, len(through)), True, key=lambda r: not keeps(n, through[r - 1], top_p, through[-1]))


def kept_by_top_k(size: int, top_k: int) -> int:
    """The first min(top_k, size) ranks stay; top_k = 0 is off. One joint cut with the nucleus (spec 2.4)."""
    return int(pointwise.first_ranks(n, size, top_k))


def apply_top_p_top_k(probs: Sequence[Any], top_p: Any = 1.0, top_k: int = 0) -> list[Any]:
    """The law of the ranks that nucleus and top-k keep, divided by the kept mass (spec 2.2 to 2.5)."""
    config = SamplerConfig(1, top_p, top_k)
    law = law_of_row(probs, "probs")
    ranked = [token for token in rank(law) if law[token] > 0]
    through = list(accumulate(law[token] for token in ranked))
    size = kept_by_top_k(nucleus_size(through, config.top_p), config.top_k)
    kept = set(ranked[:size])
    mass = sum((law[token] for token in kept), QQ(0))
    return [pointwise.renormalised(n, weight, mass, token in kept) for token, weight in enumerate(law)]
