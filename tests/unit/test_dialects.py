"""Every dialect of spec 6: which tokens stay where everything ties, the order of steps, and definitions written out in full."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import QQ

import reference
from reference.dialects import DIALECTS, cut
from reference.filters import SamplerConfig, apply_top_p_top_k
from reference.softmax import filtered_target
from reference.strategies import configs, laws, logit_rows
from tests.support import fraction

INF = float("inf")
ALL = tuple(range(10))
DOWN = ALL[::-1]
Row = Sequence[Any]
Ids = list[int]


# The definitions, each as its engine words it: (weights at T = 1, weights at T, top_p, top_k or the number of tokens) -> ids.


def descending(weights: Row, ids: Ids) -> Ids:
    """Ids by weight, the largest first, and of equal ones the lowest id."""
    return sorted(ids, key=lambda x: (-weights[x], x))


def mass(weights: Row, ids: Ids) -> Any:
    """The weight of some tokens together."""
    return sum((weights[x] for x in ids), Fraction(0))


def mtplx(_: Row, tempered: Row, top_p: Fraction, top_k: int) -> Ids:
    """A token stays iff the mass of the ranks before it is < top_p and there are fewer than k of them."""
    order = descending(tempered, [x for x, weight in enumerate(tempered) if weight])
    return [x for r, x in enumerate(order) if r < top_k and mass(tempered, order[:r]) < top_p * mass(tempered, order)]


def mlx_lm(untempered: Row, _: Row, top_p: Fraction, top_k: int) -> Ids:
    """Untempered: a token stays if what is strictly likelier has a mass < top_p; then the first k stay."""
    ids = [x for x, weight in enumerate(untempered) if weight]
    above = {x: [y for y in ids if untempered[y] > untempered[x]] for x in ids}
    nucleus = [x for x in ids if mass(untempered, above[x]) < top_p * mass(untempered, ids)]
    return descending(untempered, nucleus)[:top_k]


def transformers(_: Row, tempered: Row, top_p: Fraction, top_k: int) -> Ids:
    """What is below the k-th largest goes; then, ascending, what cumulates to at most 1 - top_p; the last always stays."""
    ids = [x for x, weight in enumerate(tempered) if weight]
    threshold = sorted((tempered[x] for x in ids), reverse=True)[:top_k][-1]
    order = sorted((x for x in ids if tempered[x] >= threshold), key=lambda x: (tempered[x], x))
    dropped = [x for r, x in enumerate(order) if mass(tempered, order[: r + 1]) <= (1 - top_p) * mass(tempered, order)]
    return [x for x in order if x not in dropped[: len(order) - 1]][::-1]


def sglang(_: Row, tempered: Row, top_p: Fraction, top_k: int) -> Ids:
    """Jointly: a token goes iff the mass before it is > top_p, or k come before it."""
    order = descending(tempered, [x for x, weight in enumerate(tempered) if weight])
    return [x for r, x in enumerate(order) if r < top_k and not mass(tempered, order[:r]) > top_p * mass(tempered, order)]


def sglang_verify(_: Row, tempered: Row, top_p: Fraction, top_k: int) -> Ids:
    """The first k stay; of these a token goes iff the mass before it is > top_p of theirs."""
    order = descending(tempered, [x for x, weight in enumerate(tempered) if weight])[:top_k]
    return [x for r, x in enumerate(order) if not mass(tempered, order[:r]) > top_p * mass(tempered, order)]


def llama_cpp(untempered: Row, _: Row, top_p: Fraction, top_k: int) -> Ids:
    """Untempered: the first k stay; of these all through the first at which the cumulative mass reaches top_p of theirs."""
    order = descending(untempered, [x for x, weight in enumerate(untempered) if weight])[:top_k]
    ends = [r for r in range(1, len(order) + 1) if mass(untempered, order[:r]) >= top_p * mass(untempered, order)]
    return order[: ends[0]]


DEFINITIONS: dict[str, Callable[[Row, Row, Fraction, int], Ids]] = {
    "mtplx": mtplx,
    "mlx_lm": mlx_lm,
    "transformers": transformers,
    "vllm": transformers,
    "sglang": sglang,
    "sglang-verify": sglang_verify,
    "llama.cpp": llama_cpp,
}
EVERY = pytest.mark.parametrize("dialect", DEFINITIONS)


def defined(dialect: str, untempered: Row, tempered: Row, config: SamplerConfig) -> Ids:
    """What the definition keeps; top_p of 1 and top_k of 0 are off."""
    return DEFINITIONS[dialect](untempered, tempered, fraction(config.top_p), config.top_k or len(tempered))


def logits_of(*weights: int) -> list[float]:
    """Logits whose weights are these, nearly; no mass below is near a tie."""
    return [log(weight) for weight in weights]


def shares(dialect: str, logits: list[float], config: SamplerConfig) -> list[Fraction]:
    """The law, each share as the fraction of small denominator that it is within 2^-40 of."""
    law = filtered_target(logits, config, dialect).midpoints
    near = [fraction(share).limit_denominator(100) for share in law]
    assert all(abs(fraction(share) - x) < Fraction(1, 2**40) for share, x in zip(law, near, strict=True))
    return near


def test_every_dialect_is_defined_here() -> None:
    """The dialects are those of spec 6, in its order."""
    assert list(DIALECTS) == list(DEFINITIONS)
    assert all(name == dialect.name for name, dialect in DIALECTS.items())


@pytest.mark.parametrize(
    ("dialect", "top_3", "half", "double", "decimal", "both", "both_decimal"),
    [
        ("mtplx", ALL[:3], ALL[:5], ALL[:9], ALL[:8], ALL[:3], ALL[:3]),
        ("mlx_lm", ALL[:3], ALL, ALL, ALL, ALL[:3], ALL[:3]),
        ("transformers", DOWN, DOWN[:5], DOWN[:9], DOWN[:8], DOWN[:5], DOWN[:8]),
        ("vllm", DOWN, DOWN[:5], DOWN[:9], DOWN[:8], DOWN[:5], DOWN[:8]),
        ("sglang", ALL[:3], ALL[:6], ALL[:9], ALL[:9], ALL[:3], ALL[:3]),
        ("sglang-verify", ALL[:3], ALL[:6], ALL[:9], ALL[:9], ALL[:2], ALL[:3]),
        ("llama.cpp", ALL[:3], ALL[:5], ALL[:9], ALL[:8], ALL[:2], ALL[:3]),
    ],
)
def test_ten_equal_tokens(dialect: str, top_3: Any, half: Any, double: Any, decimal: Any, both: Any, both_decimal: Any) -> None:
    """Of ten equal tokens: top-k of 3, the nucleus of 1/2, of the double 0.8 and of 8/10, and both cuts."""
    cuts = ((1, 3), ("1/2", 0), (0.8, 0), ("0.8", 0), ("1/2", 3), ("0.8", 3))
    for (top_p, top_k), kept in zip(cuts, (top_3, half, double, decimal, both, both_decimal), strict=True):
        law = filtered_target([0.0] * 10, SamplerConfig("1/3", top_p, top_k), dialect)
        assert law.support == kept
        assert law.midpoints == [QQ(1, len(kept)) if x in kept else QQ(0) for x in ALL]


@EVERY
def test_nucleus_size_with_top_k(dialect: str) -> None:
    """Of ten equal tokens at top_p = 1/2 and k = 3 a joint nucleus ignores k; after top-k it is the whole filter's size."""
    law = filtered_target([0.0] * 10, SamplerConfig(1, "1/2", 3), dialect)
    alone = filtered_target([0.0] * 10, SamplerConfig(1, "1/2", 0), dialect)
    assert law.nucleus_size == (law.kept_size if DIALECTS[dialect].top_k_first else alone.nucleus_size)


