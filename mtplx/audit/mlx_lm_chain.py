"""The public `mlx_lm.sample_utils` chain, step by step against its own dialect (spec 6).

The chain sees log-probabilities, cuts the nucleus at T = 1, takes top-k, and draws from softmax(logprobs * (1 / T)); that
last law is read in the reals. It takes doubles, and is judged at the doubles it was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray
from sympy import QQ

import reference
from mtplx.audit.measure import UNIT, all_equal, entries
from mtplx.audit.verdict import Figure, Step
from mtplx.config import SamplerConfig
from mtplx.errors import ConfigError
from reference.numbers import rational
from reference.softmax import CertifiedLaw

DIALECT = "mlx_lm"


def doubles(config: SamplerConfig) -> SamplerConfig:
    """The settings this engine is given: the nearest doubles; ConfigError where there is none in range."""
    try:
        return SamplerConfig(float(config.temperature), float(config.top_p), config.top_k)
    except OverflowError:
        raise ConfigError(f"temperature = {config.temperature}; allowed for this engine: at most the largest double") from None


def rounded_mass(law: CertifiedLaw, logits: Sequence[float], per_nat: Any) -> Any:
    """How far float32 exponentials, summed exactly, can move a share of the mass.

    MLX's exp is right to (1.25 |x| + 1) 2^-24 relatively, and its argument to 2^-24 |x| more where it was rounded before:
    `per_nat` is 1.25 or 2.25. A share errs by at most twice the mean of that; one unit more for top_p itself.
    """
    mean = sum((p * (per_nat * abs(rational(logits[token])) + 1) for token, p in enumerate(law.midpoints) if p), QQ(0))
    return (2 * mean + 1) * UNIT


def cut_margin(law: CertifiedLaw, seen: Sequence[float], found: int, right: int, top_p: Any, bound: Any) -> Figure:
    """The largest distance from the tie among the ranks in dispute; what the engine sees as equal falls together."""
    through = list(accumulate(law.midpoints[token] for token in law.ranked))
    values = [seen[token] for token in law.ranked]
    low, high = sorted((found, right))
    firsts = [rank for rank in range(low, high) if rank and values[rank] != values[rank - 1]]
    return Figure(max((abs(through[rank - 1] - top_p) for rank in firsts), default=QQ(0)), bound)


def top_k_faults(logits: Sequence[float], survivors: set[int], kept: set[int], k: int) -> tuple[int, ...]:
    """Tokens that make `kept` no choice of the k largest survivors; which of equal tokens stay is the engine's affair."""
    size = min(k, len(survivors)) if k else len(survivors)
    threshold = sorted((logits[token] for token in survivors), reverse=True)[size - 1]
    wrong = {token for token in kept if logits[token] < threshold or token not in survivors}
    wrong |= {token for token in survivors - kept if logits[token] > threshold}
    return tuple(sorted(wrong if len(kept) == size or wrong else kept))


def swaps(kept: set[int], right: set[int], logits: Sequence[float]) -> dict[int, int]:
    """Kept tokens that only stand for equal ones of the right support: which of a tie stays is open at top-k."""
    extra, missing = (sorted(side, key=logits.__getitem__) for side in (kept - right, right - kept))
    same = [logits[a] for a in extra] == [logits[b] for b in missing]
    return dict(zip(extra, missing, strict=True)) if same else {}


def rounded_exponents(law: Sequence[Any], logits: Sequence[float], config: SamplerConfig, roundings: int) -> Any:
    """Total variation that `roundings` relative errors of 2^-24 in x / T can make: the mean error of the exponent.

    Weights off by factors e^(+-e_i) move the law by at most sum p_i (e^(e_i) - 1) <= (1 + 2^-8) sum p_i e_i for e_i < 2^-8.
    """
    mean = sum((p * abs(rational(logits[token])) for token, p in enumerate(law) if p), QQ(0)) / rational(config.temperature)
    return mean * roundings * UNIT * QQ(257, 256)


def finite(row: mx.array) -> set[int]:
    """Tokens that are not masked."""
    return set(np.flatnonzero(np.isfinite(np.array(row))).tolist())


