"""Dyadic laws: a row as integer counts over a denominator 2^b, and verification with one draw (docs/integer-core.md).

A law is an integer function of the bits of its row and the configuration. It gives each token a half-open interval of
{0..D-1}, in rank order; a draw r falls into one. One r drafts a token and verifies it: as r runs through 0..D-1, the emitted
token takes each value y exactly P(y) times, for every target P and draft Q over D.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import mlx.core as mx
import numpy as np

from mtplx import doors
from mtplx.config import SamplerConfig
from mtplx.doors import DENOMINATOR
from mtplx.errors import ConfigError, DenominatorError, DrawError, ShapeError, TokenError, VocabularyError
from mtplx.target import Made, Make, made_of_ranks, ranked_shares
from mtplx.wide import Scaled, Wide

__all__ = ["DENOMINATOR", "DyadicLaw", "from_logits", "from_probs", "one_hot", "stack", "verify", "verify_chain"]


COMPARED = 4
"""Ids are looked up by comparison with all entries while that is at most so many comparisons a token of the vocabulary."""


def along(values: mx.array, index: mx.array) -> mx.array:
    """values[..., i] for one index i a row: values [S, n], index of a shape that S broadcasts to; indices must be in range."""
    rows = mx.broadcast_to(values, (*index.shape, values.shape[-1]))
    return mx.take_along_axis(rows, index[..., None], axis=-1)[..., 0]


def holder(counts: mx.array, cell: mx.array) -> mx.array:
    """uint32: the entry whose interval holds the cell, counts [S, n] laid end to end; the last one for cells beyond."""
    passed = mx.cumsum(counts, axis=-1) <= cell[..., None]
    index = mx.sum(passed.astype(mx.uint32), axis=-1).astype(mx.uint32)
    return mx.minimum(index, mx.array(counts.shape[-1] - 1, mx.uint32))


def host_int(array: mx.array) -> int:
    """An integer array of one element."""
    return cast(int, array.item())


def checked(good: mx.array, r: mx.array, denominator: int, *results: mx.array) -> None:
    """Evaluate the results and the range of r at once: the only wait for the device. DrawError for an r outside 0..D-1."""
    mx.eval(good, *results)
    if not good.item():
        raise DrawError(f"r reaches {host_int(mx.max(r))}; allowed: integers from 0 to {denominator - 1}")


@dataclass(frozen=True, eq=False)
class DyadicLaw:
    """One law [n], or a batch [..., n], of integer counts; a row's probabilities are counts / denominator.

    token_ids: uint32, the kept tokens in rank order. counts: uint64, each row sums to exactly `denominator`, and kept tokens
    with less than 1 / denominator may have 0. Rows of a batch that keep fewer tokens than the longest are filled up with the
    id vocab_size, which is no token, and the count 0. undecided: the number of rows whose cut took ball arithmetic.
    Made by the functions below: the class itself does not check the sums.
    """

    token_ids: mx.array
    counts: mx.array
    denominator: int
    vocab_size: int
    undecided: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape; () for one row."""
        return tuple(self.counts.shape[:-1])

    def __getitem__(self, index: int | tuple[int, ...]) -> DyadicLaw:
        """One law of a batch, or the laws under its first axes; `undecided` stays that of the batch. ShapeError."""
        place = index if isinstance(index, tuple) else (index,)
        whole = all(isinstance(i, (int, np.integer)) and not isinstance(i, bool) for i in place)
        inside = whole and all(0 <= i < size for i, size in zip(place, self.shape, strict=False))
        if len(place) > len(self.shape) or not inside:
            raise ShapeError(f"index {index!r} in a batch of shape {self.shape}; allowed: integers from 0, below its axes")
        return replace(self, token_ids=self.token_ids[place], counts=self.counts[place])

    def __len__(self) -> int:
        """The number of laws along the first batch axis. ShapeError for one law."""
        if not self.shape:
            raise ShapeError("one law has no length; allowed: a batch of laws")
        return self.shape[0]

    def __iter__(self) -> Iterator[DyadicLaw]:
        """The laws along the first batch axis. ShapeError for one law."""
        return (self[b] for b in range(len(self)))

    def positions(self, span: slice) -> DyadicLaw:
        """A span of the last batch axis."""
        return replace(self, token_ids=self.token_ids[..., span, :], counts=self.counts[..., span, :])

    def even(self) -> DyadicLaw:
        """Filled up to a power of two of entries, from 16: few shapes, of which a compiled function traces each once."""
        entries = self.counts.shape[-1]
        even = max(16, 1 << (entries - 1).bit_length())
        if even == entries:
            return self
        ids = filled(self.token_ids, even, self.vocab_size)
        return replace(self, token_ids=ids, counts=filled(self.counts, even, 0))

    def at(self, ids: mx.array) -> mx.array:
        """Counts of token ids [..., m], or the fill: by comparison with each entry, or where that is too much by token id."""
        if ids.shape[-1] * self.counts.shape[-1] > COMPARED * self.vocab_size:
            return mx.take_along_axis(self.padded_dense(), ids, axis=-1)
        same = ids[..., None] == self.token_ids[..., None, :]
        return mx.sum(mx.where(same, self.counts[..., None, :], mx.array(0, mx.uint64)), axis=-1)

    def padded_dense(self) -> mx.array:
        """Counts by token id, [..., V + 1]: the last entry, where the fill goes, is 0."""
        zeros = mx.zeros((*self.shape, self.vocab_size + 1), mx.uint64)
        return mx.put_along_axis(zeros, self.token_ids, self.counts, axis=-1)

    def to_dense(self) -> mx.array:
        """uint64 counts by token id, [..., V]."""
        return self.padded_dense()[..., :-1]

    def probability(self, token: int) -> Fraction:
        """The exact probability of a token under one law [n]; a row of a batch is `law[b]`. TokenError, ShapeError."""
        if self.shape:
            raise ShapeError(f"a batch of laws of shape {self.shape}; allowed: one law, as law[b] is")
        found = mx.sum(mx.where(self.token_ids == self.known(token), self.counts, mx.array(0, mx.uint64)))
        return Fraction(host_int(found), self.denominator)

    def known(self, token: Any) -> int:
        """The same id; TokenError unless it is in the vocabulary."""
        if isinstance(token, bool) or not hasattr(token, "__index__") or not 0 <= token < self.vocab_size:
            raise TokenError(f"token is {token!r}; allowed: an integer from 0 to {self.vocab_size - 1}")
        return int(token)

    def fits(self, r: mx.array) -> None:
        """ShapeError unless the batch shape broadcasts to the shape of the draws."""
        ends = zip(reversed(self.shape), reversed(r.shape), strict=False)
        if len(self.shape) > r.ndim or any(size not in (1, drawn) for size, drawn in ends):
            raise ShapeError(f"r has shape {tuple(r.shape)}; allowed: one draw a law, {self.shape} or more axes before it")

    def holding(self, r: mx.array) -> mx.array:
        """uint32 token ids of the intervals that hold r; r below the denominator."""
        return along(self.token_ids, holder(self.counts, r))

    def sample(self, r: Any) -> Any:
        """The token whose interval holds r: inverse CDF in the order of `token_ids`.

        r: integers from 0 to denominator - 1, a Python int or a uint64 array; each law takes one, and further axes before
        the batch's draw the same laws again. Returns uint32 of the shape of r, an int for one Python int. DrawError,
        ShapeError.
        """
        drawn = doors.draws(r, self.denominator)
        self.fits(drawn)
        token, good = sampled(self.even(), drawn)
        checked(good, drawn, self.denominator, token)
        return token if isinstance(r, mx.array) or drawn.ndim else host_int(token)


