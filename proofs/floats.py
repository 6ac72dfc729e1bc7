"""The token rule in floats, for every binary format at once: a format is a set of numbers, its grid.

A correctly rounded result is a grid point that no other is nearer than. Where the grid points are, and which of two is
taken at a tie, no claim asks; only that 0 and 1 are among them. A quotient beyond the largest becomes infinity, which is
not the nearest: both are above 1, and min(1, .) is 1 either way. proofs/checks/test_bfloat16.py ties this to one real format.
"""

from __future__ import annotations

from typing import Any

from reference.numbers import NumberSystem

SCOPE = "every binary floating-point format with subnormal numbers; correctly rounded division, to nearest, no flush to zero"


def rounds_to(n: NumberSystem, x: Any, r: Any, g: Any) -> Any:
    """|x - r| <= |x - g|: x rounds to r as far as the grid point g is concerned."""
    to_r = n.choose(x < r, r - x, x - r)
    to_g = n.choose(x < g, g - x, x - g)
    return to_r <= to_g


def acceptance(n: NumberSystem, p: Any, q: Any, ratio: Any) -> Any:
    """min(1, p/q), `ratio` being what p/q rounds to; where the draft has no mass, 1 if the target has some and 0 otherwise."""
    without_draft = n.choose(n.zero < p, n.one, n.zero)
    return n.choose(q <= n.zero, without_draft, n.choose(ratio < n.one, ratio, n.one))
