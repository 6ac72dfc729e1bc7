"""What the strategies advertise, they produce: every bias below is found within a few hundred derandomized examples."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from math import inf
from typing import Any

import pytest
from hypothesis import Phase, find, settings
from hypothesis.strategies import SearchStrategy

from reference.numbers import law_of_row, rational
from reference.strategies import Chain, Cut, Pair, Row, chains, configs, cuts, draft_target_pairs, laws, logit_rows, one_hots

SETTINGS = settings(derandomize=True, database=None, deadline=None, max_examples=500, phases=[Phase.generate])
TENTHS = [Fraction(1, 10)] * 10


def spread(law: Row) -> bool:
    """No one-hot."""
    return 1 not in law


def tied(row: Row) -> bool:
    """Two equal entries that are neither 0 nor -inf."""
    finite = [x for x in row if x and x > -inf]
    return len(set(finite)) < len(finite)


def dyadic(row: Row) -> bool:
    """Exact as floats, and no one-hot."""
    return spread(row) and all(Fraction(x).denominator.bit_count() == 1 for x in row)


def apart(pair: Pair) -> bool:
    """No token has both masses."""
    return not any(p and q for p, q in zip(*pair, strict=True))


def partial_sums(law: Row) -> list[Any]:
    """The masses of the first ranks, 1 left out."""
    return [share for share in accumulate(sorted(law_of_row(law), reverse=True)) if share < 1]


def double_boundary(cut: Cut) -> bool:
    """top_p is the nearest double to the mass of the first ranks, and not that mass."""
    shares = [share for share in partial_sums(cut.law) if rational(float(share)) != share]
    return any(cut.config.top_p == rational(float(share)) for share in shares)


def distinct_rows(chain: Chain) -> bool:
    """The target rows after one token differ."""
    return chain.target[0,] != chain.target[1,]


Case = tuple[SearchStrategy[Any], Callable[[Any], bool]]
BIASES: dict[str, Case] = {
    "law with a zero": (laws(), lambda law: 0 in law and spread(law)),
    "law of twenty tokens without a zero": (laws(min_size=20, max_size=20), all),
    "law with a tie": (laws(), tied),
    "law of equal masses": (laws(), lambda law: len(set(law)) == 1),
    "one-hot law": (laws(), lambda law: 1 in law),
    "one-hot law of twenty tokens": (laws(min_size=20, max_size=20), lambda law: 1 in law),
    "dyadic law": (laws(), dyadic),
    "law whose floats do not sum to 1": (laws(), lambda law: sum(map(float, law)) != 1 == sum(law)),
    "ten tenths": (laws(min_size=10, max_size=10), lambda law: law == TENTHS),
    "float32 row that does not sum to 1": (laws(rounded="float32"), lambda law: sum(map(Fraction, law)) != 1),
    "float64 row that is no law": (laws(rounded="float64"), lambda law: sum(map(Fraction, law)) != 1),
    "every token certain": (one_hots(min_size=5), lambda law: law[4] == 1),
    "equal rows": (draft_target_pairs(), lambda pair: pair.target == pair.draft and spread(pair.target)),
    "disjoint supports": (draft_target_pairs(), lambda pair: apart(pair) and spread(pair.target) and spread(pair.draft)),
    "disjoint supports of twenty tokens": (draft_target_pairs(min_size=20, max_size=20), apart),
    "a token that the draft never gives": (draft_target_pairs(), lambda pair: pair.draft[0] == 0 < pair.target[0]),
    "a token that the target never gives": (draft_target_pairs(), lambda pair: pair.target[0] == 0 < pair.draft[0]),
    "equal masses in different rows": (
        draft_target_pairs(),
        lambda pair: pair.target != pair.draft and any(p == q > 0 for p, q in zip(*pair, strict=True)),
    ),
    "one-hot draft": (draft_target_pairs(), lambda pair: 1 in pair.draft and spread(pair.target)),
    "dyadic pair": (draft_target_pairs(), lambda pair: dyadic(pair.target) and dyadic(pair.draft)),
    "tied logits": (logit_rows(), tied),
    "-inf among logits": (logit_rows(), lambda row: -inf in row and max(row) > -inf),
    "negative zero": (logit_rows(rounded="float32"), lambda row: "-0.0" in map(str, row)),
    "subnormal logit": (logit_rows(rounded="float32"), lambda row: 2.0**-149 in row),
    "largest logit": (logit_rows(largest=300), lambda row: 300 in row),
    "greedy": (configs(), lambda config: config.temperature == 0),
    "everything off": (configs(), lambda config: (config.temperature, config.top_p, config.top_k) == (1, 1, 0)),
    "top_p that is no double": (configs(), lambda config: rational(float(config.top_p)) != config.top_p),
    "top_k beyond the vocabulary": (configs(["1/2", "1/2"]), lambda config: config.top_k == 3),
    "exact boundary": (cuts(), lambda cut: cut.config.top_p in partial_sums(cut.law)),
    "double beside a boundary": (cuts(), double_boundary),
    "double beside a boundary of doubles": (cuts(rounded="float64"), double_boundary),
    "top-k inside the law": (cuts(), lambda cut: 0 < cut.config.top_k < sum(map(bool, cut.law))),
    "chain whose target depends on the prefix": (chains(), distinct_rows),
    "chain of equal laws": (chains(), lambda chain: all(chain.target[prefix] == q for (prefix, _), q in chain.draft.items())),
    "chain with disjoint supports": (chains(), lambda chain: apart(Pair(chain.target[()], chain.draft[(), ()]))),
    "chain that remembers": (chains(remembers=True), lambda chain: len(chain.draft) > len({key for key, _ in chain.draft})),
    "chain of two drafts of three tokens": (chains(), lambda chain: chain.k == 2 and chain.model.size == 3),
}


@pytest.mark.parametrize(("strategy", "holds"), BIASES.values(), ids=BIASES)
def test_bias(strategy: SearchStrategy[Any], holds: Callable[[Any], bool]) -> None:
    """The strategy gives such an input; find raises if it does not."""
    assert holds(find(strategy, holds, settings=SETTINGS))
