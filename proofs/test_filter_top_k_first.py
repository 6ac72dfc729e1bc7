"""A nucleus measured on what top-k left keeps no more ranks than the joint cut, and can keep fewer.

What top-k left weighs no more than the whole row, so top_p of it is no more. Of weights 4 : 3 : 2, k = 2 and top_p = 1/2 keep
two ranks jointly, and one if top-k comes first: dialects that say top_p = 1/2 do not mean the same law.
"""

from typing import Any

from proofs import cuts
from proofs.claim import Claim, Lemma, Terms, implies, replaces
from proofs.obligation import obligations_of
from proofs.step_mutants import measured_on_what_is_left
from reference.numbers import NumberSystem


@replaces("keeps", cuts)
def keeps_without_top_k(n: NumberSystem, rank: Any, before: Any, top_p: Any, total: Any, top_k: Any) -> Any:
    """The nucleus alone."""
    return before < top_p * total


def second_of_three(rules: Any, n: NumberSystem, first: Any, second: Any, third: Any, top_p: Any) -> Terms:
    """With k = 2 the second of three ranks stays iff the first is below top_p of all three."""
    measured = rules.measured_on(n, first + second + third, first + second)
    stays, joint = rules.keeps(n, n.one, first, top_p, measured, 2), first < top_p * (first + second + third)
    return [implies(n, stays, joint), implies(n, joint, stays)]


CLAIM = Claim(
    id="filter_top_k_first",
    sentence="Measured on what top-k left, a nucleus keeps no more ranks than the joint cut does, and on some rows fewer.",
    scope="every row, every top_p and k",
    source="spec 6",
    relied_on_by="reference.dialects: transformers, vllm, sglang-verify, llama.cpp",
    lemmas=(
        Lemma(
            slug="filter-top-k-first",
            sentence="A rank that stays by the mass that top-k left stays in the joint cut.",
            variables="rank before top_p left total k",
            hypotheses=lambda n, rank, before, top_p, left, total, k: [
                *(rank >= 0, k >= 1, before >= 0, top_p > 0, top_p <= 1, left > 0, left <= total),
            ],
            conclusion=lambda rules, n, rank, before, top_p, left, total, k: [
                implies(n, rules.keeps(n, rank, before, top_p, left, k), n.both(rank < k, before < top_p * total))
            ],
            mutants=(keeps_without_top_k,),
            rules=cuts,
        ),
        Lemma(
            slug="filter-top-k-first-fewer",
            sentence="Of three tokens and k = 2 the joint cut keeps the second iff the first is below top_p of all three.",
            variables="first second third top_p",
            hypotheses=lambda n, first, second, third, top_p: [
                *(first >= second, second >= third, third > 0, top_p > 0, top_p < 1),
            ],
            conclusion=second_of_three,
            mutants=(measured_on_what_is_left,),
            rules=cuts,
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