@mx.compile
def shares(order: mx.array, limbs: list[mx.array], sizes: mx.array, fill: int, bits: int) -> tuple[mx.array, mx.array]:
    """Ids and counts [B, R] over 2^bits of the first ranks, so many a row; what is missing goes to the first, a unit each."""
    ranks = mx.arange(order.shape[-1], dtype=mx.uint32)
    kept = Wide(tuple(limbs)).where(ranks < sizes)
    floors = kept.quotient(kept.total(), bits)
    missing = 2**bits - mx.sum(floors, axis=-1, keepdims=True)  # below the size: each quotient lost less than one
    ids = mx.where(ranks < sizes, order, mx.array(fill, mx.uint32))
    return ids, floors + (ranks.astype(mx.uint64) < missing).astype(mx.uint64)


def counts_of(vocab_size: int, bits: int) -> Make:
    """Ids and counts of the kept ranks over 2^bits, at least 16 of them, so that few shapes are traced."""

    def make(order: mx.array, weights: Scaled, mass: Wide, sizes: mx.array) -> list[mx.array]:
        missing = max(0, 16 - order.shape[-1])
        arrays = [mx.pad(array, [(0, 0), (0, missing)]) if missing else array for array in (order, *mass.limbs)]
        return list(shares(arrays[0], arrays[1:], sizes, vocab_size, bits))

    return make


