"""Blocks of drafts: the joint law of what is emitted, continued by plain decoding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, chain, product
from typing import Any

from sympy import QQ

from mtplx.audit import inputs
from mtplx.audit.claims.one_token import ENDS
from mtplx.audit.claims.trial import Trial, lattice_bound, law_text, law_trial, masses, possible_trial, texts, thresholds
from mtplx.audit.client import EngineError, WrongAnswer
from mtplx.audit.inputs import Block
from mtplx.audit.subject import Law, Subject, mixture
from reference.claims import extended, right_law
from reference.models import Model, same_rows
from reference.rules import greedy_law


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
                raise WrongAnswer(f"verify_chain answers {tokens!r} to {k} drafts; allowed: 1 to {k + 1} tokens")
            if not all(isinstance(t, int) and 0 <= t < model.size for t in tokens):
                raise WrongAnswer(f"verify_chain answers {tokens!r}, which are no tokens")
        emitted.append((weight, law))
    return extended(mixture(emitted), model, k + 1)


def joint(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """Blocks, from one draft on; then none, where the target's row is all there is and a refusal is no fault."""
    alone = [Block(same_rows(p, p), 0, "one row, no drafts") for p in inputs.laws(2, 4)]
    for block in chain(inputs.blocks(subject.few), alone):

        def trial(block: Block = block) -> Trial:
            given = {"k": block.k, "model": block.words, **inputs.rows_of(block)}
            bound = lattice_bound(subject, block.k + 1, block.model.size)
            right = right_law(block.model, block.k + 1)
            try:
                return law_trial(given, right, chain_law(subject, block), bound)
            except EngineError as error:
                if block.k:
                    raise
                return Trial(given, law_text(right), str(error), QQ(0))

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


def extreme_chains(subject: Subject) -> Iterator[Callable[[], Trial]]:
    """The least and the largest coins, blocks of one draft: every token that is emitted must have p > 0."""
    for p, q in product(inputs.laws(3, 2), inputs.laws(3, 2)):
        for x, u in product(masses(q), ENDS):

            def trial(p: Any = p, q: Any = q, x: int = x, u: Any = u) -> Trial:
                given = {"p": texts(p), "q": texts(q), "draft": x, "coins": [str(u), "..."]}
                found = subject.value("verify_chain", p_rows=[p, p], q_rows=[q], drafts=[x], coins=[u] * 32)
                tokens = found if isinstance(found, list) and found else [found]
                if len(tokens) > 2:
                    return Trial(given, "1 or 2 tokens", tokens, QQ(1), note=f"{len(tokens)} tokens for one draft")
                emitted = [possible_trial(given, p, token) for token in tokens]
                return next((trial for trial in emitted if not trial.holds), emitted[0])

            yield trial
