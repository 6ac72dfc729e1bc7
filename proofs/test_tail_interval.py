"""Where the coarse weights are sure of a rank, so are the real ones: the interval of `mtplx.tail` encloses the nucleus.

Real weights are in units too. The leaders' sum is right to 2^-43 of itself and r units, the weight behind to 2^-15 and b units,
and r + b + 4 units are allowed for. Floors are variables here: f 2^k <= a < (f + 1) 2^k stands for f = a >> k.
"""

from typing import Any

from proofs import tail
from proofs.claim import Claim, Lemma, Terms, implies, replaces
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


@replaces("coarse_error", tail)
def error_without_behind(n: NumberSystem, leaders: Any, behind: Any, slack: Any) -> Any:
    """The weight behind is taken for exact."""
    return leaders + slack


@replaces("widened", tail)
def not_widened(n: NumberSystem, off: Any, shifted: Any) -> Any:
    """The error is taken of the weights found, which may be the smaller ones."""
    return off


@replaces("least_total", tail)
def total_below_nothing(n: NumberSystem, total: Any, off: Any) -> Any:
    """total - off: of integers without a sign this is not even small."""
    return total - off


@replaces("product", tail)
def product_of_the_high_half(n: NumberSystem, high: Any, share: Any, low: Any) -> Any:
    """What the lower half carries is lost."""
    return high * share


@replaces("most", tail)
def most_rounded_down(n: NumberSystem, rounded_down: Any) -> Any:
    """Rounded down where it must not be."""
    return rounded_down


@replaces("reach", tail)
def reach_without_slack(n: NumberSystem, slack: Any, shifted: Any) -> Any:
    """Truncation is forgotten."""
    return shifted


@replaces("reach", tail)
def reach_without_error(n: NumberSystem, slack: Any, shifted: Any) -> Any:
    """The leaders' relative error is forgotten."""
    return slack


@replaces("stays", tail)
def stays_without_reach(n: NumberSystem, through: Any, reach: Any, least: Any) -> Any:
    """The weight before a rank is taken for exact."""
    return through < least


@replaces("may_stay", tail)
def may_stay_without_reach(n: NumberSystem, through: Any, reach: Any, most: Any) -> Any:
    """The weight before a rank is taken for exact."""
    return through < most


def shifted(floor: Any, a: Any, bits: int) -> Terms:
    """floor = a >> bits, of what is not negative."""
    return [floor >= 0, floor * 2**bits <= a, a < (floor + 1) * 2**bits]


def right_to(found: Any, real: Any, bits: int, units: Any) -> Terms:
    """|found - real| <= 2^-bits * real + units."""
    slack = real + units * 2**bits
    return [real >= 0, found >= 0, units >= 0, (found - real) * 2**bits <= slack, (real - found) * 2**bits <= slack]


def total_enclosed(rules: Any, n: NumberSystem, **v: Any) -> Terms:
    """0 <= least <= the real total <= total + off, if `widening` is the error shifted."""
    off = rules.coarse_error(n, v["exact_floor"], v["behind_floor"], v["slack"])
    wider = rules.widened(n, off, v["widening"])
    total, least, floor = v["exact"] + v["behind"], rules.least_total(n, v["exact"] + v["behind"], wider), v["widening"]
    is_shifted = n.both(floor * 2**14 <= off, off < (floor + 1) * 2**14)
    return [
        implies(n, is_shifted, n.both(least >= 0, least <= v["X"] + v["B"])),
        implies(n, is_shifted, v["X"] + v["B"] <= total + wider),
    ]


def product_shifted(rules: Any, n: NumberSystem, high: Any, low: Any, share: Any, low_floor: Any) -> Terms:
    """It is (high 2^32 + low) * share >> 32."""
    found, whole = rules.product(n, high, share, low_floor), (high * 2**tail.SHARE_BITS + low) * share
    return [found * 2**tail.SHARE_BITS <= whole, whole < (found + 1) * 2**tail.SHARE_BITS]


