"""Verification rules as programs on the tape, each written out (spec 4).

A rule judges a block: up to K drafts, and one token more. It is a step of a walk, step(model, state, tape) -> state: rules
of a chain draw all drafts and verify them in one step, with verify(p_rows, q_rows, drafts, tape) -> tokens; trees and
multi-drafts go down one level a step. What each claims, and whether it is so on a model, is in `reference.claims`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import lcm, prod
from typing import Any, NamedTuple

from flint import arb, ctx
from sympy import QQ

from reference import pointwise
from reference.filters import rank
from reference.models import Law, Model, Tokens
from reference.numbers import Undecided
from reference.numbers import rationals as n
from reference.one_token import check_token, residual_law, residual_mass
from reference.tape import Tape

Rows = Sequence[Law]
Verifier = Callable[[Rows, Rows, Sequence[int], Tape], list[int]]
"""(K + 1 target rows, K draft rows, K drafts, tape) -> the tokens emitted: the accepted drafts and one more."""

Remaining = Callable[[Law, int], Law | None]
"""(a sibling's law, the sibling drawn) -> the next sibling's law, None where there is none."""

ENDED = -1
LARGEST_POWER, MOST_BITS = 4096, 1 << 14
"""How typical thresholds are decided: by exact powers up to the one, by balls of at most the other precision beyond."""
EPSILON, DELTA = QQ(3, 10), QQ(9, 100)
"""Thresholds of typical acceptance (arXiv 2401.10774, section 2.3.1)."""


class State(NamedTuple):
    """Where a block stands: the tokens so far, the drafts it may still accept (ENDED when it is over), and what it did."""

    tokens: Tokens
    left: int
    accepted: int = 0
    discarded: Tokens = ()


Step = Callable[[Model, State, Tape], State]


def token_rule(p: Law, q: Law, x: int, tape: Tape) -> int:
    """The draft x with probability min(1, p/q), else a draw from the residual, which never gives x (arXiv 2211.17192, 2.3)."""
    if pointwise.accepts(n, tape.coin(), pointwise.acceptance(n, p[x], q[x])):
        return x
    return tape.categorical(residual_law(p, q, residual_mass(p, q)))


def without(p: Law, x: int) -> Law:
    """p zeroed at x, as weights."""
    return [n.zero if y == x else p_y for y, p_y in enumerate(p)]


def ruled_out(p: Law, x: int) -> Law:
    """The law of the other tokens once x, of probability below 1, is ruled out."""
    return [n.zero if y == x else pointwise.remaining(n, p_y, p[x]) for y, p_y in enumerate(p)]


def until_another(choose: Callable[[Law, Law, int, Tape], int]) -> Verifier:
    """Drafts in turn: choose(p, q, draft, tape) is emitted, and the block ends where it is not the draft."""

    def verify(p_rows: Rows, q_rows: Rows, drafts: Sequence[int], tape: Tape) -> list[int]:
        emitted: list[int] = []
        for p, q, x in zip(p_rows, q_rows, drafts, strict=False):  # the last target row is the bonus token's
            emitted.append(choose(p, q, x, tape))
            if emitted[-1] != x:
                return emitted
        return [*emitted, tape.categorical(p_rows[-1])]

    return verify


def match(p: Law, q: Law, x: int, tape: Tape) -> int:
    """The target's own draw, whatever the draft."""
    return tape.categorical(p)


def one_hot(p: Law, q: Law, x: int, tape: Tape) -> int:
    """The draft with probability p(x), else a draw from p without it: the token rule for q = one-hot on x."""
    return x if tape.coin() < p[x] else tape.categorical(without(p, x))


def argmax(p: Law) -> int:
    """The lowest id among the maxima (spec 2.1)."""
    return p.index(max(p))


def verify_greedy(p_rows: Rows, q_rows: Rows, drafts: Sequence[int], tape: Tape) -> list[int]:
    """The target's argmaxes, up to and with the first that is not the draft; the tape is not read."""
    best = [argmax(p) for p in p_rows]
    tau = next((i for i, x in enumerate(drafts) if x != best[i]), len(drafts))
    return best[: tau + 1]


def verify_typical(p_rows: Rows, q_rows: Rows, drafts: Sequence[int], tape: Tape) -> list[int]:
    """Typical acceptance (Medusa, arXiv 2401.10774): no draft after the first that is not kept, then a draw from p."""
    tau = next((i for i, x in enumerate(drafts) if not typically_kept(p_rows[i], x)), len(drafts))
    return [*drafts[:tau], tape.categorical(p_rows[tau])]


def typically_kept(p: Law, x: int, epsilon: Any = EPSILON, delta: Any = DELTA) -> bool:
    """p(x) > min(epsilon, delta exp(-H)) with H the entropy of p, exactly.

    exp(-H) is the product of p_y^p_y: with N the common denominator of p, both sides to the power N are rational. Where N is
    beyond LARGEST_POWER, balls of rising precision decide; `Undecided` if they do not, which only a tie can bring about.
    """
    if p[x] > epsilon or not p[x]:
        return bool(p[x])
    N = lcm(*(int(p_y.denominator) for p_y in p))
    if N <= LARGEST_POWER:
        return bool((p[x] / delta) ** N > prod((p_y ** int(N * p_y) for p_y in p if p_y), start=QQ(1)))
    bits = 128
    while bits <= MOST_BITS:
        with ctx.workprec(bits):
            ahead = arb(p[x] / delta).log() - sum((arb(p_y) * arb(p_y).log() for p_y in p if p_y), arb(0))
            if ahead > 0 or ahead < 0:
                return bool(ahead > 0)
        bits *= 2
    raise Undecided(f"token {x} is within 2^-{MOST_BITS // 2} of its typical threshold; allowed: laws of smaller denominators")


def verify_block(p_rows: Rows, q_rows: Rows, drafts: Sequence[int], tape: Tape) -> list[int]:
    """Block verification (Sun et al., arXiv 2403.10444; spec 4): the longest prefix whose own coin falls below h_i."""
    K = len(drafts)
    rho = [n.one]
    for p, q, x in zip(p_rows, q_rows, drafts, strict=False):
        rho.append(pointwise.running_ratio(n, rho[-1], p[x], q[x]))
    weighted = [[rho_i * p_y for p_y in p] for rho_i, p in zip(rho, p_rows, strict=True)]

    def threshold(i: int) -> Any:
        return rho[K] if i == K else pointwise.block_threshold(n, residual_mass(weighted[i], q_rows[i]), rho[i])

    tau = next((i for i in range(K, 0, -1) if tape.coin() < threshold(i)), 0)
    if tau == K:
        return [*drafts, tape.categorical(p_rows[K])]
    residual = [pointwise.positive_part(n, w_y - q_y) for w_y, q_y in zip(weighted[tau], q_rows[tau], strict=True)]
    return [*drafts[:tau], tape.categorical(residual)]


def chain(verify: Verifier) -> Step:
    """A rule that draws all drafts of a block, each given the ones before, then verifies them.

    ValueError if verify does not return 1 to K + 1 tokens of the vocabulary.
    """

    def step(model: Model, state: State, tape: Tape) -> State:
        start, prefix = len(state.tokens), state.tokens
        q_rows = []
        for _ in range(state.left):
            q_rows.append(model.draft(prefix, state.discarded))
            prefix += (tape.categorical(q_rows[-1]),)
        p_rows = [model.target(prefix[:end]) for end in range(start, len(prefix) + 1)]
        drafts = prefix[start:]
        found: Any = verify(p_rows, q_rows, drafts, tape)
        if not isinstance(found, Sequence) or not 0 < len(found) <= len(p_rows):
            raise ValueError(f"verify returned {found!r}; allowed: 1 to {len(p_rows)} tokens")
        emitted = tuple(check_token(token, model.size, "verify returned a token") for token in found)
        accepted = len(emitted) - 1
        return State(state.tokens + emitted, ENDED, accepted, drafts[accepted:])

    return step


def one_at_a_time(model: Model, state: State, tape: Tape) -> State:
    """One draft a position, judged by the token rule, and on to the next whatever was emitted: no bonus but the last token."""
    p = model.target(state.tokens)
    if not state.left:
        return ending(state, tape.categorical(p), ())
    q = model.draft(state.tokens, state.discarded)
    x = tape.categorical(q)
    y = token_rule(p, q, x, tape)
    return State((*state.tokens, y), state.left - 1, state.accepted + (y == x), () if y == x else (x,))


def accepting(state: State, token: int, discarded: Tokens) -> State:
    """One level down: a draft is emitted and the block goes on."""
    return State((*state.tokens, token), state.left - 1, state.accepted + 1, discarded)


def ending(state: State, token: int, discarded: Tokens) -> State:
    """The block's last token."""
    return State((*state.tokens, token), ENDED, state.accepted, discarded)


def tree(width: int) -> Step:
    """Fixed children in turn: each accepted with its share of the target, which is zeroed there and renormalised if not."""

    def step(model: Model, state: State, tape: Tape) -> State:
        p = model.target(state.tokens)
        tried = children(model.draft(state.tokens, state.discarded), width) if state.left else ()
        for i, x in enumerate(tried):
            if tape.coin() < p[x]:
                return accepting(state, x, tried[:i])
            p = ruled_out(p, x)
        return ending(state, tape.categorical(p), tried)

    return step


def children(q: Law, width: int) -> Tokens:
    """The tokens that a deterministic tree tries: the draft's likeliest, in rank order."""
    return tuple(rank(q)[:width])


def multi_draft(remaining: Remaining, width: int) -> Step:
    """Siblings in turn, each drawn from its own q and judged by the token rule against what the target has become.

    After a rejection the target becomes the residual, and the next sibling's law is remaining(q, x); None ends the level
    (SpecInfer, arXiv 2305.09781; recursive rejection sampling, arXiv 2402.14160).
    """

    def step(model: Model, state: State, tape: Tape) -> State:
        p = model.target(state.tokens)
        q = model.draft(state.tokens, state.discarded) if state.left else None
        rejected: Tokens = ()
        while q and len(rejected) < width:
            x = tape.categorical(q)
            if pointwise.accepts(n, tape.coin(), pointwise.acceptance(n, p[x], q[x])):
                return accepting(state, x, rejected)
            rejected += (x,)
            p, q = residual_law(p, q, residual_mass(p, q)), remaining(q, x)
        return ending(state, tape.categorical(p), rejected)

    return step


def with_replacement(q: Law, x: int) -> Law:
    """Siblings of one law."""
    return q


def without_replacement(q: Law, x: int) -> Law | None:
    """Siblings that differ: q zeroed at those drawn, renormalised; None when none is left."""
    return ruled_out(q, x) if q[x] < 1 else None


def greedy_law(p: Law) -> Law:
    """What a row promises at temperature 0: the one-hot on its argmax."""
    return [QQ(int(x == argmax(p))) for x in range(len(p))]
