"""The command line: `mtplx check`, `mtplx audit`, `mtplx museum` and `mtplx prove`."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, NoReturn

import mlx.core as mx
import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mtplx.audit.claims import BY_ID
from mtplx.audit.client import NoEngine, client_for
from mtplx.audit.dump import audit_dump
from mtplx.audit.engine_audit import EngineReport
from mtplx.audit.engine_audit import audit as audit_claims
from mtplx.audit.engines import BUILT_IN
from mtplx.audit.finding import Finding
from mtplx.audit.mlx_lm_chain import doubles
from mtplx.audit.museum.catalogue import FAULTS, RIGHT
from mtplx.audit.museum.matrix import matrix_data, museum, print_matrix
from mtplx.audit.rows import all_rows
from mtplx.audit.run import ENGINES, Job, Report, run
from mtplx.audit.show import print_report, refutations, report_data, sentence
from mtplx.audit.show_dump import dump_data, print_dump
from mtplx.audit.show_engine import print_engine
from mtplx.audit.subject import Subject
from mtplx.audit.verdict import EXIT_CODES, USAGE_ERROR, Verdict
from mtplx.audit.verdict_file import report_data as engine_data
from mtplx.audit.verdict_file import write
from mtplx.config import SamplerConfig
from mtplx.doors import logit_rows, vocabulary

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
out = Console(width=None if sys.stdout.isatty() else 128)  # a file or pipe has no width to fold to
err = Console(stderr=True)

EXITS = "Exit codes: 0 every claim holds, 1 one is refuted, 2 usage or input error, 3 inconclusive."
SECONDS, GIB = 20.0, 8.0
"""Limits of an engine's process."""
SETTINGS = (SamplerConfig(0, 1, 0), SamplerConfig("0.8", "0.95", 0), SamplerConfig(1, "0.5", 0), SamplerConfig())


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        print(version("mtplx-exact"))
        raise typer.Exit


