"""Thresholds of block verification are probabilities that stop at i as often as the residual there has mass.

With S the residual mass and rho the running ratio: if later drafts are kept with probability rho - S, a coin below h keeps
this one with rho in all and stops at it with S.
"""

from proofs.claim import Claim, Lemma
from proofs.mutants import threshold_at_zero_divided, threshold_is_ratio, threshold_without_mass
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="block_threshold",
    sentence="h = S / (S + 1 - rho) lies in [0, 1], and (1 - rho + S) h = S.",
    scope="every residual mass up to rho, every rho up to 1",
    source="arXiv 2403.10444; spec 4",
    relied_on_by="block_verification",
    lemmas=(
        Lemma(
            slug="block-threshold",
            sentence="If later drafts are kept with probability rho - S, this one is kept with rho and stopped at with S.",
            variables="mass rho",
            hypotheses=lambda n, mass, rho: [mass >= 0, mass <= rho, rho <= 1],
            conclusion=lambda rules, n, mass, rho: [
                rules.block_threshold(n, mass, rho) >= 0,
                rules.block_threshold(n, mass, rho) <= 1,
                n.eq((1 - rho + mass) * rules.block_threshold(n, mass, rho), mass),
            ],
            mutants=(threshold_at_zero_divided, threshold_is_ratio, threshold_without_mass),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