def law_of(rows: doors.Rows, made: list[Made], denominator: int) -> DyadicLaw:
    """The law of `counts_of` kept ranks, filled up to the longest row."""
    longest = max(int(part.size.max()) for part in made)
    fills = (rows.shape[-1], 0)
    parts = ([filled(array, longest, fill) for array, fill in zip(part.arrays, fills, strict=True)] for part in made)
    ids, counts = (mx.concatenate(list(column)) for column in zip(*parts, strict=True))
    shape, undecided = (*rows.shape[:-1], longest), sum(int(part.undecided.sum()) for part in made)
    return DyadicLaw(ids.reshape(shape), counts.reshape(shape), denominator, rows.shape[-1], undecided)


def filled(array: mx.array, entries: int, fill: int) -> mx.array:
    """The first entries along the last axis, or as many with the fill behind."""
    missing = entries - array.shape[-1]
    if missing <= 0:
        return array[..., :entries]
    return mx.concatenate([array, mx.full((*array.shape[:-1], missing), fill, array.dtype)], axis=-1)


def from_logits(logits: Any, config: SamplerConfig, denominator: int = DENOMINATOR) -> DyadicLaw:
    """The filtered target of rows of logits [..., V] as dyadic laws: the same bits on every backend and in every batch.

    Its tokens are those of the real target of spec 2, proved; one with less than 1 / denominator may have the count 0.
    Total variation from it at most 2^-43 + n * (2^-96 + 1 / (2 * denominator)) for n kept tokens (docs/integer-core.md).
    LogitsError, ShapeError, ConfigError, DenominatorError, VocabularyError.
    """
    if not isinstance(config, SamplerConfig):
        raise ConfigError(f"config = {config!r}; allowed: a SamplerConfig")
    bits = doors.denominator_bits(denominator)
    rows = doors.float32_rows(logits, "logits")
    doors.vocabulary(rows.shape[-1])
    return law_of(rows, made_of_ranks(rows.values, config, counts_of(rows.shape[-1], bits)), denominator)


def from_probs(probs: Any, config: SamplerConfig | None = None, denominator: int = DENOMINATOR) -> DyadicLaw:
    """Rows of probabilities [..., V], cut by top_p and top_k, as dyadic laws; every step is exact on the float32 row.

    Total variation from the cut row at most n / (2 * denominator) for n kept tokens. config: none cuts nothing; its
    temperature must be 1. MassError, ShapeError, ConfigError, DenominatorError, VocabularyError.
    """
    config = SamplerConfig(1, 1, 0) if config is None else config
    if not isinstance(config, SamplerConfig) or config.temperature != 1:
        raise ConfigError(f"config = {config!r}; allowed for probabilities: a SamplerConfig with temperature = 1")
    bits = doors.denominator_bits(denominator)
    law = doors.law_rows(probs, "probs")
    doors.vocabulary(law.shape[-1])
    kept = ranked_shares(law, config.top_p, config.top_k)
    return law_of(law, [Made(counts_of(law.shape[-1], bits)(*kept.parts()), kept.size, kept.undecided)], denominator)


