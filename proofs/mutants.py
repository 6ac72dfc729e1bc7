"""Faulty versions of one pointwise function each; every claim names those it must refute.

Most are faults that real engines had or that a careless edit makes.
"""

from __future__ import annotations

from typing import Any

from proofs.obligation import replaces
from reference.numbers import NumberSystem


@replaces("minimum")
def larger_of_two(n: NumberSystem, a: Any, b: Any) -> Any:
    """The maximum."""
    return n.choose(a < b, b, a)


@replaces("positive_part")
def signed_difference(n: NumberSystem, a: Any) -> Any:
    """a itself, negative or not."""
    return a


@replaces("positive_part")
def absolute_difference(n: NumberSystem, a: Any) -> Any:
    """|a|."""
    return n.choose(a < n.zero, n.zero - a, a)


@replaces("acceptance")
def ratio_without_minimum(n: NumberSystem, p: Any, q: Any) -> Any:
    """p/q, above one where p > q."""
    return n.choose(q <= n.zero, n.choose(n.zero < p, n.one, n.zero), n.quotient(p, q))


def clipped_ratio(n: NumberSystem, p: Any, q: Any, without_draft: Any) -> Any:
    """min(1, p/q), with a value of its own where the draft has no mass."""
    return n.choose(q <= n.zero, without_draft, n.choose(p < q, n.quotient(p, q), n.one))


@replaces("acceptance")
def always_accepts_without_draft(n: NumberSystem, p: Any, q: Any) -> Any:
    """1 at q = 0, even where p = 0."""
    return clipped_ratio(n, p, q, n.one)


@replaces("acceptance")
def never_accepts_without_draft(n: NumberSystem, p: Any, q: Any) -> Any:
    """0 at q = 0, even where p > 0."""
    return clipped_ratio(n, p, q, n.zero)


@replaces("accepts")
def accepts_at_the_threshold(n: NumberSystem, u: Any, a: Any) -> Any:
    """u <= a: a coin of 0 lets a token of probability 0 through."""
    return u <= a


@replaces("accepts")
def accepts_above_the_threshold(n: NumberSystem, u: Any, a: Any) -> Any:
    """a < u."""
    return a < u


@replaces("residual_mass_step")
def mass_forgets(n: NumberSystem, mass: Any, p: Any, q: Any) -> Any:
    """Keeps the last token only."""
    return n.choose(q < p, p - q, n.zero)


@replaces("rejection_step")
def rejection_without_draft(n: NumberSystem, rejection: Any, q: Any, a: Any) -> Any:
    """Sums 1 - a without the probability of drafting the token."""
    return rejection + (n.one - a)


@replaces("rejection_step")
def rejection_counts_acceptance(n: NumberSystem, rejection: Any, q: Any, a: Any) -> Any:
    """Sums q*a."""
    return rejection + q * a


@replaces("residual")
def residual_without_division(n: NumberSystem, p: Any, q: Any, mass: Any) -> Any:
    """(p - q)+, not divided by its mass."""
    return n.choose(n.eq(mass, n.zero), p, n.choose(q < p, p - q, n.zero))


@replaces("residual")
def residual_at_zero_mass_divided(n: NumberSystem, p: Any, q: Any, mass: Any) -> Any:
    """(p - q)+ / mass, also where the mass is 0."""
    return n.quotient(n.choose(q < p, p - q, n.zero), mass)


@replaces("residual")
def residual_is_target(n: NumberSystem, p: Any, q: Any, mass: Any) -> Any:
    """p after a rejection, as if nothing had been drafted."""
    return p


@replaces("residual")
def residual_of_draft(n: NumberSystem, p: Any, q: Any, mass: Any) -> Any:
    """(q - p)+ / mass."""
    return n.choose(n.eq(mass, n.zero), p, n.quotient(n.choose(p < q, q - p, n.zero), mass))


@replaces("marginal")
def marginal_without_residual(n: NumberSystem, p: Any, q: Any, a: Any, rejection: Any, mass: Any) -> Any:
    """What is drafted and accepted only."""
    return q * a


@replaces("running_ratio")
def ratio_forgets_the_past(n: NumberSystem, rho: Any, p: Any, q: Any) -> Any:
    """min(1, p/q): the token rule at every position of a block."""
    return n.choose(q <= n.zero, n.zero, n.choose(p < q, n.quotient(p, q), n.one))


@replaces("running_ratio")
def ratio_of_the_target(n: NumberSystem, rho: Any, p: Any, q: Any) -> Any:
    """min(1, rho p), without the draft."""
    return n.choose(rho * p < n.one, rho * p, n.one)


@replaces("block_threshold")
def threshold_is_ratio(n: NumberSystem, mass: Any, rho: Any) -> Any:
    """rho itself, right at the last position only."""
    return rho


@replaces("block_threshold")
def threshold_without_mass(n: NumberSystem, mass: Any, rho: Any) -> Any:
    """S / (1 - rho)."""
    return n.choose(n.eq(rho, n.one), n.one, n.quotient(mass, n.one - rho))


@replaces("block_threshold")
def threshold_at_zero_divided(n: NumberSystem, mass: Any, rho: Any) -> Any:
    """S / (S + 1 - rho), also at 0/0."""
    return n.quotient(mass, mass + (n.one - rho))


@replaces("nucleus_keeps")
def keeps_at_the_boundary(n: NumberSystem, before: Any, top_p: Any, total: Any) -> Any:
    """before <= top_p * total: one rank too many at a tie."""
    return before <= top_p * total


@replaces("nucleus_keeps")
def keeps_without_total(n: NumberSystem, before: Any, top_p: Any, total: Any) -> Any:
    """before < top_p, for weights that do not sum to one."""
    return before < top_p


@replaces("nucleus_keeps")
def keeps_the_tail(n: NumberSystem, before: Any, top_p: Any, total: Any) -> Any:
    """The complement of the nucleus."""
    return top_p * total <= before
