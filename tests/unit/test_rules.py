"""Verification rules on models whose rows depend on the whole prefix: joint laws and accepted lengths, as rationals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from sympy import QQ

from reference import rules, speculative_output_marginal
from reference.claims import (
    RULES,
    Rule,
    block_law,
    distance,
    joint_law,
    judge,
    law_by_blocks,
    levels,
    program,
    right_law,
    siblings,
    tried,
)
from reference.models import Model, code_of, from_tables, prefix_encoding, random_model, same_rows
from reference.numbers import law_of_row, rational
from reference.one_token import residual_law, residual_mass
from reference.rules import ENDED, State
from reference.tape import Tape, TapeError, explore, law_of, law_of_walk

BY_NAME = {rule.name: rule for rule in RULES}
EXACT = [rule for rule in RULES if rule.exact]
each_rule = pytest.mark.parametrize("rule", RULES, ids=str)
each_exact_rule = pytest.mark.parametrize("rule", EXACT, ids=str)


def test_the_rules_are_there() -> None:
    """Every rule of spec 4 is judged, and only typical acceptance is lossy by design."""
    assert [rule.name for rule in EXACT] == [
        "token rule",
        "token chain",
        "sampler-match",
        "one-hot draft",
        "deterministic tree",
        "multi-draft with replacement",
        "multi-draft without replacement",
        "block verification",
        "greedy",
    ]
    assert [rule.name for rule in RULES if not rule.exact] == ["typical acceptance"]


@each_rule
def test_random_models(rule: Rule) -> None:
    """On 200 random models the law of three tokens is the promised one, and the accepted length is the closed form."""
    for seed in range(200):
        judgement = judge(rule, random_model(seed, 3), 2)
        assert judgement.accepted == judgement.closed_form, seed
        assert judgement.holds == (judgement.total_variation == 0), seed
        if rule.exact:
            assert judgement.found == judgement.right, seed


@pytest.mark.parametrize("name", ["token chain", "block verification"])
def test_deeper_models(name: str) -> None:
    """On random models of four tokens the law of four tokens, three of them drafted, is the promised one."""
    for seed in range(10):
        judgement = judge(BY_NAME[name], random_model(seed, 4, largest=9), 3)
        assert judgement.found == judgement.right, seed
        assert judgement.accepted == judgement.closed_form, seed


@each_exact_rule
@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_prefix_encoding_target(rule: Rule, k: int) -> None:
    """On a target whose law encodes its exact prefix the rule keeps the joint law, for no draft and for three."""
    judgement = judge(rule, prefix_encoding(2), k)
    assert judgement.holds
    assert sum(judgement.found.values()) == 1


@each_exact_rule
def test_drafts_that_remember(rule: Rule) -> None:
    """Decoded block after block, drafts that depend on what was discarded leave the joint law as it was."""
    for model in [prefix_encoding(2), *(random_model(seed, 2, remembers=True) for seed in range(30))]:
        assert law_by_blocks(rule.step, model, 4) == right_law(model, 4, rule.promised)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.name != "greedy"], ids=str)
def test_one_tape(rule: Rule) -> None:
    """Composed step by step or run as one program on one tape, the law is the same."""
    for model in [prefix_encoding(2), *(random_model(seed, 2) for seed in range(5))]:
        assert law_of(program(rule.step, model, 2)) == joint_law(rule.step, model, 2)


@pytest.mark.parametrize("width", [1, 3, 4])
def test_trees_of_other_widths(width: int) -> None:
    """One child, or as many as there are tokens, or more: the joint law and the accepted length are right."""
    steps = [
        (rules.tree(width), tried(width)),
        (rules.multi_draft(rules.with_replacement, width), siblings(rules.with_replacement, width)),
        (rules.multi_draft(rules.without_replacement, width), siblings(rules.without_replacement, width)),
    ]
    for model in (random_model(seed, 3) for seed in range(20)):
        for step, alpha in steps:
            assert joint_law(step, model, 1) == right_law(model, 2)
            accepted = sum(p * state.accepted for state, p in block_law(step, model, 1).items())
            assert accepted == levels(alpha)(model, 1)


def test_prefixes_have_rows_of_their_own() -> None:
    """No two prefixes of a prefix-encoding target share a row, nor their codes, whatever their lengths."""
    prefixes = [prefix for length in range(4) for prefix in product(range(3), repeat=length)]
    assert len({code_of(3, prefix) for prefix in prefixes}) == len(prefixes)
    assert len({tuple(prefix_encoding(3).target(prefix)) for prefix in prefixes}) == len(prefixes)


def stale(model: Model, by: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Model:
    """The same model with the target rows of other prefixes."""
    return Model(model.size, lambda prefix: model.target(by(prefix)), model.draft)


MISTAKES: dict[str, Callable[[tuple[int, ...]], tuple[int, ...]]] = {
    "the row of the start at every position": lambda prefix: (),
    "the row before the last token": lambda prefix: prefix[:-1],
    "the last token only": lambda prefix: prefix[-1:],
    "the first token only": lambda prefix: prefix[:1],
    "tokens in another order": lambda prefix: tuple(sorted(prefix)),
    "a token too many": lambda prefix: (*prefix, *prefix[-1:]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_rows_of_another_prefix_show(mistake: str) -> None:
    """A chain that reads the target's row of another prefix has another joint law."""
    model = prefix_encoding(2)
    found = judge(BY_NAME["token chain"], stale(model, MISTAKES[mistake]), 2).found
    assert found != right_law(model, 3)


