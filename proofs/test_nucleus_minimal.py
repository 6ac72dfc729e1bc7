"""The rank that carries the kept mass to top_p of the total is the last one kept: the nucleus reaches top_p, and without
its last rank it does not.
"""

from proofs.claim import Claim, Lemma
from proofs.mutants import keeps_at_the_boundary, keeps_without_total
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="nucleus_minimal",
    sentence="The nucleus is the shortest prefix whose mass reaches top_p of the total.",
    scope="every row, whatever its length",
    source="arXiv 1904.09751, section 3.1; spec 2.3",
    relied_on_by="mtplx.sampling, mtplx.dyadic",
    lemmas=(
        Lemma(
            slug="nucleus-crossing-rank",
            sentence="The rank that carries the kept mass to top_p of the total, or over it, is kept, and the next is dropped.",
            variables="before weight top_p total",
            hypotheses=lambda n, before, weight, top_p, total: [
                top_p > 0,
                top_p <= 1,
                before >= 0,
                before < top_p * total,
                before + weight >= top_p * total,
            ],
            conclusion=lambda rules, n, before, weight, top_p, total: [
                rules.nucleus_keeps(n, before, top_p, total),
                n.neg(rules.nucleus_keeps(n, before + weight, top_p, total)),
            ],
            mutants=(keeps_at_the_boundary, keeps_without_total),
        ),
    ),
    theorem="Nucleus.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
