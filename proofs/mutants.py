"""Faulty versions of one rule of the reference each; every claim names those it must refute.

Most are faults that real engines had or that a careless edit makes.
"""

from __future__ import annotations

from typing import Any

from proofs.claim import replaces
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


@replaces("acceptance")
def barker_acceptance(n: NumberSystem, p: Any, q: Any) -> Any:
    """p / (p + q): Barker's rule, which accepts less often."""
    return n.choose(p + q <= n.zero, n.zero, n.quotient(p, p + q))


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


@replaces("agreement")
def agreement_of_one_draw(n: NumberSystem, p: Any, q: Any) -> Any:
    """min(p, q): draft and target drawn with one coin."""
    return n.choose(p < q, p, q)


@replaces("remaining")
def remaining_without_division(n: NumberSystem, p: Any, tried: Any) -> Any:
    """p as it is: zeroed, not renormalised."""
    return p


@replaces("remaining")
def remaining_of_the_tried(n: NumberSystem, p: Any, tried: Any) -> Any:
    """p / tried."""
    return n.quotient(p, tried)


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


@replaces("outranks")
def ranks_the_highest_id_first(n: NumberSystem, weight_a: Any, id_a: Any, weight_b: Any, id_b: Any) -> Any:
    """Of equal weights the highest id first, as a reversed sort has it."""
    return n.either(weight_b < weight_a, n.both(n.eq(weight_a, weight_b), id_b < id_a))


@replaces("outranks")
def ranks_by_weight_alone(n: NumberSystem, weight_a: Any, id_a: Any, weight_b: Any, id_b: Any) -> Any:
    """Equal weights are in no order: as many as tie share a rank."""
    return weight_b < weight_a


@replaces("outranks")
def ranks_ties_both_ways(n: NumberSystem, weight_a: Any, id_a: Any, weight_b: Any, id_b: Any) -> Any:
    """Of equal weights each is before the other."""
    return weight_b <= weight_a


@replaces("outranks")
def ranks_the_lightest_first(n: NumberSystem, weight_a: Any, id_a: Any, weight_b: Any, id_b: Any) -> Any:
    """By weight ascending."""
    return n.either(weight_a < weight_b, n.both(n.eq(weight_a, weight_b), id_a < id_b))


@replaces("first_ranks")
def keeps_one_rank_more(n: NumberSystem, size: Any, top_k: Any) -> Any:
    """min(top_k + 1, size): the rank top_k stays."""
    return n.choose(n.either(n.eq(top_k, n.zero), size <= top_k), size, top_k + n.one)


@replaces("first_ranks")
def keeps_none_where_off(n: NumberSystem, size: Any, top_k: Any) -> Any:
    """min(top_k, size) also at top_k = 0."""
    return n.choose(top_k < size, top_k, size)


@replaces("renormalised")
def share_without_division(n: NumberSystem, weight: Any, mass: Any, stays: Any) -> Any:
    """The weight as it was: what is kept sums to less than one."""
    return n.choose(stays, weight, n.zero)


@replaces("renormalised")
def share_of_dropped(n: NumberSystem, weight: Any, mass: Any, stays: Any) -> Any:
    """A dropped token keeps its share."""
    return n.quotient(weight, mass)


@replaces("renormalised")
def share_spread_evenly(n: NumberSystem, weight: Any, mass: Any, stays: Any) -> Any:
    """What was dropped is given to each kept token alike: w + (1 - mass)."""
    return n.choose(stays, weight + (n.one - mass), n.zero)


@replaces("owns")
def owns_its_end(n: NumberSystem, start: Any, count: Any, cell: Any) -> Any:
    """start <= cell <= start + count: one cell too many."""
    return n.both(start <= cell, cell <= start + count)


@replaces("owns")
def owns_all_before(n: NumberSystem, start: Any, count: Any, cell: Any) -> Any:
    """cell < start + count, also what an earlier token owns."""
    return cell < start + count


@replaces("excess_cell")
def numbers_by_offset(n: NumberSystem, before: Any, off: Any, p: Any) -> Any:
    """before + off: the accepted offsets are numbered too."""
    return before + off


@replaces("excess_cell")
def numbers_within_the_token(n: NumberSystem, before: Any, off: Any, p: Any) -> Any:
    """off - p: every token numbers its cells from 0."""
    return off - p


@replaces("is_floor")
def is_ceiling(n: NumberSystem, floor: Any, a: Any, b: Any) -> Any:
    """ceil(a / b)."""
    return n.both((floor - n.one) * b < a, a <= floor * b)


@replaces("is_floor")
def is_any_below(n: NumberSystem, floor: Any, a: Any, b: Any) -> Any:
    """At most a / b."""
    return floor * b <= a


@replaces("count")
def count_drops_missing(n: NumberSystem, floor: Any, rank: Any, missing: Any) -> Any:
    """The floor alone."""
    return floor


@replaces("count")
def count_gives_one_too_many(n: NumberSystem, floor: Any, rank: Any, missing: Any) -> Any:
    """A unit for the rank `missing` as well."""
    return n.choose(rank <= missing, floor + n.one, floor)


@replaces("count")
def count_gives_all_to_the_first(n: NumberSystem, floor: Any, rank: Any, missing: Any) -> Any:
    """Every missing unit for rank 0."""
    return n.choose(n.eq(rank, n.zero), floor + missing, floor)


@replaces("stands_for")
def stands_for_no_less(n: NumberSystem, mass: Any, weight: Any, error: Any, units: Any) -> Any:
    """Bounded above only."""
    return mass - weight <= error * weight + units


@replaces("stands_for")
def stands_for_units_only(n: NumberSystem, mass: Any, weight: Any, error: Any, units: Any) -> Any:
    """The relative error is forgotten in the bound."""
    return n.both(mass - weight <= units, weight - mass <= units)


@replaces("stands_for")
def stands_within_one_unit_more(n: NumberSystem, mass: Any, weight: Any, error: Any, units: Any) -> Any:
    """A unit of truncation is forgotten in the bound."""
    slack = error * weight + units + n.one
    return n.both(mass - weight <= slack, weight - mass <= slack)


@replaces("threshold_factors")
def factors_without_error(n: NumberSystem, top_p: Any, error: Any) -> tuple[Any, Any]:
    """The weights' relative error is forgotten."""
    return n.one - top_p, top_p


@replaces("threshold_factors")
def factors_of_the_other_side(n: NumberSystem, top_p: Any, error: Any) -> tuple[Any, Any]:
    """The error's sign turned round: what is certain and what is possible are exchanged."""
    return (n.one - top_p) * (n.one - error), top_p * (n.one + error)


@replaces("below_threshold")
def threshold_without_units(n: NumberSystem, before: Any, total: Any, units: Any, rest: Any, kept: Any) -> Any:
    """The units of truncation are forgotten."""
    return before * (rest + kept) < kept * total


@replaces("below_threshold")
def threshold_with_half_the_units(n: NumberSystem, before: Any, total: Any, units: Any, rest: Any, kept: Any) -> Any:
    """Only the masses from the rank on are allowed their units."""
    return before * (rest + kept) < kept * (total - units)
