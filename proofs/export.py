"""The proofs as files that a stranger can check: SMT-LIB questions, certificates, and a manifest that names them.

A certificate is cvc5's own account of why a question has no model, in the CPC format, step by step. It is kept only if no step
is `trust`. `proofs.cpc` checks it without any solver; z3 and cvc5 answer the question once more.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cvc5

from proofs.claim import Claim, Lemma, every_claim
from proofs.cpc import Checked, Refused, check, read_smt2
from proofs.obligation import Obligation
from proofs.provers import CVC5, PROVERS, Prover

MANIFEST = "manifest.json"
KEPT = Path(__file__).parent / "certificates"
"""The export that comes with the package."""
OPTIONS = {**CVC5.options, "produce-proofs": "true", "proof-mode": "full-proof", "proof-granularity": "dsl-rewrite"}
Progress = Callable[[str], None]
"""Told the slug of the lemma that is next."""


class NoCertificate(Exception):
    """cvc5 gave no proof of a lemma, or one with steps that are to be trusted."""


def certificate(smt2: str) -> str:
    """cvc5's proof that an SMT-LIB question has no model; NoCertificate if it finds none."""
    solver = cvc5.Solver(cvc5.TermManager())
    for option, value in OPTIONS.items():
        solver.setOption(option, str(value))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, smt2, "claim.smt2")
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer += str(command.invoke(solver, parser.getSymbolManager()))
    if answer.strip() != "unsat":
        raise NoCertificate(f"cvc5 answers {answer.strip()!r}")
    proof: bytes = solver.proofToString(solver.getProof()[0], cvc5.ProofFormat.CPC)
    return proof.decode()


def digest(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return sha256(text.encode()).hexdigest()


def checked(proof: str, smt2: str) -> Checked:
    """The certificate, step by step, by our own checker; Refused if it does not prove the question."""
    return check(proof, read_smt2(smt2))


def write_lemma(lemma: Lemma, folder: Path) -> dict[str, Any]:
    """The files of a lemma, and what the manifest says of them."""
    smt2 = Obligation(lemma, CVC5).smt2()
    (folder / f"{lemma.slug}.smt2").write_text(smt2, encoding="utf-8")
    entry: dict[str, Any] = {"slug": lemma.slug, "sentence": lemma.sentence, "smt2": digest(smt2)}
    if lemma.uncertified:
        return {**entry, "certificate": None, "why": lemma.uncertified}
    proof = certificate(smt2)
    found = checked(proof, smt2)
    (folder / f"{lemma.slug}.cpc.xz").write_bytes(lzma.compress(proof.encode(), preset=9))
    return {**entry, "certificate": digest(proof), "steps": found.steps, "trust": 0}


def export(folder: Path, claims: Sequence[Claim], progress: Progress = lambda slug: None) -> dict[str, Any]:
    """Writes each lemma's question and certificate, and at last the manifest, which it returns."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for claim in claims:
        lemmas = []
        for lemma in claim.lemmas:
            progress(lemma.slug)
            lemmas.append(write_lemma(lemma, folder))
        entries.append({"id": claim.id, "sentence": claim.sentence, "lemmas": lemmas})
    manifest = {"format": 1, "cvc5": version("cvc5"), "options": OPTIONS, "claims": entries}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


@dataclass(frozen=True)
class Verified:
    """What was found of one lemma of an export: `fault` is empty if all is well."""

    claim: str
    slug: str
    steps: int
    answers: dict[str, str]
    fault: str = ""
    why: str = ""
    """Why it has no certificate."""


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of an export; ValueError says what it lacks."""
    path = folder / MANIFEST
    if not path.is_file():
        raise ValueError(f"{folder} has no {MANIFEST}; allowed: a folder written by mtplx prove --export")
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if manifest["format"] != 1:
            raise ValueError(f"{path}: format = {manifest['format']!r}; allowed: 1")
        for claim in manifest["claims"]:
            for lemma in claim["lemmas"]:
                lemma["slug"], lemma["smt2"], lemma["certificate"]
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is no manifest: {error!r}") from error
    return manifest


def verify(folder: Path, progress: Progress = lambda slug: None) -> Iterator[Verified]:
    """Checks every lemma of an export anew: its files, its question, its certificate, and both solvers' answers."""
    for claim in read_manifest(folder)["claims"]:
        for entry in claim["lemmas"]:
            progress(entry["slug"])
            yield verified(folder, claim["id"], entry)


def verified(folder: Path, claim: str, entry: dict[str, Any], provers: Sequence[Prover] = PROVERS) -> Verified:
    """One lemma of an export, its question put to these solvers again."""
    slug, steps, answers = entry["slug"], 0, dict[str, str]()
    lemmas = {lemma.slug: lemma for known in every_claim() if known.id == claim for lemma in known.lemmas}
    try:
        smt2 = (folder / f"{slug}.smt2").read_text(encoding="utf-8")
        if digest(smt2) != entry["smt2"]:
            raise ValueError(f"{slug}.smt2 is not the file of the manifest")
        if slug not in lemmas:
            raise ValueError(f"no lemma of this name belongs to a claim {claim} of this version")
        if read_smt2(smt2) != read_smt2(Obligation(lemmas[slug], CVC5).smt2()):
            raise ValueError(f"{slug}.smt2 does not ask what this version's lemma does")
        if entry["certificate"]:
            proof = lzma.decompress((folder / f"{slug}.cpc.xz").read_bytes()).decode()
            if digest(proof) != entry["certificate"]:
                raise ValueError(f"{slug}.cpc.xz is not the certificate of the manifest")
            steps = checked(proof, smt2).steps
        answers = {prover.name: prover.reads(smt2) for prover in provers}
        if strange := [f"{name} answers {answer!r}" for name, answer in answers.items() if answer != "unsat"]:
            raise ValueError("; ".join(strange))
    except (ValueError, OSError, lzma.LZMAError, Refused) as error:
        return Verified(claim, slug, steps, answers, fault=str(error))
    return Verified(claim, slug, steps, answers, why=entry.get("why", ""))
