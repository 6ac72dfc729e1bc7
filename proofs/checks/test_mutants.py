"""The claims leave no rule unwatched: each has faulty versions, and each of those is refuted somewhere."""

from inspect import getmembers, isfunction

from proofs import mutants, step_mutants
from proofs.claim import Mutant, every_claim
from reference import pointwise

LEMMAS = [lemma for claim in every_claim() for lemma in claim.lemmas]


def test_every_rule_has_a_refuted_mutant() -> None:
    """Every function that claims are about has a mutant among those the claims refute."""
    for rules in {pointwise, *(lemma.rules for lemma in LEMMAS)}:
        functions = {name for name, function in getmembers(rules, isfunction) if function.__module__ == rules.__name__}
        assert functions == {mutant.replaces for lemma in LEMMAS for mutant in lemma.mutants if mutant.module is rules}


def test_every_mutant_is_refuted_by_a_claim() -> None:
    """No mutant of the gallery is idle, and no lemma is without one."""
    galleries = (mutants, step_mutants)
    gallery = {mutant for one in galleries for _, mutant in getmembers(one, lambda value: isinstance(value, Mutant))}
    assert gallery <= {mutant for lemma in LEMMAS for mutant in lemma.mutants}
    assert all(lemma.mutants for lemma in LEMMAS)


def test_names_are_unique() -> None:
    """A slug names one lemma, an id the claim of the file of that name."""
    slugs = [lemma.slug for lemma in LEMMAS]
    assert len(slugs) == len(set(slugs))
    ids = [claim.id for claim in every_claim()]
    assert len(ids) == len(set(ids))
