"""Block verification keeps the target: thresholds that stop at i with probability S_i, and residuals that fill what is
missing.

Write rho_i for the running ratio after i drafts, S_i = sum (rho_i p_i - q_i)+. By the first lemma, summed over the vocabulary,
later drafts are kept with probability rho_i - S_i; by test_block_threshold.py, i is kept with probability rho_i and stopped at
with S_i; by the second lemma, token y then follows with probability rho_i p_i(y).
"""

from typing import Any

from proofs.claim import Claim, Lemma
from proofs.mutants import ratio_forgets_the_past, ratio_of_the_target, signed_difference
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def one_token(n: NumberSystem, rho: Any, p: Any, q: Any) -> list[Any]:
    """A running ratio and the probabilities of one token."""
    return [rho >= 0, rho <= 1, p >= 0, p <= 1, q >= 0, q <= 1]


CLAIM = Claim(
    id="block_verification",
    sentence="The longest accepted prefix of a block, and a draw from its weighted residual, have the target's joint law.",
    scope="every vocabulary, every K, rows that depend on the whole prefix",
    source="arXiv 2403.10444; spec 4",
    relied_on_by="reference.rules.verify_block, mtplx audit",
    lemmas=(
        Lemma(
            slug="block-ratio",
            sentence="The ratio after a token is in [0, 1]; drafted and kept with it, the token comes with min(rho p, q).",
            variables="rho p q",
            hypotheses=one_token,
            conclusion=lambda rules, n, rho, p, q: [
                n.eq(q * rules.running_ratio(n, rho, p, q), n.choose(rho * p < q, rho * p, q)),
                rules.running_ratio(n, rho, p, q) >= 0,
                rules.running_ratio(n, rho, p, q) <= 1,
            ],
            mutants=(ratio_forgets_the_past, ratio_of_the_target),
        ),
        Lemma(
            slug="block-emission",
            sentence="Kept as a draft or drawn from the residual, a token follows with probability rho p.",
            variables="rho p q",
            hypotheses=one_token,
            conclusion=lambda rules, n, rho, p, q: [
                n.eq(q * rules.running_ratio(n, rho, p, q) + rules.positive_part(n, rho * p - q), rho * p)
            ],
            mutants=(signed_difference, ratio_forgets_the_past),
        ),
    ),
    theorem="Block.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
