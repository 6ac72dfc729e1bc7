"""The dump audit: an engine that cannot be called is judged by what it wrote down, one JSON object a line (docs/dumps.md).

A claim whose fields no line has is not tried, never passed.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

from sympy import QQ

from mtplx.audit.dump_claims import (
    CLAIMS,
    EXACT,
    INCONCLUSIVE,
    MOST_WITNESSES,
    REFUTED,
    Outcome,
    decision,
    drawn,
    emitted,
    no_residual,
    possible,
    residual,
    right_law,
    well_formed,
)
from mtplx.audit.dump_line import DEFAULTS, Line, capped, parse_line
from mtplx.audit.finding import Finding, overall
from mtplx.audit.verdict import Verdict
from reference.dialects import dialect_named
from reference.numbers import rational


@dataclass
class Tally:
    """One claim over a dump: lines tried, refuted, inconclusive; the first witnesses; if never tried, what was missing."""

    claim: str
    tried: int = 0
    refuted: int = 0
    inconclusive: int = 0
    witnesses: list[Finding] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def add(self, line: Line, outcome: Outcome) -> None:
        """Count an outcome, and keep it if it is among the first of its kind."""
        self.tried += 1
        self.refuted += outcome.verdict is REFUTED
        self.inconclusive += outcome.verdict is INCONCLUSIVE
        figures = outcome.figures or {}
        if figures and figures["variation"] >= self.figures.get("variation", 0):
            self.figures = figures
        sentence = f"{line.place}: {outcome.sentence}"
        if outcome.verdict is EXACT:
            if outcome.sentence and len(self.remarks) < MOST_WITNESSES:
                self.remarks.append(sentence)
        elif sum(finding.verdict is outcome.verdict for finding in self.witnesses) < MOST_WITNESSES:
            lines = [outcome.earlier] if outcome.earlier else []
            witness = {"lines": [*lines, line.reduced(outcome.fields, outcome.tokens)]}
            self.witnesses.append(Finding(self.claim, outcome.verdict, sentence, witness=witness, figures=figures))

    def lacks(self, needs: Iterable[str]) -> None:
        """Remember the line that came nearest to being tried."""
        needs = tuple(needs)
        if not self.missing or len(needs) < len(self.missing):
            self.missing = needs

    @property
    def findings(self) -> list[Finding]:
        """The witnesses, or that the claim holds; nothing if it was not tried."""
        if self.witnesses or not self.tried:
            return self.witnesses
        lines = "1 line" if self.tried == 1 else f"{self.tried} lines"
        return [
            Finding(self.claim, EXACT, f"{CLAIMS[self.claim][0]}: {lines}", figures=self.figures, remarks=tuple(self.remarks))
        ]


class Seen(NamedTuple):
    """What is kept of the first line of a prefix: digests of its rows, and p's positive entries as doubles."""

    line: int
    digests: dict[str, bytes]
    tokens: Any
    shares: Any


def digest(value: Any) -> bytes:
    """A name of a row that is the same for the same numbers, however they are written."""
    entries = value if isinstance(value, list) else [value]
    exact = (str(x if isinstance(x, float) and x == float("-inf") else rational(x)) for x in entries)
    return blake2b(",".join(exact).encode(), digest_size=16).digest()


def p_bound(line: Line) -> Any:
    """How far two computations of p may lie apart; without logits, as if the largest had been subtracted first."""
    if line.has("logits + config"):
        return 2 * line.target.bound
    precision, size = line.precision, len(line["p"])
    e = precision.unit * (
        3 * (precision.reach + size.bit_length()) + 6
    )  # no weight that is seen lies further below the largest
    return 2 * (capped(e / (1 - e) + size * size * precision.smallest) if e < 1 else QQ(1))


