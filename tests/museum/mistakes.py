"""The mistakes of `tests.museum.programs`, made on the tape: a builder takes the piece that is mistaken, or mended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from sympy import QQ

from reference import pointwise, rules
from reference.models import Law, Model, Tokens
from reference.numbers import rationals as n
from reference.one_token import residual_law, residual_mass
from reference.rules import ENDED, Rows, State, Step, Verifier
from reference.tape import Tape

Program = Callable[[Tape], Hashable]
Choose = Callable[[Law, Law, int, Tape], int]


def one_token(choose: Choose, p: Law, q: Law, proposal: Law | None = None) -> Program:
    """A draft from the proposal, which is q where nothing is wrong, and the token that a rule chooses."""
    return lambda tape: choose(p, q, tape.categorical(proposal or q), tape)


def decoded(step: Step, model: Model, tokens: int = 2) -> Program:
    """The first tokens of a block of up to two drafts, and plain decoding where it is shorter."""

    def run(tape: Tape) -> Tokens:
        state = State((), 2)
        while state.left != ENDED:
            state = step(model, state, tape)
        text = state.tokens
        while len(text) < tokens:
            text += (tape.categorical(model.target(text)),)
        return text[:tokens]

    return run


def in_turn(choose: Choose) -> Step:
    """Blocks of drafts that one rule judges in turn."""
    return rules.chain(rules.until_another(choose))


def one_hot(coin: Callable[[Tape], Any], residual: Hashable = None) -> Choose:
    """`rules.one_hot` with a coin from elsewhere, and a name for the cell of its residual draw."""

    def choose(p: Law, q: Law, x: int, tape: Tape) -> int:
        return x if coin(tape) < p[x] else tape.categorical(rules.without(p, x), residual)

    return choose


def the_coin(tape: Tape) -> Any:
    """The same coin whenever it is asked for."""
    return tape.coin("coin")


def constant_zero(tape: Tape) -> Any:
    """A uniform that was never drawn."""
    return QQ(0)


def one_hot_soft_residual(p: Law, q: Law, x: int, tape: Tape) -> int:
    """Accepted as if q were one-hot, replaced as if it were not."""
    return x if tape.coin() < p[x] else tape.categorical(residual_law(p, q, residual_mass(p, q)))


def races(noise_of_residual: Hashable) -> Choose:
    """The token rule with an exponential race for its residual draw."""

    def choose(p: Law, q: Law, x: int, tape: Tape) -> int:
        if tape.coin() < pointwise.acceptance(n, p[x], q[x]):
            return x
        return tape.race(residual_law(p, q, residual_mass(p, q)), noise_of_residual)

    return choose


def drafting_by_race(choose: Choose, p: Law, q: Law) -> Program:
    """`one_token` where the draft wins a race."""
    return lambda tape: choose(p, q, tape.race(q, "noise"), tape)


def batch(p: Law, q_rows: Rows, judging: Callable[[Rows], Rows]) -> Program:
    """The first request's token, of a batch whose rows of q are drafted from and then judged as `judging` orders them."""

    def run(tape: Tape) -> int:
        drafts = [tape.categorical(q) for q in q_rows]
        emitted = [rules.token_rule(p, q, x, tape) for q, x in zip(judging(q_rows), drafts, strict=True)]
        return emitted[0]

    return run


def swapped(q_rows: Rows) -> Rows:
    """The rows in another order than their requests."""
    return q_rows[::-1]


def tree(p: Law, children: Sequence[int], after_rejection: Callable[[Law, int], Law]) -> Program:
    """Children in turn, each accepted with its share of what is left of the target."""

    def run(tape: Tape) -> int:
        rest = p
        for x in children:
            if tape.coin() < rest[x]:
                return x
            rest = after_rejection(rest, x)
        return tape.categorical(rest)

    return run


def siblings(p: Law, q: Law, judging: Callable[[Law, Law], Law]) -> Program:
    """Two siblings drawn without replacement, each judged by judging(q, the law that it was drawn from)."""

    def run(tape: Tape) -> int:
        rest, drawn_from = p, q
        for _ in range(2):
            x = tape.categorical(drawn_from)
            judge = judging(q, drawn_from)
            if tape.coin() < pointwise.acceptance(n, rest[x], judge[x]):
                return x
            rest = residual_law(rest, judge, residual_mass(rest, judge))
            drawn_from = rules.ruled_out(drawn_from, x)
        return tape.categorical(rest)

    return run


def shifted_by_one(p_rows: Rows, q_rows: Rows, drafts: Sequence[int], tape: Tape) -> list[int]:
    """The token rule in turn, from the second draft on."""
    verify = rules.until_another(rules.token_rule)
    return [drafts[0], *verify(p_rows[1:], q_rows[1:], drafts[1:], tape)]


def without_bonus(p_rows: Rows, q_rows: Rows, drafts: Sequence[int], tape: Tape) -> list[int]:
    """The token rule in turn, its bonus thrown away."""
    return rules.until_another(rules.token_rule)(p_rows, q_rows, drafts, tape)[: len(drafts)]


