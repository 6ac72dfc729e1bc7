"""200 vectors that tie the definitions of proofs/coq/ to `reference/`: both compute them, Coq by `vm_compute`.

The theorems are about Coq's definitions, which transcribe the reference. Here the reference runs on random rows with zeros,
ties and one-hots, and each answer becomes an `Example` that Coq has to reach by computing. The law of a block is compared by
what it makes one expect of `weight`, a function of the tokens emitted and of those discarded that tells all of them apart.
`python -m proofs.vectors` prints the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, product
from random import Random
from typing import Any

from sympy import QQ

from reference import dyadic, pointwise, rules
from reference.filters import kept_by_top_k, nucleus_size, rank
from reference.models import Law, Model, Tokens, random_model
from reference.numbers import rationals as n
from reference.one_token import acceptance_probability, residual_distribution, speculative_output_marginal
from reference.rules import ENDED, State, Step
from reference.tape import law_of_walk

SEED = 20261204
D = 8
"""The denominator of dyadic laws here."""
HEAD = """From Coq Require Import QArith List Bool.
Require Laws TokenRule Chain MultiDraft BlockRule Block Counting OneDraw OneDrawChain Ranks Nucleus.
Import ListNotations.
Open Scope Q_scope.

Fixpoint same (xs ys : list Q) : bool :=
  match xs, ys with [], [] => true | x :: xs, y :: ys => Qeq_bool x y && same xs ys | _, _ => false end.
Definition row (ws : list Q) (x : nat) : Q := nth x ws 0.
Definition at_prefix {A} (none : A) (rows : list (list nat * A)) (prefix : list nat) : A :=
  match find (fun r => if list_eq_dec Nat.eq_dec (fst r) prefix then true else false) rows with
  | Some r => snd r
  | None => none
  end.
Definition after rows prefix : nat -> Q := row (at_prefix [] rows prefix).
Definition dyadic tokens counts : OneDraw.dyadic nat := OneDraw.Dyadic tokens (fun x => nth x counts 0%nat).
Definition dyadic_after := at_prefix (dyadic [] []).
Definition is (y x : nat) : Q := if Nat.eqb x y then 1 else 0.
Fixpoint code (xs : list nat) : Q := match xs with [] => 1 | x :: xs => inject_Z (Z.of_nat (x + 2)) * code xs + 1 end.
Definition weight (emitted discarded : list nat) : Q := code emitted * (code emitted + code discarded).
"""

Vector = tuple[str, str]
"""A term of Coq, and what it must compute to."""


def rational(value: Any) -> str:
    """A rational in Coq's words."""
    value = QQ(value)
    return f"({int(value.numerator)} # {int(value.denominator)})"


def listed(items: Iterable[str], scope: str = "") -> str:
    """A list in Coq's words."""
    return f"[{'; '.join(items)}]{scope}"


def numbers(values: Iterable[Any]) -> str:
    """A list of rationals."""
    return listed(rational(value) for value in values)


def ids(tokens: Iterable[int]) -> str:
    """A list of natural numbers: token ids, counts."""
    return listed((str(token) for token in tokens), "%nat")


def equal(term: str, value: Any) -> Vector:
    """A term that is a rational."""
    return f"Qeq_bool ({term}) {rational(value)}", "true"


def all_equal(term: str, values: Iterable[Any]) -> Vector:
    """A term that is a list of rationals."""
    return f"same ({term}) {numbers(values)}", "true"


def law(random: Random, size: int) -> Law:
    """A row of small weights over their sum: zeros, ties and one-hots are common."""
    weights = [random.choice((0, 0, 1, 1, 2, 3, 5)) for _ in range(size)]
    weights[random.randrange(size)] += not any(weights)
    return [QQ(weight, sum(weights)) for weight in weights]


def code(tokens: Tokens) -> int:
    """A number that no other tokens have."""
    return (tokens[0] + 2) * code(tokens[1:]) + 1 if tokens else 1


def weight(emitted: Tokens, discarded: Tokens) -> int:
    """What laws are compared by."""
    return code(emitted) * (code(emitted) + code(discarded))


def expected(step: Step, model: Model, start: State, of: Callable[[State], int]) -> Any:
    """What a function of the state in which a block ends is expected to be."""
    found = law_of_walk(start, lambda state, tape: step(model, state, tape), lambda state: state.left == ENDED)
    return sum((share * of(state) for state, share in found.items()), QQ(0))


def tables(model: Model, prefix: Tokens, K: int, discarded: Tokens) -> tuple[str, str]:
    """Target and draft rows after every prefix that K drafts and a bonus reach; the draft's under what it remembers."""
    prefixes = [prefix + tokens for k in range(K + 1) for tokens in product(range(model.size), repeat=k)]
    target = listed(f"({ids(tokens)}, {numbers(model.target(tokens))})" for tokens in prefixes)
    draft = listed(f"({ids(discarded + tokens)}, {numbers(model.draft(tokens, discarded))})" for tokens in prefixes)
    return f"(after {target})", f"(fun memory prefix => after {draft} (memory ++ prefix))"


