"""The certificates that come with the package are about the claims as they stand, and every step of them is checked."""

from __future__ import annotations

from typing import Any

import pytest

from proofs.claim import Claim, every_claim
from proofs.export import KEPT, read_manifest, verified

MANIFEST = read_manifest(KEPT)
ENTRIES: dict[str, list[dict[str, Any]]] = {claim["id"]: claim["lemmas"] for claim in MANIFEST["claims"]}
WHOLE = [claim for claim in every_claim() if not any(lemma.uncertified for lemma in claim.lemmas)]
"""The claims of which every lemma has a certificate."""


@pytest.mark.parametrize("claim", WHOLE, ids=str)
def test_certified(claim: Claim) -> None:
    """Each lemma's certificate proves the lemma's present question, step by step, with none taken on trust."""
    for entry in ENTRIES[claim.id]:
        found = verified(KEPT, claim.id, entry, provers=())
        assert not found.fault, f"{found.slug}: {found.fault}"
        assert (found.steps, entry["trust"]) == (entry["steps"], 0)


def test_every_lemma_has_a_certificate_or_says_why() -> None:
    """The manifest lists every lemma of every claim; without a certificate there is a reason, and 20 claims have all theirs."""
    for claim in every_claim():
        assert [entry["slug"] for entry in ENTRIES[claim.id]] == [lemma.slug for lemma in claim.lemmas]
        for entry, lemma in zip(ENTRIES[claim.id], claim.lemmas, strict=True):
            assert bool(entry["certificate"]) != bool(lemma.uncertified)
    assert len(WHOLE) >= 20
    files = {f"{entry['slug']}.smt2" for entries in ENTRIES.values() for entry in entries}
    assert {path.name for path in KEPT.glob("*.smt2")} == files
