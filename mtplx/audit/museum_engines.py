"""The museum's engines: each makes one known fault in a line or two of otherwise right code, or looks faulty and is right.

Every engine is loaded by the audit as `PATH:Class`, in a process of its own that needs the standard library only. `meant_for`
is the claim that must refute it; its docstring says what is wrong. Sources are public threads, repository#number, or ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import c_float, c_uint32
from fractions import Fraction
from itertools import accumulate
from math import exp, inf, log
from typing import Any, ClassVar

Row = Sequence[Any]
"""Fractions, or numbers in floats for an engine that takes floats."""


class Exhibit:
    """An engine on show. A class with an id is one; meant_for makes it a fault, and without it the audit must not flag it."""

    id: ClassVar[str] = ""
    source: ClassVar[str] = "ours"
    meant_for: ClassVar[str | None] = None
    name: ClassVar[str] = ""
    dialect: ClassVar[str] = "mtplx"
    numbers: ClassVar[str] = "exact"
    lossy: ClassVar[bool] = False

    def __init_subclass__(cls, id: str = "", source: str = "ours", meant_for: str | None = None) -> None:
        cls.id = cls.name = id
        cls.source, cls.meant_for = source, meant_for
        if id:
            (FAULTS if meant_for else RIGHT).append(cls)

    @classmethod
    def sentence(cls) -> str:
        """What is wrong, or what is claimed."""
        return (cls.__doc__ or "").strip()


FAULTS: list[type[Exhibit]] = []
RIGHT: list[type[Exhibit]] = []


# Numbers


def one_hot(token: int, size: int) -> list[Fraction]:
    """The law of a certain token."""
    return [Fraction(token == t) for t in range(size)]


def best(row: Row) -> int:
    """The lowest id among the maxima."""
    return max(range(len(row)), key=lambda t: (row[t], -t))


def without(p: Row, *tokens: int) -> list[Any]:
    """p zeroed there, as weights."""
    return [0 * share if t in tokens else share for t, share in enumerate(p)]


def normalised(weights: Row) -> list[Any]:
    """Weights over their sum."""
    total = sum(weights)
    return [weight / total for weight in weights]


def float32(x: float) -> float:
    """x rounded to float32."""
    return c_float(x).value


def bfloat16(x: float) -> float:
    """x rounded to 8 bits of mantissa."""
    bits = c_uint32.from_buffer(c_float(x)).value
    return c_float.from_buffer(c_uint32((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000)).value


# Targets


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
        through = accumulate(weights[t] / sum(weights) for t in reversed(order))
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


# One token


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


# A certain draft


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


# Draws


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


# Proposals


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


# Chains


Choose = Callable[[Row, Row, int, Any], int]


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


NO_METHOD = {
    "randint-through-float": "no method draws an integer from a range",
    "penalty-counts-once-a-step": "the logits of a question are final: no method keeps counters",
    "eos-inside-the-block": "no method knows which token ends a text",
    "draws-re-read-after-a-discard": "a block is verified once: no method drafts again",
    "cache-not-rolled-back": "the rows of a block are given in the question: no method runs a model",
}
"""Faults that are no behaviour of a method, and why."""
UNSEEN = {
    "gumbel-tail": "the law of a draw errs by 2^-30, and coins of 24 bits explain more than that on a right engine too",
}
"""Faults of a method that no claim can see, and why."""
