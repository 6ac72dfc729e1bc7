"""The rules at one token, written once over any ordered field.

`n` is a table of `reference.numbers`. The same source judges engines on rationals and is proved on z3 and cvc5 terms:
a proof is about this code, not about a transcription of it. Symbols: p target, q draft, u coin, a acceptance
(Leviathan et al., arXiv 2211.17192, section 2.3; Chen et al., arXiv 2302.01318, theorem 1).
"""

from __future__ import annotations

from typing import Any

from reference.numbers import NumberSystem


def minimum(n: NumberSystem, a: Any, b: Any) -> Any:
    """The smaller of two numbers."""
    return n.choose(b < a, b, a)


def positive_part(n: NumberSystem, a: Any) -> Any:
    """a where it is positive, else 0."""
    return n.choose(n.zero < a, a, n.zero)


def acceptance(n: NumberSystem, p: Any, q: Any) -> Any:
    """min(1, p/q); where the draft has no mass, 1 if the target has some and 0 otherwise."""
    without_draft = n.choose(n.zero < p, n.one, n.zero)
    return n.choose(q <= n.zero, without_draft, minimum(n, n.one, n.quotient(p, q)))


def accepts(n: NumberSystem, u: Any, a: Any) -> Any:
    """Accept iff u < a. Strict: a coin of 0 must not let a token of probability 0 through."""
    return u < a


def residual_mass_step(n: NumberSystem, mass: Any, p: Any, q: Any) -> Any:
    """One token of the fold that sums (p - q)+."""
    return mass + positive_part(n, p - q)


def rejection_step(n: NumberSystem, rejection: Any, q: Any, a: Any) -> Any:
    """One token of the fold that sums the probability of drafting a token and rejecting it."""
    return rejection + q * (n.one - a)


def residual(n: NumberSystem, p: Any, q: Any, mass: Any) -> Any:
    """(p - q)+ / mass with mass = sum (p - q)+; p itself where that mass is 0."""
    return n.choose(n.eq(mass, n.zero), p, n.quotient(positive_part(n, p - q), mass))


def marginal(n: NumberSystem, p: Any, q: Any, a: Any, rejection: Any, mass: Any) -> Any:
    """Probability that this token is emitted: drafted and accepted, or drawn from the residual after a rejection."""
    return q * a + rejection * residual(n, p, q, mass)


def agreement(n: NumberSystem, p: Any, q: Any) -> Any:
    """Probability that the target's own draw is this token and the draft was: the two are independent."""
    return p * q


def remaining(n: NumberSystem, p: Any, tried: Any) -> Any:
    """p of any other token once a token of probability `tried` is ruled out: p / (1 - tried)."""
    return n.quotient(p, n.one - tried)


def running_ratio(n: NumberSystem, rho: Any, p: Any, q: Any) -> Any:
    """rho_i = min(1, rho_{i-1} p/q) at a drafted token (arXiv 2403.10444; spec 4); 0 where the draft has no mass."""
    return n.choose(q <= n.zero, n.zero, minimum(n, n.one, n.quotient(rho * p, q)))


def block_threshold(n: NumberSystem, mass: Any, rho: Any) -> Any:
    """h_i = S_i / (S_i + 1 - rho_i) with mass = S_i = sum (rho_i p_i - q_i)+; 1 at 0/0, where nothing depends on it."""
    ahead = mass + (n.one - rho)
    return n.choose(n.eq(ahead, n.zero), n.one, n.quotient(mass, ahead))


def nucleus_keeps(n: NumberSystem, before: Any, top_p: Any, total: Any) -> Any:
    """A rank stays iff the mass of the ranks before it is below top_p of the total (spec 2.3)."""
    return before < top_p * total


def nucleus_keeps_ties(n: NumberSystem, before: Any, top_p: Any, total: Any) -> Any:
    """A dialect's cut: a rank stays also where the mass before it is top_p of the total (spec 6)."""
    return n.neg(top_p * total < before)


def scaled(n: NumberSystem, logit: Any, temperature: Any) -> Any:
    """The exponent of a weight: logit / T, T > 0 (spec 2.1)."""
    return n.quotient(logit, temperature)


def outranks(n: NumberSystem, weight_a: Any, id_a: Any, weight_b: Any, id_b: Any) -> Any:
    """Token a ranks before token b: by weight descending, then by id ascending (spec 2.2)."""
    return n.either(weight_b < weight_a, n.both(n.eq(weight_a, weight_b), id_a < id_b))


def first_ranks(n: NumberSystem, size: Any, top_k: Any) -> Any:
    """How many of so many first ranks top-k keeps: min(top_k, size); top_k = 0 is off (spec 2.4)."""
    return n.choose(n.eq(top_k, n.zero), size, minimum(n, size, top_k))


def renormalised(n: NumberSystem, weight: Any, mass: Any, stays: Any) -> Any:
    """The share of a token after a cut: its weight over the kept mass, 0 where it is dropped (spec 2.5)."""
    return n.choose(stays, n.quotient(weight, mass), n.zero)


def owns(n: NumberSystem, start: Any, count: Any, cell: Any) -> Any:
    """The interval of `count` cells from `start` on holds the cell: draws, excess or deficit cells (docs/integer-core.md)."""
    return n.both(start <= cell, cell < start + count)


def excess_cell(n: NumberSystem, before: Any, off: Any, p: Any) -> Any:
    """The number of a rejected offset, off >= p, of a token with `before` excess cells of the tokens before it."""
    return before + (off - p)


def is_floor(n: NumberSystem, floor: Any, a: Any, b: Any) -> Any:
    """A whole number `floor` is floor(a / b), b > 0, said with products."""
    return n.both(floor * b <= a, a < (floor + n.one) * b)


def count(n: NumberSystem, floor: Any, rank: Any, missing: Any) -> Any:
    """The count of a rank: its floor, and one unit more for the first `missing` ranks."""
    return n.choose(rank < missing, floor + n.one, floor)


def stands_for(n: NumberSystem, mass: Any, weight: Any, error: Any, units: Any) -> Any:
    """A mass is right to `error` of the real weight and some units: one for a token, one a rank for a sum."""
    slack = error * weight + units
    return n.both(mass - weight <= slack, weight - mass <= slack)


def threshold_factors(n: NumberSystem, top_p: Any, error: Any) -> tuple[Any, Any]:
    """What the proved cut weighs the masses before a rank and from it on with: (1 - top_p)(1 + error), top_p (1 - error)."""
    return (n.one - top_p) * (n.one + error), top_p * (n.one - error)


def below_threshold(n: NumberSystem, before: Any, total: Any, units: Any, rest: Any, kept: Any) -> Any:
    """The mass before a rank is below the proved cut's threshold of these factors, said as a product.

    With the error and one unit a rank, true means that the rank stays; with both negated, false means that it goes.
    """
    return before * (rest + kept) < kept * (total - units) - rest * units
