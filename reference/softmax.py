"""The filtered target of a row of logits, certified by ball arithmetic (spec 2).

Exponentials are irrational, so the law is enclosed, never rounded, and the nucleus is *decided*: precision rises until no
comparison is open. That ends: with rational logits and temperature, masses can tie only when all finite logits are equal
(Lindemann-Weierstrass), and the weights of the largest logits are kept apart as the exact number 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, takewhile
from math import inf
from typing import Any

from flint import arb, ctx
from sympy import QQ

from reference import pointwise
from reference.dialects import cut, dialect_named
from reference.filters import SamplerConfig, rank
from reference.numbers import Mass, Undecided, listed, rational
from reference.numbers import rationals as n

START_BITS = 96
MOST_BITS = 1 << 20
EXACT_BITS = 1000
"""The accuracy stated for a law that is rational: |p - m| <= 2^-1000 is what the class promises of its zeros too."""


@dataclass(frozen=True)
class CertifiedLaw:
    """A law over V tokens: its order and support exactly, its probabilities enclosed.

    ranked: the tokens with finite logits, logit descending; of equal ones the lowest id first, or the highest if the dialect
    says so.
    nucleus_size, kept_size: how many ranks the nucleus alone and the whole filter keep; the same where the dialect measures
    the nucleus on what top-k left.
    midpoints: V elements of QQ, zero off the support; |probability - midpoint| <= 2^-accuracy * midpoint + 2^-1000.
    """

    ranked: tuple[int, ...]
    nucleus_size: int
    kept_size: int
    midpoints: list[Any]
    accuracy: int

    @property
    def support(self) -> tuple[int, ...]:
        """The kept tokens in rank order."""
        return self.ranked[: self.kept_size]

    @property
    def radius(self) -> Any:
        """Bound of the L1 distance between the law and its midpoints."""
        return QQ(1, 2**self.accuracy) * sum(self.midpoints, QQ(0)) + QQ(len(self.midpoints), 2**1000)


def ordered_logits(logits: Sequence[Any]) -> list[Any]:
    """Logits as numbers of exact order: floats if all are, else elements of QQ; None where they are -inf.

    Raises ValueError for an empty row, NaN, +inf, or a row of only -inf.
    """
    row: list[Any] = []
    if set(map(type, logits)) == {float} and all(logit < inf for logit in logits):
        row = [logit if logit > -inf else None for logit in logits]
    else:
        for token, logit in enumerate(logits):
            try:
                row.append(None if not isinstance(logit, str) and logit == -inf else rational(logit))
            except ValueError:
                raise ValueError(f"logits[{token}] = {logit!r}; allowed: a finite number or -inf") from None
    if row.count(None) == len(row):
        raise ValueError("logits are empty or all -inf; allowed: at least one finite logit")
    return row


def exact(row: Sequence[Any]) -> list[Any]:
    """Ordered logits as elements of QQ."""
    return [QQ.dtype(*logit.as_integer_ratio()) if type(logit) is float else logit for logit in row]


def row_of_logits(logits: Sequence[Any]) -> list[Any]:
    """Logits as elements of QQ, None where they are -inf; ValueError as for `ordered_logits`."""
    return exact(ordered_logits(logits))


class RankedMasses(Sequence[Mass]):
    """Ranked weights, the `largest` exactly 1 and the others enclosed (balls): as a sequence, the mass through each rank."""

    def __init__(self, largest: int, others: list[Any]) -> None:
        self.largest, self.others, self.sums = largest, others, list(accumulate(others))

    def __len__(self) -> int:
        return self.largest + len(self.sums)

    def __getitem__(self, rank: Any) -> Any:
        r = range(len(self))[rank]
        return Mass(QQ(r + 1)) if r < self.largest else Mass(QQ(self.largest), self.sums[r - self.largest])


def masses(differences: Sequence[Any], temperature: Any) -> RankedMasses:
    """exp(d / T) of differences 0 >= d in descending order; the largest weigh exactly 1.

    What is not above exp(-8 bits) is enclosed by [0, exp(1 - 8 bits)]: no exponent grows without bound; more bits lower it.
    """
    floor = arb(-8 * ctx.prec)
    largest = next((r for r, d in enumerate(differences) if d), len(differences))
    exponents = [arb(pointwise.scaled(n, d, temperature)) for d in differences[largest:]]
    above = [x.exp() for x in takewhile(lambda x: x > floor, exponents)]
    return RankedMasses(largest, above + [arb(0).union((floor + 1).exp())] * (len(exponents) - len(above)))


def enclose(kept_differences: Sequence[Any], temperature: Any) -> tuple[list[Any], int]:
    """Midpoints of the kept ranks' probabilities, and the bits to which each is right; 0 for what is below 2^-1000."""
    through = masses(kept_differences, temperature)
    total = through[-1]
    if total.enclosed is None:
        return [1 / total.exact] * len(through), EXACT_BITS
    one_over_total, tiny = 1 / total.ball(), arb(2) ** -1000
    weights = [arb(1)] * through.largest + through.others
    shares = list(takewhile(lambda share: not share < tiny, (weight * one_over_total for weight in weights)))
    midpoints = [share.mid().fmpq() for share in shares]  # sympy's QQ over flint is fmpq
    return midpoints, min(share.rel_accuracy_bits() for share in shares)


def filtered_target(logits: Sequence[Any], config: Any, dialect: str = "mtplx") -> CertifiedLaw:
    """The law that temperature, nucleus and top-k make of a row of logits, in the named dialect (spec 2 and 6).

    logits: V finite numbers or -inf. config: anything with temperature, top_p, top_k. Temperature 0 is the one-hot on the
    lowest id among the maxima, in every dialect. Raises ValueError for a bad row, setting or dialect.
    """
    style, config = dialect_named(dialect), SamplerConfig.of(config)
    row = ordered_logits(listed(logits, "logits"))
    greedy = config.temperature == 0
    finite = [token for token, logit in enumerate(row) if logit is not None]
    if style.highest_first and not greedy:
        finite.reverse()  # what is listed first wins ties
    ranked = tuple(finite[position] for position in rank([row[token] for token in finite]))
    ranked_logits = [row[token] for token in ranked]

    @cache
    def differences(size: int) -> list[Any]:
        """How far the first ranks lie behind the largest, exactly; of the others nothing needs to be known."""
        leading = exact(ranked_logits[:size])
        return [logit - leading[0] for logit in leading]

    def weigh(size: int, temperature: Any) -> RankedMasses:
        return masses(differences(size), temperature)

    bits = START_BITS
    while True:
        with ctx.workprec(bits):
            try:
                nucleus_size, kept_size = (1, 1) if greedy else cut(style, ranked_logits, config, weigh)
                shares, accuracy = enclose(differences(kept_size), config.temperature)
                break
            except Undecided:
                bits *= 2
                if bits > MOST_BITS:
                    raise
    midpoints = [QQ(0)] * len(row)
    for token, share in zip(ranked, shares, strict=False):
        midpoints[token] = share
    return CertifiedLaw(ranked, nucleus_size, kept_size, midpoints, accuracy)


def softmax(logits: Sequence[Any], temperature: Any = 1) -> CertifiedLaw:
    """softmax(logits / T), enclosed; temperature 0 is the one-hot on the lowest id among the maxima (spec 2.1)."""
    return filtered_target(logits, SamplerConfig(temperature, 1, 0))


def distribution_from_logits(logits: Sequence[Any], config: Any) -> CertifiedLaw:
    """`filtered_target` in the default dialect."""
    return filtered_target(logits, config)
