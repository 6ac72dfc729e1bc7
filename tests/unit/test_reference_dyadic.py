"""The twin of the integer core by values computed by hand: `reference.dyadic`, section by section of docs/integer-core.md."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from flint import arb, ctx
from sympy import QQ

from reference import dyadic
from reference.dyadic import DyadicLaw, draw, float32_units, from_logits, from_probs, mass, masses, one_hot, verify
from reference.filters import SamplerConfig

ONE = 2**149
INF = float("inf")
PLAIN = SamplerConfig(1, 1, 0)
P = DyadicLaw([0, 1, 2], [4, 3, 1], 3)
Q = DyadicLaw([2, 0, 1], [5, 2, 1], 3)
EMITTED = [2, 0, 0, 1, 1, 0, 0, 1]
"""By hand: token 2 has 4 excess cells, draws 1 to 4; the deficit is two cells of token 0, then two of token 1."""


@pytest.mark.parametrize(
    ("value", "units"),
    [
        (QQ(1), ONE),
        (QQ(-5, 2), -5 * ONE // 2),
        (QQ(1, 10), 13421773 << 122),
        (1 + QQ(1, 2**24), ONE),  # ties go to even
        (1 + QQ(3, 2**24), ONE + (2 << 126)),
        (-1 - QQ(3, 2**24), -ONE - (2 << 126)),
        (1 + QQ(1, 2**24) + QQ(1, 2**90), ONE + (1 << 126)),
        (QQ(2**24 - 1, 2) + QQ(1, 2), 2**23 * ONE),
        (QQ(1, 2**150), 0),
        (QQ(3, 2**150), 2),
        (QQ(2**128 - 2**104), (2**24 - 1) << 253),
    ],
)
def test_float32(value: Any, units: int) -> None:
    """A rational is rounded once to the nearest float32, ties to even, subnormal numbers among them."""
    assert float32_units(value) == units


def test_float32_ends() -> None:
    """What rounds to 2^128 or beyond is refused, and nothing less."""
    tie = 2**128 - 2**103
    assert float32_units(QQ(tie) - QQ(1, 2)) == (2**24 - 1) << 253
    with pytest.raises(ValueError, match="no finite float32"):
        float32_units(QQ(-tie))


def test_table() -> None:
    """Each entry of the table is the integer nearest to 2^48 * 2^(-i/256), by integer powers."""
    assert len(dyadic.TABLE) == 256
    for i, entry in enumerate(dyadic.TABLE):
        assert (2 * entry - 1) ** 256 < 2 ** (49 * 256 - i) < (2 * entry + 1) ** 256


def test_whole_halvings() -> None:
    """n whole halvings weigh 2^(96 - n), and 97 or any number more weigh one unit."""
    assert [mass(n << 48) for n in range(97)] == [2 ** (96 - n) for n in range(97)]
    assert mass(97 << 48) == mass((1 << 200) + 1) == mass((97 << 48) - 1) == 1


@pytest.mark.parametrize("temperature", [QQ(1), QQ(3, 5), QQ(1, 2**40), QQ(10**30), QQ(2**1001), QQ(1, 10**400)])
def test_error_of_masses(temperature: Any) -> None:
    """A mass is within 2^-43, relatively, and one unit of the real exponential, by balls."""
    row = [0, -1, -12345, -(2**100), -(2**130), -ONE // 3, -ONE, -20 * ONE, -50 * ONE, -67 * ONE, -68 * ONE, -200 * ONE]
    row += [round(temperature * ONE * -n / 7) for n in range(40)] if 1 / QQ(2**100) < temperature < 2**120 else []
    with ctx.workprec(2000):
        for units, found in zip(row, masses(row, temperature), strict=True):
            real = arb(2) ** 96 * (arb(QQ(units, ONE)) / arb(temperature)).exp()
            assert found - 1 <= real * (1 + arb(2) ** -43)
            assert real * (1 - arb(2) ** -43) <= found + 1


def test_equal_logits_weigh_the_same() -> None:
    """The largest logits have exactly 2^96, wherever they lie, and other equal ones are equal."""
    for top in (0, 1, -1, ONE, -(2**276)):
        found = masses([top, top - 2**123, top, top - 2**123], QQ(1))
        assert found[0] == found[2] == 2**96
        assert found[1] == found[3]


def test_fixed_truncates_towards_zero() -> None:
    """At T = 1 a unit is 2^-46: what is smaller on either side of zero is no difference at all."""
    almost = 2**103 - 1
    assert masses([almost, 0, -almost], QQ(1)) == [2**96] * 3
    assert masses([0, -(2**103)], QQ(1))[1] < 2**96


def test_thresholds() -> None:
    """The thresholds of top_p = 1/2 by hand, without an error, with units on either side, and relatively."""
    half = QQ(1, 2)
    assert dyadic.threshold(100, half, QQ(0), 0) == 50
    assert dyadic.threshold(100, half, QQ(0), 10) == 40
    assert dyadic.threshold(100, half, QQ(0), -10) == 60
    assert dyadic.threshold(101, half, QQ(0), 0) == 51
    assert dyadic.threshold(100, half, QQ(1, 2), 0) == 25  # (1/4) * 100 / 1
    assert dyadic.threshold(100, half, QQ(0), 1000) == 0


def test_shares() -> None:
    """Shares are floors, and the first ranks get what is missing, one each."""
    assert dyadic.shares([3, 2, 1], 8) == [5, 2, 1]
    assert dyadic.shares([1, 1, 1], 2) == [1, 1, 0]
    assert dyadic.shares([2, 1, 1], 2**62) == [2**61, 2**60, 2**60]


@pytest.mark.parametrize(("top_p", "kept"), [(0.8, 9), ("0.8", 8), (0.7, 7), ("1/10", 1), (1, 10)])
def test_ten_equal_logits(top_p: Any, kept: int) -> None:
    """Of ten equal logits a double keeps what its value says, and a decimal what it says; the cut is never open."""
    law = from_logits([2.5, *[-INF] * 3, *[2.5] * 9], SamplerConfig("1/3", top_p, 0))
    assert law.token_ids == [0, *range(4, 13)][:kept]
    assert not law.undecided


def test_rows_by_hand() -> None:
    """Small laws by hand: greedy, signed zeros, top-k alone, nothing but the maxima, and a joint cut."""
    assert from_logits([1, 3, 3, -INF], SamplerConfig(0, 1, 0), 8) == DyadicLaw([1], [8], 4)
    assert from_logits([-0.0, 0.0, -INF], PLAIN, 8) == DyadicLaw([0, 1], [4, 4], 3)
    assert from_logits([0, 9, 9, 9], SamplerConfig(1, 1, 2), 8) == DyadicLaw([1, 2], [4, 4], 4)
    assert from_logits([0, 9, 9, 9], SamplerConfig("1e-9", 1, 0), 4) == DyadicLaw([1, 2, 3, 0], [2, 1, 1, 0], 4)
    assert from_logits([0, 1, 0], SamplerConfig(1, "2/3", 1), 2) == DyadicLaw([1], [2], 3)


@pytest.mark.parametrize("far", [-1.0, -66.0, -1e30])
def test_a_far_token_breaks_a_tie(far: float) -> None:
    """Two equal tokens and a third: the first has less than half, so both stay at 1/2, which balls decide if it is far."""
    law = from_logits([0.0, 0.0, far], SamplerConfig(1, "1/2", 0), 8)
    assert (law.token_ids, law.counts, law.undecided) == ([0, 1], [4, 4], far != -1.0)


def test_probabilities_by_hand() -> None:
    """Probabilities are their own masses: a tie is a tie, zeros are never kept, and only temperature 1 is allowed."""
    row = [0.25, 0.0, 0.5, 0.25]
    assert from_probs(row, None, 8) == DyadicLaw([2, 0, 3], [4, 2, 2], 4)
    assert from_probs(row, SamplerConfig(1, "3/4", 0), 8) == DyadicLaw([2, 0], [6, 2], 4)
    assert from_probs(row, SamplerConfig(1, Fraction(3, 4) + Fraction(1, 2**99), 0), 8).token_ids == [2, 0, 3]
    assert from_probs(row, SamplerConfig(1, 1, 2), 8).token_ids == [2, 0]
    for bad in ([0.5, 0.4], [1.5, -0.5]):
        with pytest.raises(ValueError, match="probs"):
            from_probs(bad)
    with pytest.raises(ValueError, match="temperature"):
        from_probs(row, SamplerConfig(2, 1, 0))


def test_intervals() -> None:
    """Token i owns the draws from the sum of the counts before it; a count of 0 owns none."""
    law = DyadicLaw([4, 0, 2], [3, 0, 5], 5)
    assert [law.sample(r) for r in range(8)] == [4, 4, 4, 2, 2, 2, 2, 2]
    assert law.locate(3) == (2, 0)
    assert law.to_dense() == [0, 0, 5, 0, 3]
    for bad in (-1, 8):
        with pytest.raises(ValueError, match="r = "):
            law.sample(bad)


def test_one_draw_by_hand() -> None:
    """Every draw of a small pair emits what the numbering of excess and deficit cells says."""
    assert [verify(P, Q, r) for r in range(8)] == [(y, r in (0, 5, 6, 7)) for r, y in enumerate(EMITTED)]
    assert verify(one_hot(1, 3, 8), Q, 0) == (1, False)
    with pytest.raises(ValueError, match="differ"):
        verify(one_hot(0, 4, 8), Q, 0)


@pytest.mark.parametrize(("p", "q"), list(product([(4, 3, 1), (0, 0, 8), (1, 1, 6)], [(5, 2, 1), (8, 0, 0), (1, 1, 6)])))
def test_one_draw_has_the_target_law(p: tuple[int, ...], q: tuple[int, ...]) -> None:
    """All draws together emit every token as often as the target counts it."""
    target, draft = DyadicLaw([2, 0, 1], list(p), 3), DyadicLaw([1, 2, 0], list(q), 3)
    emitted = Counter(verify(target, draft, r)[0] for r in range(8))
    assert [emitted[token] for token in range(3)] == target.to_dense()


def test_chain() -> None:
    """Two draws: a rejection ends the block, acceptance adds the owner of the second; with plain decoding the law is P x P'."""
    bonus, joint = DyadicLaw([1, 2, 0], [6, 1, 1], 3), Counter[tuple[int, ...]]()
    for r in product(range(8), repeat=2):
        tokens, accepted = dyadic.verify_chain([P, bonus], [Q], r)
        assert tokens == [EMITTED[r[0]], bonus.sample(r[1])][: accepted + 1]
        for token in [tokens[1:]] if accepted else [[y] for y in range(3) for _ in range(bonus.to_dense()[y])]:
            joint[(tokens[0], *token)] += 8 if accepted else 1
    p, p2 = P.to_dense(), bonus.to_dense()
    assert joint == Counter({(x, y): 8 * p[x] * p2[y] for x in range(3) for y in range(3)})
    with pytest.raises(ValueError, match=r"K \+ 1"):
        dyadic.verify_chain([P], [Q], [0])


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((2**32 - 1,) * 2, (2**32 - 1,) * 2, (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_threefry(key: tuple[int, int], counter: tuple[int, int], words: tuple[int, int]) -> None:
    """Threefry-2x32 with 20 rounds gives the known answers of its authors."""
    assert dyadic.threefry(key, counter) == words


def test_names_of_draws() -> None:
    """A name is spread over key and counter as section 6 says, and a draw is the top bits of the words."""
    name = (0x0370734413198A2E, 0x85A308D3, 0x243F6A, 0x88)
    assert draw(*name) == 0xC4923A9C483DF7A0 >> 2
    assert draw(*name, 2**8) == 0xC4
    for bad in ((2**64, 0, 0, 0), (0, 2**32, 0, 0), (0, 0, 2**24, 0), (0, 0, 0, 2**8), (-1, 0, 0, 0)):
        with pytest.raises(ValueError, match="name of a draw"):
            draw(*bad)


@pytest.mark.parametrize("denominator", [0, 1, 3, 2**63])
def test_denominators(denominator: int) -> None:
    """A denominator that is not 2^1 to 2^62 is refused."""
    for build in (lambda d: from_logits([0.0], PLAIN, d), lambda d: from_probs([1.0], None, d), lambda d: one_hot(0, 1, d)):
        with pytest.raises(ValueError, match="denominator"):
            build(denominator)
    with pytest.raises(ValueError, match="denominator"):
        draw(0, 0, 0, 0, denominator)


def test_one_hot() -> None:
    """A certain token has all cells, and must be one of the vocabulary."""
    assert one_hot(2, 3, 8) == DyadicLaw([2], [8], 3)
    with pytest.raises(ValueError, match="token"):
        one_hot(3, 3)


def test_numbers_beyond_float32() -> None:
    """From 2^128 - 2^103 on a logit is refused, downwards it weighs nothing; a unit less is the largest float32."""
    edge = 2**128 - 2**103
    config = SamplerConfig(2**120, 1, 0)
    assert from_logits([-edge, 0, 1 - edge], config).token_ids == [1, 2]
    for row in ([edge, 0], [-edge]):
        with pytest.raises(ValueError, match="float32"):
            from_logits(row, config)
