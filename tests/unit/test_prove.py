"""`mtplx prove`: an export verifies, and one that was tampered with does not."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from proofs.claim import every_claim
from proofs.export import MANIFEST, digest, export, read_manifest, verify

CLAIMS = [claim for claim in every_claim() if claim.id in ("accepted_mass", "nucleus_non_empty")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An export of two claims."""
    export(tmp_path, CLAIMS)
    return tmp_path


def faults(folder: Path) -> dict[str, str]:
    """slug -> what is wrong with it."""
    return {found.slug: found.fault for found in verify(folder) if found.fault}


def test_an_export_verifies(folder: Path) -> None:
    """Every lemma has its steps checked, and both solvers answer unsat again."""
    found = list(verify(folder))
    assert [one.slug for one in found] == ["accepted-mass", "nucleus-not-empty"]
    assert not any(one.fault for one in found)
    assert all(one.steps > 50 and one.answers == {"z3": "unsat", "cvc5": "unsat"} for one in found)


def rewritten(folder: Path, digest_of: str, change: Callable[[], str]) -> None:
    """Puts the digest of a changed text into the manifest, as somebody would who means to deceive."""
    manifest = read_manifest(folder)
    manifest["claims"][0]["lemmas"][0][digest_of] = digest(change())
    (folder / MANIFEST).write_text(json.dumps(manifest))


def test_another_question_is_refused(folder: Path) -> None:
    """A question that is not this version's is refused, also if the manifest was changed with it."""
    path = folder / "accepted-mass.smt2"

    def change() -> str:
        path.write_text(path.read_text().replace("(>= p", "(> p"))
        return path.read_text()

    old = path.read_text()
    change()
    assert path.read_text() != old
    assert faults(folder) == {"accepted-mass": "accepted-mass.smt2 is not the file of the manifest"}
    rewritten(folder, "smt2", change)
    assert faults(folder) == {"accepted-mass": "accepted-mass.smt2 does not ask what this version's lemma does"}


def test_another_certificate_is_refused(folder: Path) -> None:
    """The certificate of another lemma is refused, also if the manifest was changed with it."""
    other = (folder / "nucleus-not-empty.cpc.xz").read_bytes()

    def change() -> str:
        (folder / "accepted-mass.cpc.xz").write_bytes(other)
        return lzma.decompress(other).decode()

    change()
    assert faults(folder) == {"accepted-mass": "accepted-mass.cpc.xz is not the certificate of the manifest"}
    rewritten(folder, "certificate", change)
    assert list(faults(folder)) == ["accepted-mass"]
    (folder / "accepted-mass.cpc.xz").write_bytes(b"no archive")
    assert list(faults(folder)) == ["accepted-mass"]
    (folder / "accepted-mass.cpc.xz").unlink()
    assert list(faults(folder)) == ["accepted-mass"]


@pytest.mark.parametrize("text", ["", "{}", '{"format": 2}', '{"format": 1, "claims": [{"id": "x", "lemmas": [{}]}]}'])
def test_a_manifest_that_is_none_is_an_input_error(tmp_path: Path, text: str) -> None:
    """A folder without a manifest, or with another, is a ValueError that names the file."""
    with pytest.raises(ValueError, match=f"has no {MANIFEST}"):
        read_manifest(tmp_path)
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(ValueError, match=MANIFEST):
        read_manifest(tmp_path)
