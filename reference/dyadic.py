"""Dyadic laws and one-draw verification in Python integers: the integer core read from its page, a second time.

`docs/integer-core.md` says which integers the law of a row is; section numbers below are that page's. Nothing here is taken
from the MLX code, so that where the two agree bit for bit, the page says what both do. Every number is an int or an element
of QQ. A row whose cut the integers leave open (section 3) is decided by the certified filtered target, not by a copy.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isqrt
from typing import Any

from sympy import QQ

from reference.filters import SamplerConfig, kept_by_top_k
from reference.numbers import law_of_row, row_of_rationals
from reference.softmax import filtered_target, row_of_logits

LN2 = 0xB17217F7D1CF79ABC9E3B39803F2F6AF40F343267298B62D
"""ln 2 in units of 2^-192, truncated (section 2)."""
MOST = 1 << 96
"""The mass of the largest logit (section 2)."""
ERROR = QQ(1, 2**43)
"""The relative error of a mass, beside one unit (section 2, (1))."""
LIMIT = 1 << 277
"""2^128 in units of 2^-149: what a float32 stays below."""
LOWEST = QQ(2**103 - 2**128)
"""What is not above it rounds to -inf (section 1)."""


def floor(value: Any) -> int:
    """The integer part of a rational, towards minus infinity."""
    return int(value.numerator // value.denominator)


def ceiling(value: Any) -> int:
    """The least integer that is not below a rational."""
    return -floor(-value)


def float32_units(value: Any) -> int:
    """A rational as float32, nearest, ties to even, in units of 2^-149, of which every float32 is a multiple (section 1)."""
    numerator, denominator = int(value.numerator) << 149, int(value.denominator)
    size = abs(numerator) // denominator
    last = max(0, size.bit_length() - 24)  # the bits of the size that a float32 of 24 bits does not hold
    m, rest = divmod(abs(numerator), denominator << last)
    m += 2 * rest + m % 2 > denominator << last
    if m << last >= LIMIT:
        raise ValueError(f"{value} is no finite float32; allowed: numbers that round below 2^128")
    return -(m << last) if numerator < 0 else m << last


def power_table() -> list[int]:
    """2^48 * 2^(-i/256) to the nearest integer for i = 0..255 (section 2, The table)."""
    root = 1 << 191
    for _ in range(8):
        root = isqrt(root << 192)
    powers = [1 << 192]
    while len(powers) < 256:
        powers.append(powers[-1] * root >> 192)
    return [(power + (1 << 143)) >> 144 for power in powers]


TABLE = power_table()


def power_of_two(f: int) -> int:
    """2^48 * 2^-(f / 2^48) for 0 <= f < 2^48, by the table and four terms of a series (section 2, 2^-f)."""
    r = f % 2**40
    a, b = divmod(LN2 >> 144, 1 << 24)
    t = (r * a >> 24) + (r * b >> 48)
    z = t >> 8
    square = z * z >> 33
    cube = (square * z >> 40) // 3
    fourth = (cube * z >> 40) // 4
    fall = t + cube - square - fourth
    s = TABLE[f >> 40]
    return s - ((s >> 24) * fall >> 24) - (s % 2**24 * fall >> 48)


def mass(y: int) -> int:
    """The mass of a token y * 2^-48 halvings behind the largest logit, in units of 2^-96 of it (section 2, Mass)."""
    n, f = divmod(y, 1 << 48)
    if n >= 97:
        return 1
    w = power_of_two(f)
    return max(1, w << (48 - n) if n <= 48 else w >> (n - 48))


def masses(units: Sequence[int], temperature: Any) -> list[int]:
    """The masses of finite logits, given in units of 2^-149, at a temperature above 0 (section 2)."""
    end = QQ(2**1000)
    temperature = min(max(temperature, 1 / end), end)
    e = int(temperature.numerator).bit_length() - int(temperature.denominator).bit_length()
    if temperature < QQ(2) ** e:  # bit lengths tell e up to one
        e -= 1
    u = e - 46
    c = floor(QQ(2) ** (u + 301) / (temperature * LN2))

    def fixed(logit: int) -> int:
        size = abs(logit) >> (u + 149) if u >= -149 else abs(logit) << (-149 - u)
        return -size if logit < 0 else size

    top = fixed(max(units))
    return [mass((top - fixed(logit)) * c >> 61) for logit in units]


def threshold(total: int, top_p: Any, e: Any, n: int) -> int:
    """The mass below which a rank stays, were the masses wrong by e relatively and by n units in all (section 3)."""
    stays, drops = top_p * (1 - e), (1 - top_p) * (1 + e)
    return max(0, ceiling((stays * (total - n) - drops * n) / (drops + stays)))


def ranks_below(ranked: Sequence[int], limit: int) -> int:
    """The number of ranks that are the first, or have less mass before them than the limit (section 3)."""
    return 1 + sum(before < limit for before in accumulate(ranked[:-1]))


def nucleus(ranked: Sequence[int], vocabulary: int, level: bool, top_p: Any) -> tuple[int, int]:
    """The least and the most ranks that the nucleus may keep, given ranked masses: equal where the cut is proved (section 3).

    level: all finite logits are equal, and the masses exact.
    """
    total = sum(ranked)
    if top_p == 1:
        return len(ranked), len(ranked)
    if level:
        size = ranks_below(ranked, ceiling(top_p * total))
        return size, size
    first, second = threshold(total, top_p, ERROR, vocabulary), threshold(total, top_p, -ERROR, -vocabulary)
    return ranks_below(ranked, first), ranks_below(ranked, second)


def shares(kept: Sequence[int], denominator: int) -> list[int]:
    """The kept masses, in rank order, as counts that sum to the denominator: floors, and one more for the first (section 4)."""
    total = sum(kept)
    floors = [m * denominator // total for m in kept]
    missing = denominator - sum(floors)
    return [count + (r < missing) for r, count in enumerate(floors)]


@dataclass(frozen=True)
class DyadicLaw:
    """A law whose probabilities are counts over one denominator: token_ids in rank order, and their counts (section 4).

    undecided: whether the integers left the cut open, and balls decided it.
    """

    token_ids: list[int]
    counts: list[int]
    vocabulary: int
    undecided: bool = False

    @property
    def denominator(self) -> int:
        """What the counts sum to."""
        return sum(self.counts)

    def to_dense(self) -> list[int]:
        """The counts of all tokens in id order; 0 for what is not kept."""
        dense = [0] * self.vocabulary
        for token, count in zip(self.token_ids, self.counts, strict=True):
            dense[token] = count
        return dense

    def locate(self, r: int) -> tuple[int, int]:
        """The owner of a draw, and how far into the owner's interval it lies (section 4, Interval order)."""
        if not 0 <= r < self.denominator:
            raise ValueError(f"r = {r}; allowed: 0 to {self.denominator - 1}")
        ends = list(accumulate(self.counts))
        owner = bisect_right(ends, r)
        return self.token_ids[owner], r - ends[owner] + self.counts[owner]

    def sample(self, r: int) -> int:
        """The owner of a draw."""
        return self.locate(r)[0]


