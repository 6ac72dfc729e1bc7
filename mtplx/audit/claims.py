"""The claims an engine is tried on, each with the questions that could refute it (spec 7).

A trial asks the engine one question and says what is right and what was found. Trials come smallest first, and the first that
fails is the witness. Bounds for engines that compute in floats are derived where they are used; u is the unit roundoff.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from typing import Any

from sympy import QQ

from mtplx.audit import inputs
from mtplx.audit.client import EngineError
from mtplx.audit.inputs import OFF, TARGETS, Block, Row, Settings
from mtplx.audit.lattice import LAST, SIZE
from mtplx.audit.measure import SMALLEST_NORMAL, all_equal
from mtplx.audit.subject import Law, Subject, mixture
from reference import filtered_target, softmax
from reference.claims import distance, extended, right_law
from reference.dialects import dialect_named
from reference.models import Model, same_rows
from reference.numbers import rational
from reference.one_token import acceptance_probability, residual_distribution
from reference.rules import greedy_law

UNIT = QQ(1, 2**24)
"""Unit roundoff of float32, the coarsest arithmetic that an engine is allowed without saying so."""
LOG_RATIO = 64 * UNIT
"""Relative error of a quotient of probabilities of at least 3 * 2^-15 taken through logarithms: each is below 11 in size and
errs by one ulp, 22u, their difference by 11u more, and exp by 2u besides: 57u; a division alone errs by u."""


@dataclass(frozen=True)
class Trial:
    """One question and its answer. `apart`: the distance of right and found; it refutes the claim where it exceeds `bound`.

    given: the input as JSON data. note: what is wrong in words, where a distance does not say it.
    """

    given: dict[str, Any]
    right: Any
    found: Any
    apart: Any
    bound: Any = 0
    note: str = ""

    @property
    def holds(self) -> bool:
        """The answer is right, within what rounding explains."""
        return not self.note and bool(self.apart <= self.bound)


Trials = Callable[[Subject], Iterator[Callable[[], Trial]]]


@dataclass(frozen=True)
class Claim:
    """Something an engine promises by offering these methods. section: see `Finding`."""

    id: str
    sentence: str
    methods: tuple[str, ...]
    trials: Trials
    section: str = "rule"
    either: tuple[str, ...] = ()

    def offered(self, subject: Subject) -> bool:
        """Whether the engine offers all that the claim is about, and one of `either`."""
        offers = set(subject.offers)
        return set(self.methods) <= offers and (not self.either or bool(offers & set(self.either)))


def texts(row: Sequence[Any]) -> list[str]:
    """Numbers in text."""
    return [str(x) for x in row]


def law_text(law: Law) -> dict[str, str]:
    """A law in text, by outcome."""
    return {" ".join(map(str, o)) if isinstance(o, tuple) else str(o): str(p) for o, p in sorted(law.items(), key=repr)}


def law_of(row: Sequence[Any]) -> Law:
    """A row as a law of tokens."""
    return {token: share for token, share in enumerate(row) if share}


def law_trial(given: dict[str, Any], right: Law, found: Law, bound: Any) -> Trial:
    """A law beside the right one; an outcome that cannot occur refutes whatever the bound."""
    impossible = [outcome for outcome in found if outcome not in right]
    note = f"{law_text({impossible[0]: 0}).popitem()[0]!r} has probability 0 and comes out" if impossible else ""
    return Trial(given, law_text(right), law_text(found), distance(found, right), bound, note)


# Targets


def target_bound(logits: Row, settings: Settings, law: Any) -> Any:
    """Total variation that arithmetic with unit roundoff u can make of a filtered target, and how far it can move a mass.

    With l/T and m/T rounded apart, by reciprocal and product, and their difference rounded, an exponent errs by at most
    4u (|l| + |m|)/T, and exp by (1.25 |x| + 2) u; weights off by e^(+-e_i) move the law by (1 + 2^-8) sum p_i e_i at most. A
    sum of n terms in any order, and the division, err by (n + 2) u. Engines that subtract the maximum first err by less.
    """
    top, T = max(logits), rational(settings.temperature)
    mean = QQ(0)
    for logit, p in zip(logits, law, strict=True):
        if p:
            x = (rational(top) - rational(logit)) / T
            size = (abs(rational(logit)) + abs(rational(top))) / T if top else x
            mean += p * min(4 * size + QQ(5, 4) * x + 2, 1 / UNIT)
    return (QQ(257, 256) * mean + len(logits) + 2) * UNIT


def target_trial(subject: Subject, logits: Row, settings: Settings) -> Trial:
    """The engine's filtered target beside the certified one."""
    given = {
        "logits": [x if abs(x) < float("inf") else str(x) for x in logits],
        "config": settings.data(),
        "dialect": subject.dialect,
    }
    right = filtered_target(logits, settings, subject.dialect)
    shown = [f"{float(p):.6g}" for p in right.midpoints]
    value = subject.value("target", logits=logits, config=settings.data())
    try:
        row = [rational(float(x) if x in ("nan", "inf", "-inf") else x) for x in value]
    except (TypeError, ValueError):
        return Trial(given, shown, value, QQ(1), note="the answer is no row of finite numbers")
    if len(row) != len(logits) or min(row) < 0 or not sum(row):
        return Trial(given, shown, value, QQ(1), note="the answer is no row of probabilities, one for each token")
    found = [f"{float(p):.6g}" for p in row]
    total = sum(row, QQ(0))
    greedy = settings.temperature == 0
    uncut = right.midpoints if greedy else softmax(logits, settings.temperature).midpoints
    slack = QQ(0) if greedy else target_bound(logits, settings, uncut)
    if abs(total - 1) > slack:
        return Trial(given, shown, found, abs(total - 1), slack, note=f"the probabilities sum to {float(total)!r}")
    kept, expected = {t for t, p in enumerate(row) if p}, set(right.support)
    lost = {t for t in expected - kept if right.midpoints[t] < SMALLEST_NORMAL}
    disputed = (kept ^ expected) - lost
    moved = QQ(0)
    if disputed:
        mass = softmax(logits, settings.temperature if not greedy and dialect_named(subject.dialect).tempered else 1).midpoints
        through = list(accumulate(mass[t] for t in right.ranked))
        low, high = sorted((len(kept), len(expected)))
        near = max((abs(through[r - 1] - rational(settings.top_p)) for r in range(low, high) if r), default=QQ(1))
        same_size = low == high
        if greedy or same_size or all_equal(logits) or near > 2 * slack or not 0 < settings.top_p < 1:
            words = f"keeps {sorted(kept)}, right: {sorted(expected)}"
            return Trial(given, shown, found, distance(law_of(row), law_of(right.midpoints)), QQ(0), words)
        moved = sum((max(row[t], right.midpoints[t]) for t in disputed), QQ(0))
    normal = [p / total for p in row]
    return Trial(given, shown, found, distance(law_of(normal), law_of(right.midpoints)), slack + moved + right.radius)


