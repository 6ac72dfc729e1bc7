"""The claims leave no rule unwatched: each has faulty versions, and each of those is refuted somewhere."""

from inspect import getmembers, isfunction
from types import ModuleType

import pytest

from proofs import arithmetic, mutants
from proofs.obligation import Mutant, every_claim
from reference import pointwise


@pytest.mark.parametrize("rules", [pointwise, arithmetic], ids=lambda module: module.__name__)
def test_every_rule_has_a_refuted_mutant(rules: ModuleType) -> None:
    """Every function that claims are about has a mutant among those the claims refute."""
    functions = {name for name, _ in getmembers(rules, isfunction)}
    assert functions == {mutant.replaces for claim in every_claim() for mutant in claim.mutants if mutant.module is rules}


def test_every_mutant_is_refuted_by_a_claim() -> None:
    """No mutant of the gallery is idle, and no claim is without one."""
    gallery = {mutant for _, mutant in getmembers(mutants, lambda value: isinstance(value, Mutant))}
    assert gallery == {mutant for claim in every_claim() for mutant in claim.mutants}
    assert all(claim.mutants for claim in every_claim())


def test_slugs_are_unique() -> None:
    """A slug names one claim."""
    slugs = [claim.slug for claim in every_claim()]
    assert len(slugs) == len(set(slugs))
