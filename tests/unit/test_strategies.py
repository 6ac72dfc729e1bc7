"""`reference.strategies`: examples are valid inputs, the repr of a chain is its source, bad arguments are refused at once."""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import softmax, speculative_output_marginal
from reference.numbers import law_of_row
from reference.strategies import Chain, Cut, Pair, Row, chains, configs, cuts, draft_target_pairs, laws, logit_rows, one_hots

ROUNDINGS = st.sampled_from([None, "float32", "float64"])


def of_kind(row: Row, rounded: str | None) -> bool:
    """Fractions, or floats of the width; -inf is a float always."""
    if rounded is None:
        return all(type(x) is Fraction or x == -inf for x in row)
    return all(type(x) is float and (rounded == "float64" or struct.unpack("f", struct.pack("f", x))[0] == x) for x in row)


@given(ROUNDINGS, st.data())
def test_rows_are_laws(rounded: str | None, data: st.DataObject) -> None:
    """Rows have the size and the numbers asked for; exact ones sum to 1, rounded ones are within the reference's tolerance."""
    row = data.draw(st.one_of(laws(min_size=3, max_size=4, rounded=rounded), one_hots(min_size=3, max_size=4, rounded=rounded)))
    assert len(row) in (3, 4)
    assert of_kind(row, rounded)
    assert sum(law_of_row(row)) == 1
    assert rounded or sum(row) == 1


@given(ROUNDINGS, st.data())
def test_pairs_are_inputs_of_the_reference(rounded: str | None, data: st.DataObject) -> None:
    """A pair unpacks in the order of the reference's arguments; its marginal is its target."""
    pair: Pair = data.draw(draft_target_pairs(rounded=rounded))
    assert of_kind([*pair.target, *pair.draft], rounded)
    assert speculative_output_marginal(*pair) == law_of_row(pair.target)


@given(ROUNDINGS, st.sampled_from([0.5, 128, 3e38]), st.data())
def test_logits_are_inputs_of_the_reference(rounded: str | None, largest: float, data: st.DataObject) -> None:
    """Logits have the numbers asked for and no magnitude beyond the largest; their softmax exists."""
    row = data.draw(logit_rows(largest=largest, rounded=rounded))
    assert of_kind(row, rounded)
    assert all(abs(x) <= Fraction(largest) * (1 + Fraction(1, 2**24)) for x in row if x > -inf)
    softmax(row)


@given(ROUNDINGS, st.data())
def test_cuts_have_their_width(rounded: str | None, data: st.DataObject) -> None:
    """Rounded settings lose nothing as floats of the width."""
    cut: Cut = data.draw(cuts(rounded=rounded))
    assert 0 <= cut.config.top_k <= len(cut.law) + 1
    settings = [Fraction(int(x.numerator), int(x.denominator)) for x in (cut.config.temperature, cut.config.top_p)]
    assert rounded is None or (settings == list(map(float, settings)) and of_kind(list(map(float, settings)), rounded))


@given(st.booleans(), st.data())
def test_a_chain_has_every_row_and_prints_them(remembers: bool, data: st.DataObject) -> None:
    """A chain has the rows that k + 1 tokens read, for what its draft saw or the usual ones, and its repr evaluates to it."""
    chain: Chain = data.draw(chains(max_k=2, max_size=3, remembers=remembers))
    assert eval(repr(chain), {"Chain": Chain, "Fraction": Fraction}) == chain
    size = chain.model.size
    assert len(chain.target) == sum(size**length for length in range(chain.k + 1))
    assert {prefix for prefix, seen in chain.draft if not seen} == {prefix for prefix in chain.target if len(prefix) < chain.k}
    for prefix, seen in chain.draft:
        assert remembers or not seen
        assert chain.model.draft(prefix, (*seen, 0) if seen else ()) == law_of_row(chain.draft[prefix, seen])
        assert len(chain.model.draft(prefix, (0,))) == len(chain.model.target(prefix)) == size


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "no tokens": (lambda: laws(min_size=0), r"min_size = 0; allowed: an integer >= 1"),
    "sizes crossed": (lambda: draft_target_pairs(min_size=3, max_size=2), r"max_size = 2; allowed: an integer >= 3"),
    "size is a bool": (lambda: one_hots(min_size=True), r"min_size = True; allowed: an integer >= 1"),
    "size is a float": (lambda: cuts(max_size=4.0), r"max_size = 4.0; allowed: an integer >= 2"),  # type: ignore[arg-type]
    "no drafts": (lambda: chains(max_k=0), r"max_k = 0; allowed: an integer >= 1"),
    "width": (lambda: configs(rounded="float16"), r"rounded = 'float16'; allowed: None, 'float32', 'float64'"),
    "no law": (lambda: configs([2, 1]), r"law sum to 3; allowed: within 1/1000 of 1"),
    "no magnitude": (lambda: logit_rows(largest=0), r"largest = 0; allowed: a number > 0 that is finite when rounded"),
    "not a float32": (lambda: logit_rows(largest=1e39, rounded="float32"), r"largest = 1e\+39; allowed"),
    "infinite": (lambda: logit_rows(largest=inf), r"largest = inf; allowed"),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(call: Callable[[], Any], message: str) -> None:
    """A bad argument is refused when the strategy is made, by name and value."""
    with pytest.raises(ValueError, match=message):
        call()
