"""As many draws of the draft are too many as are missing in the target, since both laws have D of them."""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies
from proofs.mutants import absolute_difference, mass_forgets, signed_difference
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def balanced(n: NumberSystem, excess: Any, deficit: Any, sum_p: Any, sum_q: Any) -> Any:
    """The invariant of the two totals."""
    return n.eq(excess - deficit, sum_q - sum_p)


def one_token_more(rules: Any, n: NumberSystem, excess: Any, deficit: Any, p: Any, q: Any) -> tuple[Any, Any]:
    """The totals of excess (q - p)+ and deficit (p - q)+ with the token (p, q) appended."""
    return rules.residual_mass_step(n, excess, q, p), rules.residual_mass_step(n, deficit, p, q)


def totals(rules: Any, n: NumberSystem, excess: Any, deficit: Any, sum_p: Any, sum_q: Any, p: Any, q: Any) -> Terms:
    """The invariant at no token and after one more; where both laws then have the same total, the totals are equal."""
    more = one_token_more(rules, n, excess, deficit, p, q)
    complete = n.eq(sum_p + p, sum_q + q)
    return [
        balanced(n, n.zero, n.zero, n.zero, n.zero),
        balanced(n, *more, sum_p + p, sum_q + q),
        implies(n, complete, n.eq(*more)),
    ]


CLAIM = Claim(
    id="one_draw_totals",
    sentence="Excess and deficit cells are equally many.",
    scope="every denominator D, every vocabulary",
    source="docs/integer-core.md, section 5",
    relied_on_by="one_draw",
    lemmas=(
        Lemma(
            slug="one-draw-totals",
            sentence="excess - deficit = sum Q - sum P holds of no token and after one more: over one D they are equal.",
            variables="excess deficit sum_p sum_q p q",
            hypotheses=lambda n, excess, deficit, sum_p, sum_q, p, q: [
                p >= 0,
                q >= 0,
                balanced(n, excess, deficit, sum_p, sum_q),
            ],
            conclusion=totals,
            mutants=(signed_difference, absolute_difference, mass_forgets),
        ),
    ),
    theorem="OneDraw.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
