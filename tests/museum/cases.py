"""Known faults of samplers and of one-token verification, as small exact inputs.

Each record: where it was seen, the fault in a sentence, the input, what is right, and what the fault makes of it. Rationals
are fractions in text, so that both engines read them exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


def rationals(text: str) -> list[Fraction]:
    """'1/2 1/2' as Fractions."""
    return [Fraction(part) for part in text.split()]


@dataclass(frozen=True)
class Case:
    """One known fault. `source` is a public thread, repository#number."""

    id: str
    source: str
    fault: str
    right: str
    faulty: str
    p: str = ""
    q: str = ""
    weights: str = ""
    config: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.id


NOTHING = "an empty set"

FILTERS = [
    Case(
        "empty-nucleus",
        "mlx-lm#388",
        "top-k leaves a mass of 1/5, nobody renormalises, and no cumulative mass exceeds 1 - top_p",
        p="1/5 1/5 1/5 1/5 1/5",
        config={"top_p": "7/10", "top_k": 1},
        right="1 0 0 0 0",
        faulty=NOTHING,
    ),
    Case(
        "tiny-top-p",
        "mlx-lm#1912",
        "1 - top_p rounds to 1, and no cumulative mass exceeds that",
        p="1/2 1/2",
        config={"top_p": "1e-8"},
        right="1 0",
        faulty=NOTHING,
    ),
    Case(
        "ties-keep-more-than-k",
        "vllm#50979",
        "top-k keeps whatever is not below the k-th value",
        p="4/9 2/9 2/9 1/9",
        config={"top_k": 2},
        right="2/3 1/3 0 0",
        faulty="1/2 1/4 1/4 0",
    ),
    Case(
        "boundary-one-too-many",
        "transformers#18976",
        "a token stays although the mass before it is exactly top_p",
        p="1/2 1/4 1/4",
        config={"top_p": "1/2"},
        right="1 0 0",
        faulty="2/3 1/3 0",
    ),
    Case(
        "crossing-token-dropped",
        "transformers-neuronx#46",
        "a token stays only if the mass through it is at most top_p",
        p="3/5 3/10 1/10",
        config={"top_p": "7/10"},
        right="2/3 1/3 0",
        faulty="1 0 0",
    ),
    Case(
        "top-k-zero-means-one",
        "tpu-inference#1386",
        "the value that turns top-k off is read as one",
        p="1/2 1/2",
        config={"top_k": 0},
        right="1/2 1/2",
        faulty="1 0",
    ),
]

TARGETS = [
    Case(
        "verify-ignores-temperature",
        "lattice#388",
        "the draft is judged by the law at temperature 1",
        weights="2 1",
        config={"temperature": "1/2"},
        right="4/5 1/5",
        faulty="2/3 1/3",
    ),
    Case(
        "temperature-twice",
        "RL-Kernel#81",
        "logits are divided by the temperature in two places",
        weights="2 1",
        config={"temperature": "1/2"},
        right="4/5 1/5",
        faulty="16/17 1/17",
    ),
    Case(
        "silent-greedy",
        "sglang#31214",
        "the argmax is taken although the temperature is not 0",
        weights="2 1",
        config={"temperature": 1},
        right="2/3 1/3",
        faulty="1 0",
    ),
]

GREEDY_THROUGH_THE_RATIO = Case(
    "greedy-through-the-ratio",
    "speculative-sampling#9",
    "at temperature 0 the draft still passes min(1, p/q) of the untempered laws; the values are P(token 0 is accepted)",
    weights="3 5",
    q="1/2 1/2",
    config={"temperature": 0},
    right="0",
    faulty="3/4",
)

ACCEPT_EVERYTHING = Case(
    "accept-everything",
    "transformers#28508",
    "every draft token counts as accepted",
    p="3/4 1/4",
    q="1/4 3/4",
    right="3/4 1/4",
    faulty="1/4 3/4",
)

RATIO_WITH_EPSILON = Case(
    "ratio-with-epsilon",
    "ScaleLLM#202",
    "the acceptance is p / (q + 1e-6); the values are the acceptance of a token with p = q = 1e-6",
    p="1/1000000 999999/1000000",
    q="1/1000000 999999/1000000",
    right="1",
    faulty="1/2",
)

SOFTMAX_STALLS = Case(
    "softmax-stalls",
    "executorch#20090",
    "a bfloat16 running sum stops at 256; the values are the share of each of 512 equal tokens",
    right="1/512",
    faulty="1/256",
)

TINY_TEMPERATURE = Case(
    "tiny-temperature",
    "vllm#2937",
    "logits / T overflows, and infinity minus infinity is no number",
    config={"temperature": "1e-39"},
    right="1 0",
    faulty="NaN",
)

PLACEHOLDER_ID = Case(
    "placeholder-id",
    "vllm#46533",
    "the draft id -1 reads the last column; accepted with that p, else a draw from p. Right is to refuse the id",
    p="1/2 1/4 1/4",
    right="1/2 1/4 1/4",
    faulty="3/8 3/16 7/16",
)

TEMPERATURE_AFTER_THE_CUT = Case(
    "temperature-after-the-cut",
    "sglang-jax#1563",
    "the nucleus is cut before the temperature; right in the dialect that says so, wrong in any other",
    weights="5 3 2",
    config={"temperature": "1/2", "top_p": "3/5"},
    right="1 0 0",
    faulty="25/34 9/34 0",
)

CHAINED_CUT = Case(
    "chained-cut",
    "fastllm#738",
    "top-k, then a nucleus measured on what top-k left; right in the dialects that say so",
    p="2/5 3/10 1/5 1/10",
    config={"top_p": "1/2", "top_k": 2},
    right="4/7 3/7 0 0",
    faulty="1 0 0 0",
)

CASES = [
    *FILTERS,
    *TARGETS,
    GREEDY_THROUGH_THE_RATIO,
    ACCEPT_EVERYTHING,
    RATIO_WITH_EPSILON,
    SOFTMAX_STALLS,
    TINY_TEMPERATURE,
    PLACEHOLDER_ID,
    TEMPERATURE_AFTER_THE_CUT,
    CHAINED_CUT,
]
