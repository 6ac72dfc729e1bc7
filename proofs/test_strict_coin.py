"""A coin accepts iff u < a, never u <= a: so a uniform coin accepts with probability a, and one of exactly 0 lets no token
of probability 0 through.
"""

from proofs.claim import Claim, Lemma
from proofs.mutants import (
    accepts_above_the_threshold,
    accepts_at_the_threshold,
    always_accepts_without_draft,
    never_accepts_without_draft,
)
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="strict_coin",
    sentence="The coins that accept are exactly those below the acceptance probability.",
    scope="every coin in [0, 1), every target and draft mass",
    source="spec 3",
    relied_on_by="token_rule, mtplx.sampling.verify_one_token",
    lemmas=(
        Lemma(
            slug="coin",
            sentence="A coin below the acceptance probability accepts; one at it or above rejects.",
            variables="below a above",
            hypotheses=lambda n, below, a, above: [below < a, a <= above],
            conclusion=lambda rules, n, below, a, above: [rules.accepts(n, below, a), n.neg(rules.accepts(n, above, a))],
            mutants=(accepts_at_the_threshold, accepts_above_the_threshold),
        ),
        Lemma(
            slug="coin-ends",
            sentence="No coin in [0, 1) accepts at acceptance probability 0, and every one does at 1.",
            variables="u",
            hypotheses=lambda n, u: [u >= 0, u < 1],
            conclusion=lambda rules, n, u: [n.neg(rules.accepts(n, u, n.zero)), rules.accepts(n, u, n.one)],
            mutants=(accepts_at_the_threshold, accepts_above_the_threshold),
        ),
        Lemma(
            slug="target-without-mass",
            sentence="No coin accepts a token that the target gives no mass, whatever the draft gives it.",
            variables="q u",
            hypotheses=lambda n, q, u: [q >= 0, u >= 0, u < 1],
            conclusion=lambda rules, n, q, u: [n.neg(rules.accepts(n, u, rules.acceptance(n, n.zero, q)))],
            mutants=(accepts_at_the_threshold, always_accepts_without_draft),
        ),
        Lemma(
            slug="target-above-draft",
            sentence="Every coin accepts a token whose target mass is positive and at least its draft mass.",
            variables="p q u",
            hypotheses=lambda n, p, q, u: [p > 0, q >= 0, p >= q, u >= 0, u < 1],
            conclusion=lambda rules, n, p, q, u: [rules.accepts(n, u, rules.acceptance(n, p, q))],
            mutants=(accepts_above_the_threshold, never_accepts_without_draft),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
