"""The first rank has no mass before it, so a nucleus is never empty."""

from proofs.claim import Claim, Lemma
from proofs.mutants import keeps_the_tail
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="nucleus_non_empty",
    sentence="The nucleus keeps at least one token.",
    scope="every row, whatever its length",
    source="spec 2.3",
    relied_on_by="mtplx.sampling, mtplx.dyadic",
    lemmas=(
        Lemma(
            slug="nucleus-not-empty",
            sentence="The first rank, with no mass before it, is always kept.",
            variables="top_p total",
            hypotheses=lambda n, top_p, total: [top_p > 0, top_p <= 1, total > 0],
            conclusion=lambda rules, n, top_p, total: [rules.nucleus_keeps(n, n.zero, top_p, total)],
            mutants=(keeps_the_tail,),
        ),
    ),
    theorem="Nucleus.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
