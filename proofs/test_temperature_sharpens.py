"""A lower temperature moves mass towards the front only: no first ranks together have a smaller share than before.

From T to T' <= T a weight w = exp(x / T) becomes w * g with g = exp(x / T' - x / T), and g does not rise with the rank. Let g
be the multiplier at a cut: before it weights are multiplied by g or more, from it on by g or less. So the tempered law
majorises the other, its nucleus has no more ranks, and (Karamata's inequality) its entropy is no larger.
"""

from typing import Any

from proofs import temperature
from proofs.claim import Claim, Lemma, Terms, implies, replaces
from proofs.mutants import keeps_the_tail, keeps_without_total, share_without_division
from proofs.obligation import obligations_of
from reference.numbers import NumberSystem


@replaces("scaled")
def scaled_by_product(n: NumberSystem, logit: Any, temperature: Any) -> Any:
    """logit * T: an inverse temperature taken for one."""
    return logit * temperature


@replaces("tempered_step", temperature)
def tempered_without_weight(n: NumberSystem, mass: Any, weight: Any, multiplier: Any) -> Any:
    """Sums the multipliers."""
    return mass + multiplier


@replaces("tempered_step", temperature)
def tempered_forgets(n: NumberSystem, mass: Any, weight: Any, multiplier: Any) -> Any:
    """Keeps the last token only."""
    return weight * multiplier


@replaces("renormalised")
def share_of_what_goes(n: NumberSystem, weight: Any, mass: Any, stays: Any) -> Any:
    """1 - w / mass."""
    return n.choose(stays, n.quotient(mass - weight, mass), n.zero)


def one_rank_more(rules: Any, n: NumberSystem, g: Any, front: Any, front_t: Any, back: Any, back_t: Any, **v: Any) -> Terms:
    """front' >= g * front and back' <= g * back: of no rank, and with a rank more before the cut and one more behind it."""
    first, last = v["first"], v["last"]
    return [
        n.eq(g * n.zero, n.zero),
        rules.tempered_step(n, front_t, first, v["first_g"]) >= g * (front + first),
        rules.tempered_step(n, back_t, last, v["last_g"]) <= g * (back + last),
    ]


def share_of_the_front(
    rules: Any, n: NumberSystem, front: Any, front_t: Any, back: Any, back_t: Any, share: Any, share_t: Any
) -> Terms:
    """What is before the cut has at least its old share."""
    stays = n.eq(n.one, 1)
    old, new = rules.renormalised(n, front, front + back, stays), rules.renormalised(n, front_t, front_t + back_t, stays)
    return [implies(n, n.both(n.eq(old, share), n.eq(new, share_t)), share_t >= share)]


CLAIM = Claim(
    id="temperature_sharpens",
    sentence="A lower temperature takes no share from the first ranks, however many: a nucleus then has no more ranks.",
    scope="every row of finite logits, 0 < T' <= T",
    source="spec 2.1; Marshall, Olkin and Arnold, Inequalities, chapter 5",
    relied_on_by="filter_temperature_last",
    lemmas=(
        Lemma(
            slug="sharpens-multipliers",
            sentence="A logit ahead of another is further ahead at a lower temperature: its multiplier is no less.",
            variables="ahead lower temperature",
            hypotheses=lambda n, ahead, lower, temperature: [ahead >= 0, lower > 0, lower <= temperature],
            conclusion=lambda rules, n, ahead, lower, temperature: [
                rules.scaled(n, ahead, lower) >= rules.scaled(n, ahead, temperature)
            ],
            mutants=(scaled_by_product,),
        ),
        Lemma(
            slug="sharpens-sums",
            sentence="Before the cut weights grow to g times theirs or more, behind it to g times theirs or less, in sum too.",
            variables="g front front_t back back_t first first_g last last_g",
            hypotheses=lambda n, g, front, front_t, back, back_t, first, first_g, last, last_g: [
                *(g > 0, front >= 0, back >= 0, first >= 0, last >= 0, last_g > 0),
                *(first_g >= g, last_g <= g, front_t >= g * front, back_t >= 0, back_t <= g * back),
            ],
            conclusion=one_rank_more,
            mutants=(tempered_without_weight, tempered_forgets),
            rules=temperature,
        ),
        Lemma(
            slug="sharpens-factor",
            sentence="All weights times one number leave the shares as they are.",
            variables="g weight mass",
            hypotheses=lambda n, g, weight, mass: [g > 0, weight >= 0, mass > 0],
            conclusion=lambda rules, n, g, weight, mass: [
                n.eq(
                    rules.renormalised(n, g * weight, g * mass, n.eq(n.one, 1)),
                    rules.renormalised(n, weight, mass, n.eq(n.one, 1)),
                )
            ],
            mutants=(share_without_division,),
        ),
        Lemma(
            slug="sharpens-shares",
            sentence="Measured against weights times g, the ranks before the cut have no smaller share than they had.",
            variables="front front_t back back_t share share_t",
            hypotheses=lambda n, front, front_t, back, back_t, share, share_t: [
                *(front >= 0, back_t >= 0, front + back > 0, front_t + back_t > 0, front_t >= front, back_t <= back),
                *(share_t >= 0, share_t <= 1),
            ],
            conclusion=share_of_the_front,
            mutants=(share_of_what_goes,),
        ),
        Lemma(
            slug="sharpens-nucleus",
            sentence="A rank with no smaller share before it is kept only if it was: the nucleus has no more ranks.",
            variables="share share_t total total_t top_p",
            hypotheses=lambda n, share, share_t, total, total_t, top_p: [
                *(top_p > 0, top_p <= 1, share >= 0, share <= share_t, total > 0, total_t > 0),
            ],
            conclusion=lambda rules, n, share, share_t, total, total_t, top_p: [
                implies(
                    n,
                    rules.nucleus_keeps(n, share_t * total_t, top_p, total_t),
                    rules.nucleus_keeps(n, share * total, top_p, total),
                )
            ],
            mutants=(keeps_without_total, keeps_the_tail),
        ),
    ),
)

test_satisfiable, test_proved, test_refuted, test_exported = obligations_of(CLAIM)
