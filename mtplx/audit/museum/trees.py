"""Engines that try several drafts for one token in turn: the children of a tree, and siblings drawn from q."""

from __future__ import annotations

from typing import Any

from mtplx.audit.museum.exhibit import Exhibit
from mtplx.audit.museum.numbers import Row, best, normalised, without
from mtplx.audit.museum.one_token import Verifier, check


class DeterministicTree(Exhibit, id="deterministic-tree", source="EAGLE#183"):
    """Children in turn, the target zeroed and renormalised after each rejection, have the law p."""

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        """The draft, then the likeliest other token of the target, then a draw from the rest."""
        check(p, q, draft)
        rest, children = p, (draft, best(without(p, draft)))
        for child in children:
            if tape.coin() < rest[child]:
                return child
            rest = self.after_rejection(rest, child)
        return int(tape.categorical(rest)) if any(rest) else children[-1]

    def after_rejection(self, p: Row, child: int) -> Row:
        """The law of another token."""
        return normalised(without(p, child)) if any(without(p, child)) else p


class TreeWithoutRenormalising(
    DeterministicTree, id="tree-without-renormalising", source="EAGLE#183", meant_for="one-hot-draft"
):
    """After a rejected child the next is tested against a target that no longer sums to 1."""

    def after_rejection(self, p: Row, child: int) -> Row:
        return without(p, child)


class Siblings(Verifier, id="siblings-without-replacement", source="llama.cpp#5625"):
    """A second sibling, drawn from q without the first and judged by that law, keeps the law p."""

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        """The draft, then a sibling, then a draw from the rest."""
        if tape.coin() < self.acceptance(p, q, draft):
            return draft
        rest = self.residual(p, q)
        if not any(without(q, draft)):
            return self.drawn(rest, tape)
        sibling, judge = int(tape.categorical(without(q, draft))), self.judge(q, draft)
        if tape.coin() < min(1, rest[sibling] / judge[sibling]):
            return sibling
        return self.drawn(self.residual(rest, judge), tape)

    def judge(self, q: Row, draft: int) -> Row:
        """The law of the second sibling."""
        return normalised(without(q, draft))


class SiblingsQNotRenormalised(Siblings, id="siblings-q-not-renormalised", source="llama.cpp#5625", meant_for="one-token-law"):
    """The second sibling is drawn without the first but judged as if it were the first."""

    def judge(self, q: Row, draft: int) -> Row:
        return q
