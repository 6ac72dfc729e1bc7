"""A target that is one-hot on y accepts y always and any other token never; the residual emits y.

This is temperature 0 (spec 2.1): p(y) = 1, p(x) = 0 at every x != y, residual mass 1 - q(y).
"""

from proofs.claim import Claim, Lemma
from proofs.mutants import (
    absolute_difference,
    always_accepts_without_draft,
    larger_of_two,
    never_accepts_without_draft,
    residual_at_zero_mass_divided,
    residual_of_draft,
    residual_without_division,
    signed_difference,
)
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="one_hot_target",
    sentence="At temperature 0 the target's token is always accepted, any other never, and the residual is the target's token.",
    scope="every vocabulary, every draft law",
    source="spec 2.1",
    relied_on_by="mtplx at temperature 0, mtplx audit",
    lemmas=(
        Lemma(
            slug="one-hot-target-acceptance",
            sentence="With the target one-hot on y, the acceptance is 1 at y and 0 at any other token.",
            variables="q_y q_x",
            hypotheses=lambda n, q_y, q_x: [q_y >= 0, q_x >= 0, q_y + q_x <= 1],
            conclusion=lambda rules, n, q_y, q_x: [
                n.eq(rules.acceptance(n, n.one, q_y), 1),
                n.eq(rules.acceptance(n, n.zero, q_x), 0),
            ],
            mutants=(larger_of_two, always_accepts_without_draft, never_accepts_without_draft),
        ),
        Lemma(
            slug="one-hot-target-mass",
            sentence="With the target one-hot on y, y adds 1 - q(y) to the residual mass and any other token adds nothing.",
            variables="mass q_y q_x",
            hypotheses=lambda n, mass, q_y, q_x: [q_y >= 0, q_x >= 0, q_y + q_x <= 1],
            conclusion=lambda rules, n, mass, q_y, q_x: [
                n.eq(rules.residual_mass_step(n, mass, n.one, q_y), mass + 1 - q_y),
                n.eq(rules.residual_mass_step(n, mass, n.zero, q_x), mass),
            ],
            mutants=(signed_difference, absolute_difference),
        ),
        Lemma(
            slug="one-hot-target-residual",
            sentence="With the target one-hot on y, the residual is the one-hot on y.",
            variables="mass q_y q_x",
            hypotheses=lambda n, mass, q_y, q_x: [q_y >= 0, q_x >= 0, q_y + q_x <= 1, n.eq(mass, 1 - q_y)],
            conclusion=lambda rules, n, mass, q_y, q_x: [
                n.eq(rules.residual(n, n.one, q_y, mass), 1),
                n.eq(rules.residual(n, n.zero, q_x, mass), 0),
            ],
            mutants=(residual_without_division, residual_of_draft, residual_at_zero_mass_divided),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
