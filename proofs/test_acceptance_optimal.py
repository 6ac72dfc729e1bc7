"""No rule that keeps the target accepts more drafts: a rule is a coupling of draft and emitted token, and agrees at most
sum min(p, q).

The entry pi(x, x) of a coupling is part of its row, which sums to the draft's q(x), and of its column, which sums to p(x).
"""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import barker_acceptance
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="acceptance_optimal",
    sentence="No coupling of draft and target agrees more often than the token rule accepts.",
    scope="every vocabulary, every target and draft law, every coupling",
    source="arXiv 2211.17192; the maximal coupling of two laws (Lindvall, Lectures on the Coupling Method)",
    relied_on_by="docs: why min(1, p/q)",
    lemmas=(
        Lemma(
            slug="coupling-agrees-less",
            sentence=(
                "A coupling agrees on a token, and on all tokens so far, at most as often as the token rule accepts there."
            ),
            variables="agreed accepted both row column p q",
            hypotheses=lambda n, agreed, accepted, both, row, column, p, q: [
                *(both >= 0, row >= 0, column >= 0, n.eq(both + row, q), n.eq(both + column, p)),
                agreed <= accepted,
            ],
            conclusion=lambda rules, n, agreed, accepted, both, row, column, p, q: [
                both <= q * rules.acceptance(n, p, q),
                agreed + both <= accepted + q * rules.acceptance(n, p, q),
            ],
            mutants=(barker_acceptance,),
        ),
        Lemma(
            slug="token-rule-is-a-coupling",
            sentence="The token rule is such a coupling: what it accepts is within row and column, and it attains one of them.",
            variables="p q",
            hypotheses=lambda n, p, q: [p >= 0, q >= 0],
            conclusion=lambda rules, n, p, q: [
                q * rules.acceptance(n, p, q) <= p,
                q * rules.acceptance(n, p, q) <= q,
                implies(n, p <= q, n.eq(q * rules.acceptance(n, p, q), p)),
                implies(n, q <= p, n.eq(q * rules.acceptance(n, p, q), q)),
            ],
            mutants=(barker_acceptance,),
        ),
    ),
    theorem="TokenRule.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
