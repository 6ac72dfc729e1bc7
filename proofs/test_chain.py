"""A chain of K drafts keeps the joint law: along any path of tokens the two ways to emit it are together the target's mass.

By induction on the position, with the invariant drafting + ended = the target's mass of the path: it holds of no token (1 +
0), and one token more keeps it. Rejection and mass are those of the row at this position (test_rejection_probability.py).
"""

from proofs import paths
from proofs.claim import Claim, Lemma
from proofs.obligation import obligations_of
from proofs.step_mutants import drafted_whatever_is_accepted, ended_drafts_again, replaced_by_the_target

CLAIM = Claim(
    id="chain",
    sentence="A block of K drafts, verified in turn until one is replaced, has the target's joint law, whatever the drafts.",
    scope="every vocabulary, every K, rows that depend on the whole prefix",
    source="arXiv 2211.17192, algorithm 1",
    relied_on_by="mtplx.dyadic.verify_chain, reference.rules.chain, mtplx audit",
    lemmas=(
        Lemma(
            slug="chain-step",
            sentence="drafting + ended = the target's mass of the path, and one token more keeps it.",
            variables="drafting ended path p q rejection mass",
            hypotheses=lambda n, drafting, ended, path, p, q, rejection, mass: [
                *(drafting >= 0, ended >= 0, n.eq(drafting + ended, path)),
                *(p >= 0, q >= 0, mass >= 0, mass >= p - q, n.eq(rejection, mass)),
            ],
            conclusion=lambda rules, n, drafting, ended, path, p, q, rejection, mass: [
                n.eq(
                    rules.drafted(n, drafting, p, q) + rules.replaced(n, drafting, ended, p, q, rejection, mass),
                    path * p,
                )
            ],
            rules=paths,
            mutants=(drafted_whatever_is_accepted, replaced_by_the_target, ended_drafts_again),
        ),
    ),
    theorem="Chain.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
