"""A draft from the target itself is never rejected."""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import rejection_without_draft
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="equal_rows",
    sentence="Where draft and target are one law every draft is accepted.",
    scope="every vocabulary, every target and draft law",
    source="spec 3",
    relied_on_by="mtplx audit",
    lemmas=(
        Lemma(
            slug="equal-rows",
            sentence="Where p = q, the token adds neither mass nor rejection, and once drafted it is always accepted.",
            variables="mass rejection p q",
            hypotheses=lambda n, mass, rejection, p, q: [p >= 0, n.eq(p, q)],
            conclusion=lambda rules, n, mass, rejection, p, q: [
                n.eq(rules.residual_mass_step(n, mass, p, q), mass),
                n.eq(rules.rejection_step(n, rejection, q, rules.acceptance(n, p, q)), rejection),
                implies(n, q > 0, n.eq(rules.acceptance(n, p, q), 1)),
            ],
            mutants=(rejection_without_draft,),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
