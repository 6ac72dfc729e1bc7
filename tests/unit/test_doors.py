"""The doors of `mtplx.sampling`: every kind of bad input is refused by its own exception, with its name and what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from mtplx import doors, errors, sampling
from mtplx.errors import CoinError, LogitsError, MassError, ShapeError, TokenError, VocabularyError
from mtplx.sampling import SamplerConfig

pytestmark = pytest.mark.device

NAN, INF = float("nan"), float("inf")
CONFIG = SamplerConfig(1, 1, 0)
HALF = [0.5, 0.5]

ROW_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "softmax": sampling.softmax,
    "distribution_from_logits": lambda row: sampling.distribution_from_logits(row, CONFIG),
    "apply_top_p_top_k": sampling.apply_top_p_top_k,
    "sample_from_distribution": lambda row: sampling.sample_from_distribution(row, 0.5),
    "acceptance_probability: p": lambda row: sampling.acceptance_probability(row, HALF, 0),
    "acceptance_probability: q": lambda row: sampling.acceptance_probability(HALF, row, 0),
    "residual_distribution: p": lambda row: sampling.residual_distribution(row, HALF),
    "residual_distribution: q": lambda row: sampling.residual_distribution(HALF, row),
    "speculative_output_marginal: p": lambda row: sampling.speculative_output_marginal(row, HALF),
    "speculative_output_marginal: q": lambda row: sampling.speculative_output_marginal(HALF, row),
    "verify_one_token: p": lambda row: sampling.verify_one_token(row, HALF, 0, coin=0, residual_coin=0),
    "verify_one_token: q": lambda row: sampling.verify_one_token(HALF, row, 0, coin=0, residual_coin=0),
}
LAW_FUNCTIONS = [name for name in ROW_FUNCTIONS if name not in ("softmax", "distribution_from_logits")]
LOGIT_FUNCTIONS = ["softmax", "distribution_from_logits"]
PAIR_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "acceptance_probability": lambda p, q: sampling.acceptance_probability(p, q, 0),
    "residual_distribution": sampling.residual_distribution,
    "speculative_output_marginal": sampling.speculative_output_marginal,
    "verify_one_token": lambda p, q: sampling.verify_one_token(p, q, 0, coin=0, residual_coin=0),
}

NO_ROWS = {
    "no axis": 0.5,
    "no axis, mlx": mx.array(0.5),
    "empty": [],
    "empty batch": np.zeros((0, 2)),
    "empty vocabulary": np.zeros((2, 0)),
    "empty, mlx": mx.zeros((0,)),
    "ragged": [[0.5, 0.5], [1.0]],
    "bool": [True, False],
    "bool, mlx": mx.array([True, False]),
    "complex": np.array([0.5, 0.5j]),
    "complex, mlx": mx.array([0.5, 0.5j]),
    "objects": [Fraction(1, 2), Fraction(1, 2)],
    "none": None,
    "text": ["0.5", "0.5"],
    "dates": np.array([1, 2], dtype="datetime64[s]"),
}


@pytest.mark.parametrize("name", ROW_FUNCTIONS)
@pytest.mark.parametrize("row", NO_ROWS.values(), ids=NO_ROWS)
def test_no_row_of_numbers(name: str, row: Any) -> None:
    """What is no row or rectangular batch of real numbers is a ShapeError."""
    with pytest.raises(ShapeError, match="allowed:"):
        ROW_FUNCTIONS[name](row)


BAD_LOGITS = {
    "NaN": [0.0, NAN],
    "NaN first": [NAN, 0.0],
    "NaN beside -inf": [-INF, NAN, -INF],
    "+inf": [0.0, INF],
    "beyond float32": [0.0, 1e39],
    "all -inf": [-INF, -INF],
    "second row": [[0.0, 1.0], [-INF, -INF]],
}


@pytest.mark.parametrize("name", LOGIT_FUNCTIONS)
@pytest.mark.parametrize("logits", BAD_LOGITS.values(), ids=BAD_LOGITS)
def test_bad_logits(name: str, logits: Any) -> None:
    """NaN, +inf, a number beyond float32, or a row of only -inf is a LogitsError that names the row."""
    with pytest.raises(LogitsError, match=r"logits of row .*allowed: finite") as refusal:
        ROW_FUNCTIONS[name](logits)
    assert f"row {len(np.shape(logits)) - 1}" in str(refusal.value)


def test_nan_is_found_wherever_it_stands() -> None:
    """One NaN or +inf among 1 to 40 logits is refused at every position: no reduction skips it."""
    for size in (1, 2, 3, 7, 8, 9, 31, 40):
        for bad in (NAN, INF):
            for place in range(size):
                logits = [-float(token) for token in range(size)]
                logits[place] = bad
                with pytest.raises(LogitsError):
                    doors.logit_rows(logits)


BAD_LAWS = {
    "NaN": [NAN, 1.0],
    "+inf": [INF, 0.0],
    "-inf": [-INF, 1.0],
    "negative": [-0.25, 1.25],
    "small negative": [-(2.0**-149), 1.0],
    "two and one": [2.0, 1.0],
    "nothing": [0.0, 0.0],
    "too little": [0.5, 0.498],
    "too much": [0.5, 0.502],
    "far beyond": [1e38, 0.0],
    "second row": [[0.5, 0.5], [0.5, 0.498]],
}


@pytest.mark.parametrize("name", LAW_FUNCTIONS)
@pytest.mark.parametrize("row", BAD_LAWS.values(), ids=BAD_LAWS)
def test_no_law(name: str, row: Any) -> None:
    """NaN, infinities, a negative entry, or a sum further than 1/1000 from one is a MassError that names the row."""
    with pytest.raises(MassError, match=r"row [01] .*allowed:"):
        ROW_FUNCTIONS[name](row)


def test_edge_of_the_allowed_mass() -> None:
    """The largest float32 row within 1/1000 of one is a law, the next float32 is none, on both sides and exactly."""
    for edge, outwards in ((Fraction(999, 1000), -1), (Fraction(1001, 1000), 1)):
        unit = Fraction(1, 2**24 if outwards < 0 else 2**23)
        inside = (edge / unit).__floor__() * unit if outwards > 0 else (edge / unit).__ceil__() * unit
        outside = inside + outwards * unit
        assert abs(inside - 1) <= Fraction(1, 1000) < abs(outside - 1)
        assert sampling.apply_top_p_top_k([float(inside)]).tolist() == [1.0]
        with pytest.raises(MassError):
            sampling.apply_top_p_top_k([float(outside)])


def test_mass_is_summed_exactly() -> None:
    """1 followed by 65,535 entries of 2^-45, which a float32 sum would lose: each has its share of the coins."""
    row = [1.0] + [2.0**-45] * 65_535
    last = Fraction(1, 2**45 + 65_535)
    assert sampling.sample_from_distribution(row, 1 - last) == 65_535
    assert sampling.sample_from_distribution(row, 1 - last - Fraction(1, 2**99)) == 65_534


@pytest.mark.parametrize("name", PAIR_FUNCTIONS)
def test_two_vocabularies(name: str) -> None:
    """Target and draft over different vocabularies are a VocabularyError that names both sizes."""
    with pytest.raises(VocabularyError, match=r"2 tokens.*3.*one vocabulary"):
        PAIR_FUNCTIONS[name](HALF, [0.5, 0.25, 0.25])


@pytest.mark.parametrize("name", PAIR_FUNCTIONS)
def test_two_shapes(name: str) -> None:
    """A batch and a row, or two batches of different shape, are a ShapeError: nothing is broadcast."""
    for p, q in ((HALF, [HALF]), ([HALF], HALF), ([HALF, HALF], [HALF])):
        with pytest.raises(ShapeError, match="the same shape"):
            PAIR_FUNCTIONS[name](p, q)


ID_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "token_id": lambda token: sampling.acceptance_probability(HALF, HALF, token),
    "draft_token": lambda token: sampling.verify_one_token(HALF, HALF, token, coin=0, residual_coin=0),
}
BAD_IDS = [-1, 2, 2**40, -(2**40), 2**64, True, np.True_, 1.0, np.float32(1), NAN, None, "0", Fraction(1)]


@pytest.mark.parametrize("name", ID_FUNCTIONS)
@pytest.mark.parametrize("token", BAD_IDS, ids=repr)
def test_bad_token_id(name: str, token: Any) -> None:
    """An id outside 0 to V - 1, a bool, a float or no number is a TokenError that names it: MLX would read anything."""
    with pytest.raises(TokenError, match=f"{name} of row 0 is .*from 0 to 1") as refusal:
        ID_FUNCTIONS[name](token)
    assert repr(token) in str(refusal.value)


@pytest.mark.parametrize("token", [0, 1, np.int64(1), np.uint8(1), mx.array(1), np.array(1, np.int32)], ids=repr)
def test_good_token_id(token: Any) -> None:
    """Integers of Python, numpy and MLX are ids."""
    assert sampling.acceptance_probability(HALF, HALF, token).item() == 1


@pytest.mark.parametrize("name", ID_FUNCTIONS)
def test_ids_are_one_per_row(name: str) -> None:
    """A list of ids for one row, or one id for a batch, is a ShapeError."""
    with pytest.raises(ShapeError, match=name):
        ID_FUNCTIONS[name]([0])
    with pytest.raises(ShapeError, match="one for each row"):
        sampling.acceptance_probability([HALF, HALF], [HALF, HALF], 0)
    with pytest.raises(TokenError, match="row 1 is 5"):
        sampling.acceptance_probability([HALF, HALF], [HALF, HALF], [0, 5])


COIN_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "coin": lambda coin: sampling.sample_from_distribution(HALF, coin),
    "coin of verify_one_token": lambda coin: sampling.verify_one_token(HALF, HALF, 0, coin=coin, residual_coin=0),
    "residual_coin": lambda coin: sampling.verify_one_token(HALF, HALF, 0, coin=0, residual_coin=coin),
}


@pytest.mark.parametrize("name", COIN_FUNCTIONS)
@pytest.mark.parametrize("coin", [1.0, 1, -0.1, -(2.0**-1074), NAN, INF, -INF, None, True, "x", "1", 1j], ids=repr)
def test_bad_coin(name: str, coin: Any) -> None:
    """A coin outside [0, 1), or no number, is a CoinError that names it: 1.0 too, which some generators return."""
    with pytest.raises(CoinError, match=f"{name.split()[0]} of row 0 is .*allowed: 0 <= .* < 1") as refusal:
        COIN_FUNCTIONS[name](coin)
    assert repr(coin) in str(refusal.value)


@pytest.mark.parametrize(
    "coin", [0, 0.0, -0.0, 1 - 2.0**-53, "1/3", Fraction(1, 3), np.float32(0.25), np.array(0.25), mx.array(0.25)], ids=repr
)
def test_good_coin(coin: Any) -> None:
    """Every exact number in [0, 1) is a coin."""
    for function in COIN_FUNCTIONS.values():
        function(coin)


def test_coins_are_one_per_row() -> None:
    """A list of coins for one row, or one coin for a batch, is a ShapeError; a bad coin is named with its row."""
    with pytest.raises(ShapeError, match="coin has shape"):
        sampling.sample_from_distribution(HALF, [0.5])
    with pytest.raises(ShapeError, match="one for each row"):
        sampling.sample_from_distribution([HALF, HALF], 0.5)
    with pytest.raises(CoinError, match=r"coin of row 1 is 1.0"):
        sampling.sample_from_distribution([HALF, HALF], [0.5, 1.0])


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16])
def test_mlx_coins_of_any_float(dtype: mx.Dtype) -> None:
    """Coins in an MLX array of any float type are read exactly."""
    coins = mx.array([0.25, 0.5]).astype(dtype)
    assert sampling.sample_from_distribution([HALF, HALF], coins).tolist() == [0, 1]


def test_errors_are_value_errors() -> None:
    """Each kind of mistake has its own type, and all are ValueErrors."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert len(kinds) == 11
    assert all(issubclass(kind, ValueError) and kind.__base__ is ValueError for kind in kinds)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, np.int8, np.uint16, np.int64])
