"""Our own MLX implementation."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from mtplx import sampling
from mtplx.config import SamplerConfig


class Engine:
    """`mtplx.sampling` as it is."""

    name = "mtplx"
    dialect = "mtplx"
    numbers = "float"
    version = version("mtplx-exact")

    def target(self, logits: Any, config: Any) -> Any:
        """[V] logits to a law."""
        return sampling.distribution_from_logits(logits, SamplerConfig(config.temperature, config.top_p, config.top_k))

    def acceptance(self, p: Any, q: Any, token: int) -> Any:
        """min(1, p/q)."""
        return sampling.acceptance_probability(p, q, token).item()

    def residual(self, p: Any, q: Any) -> Any:
        """norm((p - q)+)."""
        return sampling.residual_distribution(p, q)

    def sample(self, p: Any, tape: Any) -> int:
        """Inverse CDF."""
        return int(sampling.sample_from_distribution(p, tape.coin()))

    def propose(self, logits: Any, config: Any, tape: Any) -> tuple[int, Any]:
        """A draw from the filtered law, and that law."""
        q = self.target(logits, config)
        return self.sample(q, tape), q

    def verify_token(self, p: Any, q: Any, draft: int, tape: Any) -> int:
        """Accept, or draw from the residual: the second coin is read where it matters."""
        coin = tape.coin()
        verdict = sampling.verify_one_token(p, q, draft, coin=coin, residual_coin=0)
        if verdict.accepted:
            return int(verdict.token_id)
        return int(sampling.verify_one_token(p, q, draft, coin=coin, residual_coin=tape.coin()).token_id)
