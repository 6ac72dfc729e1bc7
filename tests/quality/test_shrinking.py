"""Counterexamples can be read: every fault below is shown on two tokens with small fractions, whatever the seed."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from math import inf
from random import Random
from typing import Any

import pytest
from hypothesis import find, settings
from hypothesis.strategies import SearchStrategy
from sympy import QQ

from reference import SamplerConfig, apply_top_p_top_k, residual_distribution
from reference.claims import right_law
from reference.filters import rank
from reference.numbers import rational
from reference.strategies import Chain, Cut, Pair, Row, chains, configs, cuts, draft_target_pairs, laws, logit_rows, one_hots
from reference.tape import Tape, law_of

SETTINGS = settings(derandomize=True, database=None, deadline=None, max_examples=1000)
SEEDS = [None, 1]
"""None: derandomized."""
LARGEST = 3
"""The largest numerator or denominator that is small."""


def smallest(strategy: SearchStrategy[Any], wrong: Callable[[Any], bool], seed: int | None) -> Any:
    """The counterexample that is shown."""
    return find(strategy, wrong, settings=SETTINGS, random=None if seed is None else Random(seed))


def small(*rows: Row) -> bool:
    """Rows of two tokens and small fractions."""
    return all(
        len(row) == 2 and all(x == -inf or max(map(abs, Fraction(x).as_integer_ratio())) <= LARGEST for x in row)
        for row in rows
    )


def ratio(p: Fraction, q: Fraction) -> Fraction:
    """min(1, p/q), and 1 or 0 where q is 0."""
    return min(Fraction(1), p / q) if q else Fraction(p > 0)


def ahead(p: Fraction, q: Fraction) -> Fraction:
    """(p - q)+."""
    return max(p - q, Fraction(0))


def emits_another_law(
    pair: Pair,
    accept: Callable[[Fraction, Fraction], Fraction] = ratio,
    excess: Callable[[Fraction, Fraction], Fraction] = ahead,
    normalised: bool = True,
) -> bool:
    """Whether one-token verification of these parts emits another law than the target."""
    accepted, gaps = ([part(p, q) for p, q in zip(*pair, strict=True)] for part in (accept, excess))
    rejected = sum(q * (1 - a) for q, a in zip(pair.draft, accepted, strict=True))
    mass = sum(gaps, Fraction(0)) or Fraction(1) if normalised else Fraction(1)
    return [q * a + rejected * gap / mass for q, a, gap in zip(pair.draft, accepted, gaps, strict=True)] != pair.target


WRONG_PAIRS: dict[str, Callable[[Pair], bool]] = {
    "p/q without min": lambda pair: any(p > q > 0 for p, q in zip(*pair, strict=True)),
    "p and q swapped": lambda pair: emits_another_law(pair, accept=lambda p, q: ratio(q, p)),
    "residual not normalised": lambda pair: emits_another_law(pair, normalised=False),
    "residual keeps its sign": lambda pair: emits_another_law(pair, excess=lambda p, q: abs(p - q)),
    "residual of q - p": lambda pair: emits_another_law(pair, excess=lambda p, q: ahead(q, p)),
    "a rejection draws from the target": lambda pair: emits_another_law(pair, excess=lambda p, q: p),
    "u <= a at a coin of 0": lambda pair: any(q and not p and ratio(p, q) >= 0 for p, q in zip(*pair, strict=True)),
    "0/0 where the residual has no mass": lambda pair: not any(map(ahead, *pair)),
}


def test_the_right_parts_are_right() -> None:
    """With the parts that are not faulty, no pair is a counterexample."""
    assert not emits_another_law(Pair([Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 2), Fraction(1, 2)]))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("wrong", WRONG_PAIRS.values(), ids=WRONG_PAIRS)
def test_pairs(wrong: Callable[[Pair], bool], seed: int | None) -> None:
    """A fault of one-token verification is shown on a pair of two tokens."""
    assert small(*smallest(draft_target_pairs(), wrong, seed))


def first_at_least(law: Row, coin: int) -> int:
    """The inverse CDF with `<=` in place of `<`."""
    return next(token for token, end in enumerate(accumulate(law)) if coin <= end)


WRONG_LAWS: dict[str, Callable[[Row], bool]] = {
    "inverse CDF with <=": lambda law: law[first_at_least(law, 0)] == 0,
    "a draw that is the argmax": lambda law: max(law) < 1,
    "a draw by rank": lambda law: rank(law) != list(range(len(law))),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("wrong", WRONG_LAWS.values(), ids=WRONG_LAWS)
def test_laws(wrong: Callable[[Row], bool], seed: int | None) -> None:
    """A fault of a draw is shown on a law of two tokens."""
    assert small(smallest(laws(), wrong, seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_one_hots(seed: int | None) -> None:
    """What is wrong unless the first token is certain is shown on (0, 1)."""
    assert smallest(one_hots(), lambda law: law[0] < 1, seed) == [0, 1]


def cut_differently(cut: Cut, inclusive: bool = False, more: int = 0, high_ids: bool = False) -> bool:
    """Whether a filter with a fault keeps other tokens than the spec does."""
    law, config = cut
    order = sorted(range(len(law)), key=lambda token: (-law[token], -token if high_ids else token))
    before = [QQ(0), *accumulate(rational(law[token]) for token in order)]
    top_p, k = config.top_p, config.top_k + more if config.top_k else len(law)
    kept = [x for x, ahead in zip(order, before, strict=False) if law[x] and (ahead < top_p or (inclusive and ahead == top_p))]
    return sorted(kept[:k]) != [token for token, mass in enumerate(apply_top_p_top_k(law, top_p, config.top_k)) if mass]


WRONG_CUTS: dict[str, Callable[[Cut], bool]] = {
    "nucleus keeps before <= top_p": lambda cut: cut.config.top_p < 1 and cut_differently(cut, inclusive=True),
    "top-k keeps one more": lambda cut: cut_differently(cut, more=1),
    "highest ids win ties": lambda cut: cut_differently(cut, high_ids=True),
    "the crossing token is dropped": lambda cut: cut.config.top_p < max(map(rational, cut.law)),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("wrong", WRONG_CUTS.values(), ids=WRONG_CUTS)
def test_cuts(wrong: Callable[[Cut], bool], seed: int | None) -> None:
    """A fault of the filter is shown on a law of two tokens, with nothing on that need not be."""
    law, config = smallest(cuts(), wrong, seed)
    assert small(law)
    assert config.temperature == 1
    assert config.top_k <= 1
    assert config.top_p in (1, QQ(1, 2))


WRONG_CONFIGS: dict[str, tuple[Callable[[SamplerConfig], bool], SamplerConfig]] = {
    "temperature 0 divides": (lambda config: config.temperature == 0, SamplerConfig(0, 1, 0)),
    "temperature ignored": (lambda config: config.temperature > 1, SamplerConfig(2, 1, 0)),
    "top_p ignored": (lambda config: config.top_p <= QQ(1, 2), SamplerConfig(1, "1/2", 0)),
    "top_k ignored": (lambda config: config.top_k > 0, SamplerConfig(1, 1, 1)),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("wrong", "shown"), WRONG_CONFIGS.values(), ids=WRONG_CONFIGS)
def test_configs(wrong: Callable[[SamplerConfig], bool], shown: SamplerConfig, seed: int | None) -> None:
    """A fault of one setting is shown with the other settings off."""
    assert smallest(configs(), wrong, seed) == shown


WRONG_LOGITS: dict[str, Callable[[Row], bool]] = {
    "greedy takes the last maximum": lambda row: row.index(max(row)) != len(row) - 1 - row[::-1].index(max(row)),
    "-inf weighs 1": lambda row: -inf in row,
    "the largest is not subtracted": lambda row: max(row) > 1,
    "logits weigh like their magnitude": lambda row: any(-inf < x < 0 for x in row),
    "temperature twice": lambda row: len({x for x in row if x > -inf}) > 1,
}


@pytest.mark.parametrize("rounded", [None, "float32"])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("wrong", WRONG_LOGITS.values(), ids=WRONG_LOGITS)
def test_logits(wrong: Callable[[Row], bool], seed: int | None, rounded: str | None) -> None:
    """A fault of the weights is shown on two logits, small integers or -inf."""
    assert small(smallest(logit_rows(rounded=rounded), wrong, seed))


def emitted(chain: Chain, fault: str = "") -> dict[Any, Any]:
    """The law of k + 1 tokens of token chains, block after block, until there are so many."""
    model = chain.model

    def program(tape: Tape) -> tuple[int, ...]:
        tokens: tuple[int, ...] = ()
        seen: tuple[int, ...] = ()
        while len(tokens) <= chain.k:
            prefix, q_rows = tokens, []
            for _ in range(chain.k - len(tokens)):
                q_rows.append(model.draft(prefix, seen))
                prefix += (tape.categorical(q_rows[-1]),)
            drafts, seen = prefix[len(tokens) :], ()
            for i, x in enumerate(drafts):
                p, q = model.target(tokens), q_rows[i]
                if fault == "stale target row":
                    p = model.target(tokens[: len(tokens) - i])
                if fault == "draft row of a forgetful draft":
                    q = model.draft(tokens)
                name = "coin" if fault == "one coin for all positions" else ("coin", len(tokens))
                accepted = tape.coin(name) < (min(1, p[x] / q[x]) if q[x] else 1)
                tokens += (x if accepted else tape.categorical(residual_distribution(p, q)),)
                if not accepted:
                    seen = drafts[i:]
                    break
            else:
                bonus = model.target(tokens[:-1] if fault == "bonus of the row before" and tokens else tokens)
                tokens += (tape.categorical(bonus),)
            if fault == "rejected draft kept" and seen:
                tokens = (*tokens[:-1], seen[0])
        return tokens

    return law_of(program)


FAULTS = {
    "one coin for all positions": 2,
    "stale target row": 2,
    "bonus of the row before": 1,
    "rejected draft kept": 1,
    "draft row of a forgetful draft": 2,
}
"""Fault -> the fewest drafts that show it."""


@pytest.mark.parametrize(("fault", "k"), FAULTS.items(), ids=FAULTS)
def test_chains(fault: str, k: int) -> None:
    """A fault of a chain is shown with two tokens and as few drafts as can show it; the chain is right without the fault."""

    def wrong(chain: Chain) -> bool:
        return emitted(chain, fault) != right_law(chain.model, chain.k + 1)

    chain = smallest(chains(remembers=fault == "draft row of a forgetful draft"), wrong, seed=None)
    assert chain.k == k
    assert small(*chain.target.values(), *chain.draft.values())
    assert emitted(chain) == right_law(chain.model, k + 1)
