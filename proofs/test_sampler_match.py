"""Sampler-match: emit the target's own draw, and call the draft accepted where it is the same token.

The two draws are independent, so the emitted token is y with sum over the drafts x of q(x) p(y) = p(y), and the draft x is
accepted with q(x) p(x): at most as often as by the token rule.
"""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import agreement_of_one_draw
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="sampler_match",
    sentence="The target's own draw is emitted with the target's law whatever the draft, which is accepted with sum p q.",
    scope="every vocabulary, every target and draft law",
    source="spec 4",
    relied_on_by="reference.rules.match, mtplx audit mlx_lm",
    lemmas=(
        Lemma(
            slug="sampler-match-emits",
            sentence="Summed over the drafts so far, y comes with their mass times p(y); over all of them, with p(y).",
            variables="emitted seen p q",
            hypotheses=lambda n, emitted, seen, p, q: [p >= 0, q >= 0, seen >= 0, n.eq(emitted, seen * p)],
            conclusion=lambda rules, n, emitted, seen, p, q: [
                n.eq(emitted + rules.agreement(n, p, q), (seen + q) * p),
                implies(n, n.eq(seen + q, 1), n.eq(emitted + rules.agreement(n, p, q), p)),
            ],
            mutants=(agreement_of_one_draw,),
        ),
        Lemma(
            slug="sampler-match-accepts",
            sentence="For probabilities p, q up to one, the draft is accepted at most as often as the token rule accepts it.",
            variables="p q",
            hypotheses=lambda n, p, q: [p > 0, q > 0, p < 1, q < 1],
            conclusion=lambda rules, n, p, q: [rules.agreement(n, p, q) < n.choose(p < q, p, q)],
            mutants=(agreement_of_one_draw,),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
