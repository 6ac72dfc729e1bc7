"""A cut that keeps a rank also at before = top_p * total differs from the strict one there only, and by that one rank."""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies, replaces
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


@replaces("nucleus_keeps_ties")
def ties_are_dropped(n: NumberSystem, before: Any, top_p: Any, total: Any) -> Any:
    """The strict cut."""
    return before < top_p * total


@replaces("nucleus_keeps_ties")
def ties_are_shares(n: NumberSystem, before: Any, top_p: Any, total: Any) -> Any:
    """before <= top_p, for weights that do not sum to one."""
    return before <= top_p


@replaces("nucleus_keeps_ties")
def all_is_kept(n: NumberSystem, before: Any, top_p: Any, total: Any) -> Any:
    """before <= total."""
    return before <= total


def only_at_a_tie(rules: Any, n: NumberSystem, before: Any, top_p: Any, total: Any) -> Terms:
    """Every rank of the strict cut stays; another stays iff exactly top_p of the total is before it."""
    stays, strict = rules.nucleus_keeps_ties(n, before, top_p, total), before < top_p * total
    return [
        implies(n, strict, stays),
        implies(n, n.both(stays, n.neg(strict)), n.eq(before, top_p * total)),
        implies(n, n.eq(before, top_p * total), stays),
    ]


CLAIM = Claim(
    id="filter_inclusive",
    sentence="An inclusive nucleus keeps one rank more than the strict one where a tie is exact, and else the same ranks.",
    scope="every row, whatever its length",
    source="spec 6",
    relied_on_by="reference.filters.nucleus_size, reference.dialects: sglang, sglang-verify",
    lemmas=(
        Lemma(
            slug="filter-inclusive-tie",
            sentence="The inclusive cut keeps what the strict one keeps, and a rank with exactly top_p of the total before it.",
            variables="before top_p total",
            hypotheses=lambda n, before, top_p, total: [before >= 0, top_p > 0, top_p <= 1, total > 0],
            conclusion=only_at_a_tie,
            mutants=(ties_are_dropped, ties_are_shares, all_is_kept),
        ),
        Lemma(
            slug="filter-inclusive-one",
            sentence="After a rank of positive weight at a tie no further rank stays: one more at most.",
            variables="before weight behind top_p total",
            hypotheses=lambda n, before, weight, behind, top_p, total: [
                *(before >= 0, weight > 0, behind >= before + weight, top_p > 0, top_p <= 1, total > 0),
                before >= top_p * total,
            ],
            conclusion=lambda rules, n, before, weight, behind, top_p, total: [
                n.neg(rules.nucleus_keeps_ties(n, behind, top_p, total))
            ],
            mutants=(ties_are_shares, all_is_kept),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
