"""Faulty versions of the steps that the proofs transcribe: wide arithmetic, paths of a chain, floats, orders of the filter."""

from __future__ import annotations

from typing import Any

from proofs import arithmetic, cuts, floats, paths
from proofs.claim import replaces
from reference.numbers import NumberSystem


@replaces("trial_divisor", arithmetic)
def trial_by_the_leading_bits(n: NumberSystem, leading: Any) -> Any:
    """The leading bits as they are: a digit may come out too large."""
    return leading


@replaces("next_digit", arithmetic)
def digit_without_correction(n: NumberSystem, trial: Any, left: Any, divisor: Any) -> Any:
    """The trial digit, though the divisor may fit once more."""
    return trial


@replaces("next_digit", arithmetic)
def digit_corrected_beyond(n: NumberSystem, trial: Any, left: Any, divisor: Any) -> Any:
    """Corrected only where the divisor is below what is left, not at it."""
    return n.choose(divisor < left, trial + n.one, trial)


@replaces("middle_column", arithmetic)
def middle_without_carry(n: NumberSystem, carry: Any, first: Any, second: Any) -> Any:
    """The carry out of the lowest product is lost."""
    return first + second


@replaces("high_column", arithmetic)
def high_without_middle(n: NumberSystem, product: Any, first: Any, second: Any, carry: Any) -> Any:
    """The carry out of the middle column is lost."""
    return product + first + second


@replaces("drafted", paths)
def drafted_whatever_is_accepted(n: NumberSystem, drafting: Any, p: Any, q: Any) -> Any:
    """Every draft is taken."""
    return drafting * q


@replaces("replaced", paths)
def replaced_by_the_target(n: NumberSystem, drafting: Any, ended: Any, p: Any, q: Any, rejection: Any, mass: Any) -> Any:
    """A rejected draft is replaced by a draw from the target."""
    return drafting * (rejection * p) + ended * p


@replaces("replaced", paths)
def ended_drafts_again(n: NumberSystem, drafting: Any, ended: Any, p: Any, q: Any, rejection: Any, mass: Any) -> Any:
    """After a rejection the block goes on with its next draft, which was drawn after the rejected one."""
    return drafting * (rejection * n.quotient(n.choose(q < p, p - q, n.zero), mass)) + ended * q


@replaces("closed", paths)
def no_bonus(n: NumberSystem, drafting: Any, ended: Any, p: Any) -> Any:
    """The block ends without a bonus: its last token is lost."""
    return ended * p


@replaces("closed", paths)
def bonus_after_rejections_too(n: NumberSystem, drafting: Any, ended: Any, p: Any) -> Any:
    """A token more after a block that has ended as well."""
    return drafting * p + ended * p * p


@replaces("series_fall", arithmetic)
def series_without_fourth(n: NumberSystem, t: Any, square: Any, cube: Any, fourth: Any) -> Any:
    """Three terms only."""
    return t + cube - square


@replaces("series_fall", arithmetic)
def series_of_one_sign(n: NumberSystem, t: Any, square: Any, cube: Any, fourth: Any) -> Any:
    """exp(t) - 1."""
    return t + square + cube + fourth


@replaces("falls_from", arithmetic)
def rises_from(n: NumberSystem, start: Any, lost: Any) -> Any:
    """The product is added."""
    return start + lost


@replaces("within", arithmetic)
def error_of_one_only(n: NumberSystem, a: Any, b: Any) -> Any:
    """The second error is forgotten."""
    return a


@replaces("rounds_to", floats)
def rounds_towards_zero(n: NumberSystem, x: Any, r: Any, g: Any) -> Any:
    """Truncation: r is the largest grid point that is not above x, which is not negative."""
    return n.both(r <= x, n.either(x < g, g <= r))


@replaces("rounds_to", floats)
def rounds_to_a_neighbour(n: NumberSystem, x: Any, r: Any, g: Any) -> Any:
    """Faithful, not nearest: x itself if it is a grid point, else the one below it or the one above."""
    return n.neg(n.either(n.both(r < g, g <= x), n.both(x <= g, g < r)))


@replaces("rounds_to", floats)
def rounds_to_the_farther(n: NumberSystem, x: Any, r: Any, g: Any) -> Any:
    """The comparison turned round."""
    return n.choose(x < g, g - x, x - g) <= n.choose(x < r, r - x, x - r)


@replaces("acceptance", floats)
def float_without_minimum(n: NumberSystem, p: Any, q: Any, ratio: Any) -> Any:
    """The rounded quotient itself, above one where p > q."""
    return n.choose(q <= n.zero, n.choose(n.zero < p, n.one, n.zero), ratio)


@replaces("acceptance", floats)
def float_larger_of_two(n: NumberSystem, p: Any, q: Any, ratio: Any) -> Any:
    """max(1, p/q)."""
    return n.choose(q <= n.zero, n.choose(n.zero < p, n.one, n.zero), n.choose(ratio < n.one, n.one, ratio))


def clipped_float(n: NumberSystem, q: Any, ratio: Any, without_draft: Any) -> Any:
    """min(1, p/q) in floats, with a value of its own where the draft has no mass."""
    return n.choose(q <= n.zero, without_draft, n.choose(ratio < n.one, ratio, n.one))


@replaces("acceptance", floats)
def float_always_accepts_without_draft(n: NumberSystem, p: Any, q: Any, ratio: Any) -> Any:
    """1 at q = 0, even where p = 0."""
    return clipped_float(n, q, ratio, n.one)


@replaces("acceptance", floats)
def float_never_accepts_without_draft(n: NumberSystem, p: Any, q: Any, ratio: Any) -> Any:
    """0 at q = 0, even where p > 0."""
    return clipped_float(n, q, ratio, n.zero)


@replaces("acceptance", floats)
def float_divides_without_draft(n: NumberSystem, p: Any, q: Any, ratio: Any) -> Any:
    """q < 0 for q <= 0: at q = 0 whatever the quotient by zero is."""
    return n.choose(q < n.zero, n.choose(n.zero < p, n.one, n.zero), n.choose(ratio < n.one, ratio, n.one))


@replaces("acceptance", floats)
def float_rejection(n: NumberSystem, p: Any, q: Any, ratio: Any) -> Any:
    """The probability of rejecting."""
    return clipped_float(n, q, n.choose(ratio < n.one, n.one - ratio, n.zero), n.choose(n.zero < p, n.zero, n.one))


@replaces("measured_on", cuts)
def measured_on_what_is_left(n: NumberSystem, total: Any, left: Any) -> Any:
    """The mass that top-k left, as transformers, vLLM and llama.cpp do."""
    return left


@replaces("measured_at", cuts)
def measured_untempered(n: NumberSystem, weight: Any, tempered: Any) -> Any:
    """The weight at T = 1, as mlx-lm and llama.cpp do."""
    return weight
