"""The claim of each verification rule as an executable statement (spec 4): its joint law on a model, and the right one.

`judge(rule, model, k)` gives the exact law of k + 1 tokens - a block of up to k drafts, then plain decoding - beside the law
that is right, and the expected number of accepted drafts, enumerated beside its closed form.

Cost: a chain of K drafts over V tokens has about V^K (V + K (V - 1)) paths; the right law has V^(K + 1) outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import index
from typing import Any

from sympy import QQ

from reference import pointwise, rules
from reference.models import Law, Model, Tokens
from reference.numbers import rationals as n
from reference.rules import ENDED, Remaining, State, Step
from reference.tape import Tape, law_of_walk

JointLaw = dict[Tokens, Any]
Alpha = Callable[[Model, Tokens], Law]
"""(model, prefix) -> for each token, the probability that it is drafted after this prefix and accepted."""

WIDTH = 2
"""Siblings a level, in `RULES`."""


@dataclass(frozen=True)
class Rule:
    """A verification rule: its step, what it claims, where it is from, and its expected accepted length in closed form.

    accepted_length(model, k) is for drafts that remember nothing. promised(row) is the law that a target row promises;
    `exact` is False for a rule that is lossy by design.
    """

    name: str
    claim: str
    source: str
    step: Step
    accepted_length: Callable[[Model, int], Any]
    promised: Callable[[Law], Law] = list
    exact: bool = True

    def __str__(self) -> str:
        return self.name


def levels(alpha: Alpha) -> Callable[[Model, int], Any]:
    """sum over i = 1..K and x_1..x_i of the product of alpha(x_1..x_{j-1})[x_j] over j <= i."""

    def accepted_length(model: Model, k: int) -> Any:
        total = QQ(0)
        reached: dict[Tokens, Any] = {(): QQ(1)}
        for _ in range(k):
            reached = {
                (*prefix, x): weight * a for prefix, weight in reached.items() for x, a in enumerate(alpha(model, prefix)) if a
            }
            total += sum(reached.values(), QQ(0))
        return total

    return accepted_length


def overlap(model: Model, prefix: Tokens) -> Law:
    """min(p, q): the token rule accepts x with probability q(x) min(1, p(x)/q(x))."""
    return [min(p, q) for p, q in zip(model.target(prefix), model.draft(prefix), strict=True)]


def agreement(model: Model, prefix: Tokens) -> Law:
    """p q: the draft is x, and the target's own draw is."""
    return [pointwise.agreement(n, p, q) for p, q in zip(model.target(prefix), model.draft(prefix), strict=True)]


def tried(width: int) -> Alpha:
    """p on the children of a deterministic tree."""

    def alpha(model: Model, prefix: Tokens) -> Law:
        children = rules.children(model.draft(prefix), width)
        return [p if x in children else QQ(0) for x, p in enumerate(model.target(prefix))]

    return alpha


def normalised(weights: Law) -> Law:
    """Weights over their sum."""
    total = sum(weights)
    return [weight / total for weight in weights]


def siblings(remaining: Remaining, width: int) -> Alpha:
    """sum over the rejected x_1..x_s, for s < width, of their probability times min(p_s, q_s)."""

    def alpha(model: Model, prefix: Tokens) -> Law:
        accepted = [QQ(0)] * model.size

        def descend(p: Law, q: Law | None, weight: Any, left: int) -> None:
            if not left or q is None:
                return
            ahead = [max(p_x - q_x, QQ(0)) for p_x, q_x in zip(p, q, strict=True)]
            for x, (p_x, q_x) in enumerate(zip(p, q, strict=True)):
                accepted[x] += weight * min(p_x, q_x)
                if q_x > p_x:
                    descend(normalised(ahead), remaining(q, x), weight * (q_x - p_x), left - 1)

        descend(model.target(prefix), model.draft(prefix), QQ(1), width)
        return accepted

    return alpha


def leading(model: Model, prefix: Tokens) -> Law:
    """q on the target's argmax."""
    p = model.target(prefix)
    return [q if x == rules.argmax(p) else QQ(0) for x, q in enumerate(model.draft(prefix))]


