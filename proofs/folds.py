"""What the folds over a vocabulary sum, one token at a time, and the invariant that ties them."""

from __future__ import annotations

from typing import Any

from reference.numbers import NumberSystem


def balanced(n: NumberSystem, mass: Any, rejection: Any, sum_p: Any, sum_q: Any) -> Any:
    """The invariant of residual mass and rejection: they differ as the sums of the two rows do."""
    return n.eq(mass - rejection, sum_p - sum_q)


def one_token_more(rules: Any, n: NumberSystem, mass: Any, rejection: Any, p: Any, q: Any) -> tuple[Any, Any]:
    """Mass and rejection with the token (p, q) appended."""
    a = rules.acceptance(n, p, q)
    return rules.residual_mass_step(n, mass, p, q), rules.rejection_step(n, rejection, q, a)
