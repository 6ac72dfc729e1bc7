"""One draw drafts and verifies: over every denominator D, each token is emitted by exactly P of the D draws.

Of a token with p of the target's cells and q of the draft's, min(p, q) draws are accepted. The other draws are excess cells,
sent one to one to the deficit cells, of which a token owns (p - q)+.
"""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import (
    absolute_difference,
    accepts_above_the_threshold,
    accepts_at_the_threshold,
    larger_of_two,
    owns_all_before,
    owns_its_end,
    signed_difference,
)
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="one_draw",
    sentence="Of the D draws exactly P(y) emit token y.",
    scope="every denominator D, every vocabulary",
    source="docs/integer-core.md, section 5",
    relied_on_by="mtplx.dyadic.verify, mtplx.dyadic.verify_chain",
    lemmas=(
        Lemma(
            slug="one-draw-accepted",
            sentence="Of the first q offsets min(p, q) are accepted: none of none, and the next offset adds one iff accepted.",
            variables="accepted p q",
            hypotheses=lambda n, accepted, p, q: [p >= 0, q >= 0, n.eq(accepted, n.choose(p < q, p, q))],
            conclusion=lambda rules, n, accepted, p, q: [
                n.eq(rules.minimum(n, p, n.zero), 0),
                n.eq(n.choose(rules.accepts(n, q, p), accepted + 1, accepted), n.choose(p < q + 1, p, q + 1)),
            ],
            mutants=(accepts_at_the_threshold, accepts_above_the_threshold),
            sort="Int",
        ),
        Lemma(
            slug="one-draw-target",
            sentence="A token's min(p, q) accepted draws and the (p - q)+ deficit cells it owns are p draws together.",
            variables="p q",
            hypotheses=lambda n, p, q: [p >= 0, q >= 0],
            conclusion=lambda rules, n, p, q: [n.eq(rules.minimum(n, p, q) + rules.positive_part(n, p - q), p)],
            mutants=(larger_of_two, signed_difference, absolute_difference),
        ),
        Lemma(
            slug="one-draw-support",
            sentence="After a rejection only a token with more of the target than of the draft is emitted.",
            variables="before p q cell",
            hypotheses=lambda n, before, p, q, cell: [before >= 0, p >= 0, q >= 0, cell >= 0],
            conclusion=lambda rules, n, before, p, q, cell: [
                implies(n, rules.owns(n, before, rules.positive_part(n, p - q), cell), q < p)
            ],
            mutants=(owns_its_end, owns_all_before, absolute_difference),
        ),
    ),
    theorem="OneDraw.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