def merged(token: int, other: int, given: Sequence[float], seen: Sequence[float]) -> bool:
    """Whether two logits became one log-probability by its rounding: at most 2^-24 of it for either."""
    apart = abs(rational(given[token]) - rational(given[other]))
    return seen[token] == seen[other] > -np.inf and apart <= 2 * UNIT * abs(rational(seen[token]))


def row_steps(logits: NDArray[np.float32], config: SamplerConfig) -> list[Step]:
    """Nucleus, top-k, temperature and the filtered target of one row [V]."""
    from mlx_lm import sample_utils

    config = doubles(config)
    logprobs = mx.array(logits) - mx.logsumexp(mx.array(logits), axis=-1, keepdims=True)
    seen, given = entries(logprobs), entries(logits)
    target = reference.filtered_target(given, config, DIALECT)
    if config.temperature == 0:
        token, best = int(sample_utils.greedy_sampler(logprobs).item()), target.ranked[0]
        same = token == best or merged(token, best, given, seen)
        return [Step("greedy", "global", () if same else (token, best))]

    size, top_p, inverse = len(logits), float(config.top_p), 1.0 / float(config.temperature)
    nucleus = sample_utils.apply_top_p(logprobs, top_p) if top_p < 1 else logprobs
    survivors = finite(nucleus)
    own = reference.filtered_target(seen, replace(config, temperature=1, top_k=0), DIALECT)
    cut_wrong = tuple(sorted(survivors ^ set(own.support)))
    if not survivors:
        return [Step("nucleus", "local", cut_wrong, kept=0)]
    kept = sample_utils.apply_top_k(nucleus, config.top_k) if 0 < config.top_k < size else nucleus
    stayed = finite(kept)
    scaled = kept * inverse
    if finite(scaled) != stayed or np.isnan(np.array(scaled)).any():
        return [Step("temperature", "local", tuple(sorted(stayed)))]  # 1 / T or x / T overflowed

    full, certified = reference.softmax(seen), reference.softmax(given)
    drawn, tempered = reference.softmax(entries(scaled)), reference.softmax(entries(kept), config.temperature)
    threshold, tie = rational(config.top_p), all_equal(given)
    local = cut_margin(full, seen, len(survivors), own.nucleus_size, threshold, rounded_mass(full, seen, QQ(5, 4)))
    low, high = sorted((survivors, set(own.support)), key=len)
    lost = 1 - sum(full.midpoints[token] for token in low) / sum(full.midpoints[token] for token in high)

    right = set(target.support)
    swapped = swaps(stayed, right, given)
    law = list(drawn.midpoints)
    for a, b in swapped.items():
        law[a], law[b] = QQ(0), drawn.midpoints[a]
    disputed = {swapped.get(token, token) for token in stayed} ^ right
    last = target.support[-1]
    wrong = tuple(sorted(token for token in disputed if not merged(token, last, given, seen)))
    margin = cut_margin(certified, seen, len(survivors), target.nucleus_size, threshold, rounded_mass(full, seen, QQ(9, 4)))
    moved = sum((max(law[token], target.midpoints[token]) for token in disputed), QQ(0))
    enclosed = drawn.radius + tempered.radius + target.radius
    exponents = (rounded_exponents(tempered.midpoints, seen, config, roundings) + enclosed for roundings in (3, 5))
    step, whole = exponents
    return [
        Step(
            "nucleus",
            "local",
            cut_wrong,
            local if threshold < 1 else None,
            variation=Figure(lost, None),
            kept=len(survivors),
            right=own.nucleus_size,
            tie=tie,
        ),
        Step("top-k", "local", top_k_faults(seen, survivors, stayed, config.top_k), kept=len(stayed)),
        Step("temperature", "local", variation=Figure(reference.total_variation(drawn.midpoints, tempered.midpoints), step)),
        Step(
            "filtered target",
            "global",
            wrong,
            margin if threshold < 1 else None,
            variation=Figure(reference.total_variation(law, target.midpoints), whole + moved),
            kept=len(stayed),
            right=target.kept_size,
            tie=tie,
        ),
    ]