@pytest.mark.parametrize(("dialect", "kept"), [("sglang", 2), ("sglang-verify", 2), ("mtplx", 1), ("llama.cpp", 1)])
def test_boundary(dialect: str, kept: int) -> None:
    """Of two equal tokens at top_p = 1/2 an inclusive cut keeps both, and one at 2^-200 less; a strict one keeps one."""
    assert filtered_target([0.0, 0.0], SamplerConfig(1, "1/2", 0), dialect).kept_size == kept
    assert filtered_target([0.0, 0.0], SamplerConfig(1, Fraction(1, 2) - Fraction(1, 2**200), 0), dialect).kept_size == 1
    assert filtered_target([0.0, 0.0, -1e6], SamplerConfig(1, "1/2", 0), dialect).kept_size == 2


@EVERY
def test_joint_or_chained(dialect: str) -> None:
    """Weights 4:3:2:1, k = 2, top_p = 1/2: the first has 4/10 of all, so two stay jointly; 4/7 of two, so one if chained."""
    joint = dialect in ("mtplx", "mlx_lm", "sglang")
    right = [Fraction(4, 7), Fraction(3, 7), 0, 0] if joint else [1, 0, 0, 0]
    assert shares(dialect, logits_of(4, 3, 2, 1), SamplerConfig(1, "1/2", 2)) == right


@EVERY
def test_temperature_first_or_last(dialect: str) -> None:
    """Weights 5:3:2, T = 1/2, top_p = 3/5: the first has 25/38 tempered, so it stays alone; 5/10 at T = 1, so two stay."""
    last = dialect in ("mlx_lm", "llama.cpp")
    right = [Fraction(25, 34), Fraction(9, 34), 0] if last else [1, 0, 0]
    assert shares(dialect, logits_of(5, 3, 2), SamplerConfig("1/2", "3/5", 0)) == right


