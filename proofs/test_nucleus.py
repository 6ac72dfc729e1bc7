"""The nucleus: a rank stays iff the mass of the ranks before it is below top_p of the total (spec 2.3).

So the kept ranks are the first ones, the set is never empty, the crossing rank stays, and top_p = 1 keeps every weight > 0.
"""

from proofs.mutants import keeps_at_the_boundary, keeps_the_tail, keeps_without_total
from proofs.obligation import Claim, implies, obligations_of

CLAIMS = (
    Claim(
        slug="nucleus-not-empty",
        sentence="The first rank, with no mass before it, is always kept.",
        variables="top_p total",
        hypotheses=lambda n, top_p, total: [top_p > 0, top_p <= 1, total > 0],
        conclusion=lambda rules, n, top_p, total: [rules.nucleus_keeps(n, n.zero, top_p, total)],
        mutants=(keeps_the_tail,),
    ),
    Claim(
        slug="nucleus-is-a-prefix",
        sentence="Once a rank is dropped, every later rank is dropped: one more weight never brings a rank back.",
        variables="before weight top_p total",
        hypotheses=lambda n, before, weight, top_p, total: [top_p > 0, top_p <= 1, total > 0, before >= 0, weight >= 0],
        conclusion=lambda rules, n, before, weight, top_p, total: [
            implies(
                n,
                n.neg(rules.nucleus_keeps(n, before, top_p, total)),
                n.neg(rules.nucleus_keeps(n, before + weight, top_p, total)),
            )
        ],
        mutants=(keeps_the_tail,),
    ),
    Claim(
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
    Claim(
        slug="nucleus-boundary",
        sentence="A rank with exactly top_p of the total before it is dropped.",
        variables="before top_p total",
        hypotheses=lambda n, before, top_p, total: [top_p > 0, top_p <= 1, total > 0, n.eq(before, top_p * total)],
        conclusion=lambda rules, n, before, top_p, total: [n.neg(rules.nucleus_keeps(n, before, top_p, total))],
        mutants=(keeps_at_the_boundary, keeps_without_total),
    ),
    Claim(
        slug="nucleus-off",
        sentence="top_p = 1 keeps every rank of positive weight, and drops a rank with the whole mass before it.",
        variables="before weight total",
        hypotheses=lambda n, before, weight, total: [before >= 0, weight > 0, before + weight <= total],
        conclusion=lambda rules, n, before, weight, total: [
            rules.nucleus_keeps(n, before, n.one, total),
            n.neg(rules.nucleus_keeps(n, total, n.one, total)),
        ],
        mutants=(keeps_at_the_boundary, keeps_without_total),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(*CLAIMS)