def target_claim(name: str, sentence: str) -> Claim:
    """A claim about filtered targets of the rows of that name."""

    def trials(subject: Subject) -> Iterator[Callable[[], Trial]]:
        for logits, settings in TARGETS[name]:
            yield lambda logits=logits, settings=settings: target_trial(subject, logits, settings)  # type: ignore[misc]

    return Claim(name, sentence, ("target",), trials)


# One token


def each_token(subject: Subject) -> Iterator[tuple[inputs.Pair, int]]:
    """Every pair, with every token."""
    for p, q in inputs.pairs(subject.floats):
        for token in range(len(p)):
            yield (p, q), token


def acceptance_trial(subject: Subject, p: Any, q: Any, token: int) -> Trial:
    """min(1, p/q) at a token."""
    right = acceptance_probability(p, q, token)
    given = {"p": texts(p), "q": texts(q), "token": token}
    value = subject.value("acceptance", p=p, q=q, token=token)
    try:
        found = rational(value)
    except ValueError:
        return Trial(given, str(right), value, QQ(1), note="the answer is no finite number")
    certain = right in (0, 1)
    return Trial(
        given, str(right), str(value), abs(found - right), QQ(0) if certain or not subject.floats else LOG_RATIO * right
    )


def acceptances(drafted: bool) -> Trials:
    """Tokens that the draft gives, or those it does not."""

    def trials(subject: Subject) -> Iterator[Callable[[], Trial]]:
        for (p, q), token in each_token(subject):
            if bool(q[token]) == drafted:
                yield lambda p=p, q=q, token=token: acceptance_trial(subject, p, q, token)  # type: ignore[misc]

    return trials


