"""Engines that propose: the law that a draft is drawn from, against the q that is reported with it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mtplx.audit.museum.numbers import Row, best, bfloat16, normalised
from mtplx.audit.museum.one_token import Verifier, check
from mtplx.audit.museum.targets import Target


class Speculator(Verifier, id="honest-proposer"):
    """A draft drawn from the law that is reported with it, and verified by the token rule, has the law p."""

    def propose(self, logits: Row, config: Any, tape: Any) -> tuple[int, Row]:
        """A draft and q."""
        return self.draft(self.law(logits, config), tape), self.reported(logits, config)

    def law(self, logits: Row, config: Any) -> Row:
        """What the draft is drawn from."""
        return normalised([Fraction(share) for share in Target().target(logits, config)])

    def draft(self, law: Row, tape: Any) -> int:
        """The draw."""
        return int(tape.categorical(law))

    def reported(self, logits: Row, config: Any) -> Row:
        """What the draft is judged with."""
        return self.law(logits, config)


class SharedNoise(Speculator, id="shared-noise", source="vllm#54282", meant_for="proposal-law"):
    """The residual race reads the noise vector that made the draft win."""

    def draft(self, law: Row, tape: Any) -> int:
        return int(tape.race(law, "noise"))

    def drawn(self, law: Row, tape: Any) -> int:
        return int(tape.race(law, "noise"))


class OwnNoise(SharedNoise, id="noise-of-its-own"):
    """A residual race over a noise vector of its own is the token rule."""

    def drawn(self, law: Row, tape: Any) -> int:
        return int(tape.race(law, "noise of the residual"))


class GreedyDraftSoftQ(Speculator, id="greedy-draft-soft-q", source="transformers#32867", meant_for="proposal-honest"):
    """The draft is the argmax, and q is the softmax that it is the argmax of."""

    def draft(self, law: Row, tape: Any) -> int:
        return best(law)


def with_settings(config: Any, **changed: Any) -> Any:
    """A copy of the settings, changed."""
    return type(config)(**{"temperature": config.temperature, "top_p": config.top_p, "top_k": config.top_k} | changed)


class RawQFilteredDraft(Speculator, id="raw-q-filtered-draft", source="transformers#47932", meant_for="proposal-honest"):
    """The draft is drawn after its own top-k, and q is the law before it."""

    def reported(self, logits: Row, config: Any) -> Row:
        return self.law(logits, with_settings(config, top_k=0))


class RawQFilteredDraft2(Speculator, id="raw-q-filtered-draft-2", source="mlx-node#11", meant_for="proposal-honest"):
    """The nucleus of the draft never reaches q."""

    def reported(self, logits: Row, config: Any) -> Row:
        return self.law(logits, with_settings(config, top_p=1.0))


class QInAnotherDtype(Speculator, id="q-in-another-dtype", source="DeepSpec#31", meant_for="proposal-honest"):
    """The draft is drawn from a bfloat16 softmax and judged with another one."""

    def draft(self, law: Row, tape: Any) -> int:
        return int(tape.categorical([bfloat16(float(share)) for share in law]))


class SiblingResidualFromSoftQ(
    Speculator, id="sibling-residual-from-soft-q", source="TensorRT-LLM#15098", meant_for="proposal-law"
):
    """The one child is chosen without chance, yet its residual subtracts the law that it was chosen by."""

    def draft(self, law: Row, tape: Any) -> int:
        return best(law)

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        check(p, q, draft)
        return draft if tape.coin() < p[draft] else self.drawn(self.residual(p, q), tape)
