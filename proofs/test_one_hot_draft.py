"""A draft that is one-hot on d is accepted with p(d); after a rejection x != d has p(x) / (1 - p(d)), and d has 0.

Greedy and n-gram drafts (spec 4): q(d) = 1, q(x) = 0 at every x != d, residual mass 1 - p(d).
"""

from proofs.claim import Claim, Lemma
from proofs.mutants import (
    absolute_difference,
    larger_of_two,
    rejection_counts_acceptance,
    rejection_without_draft,
    residual_is_target,
    residual_without_division,
    signed_difference,
)
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="one_hot_draft",
    sentence="A deterministic draft d is accepted with p(d) and otherwise replaced by a draw from p without d: the law is p.",
    scope="every vocabulary, every target, every d",
    source="spec 4",
    relied_on_by="reference.rules.one_hot, mtplx audit",
    lemmas=(
        Lemma(
            slug="one-hot-draft-acceptance",
            sentence="With the draft one-hot on d, the acceptance at d is p(d).",
            variables="p_d",
            hypotheses=lambda n, p_d: [p_d >= 0, p_d <= 1],
            conclusion=lambda rules, n, p_d: [n.eq(rules.acceptance(n, p_d, n.one), p_d)],
            mutants=(larger_of_two,),
        ),
        Lemma(
            slug="one-hot-draft-mass",
            sentence="With the draft one-hot on d, d adds 1 - p(d) to the rejection, any other token adds p(x) to the mass.",
            variables="mass rejection p_d p_x",
            hypotheses=lambda n, mass, rejection, p_d, p_x: [p_d >= 0, p_x >= 0, p_d + p_x <= 1],
            conclusion=lambda rules, n, mass, rejection, p_d, p_x: [
                n.eq(rules.rejection_step(n, rejection, n.one, rules.acceptance(n, p_d, n.one)), rejection + 1 - p_d),
                n.eq(rules.rejection_step(n, rejection, n.zero, rules.acceptance(n, p_x, n.zero)), rejection),
                n.eq(rules.residual_mass_step(n, mass, p_d, n.one), mass),
                n.eq(rules.residual_mass_step(n, mass, p_x, n.zero), mass + p_x),
            ],
            mutants=(signed_difference, absolute_difference, rejection_counts_acceptance, rejection_without_draft),
        ),
        Lemma(
            slug="one-hot-draft-residual",
            sentence=(
                "With the draft one-hot on d and p(d) < 1, the residual is 0 at d, and p(x) / (1 - p(d)) at any other token."
            ),
            variables="mass p_d p_x",
            hypotheses=lambda n, mass, p_d, p_x: [p_d >= 0, p_x >= 0, p_d + p_x <= 1, p_d < 1, n.eq(mass, 1 - p_d)],
            conclusion=lambda rules, n, mass, p_d, p_x: [
                n.eq(rules.residual(n, p_d, n.one, mass), 0),
                n.eq(rules.residual(n, p_x, n.zero, mass) * (1 - p_d), p_x),
            ],
            mutants=(signed_difference, residual_without_division, residual_is_target),
        ),
        Lemma(
            slug="one-hot-draft-marginal",
            sentence="With the draft one-hot on d, the marginal is p at d and at any other token.",
            variables="mass p_d p_x",
            hypotheses=lambda n, mass, p_d, p_x: [p_d >= 0, p_x >= 0, p_d + p_x <= 1, n.eq(mass, 1 - p_d)],
            conclusion=lambda rules, n, mass, p_d, p_x: [
                n.eq(rules.marginal(n, p_d, n.one, rules.acceptance(n, p_d, n.one), mass, mass), p_d),
                n.eq(rules.marginal(n, p_x, n.zero, rules.acceptance(n, p_x, n.zero), mass, mass), p_x),
            ],
            mutants=(larger_of_two, absolute_difference, residual_is_target),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