def check_denominator(denominator: int) -> None:
    """ValueError unless the denominator is 2^b, 1 <= b <= 62."""
    if denominator not in {1 << b for b in range(1, 63)}:
        raise ValueError(f"denominator = {denominator}; allowed: 2^b, 1 <= b <= 62")


def from_logits(logits: Sequence[Any], config: Any, denominator: int = 2**62) -> DyadicLaw:
    """The law of a row of logits, finite or -inf, which are rounded to float32 (sections 1 to 4).

    Raises ValueError for a bad row, setting or denominator.
    """
    check_denominator(denominator)
    config = SamplerConfig.of(config)
    row = row_of_logits(logits)
    units = {token: float32_units(logit) for token, logit in enumerate(row) if logit is not None and logit > LOWEST}
    if not units:
        raise ValueError("logits are all -inf as float32; allowed: at least one finite float32")
    ids = sorted(units, key=lambda token: (-units[token], token))
    if config.temperature == 0:
        return DyadicLaw(ids[:1], [denominator], len(row))
    ranked = [units[token] for token in ids]
    weights = masses(ranked, config.temperature)
    sizes = nucleus(weights, len(row), ranked[0] == ranked[-1], config.top_p)
    kept, most = (kept_by_top_k(size, config.top_k) for size in sizes)
    if undecided := kept != most:
        kept = filtered_target([QQ(logit, 2**149) for logit in ranked], config).kept_size
    return DyadicLaw(ids[:kept], shares(weights[:kept], denominator), len(row), undecided)


