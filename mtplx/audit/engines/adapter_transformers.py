"""transformers: its logits warpers and its speculative sampling, with torch's two random functions reading the tape."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import torch
from transformers.generation import utils
from transformers.generation.logits_process import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper


def logarithms(rows: Sequence[Any]) -> Any:
    """Logits [1, n, V] of rows of probabilities."""
    return torch.tensor([list(map(float, row)) for row in rows]).log()[None]


class Engine:
    """Warpers in the order in which `generate` puts them, and `_speculative_sampling`."""

    name = "transformers"
    dialect = "transformers"
    numbers = "float"
    version = version("transformers")

    def target(self, logits: Any, config: Any) -> Any:
        """The law that generate(do_sample=True) draws from; at temperature 0, where it only has do_sample=False, the argmax."""
        row = torch.tensor(logits)[None]
        if config.temperature == 0:
            return torch.nn.functional.one_hot(row.argmax(dim=-1), row.shape[-1])[0].float()
        warpers: list[Any] = []
        if config.temperature != 1:
            warpers.append(TemperatureLogitsWarper(config.temperature))
        if config.top_k:
            warpers.append(TopKLogitsWarper(config.top_k))
        if config.top_p < 1:
            warpers.append(TopPLogitsWarper(config.top_p))
        for warper in warpers:
            row = warper(None, row)
        return row.softmax(dim=-1)[0]

    def propose(self, logits: Any, config: Any, tape: Any) -> tuple[int, Any]:
        """A draw from the warped law, and that law."""
        q = self.target(logits, config)
        return int(tape.categorical(q.tolist())), q

    def verify_token(self, p: Any, q: Any, draft: int, tape: Any) -> int:
        """A block of one draft, its first token."""
        return self.verify_chain([p, p], [q], [draft], tape)[0]

    def verify_chain(self, p_rows: Sequence[Any], q_rows: Sequence[Any], drafts: Sequence[int], tape: Any) -> list[int]:
        """`_speculative_sampling`, whose uniforms and multinomial draw come from the tape."""

        def rand_like(shape: Any) -> Any:
            return torch.tensor([tape.coin() for _ in range(shape.numel())], dtype=shape.dtype).reshape(shape.shape)

        def multinomial(law: Any, num_samples: int) -> Any:
            return torch.tensor([[tape.categorical(row)] for row in law.tolist()])

        kept = torch.rand_like, torch.multinomial
        torch.rand_like, torch.multinomial = rand_like, multinomial
        try:
            drafted = torch.tensor([list(drafts)])
            tokens, _ = utils._speculative_sampling(drafted, logarithms(q_rows), len(drafts), logarithms(p_rows))
        finally:
            torch.rand_like, torch.multinomial = kept
        return [int(token) for token in tokens[0]]