def residual_trial(subject: Subject, p: Any, q: Any) -> Trial:
    """norm((p - q)+), or p."""
    right = residual_distribution(p, q)
    given = {"p": texts(p), "q": texts(q)}
    value = subject.value("residual", p=p, q=q)
    try:
        row = [rational(x) for x in value]
    except (TypeError, ValueError):
        return Trial(given, texts(right), value, QQ(1), note="the answer is no row of finite numbers")
    if len(row) != len(p) or min(row) < 0:
        return Trial(given, texts(right), texts(value), QQ(1), note="the answer is no row of probabilities, one for each token")
    slack = (LOG_RATIO + len(p) * UNIT) if subject.floats else QQ(0)
    apart = max(distance(law_of(row), law_of(right)), abs(sum(row, QQ(0)) - 1))
    stray = [t for t, (x, r) in enumerate(zip(row, right, strict=True)) if bool(x) != bool(r)]
    note = f"token {stray[0]} should {'not ' if not right[stray[0]] else ''}have mass" if stray else ""
    return Trial(given, texts(right), texts(value), apart, slack, note)


def residuals(equal: bool) -> Trials:
    """Pairs of equal rows, or of rows that differ."""

    def trials(subject: Subject) -> Iterator[Callable[[], Trial]]:
        for p, q in inputs.pairs(subject.floats):
            if (p == q) == equal:
                yield lambda p=p, q=q: residual_trial(subject, p, q)  # type: ignore[misc]

    return trials


def lattice_bound(subject: Subject, coins: int, tokens: int) -> Any:
    """Total variation that coins on the lattice make: a threshold is met to 2^-24, and errs by LOG_RATIO and n sums."""
    return QQ(0) if subject.laws else coins * (tokens + 1) * (LOG_RATIO + (tokens + 1) * UNIT)


def thresholds(p: Any, q: Any) -> list[Any]:
    """Where the token rule changes its mind."""
    accept = [acceptance_probability(p, q, token) for token in range(len(p))]
    return sorted({*accept, *accumulate(residual_distribution(p, q)), *accumulate(p), *p})


def verified(subject: Subject, p: Any, q: Any, drafted: Any) -> Law:
    """The law of the token emitted for a draft from `drafted`, reported as q."""
    laws = [
        (share, subject.law("verify_token", thresholds(p, q), p=p, q=q, draft=x)) for x, share in enumerate(drafted) if share
    ]
    return mixture(laws)