def threshold_enclosed(rules: Any, n: NumberSystem, **v: Any) -> Terms:
    """least <= top_p * the real total < most."""
    return [v["least"] <= v["top_p"] * v["real"], v["top_p"] * v["real"] < rules.most(n, v["rounded"])]


def decides(rules: Any, n: NumberSystem, through: Any, real: Any, reach: Any, least: Any, threshold: Any, most: Any) -> Terms:
    """`stays` says that the real weight is below the threshold, and without `may_stay` it is not."""
    return [
        implies(n, rules.stays(n, through, reach, least), real < threshold),
        implies(n, n.neg(rules.may_stay(n, through, reach, most)), real >= threshold),
    ]


CLAIM = Claim(
    id="tail_interval",
    sentence="The least and the largest size that the coarse weights allow enclose the nucleus of the real weights.",
    scope="every row of at most 2^20 leaders right to 2^-43, and a weight behind right to 2^-15, up to units that slack counts",
    source="mtplx.tail",
    relied_on_by="mtplx.tail.enclosed_sizes, mtplx.target.settle",
    lemmas=(
        Lemma(
            slug="tail-total",
            sentence="The real total is within `off` of the total found, and not below the least.",
            variables="X B exact behind exact_floor behind_floor widening r b slack",
            hypotheses=lambda n, X, B, exact, behind, exact_floor, behind_floor, widening, r, b, slack: [
                *right_to(exact, X, tail.LEADER_BITS, r),
                *right_to(behind, B, tail.ERROR_BITS, b),
                *shifted(exact_floor, exact, tail.UNIT_BITS),
                *shifted(behind_floor, behind, tail.ERROR_BITS),
                *(widening >= 0, r + b + 4 <= slack),
            ],
            conclusion=total_enclosed,
            mutants=(error_without_behind, not_widened, total_below_nothing),
            rules=tail,
        ),
        Lemma(
            slug="tail-product",
            sentence="The product by halves is the whole product, shifted.",
            variables="high low share low_floor",
            hypotheses=lambda n, high, low, share, low_floor: [
                *(high >= 0, low >= 0, share >= 0),
                *shifted(low_floor, low * share, tail.SHARE_BITS),
            ],
            conclusion=product_shifted,
            mutants=(product_of_the_high_half,),
            sort="Int",
            rules=tail,
        ),
        Lemma(
            slug="tail-threshold",
            sentence="The real threshold is no less than the least one and below the most.",
            variables="low high real top_p down up least rounded",
            hypotheses=lambda n, low, high, real, top_p, down, up, least, rounded: [
                *(low >= 0, low <= real, real <= high, top_p > 0, top_p <= 1),
                *(down >= 0, down <= top_p * 2**tail.SHARE_BITS, top_p * 2**tail.SHARE_BITS <= up),
                *(least * 2**tail.SHARE_BITS <= low * down, high * up < (rounded + 1) * 2**tail.SHARE_BITS),
            ],
            conclusion=threshold_enclosed,
            mutants=(most_rounded_down,),
            rules=tail,
        ),
        Lemma(
            slug="tail-reach",
            sentence="The real weight through a rank is within `reach` of the weight found.",
            variables="through real through_floor r slack",
            hypotheses=lambda n, through, real, through_floor, r, slack: [
                *right_to(through, real, tail.LEADER_BITS, r),
                *shifted(through_floor, through, tail.UNIT_BITS),
                *(r <= 2**20, r + 4 <= slack),
            ],
            conclusion=lambda rules, n, through, real, through_floor, r, slack: [
                through - real <= rules.reach(n, slack, through_floor),
                real - through <= rules.reach(n, slack, through_floor),
            ],
            mutants=(reach_without_slack, reach_without_error),
            rules=tail,
        ),
        Lemma(
            slug="tail-decides",
            sentence="A rank that surely stays is in the real nucleus, and one that cannot stay is not.",
            variables="through real reach least threshold most",
            hypotheses=lambda n, through, real, reach, least, threshold, most: [
                *(through - real <= reach, real - through <= reach, least <= threshold, threshold < most),
            ],
            conclusion=decides,
            mutants=(stays_without_reach, may_stay_without_reach),
            rules=tail,
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
