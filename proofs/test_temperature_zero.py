"""T -> 0 ends in the uniform law on the maxima, at a distance of n T / (m d) at most, and in a one-hot only if there is one.

m maxima weigh 1 each, n others exp(-behind / T), all at least the gap d behind, so that none weighs more than T / (T + d).
With S the weight of the others, total variation from the limit is S / (m + S). Temperature 0 itself is, by definition, the
one-hot on the lowest id among the maxima (spec 2.1): with ties it is no limit, but a choice among what they leave open.
"""

from typing import Any

from proofs import temperature
from proofs.claim import Claim, Lemma, Terms, implies, replaces
from proofs.mutants import share_without_division
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


@replaces("most_weight", temperature)
def weight_without_gap(n: NumberSystem, temperature: Any, gap: Any) -> Any:
    """1: it does not vanish with T."""
    return n.one


@replaces("most_weight", temperature)
def weight_of_twice_the_gap(n: NumberSystem, temperature: Any, gap: Any) -> Any:
    """T / (T + 2 gap): below what is proved of the exponential."""
    return n.quotient(temperature, temperature + gap + gap)


@replaces("limit", temperature)
def limit_is_one_hot(n: NumberSystem, behind: Any, maxima: Any) -> Any:
    """A maximum gets everything, though others tie with it."""
    return n.choose(n.eq(behind, n.zero), n.one, n.zero)


@replaces("limit", temperature)
def limit_is_nothing(n: NumberSystem, behind: Any, maxima: Any) -> Any:
    """No token gets anything."""
    return n.zero


def positive(n: NumberSystem, a: Any) -> Any:
    """a+, said without the rule."""
    return n.choose(a > 0, a, n.zero)


def others_bounded(rules: Any, n: NumberSystem, w: Any, S: Any, others: Any, T: Any, d: Any) -> Terms:
    """S (T + d) <= others * T of no token, and with one more that weighs at most T / (T + d): the same as w (T + d) <= T."""
    most, more = rules.most_weight(n, T, d), (S + w) * (T + d) <= (others + 1) * T
    return [n.zero * (T + d) <= n.zero * T, implies(n, w <= most, more), implies(n, w * (T + d) <= T, w <= most)]


def excess_of_one_more(
    rules: Any, n: NumberSystem, excess: Any, S: Any, total: Any, m: Any, share: Any, w: Any, behind: Any
) -> Terms:
    """The fold that sums what shares exceed their limits by: of maxima nothing, of others all they have, w / m at most."""
    ahead = share - rules.limit(n, behind, m)
    summed = n.eq((excess + positive(n, ahead)) * total, n.choose(n.eq(behind, 0), S, S + w))
    return [n.eq(n.zero * total, n.zero), summed, ahead * m <= w]


def near_the_limit(rules: Any, n: NumberSystem, S: Any, m: Any, share: Any, others_T: Any, T: Any, d: Any, eps: Any) -> Terms:
    """What the m maxima lack is total variation from the limit: at most others * T / (m d), so at most eps for a small T."""
    variation = (rules.limit(n, n.zero, m) - share) * m
    return [variation >= 0, variation * m * d <= others_T, implies(n, others_T <= eps * m * d, variation <= eps)]


CLAIM = Claim(
    id="temperature_zero",
    sentence="As T goes to 0 the law goes to the uniform one on the maxima, within n T / (m d): to a one-hot only if m = 1.",
    scope="every row of finite logits: m maxima, n others, the nearest of them d behind; every T > 0",
    source="spec 2.1",
    relied_on_by="temperature 0 of reference.softmax and mtplx.target",
    lemmas=(
        Lemma(
            slug="temperature-zero-others",
            sentence="Tokens at least d behind weigh at most T / (T + d) each: S of them at most n T / (T + d) together.",
            variables="w S others T d",
            hypotheses=lambda n, w, S, others, T, d: [
                *(T > 0, d > 0, w > 0, S >= 0, others >= 0, S * (T + d) <= others * T),
            ],
            conclusion=others_bounded,
            mutants=(weight_without_gap, weight_of_twice_the_gap),
            rules=temperature,
        ),
        Lemma(
            slug="temperature-zero-shares",
            sentence="Of the total m + S the limit gives the maxima S more than they weigh, the others nothing.",
            variables="S m behind",
            hypotheses=lambda n, S, m, behind: [m >= 1, S > 0, behind > 0],
            conclusion=lambda rules, n, S, m, behind: [
                n.eq(m * (rules.limit(n, n.zero, m) * (m + S)) - m, S),
                n.eq(rules.limit(n, behind, m), 0),
                implies(n, n.eq(m, 1), n.eq(rules.limit(n, n.zero, m), 1)),
            ],
            mutants=(limit_is_one_hot, limit_is_nothing),
            rules=temperature,
        ),
        Lemma(
            slug="temperature-zero-variation",
            sentence="What shares exceed their limits by, token by token, is the others' weight so far over the total.",
            variables="excess S total m share w behind",
            hypotheses=lambda n, excess, S, total, m, share, w, behind: [
                *(m >= 1, total >= m, w > 0, S >= 0, behind >= 0, implies(n, n.eq(behind, 0), n.eq(w, 1))),
                *(n.eq(share * total, w), n.eq(excess * total, S)),
            ],
            conclusion=excess_of_one_more,
            mutants=(limit_is_nothing,),
            rules=temperature,
        ),
        Lemma(
            slug="temperature-zero-limit",
            sentence="Total variation from the limit is at most n T / (m d): below any eps once T is small enough.",
            variables="S m share others_T T d eps",
            hypotheses=lambda n, S, m, share, others_T, T, d, eps: [
                *(m >= 1, S >= 0, T > 0, d > 0, eps > 0, n.eq(share * (m + S), 1), S * (T + d) <= others_T),
            ],
            conclusion=near_the_limit,
            mutants=(limit_is_nothing,),
            rules=temperature,
        ),
        Lemma(
            slug="temperature-zero-ties",
            sentence="Where two or more tie, a one-hot stays half a unit of total variation away or more, at every T.",
            variables="S m",
            hypotheses=lambda n, S, m: [m >= 2, S >= 0],
            conclusion=lambda rules, n, S, m: [
                2 * positive(n, 1 - rules.renormalised(n, n.one, m + S, n.eq(n.one, 1))) >= 1,
            ],
            mutants=(share_without_division,),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
