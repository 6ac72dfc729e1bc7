"""The induction itself, in Coq: theorems over any vocabulary and any depth, without axioms (docs/trust.md).

Where there is no `coqc` all of it is *not run*, but for the text: the files contain nothing that is taken on trust.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from proofs import coqc, mutants, vectors
from proofs.claim import Claim, Mutant, every_claim

VERSION = coqc.installed()
CLAIMS = [claim for claim in every_claim() if claim.theorem]
MUTANTS: list[Mutant] = [
    *(
        mutants.always_accepts_without_draft,
        mutants.mass_forgets,
        mutants.rejection_counts_acceptance,
        mutants.residual_of_draft,
    ),
    *(mutants.marginal_without_residual, mutants.accepts_above_the_threshold, mutants.ratio_forgets_the_past),
    *(mutants.threshold_without_mass, mutants.keeps_at_the_boundary),
    mutants.keeps_one_rank_more,
]
by_coq = pytest.mark.skipif(VERSION is None, reason="not run: no coqc")


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files compiled."""
    folder: Path = tmp_path_factory.mktemp("coq")
    coqc.compile_all(folder)
    return folder


def test_nothing_is_taken_on_trust() -> None:
    """No file admits a goal, states an axiom, or loads one of the library's; every file is compiled."""
    files = sorted(coqc.FOLDER.glob("*.v"))
    assert sorted(coqc.ORDER) == [file.stem for file in files]
    words = r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Classical\w*|\w+Extensionality|Reals|bypass_check|Unset)\b"
    for file in files:
        text = re.sub(r"\(\*.*?\*\)", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.findall(words, text), file.name


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_stated(claim: Claim) -> None:
    """The theorem of a claim has its id for a name, and stands in the file that the claim names."""
    assert claim.id in coqc.statements(claim.theorem)


@by_coq
@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_closed(claim: Claim, build: Path) -> None:
    """Coq accepts the theorem, and it rests on no axiom."""
    module = Path(claim.theorem).stem
    said = coqc.ask(build, f"Ask_{claim.id}", f"Require Import {module}.\nPrint Assumptions {claim.id}.\n")
    assert said.strip() == coqc.CLOSED, said


@by_coq
def test_vectors(build: Path) -> None:
    """Coq computes what `reference/` computes, on 200 vectors."""
    assert len(dict(vectors.vectors())) == 200
    coqc.ask(build, "Vectors", vectors.text())


@by_coq
@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_vectors_of_a_mutant(mutant: Mutant, build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Coq refuses the vectors of a `reference/` with a fault in one rule."""
    monkeypatch.setattr(mutant.module, mutant.replaces, mutant.by)
    faulty = vectors.text()
    with pytest.raises(RuntimeError, match="Unable to unify"):
        coqc.ask(build, f"Vectors_{mutant}", faulty)


@by_coq
@pytest.mark.skipif(os.environ.get("HYPOTHESIS_PROFILE") != "nightly", reason="not run: nightly only")
def test_coqchk(build: Path) -> None:
    """Coq's independent checker accepts the compiled files, and finds no axiom and no check switched off."""
    said = coqc.run(["coqchk", "-o", *coqc.ORDER], build)
    relies_on = dict(re.findall(r"^\* (Axioms|Constants/.*|Inductives .*): *(.*)$", said, re.MULTILINE))
    assert len(relies_on) == 4, said
    assert set(relies_on.values()) == {"<none>"}, relies_on
