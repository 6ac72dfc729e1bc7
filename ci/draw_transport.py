"""The drawing of docs/integer-core.md: where one draw sends each cell of a draft.

    python ci/draw_transport.py [--out docs/transport.svg]

The cells and their owners are what `mtplx.dyadic` answers for every draw; same matplotlib, same bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import matplotlib as mpl
import typer
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from mtplx.dyadic import from_probs, verify

D = 16
Q, P = (6, 5, 3, 2, 0), (3, 7, 1, 1, 4)
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377")
DRAFT, TARGET = 2.0, 0.0
"""Heights of the two rows of cells."""


def owners(counts: tuple[int, ...], order: list[int]) -> list[tuple[int, int]]:
    """Each cell's token and its number in the token's interval."""
    return [(token, offset) for token in order for offset in range(counts[token])]


def cell(axes: Axes, x: float, y: float, token: int, moved: bool) -> None:
    """A cell; what is moved, or filled by a move, is pale and hatched."""
    style = {"alpha": 0.35, "hatch": "///"} if moved else {}
    axes.add_patch(Rectangle((x, y), 1, 0.7, facecolor=COLOURS[token], edgecolor="black", linewidth=0.8, **style))
    axes.text(x + 0.5, y + 0.35, "abcde"[token], ha="center", va="center", fontsize=11)


def drawing() -> Figure:
    """Draft cells above, target cells below, an arrow for each of the D draws."""
    draft, target = (from_probs([count / D for count in counts], denominator=D) for counts in (Q, P))
    above, below = owners(Q, draft.token_ids.tolist()), owners(P, target.token_ids.tolist())
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    axes = figure.subplots()
    for x, (token, offset) in enumerate(above):
        cell(axes, x, DRAFT, token, offset >= P[token])
    for x, (token, offset) in enumerate(below):
        cell(axes, x, TARGET, token, offset >= Q[token])
    place = {owner: x for x, owner in enumerate(below)}
    filled = dict.fromkeys(range(len(P)), 0)
    for r, (token, offset) in enumerate(above):
        emitted, accepted = verify(target, draft, r)
        to = place[emitted, offset] if accepted else place[emitted, min(P[emitted], Q[emitted]) + filled[emitted]]
        filled[emitted] += not accepted
        line = {"color": "#999999", "linewidth": 0.8} if accepted else {"color": COLOURS[token], "linewidth": 1.6}
        ends = ((r + 0.5, DRAFT), (to + 0.5, TARGET + 0.7))
        axes.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=9, shrinkA=0, shrinkB=0, **line))
    for y, words in ((DRAFT, f"draft Q = {Q}"), (TARGET, f"target P = {P}")):
        axes.text(-0.3, y + 0.35, words, ha="right", va="center", fontsize=10)
    axes.text(8, DRAFT + 0.95, "one draw r = 0..15: its cell above is the draft, the end of its arrow is emitted", ha="center")
    axes.text(8, TARGET - 0.45, "hatched above: excess, rejected; hatched below: deficit, filled in order", ha="center")
    axes.set(xlim=(-4.6, D + 0.2), ylim=(TARGET - 0.7, DRAFT + 1.3))
    axes.axis("off")
    return figure


def main(out: Annotated[Path, typer.Option(help="Where to write it.")] = Path("docs/transport.svg")) -> None:
    """Write the drawing."""
    mpl.rcParams["svg.hashsalt"] = "transport"
    drawing().savefig(out, metadata={"Date": None})


if __name__ == "__main__":
    typer.run(main)
