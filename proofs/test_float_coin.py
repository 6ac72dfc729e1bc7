"""What a lattice of N coins makes of an acceptance a: ceil(a N) of them accept, with probability a or less than 1/N more.

A float a is a fraction m/D, a coin k/N; where both are exact in the format, comparing them is, too.
"""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies
from proofs.mutants import accepts_above_the_threshold, accepts_at_the_threshold
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def lattice(n: NumberSystem, N: Any, D: Any, m: Any, k: Any, c: Any) -> Terms:
    """A coin k of N, an acceptance m/D in [0, 1], and c = ceil(N m/D)."""
    return [N > 0, D > 0, m >= 0, m <= D, k >= 0, k < N, m * N <= c * D, (c - 1) * D < m * N]


CLAIM = Claim(
    id="float_coin",
    sentence=(
        "Of N coins on a lattice ceil(a N) accept: a probability in [a, a + 1/N), which is 0 only at a = 0, "
        "and at least 1/N however small a is otherwise."
    ),
    scope="coins uniform on {0, .., N - 1} / N, every float a in [0, 1], a comparison without rounding",
    source="spec 3 and 5",
    relied_on_by="mtplx.audit.claims.trial.lattice_bound",
    lemmas=(
        Lemma(
            slug="float-coin-count",
            sentence="The coins that accept are the first ceil(a N), at least a N and less than a N + 1.",
            variables="N D m k c",
            hypotheses=lattice,
            conclusion=lambda rules, n, N, D, m, k, c: [
                implies(n, rules.accepts(n, k * D, m * N), k < c),
                implies(n, k < c, rules.accepts(n, k * D, m * N)),
            ],
            sort="Int",
            mutants=(accepts_at_the_threshold, accepts_above_the_threshold),
        ),
        Lemma(
            slug="float-coin-ends",
            sentence="Every coin accepts at a = 1, none at a = 0, and the coin 0 accepts at every other a.",
            variables="N D m k c",
            hypotheses=lattice,
            conclusion=lambda rules, n, N, D, m, k, c: [
                implies(n, n.eq(m, 0), n.neg(rules.accepts(n, k * D, m * N))),
                implies(n, n.eq(m, D), rules.accepts(n, k * D, m * N)),
                implies(n, m > 0, rules.accepts(n, n.zero, m * N)),
            ],
            sort="Int",
            mutants=(accepts_at_the_threshold, accepts_above_the_threshold),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