def accept_everything(p: Any, q: Any, x: int, tape: Tape) -> int:
    """No coin."""
    return x


def residual_is_target(p: Any, q: Any, x: int, tape: Tape) -> int:
    """A rejection starts again."""
    return x if tape.coin() * q[x] < p[x] else tape.categorical(p)


def ratio_inverted(p: Any, q: Any, x: int, tape: Tape) -> int:
    """q/p."""
    return x if tape.coin() * p[x] < q[x] else tape.categorical(residual_law(p, q, residual_mass(p, q)))


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("mistake", [accept_everything, residual_is_target, ratio_inverted])
def test_mistakes_show_on_the_prefix_encoding_target(mistake: Any, size: int, k: int) -> None:
    """At the first position too, its draft differs from its target: every mistake of a rule shows."""
    model = prefix_encoding(size)
    assert joint_law(rules.chain(rules.until_another(mistake)), model, k) != right_law(model, k + 1)


@pytest.mark.parametrize("size", [2, 3])
def test_one_coin_for_all_positions_shows(size: int) -> None:
    """A coin shared by two positions shows on the prefix-encoding target."""

    def choose(p: Any, q: Any, x: int, tape: Tape) -> int:
        return x if tape.coin("u") * q[x] < p[x] else tape.categorical(residual_law(p, q, residual_mass(p, q)))

    model = prefix_encoding(size)
    assert joint_law(rules.chain(rules.until_another(choose)), model, 2) != right_law(model, 3)


BAD_VERIFIERS: dict[str, Callable[..., Any]] = {
    "nothing": lambda p, q, drafts, tape: None,
    "no token": lambda p, q, drafts, tape: [],
    "too many": lambda p, q, drafts, tape: [0] * (len(drafts) + 2),
    "no id": lambda p, q, drafts, tape: [2],
    "negative": lambda p, q, drafts, tape: [-1],
    "float": lambda p, q, drafts, tape: [1.0],
}


@pytest.mark.parametrize("verify", BAD_VERIFIERS.values(), ids=BAD_VERIFIERS)
def test_verifiers_return_tokens(verify: Any) -> None:
    """What a verifier returns is refused by name, unless it is 1 to K + 1 tokens of the vocabulary."""
    with pytest.raises(ValueError, match="verify returned"):
        joint_law(rules.chain(verify), prefix_encoding(2), 2)


