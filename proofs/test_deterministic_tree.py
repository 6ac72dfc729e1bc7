"""Fixed children tried in turn: a child x is accepted with the share p(x) that the target still gives it; if not, x is
ruled out.

What is left, p(y) / (1 - p(x)), is a law, and by induction on the children it is what the rest of the level emits. So y comes
with (1 - p(x)) p(y) / (1 - p(x)) = p(y).
"""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import remaining_of_the_tried, remaining_without_division
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="deterministic_tree",
    sentence="Children tried in turn against what the target has become, then a draw from the rest: the law is the target.",
    scope="every vocabulary, every target, any children in any order",
    source="arXiv 2305.09781; spec 4",
    relied_on_by="reference.rules.tree, mtplx audit",
    lemmas=(
        Lemma(
            slug="tree-child",
            sentence="Another token than the child tried, of share below one, comes with its own share after a rejection.",
            variables="p tried",
            hypotheses=lambda n, p, tried: [p >= 0, tried >= 0, tried < 1, p + tried <= 1],
            conclusion=lambda rules, n, p, tried: [
                n.eq((1 - tried) * rules.remaining(n, p, tried), p),
                rules.remaining(n, p, tried) >= 0,
                rules.remaining(n, p, tried) <= 1,
            ],
            mutants=(remaining_without_division, remaining_of_the_tried),
        ),
        Lemma(
            slug="tree-rest-is-a-law",
            sentence="Shares of what is left times 1 - p(x) are the mass seen; over all other tokens they are one.",
            variables="shares seen p tried",
            hypotheses=lambda n, shares, seen, p, tried: [
                *(p >= 0, tried >= 0, tried < 1, seen >= 0, n.eq(shares * (1 - tried), seen)),
            ],
            conclusion=lambda rules, n, shares, seen, p, tried: [
                n.eq((shares + rules.remaining(n, p, tried)) * (1 - tried), seen + p),
                implies(n, n.eq(seen + p + tried, 1), n.eq(shares + rules.remaining(n, p, tried), 1)),
            ],
            mutants=(remaining_without_division, remaining_of_the_tried),
        ),
    ),
    theorem="MultiDraft.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
