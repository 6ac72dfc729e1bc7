"""The rows that audits run on: what they hold, and how they are made."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from numpy.typing import NDArray

from mtplx.audit import rows as audit_rows
from mtplx.audit.rows import Row, all_rows, bfloat16_rounded, bigram_rows, synthetic_rows

MAKE_ROWS: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[2] / "ci" / "make_rows.py"))
TEXT = "the cat saw the dog\nthe dog saw the cat\nthe end"


@pytest.fixture(scope="module")
def bigrams() -> list[Row]:
    """The rows of the standard library's text."""
    return bigram_rows()


def bfloat16_by_mlx(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """MLX's own rounding, on the CPU: a GPU may flush subnormals."""
    return np.array(mx.array(logits).astype(mx.bfloat16, stream=mx.cpu).astype(mx.float32, stream=mx.cpu))


def ties(logits: NDArray[np.float32]) -> int:
    """Number of finite logits that repeat another one."""
    finite = logits[np.isfinite(logits)]
    return int(finite.size - np.unique(finite).size)


def test_every_row_is_one_that_the_spec_accepts() -> None:
    """Every row is float32, one-dimensional, finite or -inf, never only -inf, and has a name of its own."""
    rows = all_rows()
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        finite = np.isfinite(row.logits)
        assert row.logits.dtype == np.float32, row.name
        assert row.logits.ndim == 1, row.name
        assert finite.any(), row.name
        assert np.isneginf(row.logits[~finite]).all(), row.name


def test_bigram_rows_have_twenty_thousand_words(bigrams: list[Row]) -> None:
    """The 24 bigram rows share one vocabulary of 20,000 words."""
    assert [row.logits.shape for row in bigrams] == [(20_000,)] * 24


def test_unigram_row_sees_every_word_and_ties(bigrams: list[Row]) -> None:
    """The unigram row comes first, has no -inf, many ties, and is not sorted already."""
    unigram = bigrams[0]
    assert unigram.name == "bigram/<unigram>"
    assert np.isfinite(unigram.logits).all()
    assert ties(unigram.logits) > 10_000
    assert (np.diff(unigram.logits) > 0).any()
    assert (np.diff(unigram.logits) < 0).any()


def test_next_word_rows_have_unseen_words_and_ties(bigrams: list[Row]) -> None:
    """Every next-word row has -inf, all but the rarest have ties, and the rarest context was followed by one known word."""
    for row in bigrams[1:]:
        assert np.isneginf(row.logits).any(), row.name
        assert ties(row.logits) > 0 or np.isfinite(row.logits).sum() == 1, row.name
    assert np.isfinite(bigrams[-1].logits).sum() == 1


def test_bigram_logits_are_logs_of_whole_numbers(bigrams: list[Row]) -> None:
    """Every finite bigram logit is the float32 nearest to the log of a whole count."""
    for row in bigrams:
        finite = row.logits[np.isfinite(row.logits)]
        counts = np.rint(np.exp(finite.astype(np.float64)))
        np.testing.assert_array_equal(np.log(counts).astype(np.float32), finite)


def test_a_missing_file_is_said_with_both_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without bigram.npz the error names both places looked at and the script that writes it."""
    monkeypatch.setattr(audit_rows, "__file__", str(tmp_path / "mtplx" / "audit" / "rows.py"))
    with pytest.raises(FileNotFoundError, match=r"audit.bigram\.npz nor at .*rows.bigram\.npz; ci/make_rows\.py"):
        bigram_rows()


def test_the_packaged_file_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bigram.npz beside the module is read, whatever a checkout holds."""
    np.savez(tmp_path / "bigram.npz", logits=np.zeros((1, 3), np.float32), contexts=np.array(["only"]))
    monkeypatch.setattr(audit_rows, "__file__", str(tmp_path / "rows.py"))
    assert [row.name for row in bigram_rows()] == ["bigram/only"]


@pytest.mark.parametrize(
    ("given", "rounded"),
    [
        (1 + 2**-8, 1),  # half way: 1 is even
        (1 + 3 * 2**-8, 1 + 2**-6),  # half way: up to even
        (1 + 2**-8 + 2**-23, 1 + 2**-7),  # just above half way
        (-(1 + 2**-8), -1),
        (2 - 2**-23, 2),  # carries into the exponent
        (-np.inf, -np.inf),
        (-0.0, -0.0),
    ],
)
def test_bfloat16_rounds_to_nearest_even(given: float, rounded: float) -> None:
    """A logit goes to the nearest number of 8 significant bits, and half way to the even one."""
    result = bfloat16_rounded(np.array([given], np.float32))
    assert result.tobytes() == np.array([rounded], np.float32).tobytes()


def test_bfloat16_equals_mlx() -> None:
    """Rounding equals MLX's on 200,000 numbers of every exponent, on every lower half, and on infinities, bit for bit."""
    bits = np.random.Generator(np.random.PCG64(0)).integers(0, 2**32, 200_000, np.uint32)
    anything = bits.view(np.float32)
    low = np.arange(2**16, dtype=np.uint32)
    halves = np.concatenate([np.uint32(high << 16) + low for high in (0x3F80, 0x3F81, 0xC0FF, 0x7F7F, 0)]).view(np.float32)
    logits = np.concatenate([anything[~np.isnan(anything)], halves, np.array([-np.inf, np.inf, 0.0, -0.0], np.float32)])
    np.testing.assert_array_equal(bfloat16_rounded(logits).view(np.uint32), bfloat16_by_mlx(logits).view(np.uint32))


def test_bfloat16_refuses_nan() -> None:
    """NaN is refused: the carry would turn some NaNs into infinities or zeros."""
    with pytest.raises(ValueError, match="logits: NaN"):
        bfloat16_rounded(np.array([0, np.nan], np.float32))


def test_bfloat16_copies_add_ties(bigrams: list[Row]) -> None:
    """The bfloat16 copy of the unigram row is in the list, has more ties than the row, and rounds to itself."""
    copy = next(row.logits for row in all_rows() if row.name == "bigram/<unigram>/bfloat16")
    assert ties(copy) > ties(bigrams[0].logits)
    np.testing.assert_array_equal(bfloat16_rounded(copy), copy)


def test_synthetic_rows_are_reproducible() -> None:
    """One seed gives the same names and bits twice; another seed gives the same names and other bits."""
    once, again, other = synthetic_rows(5), synthetic_rows(5), synthetic_rows(6)
    assert [row.name for row in once] == [row.name for row in again] == [row.name for row in other]
    assert all(a.logits.tobytes() == b.logits.tobytes() for a, b in zip(once, again, strict=True))
    assert once[-1].logits.tobytes() != other[-1].logits.tobytes()


def test_synthetic_sizes_run_from_one_to_a_language_models() -> None:
    """Vocabularies run from 1 to 151,936, two of the largest, six of at least 32,000, and names end with the size."""
    sizes = [row.logits.size for row in synthetic_rows()]
    assert set(sizes) == {1, 2, 7, 128, 1000, 32_000, 151_936}
    assert sizes.count(151_936) == 2
    assert sum(size >= 32_000 for size in sizes) <= 6
    assert all(row.name.endswith(f"/{row.logits.size}") for row in synthetic_rows())


def test_synthetic_kinds_are_what_they_are_called() -> None:
    """One-hot rows have one finite logit, equal rows one value, ties rows whole numbers, holes rows some -inf."""
    for row in synthetic_rows():
        finite = row.logits[np.isfinite(row.logits)]
        match row.name.split("/")[1]:
            case "one-hot":
                assert finite.tolist() == [0.0], row.name
            case "equal":
                assert finite.tolist() == [-1.25] * row.logits.size, row.name
            case "ties":
                assert (finite == np.rint(finite)).all(), row.name
                assert ties(row.logits) > 0, row.name
            case "holes":
                assert 0 < finite.size < row.logits.size, row.name
            case _:
                assert finite.size == row.logits.size, row.name


def test_words_and_pairs_are_counted() -> None:
    """Three lines are counted by hand; pairs run over line ends."""
    words, pairs = MAKE_ROWS["count"]([TEXT])
    assert words == {"the": 5, "cat": 2, "saw": 2, "dog": 2, "end": 1}
    assert pairs == {
        ("the", "cat"): 2,
        ("cat", "saw"): 1,
        ("saw", "the"): 2,
        ("the", "dog"): 2,
        ("dog", "the"): 1,
        ("dog", "saw"): 1,
        ("cat", "the"): 1,
        ("the", "end"): 1,
    }


def test_no_pair_spans_two_texts() -> None:
    """The last word of one text and the first of the next are not neighbours."""
    _, pairs = MAKE_ROWS["count"](["a b", "c d"])
    assert pairs == {("a", "b"): 1, ("c", "d"): 1}


def test_rows_of_a_small_text() -> None:
    """The vocabulary is the commonest words, ties by spelling; ids go by spelling; rows are logs of counts."""
    contexts, logits, total = MAKE_ROWS["build"]([TEXT], 3, (0, 3))  # ids: cat, dog, the; rank 3: "saw"
    assert total == 12
    assert contexts == ["<unigram>", "the", "saw"]
    counts = np.exp(logits.astype(np.float64))
    np.testing.assert_allclose(counts, [[2, 2, 5], [2, 2, 0], [0, 0, 2]], rtol=2**-23)  # |log| < 2, half a last place 2^-24


def test_a_context_has_a_known_next_word() -> None:
    """A word that no word of the vocabulary follows gives way to the next rank; where none is left, the rank is refused."""
    contexts, logits, _ = MAKE_ROWS["build"](["a a a b c a"], 1, (1,))  # rank 1: "b", only ever before "c"
    assert contexts == ["<unigram>", "c"]
    assert logits[1].tolist() == [0.0]
    with pytest.raises(ValueError, match="ranks: 3; no word"):
        MAKE_ROWS["build"](["a a a b c a"], 1, (3,))


def test_rank_goes_by_count_and_then_spelling() -> None:
    """Commoner words come first, and the spelling breaks ties."""
    assert MAKE_ROWS["by_frequency"]({"b": 1, "a": 1, "c": 2}) == ["c", "a", "b"]


def test_too_few_words_are_refused() -> None:
    """A text with fewer different words than the vocabulary is refused."""
    with pytest.raises(ValueError, match="5 different words; wanted: 6"):
        MAKE_ROWS["build"]([TEXT], 6, (0,))
