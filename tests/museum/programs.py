"""Known faults that only a law shows, as pairs of programs on the tape: one makes the mistake, its twin has it mended.

Both are built by one function of `tests.museum.mistakes`. Laws are rationals in text, the probabilities of the events in
their order; where they sum to 1 they are the whole law.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import product

from reference import rules
from reference.models import Law, Model, Tokens, same_rows
from reference.numbers import rational
from reference.rules import one_hot, token_rule
from tests.museum import mistakes
from tests.museum.mistakes import EOS, A, B, Program, decoded, in_turn, one_token


@dataclass(frozen=True)
class Fault:
    """A known fault and its mended twin. `source` is a public thread, repository#number, or ours.

    events: outcomes, whose probabilities are `right` and `faulty`. twice: the cells that the mistake reads again.
    model: where outcomes are the first two tokens of its text, that model.
    """

    id: str
    source: str
    fault: str
    mistaken: Program
    mended: Program
    events: Sequence[Hashable]
    right: str
    faulty: str
    twice: frozenset[Hashable] = frozenset()
    model: Model | None = None

    def __str__(self) -> str:
        return self.id


def law(text: str) -> Law:
    """'1/2 1/2' as rationals."""
    return [rational(part) for part in text.split()]


TWO, THREE = range(2), range(3)
PAIRS = [*product(TWO, TWO)]
ZERO, ONE = law("1 0"), law("0 1")
EVEN = law("1/2 1/2")

NOISE = law("1/6 1/2 1/3"), law("1/2 1/3 1/6")
REUSED = law("1/2 1/4 1/4"), law("1 0 0")
CONSTANT = law("1/10 9/10"), ZERO
SIBLINGS = law("1/5 2/5 2/5"), law("1/2 3/10 1/5")
EAGLE = law("1/2 1/3 1/6")
BLOCK = same_rows(law("2/5 1/10 1/4 1/4"), law("1/2 3/10 1/20 3/20"))
FIRST_REJECTED = same_rows(law("2/3 1/3"), law("1/3 2/3"))
COIN_FLIPS = same_rows(EVEN, ZERO)
CERTAIN = same_rows(ZERO, ONE)


def leaning(to: Callable[[int, Tokens], int | None]) -> Model:
    """A draft that gives 2, then one of 0 and 1, and leans to to(the token before, what was discarded).

    There is a second attempt only after the 2 is rejected, and (2, x) was discarded, with the x drafted behind it.
    """
    rows = {None: law("1/2 1/2 0"), 0: law("3/4 1/4 0"), 1: law("1/4 3/4 0")}

    def draft_row(prefix: Tokens, discarded: Tokens) -> Law:
        return rows[to(prefix[-1], discarded)] if prefix else law("0 0 1")

    return Model(3, lambda prefix: law("1/2 1/2 0") if prefix else law("1/3 1/3 1/3"), draft_row)


LEANS_TO_A_REPEATED_DISCARD = leaning(lambda before, discarded: before if before in discarded else None)
LEANS_AFTER_A_REJECTION = leaning(lambda before, discarded: 0 if discarded[:1] == (2,) else None)


def proposal(id: str, source: str, fault: str, p: str, reported: str, drawn: str, faulty: str) -> Fault:
    """The draft is drawn from one law and judged with another; its twin reports the law that it draws from."""
    target, q, real = law(p), law(reported), law(drawn)
    mistaken, mended = one_token(token_rule, target, q, real), one_token(token_rule, target, real)
    return Fault(id, source, fault, mistaken, mended, range(len(target)), p, faulty)


FAULTS = [
    Fault(
        "shared-noise",
        "vllm#54282",
        "the residual race reads the noise vector that made the draft win",
        mistaken=mistakes.drafting_by_race(mistakes.races("noise"), *NOISE),
        mended=mistakes.drafting_by_race(mistakes.races("noise of its own"), *NOISE),
        events=THREE,
        right="1/6 1/2 1/3",
        faulty="1/6 10/21 5/14",
        twice=frozenset({"noise"}),
    ),
    Fault(
        "coin-reused-in-residual",
        "vllm-ascend#16370",
        "the coin that rejected the draft is also the threshold of the residual draw",
        mistaken=one_token(mistakes.one_hot(mistakes.the_coin, residual="coin"), *REUSED),
        mended=one_token(one_hot, *REUSED),
        events=THREE,
        right="1/2 1/4 1/4",
        faulty="1/2 0 1/2",
        twice=frozenset({"coin"}),
    ),
    Fault(
        "coin-is-constant-zero",
        "vllm-ascend#13766",
        "the uniform is the number 0, which accepts every draft that has any probability",
        mistaken=one_token(mistakes.one_hot(mistakes.constant_zero), *CONSTANT),
        mended=one_token(one_hot, *CONSTANT),
        events=TWO,
        right="1/10 9/10",
        faulty="1 0",
    ),
    Fault(
        "one-coin-for-all-positions",
        "Rapid-MLX#2140",
        "one coin judges every position of the block",
        mistaken=decoded(in_turn(mistakes.one_hot(mistakes.the_coin)), COIN_FLIPS),
        mended=decoded(in_turn(one_hot), COIN_FLIPS),
        events=[(0, 0)],
        right="1/4",
        faulty="1/2",
        twice=frozenset({"coin"}),
        model=COIN_FLIPS,
    ),
    Fault(
        "frozen-rng",
        "mlx-lm#1439",
        "the random state does not advance from one position to the next",
        mistaken=mistakes.in_cells(lambda position: "state", EVEN),
        mended=mistakes.in_cells(lambda position: ("state", position), EVEN),
        events=[(0, 0)],
        right="1/4",
        faulty="1/2",
        twice=frozenset({"state"}),
        model=COIN_FLIPS,
    ),
    proposal(
        "greedy-draft-soft-q",
        "transformers#32867",
        "the draft is the argmax, and q is the softmax that it is the argmax of",
        p="1/2 1/2",
        reported="2/3 1/3",
        drawn="1 0",
        faulty="3/4 1/4",
    ),
    proposal(
        "raw-q-filtered-draft",
        "transformers#47932",
        "the draft is drawn after its own top-k, and q is the law before it",
        p="3/5 2/5 0",
        reported="3/8 3/8 1/4",
        drawn="1/2 1/2 0",
        faulty="1/2 1/2 0",
    ),
    proposal(
        "raw-q-filtered-draft-2",
        "mlx-node#11",
        "the same elsewhere: the filter of the draft never reaches q",
        p="1/2 1/4 1/4",
        reported="2/5 1/5 2/5",
        drawn="1/2 0 1/2",
        faulty="5/8 1/16 5/16",
    ),
    proposal(
        "q-in-another-dtype",
        "DeepSpec#31",
        "the draft is drawn from a bfloat16 softmax and judged with the float32 one",
        p="31/64 33/64",
        reported="33/64 31/64",
        drawn="1/2 1/2",
        faulty="31/66 35/66",
    ),
    Fault(
        "half-one-hot",
        "vllm#40149",
        "the draft is accepted with p, as for a one-hot q, and replaced from the residual of the soft q",
        mistaken=one_token(mistakes.one_hot_soft_residual, law("3/5 2/5"), law("3/4 1/4")),
        mended=one_token(one_hot, law("3/5 2/5"), law("3/4 1/4")),
        events=TWO,
        right="3/5 2/5",
        faulty="9/20 11/20",
    ),
    Fault(
        "q-rows-swapped",
        "vllm#37237",
        "a request is judged with the q of its neighbour in the batch",
        mistaken=mistakes.batch(EVEN, [law("3/4 1/4"), law("1/4 3/4")], mistakes.swapped),
        mended=mistakes.batch(EVEN, [law("3/4 1/4"), law("1/4 3/4")], list),
        events=TWO,
        right="1/2 1/2",
        faulty="5/6 1/6",
    ),
    Fault(
        "sibling-residual-from-soft-q",
        "TensorRT-LLM#15098",
        "the one child is chosen without chance, yet its residual subtracts the law that it was chosen by",
        mistaken=one_token(mistakes.one_hot_soft_residual, EAGLE, law("3/5 1/5 1/5"), law("1 0 0")),
        mended=mistakes.tree(EAGLE, [0], rules.ruled_out),
        events=THREE,
        right="1/2 1/3 1/6",
        faulty="1/2 1/2 0",
    ),
    Fault(
        "tree-without-renormalising",
        "EAGLE#183",
        "after a rejected child the next is tested against a target that no longer sums to 1",
        mistaken=mistakes.tree(EAGLE, [0, 1], rules.without),
        mended=mistakes.tree(EAGLE, [0, 1], rules.ruled_out),
        events=THREE,
        right="1/2 1/3 1/6",
        faulty="1/2 1/6 1/3",
    ),
    Fault(
        "siblings-q-not-renormalised",
        "llama.cpp#5625",
        "the second sibling is drawn without the first but judged as if it were the first",
        mistaken=mistakes.siblings(*SIBLINGS, lambda q, drawn_from: q),
        mended=mistakes.siblings(*SIBLINGS, lambda q, drawn_from: drawn_from),
        events=THREE,
        right="1/5 2/5 2/5",
        faulty="1/5 12/25 8/25",
    ),
    Fault(
        "first-token-unverified",
        "lattice#243",
        "verification starts one draft late, and the first is emitted unseen",
        mistaken=decoded(rules.chain(mistakes.shifted_by_one), CERTAIN),
        mended=decoded(in_turn(token_rule), CERTAIN),
        events=[(0, 0), (1, 0)],
        right="1 0",
        faulty="0 1",
        model=CERTAIN,
    ),
    Fault(
        "eos-inside-the-block",
        "transformers#47912",
        "an accepted end of text does not end the block",
        mistaken=mistakes.text_with_eos(tuple),
        mended=mistakes.text_with_eos(mistakes.up_to_eos),
        events=[(A, EOS), (A, EOS, B, A)],
        right="1 0",
        faulty="0 1",
    ),
    Fault(
        "cache-not-rolled-back",
        "mlx-lm#1109",
        "the recurrent state goes on from a draft that was rejected",
        mistaken=mistakes.parity_after((0, 1), lambda before, after: after),
        mended=mistakes.parity_after((0, 1), lambda before, after: before),
        events=TWO,
        right="1 0",
        faulty="0 1",
    ),
    Fault(
        "penalty-counts-once-a-step",
        "sglang#33643",
        "of the tokens that a step accepts only the last is counted; token 0 was accepted twice",
        mistaken=mistakes.penalised((0, 0), lambda accepted: accepted[-1:]),
        mended=mistakes.penalised((0, 0), lambda accepted: accepted),
        events=TWO,
        right="1/5 4/5",
        faulty="1/3 2/3",
    ),
    Fault(
        "randint-through-float",
        "mlx#3926",
        "an integer is a uniform number cut towards 0, which has two sides",
        mistaken=mistakes.integer(mistakes.truncated),
        mended=mistakes.integer(mistakes.floored),
        events=[-1, 0, 1],
        right="1/3 1/3 1/3",
        faulty="0 2/3 1/3",
    ),
    Fault(
        "block-rule-token-residual",
        "vllm-ascend#7807",
        "the thresholds are the block rule's, the residual is the token rule's",
        mistaken=decoded(rules.chain(mistakes.block(mistakes.largest, mistakes.forgotten)), BLOCK),
        mended=decoded(rules.chain(rules.verify_block), BLOCK),
        events=[(0, 2), (0, 3), (1, 2), (1, 3)],
        right="1/10 1/10 1/40 1/40",
        faulty="11/120 13/120 13/600 17/600",
        model=BLOCK,
    ),
    Fault(
        "block-rule-first-rejected",
        "ours",
        "the block ends at the first coin that fails, though a longer prefix may still be accepted",
        mistaken=decoded(rules.chain(mistakes.block(mistakes.leading, mistakes.as_it_is)), FIRST_REJECTED),
        mended=decoded(rules.chain(rules.verify_block), FIRST_REJECTED),
        events=PAIRS,
        right="4/9 2/9 2/9 1/9",
        faulty="2/3 1/3 0 0",
        model=FIRST_REJECTED,
    ),
    Fault(
        "draws-re-read-after-a-discard",
        "ours",
        "a position drafted again reads the old draw of that position, though the draft has seen what it gave",
        mistaken=mistakes.redrafted(LEANS_TO_A_REPEATED_DISCARD, mistakes.by_position),
        mended=mistakes.redrafted(LEANS_TO_A_REPEATED_DISCARD, mistakes.by_attempt),
        events=[*product(THREE, TWO)],
        right="1/6 1/6 1/6 1/6 1/6 1/6",
        faulty="1/9 2/9 2/9 1/9 1/6 1/6",
        twice=frozenset({("draft", 1)}),
        model=LEANS_TO_A_REPEATED_DISCARD,
    ),
]