def kept(model: Model, prefix: Tokens) -> Law:
    """q where typical acceptance keeps the draft."""
    p = model.target(prefix)
    return [q if rules.typically_kept(p, x) else QQ(0) for x, q in enumerate(model.draft(prefix))]


def overlap_everywhere(model: Model, k: int) -> Any:
    """sum over i < K of E[sum min(p, q)] over the target's own prefixes of i tokens."""
    return sum(
        (mass * a for i in range(k) for prefix, mass in right_law(model, i).items() for a in overlap(model, prefix)), QQ(0)
    )


def running(model: Model, k: int) -> Any:
    """sum over i = 1..K of E[rho_i] over drafts: the block rule keeps at least i drafts with probability rho_i."""
    total = QQ(0)
    reached: dict[Tokens, Any] = {(): (QQ(1), QQ(1))}
    for _ in range(k):
        reached = {
            (*prefix, x): (weight * q, min(QQ(1), rho * p / q))
            for prefix, (weight, rho) in reached.items()
            for x, (p, q) in enumerate(zip(model.target(prefix), model.draft(prefix), strict=True))
            if q
        }
        total += sum((weight * rho for weight, rho in reached.values()), QQ(0))
    return total


JOINT = "The joint law of the emitted tokens is the product of target rows"
RULES = (
    Rule(
        "token rule",
        f"{JOINT}, for one draft a position accepted with min(1, p/q) or replaced by a residual draw.",
        "arXiv 2211.17192, section 2.3; arXiv 2302.01318, theorem 1",
        rules.one_at_a_time,
        overlap_everywhere,
    ),
    Rule(
        "token chain",
        f"{JOINT}, for K drafts verified in turn until one is replaced, and a bonus draw if none is.",
        "arXiv 2211.17192, algorithm 1",
        rules.chain(rules.until_another(rules.token_rule)),
        levels(overlap),
    ),
    Rule(
        "sampler-match",
        f"{JOINT}, for the target's own draws, emitted until one differs from the draft.",
        "spec 4",
        rules.chain(rules.until_another(rules.match)),
        levels(agreement),
    ),
    Rule(
        "one-hot draft",
        f"{JOINT}, for drafts chosen in any way, accepted with p(d) or replaced by a draw from p without d.",
        "spec 4",
        rules.chain(rules.until_another(rules.one_hot)),
        levels(agreement),
    ),
    Rule(
        "deterministic tree",
        f"{JOINT}, for fixed children tried in turn, the target zeroed and renormalised after each rejection.",
        "arXiv 2305.09781",
        rules.tree(WIDTH),
        levels(tried(WIDTH)),
    ),
    Rule(
        "multi-draft with replacement",
        f"{JOINT}, for siblings of one law, each judged against the residual that the ones before it left.",
        "arXiv 2305.09781",
        rules.multi_draft(rules.with_replacement, WIDTH),
        levels(siblings(rules.with_replacement, WIDTH)),
    ),
    Rule(
        "multi-draft without replacement",
        f"{JOINT}, for siblings that differ, each judged with the renormalised law it is drawn from.",
        "arXiv 2402.14160",
        rules.multi_draft(rules.without_replacement, WIDTH),
        levels(siblings(rules.without_replacement, WIDTH)),
    ),
    Rule(
        "block verification",
        f"{JOINT}, for the longest accepted prefix of a block and a draw from its weighted residual.",
        "arXiv 2403.10444; spec 4",
        rules.chain(rules.verify_block),
        running,
    ),
    Rule(
        "greedy",
        "At temperature 0 the emitted tokens are the target's argmaxes, one after another, whatever is drafted.",
        "spec 2.1",
        rules.chain(rules.verify_greedy),
        levels(leading),
        promised=rules.greedy_law,
    ),
    Rule(
        "typical acceptance",
        "Drafts that are likely enough are kept whatever the draft law: lossy by design, at the distance that is shown.",
        "arXiv 2401.10774, section 2.3.1",
        rules.chain(rules.verify_typical),
        levels(kept),
        exact=False,
    ),
)


def right_law(model: Model, tokens: int, promised: Callable[[Law], Law] = list) -> JointLaw:
    """The product of the promised laws of the target's rows, each after its whole prefix."""
    return extended({(): QQ(1)}, model, tokens, promised)