def leading(below: Sequence[bool]) -> int:
    """How many are true before the first that is not."""
    return [*below, False].index(False)


def largest(below: Sequence[bool]) -> int:
    """The last position, counted from 1, that is true; 0 if none is."""
    return max((i for i, kept in enumerate(below, 1) if kept), default=0)


def block(tau: Callable[[Sequence[bool]], int], weight: Callable[[Any], Any]) -> Verifier:
    """Block verification (spec 4): tau of u_i < h_i, then a draw from (weight(rho_tau) p_tau - q_tau)+."""

    def ahead(scale: Any, p: Law, q: Law) -> Law:
        return [max(scale * p_y - q_y, QQ(0)) for p_y, q_y in zip(p, q, strict=True)]

    def verify(p_rows: Rows, q_rows: Rows, drafts: Sequence[int], tape: Tape) -> list[int]:
        K, rho = len(drafts), [QQ(1)]
        for p, q, x in zip(p_rows, q_rows, drafts, strict=False):
            rho.append(min(QQ(1), rho[-1] * p[x] / q[x]))
        S = [sum(ahead(rho[i], p_rows[i], q_rows[i])) for i in range(K)]
        h = [S[i] / (S[i] + 1 - rho[i]) if S[i] else QQ(0) for i in range(1, K)] + [rho[K]]
        kept = tau([tape.coin() < h_i for h_i in h])
        last = p_rows[K] if kept == K else ahead(weight(rho[kept]), p_rows[kept], q_rows[kept])
        return [*drafts[:kept], tape.categorical(last)]

    return verify


def as_it_is(rho: Any) -> Any:
    """The running product."""
    return rho


def forgotten(rho: Any) -> Any:
    """What the token rule would have there."""
    return QQ(1)


def in_cells(cell: Callable[[int], Hashable], p: Law) -> Program:
    """Two draws of one law, at two positions."""
    return lambda tape: tuple(tape.categorical(p, cell(position)) for position in range(2))


def integer(rounded: Callable[[Any], int]) -> Program:
    """An integer from -1 to 1: a uniform number on [-1, 2), rounded."""
    return lambda tape: rounded(3 * tape.coin() - 1)


def truncated(x: Any) -> int:
    """Towards 0."""
    if x <= -1:
        return -1
    return 0 if x < 1 else 1


def floored(x: Any) -> int:
    """Downwards."""
    if x < 0:
        return -1
    return 0 if x < 1 else 1


def penalised(accepted: Tokens, counted: Callable[[Tokens], Tokens]) -> Program:
    """The token after a step, of equal logits, each lowered by ln 2 for every time that its token is counted."""

    def run(tape: Tape) -> int:
        counts = Counter(counted(accepted))
        return tape.categorical([QQ(1, 2 ** counts[token]) for token in range(2)])

    return run


def certain(token: int, size: int) -> Law:
    """The one-hot on a token."""
    return [QQ(int(token == y)) for y in range(size)]


A, EOS, B = range(3)


def text_with_eos(ended: Callable[[Tokens], Tokens]) -> Program:
    """What is shown of a block whose drafts A, EOS and B are all certain, as the bonus A is."""
    rows = [certain(x, 3) for x in (A, EOS, B, A)]
    verify = rules.until_another(rules.token_rule)
    return lambda tape: ended(tuple(verify(rows, rows[:3], (A, EOS, B), tape)))


def up_to_eos(tokens: Tokens) -> Tokens:
    """Nothing after EOS."""
    return tokens[: tokens.index(EOS) + 1]


def parity_after(drafts: Tokens, rejected: Callable[[int, int], int]) -> Program:
    """The token after a block, of a target that repeats the parity of all it has read; rejected(before, after) is its state."""

    def run(tape: Tape) -> int:
        state = 0
        for x in drafts:
            before, state = state, state ^ x
            y = rules.token_rule(certain(before, 2), certain(x, 2), x, tape)
            if y != x:
                state = rejected(before, state) ^ y
                break
        return tape.categorical(certain(state, 2))

    return run


def redrafted(model: Model, cell: Callable[[int, int], Hashable]) -> Program:
    """Two tokens in blocks of drafts up to the second; cell(position, attempt) names the cell of a draft."""

    def run(tape: Tape) -> Tokens:
        tokens: Tokens = ()
        discarded: Tokens = ()
        attempt = 0
        while (start := len(tokens)) < 2:
            q_rows, text = [], tokens
            for position in range(start, 2):
                q_rows.append(model.draft(text, discarded))
                text += (tape.categorical(q_rows[-1], cell(position, attempt)),)
            p_rows = [model.target(text[:end]) for end in range(start, 3)]
            emitted = rules.until_another(rules.token_rule)(p_rows, q_rows, text[start:], tape)
            tokens, discarded, attempt = (*tokens, *emitted), text[start + len(emitted) - 1 :], attempt + 1
        return tokens[:2]

    return run


def by_position(position: int, attempt: int) -> Hashable:
    """A name that a second attempt finds used."""
    return "draft", position


def by_attempt(position: int, attempt: int) -> Hashable:
    """A name of one draw."""
    return "draft", position, attempt
