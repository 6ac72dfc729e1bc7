"""A temperature changes no rank: logit / T is in the order of the logits, ties included, and the exponential is increasing.

Weights are taken of differences from the largest logit, which divides all of them by one number.
"""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies, replaces
from proofs.mutants import ranks_by_weight_alone, ranks_the_highest_id_first
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


@replaces("scaled")
def scaled_downwards(n: NumberSystem, logit: Any, temperature: Any) -> Any:
    """-logit / T: an energy for a logit."""
    return n.quotient(n.zero - logit, temperature)


@replaces("scaled")
def scaled_upside_down(n: NumberSystem, logit: Any, temperature: Any) -> Any:
    """T / logit."""
    return n.quotient(temperature, logit)


@replaces("scaled")
def scaled_and_clipped(n: NumberSystem, logit: Any, temperature: Any) -> Any:
    """min(logit / T, 0): different logits come out equal."""
    return n.choose(n.zero < logit, n.zero, n.quotient(logit, temperature))


def in_order(rules: Any, n: NumberSystem, a: Any, b: Any, temperature: Any) -> Terms:
    """a / T and b / T compare as a and b do."""
    first, second = rules.scaled(n, a, temperature), rules.scaled(n, b, temperature)
    return [implies(n, a < b, first < second), implies(n, b < a, second < first), implies(n, n.eq(a, b), n.eq(first, second))]


def same_ranks(rules: Any, n: NumberSystem, a: Any, id_a: Any, b: Any, id_b: Any, temperature: Any) -> Terms:
    """Of scaled logits a outranks b iff it does of the logits themselves."""
    ahead = n.either(a > b, n.both(n.eq(a, b), id_a < id_b))
    found = rules.outranks(n, rules.scaled(n, a, temperature), id_a, rules.scaled(n, b, temperature), id_b)
    return [implies(n, ahead, found), implies(n, found, ahead)]


CLAIM = Claim(
    id="temperature_order",
    sentence="Every temperature T > 0 keeps the order of the tokens, ties included.",
    scope="every row of logits, every T > 0",
    source="spec 2.1 and 2.2",
    relied_on_by="reference.softmax, mtplx.target: tokens are ranked by their logits",
    lemmas=(
        Lemma(
            slug="temperature-order",
            sentence="Divided by T > 0, two logits compare as before, and equal ones stay equal.",
            variables="a b temperature",
            hypotheses=lambda n, a, b, temperature: [temperature > 0],
            conclusion=in_order,
            mutants=(scaled_downwards, scaled_upside_down, scaled_and_clipped),
        ),
        Lemma(
            slug="temperature-ranks",
            sentence="One token outranks another at any temperature iff it does by logits.",
            variables="a id_a b id_b temperature",
            hypotheses=lambda n, a, id_a, b, id_b, temperature: [temperature > 0, n.neg(n.eq(id_a, id_b))],
            conclusion=same_ranks,
            mutants=(scaled_downwards, scaled_and_clipped, ranks_the_highest_id_first, ranks_by_weight_alone),
        ),
        Lemma(
            slug="temperature-shift",
            sentence="Scaling what a logit has less than the largest takes one number off each exponent.",
            variables="a largest temperature",
            hypotheses=lambda n, a, largest, temperature: [temperature > 0, a <= largest],
            conclusion=lambda rules, n, a, largest, temperature: [
                n.eq(
                    rules.scaled(n, a - largest, temperature),
                    rules.scaled(n, a, temperature) - rules.scaled(n, largest, temperature),
                )
            ],
            mutants=(scaled_upside_down, scaled_and_clipped),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
