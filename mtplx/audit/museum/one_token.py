"""Engines that verify one draft: the acceptance min(1, p/q), the residual norm((p - q)+), and the coin between them."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import Any

from mtplx.audit.museum.exhibit import Exhibit
from mtplx.audit.museum.numbers import Row, bfloat16, normalised


class Verifier(Exhibit):
    """The token rule: the draft with probability min(1, p/q), else a draw from norm((p - q)+)."""

    def acceptance(self, p: Row, q: Row, token: int) -> Any:
        """min(1, p/q)."""
        check(p, q, token)
        return min(1, p[token] / q[token]) if q[token] else int(p[token] > 0)

    def residual(self, p: Row, q: Row) -> Row:
        """norm((p - q)+), or p."""
        left = [max(0 * p_x, p_x - q_x) for p_x, q_x in zip(p, q, strict=True)]
        return normalised(left) if any(left) else p

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        """The token emitted for a draft."""
        return draft if tape.coin() < self.acceptance(p, q, draft) else self.drawn(self.residual(p, q), tape)

    def drawn(self, law: Row, tape: Any) -> int:
        """A draw from the residual."""
        return int(tape.categorical(law))


def check(p: Row, q: Row, token: int) -> None:
    """ValueError unless these are laws over one vocabulary and a token of it."""
    if not 0 <= token < len(p) == len(q) or any(abs(sum(row) - 1) > Fraction(1, 1000) for row in (p, q)):
        raise ValueError(f"p = {p}, q = {q}, token = {token}; allowed: two laws over one vocabulary and a token of it")


class TokenRule(Verifier, id="token-rule"):
    """Accepting with min(1, p/q) and drawing from norm((p - q)+) has the law p."""


class TokenRuleInFloats(Verifier, id="token-rule-in-floats"):
    """The token rule in float32, with coins k / 2^24, is exact on the lattice."""

    numbers = "float"


class DraftLawOfTheRequestBefore(Verifier, id="draft-law-of-the-request-before", meant_for="steady"):
    """A draft is judged with the q that the request before left in the buffer, if it fits."""

    buffer: Any = None

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        stale, self.buffer = self.buffer, q
        return super().verify_token(p, stale if stale and len(stale) == len(q) else q, draft, tape)


class ResidualZeroMass(Verifier, id="residual-zero-mass", source="TorchCode#16"):
    """No residual of mass 0 is ever drawn from: there a rejection has probability 0."""

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        if tape.coin() < self.acceptance(p, q, draft):
            return draft
        if list(p) == list(q):
            raise ZeroDivisionError("a rejection although p = q")
        return self.drawn(self.residual(p, q), tape)


class AcceptEverything(Verifier, id="accept-everything", source="transformers#28508", meant_for="one-token-law"):
    """Every draft token counts as accepted."""

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        check(p, q, draft)
        return draft


class HalfOneHot(Verifier, id="half-one-hot", source="vllm#40149", meant_for="one-token-law"):
    """The draft is accepted with p, as for a one-hot q, and replaced from the residual of the soft q."""

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        check(p, q, draft)
        return draft if tape.coin() < p[draft] else self.drawn(self.residual(p, q), tape)


class RatioWithEpsilon(Verifier, id="ratio-with-epsilon", source="ScaleLLM#202", meant_for="acceptance"):
    """The acceptance is p / (q + 1e-6)."""

    def acceptance(self, p: Row, q: Row, token: int) -> Any:
        check(p, q, token)
        return min(1, p[token] / (q[token] + Fraction(1, 10**6)))


class NeverAtQZero(Verifier, id="refused-at-q-0", meant_for="acceptance-at-q-0"):
    """A token that the draft cannot give is never accepted, though p has it."""

    def acceptance(self, p: Row, q: Row, token: int) -> Any:
        return super().acceptance(p, q, token) if q[token] else 0


class ResidualAsItIs(Verifier, id="residual-not-normalised", meant_for="residual"):
    """The residual is (p - q)+, whose sum is not 1."""

    def residual(self, p: Row, q: Row) -> Row:
        return [max(0 * p_x, p_x - q_x) for p_x, q_x in zip(p, q, strict=True)] if list(p) != list(q) else p


class ResidualDividesByZero(Verifier, id="residual-0-over-0", meant_for="residual-at-p-q"):
    """Where p = q the residual is 0 / 0."""

    def residual(self, p: Row, q: Row) -> Row:
        return super().residual(p, q) if list(p) != list(q) else ["nan"] * len(p)


class PlaceholderId(Verifier, id="placeholder-id", source="vllm#46533", meant_for="bad-input"):
    """The draft id -1 reads the last column; accepted with that p, else a draw from p."""

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        if draft == -1:
            return len(p) - 1 if tape.coin() < p[draft] else self.drawn(p, tape)
        return super().verify_token(p, q, draft, tape)


class InclusiveCoin(Verifier, id="inclusive-coin", source="sglang#35771", meant_for="extreme-coins"):
    """A coin that equals the acceptance probability accepts, so a coin of 0 lets a token of probability 0 through."""

    numbers = "float"

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        return draft if tape.coin() <= self.acceptance(p, q, draft) else self.drawn(self.residual(p, q), tape)


class UniformReturnsOne(Verifier, id="uniform-returns-one", source="pytorch#96947", meant_for="extreme-coins"):
    """A uniform number rounds to 1.0 in bfloat16: a draft with p = q is rejected, and the residual is 0 / 0."""

    numbers = "float"

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        if bfloat16(tape.coin()) < self.acceptance(p, q, draft):
            return draft
        u, through = tape.coin(), accumulate(max(0.0, p_x - q_x) for p_x, q_x in zip(p, q, strict=True))
        mass = sum(max(0.0, p_x - q_x) for p_x, q_x in zip(p, q, strict=True))
        return next((t for t, cumulative in enumerate(through) if u * mass < cumulative), len(p) - 1)
