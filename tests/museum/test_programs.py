"""No known fault of a law escapes again: the tape gives the fault's wrong law, and its mended twin's right one."""

from __future__ import annotations

from re import fullmatch
from typing import Any

import pytest
from sympy import QQ

from reference import rules
from reference.claims import RULES, JointLaw, block_law, joint_law, judge, law_by_blocks, right_law
from reference.filters import SamplerConfig
from reference.models import Law, prefix_encoding, random_model, same_rows
from reference.numbers import rational
from reference.rules import Step
from reference.softmax import filtered_target
from reference.tape import Tape, cells_read_twice, explore, law_of
from tests.museum import mistakes
from tests.museum.mistakes import Program, decoded, in_turn, one_token
from tests.museum.programs import EVEN, FAULTS, LEANS_AFTER_A_REJECTION, LEANS_TO_A_REPEATED_DISCARD, SIBLINGS, Fault, law

NAMED = {fault.id: fault for fault in FAULTS}
NOT_FAULTS = {
    "match-rule": "mlx-swift-lm#459",
    "one-hot-q-for-any-draft": "vllm#40149",
    "deterministic-tree": "EAGLE#183",
    "log-softmax-then-temperature": "Kimi-Audio#161",
    "residual-zero-mass": "TorchCode#16",
    "bonus-token-dropped": "lattice#389",
    "medusa-typical": "arXiv 2401.10774",
}
"""id -> source of what looks like a fault and is none; the last is lossy, and says so."""
EXACT = {
    "match-rule": in_turn(rules.match),
    "one-hot-q-for-any-draft": in_turn(rules.one_hot),
    "deterministic-tree": rules.tree(2),
    "bonus-token-dropped": rules.chain(mistakes.without_bonus),
}
"""Those of them that are a step of decoding."""
MODELS = [prefix_encoding(2), *(random_model(seed, 3, remembers=True) for seed in range(4))]


def found(program: Program, fault: Fault) -> Law:
    """The probabilities that a program gives to the events of a fault."""
    exact = law_of(program)
    return [exact.get(event, QQ(0)) for event in fault.events]


def marginals(joint: dict[Any, Any]) -> list[dict[int, Any]]:
    """The law of each of two positions."""
    laws: list[dict[int, Any]] = [{}, {}]
    for tokens, share in joint.items():
        for at, token in zip(laws, tokens, strict=True):
            at[token] = at.get(token, QQ(0)) + share
    return laws


def nonzero(p: Law) -> dict[int, Any]:
    """A law as `law_of` gives it."""
    return {x: share for x, share in enumerate(p) if share}


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_the_fault_shows(fault: Fault) -> None:
    """The program that makes the mistake has the recorded wrong law, which is not the right one."""
    assert found(fault.mistaken, fault) == law(fault.faulty) != law(fault.right)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_the_mended_twin_is_right(fault: Fault) -> None:
    """The same program without the mistake has the recorded right law: on a model, the product of its target rows."""
    assert found(fault.mended, fault) == law(fault.right)
    if fault.model:
        assert law_of(fault.mended) == right_law(fault.model, 2)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_cell_read_twice_has_a_name(fault: Fault) -> None:
    """The cells read twice on a path are the ones that the mistake is about; a mended twin reads none twice."""
    assert cells_read_twice(fault.mistaken) == fault.twice
    assert not cells_read_twice(fault.mended)


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("one-coin-for-all-positions", [True, False]),
        ("frozen-rng", [True, True]),
        ("block-rule-token-residual", [True, False]),
        ("block-rule-first-rejected", [False, True]),
        ("draws-re-read-after-a-discard", [True, True]),
    ],
)
def test_marginals_are_not_enough(name: str, same: list[bool]) -> None:
    """A wrong joint law may have the right law at the first position, at the second, or at both."""
    wrong, right = marginals(law_of(NAMED[name].mistaken)), marginals(law_of(NAMED[name].mended))
    assert [a == b for a, b in zip(wrong, right, strict=True)] == same


def test_one_request_does_not_show_swapped_rows() -> None:
    """A batch of one has the right law however its rows are ordered."""
    assert law_of(mistakes.batch(EVEN, [law("3/4 1/4")], mistakes.swapped)) == nonzero(EVEN)


def test_a_constant_coin_is_never_compared() -> None:
    """Where the coin is a number, no comparison reads a cell; in the mended twin one does."""
    assert not explore(NAMED["coin-is-constant-zero"].mistaken).sides
    assert explore(NAMED["coin-is-constant-zero"].mended).sides


def test_truncation_never_gives_the_lowest_integer() -> None:
    """The comparison that would give -1 comes out the same on every path: the exploration says so of truncation alone."""
    assert len(explore(NAMED["randint-through-float"].mistaken).one_sided) == 1
    assert not explore(NAMED["randint-through-float"].mended).one_sided


def test_a_draw_that_nobody_saw_may_be_read_again() -> None:
    """A draft that remembers only the rejected token may re-read the draw behind it: given that token it is still uniform."""
    program = mistakes.redrafted(LEANS_AFTER_A_REJECTION, mistakes.by_position)
    assert cells_read_twice(program) == {("draft", 1)}
    assert law_of(program) == right_law(LEANS_AFTER_A_REJECTION, 2)


@pytest.mark.parametrize("model", range(len(MODELS)))
@pytest.mark.parametrize(
    ("written", "rule"),
    [
        (in_turn(mistakes.one_hot(Tape.coin)), in_turn(rules.one_hot)),
        (in_turn(mistakes.races("noise")), in_turn(rules.token_rule)),
        (rules.chain(mistakes.block(mistakes.largest, mistakes.as_it_is)), rules.chain(rules.verify_block)),
    ],
    ids=["one-hot", "token rule", "block"],
)
def test_builders_without_a_mistake_are_the_rules(written: Step, rule: Step, model: int) -> None:
    """Given the right piece, a builder has the rule's law of what a block emits, accepts and discards."""
    assert block_law(written, MODELS[model], 2) == block_law(rule, MODELS[model], 2)