@dataclass
class DumpReport:
    """What a dump shows, so far: `read` it line by line; whatever stops that, `findings` are about the lines judged."""

    dialect: str = "mtplx"
    lines: int = 0
    complete: bool = False
    tallies: dict[str, Tally] = field(default_factory=lambda: {claim: Tally(claim) for claim in CLAIMS})
    size: int = 0
    prefixes: dict[bytes, Seen] = field(default_factory=dict, repr=False)
    ended: dict[Any, tuple[int, int, str]] = field(default_factory=dict, repr=False)
    positions: dict[Any, tuple[int, int]] = field(default_factory=dict, repr=False)

    def read(self, lines: Iterable[str]) -> Iterator[int]:
        """Judge line after line, yielding the number of each; ValueError names a line that cannot be read."""
        defaults = {**DEFAULTS, "dialect": dialect_named(self.dialect).name}
        for number, text in enumerate(lines, 1):
            if text.strip():
                line = parse_line(number, text, defaults)
                if line.given:
                    self.judge(line)
                    self.lines += 1
            yield number
        self.complete = True

    def judge(self, line: Line) -> None:
        """All claims at one line. What rests on a decision that is wrong is not judged: it has no right answer."""
        self.size = self.size or line.size
        if not self.tried("rows", line, lambda line: well_formed(line, self.size)):
            return self.follow(line, sure=False)
        self.tried("target", line, lambda line: right_law(line, "p", line.target))
        self.tried("draft", line, lambda line: right_law(line, "q", line.draft_target))
        self.same_row(line)
        sure = self.tried("possible", line, possible, add=False) and self.tried("decision", line, decision)
        if self.tried("possible", line, no_residual if sure else possible) and sure:
            self.tried("residual", line, residual)
            self.tried("bonus", line, lambda line: drawn(line, line.p, "coin"))
            self.tried("sampler-match", line, lambda line: drawn(line, line.p, "coin"))
            self.tried("emitted", line, emitted)
        return self.follow(line, sure=sure)

    def tried(self, claim: str, line: Line, check: Callable[[Line], Outcome], *, add: bool = True) -> bool:
        """Try a claim if its fields are there; False if it is refuted."""
        missing = [need for need in CLAIMS[claim][1] if not line.has(need)]
        if missing:
            self.tallies[claim].lacks(missing)
            return True
        outcome = check(line)
        if add:
            self.tallies[claim].add(line, outcome)
        return outcome.verdict is not REFUTED

    def same_row(self, line: Line) -> None:
        """Compare with the first line of the same prefix, config and dialect."""
        if not all(map(line.has, CLAIMS["prefix"][1])):
            self.tried("prefix", line, lambda _: Outcome(EXACT))
            return
        named = [line.given.get(name) for name in ("prefix", "prefix_hash", "config", "dialect")]
        key = blake2b(repr(named).encode(), digest_size=16).digest()
        p = [float(rational(x)) for x in line.given.get("p", ())]
        kept = [x for x, share in enumerate(p) if share]
        digests = {name: digest(line[name]) for name in ("logits", "p") if line.has(name)}
        now = Seen(line.number, digests, array("l", kept), array("d", (p[x] for x in kept)))
        seen = self.prefixes.setdefault(key, now)
        both = digests.keys() & seen.digests.keys()
        if seen is now or not both:
            self.tallies["prefix"].lacks(["a second line with the same prefix, and p or logits on both"])
        else:
            differ = sorted(name for name in both if digests[name] != seen.digests[name])
            self.tallies["prefix"].add(line, apart(line, now, seen, differ))

    def follow(self, line: Line, *, sure: bool) -> None:
        """The order of lines: steps that end, positions that count; an unsure decision ends no step."""
        self.tried("block", line, lambda line: self.in_block(line, sure=sure))
        self.tried("positions", line, self.next_position)

    def in_block(self, line: Line, *, sure: bool) -> Outcome:
        """No line of a step after the one that ended it."""
        step, at, why = self.ended.get(line["request"], (None, 0, ""))
        if step == line["step"]:
            said = f"a token of step {step} is emitted, which line {at} ended with a {why}"
            return Outcome(REFUTED, said, ("accepted", "output"), (), None, {"line": at, "step": step, "ended": why})
        if sure and (line.has("accepted=false") or line.has("bonus=true")):
            why = "bonus token" if line["bonus"] else "rejection"
            self.ended[line["request"]] = (line["step"], line.number, why)
        return Outcome(EXACT)

    def next_position(self, line: Line) -> Outcome:
        """One more than the request's last."""
        here = line["position"]
        last, at = self.positions.get(line["request"], (here - 1, 0))
        self.positions[line["request"]] = (here, line.number)
        if here != last + 1:
            return Outcome(
                REFUTED, f"position {here} follows position {last} of line {at}", earlier={"line": at, "position": last}
            )
        return Outcome(EXACT)

    @property
    def summary(self) -> list[Tally]:
        """The claims that were tried, with their counts."""
        return [tally for tally in self.tallies.values() if tally.tried]

    @property
    def findings(self) -> list[Finding]:
        """What was found about each claim that was tried: its first witnesses, or that it holds."""
        return [finding for tally in self.summary for finding in tally.findings]

    @property
    def not_tried(self) -> dict[str, tuple[str, ...]]:
        """The claims that no line has the fields for, and the fields that the line nearest to it lacks."""
        return {claim: tally.missing for claim, tally in self.tallies.items() if not tally.tried}

    @property
    def verdict(self) -> Verdict:
        """The verdict over the claims tried (spec 7)."""
        return overall(self.findings, complete=self.complete)


def apart(line: Line, now: Seen, seen: Seen, differ: list[str]) -> Outcome:
    """Two lines of one prefix: the same numbers, or p as near as two computations may be, or not."""
    if not differ:
        return Outcome(EXACT)
    said = f"{' and '.join(differ)} differ from line {seen.line}, which has the same prefix"
    if not {"p"} <= now.digests.keys() & seen.digests.keys():
        return Outcome(INCONCLUSIVE, f"{said}; p on both would tell whether it matters", ("prefix", "prefix_hash"))
    a, b = ({x: rational(share) for x, share in zip(row.tokens, row.shares, strict=True)} for row in (seen, now))
    masses = sum(a.values()), sum(b.values())
    gaps = {x: abs(a.get(x, QQ(0)) / masses[0] - b.get(x, QQ(0)) / masses[1]) for x in a.keys() | b.keys()}
    distance, bound = sum(gaps.values(), QQ(0)) / 2, p_bound(line)
    x = max(gaps, key=lambda token: gaps[token])
    figures = {"variation": distance, "bound": bound}
    said += f": {float(distance):.3g} in total variation, rounding explains {float(bound):.3g}"
    if distance <= bound:
        return Outcome(EXACT, said, figures=figures)
    earlier = {"line": seen.line, "p": {str(x): float(a.get(x, QQ(0)))}}
    fields = ("prefix", "prefix_hash", "config", *differ, "p")
    return Outcome(REFUTED, f"{said}; token {x} has {float(a.get(x, 0)):.6g} there", fields, (x,), figures, earlier)


def audit_dump(lines: Iterable[str], *, dialect: str = "mtplx", progress: Callable[[int], None] | None = None) -> DumpReport:
    """Judge a dump; progress is called with the number of each line. Ctrl-C ends early and keeps what was found.

    Raises ValueError for an unknown dialect, and with its number for a line that cannot be read.
    """
    report = DumpReport(dialect)
    try:
        for number in report.read(lines):
            if progress:
                progress(number)
    except KeyboardInterrupt:
        pass
    return report
