"""At q(x) = 0 the acceptance is 1 if p(x) > 0 and 0 otherwise, and the marginal is still p. Such a token is never drafted,
but a caller may ask.
"""

from proofs.claim import Claim, Lemma
from proofs.mutants import always_accepts_without_draft, never_accepts_without_draft, residual_without_division
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="draft_without_mass",
    sentence=(
        "Where the draft has no mass the acceptance is 1 if the target has some, else 0, and the token comes with p all "
        "the same."
    ),
    scope="every vocabulary, every target and draft law",
    source="spec 3",
    relied_on_by="token_rule, mtplx.sampling.acceptance_probability",
    lemmas=(
        Lemma(
            slug="draft-without-mass",
            sentence="At q = 0 the acceptance probability is 1 where p > 0, else 0.",
            variables="p q",
            hypotheses=lambda n, p, q: [p >= 0, n.eq(q, 0)],
            conclusion=lambda rules, n, p, q: [
                n.either(
                    n.both(p > 0, n.eq(rules.acceptance(n, p, q), 1)),
                    n.both(n.eq(p, 0), n.eq(rules.acceptance(n, p, q), 0)),
                )
            ],
            mutants=(always_accepts_without_draft, never_accepts_without_draft),
        ),
        Lemma(
            slug="draft-without-mass-marginal",
            sentence="At q = 0 the token comes from the residual alone, with marginal p.",
            variables="p rejection mass",
            hypotheses=lambda n, p, rejection, mass: [p >= 0, mass >= p, n.eq(rejection, mass)],
            conclusion=lambda rules, n, p, rejection, mass: [
                n.eq(rules.marginal(n, p, n.zero, rules.acceptance(n, p, n.zero), rejection, mass), p),
                n.eq(rejection * rules.residual(n, p, n.zero, mass), p),
            ],
            mutants=(residual_without_division,),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
