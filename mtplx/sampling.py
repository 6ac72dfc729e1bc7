"""Sampling and one-token verification in MLX (spec 1 to 3): the same code on CPU, Metal and CUDA.

Every decision is exact: order on the logits, the nucleus and every inverse CDF on integer masses, acceptance as an integer
inequality. Floats are outputs only, each with a stated bound; no result depends on the batch a row stands in.

Shapes: one row [V] or a batch [..., V] of mlx arrays, numpy arrays or lists; float32 results as mlx arrays. A row of
probabilities is accepted when its sum is within 1/1000 of one, and means the law row / sum(row).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple, cast

import mlx.core as mx
import numpy as np

from mtplx import doors
from mtplx.config import SamplerConfig
from mtplx.errors import ConfigError
from mtplx.target import Make, cuts, made_of_ranks, ranked_shares, weighed_rows
from mtplx.wide import LIMB_BITS, Scaled, Wide, ratio, split_float32

__all__ = [
    "SamplerConfig",
    "Verification",
    "acceptance_probability",
    "apply_top_p_top_k",
    "distribution_from_logits",
    "residual_distribution",
    "sample_from_distribution",
    "softmax",
    "speculative_output_marginal",
    "verify_one_token",
]


class Verification(NamedTuple):
    """What one verification emits: scalars for one row, mlx arrays of the batch shape for a batch."""

    token_id: Any
    accepted: Any
    accept_probability: Any


@mx.compile
def normalised(mantissa: mx.array, exponent: mx.array, limbs: list[mx.array], kept: mx.array) -> mx.array:
    """weights / (kept mass) where kept, 0 elsewhere; relative error at most 3 * 2^-24 + 2^-30, beside that of weights.

    limbs: of masses, the top one of the kept sum at least 2^31: it and the carry of the one below err by less than 2^-31.
    """
    upper, top = (mx.sum(mx.where(kept, limb, mx.array(0, mx.uint64)), axis=-1, keepdims=True) for limb in limbs[-2:])
    total = top + (upper >> LIMB_BITS)
    share = ratio(Scaled(mantissa, exponent), Scaled(total, mx.array(LIMB_BITS * (len(limbs) - 1), mx.int32)))
    return mx.where(kept, share, mx.array(0, mx.float32))


def dense(vocab_size: int) -> Make:
    """The law of the kept ranks as float32 rows [B, V]."""

    def make(order: mx.array, weights: Scaled, mass: Wide, sizes: mx.array) -> list[mx.array]:
        kept = mx.arange(order.shape[-1], dtype=mx.uint32) < sizes
        shares = normalised(weights.mantissa, weights.exponent, list(mass.limbs), kept)
        return [mx.put_along_axis(mx.zeros((len(shares), vocab_size), mx.float32), order, shares, axis=-1)]

    return make


def softmax_row(values: mx.array, temperature: Fraction) -> mx.array:
    """softmax of one good row [1, V] at T > 0."""
    weights, mass = weighed_rows(values, temperature)
    return normalised(weights.mantissa, weights.exponent, list(mass.limbs), values > -mx.inf)


def softmax(logits: Any, temperature: Any = 1.0) -> mx.array:
    """softmax(logits / T), float32 of the same shape; T = 0 is the one-hot on the lowest id among the maxima (spec 2.1).

    Relative error at most 3 * 2^-24 + 2^-30 + 2^-42; shares below 2^-126 may come out 0. Raises LogitsError, ConfigError.
    """
    return distribution_from_logits(logits, SamplerConfig(temperature, 1, 0))


def apply_top_p_top_k(probs: Any, top_p: Any = 1.0, top_k: int = 0) -> mx.array:
    """The law of the ranks that nucleus and top-k keep jointly, float32 of the same shape (spec 2.2 to 2.5).

    The cut is exact on the float32 row. Raises MassError, ConfigError.
    """
    config = SamplerConfig(1, top_p, top_k)
    law = doors.law_rows(probs, "probs")
    order, weights, mass, sizes = ranked_shares(law, config.top_p, config.top_k).parts()
    *lower, upper, top = mass.limbs  # the largest share of V is at least 0.999 / V, so two limbs together are large enough
    joined = Wide((*lower, upper | (top << LIMB_BITS)))
    return law.restore(*dense(law.shape[-1])(order, weights, joined, sizes))


def distribution_from_logits(logits: Any, config: SamplerConfig) -> mx.array:
    """The filtered target of rows of logits: temperature, then nucleus and top-k jointly, float32 (spec 2).

    Order, ties and nucleus are those of the real weights, proved row by row (`mtplx.target`), the same as of
    `mtplx.dyadic.from_logits`.
    Temperature 0 is the one-hot on the lowest id among the maxima.
    Raises LogitsError for NaN, +inf, or a row of only -inf; ShapeError; ConfigError.
    """
    if not isinstance(config, SamplerConfig):
        raise ConfigError(f"config = {config!r}; allowed: a SamplerConfig")
    rows = doors.float32_rows(logits, "logits")
    if cuts(config, rows.shape[-1]):
        made = made_of_ranks(rows.values, config, dense(rows.shape[-1]))
        return rows.restore(mx.concatenate([law for part in made for law in part.arrays]))
    doors.good_logits(rows.values, np.array(mx.max(rows.values, axis=-1)))
    laws = []
    for row in rows.values:  # one after another, for the memory that a row takes
        laws.append(softmax_row(row[None], config.temperature))
        mx.eval(laws[-1])
    return rows.restore(mx.concatenate(laws))


def crossed(p: doors.Law, q: doors.Law) -> tuple[Wide, Wide]:
    """P and Q over one denominator: p * sum(q) and q * sum(p) are P and Q in units of 1 / (sum(p) sum(q)), exactly."""
    return p.mass * q.total, q.mass * p.total


def acceptance(p: Wide, q: Wide) -> mx.array:
    """min(1, p/q) in float32, exactly 1 where p >= q > 0; where q is 0, 1 if p is positive and 0 otherwise."""
    drafted, below = q.positive(), q.scaled()
    divisor = Scaled(mx.where(drafted, below.mantissa, mx.array(1, mx.uint64)), below.exponent)
    quotient = ratio(p.scaled(), divisor)
    capped = mx.where(p < q, quotient, mx.array(1, mx.float32))
    return mx.where(drafted, capped, p.positive().astype(mx.float32))


def accepts(coin: int, denominator: int, p: int, q: int) -> bool:
    """coin / denominator < min(1, p/q) for integers, without a quotient: at q = 0 it reads 0 < p."""
    return coin * q < p * denominator


def positive_part(p: Wide, q: Wide) -> Wide:
    """(p - q)+ element by element."""
    return p.minus(q).where(q < p)


def acceptance_probability(target_p: Any, draft_q: Any, token_id: Any) -> mx.array:
    """min(1, p(x)/q(x)) at x = token_id; at q(x) = 0, 1 if p(x) > 0 else 0 (arXiv 2211.17192, section 2.3).

    token_id: an int for one row, integers of shape [...] for a batch. Returns float32 of shape [...]: exactly 1 where p >= q,
    else relative error at most 3 * 2^-24 + 2^-30 if a normal number. Raises MassError, VocabularyError, ShapeError, TokenError.
    """
    p, q = doors.law_pair(target_p, draft_q)
    x = doors.token_ids(token_id, p, "token_id")
    p_x, q_x = (mass * total for mass, total in ((p.mass.take(x), q.total), (q.mass.take(x), p.total)))
    return p.per_row(acceptance(p_x, q_x))


def residual_masses(p: Wide, q: Wide) -> Wide:
    """(p - q)+, or p in rows where that is 0 everywhere: the masses of the residual law."""
    excess = positive_part(p, q)
    return excess.where(excess.total().positive(), otherwise=p)


def normalised_residual(p: Wide, q: Wide) -> mx.array:
    """The residual law as float32 rows [B, V]."""
    mass = residual_masses(p, q)
    return ratio(mass.scaled(), mass.total().scaled())


def residual_distribution(target_p: Any, draft_q: Any) -> mx.array:
    """norm((p - q)+), float32; p in rows where that mass is 0 (arXiv 2211.17192, section 2.3).

    Signs are exact and no difference cancels: relative error at most 3 * 2^-24 + 2^-30 where the result is a normal number.
    Raises MassError, VocabularyError, ShapeError.
    """
    p, q = doors.law_pair(target_p, draft_q)
    return p.restore(normalised_residual(*crossed(p, q)))


def speculative_output_marginal(target_p: Any, draft_q: Any) -> mx.array:
    """Law of the emitted token over all draft tokens, float32, from our own acceptance and residual.

    q(y) a(y) + (sum of q(x) (1 - a(x))) residual(y): the theorem says it is p (arXiv 2302.01318, theorem 1). Absolute error
    of an entry at most 11 * 2^-24 * (q(y) + residual(y)) + (V + 3) * 2^-126. Raises MassError, VocabularyError, ShapeError.
    """
    p, q = doors.law_pair(target_p, draft_q)
    target, drafted = crossed(p, q)
    accept = acceptance(target, drafted)
    draft = ratio(split_float32(q.values), q.total.scaled())
    rejected = Wide.from_float32(draft * (1 - accept)).total()
    rejection = ratio(rejected.scaled(), Wide.from_ints([2**149], len(rejected.limbs)).scaled())
    return p.restore(draft * accept + rejection * normalised_residual(target, drafted))


def inverse_cdf(mass: Wide, us: list[Any]) -> list[int]:
    """For each row [B, V] the first token, in id order, whose cumulative mass exceeds u * total."""
    thresholds = [u.numerator * total // u.denominator for u, total in zip(us, mass.total().to_ints(), strict=True)]
    through = mass.cumulative()
    passed = Wide.from_ints(thresholds, len(through.limbs)) < through
    return host_ints(mx.argmax(passed, axis=-1))


def host_ints(array: mx.array) -> list[int]:
    """An integer array as a flat list."""
    return cast("list[int]", array.reshape(-1).tolist())


def sample_from_distribution(probs: Any, coin: Any) -> Any:
    """Inverse CDF in id order: the first token whose cumulative mass exceeds the coin, exactly (spec 5).

    coin: a float in [0, 1), or one a row. Returns an int for one row, int32 of shape [...] for a batch.
    Raises MassError, CoinError.
    """
    law = doors.law_rows(probs, "probs")
    tokens = inverse_cdf(law.mass, doors.coins(coin, law, "coin"))
    return tokens[0] if doors.is_row(law) else law.per_row(mx.array(tokens, mx.int32))


def verify_one_token(target_p: Any, draft_q: Any, draft_token: Any, *, coin: Any, residual_coin: Any) -> Verification:
    """Accept the draft iff coin < min(1, p/q), else draw from the residual with a coin of its own (spec 3).

    Both decisions are exact on the float32 rows: with uniform coins and drafts from q / sum(q), the emitted token has the
    law p / sum(p). coins in [0, 1), a token id and coins a row. Raises MassError, VocabularyError, ShapeError, TokenError,
    CoinError.
    """
    p, q = doors.law_pair(target_p, draft_q)
    x = doors.token_ids(draft_token, p, "draft_token")
    us, vs = doors.coins(coin, p, "coin"), doors.coins(residual_coin, p, "residual_coin")
    target, draft = crossed(p, q)
    p_x, q_x = target.take(x), draft.take(x)
    pairs = zip(us, p_x.to_ints(), q_x.to_ints(), strict=True)
    accepted = [accepts(u.numerator, u.denominator, p_int, q_int) for u, p_int, q_int in pairs]
    drafted = host_ints(x)
    redrawn = drafted if all(accepted) else inverse_cdf(residual_masses(target, draft), vs)
    tokens = [kept if ok else other for kept, ok, other in zip(drafted, accepted, redrawn, strict=True)]
    probability = acceptance(p_x, q_x)
    if doors.is_row(p):
        return Verification(tokens[0], accepted[0], probability.item())
    return Verification(p.per_row(mx.array(tokens, mx.int32)), p.per_row(mx.array(accepted)), p.per_row(probability))
