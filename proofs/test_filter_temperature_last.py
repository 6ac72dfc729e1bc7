"""A temperature applied last leaves top-k as it is, but not the nucleus.

Top-k only looks at the order, which no temperature changes. A nucleus sums weights, and at T = 1/2 each is squared: of weights
2 : 1 and top_p = 3/4 the tempered law (4 : 1) keeps one rank, the untempered (2 : 1) two.
"""

from typing import Any

from proofs import cuts
from proofs.claim import Claim, Lemma, Terms, implies
from proofs.mutants import ranks_the_highest_id_first, ranks_the_lightest_first
from proofs.obligation import obligations_of
from proofs.step_mutants import measured_untempered
from reference.numbers import NumberSystem


def same_rank(rules: Any, n: NumberSystem, **v: Any) -> Terms:
    """The fold that counts what outranks a token counts the same by logits and by scaled logits."""
    scaled, scaled_t = (rules.scaled(n, v[logit], v["T"]) for logit in ("logit", "logit_t"))
    by_logit = n.either(v["logit_t"] > v["logit"], n.both(n.eq(v["logit_t"], v["logit"]), v["id_t"] < v["id"]))
    tempered = n.choose(rules.outranks(n, scaled_t, v["id_t"], scaled, v["id"]), v["rank"] + 1, v["rank"])
    return [n.eq(tempered, n.choose(by_logit, v["rank"] + 1, v["rank"]))]


def second_of_two(rules: Any, n: NumberSystem, first: Any, second: Any, top_p: Any) -> Terms:
    """At T = 1/2 the second of two ranks stays iff the first's square is below top_p of both squares."""
    masses = [rules.measured_at(n, weight, weight * weight) for weight in (first, second)]
    stays = rules.keeps(n, n.one, masses[0], top_p, masses[0] + masses[1], 2)
    tempered = first * first < top_p * (first * first + second * second)
    return [implies(n, stays, tempered), implies(n, tempered, stays)]


CLAIM = Claim(
    id="filter_temperature_last",
    sentence="Top-k keeps the same tokens before and after a temperature; a nucleus does not.",
    scope="every row of logits, every T > 0; the counterexample has two tokens and T = 1/2",
    source="spec 6",
    relied_on_by="reference.dialects: mlx_lm, llama.cpp",
    lemmas=(
        Lemma(
            slug="filter-temperature-top-k",
            sentence="A token's rank is the same by logits and by logits divided by T: top-k commutes with temperature.",
            variables="logit id logit_t id_t rank T",
            hypotheses=lambda n, logit, id, logit_t, id_t, rank, T: [T > 0, rank >= 0],
            conclusion=same_rank,
            mutants=(ranks_the_lightest_first, ranks_the_highest_id_first),
        ),
        Lemma(
            slug="filter-temperature-nucleus",
            sentence="Of weights w : 1 at T = 1/2 the second stays iff w^2 is below top_p of the squares, not w of weights.",
            variables="first second top_p",
            hypotheses=lambda n, first, second, top_p: [first >= second, n.eq(second, 1), top_p > 0, top_p < 1],
            conclusion=second_of_two,
            mutants=(measured_untempered,),
            rules=cuts,
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
