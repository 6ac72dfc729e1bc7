"""The law that is reported must be the law that is drawn from: otherwise some target is missed.

Let d be the law of the draft and q the one that is reported. For a token y that q rules out, take the target (1 - e) q and e
at y: where q > 0 the acceptance is 1 - e and the residual is certain of y, so that d (1 - e) = (1 - e) q there, d = q, and
nothing is left for y. If q rules nothing out, the target q itself does it. The other direction is the token rule.
"""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import (
    absolute_difference,
    barker_acceptance,
    larger_of_two,
    never_accepts_without_draft,
    residual_without_division,
)
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="proposal_honesty",
    sentence="The emitted law is the target for every target only if the reported draft law is the one drawn from.",
    scope="every vocabulary, every law reported and drawn from",
    source="spec 3: q is the law the draft token is really drawn from",
    relied_on_by="mtplx audit: claims about proposals",
    lemmas=(
        Lemma(
            slug="honest-where-reported",
            sentence=(
                "With the target (1 - e) q and e at a token that q rules out, a token with q > 0 comes right only if d = q."
            ),
            variables="drawn q e rejection",
            hypotheses=lambda n, drawn, q, e, rejection: [drawn >= 0, q > 0, q <= 1, e > 0, e < 1, rejection >= 0],
            conclusion=lambda rules, n, drawn, q, e, rejection: [
                implies(
                    n,
                    n.eq(
                        drawn * rules.acceptance(n, (1 - e) * q, q) + rejection * rules.residual(n, (1 - e) * q, q, e),
                        (1 - e) * q,
                    ),
                    n.eq(drawn, q),
                )
            ],
            mutants=(larger_of_two, absolute_difference),
        ),
        Lemma(
            slug="honest-everywhere",
            sentence=(
                "With the target q, where q rules nothing out, nothing is rejected, and every token comes right only if d = q."
            ),
            variables="drawn q rejection rejected",
            hypotheses=lambda n, drawn, q, rejection, rejected: [drawn >= 0, q > 0, n.eq(rejection, 0), n.eq(rejected, 0)],
            conclusion=lambda rules, n, drawn, q, rejection, rejected: [
                n.eq(rules.rejection_step(n, rejected, drawn, rules.acceptance(n, q, q)), 0),
                implies(
                    n,
                    n.eq(drawn * rules.acceptance(n, q, q) + rejection * rules.residual(n, q, q, n.zero), q),
                    n.eq(drawn, q),
                ),
            ],
            mutants=(barker_acceptance,),
        ),
        Lemma(
            slug="honest-where-unreported",
            sentence="Then e of the drafts is rejected, and the token that q rules out comes right only if it is never drawn.",
            variables="drawn e",
            hypotheses=lambda n, drawn, e: [drawn >= 0, e > 0, e < 1],
            conclusion=lambda rules, n, drawn, e: [
                implies(
                    n,
                    n.eq(drawn * rules.acceptance(n, e, n.zero) + e * rules.residual(n, e, n.zero, e), e),
                    n.eq(drawn, 0),
                )
            ],
            mutants=(never_accepts_without_draft, residual_without_division),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
