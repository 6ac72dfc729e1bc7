"""Siblings tried in turn, each drawn from a law that may depend on all before: the target becomes the residual after each
rejection.

By induction on the siblings the rest of the level emits the law that it is given, the residual; so the level emits the target,
and by induction on the levels so does the tree. Without replacement the next law is what the rejected sibling leaves of the
last one.
"""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import (
    larger_of_two,
    ratio_without_minimum,
    remaining_of_the_tried,
    remaining_without_division,
    signed_difference,
)
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="multi_draft",
    sentence="Siblings judged in turn against the residual that those before left, drawn from any laws, keep the target's law.",
    scope="every vocabulary, any number of siblings, laws that depend on the rejected siblings, trees included",
    source="arXiv 2305.09781; arXiv 2402.14160",
    relied_on_by="reference.rules.multi_draft, mtplx audit",
    lemmas=(
        Lemma(
            slug="multi-draft-sibling",
            sentence=(
                "If what follows a rejection emits the law (p - q)+ / mass, the token comes with p; so it does with mass 0."
            ),
            variables="p q rejection mass rest",
            hypotheses=lambda n, p, q, rejection, mass, rest: [
                *(p >= 0, q >= 0, mass >= 0, mass >= p - q, n.eq(rejection, mass)),
                n.eq(rest * mass, n.choose(q < p, p - q, n.zero)),
            ],
            conclusion=lambda rules, n, p, q, rejection, mass, rest: [
                n.eq(q * rules.acceptance(n, p, q) + rejection * rest, p),
                implies(n, mass > 0, n.eq(rules.residual(n, p, q, mass), rest)),
            ],
            mutants=(larger_of_two, ratio_without_minimum, signed_difference),
        ),
        Lemma(
            slug="without-replacement-is-a-law",
            sentence="What a rejected sibling leaves of the draft law, divided by 1 - q(x), is at least 0 and sums to one.",
            variables="shares seen q tried",
            hypotheses=lambda n, shares, seen, q, tried: [
                *(q >= 0, tried >= 0, tried < 1, n.eq(shares * (1 - tried), seen)),
            ],
            conclusion=lambda rules, n, shares, seen, q, tried: [
                rules.remaining(n, q, tried) >= 0,
                implies(n, n.eq(seen + q, 1 - tried), n.eq(shares + rules.remaining(n, q, tried), 1)),
            ],
            mutants=(remaining_without_division, remaining_of_the_tried),
        ),
    ),
    theorem="MultiDraft.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