def extended(law: JointLaw, model: Model, tokens: int, promised: Callable[[Law], Law] = list) -> JointLaw:
    """A law of token sequences, each continued to `tokens` tokens by plain decoding; ValueError if one is longer."""
    if check_count(tokens, "tokens") < max(map(len, law)):
        raise ValueError(f"tokens = {tokens}; allowed: at least as many as a block emitted, {max(map(len, law))}")
    done: JointLaw = {}
    while law:
        longer: JointLaw = {}
        for prefix, probability in law.items():
            if len(prefix) == tokens:
                done[prefix] = done.get(prefix, QQ(0)) + probability
                continue
            for x, share in enumerate(promised(model.target(prefix))):
                if share:
                    longer[*prefix, x] = longer.get((*prefix, x), QQ(0)) + probability * share
        law = longer
    return done


def check_count(count: Any, name: str) -> int:
    """A count as an int; ValueError unless it is an integer >= 0."""
    try:
        number = -1 if isinstance(count, bool) else index(count)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(f"{name} = {count!r}; allowed: an integer >= 0")
    return number


def block_law(step: Step, model: Model, k: int) -> dict[State, Any]:
    """The law of the state in which a block of up to k drafts ends."""
    return law_of_walk(State((), check_count(k, "k")), partial(step, model), lambda state: state.left == ENDED)


def joint_law(step: Step, model: Model, k: int) -> JointLaw:
    """The law of k + 1 tokens: a block of up to k drafts, then plain decoding."""
    return extended(tokens_of(block_law(step, model, k)), model, k + 1)


def law_by_blocks(step: Step, model: Model, tokens: int) -> JointLaw:
    """The law of `tokens` tokens decoded block after block; a draft that remembers sees what the last block discarded."""

    def onward(state: State, tape: Tape) -> State:
        if state.left == ENDED:
            state = State(state.tokens, tokens - len(state.tokens) - 1, 0, state.discarded)
        return step(model, state, tape)

    check_count(tokens, "tokens")
    return tokens_of(law_of_walk(State((), ENDED), onward, lambda state: len(state.tokens) >= tokens))


def tokens_of(law: dict[State, Any]) -> JointLaw:
    """The law of the tokens of a random state."""
    found: JointLaw = {}
    for state, probability in law.items():
        found[state.tokens] = found.get(state.tokens, QQ(0)) + probability
    return found


def program(step: Step, model: Model, k: int) -> Callable[[Tape], Tokens]:
    """A block of up to k drafts and plain decoding to k + 1 tokens, as one program on one tape: cells may be shared."""

    def run(tape: Tape) -> Tokens:
        state = State((), check_count(k, "k"))
        while state.left != ENDED:
            state = step(model, state, tape)
        tokens = state.tokens
        while len(tokens) <= k:
            tokens += (tape.categorical(model.target(tokens)),)
        return tokens

    return run


@dataclass(frozen=True)
class Judgement:
    """What a rule does on a model, and what it promised.

    found, right: laws of k + 1 tokens. accepted: the expected number of accepted drafts by enumeration; closed_form: the
    same from the rule's formula, for drafts that remember nothing.
    """

    rule: Rule
    found: JointLaw
    right: JointLaw
    accepted: Any
    closed_form: Any

    @property
    def total_variation(self) -> Any:
        """Half the L1 distance of the two laws; 0 iff they are equal."""
        return distance(self.found, self.right)

    @property
    def holds(self) -> bool:
        """The joint law is the promised one."""
        return self.found == self.right


def distance(a: dict[Any, Any], b: dict[Any, Any]) -> Any:
    """The total variation distance of two laws."""
    return sum((abs(a.get(outcome, QQ(0)) - b.get(outcome, QQ(0))) for outcome in {**a, **b}), QQ(0)) / 2


def judge(rule: Rule, model: Model, k: int) -> Judgement:
    """The rule's law of k + 1 tokens on a model - one block of up to k drafts, then plain decoding - beside the right one."""
    ends = block_law(rule.step, model, k)
    return Judgement(
        rule,
        found=extended(tokens_of(ends), model, k + 1, rule.promised),
        right=right_law(model, k + 1, rule.promised),
        accepted=sum((probability * state.accepted for state, probability in ends.items()), QQ(0)),
        closed_form=rule.accepted_length(model, k),
    )
