"""CLAIMS.md says what the claims are."""

from proofs.claim import every_claim
from proofs.inventory import FILE, TOPICS, inventory


def test_every_claim_has_a_topic() -> None:
    """Each claim stands under one topic, and there are no others."""
    assert sorted(id for ids in TOPICS.values() for id in ids.split()) == sorted(claim.id for claim in every_claim())


def test_the_inventory_is_current() -> None:
    """CLAIMS.md is what `python -m proofs.inventory` writes now."""
    assert FILE.read_text(encoding="utf-8") == inventory()
