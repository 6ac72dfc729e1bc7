"""Nothing overflows: starts, ends, offsets and cell numbers of laws over D stay at or below D, and D is at most 2^62.

So sums and differences fit in 64 bits. What the wide arithmetic of the masses holds is bounded in tests/unit/test_ranges.py,
by running the code on ranges.
"""

from proofs.claim import Claim, Lemma, implies
from proofs.mutants import numbers_by_offset, owns_all_before, owns_its_end
from proofs.obligation import obligations_of

CLAIM = Claim(
    id="one_draw_range",
    sentence="Every number that one-draw verification makes of two laws over D <= 2^62 lies between 0 and D.",
    scope="every denominator up to 2^62, every vocabulary",
    source="docs/integer-core.md, section 7",
    relied_on_by="mtplx.dyadic.verify",
    lemmas=(
        Lemma(
            slug="cells-in-range",
            sentence="A cell that an interval owns is at least its start and below its end, which is at most D.",
            variables="D start count rest cell",
            hypotheses=lambda n, D, start, count, rest, cell: [
                *(D <= 2**62, start >= 0, count >= 0, rest >= 0, n.eq(start + count + rest, D)),
            ],
            conclusion=lambda rules, n, D, start, count, rest, cell: [
                implies(n, rules.owns(n, start, count, cell), n.both(cell - start >= 0, cell - start < count)),
                implies(n, rules.owns(n, start, count, cell), n.both(cell >= 0, cell < D)),
                start + count < 2**63,
            ],
            mutants=(owns_all_before, owns_its_end),
            sort="Int",
        ),
        Lemma(
            slug="excess-cells-in-range",
            sentence="The number of an excess cell is below their total, which is at most D.",
            variables="D before off p q later",
            hypotheses=lambda n, D, before, off, p, q, later: [
                *(D <= 2**62, before >= 0, later >= 0, p >= 0, p <= off, off < q),
                before + q + later <= D,
            ],
            conclusion=lambda rules, n, D, before, off, p, q, later: [
                rules.excess_cell(n, before, off, p) >= 0,
                rules.excess_cell(n, before, off, p) < before + (q - p) + later,
                before + (q - p) + later <= D,
            ],
            mutants=(numbers_by_offset,),
            sort="Int",
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
