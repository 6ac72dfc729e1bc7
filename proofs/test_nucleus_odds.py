"""A cut changes no odds: kept tokens are divided by one number, so their ratios stay; by the kept mass, so they sum to one.

The sum is a fold over the tokens with the invariant shares * mass = kept mass so far.
"""

from typing import Any

from proofs.claim import Claim, Lemma, Terms, implies
from proofs.mutants import share_of_dropped, share_spread_evenly, share_without_division
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


def same_odds(rules: Any, n: NumberSystem, w_i: Any, w_j: Any, mass: Any) -> Terms:
    """w_i' * w_j = w_j' * w_i, said without dividing by a weight that may be 0; a dropped token has no share."""
    stays, goes = n.eq(n.one, 1), n.eq(n.one, 0)
    first, second = rules.renormalised(n, w_i, mass, stays), rules.renormalised(n, w_j, mass, stays)
    return [n.eq(first * w_j, second * w_i), n.eq(rules.renormalised(n, w_i, mass, goes), 0)]


def one_token_more(rules: Any, n: NumberSystem, shares: Any, through: Any, weight: Any, mass: Any, keep: Any) -> Terms:
    """Shares so far times the mass are the kept mass so far: of no token, after one more, and one in the end."""
    shares, through = shares + rules.renormalised(n, weight, mass, n.eq(keep, 1)), through + weight * keep
    return [n.eq(n.zero * mass, 0), n.eq(shares * mass, through), implies(n, n.eq(through, mass), n.eq(shares, 1))]


CLAIM = Claim(
    id="nucleus_odds",
    sentence="Kept tokens keep their ratios to one another, dropped ones get 0, and the shares sum to one.",
    scope="every row, every kept set of positive mass",
    source="spec 2.5",
    relied_on_by="reference.filters.apply_top_p_top_k",
    lemmas=(
        Lemma(
            slug="nucleus-odds",
            sentence="Two kept tokens are to one another as their weights are, and a dropped token has no share.",
            variables="w_i w_j mass",
            hypotheses=lambda n, w_i, w_j, mass: [w_i >= 0, w_j >= 0, w_i + w_j <= mass, mass > 0],
            conclusion=same_odds,
            mutants=(share_of_dropped, share_spread_evenly),
        ),
        Lemma(
            slug="nucleus-shares",
            sentence="The shares of the tokens so far times the kept mass are the kept mass so far: all of them sum to one.",
            variables="shares through weight mass keep",
            hypotheses=lambda n, shares, through, weight, mass, keep: [
                *(weight >= 0, mass > 0, n.either(n.eq(keep, 0), n.eq(keep, 1))),
                n.eq(shares * mass, through),
            ],
            conclusion=one_token_more,
            mutants=(share_without_division, share_of_dropped, share_spread_evenly),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
