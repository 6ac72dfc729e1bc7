"""The public engine that also calls itself mtplx: its sampling module, with a generator that reads the tape."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from mtplx import sampling

if find_spec("mtplx.audit"):
    raise ImportError("this Python has our mtplx; --python names one that has the public engine")
public: Any = sampling


class Generator:
    """What its functions ask of a numpy generator."""

    def __init__(self, tape: Any) -> None:
        self.tape = tape

    def random(self) -> Any:
        """A uniform number."""
        return self.tape.coin()

    def choice(self, values: Any, p: Any) -> Any:
        """The inverse CDF, as numpy does it."""
        return values[self.tape.categorical(list(p))]


class Engine:
    """Its functions as they are."""

    name = "mtplx-pypi"
    dialect = "mtplx"
    numbers = "float"
    version = version("mtplx")

    def target(self, logits: Any, config: Any) -> Any:
        """[V] logits to a law."""
        settings = public.SamplerConfig(temperature=config.temperature, top_p=config.top_p, top_k=config.top_k)
        return public.distribution_from_logits(logits, settings)

    def acceptance(self, p: Any, q: Any, token: int) -> float:
        """min(1, p/q)."""
        return float(public.acceptance_probability(p, q, token))

    def residual(self, p: Any, q: Any) -> Any:
        """norm((p - q)+)."""
        return public.residual_distribution(p, q)

    def sample(self, p: Any, tape: Any) -> int:
        """A draw."""
        return int(public.sample_from_distribution(p, Generator(tape)))

    def propose(self, logits: Any, config: Any, tape: Any) -> tuple[int, Any]:
        """A draw from the filtered law, and that law."""
        q = self.target(logits, config)
        return self.sample(q, tape), q

    def verify_token(self, p: Any, q: Any, draft: int, tape: Any) -> int:
        """Accept, or draw from the residual."""
        return int(public.verify_one_token(p, q, draft, Generator(tape)).token_id)