def one_hot(token: Any, vocab_size: int, denominator: int = DENOMINATOR) -> DyadicLaw:
    """The law of a token that is certain: a greedy or n-gram draft. token: an int, or integers [...] for a batch."""
    doors.denominator_bits(denominator)
    vocab_size = doors.vocabulary(vocab_size)
    try:
        shape = (*np.shape(token), vocab_size)
    except ValueError as error:
        raise ShapeError("token is ragged; allowed: one id or a rectangular batch of ids") from error
    if not np.size(token):
        raise ShapeError(f"token has shape {shape[:-1]}; allowed: no empty axis")
    ids = doors.token_ids(token, doors.Rows(mx.zeros((0,)), shape), "token").reshape(*shape[:-1], 1)
    return DyadicLaw(ids, mx.full(ids.shape, denominator, mx.uint64), denominator, vocab_size)


def stack(laws: Sequence[DyadicLaw]) -> DyadicLaw:
    """Laws of one batch shape as a batch with a new last axis, such as the drafts of a chain, made one after another.

    Their counts are the same, filled up to the longest. ShapeError, VocabularyError, DenominatorError.
    """
    if not laws:
        raise ShapeError("no laws; allowed: at least one")
    for law in laws:
        paired(laws[0], law)
        if law.shape != laws[0].shape:
            raise ShapeError(f"laws have batch shapes {laws[0].shape} and {law.shape}; allowed: the same")
    longest = max(law.counts.shape[-1] for law in laws)
    ids = mx.stack([filled(law.token_ids, longest, law.vocab_size) for law in laws], axis=-2)
    counts = mx.stack([filled(law.counts, longest, 0) for law in laws], axis=-2)
    return replace(laws[0], token_ids=ids, counts=counts, undecided=sum(law.undecided for law in laws))


def paired(target: DyadicLaw, draft: DyadicLaw) -> None:
    """VocabularyError or DenominatorError unless two laws are over one vocabulary and denominator; ShapeError if none."""
    for law in (target, draft):
        if not isinstance(law, DyadicLaw):
            raise ShapeError(f"{law!r} is no law; allowed: a DyadicLaw")
    if target.vocab_size != draft.vocab_size:
        raise VocabularyError(f"target has {target.vocab_size} tokens, draft {draft.vocab_size}; allowed: one vocabulary")
    if target.denominator != draft.denominator:
        raise DenominatorError(f"target is over {target.denominator}, draft over {draft.denominator}; allowed: one denominator")


def decide(target: DyadicLaw, draft: DyadicLaw, r: mx.array) -> tuple[mx.array, mx.array]:
    """Token and acceptance of `verify`, not yet evaluated: draws of a shape that the batch shape broadcasts to."""
    p_drafted, q_wanted = target.at(draft.token_ids), draft.at(target.token_ids)
    excess = mx.maximum(draft.counts, p_drafted) - p_drafted
    deficit = mx.maximum(target.counts, q_wanted) - q_wanted

    i = holder(draft.counts, r)
    offset = r - along(mx.cumsum(draft.counts, axis=-1) - draft.counts, i)
    p_x = along(p_drafted, i)
    accepted = offset < p_x
    past = mx.maximum(offset, p_x) - p_x
    cell = along(mx.cumsum(excess, axis=-1) - excess, i) + past
    return mx.where(accepted, along(draft.token_ids, i), along(target.token_ids, holder(deficit, cell))), accepted