def acceptance(random: Random) -> Vector:
    """min(1, p/q) and its values at q = 0."""
    p, q = law(random, 3), law(random, 3)
    x = random.randrange(3)
    return equal(f"Laws.acceptance {rational(p[x])} {rational(q[x])}", acceptance_probability(p, q, x))


def residual(random: Random) -> Vector:
    """The residual at every token."""
    size = random.choice((2, 3, 4))
    p = law(random, size)
    q = p if random.random() < 0.1 else law(random, size)
    V = ids(range(size))
    return all_equal(f"map (TokenRule.residual_row {V} (row {numbers(p)}) (row {numbers(q)})) {V}", residual_distribution(p, q))


def emitted(random: Random) -> Vector:
    """The law of the emitted token."""
    size = random.choice((2, 3, 4))
    p, q = law(random, size), law(random, size)
    V = ids(range(size))
    term = f"map (fun y => TokenRule.emitted {V} (row {numbers(p)}) (row {numbers(q)}) (is y)) {V}"
    return all_equal(term, speculative_output_marginal(p, q))


def a_block(random: Random, largest: int) -> tuple[Model, Tokens, int, Tokens]:
    """A model, a prefix, how many drafts, and what the draft remembers."""
    model = random_model(random.randrange(10**6), random.choice((2, 3)), remembers=True)
    K = random.randint(1, largest if model.size == 2 else min(2, largest))
    return model, (random.randrange(model.size),), K, (random.randrange(model.size),)


def chain(random: Random) -> Vector:
    """The joint law of a block, with what it discards."""
    model, prefix, K, memory = a_block(random, 3)
    target, draft = tables(model, prefix, K, memory)
    step = rules.chain(rules.until_another(rules.token_rule))
    value = expected(step, model, State(prefix, K, 0, memory), lambda end: weight(end.tokens, end.discarded))
    onward = "(fun discarded _ tokens => weight tokens discarded)"
    return equal(
        f"Chain.block {ids(range(model.size))} {target} {draft} {ids(memory)} {K} {onward} {K + 1} {ids(prefix)}", value
    )


def block(random: Random) -> Vector:
    """The joint law of a block under block verification."""
    model, prefix, K, memory = a_block(random, 2)
    target, draft = tables(model, prefix, K, memory)
    value = expected(
        rules.chain(rules.verify_block),
        model,
        State(prefix, K, 0, memory),
        lambda end: weight(end.tokens, (len(end.discarded),)),
    )
    of = "(fun missing tokens => weight tokens [missing])"
    return equal(f"Block.emitted {ids(range(model.size))} {target} ({draft} {ids(memory)}) {K} {ids(prefix)} {of}", value)


def running(random: Random) -> Vector:
    """The running ratio, and the threshold that it gives with some mass."""
    rho, p, q = (QQ(random.choice((1, 2, 4, 4)), 4), QQ(random.randint(0, 4), 4), QQ(random.randint(0, 4), 4))
    mass = QQ(random.choice((0, 0, 1, 2, 3)), 4)
    ratio = pointwise.running_ratio(n, rho, p, q)
    values = [ratio, pointwise.block_threshold(n, mass, ratio)]
    term = f"BlockRule.running_ratio {rational(rho)} {rational(p)} {rational(q)}"
    return all_equal(f"[{term}; BlockRule.block_threshold {rational(mass)} ({term})]", values)


def siblings(random: Random) -> Vector:
    """A level of siblings, whose laws depend on the last one rejected; some have no next."""
    size, width = random.choice((2, 3)), random.choice((1, 2, 3))
    p, q = law(random, size), law(random, size)
    others = [law(random, size) if random.random() < 0.8 else None for _ in range(size)]
    first, *others_named = ("None" if other is None else f"Some (row {numbers(other)})" for other in (q, *others))
    named = listed(others_named)
    draft = f"(fun rejected => match rejected with [] => {first} | _ => nth (last rejected 0%nat) {named} None end)"
    step = rules.multi_draft(lambda _, x: others[x], width)
    return equal(
        f"MultiDraft.level {ids(range(size))} {draft} {DOWN} {LAST} {width} [] (row {numbers(p)})", one_level(step, p, q)
    )


def without_replacement(random: Random) -> Vector:
    """A level of siblings that differ."""
    size, width = random.choice((2, 3)), random.choice((2, 3))
    p, q = law(random, size), law(random, size)
    draft = f"(MultiDraft.without_replacement Nat.eqb (row {numbers(q)}))"
    value = one_level(rules.multi_draft(rules.without_replacement, width), p, q)
    return equal(f"MultiDraft.level {ids(range(size))} {draft} {DOWN} {LAST} {width} [] (row {numbers(p)})", value)


def tree(random: Random) -> Vector:
    """A level of fixed children."""
    size, width = random.choice((2, 3, 4)), random.choice((1, 2, 3))
    p, q = law(random, size), law(random, size)
    value = one_level(rules.tree(width), p, q, rejected=False)
    term = "MultiDraft.tried {} Nat.eqb (fun x => weight [x] [1%nat]) (fun x => weight [x] [0%nat])"
    return equal(f"{term.format(ids(range(size)))} {ids(rules.children(q, width))} (row {numbers(p)})", value)


