"""`mtplx prove`: the proofs as files, written and checked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from proofs import export
from proofs.claim import every_claim

COLUMNS = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())


def write_all(folder: Path, err: Console) -> dict[str, Any]:
    """Exports every lemma with progress; the manifest."""
    claims = every_claim()
    with Progress(*COLUMNS, console=err) as progress:
        task = progress.add_task("export", total=sum(len(claim.lemmas) for claim in claims))
        return export.export(folder, claims, lambda slug: progress.update(task, advance=1, description=f"export  {slug}"))


def verify_all(folder: Path, err: Console) -> tuple[list[export.Verified], bool]:
    """What was found of each lemma, with progress, and whether all were looked at: Ctrl-C keeps what is done."""
    total = sum(len(claim["lemmas"]) for claim in export.read_manifest(folder)["claims"])
    found: list[export.Verified] = []
    with Progress(*COLUMNS, console=err) as progress:
        task = progress.add_task("verify", total=total)
        try:
            for one in export.verify(folder, lambda slug: progress.update(task, description=f"verify  {slug}")):
                found.append(one)
                progress.update(task, advance=1)
        except KeyboardInterrupt:
            err.print("interrupted: what follows is what was found so far")
            return found, False
    return found, True


def verified_data(found: Sequence[export.Verified]) -> dict[str, Any]:
    """The findings as JSON data."""
    keys = ("claim", "slug", "steps", "answers", "fault", "why")
    return {
        "lemmas": [{key: getattr(one, key) for key in keys} for one in found],
        "faults": sum(bool(one.fault) for one in found),
    }


def exported_data(folder: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """What an export wrote, as JSON data."""
    lemmas = [lemma for claim in manifest["claims"] for lemma in claim["lemmas"]]
    certificates = [lemma for lemma in lemmas if lemma["certificate"]]
    return {
        "folder": str(folder),
        "claims": len(manifest["claims"]),
        "lemmas": len(lemmas),
        "certificates": len(certificates),
        "steps": sum(lemma["steps"] for lemma in certificates),
        "trust": sum(lemma["trust"] for lemma in certificates),
    }


def print_exported(data: dict[str, Any], out: Console) -> None:
    """One line: what an export wrote."""
    words = f"{data['claims']} claims, {data['lemmas']} lemmas, {data['certificates']} certificates of {data['steps']:,} steps"
    out.print(f"{escape(data['folder'])}: {words}, {data['trust']} taken on trust", highlight=False, soft_wrap=True)


def print_verified(found: Sequence[export.Verified], out: Console) -> None:
    """A line a claim, then every fault."""
    table = Table("claim", "lemmas", "steps checked", "z3", "cvc5", box=None, pad_edge=False, header_style="bold")
    for id in dict.fromkeys(one.claim for one in found):
        lemmas = [one for one in found if one.claim == id]
        answers = [", ".join(sorted({one.answers.get(name, "not asked") for one in lemmas})) for name in ("z3", "cvc5")]
        steps = sum(one.steps for one in lemmas)
        lacking = next((one.why for one in lemmas if one.why), "")
        table.add_row(id, str(len(lemmas)), f"none: {escape(lacking)}" if lacking else f"{steps:,}", *answers)
    out.print(table)
    for one in found:
        if one.fault:
            out.print(f"[red]REFUSED[/] {one.claim}: {one.slug}: {escape(one.fault)}", highlight=False, soft_wrap=True)
    faults = sum(bool(one.fault) for one in found)
    total = f"{len(found)} lemmas, {sum(one.steps for one in found):,} steps checked, none taken on trust, {faults} refused"
    out.print(total, highlight=False)