def verify(target: DyadicLaw, draft: DyadicLaw, r: Any) -> tuple[Any, Any]:
    """The emitted token and whether it is the draft token x = draft.sample(r), decided by the same r.

    The interval of x in the draft holds Q(x) cells; r is its cell number `off`. Accept iff off < P(x). Else (x, off) is one of
    the R = sum of (Q - P)+ excess cells: cells off >= P(y) of each token y, counted in the order of draft.token_ids and, for
    one token, by off. The R deficit cells are P(y) - Q(y) for each token y that has less of the draft than of the target,
    counted in the order of target.token_ids. Excess cell j goes to deficit cell j, and its token is emitted.

    target, draft: laws over one vocabulary and denominator, in one batch shape. r: as for `sample`. Returns uint32 and bool
    arrays of the shape of r, an int and a bool for one Python int. VocabularyError, DenominatorError, ShapeError, DrawError.
    """
    paired(target, draft)
    if target.shape != draft.shape:
        raise ShapeError(f"targets have batch shape {target.shape}, drafts {draft.shape}; allowed: the same")
    drawn = doors.draws(r, target.denominator)
    target.fits(drawn)
    token, accepted, good = verified(target.even(), draft.even(), drawn)
    checked(good, drawn, target.denominator, token, accepted)
    if isinstance(r, mx.array) or drawn.ndim:
        return token, accepted
    return host_int(token), bool(accepted.item())


def verify_chain(targets: DyadicLaw, drafts: DyadicLaw, r: Any) -> tuple[mx.array, mx.array]:
    """The tokens that K drafts and a bonus emit: up to the first rejection, whose position emits as `verify` does, or all.

    targets: laws of batch shape [..., K + 1]; drafts: [..., K], K >= 1; r: uint64 [..., K + 1], one fresh draw a position,
    with which draft k was drawn too (drafts[..., k].sample(r[..., k])); the last is the bonus's, drawn from targets[..., K].
    Returns tokens uint32 [..., K + 1] and emitted uint32 [...], from 1 to K + 1: the first `emitted` tokens are the block,
    all but the last of them are the drafts, and what follows is vocab_size, which is no token. Both arrays are evaluated
    together, in the one wait for the device. VocabularyError, DenominatorError, ShapeError, DrawError.
    """
    paired(targets, drafts)
    depth = drafts.shape[-1] if drafts.shape else 0
    if not depth or targets.shape != (*drafts.shape[:-1], depth + 1):
        raise ShapeError(f"targets have batch shape {targets.shape}, drafts {drafts.shape}; allowed: [..., K + 1] and [..., K]")
    drawn = doors.draws(r, targets.denominator)
    targets.fits(drawn)
    tokens, emitted, good = chained(targets.even(), drafts.even(), drawn)
    checked(good, drawn, targets.denominator, tokens, emitted)
    return tokens, emitted


def on_arrays(function: Callable[..., tuple[mx.array, ...]]) -> Callable[..., list[mx.array]]:
    """A function of laws and draws as a compiled one, which takes arrays: also gives whether all draws are below D."""

    @mx.compile
    def compiled(laws: list[list[mx.array]], r: mx.array, denominator: int, vocab_size: int) -> list[mx.array]:
        made = [DyadicLaw(ids, counts, denominator, vocab_size) for ids, counts in laws]
        return [*function(*made, r), mx.all(r < denominator)]

    def call(*laws_and_draws: Any) -> list[mx.array]:
        *laws, r = laws_and_draws
        arrays = [[law.token_ids, law.counts] for law in laws]
        return compiled(arrays, r, laws[0].denominator, laws[0].vocab_size)

    return call


def chain(targets: DyadicLaw, drafts: DyadicLaw, r: mx.array) -> tuple[mx.array, mx.array]:
    """Tokens and their number of `verify_chain`."""
    depth = drafts.shape[-1]
    token, accepted = decide(targets.positions(slice(depth)), drafts, r[..., :depth])
    bonus = targets.positions(slice(depth, None)).holding(r[..., depth:])
    kept = mx.sum(mx.cumprod(accepted.astype(mx.uint32), axis=-1), axis=-1).astype(mx.uint32)
    inside = mx.arange(depth + 1, dtype=mx.uint32) <= kept[..., None]
    found = mx.concatenate([token, bonus], axis=-1)
    return mx.where(inside, found, mx.array(targets.vocab_size, mx.uint32)), kept + 1


sampled = on_arrays(lambda law, r: (law.holding(r),))
verified = on_arrays(decide)
chained = on_arrays(chain)