DOWN, LAST = "(fun rejected x => weight [x] (1%nat :: rejected))", "(fun x => weight [x] [0%nat])"
"""What is expected at an accepted sibling, and at the draw that ends a level."""


def one_level(step: Step, p: Law, q: Law, rejected: bool = True) -> Any:
    """What one step of a rule that goes down a level at a time makes one expect of DOWN and LAST."""
    model = Model(len(p), lambda _: p, lambda _, __: q)
    found = law_of_walk(State((), 1), lambda state, tape: step(model, state, tape), lambda state: bool(state.tokens))

    def of(state: State) -> int:
        return weight(state.tokens, (1, *(state.discarded if rejected else ())) if state.accepted else (0,))

    return sum((share * of(state) for state, share in found.items()), QQ(0))


def counts(random: Random, size: int) -> dyadic.DyadicLaw:
    """A dyadic law over D, its intervals in any order, some of them empty."""
    cuts = sorted(random.randint(0, D) for _ in range(size - 1))
    order = random.sample(range(size), size)
    return dyadic.DyadicLaw(order, [end - start for start, end in zip([0, *cuts], [*cuts, D], strict=True)], size)


def written(law: dyadic.DyadicLaw) -> str:
    """A dyadic law in Coq's words."""
    return f"(dyadic {ids(law.token_ids)} {ids(law.to_dense())})"


def one_draw(random: Random) -> Vector:
    """What each of the D draws emits, and whether it is the draft."""
    size = random.choice((2, 3, 4))
    p, q = counts(random, size), counts(random, size)
    found = (dyadic.verify(p, q, r) for r in range(D))
    pairs = listed(f"Some ({token}%nat, {str(accepted).lower()})" for token, accepted in found)
    return f"map (OneDraw.verify {written(p)} {written(q)}) (seq 0 {D})", pairs


def one_draw_chain(random: Random) -> Vector:
    """What a block emits for some vectors of draws."""
    size, K = random.choice((2, 3)), random.choice((1, 2))
    prefixes = [(1, *tokens) for k in range(K + 1) for tokens in product(range(size), repeat=k)]
    targets, drafts = ({prefix: counts(random, size) for prefix in prefixes} for _ in range(2))

    def emitted(draws: Sequence[int]) -> list[int]:
        prefix: Tokens = (1,)
        for r in draws[:-1]:
            prefix += (drafts[prefix].sample(r),)
        rows = [prefix[: k + 1] for k in range(K + 1)]
        return dyadic.verify_chain([targets[at] for at in rows], [drafts[at] for at in rows[:-1]], draws)[0]

    vectors = [[random.randrange(D) for _ in range(K + 1)] for _ in range(12)]
    target, draft = (
        f"(dyadic_after {listed(f'({ids(at)}, {written(law)})' for at, law in laws.items())})" for laws in (targets, drafts)
    )
    block = f"OneDrawChain.block {target} {draft} [1%nat]"
    return f"map ({block}) {listed(map(ids, vectors))}", listed(map(ids, map(emitted, vectors)))


def top(random: Random) -> Vector:
    """The ids that top-k keeps."""
    weights = [QQ(random.randint(0, 3)) for _ in range(random.randint(1, 8))]
    k = random.randint(1, 9)
    kept = sorted(rank(weights)[: kept_by_top_k(len(weights), k)])
    return f"Ranks.top (row {numbers(weights)}) {k} (seq 0 {len(weights)})", ids(kept)


def nucleus(random: Random) -> Vector:
    """How many ranks a nucleus keeps, often where the mass of some is top_p exactly; weights of 0 are behind."""
    weights = sorted((random.randint(1, 5) for _ in range(random.randint(1, 6))), reverse=True)
    through = [QQ(mass) for mass in accumulate(weights)]
    top_p = random.choice((random.choice(through) / through[-1], QQ(random.randint(1, 10), 10)))
    size = nucleus_size(through, top_p)
    return f"Nucleus.size {rational(top_p)} {numbers([*weights, *[0] * random.randint(0, 2)])}", f"{size}%nat"


FAMILIES: dict[Callable[[Random], Vector], int] = {
    **{acceptance: 20, residual: 20, emitted: 15, chain: 20, siblings: 20, without_replacement: 10, tree: 15},
    **{running: 15, block: 10, one_draw: 20, one_draw_chain: 10, top: 10, nucleus: 15},
}
"""How many vectors there are of each kind."""


def vectors() -> list[tuple[str, Vector]]:
    """All of them, by name; the same every time."""
    found = []
    for family, number in FAMILIES.items():
        random = Random(f"{SEED} {family.__name__}")
        found += [(f"{family.__name__}_{i}", family(random)) for i in range(1, number + 1)]
    return found


def text() -> str:
    """The file of Coq."""
    examples = (
        f"Example {name} : {term} = {value}.\nProof. vm_compute. reflexivity. Qed.\n" for name, (term, value) in vectors()
    )
    return HEAD + "\n" + "\n".join(examples)


if __name__ == "__main__":
    print(text())