@pytest.mark.parametrize(
    ("name", "step", "q"),
    [
        ("tree-without-renormalising", rules.tree(2), law("3/5 1/5 1/5")),
        ("siblings-q-not-renormalised", rules.multi_draft(rules.without_replacement, 2), SIBLINGS[1]),
    ],
)
def test_twins_of_trees_are_the_rules(name: str, step: Step, q: Law) -> None:
    """The mended tree and the mended siblings emit what the rules emit first."""
    fault = NAMED[name]
    emitted = law_of(decoded(step, same_rows(law(fault.right), q), 1))
    assert {(x,): share for x, share in law_of(fault.mended).items()} == emitted


def test_redrafting_is_decoding_by_blocks() -> None:
    """The mended twin that drafts again has the law of the token chain, decoded block after block."""
    joint: JointLaw = {}
    for tokens, share in law_by_blocks(in_turn(rules.token_rule), LEANS_TO_A_REPEATED_DISCARD, 3).items():
        joint[tokens[:2]] = joint.get(tokens[:2], QQ(0)) + share
    assert law_of(NAMED["draws-re-read-after-a-discard"].mended) == joint


@pytest.mark.parametrize("model", range(len(MODELS)))
@pytest.mark.parametrize("step", EXACT.values(), ids=EXACT)
def test_exact_though_it_looks_wrong(step: Step, model: int) -> None:
    """The joint law of three tokens is the target's, on models whose rows depend on the prefix and drafts on discards."""
    assert joint_law(step, MODELS[model], 2) == right_law(MODELS[model], 3)


@pytest.mark.parametrize("draft", ["3/4 1/4", "1 0", "0 1", "1/2 1/2"])
def test_a_one_hot_q_fits_any_draft(draft: str) -> None:
    """Accepted with p and replaced from p without it, a draft of any law is followed by p."""
    assert law_of(one_token(rules.one_hot, law("3/5 2/5"), law(draft))) == nonzero(law("3/5 2/5"))


@pytest.mark.parametrize("config", [(0, 1, 0), ("0.8", "0.95", 0), (1, "0.5", 0), ("1/3", 1, 2)], ids=str)
@pytest.mark.parametrize("shift", ["-7/3", "1000001/7", "1/1267650600228229401496703205376"])
def test_log_softmax_before_the_temperature_is_only_a_shift(shift: str, config: tuple[Any, Any, int]) -> None:
    """A constant added to every logit changes neither the support of the filtered target nor a bit of its law."""
    logits = [rational(x) for x in ("1/2", "-5/4", "2", "1/2", "3/7")]
    shifted = [logit + rational(shift) for logit in logits]
    assert filtered_target(shifted, SamplerConfig(*config)) == filtered_target(logits, SamplerConfig(*config))


@pytest.mark.parametrize("p", ["1/2 1/2", "1/6 1/2 1/3", "1/2 0 1/2", "0 1 0"])
def test_nothing_is_rejected_without_residual_mass(p: str) -> None:
    """Where q is p every comparison accepts, and there is no more than a path for each draft."""
    exploration = explore(one_token(rules.token_rule, law(p), law(p)))
    assert exploration.law == nonzero(law(p))
    assert [*exploration.sides.values()] == [{True}]
    assert exploration.paths == len(nonzero(law(p)))


def test_typical_acceptance_is_lossy() -> None:
    """Typical acceptance keeps token 1 for its 2/5 > 3/10 and never gives token 0 first: 3/5 from the target, by design."""
    (typical,) = (rule for rule in RULES if not rule.exact)
    assert law("3/10 9/100") == [rules.EPSILON, rules.DELTA]
    judgement = judge(typical, same_rows(law("3/5 2/5"), law("0 1")), 1)
    assert judgement.found == {(1, 0): QQ(3, 5), (1, 1): QQ(2, 5)}
    assert judgement.total_variation == QQ(3, 5)


def test_no_case_is_lost() -> None:
    """These are the cases, each once; all are from a public thread or a paper, or ours."""
    assert len(NAMED) == len(FAULTS)
    sources = [*NOT_FAULTS.values(), *(fault.source for fault in FAULTS)]
    assert all(fullmatch(r"[\w.-]+#\d+|arXiv \d{4}\.\d{5}|ours", source) for source in sources)
    assert NAMED.keys() == {
        "shared-noise",
        "coin-reused-in-residual",
        "one-coin-for-all-positions",
        "greedy-draft-soft-q",
        "raw-q-filtered-draft",
        "raw-q-filtered-draft-2",
        "coin-is-constant-zero",
        "sibling-residual-from-soft-q",
        "tree-without-renormalising",
        "siblings-q-not-renormalised",
        "q-rows-swapped",
        "half-one-hot",
        "q-in-another-dtype",
        "first-token-unverified",
        "randint-through-float",
        "penalty-counts-once-a-step",
        "frozen-rng",
        "eos-inside-the-block",
        "cache-not-rolled-back",
        "block-rule-token-residual",
        "block-rule-first-rejected",
        "draws-re-read-after-a-discard",
    }
    assert NOT_FAULTS.keys() == {
        "match-rule",
        "one-hot-q-for-any-draft",
        "deterministic-tree",
        "log-softmax-then-temperature",
        "residual-zero-mass",
        "bonus-token-dropped",
        "medusa-typical",
    }
