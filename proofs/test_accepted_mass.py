"""Drafted and accepted is one event of probability q * min(1, p/q); q = 0 included."""

from proofs.claim import Claim, Lemma
from proofs.mutants import larger_of_two, ratio_without_minimum
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="accepted_mass",
    sentence="A token is drafted and accepted with probability min(p, q).",
    scope="every vocabulary, every target and draft law",
    source="arXiv 2211.17192, section 2.3",
    relied_on_by="token_rule, acceptance_rate, mtplx audit",
    lemmas=(
        Lemma(
            slug="accepted-mass",
            sentence="For p, q >= 0: q times the acceptance probability is the smaller of p and q.",
            variables="p q",
            hypotheses=lambda n, p, q: [p >= 0, q >= 0],
            conclusion=lambda rules, n, p, q: [n.eq(q * rules.acceptance(n, p, q), n.choose(p <= q, p, q))],
            mutants=(larger_of_two, ratio_without_minimum),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