@pytest.mark.parametrize(
    ("dialect", "kept"),
    [
        ("mtplx", (0, 1)),
        ("mlx_lm", (0, 1)),
        ("transformers", (0, 3, 2, 1)),
        ("vllm", (0, 3, 2, 1)),
        ("sglang", (0, 1)),
        ("sglang-verify", (0, 1)),
        ("llama.cpp", (0, 1)),
    ],
)
def test_ties_at_top_k(dialect: str, kept: tuple[int, ...]) -> None:
    """Of logits 1, 0, 0, 0, -1 at k = 2 a threshold keeps all ties of the second, the highest id first; others exactly two."""
    assert filtered_target([1.0, 0.0, 0.0, 0.0, -1.0], SamplerConfig(1, 1, 2), dialect).support == kept


def test_a_row_of_probabilities_is_cut_as_mtplx_does() -> None:
    """`apply_top_p_top_k` has no dialect: strict, jointly, lowest ids first."""
    assert apply_top_p_top_k(["1/10"] * 10, "1/2", 3) == [QQ(1, 3)] * 3 + [QQ(0)] * 7
    assert apply_top_p_top_k(["1/10"] * 10, "1/2") == [QQ(1, 5)] * 5 + [QQ(0)] * 5
    assert apply_top_p_top_k(["0.4", "0.3", "0.2", "0.1"], "1/2", 2) == [QQ(4, 7), QQ(3, 7), 0, 0]


@EVERY
@given(st.lists(st.sampled_from([0.75, -INF]), min_size=1, max_size=8).filter(lambda row: max(row) > -INF), st.data())
def test_equal_logits(dialect: str, logits: list[float], data: st.DataObject) -> None:
    """Where all finite logits are equal, the ids that stay, their order and their law are those of the definition."""
    weights = [int(logit > -INF) for logit in logits]
    config = data.draw(configs([Fraction(weight, sum(weights)) for weight in weights]))
    law = filtered_target(logits, config, dialect)
    kept = [weights.index(1)] if config.temperature == 0 else defined(dialect, weights, weights, config)
    assert list(law.support) == kept
    assert law.midpoints == [QQ(1, len(kept)) if x in kept else QQ(0) for x in range(len(logits))]


@EVERY
@given(laws(min_size=1, max_size=6), st.sampled_from([1, 2, 3]), st.data())
def test_rational_weights(dialect: str, law: list[Fraction], inverse: int, data: st.DataObject) -> None:
    """On rational weights, at T = 1, 1/2 or 1/3, the cut keeps what the definition does, at exact ties of masses too."""
    tempered = [weight**inverse for weight in law]
    measured = data.draw(st.sampled_from([law, tempered]))
    config = replace(data.draw(configs([weight / sum(measured) for weight in measured])), temperature=Fraction(1, inverse))
    facts = DIALECTS[dialect]
    sign = -1 if facts.highest_first else 1
    ranked = sorted((x for x, weight in enumerate(law) if weight), key=lambda x: (-law[x], sign * x))

    def weigh(size: int, temperature: Any) -> list[Any]:
        return list(accumulate(QQ(x.numerator, x.denominator) for x in (law[x] ** int(1 / temperature) for x in ranked[:size])))

    nucleus, kept = cut(facts, [law[x] for x in ranked], config, weigh)
    assert ranked[:kept] == defined(dialect, law, tempered, config)
    alone = defined(dialect, law, tempered, config if facts.top_k_first else replace(config, top_k=0))
    assert ranked[:nucleus] == alone


@given(logit_rows(max_size=6), configs())
def test_all_dialects_agree_without_a_cut(logits: list[Any], config: SamplerConfig) -> None:
    """With top_p = 1 and top_k = 0 there is one law, softmax(logits / T)."""
    right = reference.softmax(logits, config.temperature)
    for dialect in DIALECTS:
        law = filtered_target(logits, replace(config, top_p=1, top_k=0), dialect)
        assert law.midpoints == right.midpoints
        assert set(law.support) == set(right.support)


@given(logit_rows(min_size=1, max_size=6).filter(lambda row: len(set(row)) == len(row)), configs())
def test_all_dialects_agree_on_a_plain_nucleus(logits: list[Any], config: SamplerConfig) -> None:
    """With distinct logits, T = 1 and top_k = 0 there is one law: dialects part over ties, top-k and temperature only."""
    config = replace(config, temperature=1, top_k=0)
    right = filtered_target(logits, config)
    assert all(filtered_target(logits, config, dialect) == right for dialect in DIALECTS)