def test_numpy_rows(dtype: Any) -> None:
    """numpy rows of every real type are rows; their law comes out float32."""
    found = sampling.softmax(np.array([0, 0], dtype))
    assert found.dtype == mx.float32
    assert found.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16, mx.float32, mx.int8, mx.uint32, mx.int64])
def test_mlx_rows(dtype: mx.Dtype) -> None:
    """MLX rows of every real type that a GPU has are rows."""
    assert sampling.softmax(mx.array([1, 1]).astype(dtype)).tolist() == [0.5, 0.5]


def test_mlx_float64_rows() -> None:
    """A float64 MLX row, which only a CPU has, is rounded once like any other: 1 + 2^-30 is 1."""
    if mx.default_device().type != mx.cpu:
        pytest.skip("not run: MLX has float64 on the CPU only")
    row = mx.array([1 + 2.0**-30, 1.0], dtype=mx.float64)
    assert sampling.distribution_from_logits(row, SamplerConfig("1e-9", 1, 0)).tolist() == [0.5, 0.5]


def test_integers_of_a_list_are_rounded_once() -> None:
    """2^60 + 2^36 + 1 beside floats is 2^60 + 2^37, as it is alone; by way of float64 it would be 2^60."""
    large = 2**60 + 2**36 + 1
    for row in ([large, 0.5], [large, 1], [[large, 0.5]], [-large, 0.5]):
        found = doors.logit_rows(row).values.tolist()[0][0]
        assert abs(found) == 2**60 + 2**37
    with pytest.raises(LogitsError, match="hold inf at token 0"):
        doors.logit_rows([10**400, 0.5])
