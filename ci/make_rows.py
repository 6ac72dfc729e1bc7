"""Rows of real logits: a word-bigram model of Python's own standard library text.

    python ci/make_rows.py [--out tests/rows/bigram.npz]

Row 0 is log(count) of each word of the vocabulary; every other row is log(count) of the words seen next to one context
word, and -inf for words never seen there. Same interpreter and numpy, same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import re
import sysconfig
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SIZE = 20_000
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
UNIGRAM = "<unigram>"  # no word is spelled so

# The commonest words (long tails), then a spread down to words seen once (one or two finite logits).
RANKS = (*range(10), 15, 25, 40, 80, 160, 320, 640, 1250, 2500, 5000, 10_000, 25_000, 40_000)

# Not the library's text: what is installed beside it, its tests, character tables, and files a build writes.
SKIPPED = {"site-packages", "dist-packages", "__pycache__", "test", "tests", "idle_test", "encodings"}
BUILT = ("_sysconfigdata", "config-")

LICENCE = "Counts of words in CPython's standard library, which is under the PSF-2.0 licence."


def library_files(root: Path) -> list[Path]:
    """The *.py files of the standard library in `root`, by name, without the skipped folders and built files."""
    parts = {path: path.relative_to(root).parts for path in root.rglob("*.py")}
    kept = [path for path in parts if not SKIPPED & set(parts[path]) and not parts[path][0].startswith(BUILT)]
    return sorted(kept, key=lambda path: parts[path])


def count(texts: Iterable[str]) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """Number of times each word, and each pair of neighbouring words, is seen; no pair spans two texts."""
    words: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for text in texts:
        found = WORD.findall(text)
        words.update(found)
        pairs.update(pairwise(found))
    return words, pairs


def by_frequency(words: Mapping[str, int]) -> list[str]:
    """Words, commonest first; the spelling breaks ties."""
    return sorted(words, key=lambda word: (-words[word], word))


def row_of_counts(counts: Mapping[str, int], vocabulary: Sequence[str]) -> NDArray[np.float32]:
    """log(count) per word of the vocabulary, float32; -inf for a word not counted."""
    with np.errstate(divide="ignore"):  # log(0) = -inf is the meaning
        return np.log(np.array([counts.get(word, 0) for word in vocabulary], np.float64)).astype(np.float32)


def build(texts: Iterable[str], size: int, ranks: Iterable[int]) -> tuple[list[str], NDArray[np.float32], int]:
    """Contexts, their rows [len(contexts), size], and how many words were counted.

    The vocabulary is the `size` commonest words. Ids go by spelling: by frequency, row 0 would come sorted.
    The context of a rank is the first word at or below it that is followed by a word of the vocabulary.
    """
    words, pairs = count(texts)
    ranked = by_frequency(words)
    if len(ranked) < size:
        raise ValueError(f"texts: {len(ranked)} different words; wanted: {size}")
    vocabulary = sorted(ranked[:size])
    known = set(vocabulary)
    after: dict[str, dict[str, int]] = {}
    for (word, following), times in pairs.items():
        if following in known:
            after.setdefault(word, {})[following] = times
    contexts = []
    for rank in ranks:
        context = next((word for word in ranked[rank:] if word in after), None)
        if context is None:
            raise ValueError(f"ranks: {rank}; no word at or below it is followed by a word of the vocabulary")
        contexts.append(context)
    rows = [row_of_counts(words, vocabulary), *(row_of_counts(after[word], vocabulary) for word in contexts)]
    return [UNIGRAM, *contexts], np.stack(rows), words.total()


def main() -> None:
    """Write the rows of the running interpreter's library, and say what is in them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "tests" / "rows" / "bigram.npz")
    out: Path = parser.parse_args().out

    blobs = [path.read_bytes() for path in library_files(Path(sysconfig.get_path("stdlib")))]
    texts = [blob.decode("utf-8", errors="replace") for blob in blobs]
    contexts, rows, total = build(texts, SIZE, RANKS)
    np.savez_compressed(
        out,
        logits=rows,
        contexts=np.array(contexts),
        python=np.array(f"{platform.python_implementation()} {platform.python_version()}"),
        files=np.array(len(blobs)),
        words=np.array(total),
        sha256=np.array(hashlib.sha256(b"".join(blobs)).hexdigest()),
        licence=np.array(LICENCE),
    )

    for context, row in zip(contexts, rows, strict=True):
        finite = row[np.isfinite(row)]
        print(f"{context:20} {finite.size:6} words seen {finite.size - np.unique(finite).size:6} ties")
    with np.load(out, allow_pickle=False) as saved:
        for key in ("python", "files", "words", "sha256", "licence"):
            print(f"{key}: {saved[key]}")
    print(f"{out}: {len(rows)} rows of {SIZE} words, {out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
