"""The first R ranks lie in the blocks with the largest maxima, if the R-th largest is above every maximum left out.

Each of the R largest maxima is the value of a token of its block. A token t of a block left out is lighter than all of these,
so each of them outranks it, whatever the ids (test_top_k.py): R tokens do, and t is not among the first R ranks.
"""

from typing import Any

from proofs import blocks
from proofs.claim import Claim, Lemma, Terms, implies, replaces
from proofs.mutants import ranks_the_lightest_first, ranks_ties_both_ways
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


@replaces("maximum_step", blocks)
def maximum_is_the_last(n: NumberSystem, maximum: Any, value: Any) -> Any:
    """The last token's value."""
    return value


@replaces("maximum_step", blocks)
def maximum_is_above_all(n: NumberSystem, maximum: Any, value: Any) -> Any:
    """A bound that no token needs to reach."""
    return n.choose(maximum < value, value, maximum) + n.one


@replaces("surely_first", blocks)
def sure_at_a_tie(n: NumberSystem, reached: Any, left_out: Any) -> Any:
    """left_out <= reached: a token that ties may have the lower id."""
    return left_out <= reached


def heavier(n: NumberSystem, above: Any, value: Any, value_t: Any) -> Any:
    """The fold that counts the tokens of a block that are heavier than t, and so outrank it, with one more."""
    return n.choose(value > value_t, above + 1, above)


def one_token_more(rules: Any, n: NumberSystem, maximum: Any, seen: Any, above: Any, value: Any, value_t: Any) -> Terms:
    """The maximum is no less than any value, and a maximum above t's value is that of a token which outranks t."""
    more = rules.maximum_step(n, maximum, value)
    return [more >= seen, more >= value, implies(n, more > value_t, heavier(n, above, value, value_t) >= 1)]


def one_block_more(rules: Any, n: NumberSystem, **v: Any) -> Terms:
    """At least as many tokens outrank t as there are blocks whose maximum reaches the R-th largest; so R, at the end."""
    rank, reaching = v["rank"] + v["above"], n.choose(v["maximum"] >= v["reached"], v["blocks"] + 1, v["blocks"])
    sure = rules.surely_first(n, v["reached"], v["left_out"])
    return [implies(n, sure, rank >= reaching), implies(n, n.both(sure, reaching >= v["R"]), rank >= v["R"])]


def rank_among_the_chosen(rules: Any, n: NumberSystem, **v: Any) -> Terms:
    """The fold that counts what outranks a token, over all tokens and over the chosen ones (`inside` is 1)."""
    outranked = n.choose(rules.outranks(n, v["weight_t"], v["id_t"], v["weight"], v["id"]), n.one, n.zero)
    return [n.eq(v["rank"] + outranked, v["rank_inside"] + outranked * v["inside"])]


CLAIM = Claim(
    id="block_maxima",
    sentence="If the R-th largest block maximum is above all that are left out, the first R ranks are in the other blocks.",
    scope="every row of numbers, whatever its length and ties; every division into blocks, every R",
    source="spec 2.2",
    relied_on_by="mtplx.selection.narrowed",
    lemmas=(
        Lemma(
            slug="block-maximum",
            sentence="No token is above its block's maximum, and if that is above t's value, so is a token of the block.",
            variables="maximum seen above value value_t",
            hypotheses=lambda n, maximum, seen, above, value, value_t: [
                maximum >= seen,
                above >= 0,
                implies(n, maximum > value_t, above >= 1),
            ],
            conclusion=one_token_more,
            mutants=(maximum_is_the_last, maximum_is_above_all),
            rules=blocks,
        ),
        Lemma(
            slug="block-left-out",
            sentence="A token of a block left out is outranked by at least as many tokens as blocks reach the R-th maximum.",
            variables="reached left_out value_t maximum above rank blocks R",
            hypotheses=lambda n, reached, left_out, value_t, maximum, above, rank, blocks, R: [
                value_t <= left_out,
                above >= 0,
                implies(n, maximum > value_t, above >= 1),
                rank >= blocks,
            ],
            conclusion=one_block_more,
            mutants=(sure_at_a_tie,),
            rules=blocks,
        ),
        Lemma(
            slug="block-same-rank",
            sentence="A token that only chosen tokens outrank has the same rank among these as among all.",
            variables="weight_t id_t weight id rank rank_inside inside",
            hypotheses=lambda n, weight_t, id_t, weight, id, rank, rank_inside, inside: [
                n.either(n.eq(inside, 0), n.eq(inside, 1)),
                implies(n, n.either(weight_t > weight, n.both(n.eq(weight_t, weight), id_t < id)), n.eq(inside, 1)),
                n.eq(rank, rank_inside),
            ],
            conclusion=rank_among_the_chosen,
            mutants=(ranks_ties_both_ways, ranks_the_lightest_first),
        ),
    ),
    theorem="Ranks.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
