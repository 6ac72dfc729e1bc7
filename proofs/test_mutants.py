"""The claims leave no pointwise function unwatched: each has faulty versions, and each of those is refuted somewhere."""

from inspect import getmembers, isfunction

from proofs import mutants
from proofs.obligation import Mutant, every_claim
from reference import pointwise


def test_every_pointwise_function_has_a_refuted_mutant() -> None:
    """Every function of `reference.pointwise` has a mutant among those the claims refute."""
    functions = {name for name, _ in getmembers(pointwise, isfunction)}
    assert functions == {mutant.replaces for claim in every_claim() for mutant in claim.mutants}


def test_every_mutant_is_refuted_by_a_claim() -> None:
    """No mutant of the gallery is idle, and no claim is without one."""
    gallery = {mutant for _, mutant in getmembers(mutants, lambda value: isinstance(value, Mutant))}
    assert gallery == {mutant for claim in every_claim() for mutant in claim.mutants}
    assert all(claim.mutants for claim in every_claim())


def test_slugs_are_unique() -> None:
    """A slug names one claim."""
    slugs = [claim.slug for claim in every_claim()]
    assert len(slugs) == len(set(slugs))