def from_probs(probs: Sequence[Any], config: Any = None, denominator: int = 2**62) -> DyadicLaw:
    """The law of a row of probabilities, which are rounded to float32 and then exact masses (section 3, Both filters).

    Raises ValueError for a bad row, setting or denominator, and for a temperature that is not 1.
    """
    check_denominator(denominator)
    config = SamplerConfig.of(config or SamplerConfig(1, 1, 0))
    if config.temperature != 1:
        raise ValueError(f"temperature = {config.temperature}; allowed for probabilities: 1")
    units = [float32_units(value) for value in row_of_rationals(probs, "probs")]
    law_of_row([QQ(value, 2**149) for value in units], "probs")  # refuses what is no row of probabilities
    ids = sorted((token for token, value in enumerate(units) if value), key=lambda token: (-units[token], token))
    ranked = [units[token] for token in ids]
    size, _ = nucleus(ranked, len(units), True, config.top_p)
    kept = kept_by_top_k(size, config.top_k)
    return DyadicLaw(ids[:kept], shares(ranked[:kept], denominator), len(units))


def one_hot(token: int, vocabulary: int, denominator: int = 2**62) -> DyadicLaw:
    """The law that is certain of a token."""
    check_denominator(denominator)
    if not 0 <= token < vocabulary:
        raise ValueError(f"token = {token}; allowed: 0 to {vocabulary - 1}")
    return DyadicLaw([token], [denominator], vocabulary)


def verify(target: DyadicLaw, draft: DyadicLaw, r: int) -> tuple[int, bool]:
    """The token that one draw emits, and whether it is the draft's (section 5, steps 1 to 4)."""
    if (target.vocabulary, target.denominator) != (draft.vocabulary, draft.denominator):
        raise ValueError("target and draft differ; allowed: one vocabulary and one denominator")
    p, q = target.to_dense(), draft.to_dense()
    x, off = draft.locate(r)
    if off < p[x]:
        return x, True
    before = draft.token_ids[: draft.token_ids.index(x)]
    j = sum(max(0, q[y] - p[y]) for y in before) + off - p[x]
    through = accumulate(max(0, p[y] - q[y]) for y in target.token_ids)
    return next(y for y, cells in zip(target.token_ids, through, strict=True) if cells > j), False


def verify_chain(targets: Sequence[DyadicLaw], drafts: Sequence[DyadicLaw], draws: Sequence[int]) -> tuple[list[int], int]:
    """The tokens that a chain of drafts emits, and how many drafts were accepted (section 5, A chain).

    K drafts, K + 1 targets and draws: a rejection ends the block, and a bonus from the last target follows K acceptances.
    """
    if not len(targets) == len(draws) == len(drafts) + 1:
        raise ValueError(f"{len(targets)} targets, {len(drafts)} drafts, {len(draws)} draws; allowed: K + 1, K, K + 1")
    emitted = []
    for target, draft, r in zip(targets, drafts, draws, strict=False):
        token, accepted = verify(target, draft, r)
        emitted.append(token)
        if not accepted:
            return emitted, len(emitted) - 1
    return [*emitted, targets[-1].sample(draws[-1])], len(drafts)


def threefry(key: tuple[int, int], counter: tuple[int, int]) -> tuple[int, int]:
    """Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw 2011): a permutation of the counters for every key."""
    schedule = (*key, 0x1BD11BDA ^ key[0] ^ key[1])
    x, y = ((word + k) % 2**32 for word, k in zip(counter, key, strict=True))
    for block in range(5):
        for rotation in (17, 29, 16, 24) if block % 2 else (13, 15, 26, 6):
            x = (x + y) % 2**32
            y = (y << rotation | y >> 32 - rotation) % 2**32 ^ x
        x = (x + schedule[(block + 1) % 3]) % 2**32
        y = (y + schedule[(block + 2) % 3] + block + 1) % 2**32
    return x, y


def draw(seed: int, request: int, position: int, attempt: int, denominator: int = 2**62) -> int:
    """The draw of that name, uniform on 0..denominator - 1 (section 6)."""
    check_denominator(denominator)
    for value, bits in zip((seed, request, position, attempt), (64, 32, 24, 8), strict=True):
        if not 0 <= value < 1 << bits:
            raise ValueError(
                f"{value} in the name of a draw; allowed: seed < 2^64, request < 2^32, position < 2^24, attempt < 2^8"
            )
    x, y = threefry((seed % 2**32, seed >> 32), (position * 2**8 + attempt, request))
    return (x * 2**32 + y) // (2**64 // denominator)
