"""The acceptance is a probability."""

from proofs.claim import Claim, Lemma
from proofs.mutants import larger_of_two, ratio_without_minimum
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="acceptance_range",
    sentence="min(1, p/q), with its values at q = 0, lies in [0, 1].",
    scope="every vocabulary, every target and draft law",
    source="arXiv 2211.17192, section 2.3; spec 3",
    relied_on_by="token_rule, mtplx.sampling.acceptance_probability",
    lemmas=(
        Lemma(
            slug="acceptance-range",
            sentence="For p, q >= 0 the acceptance probability lies in [0, 1].",
            variables="p q",
            hypotheses=lambda n, p, q: [p >= 0, q >= 0],
            conclusion=lambda rules, n, p, q: [rules.acceptance(n, p, q) >= 0, rules.acceptance(n, p, q) <= 1],
            mutants=(larger_of_two, ratio_without_minimum),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
