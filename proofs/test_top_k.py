"""Top-k keeps exactly min(k, n) of n tokens, and ids break ties: ranks are different whole numbers below n.

A token's rank is the number of tokens that outrank it, counted by a fold over the vocabulary. Where a outranks b, whatever
outranks a outranks b too, and so does a itself: so a has the lower rank. n different whole numbers from 0 to n - 1 are each of
them once, min(k, n) below k: that last step, about lists, is the theorem in Coq.
"""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies
from proofs.mutants import (
    keeps_none_where_off,
    keeps_one_rank_more,
    larger_of_two,
    ranks_by_weight_alone,
    ranks_the_highest_id_first,
    ranks_the_lightest_first,
    ranks_ties_both_ways,
)
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def one_way(rules: Any, n: NumberSystem, weight_a: Any, id_a: Any, weight_b: Any, id_b: Any) -> Terms:
    """Exactly one of two outranks the other: the heavier, or the lower id of equally heavy ones; none outranks itself."""
    first, second = rules.outranks(n, weight_a, id_a, weight_b, id_b), rules.outranks(n, weight_b, id_b, weight_a, id_a)
    return [
        n.either(first, second),
        n.neg(n.both(first, second)),
        n.neg(rules.outranks(n, weight_a, id_a, weight_a, id_a)),
        implies(n, weight_a > weight_b, first),
        implies(n, n.both(n.eq(weight_a, weight_b), id_a < id_b), first),
    ]


def counted(rules: Any, n: NumberSystem, rank: Any, weight_t: Any, id_t: Any, weight: Any, id_: Any) -> Any:
    """The fold that counts what outranks a token, with the token t appended."""
    return n.choose(rules.outranks(n, weight_t, id_t, weight, id_), rank + 1, rank)


def ranks_apart(rules: Any, n: NumberSystem, **v: Any) -> Terms:
    """rank_a + [a is among the tokens] <= rank_b, before the first token and after one more; so rank_a < rank_b at the end."""
    rank_a = counted(rules, n, v["rank_a"], v["weight_t"], v["id_t"], v["weight_a"], v["id_a"])
    rank_b = counted(rules, n, v["rank_b"], v["weight_t"], v["id_t"], v["weight_b"], v["id_b"])
    seen = n.choose(n.eq(v["id_t"], v["id_a"]), v["seen"] + 1, v["seen"])
    return [n.zero + n.zero <= n.zero, rank_a + seen <= rank_b, implies(n, seen >= 1, rank_a < rank_b)]


def ranks_below(rules: Any, n: NumberSystem, **v: Any) -> Terms:
    """rank_a + [a is among the tokens] <= tokens, after one more token: so at the end the rank is below their number."""
    rank = counted(rules, n, v["rank_a"], v["weight_t"], v["id_t"], v["weight_a"], v["id_a"])
    seen = n.choose(n.eq(v["id_t"], v["id_a"]), v["seen"] + 1, v["seen"])
    return [rank >= 0, rank + seen <= v["tokens"] + 1]


def same_token(n: NumberSystem, weight_a: Any, id_a: Any, weight_t: Any, id_t: Any) -> Any:
    """An id stands for one token: with equal ids the weights are equal."""
    return implies(n, n.eq(id_a, id_t), n.eq(weight_a, weight_t))


def ahead(n: NumberSystem, weight_a: Any, id_a: Any, weight_b: Any, id_b: Any) -> Any:
    """a outranks b, said without the rule."""
    return n.either(weight_a > weight_b, n.both(n.eq(weight_a, weight_b), id_a < id_b))


CLAIM = Claim(
    id="top_k",
    sentence="Top-k keeps exactly min(k, n) of n tokens: the heaviest, and of equally heavy ones the lowest ids.",
    scope="every row of numbers, whatever its length and its ties; every k",
    source="spec 2.2 and 2.4",
    relied_on_by="reference.filters, mtplx.selection",
    lemmas=(
        Lemma(
            slug="top-k-one-way",
            sentence="Of two tokens exactly one outranks the other: the heavier, or of equally heavy ones the lower id.",
            variables="weight_a id_a weight_b id_b",
            hypotheses=lambda n, weight_a, id_a, weight_b, id_b: [n.neg(n.eq(id_a, id_b))],
            conclusion=one_way,
            mutants=(ranks_the_highest_id_first, ranks_by_weight_alone, ranks_ties_both_ways, ranks_the_lightest_first),
        ),
        Lemma(
            slug="top-k-transitive",
            sentence="What outranks a outranks whatever a outranks.",
            variables="weight_t id_t weight_a id_a weight_b id_b",
            hypotheses=lambda n, weight_t, id_t, weight_a, id_a, weight_b, id_b: [
                ahead(n, weight_t, id_t, weight_a, id_a),
                ahead(n, weight_a, id_a, weight_b, id_b),
            ],
            conclusion=lambda rules, n, weight_t, id_t, weight_a, id_a, weight_b, id_b: [
                rules.outranks(n, weight_t, id_t, weight_b, id_b)
            ],
            mutants=(ranks_the_highest_id_first, ranks_by_weight_alone, ranks_the_lightest_first),
        ),
        Lemma(
            slug="top-k-ranks-apart",
            sentence="Where a outranks b, a has the lower rank: what outranks a outranks b, and a itself does.",
            variables="weight_a id_a weight_b id_b weight_t id_t rank_a rank_b seen",
            hypotheses=lambda n, weight_a, id_a, weight_b, id_b, weight_t, id_t, rank_a, rank_b, seen: [
                ahead(n, weight_a, id_a, weight_b, id_b),
                same_token(n, weight_a, id_a, weight_t, id_t),
                rank_a + seen <= rank_b,
            ],
            conclusion=ranks_apart,
            mutants=(ranks_the_highest_id_first, ranks_by_weight_alone, ranks_ties_both_ways, ranks_the_lightest_first),
        ),
        Lemma(
            slug="top-k-ranks-below",
            sentence="A token's rank is below the number of tokens: each of the others counts once at most, itself never.",
            variables="weight_a id_a weight_t id_t rank_a seen tokens",
            hypotheses=lambda n, weight_a, id_a, weight_t, id_t, rank_a, seen, tokens: [
                same_token(n, weight_a, id_a, weight_t, id_t),
                rank_a >= 0,
                rank_a + seen <= tokens,
            ],
            conclusion=ranks_below,
            mutants=(ranks_ties_both_ways,),
        ),
        Lemma(
            slug="top-k-size",
            sentence="Of so many ranks those stay that are below k, all of them where k is 0: min(k, size) ranks.",
            variables="rank size k",
            hypotheses=lambda n, rank, size, k: [rank >= 0, rank < size, k >= 0],
            conclusion=lambda rules, n, rank, size, k: [
                implies(n, rank < rules.first_ranks(n, size, k), n.either(n.eq(k, 0), rank < k)),
                implies(n, n.either(n.eq(k, 0), rank < k), rank < rules.first_ranks(n, size, k)),
            ],
            mutants=(keeps_one_rank_more, keeps_none_where_off, larger_of_two),
            sort="Int",
        ),
    ),
    theorem="Ranks.v",
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