@app.callback()
def about(
    _: Annotated[bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Decide what lossless means: exact checks of sampling and speculative decoding."""


class InputError(Exception):
    """What the user gave cannot be used: exit code 2."""


@contextmanager
def reading() -> Iterator[None]:
    """Refusals of settings and files, as input errors."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise InputError(str(error)) from error


def read_rows(path: Path, name: str) -> NDArray[np.float32]:
    """Rows of logits [N, V] from a .npy file, or the tensor `logits`, or the only one, of a .safetensors file."""
    if path.suffix not in (".npy", ".safetensors"):
        raise ValueError(f"{name} = {path}; allowed: a .npy or .safetensors file")
    if not path.is_file():
        raise ValueError(f"{name} = {path} is no file")
    try:
        found: Any = np.load(path, allow_pickle=False) if path.suffix == ".npy" else mx.load(str(path))
    except (ValueError, RuntimeError, EOFError, OSError) as error:
        raise ValueError(f"{name} = {path} cannot be read as {path.suffix}: {str(error).split('. ')[0]}") from error
    if path.suffix == ".safetensors":
        if "logits" not in found and len(found) != 1:
            raise ValueError(f"{name} holds the tensors {', '.join(found)}; allowed: one tensor, or one called 'logits'")
        found = found.get("logits", next(iter(found.values())))
    if getattr(found, "ndim", 0) not in (1, 2):
        raise ValueError(f"{name} = {path} has shape {getattr(found, 'shape', None)}; allowed: [V] or [N, V]")
    try:
        rows = np.array(logit_rows(found).values)
    except ValueError as error:
        raise ValueError(f"{name} = {path}: {error}") from error
    if isinstance(found, np.ndarray) and (rounded := int(np.sum(found.reshape(rows.shape) != rows))):
        err.print(f"note: {rounded:,} numbers of {name} are no float32 and were rounded to it; the check is about those")
    return rows


def finish(report: Report, as_json: bool, *, by_row: bool) -> NoReturn:
    """Print the report of a check and leave with its verdict."""
    leave(report_data(report) if as_json else None, lambda: print_report(report, out, by_row=by_row), report.verdict)


def leave(data: dict[str, Any] | None, show: Callable[[], None], verdict: Verdict) -> NoReturn:
    """Print JSON data, or what is shown without it, and leave with the verdict's exit code, read to the end or not."""
    if data is None:
        with out.capture() as printed:
            show()
        text = printed.get()
    else:
        text = json.dumps(data, indent=1) + "\n"
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise typer.Exit(EXIT_CODES[verdict])


Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables; progress goes to standard error.")]


@app.command(epilog=EXITS)
def check(
    logits: Annotated[Path, typer.Option(help="Rows of logits: .npy, or .safetensors (its tensor 'logits', or its only one).")],
    draft: Annotated[
        Path | None, typer.Option(help="Draft logits of the same shape: adds acceptance, residual and marginal, or one draw.")
    ] = None,
    temperature: Annotated[str, typer.Option(help="Decimal or fraction >= 0, exactly as written; 0 is greedy.")] = "0.6",
    top_p: Annotated[str, typer.Option(help="Decimal or fraction, 0 < top_p <= 1, exactly as written; 1 is off.")] = "0.95",
    top_k: Annotated[int, typer.Option(help="Integer >= 0; 0 is off.")] = 20,
    integer: Annotated[bool, typer.Option("--integer", help="Check the integer laws over 2^62 instead.")] = False,
    as_json: Json = False,
) -> None:
    """Compare the MLX implementation with the exact reference on your rows, step by step."""
    with reading():
        config = SamplerConfig(temperature, top_p, top_k)
        rows = read_rows(logits, "--logits")
        drafts = None if draft is None else read_rows(draft, "--draft")
        if drafts is not None and drafts.shape != rows.shape:
            raise ValueError(f"--draft has shape {drafts.shape}, --logits {rows.shape}; allowed: the same shape")
    if integer:
        with reading():
            vocabulary(rows.shape[-1])
    jobs = [Job(f"row {i}", row, None if drafts is None else drafts[i], config) for i, row in enumerate(rows)]
    finish(run("mtplx --integer" if integer else "mtplx", jobs, err), as_json, by_row=True)


def row_finding(engine: str) -> Finding:
    """The step by step audit of an engine's chain on real and synthetic rows, as one finding."""
    jobs = [
        Job(row.name, row.logits, np.roll(row.logits, 1) if engine == "mtplx" else None, config)
        for row in all_rows()
        for config in (map(doubles, SETTINGS) if engine == "mlx_lm" else SETTINGS)
    ]
    report = run(engine, jobs, err)
    print_report(report, err, by_row=False)
    found = refutations(report)
    words = "; ".join(sentence(row, step) for row, step in found[:1]) or "Every step of every row is right, within its bound."
    figures = {"trials": len(report.rows), "planned": report.planned, "refuted steps": len(found)}
    return Finding("rows", report.verdict, words, figures=figures)


def engine_command(engine: str, python: str | None, dialect: str | None, seconds: float, memory: float) -> str:
    """The line that audits an engine."""
    limits = [
        ("--seconds", f"{seconds:g}" if seconds != SECONDS else None),
        ("--memory", f"{memory:g}" if memory != GIB else None),
    ]
    options = [("--python", python), ("--dialect", dialect), *limits]
    return shlex.join(["mtplx", "audit", engine, *(part for name, value in options if value for part in (name, value))])


def audit_engine(subject: Subject, claims: list[str], rows: bool, folder: Path | None) -> EngineReport:
    """Try the claims with progress; what is found so far is written after each, and kept on Ctrl-C."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    report: EngineReport | None = None
    try:
        with Progress(*columns, console=err) as progress:
            task = progress.add_task(escape(subject.name), total=None)
            for report in audit_claims(subject, [claim for claim in claims if claim != "rows"]):
                report.planned += rows and not report.findings
                words = f"{escape(subject.name)}  {report.findings[-1].claim if report.findings else ''}"
                progress.update(task, total=report.planned, completed=len(report.findings), description=words)
                if folder:
                    write(report, folder)
        if rows and report:
            report.findings.append(row_finding(subject.name))
    except KeyboardInterrupt:
        err.print("interrupted: what follows is what was found so far")
    finally:
        subject.client.close()
    assert report is not None
    if folder:
        write(report, folder)
    return report


@app.command(epilog=EXITS)
def audit(
    engine: Annotated[
        str,
        typer.Argument(
            help=f"One of {', '.join(BUILT_IN)}; or your own: module:attribute, path.py:attribute, an entry point of group "
            "mtplx.engines, or stdio:COMMAND. See docs/engines.md."
        ),
    ] = "",
    dump: Annotated[Path | None, typer.Option(help="Audit a recording instead (JSON lines, docs/dumps.md).")] = None,
    dialect: Annotated[str | None, typer.Option(help="Order of steps to judge targets by, not the engine's own.")] = None,
    claim: Annotated[list[str] | None, typer.Option(help="Try this claim only; may be repeated.")] = None,
    python: Annotated[str | None, typer.Option(help="The Python that has the engine, if it is another.")] = None,
    out_folder: Annotated[
        Path | None, typer.Option("--out", help="Write verdict.json and junit.xml here; they grow as claims are tried.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long one answer may take.", min=0.1)] = SECONDS,
    memory: Annotated[float, typer.Option(help="How many GiB the engine's process may use (Linux).", min=0.1)] = GIB,
    as_json: Json = False,
) -> None:
    """Judge an engine: every claim about what it offers, with a witness where one is refuted."""
    if bool(engine) == bool(dump):
        raise InputError("allowed: an engine, or --dump FILE, and not both")
    if dump:
        given = {"--claim": claim, "--python": python, "--out": out_folder}
        if unused := [name for name, value in given.items() if value]:
            raise InputError(f"{unused[0]} with --dump; allowed with it: --dialect, --json")
        finish_dump(dump, dialect or "mtplx", as_json)
    claims = list(claim or ())
    known = [*BY_ID, *(["rows"] if engine in ENGINES else [])]
    if strange := [name for name in claims if name not in known]:
        raise InputError(f"claim = {strange[0]!r}; allowed: {', '.join(known)}")
    with reading():
        client = client_for(BUILT_IN.get(engine, engine), python, seconds=seconds, memory=int(memory * 2**30))
        subject = Subject(engine, client, command=engine_command(engine, python, dialect, seconds, memory))
        try:
            subject.meet(dialect)
        except NoEngine as error:
            ours = "" if ":" in engine or engine.endswith(".py") else f"; built in: {', '.join(BUILT_IN)}"
            raise InputError(f"{error}{ours}") from None
        for name in claims:
            if name in BY_ID and not BY_ID[name].offered(subject):
                needs = " and ".join(BY_ID[name].methods) or f"one of {', '.join(BY_ID[name].either)}"
                raise InputError(f"claim = {name!r} needs {needs}; the engine offers {', '.join(subject.offers)}")
        if out_folder and out_folder.exists() and not out_folder.is_dir():
            raise InputError(f"--out = {out_folder} is a file; allowed: a folder")
        rows = engine in ENGINES and python is None and (not claims or "rows" in claims)
        report = audit_engine(subject, claims, rows, out_folder)
    leave(engine_data(report) if as_json else None, lambda: print_engine(report, out), report.verdict)


@app.command("museum", epilog=EXITS)
def show_museum(as_json: Json = False) -> None:
    """Show that the audit sees: known faults of real engines, each to be refuted by the claim meant for it."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as progress:
        task = progress.add_task("museum", total=len(FAULTS) + len(RIGHT))
        matrix = museum(lambda shown: progress.update(task, advance=1, description=f"museum  {shown.id}"))
    verdict = Verdict.EXACT if matrix.holds else Verdict.REFUTED
    leave(matrix_data(matrix) if as_json else None, lambda: print_matrix(matrix, out), verdict)


@app.command(
    epilog="Exit codes: 0 every certificate and answer holds, 1 one is refused, 2 usage or input error, 3 interrupted."
)
def prove(
    export: Annotated[
        Path | None, typer.Option(help="Write every question (.smt2), certificate (.cpc.xz) and manifest.json.")
    ] = None,
    verify: Annotated[
        Path | None, typer.Option(help="Check such a folder anew. Neither option: the one that comes with the package.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the proofs' certificates, or check them: each step by our own checker, each question by z3 and cvc5 again."""
    from mtplx import prove as proving  # loads the solvers
    from proofs.export import KEPT

    if export and verify:
        raise InputError("allowed: --export DIR or --verify DIR, not both")
    if export:
        with reading():
            data = proving.exported_data(export, proving.write_all(export, err))
        leave(data if as_json else None, lambda: proving.print_exported(data, out), Verdict.EXACT)
    with reading():
        found, complete = proving.verify_all(verify or KEPT, err)
    faults = any(one.fault for one in found)
    verdict = Verdict.REFUTED if faults else Verdict.EXACT if complete else Verdict.INCONCLUSIVE
    leave(proving.verified_data(found) if as_json else None, lambda: proving.print_verified(found, out), verdict)


def finish_dump(path: Path, dialect: str, as_json: bool) -> NoReturn:
    """Audit a recording, print what was found and leave with its verdict."""
    with reading(), Progress(TextColumn("{task.description}"), TimeElapsedColumn(), console=err) as progress:
        task = progress.add_task(f"{path.name}  line 0", total=None)

        def show(line: int) -> None:
            progress.update(task, description=f"{path.name}  line {line:,}")

        with path.open(encoding="utf-8") as lines:
            report = audit_dump(lines, dialect=dialect, progress=show)
    leave(dump_data(report) if as_json else None, lambda: print_dump(report, path.name, out), report.verdict)


def main() -> None:
    """Run the command line: an input error is one line and exit code 2, a fault of our own is inconclusive, never refuted."""
    sys.set_int_max_str_digits(0)  # settings such as 1e-5000 are printed as the fractions they are
    try:
        app()
    except InputError as error:
        err.print(f"[red]error[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        sys.exit(USAGE_ERROR)
    except Exception:
        err.print_exception()
        err.print("[yellow]INCONCLUSIVE[/] the audit itself failed; please report the lines above", highlight=False)
        sys.exit(EXIT_CODES[Verdict.INCONCLUSIVE])
