"""Engines that filter logits: temperature, nucleus and top-k in their order, ties, and the sum of the softmax."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import exp, inf, log
from typing import Any

from mtplx.audit.museum.exhibit import Exhibit
from mtplx.audit.museum.numbers import Row, best, bfloat16, float32, normalised, one_hot


class Target(Exhibit):
    """The filtered target in float64: temperature, then one cut by nucleus and top-k jointly."""

    def target(self, logits: Row, config: Any) -> Row:
        """[V] logits to a law."""
        if not all(logit < inf for logit in logits) or not any(logit > -inf for logit in logits):
            raise ValueError(f"logits = {logits}; allowed: finite or -inf, not all of them -inf")
        if config.temperature < 0 or not 0 < config.top_p <= 1 or config.top_k < 0:
            raise ValueError(f"{config}; allowed: temperature >= 0, 0 < top_p <= 1, top_k >= 0")
        if config.temperature == 0:
            return self.greedy(logits)
        weights, kept = self.weights(logits, config.temperature), self.kept(logits, config)
        total = self.total([weights[t] for t in kept])
        return [weight / total if t in kept else 0.0 for t, weight in enumerate(weights)]

    def greedy(self, logits: Row) -> Row:
        """At temperature 0."""
        return one_hot(best(logits), len(logits))

    def weights(self, logits: Row, temperature: float) -> list[float]:
        """exp(l / T) over the largest."""
        top = max(logits)
        return [exp((logit - top) / temperature) for logit in logits]

    def kept(self, logits: Row, config: Any) -> set[int]:
        """What both cuts keep."""
        order = sorted(range(len(logits)), key=lambda t: (-logits[t], t))
        weights = self.weights(logits, config.temperature)
        return self.nucleus(order, weights, config.top_p) & self.top_k(order, logits, config.top_k)

    def nucleus(self, order: Sequence[int], weights: Row, top_p: float) -> set[int]:
        """The ranks with less than top_p of the mass before them."""
        if top_p == 1:
            return {t for t in order if weights[t]}
        through = list(accumulate(weights[t] for t in order))
        return {t for t, mass in zip(order, [0.0, *through], strict=False) if mass < top_p * through[-1]}

    def top_k(self, order: Sequence[int], logits: Row, k: int) -> set[int]:
        """The first k ranks."""
        return set(order[:k] if k else order)

    def total(self, weights: Row) -> float:
        """The mass that the kept tokens are divided by."""
        return sum(weights)


class JointCut(Target, id="joint-cut"):
    """Temperature, nucleus and top-k are one joint cut, in float64."""


class LogSoftmaxThenTemperature(Target, id="log-softmax-then-temperature", source="Kimi-Audio#161"):
    """The temperature divides log-probabilities instead of logits, which a constant tells apart."""

    def weights(self, logits: Row, temperature: float) -> list[float]:
        whole = max(logits) + log(sum(super().weights(logits, 1.0)))
        return super().weights([logit - whole for logit in logits], temperature)


class DocumentedOrder(Target, id="documented-order", source="sglang-jax#1563"):
    """Top-k, then the nucleus of what is left, then the temperature: the dialect of llama.cpp, which it names."""

    dialect = "llama.cpp"

    def kept(self, logits: Row, config: Any) -> set[int]:
        order = sorted(range(len(logits)), key=lambda t: (-logits[t], t))
        return self.nucleus(order[: config.top_k or None], self.weights(logits, 1.0), config.top_p)


class VerifyIgnoresTemperature(Target, id="verify-ignores-temperature", source="lattice#388", meant_for="target-temperature"):
    """The draft is judged by the law at temperature 1."""

    def weights(self, logits: Row, temperature: float) -> list[float]:
        return super().weights(logits, 1.0)


class TemperatureTwice(Target, id="temperature-twice", source="RL-Kernel#81", meant_for="target-temperature"):
    """Logits are divided by the temperature in two places."""

    def weights(self, logits: Row, temperature: float) -> list[float]:
        return super().weights(logits, temperature * temperature)


class TinyTemperature(Target, id="tiny-temperature", source="vllm#2937", meant_for="target-temperature"):
    """logits / T overflows float32, and infinity minus infinity is no number."""

    def weights(self, logits: Row, temperature: float) -> list[float]:
        return super().weights([float32(logit / temperature) for logit in logits], 1.0)


class SilentGreedy(Target, id="silent-greedy", source="sglang#31214", meant_for="target-plain"):
    """The argmax is taken although the temperature is not 0."""

    def kept(self, logits: Row, config: Any) -> set[int]:
        return {best(logits)}


class GreedyThroughTheRatio(Target, id="greedy-through-the-ratio", source="speculative-sampling#9", meant_for="target-greedy"):
    """At temperature 0 the untempered law is what min(1, p/q) is given."""

    def greedy(self, logits: Row) -> Row:
        return normalised(self.weights(logits, 1.0))


class EmptyNucleus(Target, id="empty-nucleus", source="mlx-lm#388", meant_for="target-nucleus"):
    """Top-k leaves a part of the mass, nobody renormalises, and no cumulative mass exceeds 1 - top_p."""

    def kept(self, logits: Row, config: Any) -> set[int]:
        left = sorted(super().top_k(sorted(range(len(logits)), key=lambda t: (-logits[t], t)), logits, config.top_k))
        shares = normalised(self.weights(logits, config.temperature))
        ascending = sorted(left, key=lambda t: (logits[t], -t))
        return {
            t for t, mass in zip(ascending, accumulate(shares[t] for t in ascending), strict=True) if mass > 1 - config.top_p
        }


class TinyTopP(Target, id="tiny-top-p", source="mlx-lm#1912", meant_for="target-nucleus"):
    """1 - top_p rounds to 1 in float32, and no cumulative mass exceeds that."""

    def nucleus(self, order: Sequence[int], weights: Row, top_p: float) -> set[int]:
        total = sum(weights)
        through = accumulate(weights[t] / total for t in reversed(order))
        return {t for t, mass in zip(reversed(order), through, strict=True) if float32(mass) > float32(1 - top_p)}


class TemperatureAfterTheCut(Target, id="temperature-after-the-cut", source="sglang-jax#1563", meant_for="target-order"):
    """The nucleus is cut before the temperature, and no dialect says so."""

    def kept(self, logits: Row, config: Any) -> set[int]:
        order = sorted(range(len(logits)), key=lambda t: (-logits[t], t))
        nucleus = self.nucleus(order, self.weights(logits, 1.0), config.top_p)
        return nucleus & self.top_k(order, logits, config.top_k)


class ChainedCut(Target, id="chained-cut", source="fastllm#738", meant_for="target-order"):
    """The nucleus is measured on what top-k left, and no dialect says so."""

    def kept(self, logits: Row, config: Any) -> set[int]:
        order = sorted(range(len(logits)), key=lambda t: (-logits[t], t))
        return self.nucleus(order[: config.top_k or None], self.weights(logits, config.temperature), config.top_p)


class TiesKeepMoreThanK(Target, id="ties-keep-more-than-k", source="vllm#50979", meant_for="target-ties"):
    """Top-k keeps whatever is not below the k-th value."""

    def top_k(self, order: Sequence[int], logits: Row, k: int) -> set[int]:
        return {t for t in order if logits[t] >= logits[order[:k][-1]]} if k else set(order)


class BoundaryOneTooMany(Target, id="boundary-one-too-many", source="transformers#18976", meant_for="target-boundary"):
    """A token stays although the mass before it is exactly top_p."""

    def nucleus(self, order: Sequence[int], weights: Row, top_p: float) -> set[int]:
        through = list(accumulate(weights[t] for t in order))
        return {t for t, mass in zip(order, [0.0, *through], strict=False) if mass <= top_p * through[-1]}


class CrossingTokenDropped(Target, id="crossing-token-dropped", source="transformers-neuronx#46", meant_for="target-nucleus"):
    """A token stays only if the mass through it is at most top_p."""

    def nucleus(self, order: Sequence[int], weights: Row, top_p: float) -> set[int]:
        through = list(accumulate(weights[t] for t in order))
        return {order[0], *(t for t, mass in zip(order, through, strict=True) if mass <= top_p * through[-1])}


class TopKZeroMeansOne(Target, id="top-k-zero-means-one", source="tpu-inference#1386", meant_for="target-off"):
    """The value that turns top-k off is read as one."""

    def top_k(self, order: Sequence[int], logits: Row, k: int) -> set[int]:
        return set(order[: max(k, 1)])


class LowestIdsAreTheTop(Target, id="top-k-of-ids", meant_for="target-top-k"):
    """Top-k keeps the first k ids of a row that nobody sorted."""

    def top_k(self, order: Sequence[int], logits: Row, k: int) -> set[int]:
        return set(sorted(order)[: k or None])


class SoftmaxStalls(Target, id="softmax-stalls", source="executorch#20090", meant_for="target-long"):
    """The running sum of the softmax is a bfloat16, which stops at 256."""

    def total(self, weights: Row) -> float:
        *_, total = accumulate(weights, lambda through, weight: bfloat16(through + weight))
        return float(total)


class SoftmaxWithoutMaximum(Target, id="softmax-without-maximum", meant_for="target-shift"):
    """Logits are exponentiated as they are, which overflows in float32."""

    def weights(self, logits: Row, temperature: float) -> list[float]:
        return [float32(exp(logit / temperature)) for logit in logits]


class MaskIsANumber(Target, id="mask-is-a-number", meant_for="target-masked"):
    """A masked token has the logit -100 instead of -inf, and comes out one time in 10^44."""

    def weights(self, logits: Row, temperature: float) -> list[float]:
        return super().weights([max(logit, -100.0) for logit in logits], temperature)


class SettingsOfTheRequestBefore(Target, id="settings-of-the-request-before", meant_for="steady"):
    """A request is answered with the settings that the one before left in the buffer."""

    buffer: Any = None

    def target(self, logits: Row, config: Any) -> Row:
        stale, self.buffer = self.buffer, config
        return super().target(logits, stale or config)
