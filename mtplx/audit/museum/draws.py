"""Engines that draw a token from a row."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from mtplx.audit.museum.exhibit import Exhibit
from mtplx.audit.museum.numbers import Row


class InverseCdf(Exhibit, id="inverse-cdf"):
    """The inverse CDF of a row has its law."""

    def sample(self, p: Row, tape: Any) -> int:
        """A token."""
        return int(tape.categorical(p))


class UniformOnTheSupport(InverseCdf, id="uniform-on-the-support", meant_for="sample-law"):
    """Every token that has any probability is as likely as another."""

    def sample(self, p: Row, tape: Any) -> int:
        support = [t for t, share in enumerate(p) if share]
        return support[int(tape.below(len(support)))]


class InclusiveCdf(InverseCdf, id="inclusive-cdf", meant_for="sample-coins"):
    """A draw is the first token whose cumulative probability is at least the coin, so a coin of 0 draws any."""

    def sample(self, p: Row, tape: Any) -> int:
        u = tape.coin()
        return next(t for t, end in enumerate(accumulate(p)) if u <= end)