def one_token(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Honest drafts."""
    for p, q in inputs.pairs(subject.floats):

        def trial(p: Any = p, q: Any = q) -> Trial:
            given = {"p": texts(p), "q": texts(q), "draft": "drawn from q"}
            return law_trial(given, law_of(p), verified(subject, p, q, q), lattice_bound(subject, 2, len(p)))

        yield trial


def certain_drafts(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Deterministic drafters that report their one-hot."""
    for size, parts in ((2, 2), (2, 4), (3, 2 if subject.floats else 4)):
        for p, hot in product(inputs.laws(size, parts), inputs.laws(size, 1)):

            def trial(p: Any = p, hot: Any = hot) -> Trial:
                given = {"p": texts(p), "q": texts(hot), "draft": hot.index(QQ(1))}
                return law_trial(given, law_of(p), verified(subject, p, hot, hot), lattice_bound(subject, 2, len(p)))

            yield trial


def extreme_coins(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Coins of 0 and of 1 - 2^-24: what is emitted must have p > 0."""
    ends = (QQ(0), QQ(LAST, SIZE))
    for p, q in inputs.pairs(True):
        if all(p):
            continue
        for x, coins in product(range(len(p)), product(ends, ends)):
            if not q[x]:
                continue

            def trial(p: Any = p, q: Any = q, x: int = x, coins: Any = coins) -> Trial:
                given = {"p": texts(p), "q": texts(q), "draft": x, "coins": [*texts(coins), "..."]}
                token = subject.value("verify_token", p=p, q=q, draft=x, coins=[*coins] * 16)
                return possible_trial(given, p, token)

            yield trial


def extreme_samples(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Coins of 0 and of 1 - 2^-24: what is drawn must have p > 0."""
    for p, u in product([*inputs.laws(2, 1), *inputs.laws(3, 2)], (QQ(0), QQ(LAST, SIZE))):
        if all(p):
            continue

        def trial(p: Any = p, u: Any = u) -> Trial:
            token = subject.value("sample", p=p, coins=[u] * 32)
            return possible_trial({"p": texts(p), "coins": [str(u), "..."]}, p, token)

        yield trial


def extreme_chains(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Coins of 0 and of 1 - 2^-24, blocks of one draft: every token that is emitted must have p > 0."""
    for p, q in product(inputs.laws(3, 2), inputs.laws(3, 2)):
        for x, u in product(range(3), (QQ(0), QQ(LAST, SIZE))):
            if not q[x] or all(p):
                continue

            def trial(p: Any = p, q: Any = q, x: int = x, u: Any = u) -> Trial:
                given = {"p": texts(p), "q": texts(q), "draft": x, "coins": [str(u), "..."]}
                found = subject.value("verify_chain", p_rows=[p, p], q_rows=[q], drafts=[x], coins=[u] * 32)
                tokens = found if isinstance(found, list) and found else [found]
                return next(
                    (bad for token in tokens if not (bad := possible_trial(given, p, token)).holds),
                    possible_trial(given, p, tokens[0]),
                )

            yield trial


def possible_trial(given: dict[str, Any], p: Any, token: Any) -> Trial:
    """A token beside those that can occur."""
    fair = isinstance(token, int) and 0 <= token < len(p) and p[token]
    note = "" if fair else f"token {token} is emitted, which has probability 0"
    return Trial(given, f"one of {[t for t, share in enumerate(p) if share]}", token, QQ(0 if fair else 1), QQ(0), note)


def samples(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Draws from rows."""
    for size, parts in ((2, 2), (2, 4), (3, 4)) if subject.floats else ((2, 2), (2, 4), (3, 4), (4, 4)):
        for p in inputs.laws(size, parts):

            def trial(p: Any = p) -> Trial:
                found = subject.law("sample", list(accumulate(p)), p=p)
                return law_trial({"p": texts(p)}, law_of(p), found, lattice_bound(subject, 1, len(p)))

            yield trial


# The engine's own drafts

PROPOSALS = [
    ([0.0, 0.0], OFF),
    ([1.0, 0.0], OFF),
    ([0.0, 0.0, 0.0], Settings(1.0, 1.0, 2)),
    ([0.0, 0.0, 0.0], Settings(1.0, 0.5, 0)),
    ([1.0, 0.0], Settings(0.5, 1.0, 0)),
    ([2.0, 1.0, 0.0], Settings(1.0, 1.0, 2)),
    ([2.0, 1.0, 0.0], Settings(0.0, 1.0, 0)),
]


def proposed(subject: Subject, logits: Row, settings: Settings) -> tuple[Law, list[Any]]:
    """The law of a proposed token, and the q that is reported with it; q must be the same for every token."""
    law = subject.law("propose", [QQ(k, 16) for k in range(16)], logits=logits, config=settings.data())
    for outcome in law:
        if not (isinstance(outcome, tuple) and len(outcome) == 2 and isinstance(outcome[1], tuple)):
            raise EngineError(f"propose answers {outcome!r}; allowed: a token and the law it was drawn from")
    try:
        reports = {tuple(map(rational, q)) for _, q in law}
    except ValueError as error:
        raise EngineError(f"propose reports no law: {error}") from None
    tokens: Law = {}
    for (token, _), share in law.items():
        tokens[token] = tokens.get(token, QQ(0)) + share
    if len(reports) > 1:
        raise EngineError(f"propose reports {len(reports)} laws for one row")
    return tokens, list(reports.pop())


def honest(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """The law of the drawn token against the q that is reported with it."""
    for logits, settings in PROPOSALS:

        def trial(logits: Row = logits, settings: Settings = settings) -> Trial:
            tokens, q = proposed(subject, logits, settings)
            total = sum(q, QQ(0))
            given = {"logits": logits, "config": settings.data(), "reported q": [f"{float(x):.6g}" for x in q]}
            bound = lattice_bound(subject, 1, len(q)) + (len(q) + 2) * UNIT
            if abs(total - 1) > bound:
                return Trial(given, "a law", texts(q), abs(total - 1), bound, "the reported q does not sum to 1")
            return law_trial(given, law_of([x / total for x in q]), tokens, bound)

        yield trial


def own_drafts(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Proposed and verified on one tape."""
    for logits, settings in PROPOSALS:
        for p in inputs.laws(len(logits), 4)[1 : 3 if subject.floats else 8]:

            def trial(logits: Row = logits, settings: Settings = settings, p: Any = p) -> Trial:
                found = subject.law(
                    "speculate", [*p, *(QQ(k, 8) for k in range(8))], logits=logits, config=settings.data(), p=p
                )
                given = {"p": texts(p), "draft logits": logits, "config": settings.data()}
                return law_trial(given, law_of(p), found, lattice_bound(subject, 3, len(p)) + (len(p) + 2) * UNIT)

            yield trial


# Chains


def chain_law(subject: Subject, block: Block) -> Law:
    """The law of k + 1 tokens: drafts from the model, verified by the engine, continued by plain decoding."""
    model, k = block.model, block.k
    emitted: list[tuple[Any, Law]] = []
    for drafts in product(range(model.size), repeat=k):
        q_rows = [model.draft(drafts[:i]) for i in range(k)]
        weight = QQ(1)
        for q, x in zip(q_rows, drafts, strict=True):
            weight *= q[x]
        if not weight:
            continue
        p_rows = [model.target(drafts[:i]) for i in range(k + 1)]
        near = [t for p, q in zip(p_rows, q_rows, strict=False) for t in thresholds(p, q)]
        near += list(accumulate(p_rows[k]))
        law = subject.law("verify_chain", near, k + 1, p_rows=p_rows, q_rows=q_rows, drafts=list(drafts))
        for tokens in law:
            if not isinstance(tokens, tuple) or not 0 < len(tokens) <= k + 1:
                raise EngineError(f"verify_chain answers {tokens!r} to {k} drafts; allowed: 1 to {k + 1} tokens")
            if not all(isinstance(t, int) and 0 <= t < model.size for t in tokens):
                raise EngineError(f"verify_chain answers {tokens!r}, which are no tokens")
        emitted.append((weight, law))
    return extended(mixture(emitted), model, k + 1)


def joint(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Blocks of one, two and three drafts."""
    for block in inputs.blocks(subject.floats):

        def trial(block: Block = block) -> Trial:
            given = {"k": block.k, "model": block.words, **inputs.rows_of(block)}
            bound = lattice_bound(subject, block.k + 1, block.model.size)
            return law_trial(given, right_law(block.model, block.k + 1), chain_law(subject, block), bound)

        yield trial


def greedy_chain(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Targets of temperature 0: the same at every position, then of the whole prefix."""
    words = "one-hot targets"
    blocks = [Block(same_rows(p, q), k, words) for k in (1, 2) for p in inputs.laws(2, 1) for q in inputs.laws(2, 2)]
    for seed in range(4):
        drawn = inputs.dyadic_model(seed, 2)
        greedy = Model(2, lambda prefix, m=drawn: greedy_law(m.target(prefix)), drawn.draft_row)  # type: ignore[misc]
        blocks.append(Block(greedy, 2, words))
    for block in blocks:

        def trial(block: Block = block) -> Trial:
            given = {"k": block.k, "model": block.words, **inputs.rows_of(block)}
            return law_trial(given, right_law(block.model, block.k + 1), chain_law(subject, block), QQ(0))

        yield trial


# Other questions between


def steady(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """A question, another, and the first again."""
    p, q, p2, q2 = ([QQ(weight, 4) for weight in row] for row in ((1, 2, 1), (2, 1, 1), (1, 1, 2), (1, 3, 0)))
    block, other = (Block(same_rows(*rows), 1, "") for rows in ((p, q), (p2, q2)))
    first, second = Settings(0.5, 0.75, 2).data(), Settings(2.0, 1.0, 0).data()
    questions: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "target": (
            lambda: subject.value("target", logits=[2.0, 1.0, 0.0], config=first),
            lambda: subject.value("target", logits=[0.0, 1.0, 2.0], config=second),
        ),
        "verify_token": (lambda: law_text(verified(subject, p, q, q)), lambda: law_text(verified(subject, p2, q2, q2))),
        "verify_chain": (lambda: law_text(chain_law(subject, block)), lambda: law_text(chain_law(subject, other))),
    }
    for method, (ask, ask_other) in questions.items():
        if method not in subject.offers:
            continue

        def trial(method: str = method, ask: Callable[[], Any] = ask, ask_other: Callable[[], Any] = ask_other) -> Trial:
            subject.client.close()  # a fresh process, so that what happens does not depend on other claims
            before, between = ask(), ask_other()
            after, between_again = ask(), ask_other()
            same = (before, between) == (after, between_again)
            note = "" if same else f"the answer of {method} changes after a question with other rows and settings"
            return Trial({"asked twice": method}, before, after, QQ(0 if same else 1), QQ(0), note)

        yield trial


# Bad input


def refusals(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Questions that have no right answer but a refusal."""
    half, bad = [QQ(1, 2), QQ(1, 2)], [QQ(2), QQ(1)]
    off = OFF.data()
    questions: list[tuple[str, str, dict[str, Any]]] = [
        ("NaN among the logits", "target", {"logits": [0.0, float("nan")], "config": off}),
        ("+inf among the logits", "target", {"logits": [0.0, float("inf")], "config": off}),
        ("an empty row", "target", {"logits": [], "config": off}),
        ("a row of only -inf", "target", {"logits": [float("-inf")] * 2, "config": off}),
        ("a negative temperature", "target", {"logits": [1.0, 0.0], "config": {**off, "temperature": -1.0}}),
        ("top_p = 0", "target", {"logits": [1.0, 0.0], "config": {**off, "top_p": 0.0}}),
        ("top_k = -1", "target", {"logits": [1.0, 0.0], "config": {**off, "top_k": -1}}),
        ("a token id of -1", "acceptance", {"p": half, "q": half, "token": -1}),
        ("a token id beyond the vocabulary", "acceptance", {"p": half, "q": half, "token": 2}),
        ("a target that sums to 3", "acceptance", {"p": bad, "q": half, "token": 0}),
        ("two vocabularies", "residual", {"p": half, "q": [*half, QQ(0)]}),
        ("a draft id of -1", "verify_token", {"p": half, "q": half, "draft": -1, "coins": half * 4}),
        ("a draft id beyond the vocabulary", "verify_token", {"p": half, "q": half, "draft": 2, "coins": half * 4}),
    ]
    for words, method, arguments in questions:
        if method not in subject.offers:
            continue

        def trial(words: str = words, method: str = method, arguments: Any = arguments) -> Trial:
            try:
                value = subject.value(method, **arguments)
            except EngineError as error:
                return Trial({"asked": words}, "a refusal", str(error), QQ(0))
            return Trial({"asked": f"{method} of {words}"}, "a refusal", value, QQ(1), QQ(0), "answers instead of refusing")

        yield trial


TOKEN, CHAIN = ("verify_token",), ("verify_chain",)
REFUSALS = ("target", "acceptance", "residual", "verify_token")
CLAIMS = (
    target_claim("target-plain", "Without temperature and cuts the target is the softmax of the logits."),
    target_claim("target-temperature", "The target at T is the softmax of logits / T, for small and large T too."),
    target_claim("target-greedy", "At T = 0 the target is the one-hot on the lowest id among the maxima."),
    target_claim("target-nucleus", "The nucleus is what the dialect keeps, and never empty."),
    target_claim("target-boundary", "A nucleus that ends in an exact tie is what the dialect keeps."),
    target_claim("target-top-k", "Top-k keeps the k largest."),
    target_claim("target-ties", "Of equal logits at the k-th place top-k keeps what the dialect keeps."),
    target_claim("target-off", "top_k = 0, top_k >= V and top_p = 1 cut nothing."),
    target_claim("target-order", "Temperature, nucleus and top-k come in the dialect's order, on its mass."),
    target_claim("target-masked", "A logit of -inf has probability 0 and changes nothing else."),
    target_claim("target-shift", "A constant added to every logit changes nothing."),
    target_claim("target-half", "Rows that came from bfloat16 have the law of their values."),
    target_claim("target-long", "Long rows, and cuts of more than 50 tokens, are right too."),
    Claim("acceptance", "The acceptance probability is min(1, p/q).", ("acceptance",), acceptances(True)),
    Claim("acceptance-at-q-0", "Where q = 0 it is 1 if p > 0, else 0.", ("acceptance",), acceptances(False)),
    Claim("residual", "The residual is the positive part of p - q, normalised.", ("residual",), residuals(False)),
    Claim("residual-at-p-q", "Where p = q the residual is p.", ("residual",), residuals(True)),
    Claim("sample-law", "A draw from a row has its law.", ("sample",), samples),
    Claim("sample-coins", "Coins of 0 and just below 1 draw no token of probability 0.", ("sample",), extreme_samples),
    Claim("one-token-law", "The token emitted for a draft from q has the law p.", TOKEN, one_token),
    Claim("one-hot-draft", "A certain draft, reported as its one-hot, is followed by p.", TOKEN, certain_drafts),
    Claim("extreme-coins", "Coins of 0 and just below 1 emit no token of probability 0.", TOKEN, extreme_coins),
    Claim("proposal-honest", "A proposed token has the law that is reported with it.", ("propose",), honest),
    Claim(
        "proposal-law", "Proposed and verified on one tape, the token has the law p.", ("propose", "verify_token"), own_drafts
    ),
    Claim("joint-law", "A verified block and plain decoding have the joint law of the target's rows.", CHAIN, joint),
    Claim("chain-coins", "Coins of 0 and just below 1 put no token of probability 0 in a block.", CHAIN, extreme_chains),
    Claim("greedy-chain", "With one-hot targets a block is the target's own text.", CHAIN, greedy_chain),
    Claim("steady", "An answer does not depend on what was asked before.", (), steady, either=("target", *TOKEN, *CHAIN)),
    Claim("bad-input", "What has no right answer is refused.", (), refusals, "robustness", REFUSALS),
)
BY_ID = {claim.id: claim for claim in CLAIMS}