@pytest.mark.parametrize("count", [-1, 1.5, None, True])
def test_counts_are_refused(count: Any) -> None:
    """A number of drafts or tokens is an integer >= 0."""
    model, chain = prefix_encoding(2), BY_NAME["token chain"]
    calls: list[Callable[[], Any]] = [
        lambda: judge(chain, model, count),
        lambda: right_law(model, count),
        lambda: law_by_blocks(chain.step, model, count),
        lambda: law_of(program(chain.step, model, count)),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="allowed: an integer >= 0"):
            call()


def test_walks_end() -> None:
    """A walk that goes round in a circle is refused."""
    with pytest.raises(TapeError, match="a walk of more than"):
        law_of_walk(0, lambda state, tape: 1 - state, lambda state: False)


def test_token_rule_has_the_marginal_law() -> None:
    """On the tape the token rule emits what `speculative_output_marginal` says, the target."""
    for seed in range(50):
        model = random_model(seed, 3)
        p, q = model.target(()), model.draft(())

        def emitted(tape: Tape, p: Any = p, q: Any = q) -> int:
            return rules.token_rule(p, q, tape.categorical(q), tape)

        found = law_of(emitted)
        assert [found.get(token, QQ(0)) for token in range(3)] == speculative_output_marginal(p, q) == p


def test_block_rule_accepts_no_less() -> None:
    """The block rule accepts at least as many drafts as the token rule, and on some models more."""
    gains = []
    for seed in range(100):
        model = random_model(seed, 3)
        gains.append(judge(BY_NAME["block verification"], model, 2).accepted - judge(BY_NAME["token chain"], model, 2).accepted)
    assert min(gains) == 0
    assert max(gains) > 0


def test_block_of_one_is_the_token_rule() -> None:
    """With one draft the block rule and the token rule end in the same states with the same probabilities."""
    for seed in range(50):
        model = random_model(seed, 3)
        assert block_law(BY_NAME["block verification"].step, model, 1) == block_law(BY_NAME["token chain"].step, model, 1)


def test_stopping_of_the_block_rule() -> None:
    """Given the drafts, the block rule keeps at least i of them with probability rho_i and stops at i with S_i."""
    p = [["2/3", "1/3"], ["1/4", "3/4"], ["1/2", "1/2"]]
    q = [["1/2", "1/2"], ["1/2", "1/2"]]
    p_rows, q_rows = ([[rational(x) for x in row] for row in rows] for rows in (p, q))
    lengths = law_of(lambda tape: len(rules.verify_block(p_rows, q_rows, [1, 1], tape)) - 1)
    # rho_1 = min(1, (1/3) / (1/2)) = 2/3, S_1 = (2/3 1/4 - 1/2)+ + (2/3 3/4 - 1/2)+ = 0, rho_2 = min(1, 2/3 (3/4) / (1/2)) = 1
    assert lengths == {2: QQ(1)}
    lengths = law_of(lambda tape: len(rules.verify_block(p_rows, q_rows, [1, 0], tape)) - 1)
    # rho_2 = 2/3 (1/4) / (1/2) = 1/3 is h_2; h_1 = 0, so the first draft alone is never kept
    assert lengths == {2: QQ(1, 3), 0: QQ(2, 3)}


def test_greedy_reads_no_tape() -> None:
    """At temperature 0, drafts given, nothing random is read, and ties go to the lowest id."""
    rows = [[QQ(1, 2), QQ(1, 2)], [QQ(1, 4), QQ(3, 4)], [QQ(1), QQ(0)]]
    found = explore(lambda tape: tuple(rules.verify_greedy(rows, rows[:2], [0, 0], tape)))
    assert found.ignores_tape
    assert found.law == {(0, 1): QQ(1)}


