"""How the weight behind the leading ranks encloses the nucleus: the steps of `mtplx.tail.enclosed_sizes`.

What the code shifts to the right comes as a number of its own here, the floor; tests/unit/test_proved_steps.py holds the steps
against the code. All are in units of the code, and none of them rounds.
"""

from __future__ import annotations

from typing import Any

from reference.numbers import NumberSystem

LEADER_BITS = 43
"""A leader's weight is right to a relative 2^-43 and a unit."""
ERROR_BITS = 15
"""The weight behind is right to a relative 2^-15 and some units."""
UNIT_BITS = 40
"""Of the leaders the code allows for a relative 2^-40."""
SHARE_BITS = 32
"""top_p comes in units of 2^-32, rounded down and up."""


def coarse_error(n: NumberSystem, leaders: Any, behind: Any, slack: Any) -> Any:
    """What the total may be off by: the two parts' relative errors, shifted, and what truncation costs."""
    return leaders + behind + slack


def widened(n: NumberSystem, off: Any, shifted: Any) -> Any:
    """The error is relative to the real weights, not to those found: a little more, `off` shifted."""
    return off + shifted


def least_total(n: NumberSystem, total: Any, off: Any) -> Any:
    """total - off, but never below 0."""
    return n.choose(total < off, off, total) - off


def product(n: NumberSystem, high: Any, share: Any, low: Any) -> Any:
    """A weight times a share, rounded down, by the halves of the weight: `low` is the lower's product, shifted."""
    return high * share + low


def most(n: NumberSystem, rounded_down: Any) -> Any:
    """Above a number that was rounded down."""
    return rounded_down + n.one


def reach(n: NumberSystem, slack: Any, shifted: Any) -> Any:
    """How far the weight through a rank may be from the real one."""
    return slack + shifted


def stays(n: NumberSystem, through: Any, reach: Any, least: Any) -> Any:
    """Whatever the real weights are, the rank after this weight stays."""
    return through + reach < least


def may_stay(n: NumberSystem, through: Any, reach: Any, most: Any) -> Any:
    """Some real weights may let the rank after this weight stay."""
    return through < most + reach
