"""Engines that verify a block of drafts: in turn, by the target's own draws, or as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, log
from typing import Any

from mtplx.audit.museum.exhibit import Exhibit
from mtplx.audit.museum.numbers import Row
from mtplx.audit.museum.one_token import Verifier


class Chain(Exhibit):
    """Drafts in turn, up to and with the first that is not kept; a bonus where all are."""

    def verify_chain(self, p_rows: Sequence[Row], q_rows: Sequence[Row], drafts: Sequence[int], tape: Any) -> list[int]:
        """The tokens of a block."""
        emitted: list[int] = []
        for p, q, draft in zip(p_rows, q_rows, drafts, strict=False):
            emitted.append(self.choose(p, q, draft, tape))
            if emitted[-1] != draft:
                return emitted
        return [*emitted, self.choose(p_rows[-1], p_rows[-1], int(tape.categorical(p_rows[-1])), tape)]

    def choose(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        """What is emitted for a draft."""
        return Verifier().verify_token(p, q, draft, tape)


class TokenChain(Chain, id="token-chain"):
    """The token rule at every position has the joint law of the target."""


class InclusiveChain(Chain, id="inclusive-chain", meant_for="chain-coins"):
    """In a block, too, u <= p/q lets a coin of 0 accept a draft of probability 0."""

    def choose(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        rest = [max(0 * p_x, p_x - q_x) for p_x, q_x in zip(p, q, strict=True)]
        return draft if tape.coin() * q[draft] <= p[draft] else int(tape.categorical(rest if any(rest) else p))


class QRowsSwapped(Chain, id="q-rows-swapped", source="vllm#37237", meant_for="joint-law"):
    """A row is judged with the q of another row, here of another position."""

    def verify_chain(self, p_rows: Sequence[Row], q_rows: Sequence[Row], drafts: Sequence[int], tape: Any) -> list[int]:
        return super().verify_chain(p_rows, q_rows[::-1], drafts, tape)


class MatchRule(Chain, id="match-rule", source="mlx-swift-lm#459"):
    """Emitting the target's own draw, and going on while it is the draft, has the joint law of the target."""

    def verify_chain(self, p_rows: Sequence[Row], q_rows: Sequence[Row], drafts: Sequence[int], tape: Any) -> list[int]:
        emitted: list[int] = []
        for p, draft in zip(p_rows, [*drafts, None], strict=True):
            emitted.append(self.draw(p, tape))
            if emitted[-1] != draft:
                break
        return emitted

    def draw(self, p: Row, tape: Any) -> int:
        """The target's draw at a position."""
        return int(tape.categorical(p))


class BonusTokenDropped(Chain, id="bonus-token-dropped", source="lattice#389"):
    """A block whose drafts are all kept may end without a bonus token."""

    def verify_chain(self, p_rows: Sequence[Row], q_rows: Sequence[Row], drafts: Sequence[int], tape: Any) -> list[int]:
        return super().verify_chain(p_rows, q_rows, drafts, tape)[: len(drafts)]


class OneCoinForAllPositions(Chain, id="one-coin-for-all-positions", source="Rapid-MLX#2140", meant_for="joint-law"):
    """One coin judges every position of the block."""

    def choose(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        judge = Verifier()
        return draft if tape.coin("coin") < judge.acceptance(p, q, draft) else int(tape.categorical(judge.residual(p, q)))


class FrozenRng(MatchRule, id="frozen-rng", source="mlx-lm#1439", meant_for="joint-law"):
    """The random state does not advance from one position to the next."""

    def draw(self, p: Row, tape: Any) -> int:
        return int(tape.categorical(p, "state"))


class FirstTokenUnverified(Chain, id="first-token-unverified", source="lattice#243", meant_for="greedy-chain"):
    """Verification starts one draft late, and the first is emitted unseen."""

    def verify_chain(self, p_rows: Sequence[Row], q_rows: Sequence[Row], drafts: Sequence[int], tape: Any) -> list[int]:
        return [drafts[0], *super().verify_chain(p_rows[1:], q_rows[1:], drafts[1:], tape)]


class BlockRule(Exhibit, id="block-rule", source="arXiv 2403.10444"):
    """Block verification, which keeps the longest prefix whose own coin allows it, has the joint law of the target."""

    def verify_chain(self, p_rows: Sequence[Row], q_rows: Sequence[Row], drafts: Sequence[int], tape: Any) -> list[int]:
        """The tokens of a block."""
        K, rho = len(drafts), [Fraction(1)]
        for p, q, x in zip(p_rows, q_rows, drafts, strict=False):
            rho.append(min(Fraction(1), rho[-1] * p[x] / q[x]))
        ahead = [sum(self.ahead(rho[i], p_rows[i], q_rows[i])) for i in range(K)]
        thresholds = [S / (S + 1 - rho_i) if S else Fraction(0) for S, rho_i in zip(ahead[1:], rho[1:], strict=False)]
        tau = self.kept([tape.coin() < h for h in (*thresholds, rho[K])])
        if tau == K:
            return [*drafts, int(tape.categorical(p_rows[K]))]
        return [*drafts[:tau], int(tape.categorical(self.last(rho[tau], p_rows[tau], q_rows[tau])))]

    def ahead(self, rho: Any, p: Row, q: Row) -> list[Any]:
        """(rho p - q)+."""
        return [max(0 * p_x, rho * p_x - q_x) for p_x, q_x in zip(p, q, strict=True)]

    def last(self, rho: Any, p: Row, q: Row) -> Row:
        """What the block ends with, as weights."""
        return self.ahead(rho, p, q) if any(self.ahead(rho, p, q)) else p

    def kept(self, below: Sequence[bool]) -> int:
        """How many drafts are kept: the last whose coin falls below its threshold."""
        return max((i for i, allowed in enumerate(below, 1) if allowed), default=0)


class BlockRuleTokenResidual(BlockRule, id="block-rule-token-residual", source="vllm-ascend#7807", meant_for="joint-law"):
    """The thresholds are the block rule's, the residual is the token rule's."""

    def last(self, rho: Any, p: Row, q: Row) -> Row:
        return super().last(1, p, q)


class BlockRuleFirstRejected(BlockRule, id="block-rule-first-rejected", meant_for="joint-law"):
    """The block ends at the first coin that fails, though a longer prefix may still be accepted."""

    def kept(self, below: Sequence[bool]) -> int:
        return [*below, False].index(False)


class MedusaTypical(Exhibit, id="medusa-typical", source="arXiv 2401.10774"):
    """Typical acceptance keeps a draft with p(d) > min(3/10, 9/100 exp(-H)): lossy by design, and declared."""

    lossy = True

    def verify_chain(self, p_rows: Sequence[Row], q_rows: Sequence[Row], drafts: Sequence[int], tape: Any) -> list[int]:
        """The tokens of a block."""
        tau = next((i for i, x in enumerate(drafts) if not self.typical(p_rows[i], x)), len(drafts))
        return [*drafts[:tau], int(tape.categorical(p_rows[tau]))]

    def typical(self, p: Row, x: int) -> bool:
        """Whether a draft is kept."""
        return bool(p[x] > min(0.3, 0.09 * exp(sum(share * log(share) for share in p if share))))