@pytest.mark.parametrize(
    ("law", "delta", "kept"),
    [
        ("1/4 1/4 1/4 1/4", "1", [False] * 4),  # p = exp(-H): not above
        ("1/4 1/4 1/4 1/4", "0.999999999", [True] * 4),
        ("1/2 1/4 1/8 1/8", "1", [True, False, False, False]),  # exp(-H) = 2^(-7/4) = 0.297
        ("1/2 1/4 1/8 1/8", "1/2", [True, True, False, False]),
        ("1/2 1/4 1/8 1/8", "2/5", [True, True, True, True]),
        ("1 0", "1", [False, False]),
        ("1 0", "0.999999999", [True, False]),
    ],
)
def test_typical_threshold_is_exact(law: str, delta: str, kept: list[bool]) -> None:
    """A token is typical iff p > delta exp(-H), decided exactly, at a tie too; above epsilon it is always kept."""
    p = [rational(x) for x in law.split()]
    assert [rules.typically_kept(p, x, QQ(2), rational(delta)) for x in range(len(p))] == kept
    assert [rules.typically_kept(p, x, QQ(1, 5), QQ(100)) for x in range(len(p))] == [p_x > QQ(1, 5) for p_x in p]


def test_typical_thresholds_of_floats() -> None:
    """On rows of doubles, whose common denominator is no power to take, balls decide as exact powers do nearby."""
    for law in ([0.5, 0.25, 0.125, 0.125], [0.1, 0.2, 0.7], [0.3, 0.3, 0.4]):
        p = law_of_row(law)
        near = law_of_row([rational(str(x)) for x in law])
        for delta in (QQ(1, 2), QQ(1), QQ(3, 2)):
            decided = [rules.typically_kept(p, x, QQ(2), delta) for x in range(len(p))]
            assert decided == [rules.typically_kept(near, x, QQ(2), delta) for x in range(len(p))]


def test_typical_acceptance_is_lossy() -> None:
    """A token of probability 2/5 that the draft insists on is always emitted, at distance 3/5 from the target."""
    judgement = judge(BY_NAME["typical acceptance"], same_rows(["3/5", "2/5"], [0, 1]), 1)
    assert not judgement.holds
    assert judgement.total_variation == distance(judgement.found, judgement.right) == QQ(3, 5)
    assert judgement.accepted == 1


def test_siblings_without_replacement_exhaust_the_draft() -> None:
    """A draft with one token left to try has no second sibling, and the level ends with the residual."""
    law = block_law(BY_NAME["multi-draft without replacement"].step, same_rows(["1/3", "2/3"], [1, 0]), 1)
    assert {state: p for state, p in law.items() if state.left == ENDED and len(state.tokens) == 1} == {
        State((1,), ENDED, 0, (0,)): QQ(2, 3)
    }


def test_tables() -> None:
    """A model of written-out rows gives them back as laws, and refuses rows that are none or of another size."""
    model = from_tables({(): ["1/2", "1/2"], (0,): [1, 0], (1,): [0, 1]}, {(): [1, 0], (0,): [0.5, 0.5, 0]})
    assert model.target((1,)) == [QQ(0), QQ(1)]
    assert model.draft(()) == [QQ(1), QQ(0)]
    with pytest.raises(ValueError, match=r"draft row of \(0,\) has 3 tokens; allowed: 2"):
        model.draft((0,))
    with pytest.raises(ValueError, match=r"target row of \(\) sum to 2"):
        same_rows([1, 1], [1, 0]).target(())


def test_steps_share_no_cell() -> None:
    """A walk whose steps read one cell is refused: composed, draws would be independent that are not; other names pass."""

    def walked(name: Callable[[int], Any]) -> Any:
        return law_of_walk(
            0, lambda state, tape: state + 1 + (tape.coin(name(state)) < Fraction(1, 2)), lambda state: state > 1
        )

    assert walked(lambda state: state) == walked(lambda state: None) == {2: QQ(3, 4), 3: QQ(1, 4)}
    with pytest.raises(TapeError, match=r"two steps read \{'u'\}"):
        walked(lambda state: "u")
