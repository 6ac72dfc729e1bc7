"""Engines that take the draft as certain: kept with p(d), else another token of p."""

from __future__ import annotations

from typing import Any

from mtplx.audit.museum.exhibit import Exhibit
from mtplx.audit.museum.numbers import Row, without
from mtplx.audit.museum.one_token import check


class OneHotRule(Exhibit, id="one-hot-q-for-any-draft", source="vllm#40149"):
    """A draft kept with p(d), else a draw from p without it, has the law p however d was chosen."""

    def verify_token(self, p: Row, q: Row, draft: int, tape: Any) -> int:
        """The draft, or another token."""
        check(p, q, draft)
        return draft if self.coin(tape) < p[draft] else self.another(without(p, draft), tape)

    def coin(self, tape: Any) -> Any:
        """What is compared with p."""
        return tape.coin("coin")

    def another(self, weights: Row, tape: Any) -> int:
        """A draw from what is left."""
        return int(tape.categorical(weights))


class CoinReusedInResidual(OneHotRule, id="coin-reused-in-residual", source="vllm-ascend#16370", meant_for="one-hot-draft"):
    """The coin that rejected the draft is also the threshold of the residual draw."""

    def another(self, weights: Row, tape: Any) -> int:
        return int(tape.categorical(weights, "coin"))


class CoinIsConstantZero(OneHotRule, id="coin-is-constant-zero", source="vllm-ascend#13766", meant_for="one-hot-draft"):
    """The uniform is the number 0, which accepts every draft that has any probability."""

    def coin(self, tape: Any) -> Any:
        return 0
