"""The claims about one line of a dump: what each says, the fields it needs, and its judge.

Decisions are judged exactly on the numbers of the line (spec 3 and 4); where only rounding explains a difference, the outcome
is INCONCLUSIVE.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sympy import QQ

from mtplx.audit.dump_line import ROWS, Bounds, Line, P, Q, Target, capped
from mtplx.audit.verdict import Verdict
from reference import pointwise
from reference.numbers import law_of_row
from reference.numbers import rationals as n
from reference.one_token import check_coin, check_token, total_variation
from reference.softmax import row_of_logits

EXACT, REFUTED, INCONCLUSIVE = Verdict.EXACT, Verdict.REFUTED, Verdict.INCONCLUSIVE
MOST_WITNESSES = 5
"""How many lines, and tokens of a line, are kept of each claim."""

OPEN = "rounding leaves open which tokens the filter keeps; give p and q"

CLAIMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "rows": (
        "rows are laws or logits over one vocabulary, ids lie in it and coins in [0, 1)",
        ("logits | p | draft_logits | q",),
    ),
    "target": ("p is the filtered target of logits", ("p", "logits", "config")),
    "draft": ("q is the filtered law of draft_logits", ("q", "draft_logits", "draft_config")),
    "possible": (
        "no token without mass is drafted or emitted",
        (
            "p + output | p + draft + accepted=true | logits + config + output | q + draft"
            " | draft_logits + draft_config + draft",
        ),
    ),
    "decision": ("accepted iff coin < min(1, p/q)", (P, Q, "draft", "coin", "accepted", "rule=token")),
    "residual": (
        "a rejection ends in the residual's inverse CDF at residual_coin",
        (P, Q, "residual_coin", "output", "accepted=false", "rule=token", "draw_order=id"),
    ),
    "bonus": ("a bonus token is the inverse CDF of p at coin", (P, "coin", "output", "bonus=true", "draw_order=id")),
    "sampler-match": (
        "the output is the inverse CDF of p at coin",
        (P, "coin", "output", "rule=sampler-match", "bonus=false", "draw_order=id"),
    ),
    "emitted": ("an accepted draft is the output", ("draft", "output", "accepted")),
    "prefix": ("one prefix and config has one row", ("prefix | prefix_hash", "logits | p")),
    "block": ("nothing follows a rejection or a bonus token in its step", ("request", "step", "accepted | output")),
    "positions": ("the positions of a request increase by one", ("request", "position", "accepted | output")),
}
"""Claim -> what it says, and the fields it needs: `a | b + c` is a, or both b and c; `a=value` is a with that value."""


class Outcome(NamedTuple):
    """One claim at one line; fields, tokens: what its witness shows; earlier: another line that belongs to the witness."""

    verdict: Verdict
    sentence: str = ""
    fields: tuple[str, ...] = ()
    tokens: tuple[int, ...] = ()
    figures: dict[str, Any] | None = None
    earlier: dict[str, Any] | None = None


def well_formed(line: Line, size: int) -> Outcome:
    """Rows are laws or logits of `size` tokens, ids below it, coins in [0, 1)."""
    for name in ROWS:
        if line.has(name):
            try:
                row_of_logits(line[name]) if "logits" in name else law_of_row(line[name], name)
            except ValueError as error:
                return Outcome(REFUTED, f"{name}: {error}", (name,))
            if len(line[name]) != size:
                return Outcome(REFUTED, f"{name} has {len(line[name])} tokens, rows before it {size}", (name,))
    try:
        for name in ("draft", "output"):
            check_token(line.given.get(name, 0), size, name)
        for token in line.given.get("prefix", ()):
            check_token(token, size, "prefix")
        for name in ("coin", "residual_coin"):
            check_coin(line.given.get(name, 0), name)
    except ValueError as error:
        return Outcome(REFUTED, str(error), ("draft", "output", "coin", "residual_coin"))
    return Outcome(EXACT)


def right_law(line: Line, name: str, target: Target) -> Outcome:
    """A row beside the certified law: its support, then its total variation; what rounding may move is allowed for."""
    law, exact, support = law_of_row(line[name], name), target.law.midpoints, set(target.law.support)
    fields = (name, "logits", "config", "precision") if name == "p" else (name, "draft_logits", "draft_config", "precision")
    lost = len(law) * line.precision.smallest
    disputed = [x for x in range(len(law)) if (law[x] > 0) != (x in support) and max(law[x], exact[x]) >= lost]
    wrong = [x for x in disputed if x not in target.opened]
    distance = total_variation(law, exact)
    bound = min(target.bound + sum((max(law[x], exact[x]) for x in disputed), QQ(0)), QQ(1))
    figures = {"variation": distance, "bound": bound}
    if wrong:
        x = wrong[0]
        said = f"keeps token {x}, which the filter drops" if law[x] > 0 else f"drops token {x}, which the filter keeps"
        more = f", and {len(wrong) - 1} more differ" if wrong[1:] else ""
        return Outcome(
            REFUTED, f"{name} {said}{more}: beyond what rounding explains", fields, tuple(wrong[:MOST_WITNESSES]), figures
        )
    if distance > bound:
        x = max(range(len(law)), key=lambda token: abs(law[token] - exact[token]))
        found = f"{float(distance):.3g} in total variation from the filtered law, rounding explains {float(bound):.3g}"
        at = f"token {x} has {float(law[x]):.6g}, right is {float(exact[x]):.6g}"
        return Outcome(REFUTED, f"{name} is {found}; {at}", fields, (x,), figures)
    if target.bound >= 1:
        return Outcome(
            INCONCLUSIVE, f"rounding in {line['precision']} could move all of {name}; give wider rows", fields, (), figures
        )
    return Outcome(EXACT, figures=figures)


def possible(line: Line) -> Outcome:
    """The draft has mass in q, what is accepted and emitted has mass in p."""
    p, q, x, y = line.p, line.q, line.given.get("draft"), line.given.get("output")
    fields = ("p", "q", "logits", "draft_logits", "config", "draft_config", "draft", "accepted", "output")
    if p is None and q is None:
        return Outcome(INCONCLUSIVE, OPEN, fields)
    if q and x is not None and not q.high[x]:
        return Outcome(REFUTED, f"token {x} was drafted, and q({x}) = 0", fields, (x,))
    if p and x is not None and line.has("accepted=true") and not p.high[x]:
        return Outcome(REFUTED, f"token {x} was accepted, and p({x}) = 0", fields, (x,))
    if p and y is not None and not p.high[y]:
        return Outcome(REFUTED, f"token {y} was emitted, and p({y}) = 0", fields, (y,))
    return Outcome(EXACT)


def no_residual(line: Line) -> Outcome:
    """What a rejection emits has mass in the residual."""
    p, q, y = line.p, line.q, line.given.get("output")
    if p and q and y is not None and line.has("accepted=false + rule=token"):
        law = residual_bounds(p, q)
        if not law.high[y]:
            said = f"token {y} was emitted after a rejection, where the residual has no mass: p({y}) <= q({y})"
            return Outcome(REFUTED, said, ("p", "q", "logits", "draft_logits", "draft", "output"), (y,))
    return Outcome(EXACT)


def decision(line: Line) -> Outcome:
    """accepted == (coin < a) with a = min(1, p/q) in an interval, exact on given rows; one rounding of p/q is u a."""
    p, q, x, coin = line.p, line.q, line["draft"], line["coin"]
    fields = ("p", "q", "logits", "draft_logits", "config", "draft_config", "draft", "coin", "accepted")
    if not p or not q:
        return Outcome(INCONCLUSIVE, OPEN, fields, (x,))
    low = pointwise.acceptance(n, p.low[x], q.high[x])
    high = pointwise.acceptance(n, p.high[x], q.low[x])
    certain = coin < low or coin >= high
    if certain and line["accepted"] == pointwise.accepts(n, coin, low):
        return Outcome(EXACT)
    unit, tie = line.precision.unit, low == high == coin
    rounded = low < 1 and not tie and low * (1 - unit) < coin < high * (1 + unit)
    a = f"min(1, p/q) = {low}" if low == high else f"min(1, p/q) is from {float(low):.9g} to {float(high):.9g}"
    said = f"token {x} was {'accepted' if line['accepted'] else 'rejected'} at coin {coin}, where {a}"
    if not certain or rounded:
        return Outcome(INCONCLUSIVE, f"{said}: within rounding; give p and q as the engine compared them", fields, (x,))
    return Outcome(REFUTED, said + (": accept iff coin < a, never <=" if tie else ""), fields, (x,))


def residual_bounds(p: Bounds, q: Bounds) -> Bounds:
    """(p - q)+ between two rows; p where it has no mass."""
    low = [pointwise.positive_part(n, a - b) for a, b in zip(p.low, q.high, strict=True)]
    high = [pointwise.positive_part(n, a - b) for a, b in zip(p.high, q.low, strict=True)]
    return Bounds(low, high) if any(high) else p


def through(weights: Bounds, x: int) -> tuple[Any, Any]:
    """The share of the mass of the tokens before x, between two numbers."""
    below, above = (sum(row[:x], QQ(0)) for row in weights)
    rest_low, rest_high = (sum(row[x:], QQ(0)) for row in weights)
    low = below / (below + rest_high) if below + rest_high else QQ(0)
    return low, above / (above + rest_low) if above + rest_low else QQ(1)


def drawn(line: Line, weights: Bounds | None, coin_name: str) -> Outcome:
    """output is the inverse CDF of the weights at the coin, in id order.

    A running sum of k positive weights, their total and one quotient err by at most (2k + 2) u of the whole: a coin so near
    to a boundary, but not on it, is INCONCLUSIVE.
    """
    y, coin = line["output"], line[coin_name]
    fields = ("p", "q", "logits", "draft_logits", "config", "draft_config", "draft", coin_name, "output")
    if weights is None:
        return Outcome(INCONCLUSIVE, OPEN, fields, (y,))
    (before_low, before_high), (after_low, after_high) = through(weights, y), through(weights, y + 1)
    if before_high <= coin < after_low:
        return Outcome(EXACT)
    slack = capped((2 * sum(map(bool, weights.high)) + 2) * line.precision.sums)
    tie = after_low == after_high == coin
    span = f"its share of the mass is from {float(before_low):.9g} to {float(after_high):.9g}"
    said = f"token {y} was drawn at {coin_name} {coin}, and {span}"
    if before_low - slack < coin < after_high + slack and not tie:
        return Outcome(INCONCLUSIVE, f"{said}: within rounding of the sums", fields, (y,))
    return Outcome(REFUTED, said, fields, (y,))


def residual(line: Line) -> Outcome:
    """The draw after a rejection."""
    return drawn(line, residual_bounds(line.p, line.q) if line.p and line.q else None, "residual_coin")


def emitted(line: Line) -> Outcome:
    """An accepted draft is the output; a sampler that matches accepts iff they are equal."""
    x, y, accepted = line["draft"], line["output"], line["accepted"]
    same_word = line.has("rule=sampler-match")
    if (accepted and x != y) or (same_word and not accepted and x == y):
        said = f"draft {x} was {'accepted' if accepted else 'rejected'}, and the output is {y}"
        return Outcome(REFUTED, said, ("draft", "accepted", "output"))
    return Outcome(EXACT)
