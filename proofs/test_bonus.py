"""The bonus token: where all K drafts are accepted the block has one token more, drawn from the target after all of them."""

from proofs import paths
from proofs.claim import Claim, Lemma
from proofs.obligation import obligations_of
from proofs.step_mutants import bonus_after_rejections_too, no_bonus

CLAIM = Claim(
    id="bonus",
    sentence="With the bonus token the K + 1 tokens of a block have the target's joint law.",
    scope="every vocabulary, every K, rows that depend on the whole prefix",
    source="arXiv 2211.17192, algorithm 1",
    relied_on_by="mtplx.dyadic.verify_chain, reference.rules.until_another",
    lemmas=(
        Lemma(
            slug="bonus-closes",
            sentence="If drafting + ended is the target's mass of K tokens, then after the last one it is that of K + 1.",
            variables="drafting ended path p",
            hypotheses=lambda n, drafting, ended, path, p: [
                *(drafting >= 0, ended >= 0, p >= 0, p <= 1, n.eq(drafting + ended, path)),
            ],
            conclusion=lambda rules, n, drafting, ended, path, p: [n.eq(rules.closed(n, drafting, ended, p), path * p)],
            rules=paths,
            mutants=(no_bonus, bonus_after_rejections_too),
        ),
    ),
    theorem="Chain.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
