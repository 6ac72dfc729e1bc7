"""The command line: `mtplx check` and `mtplx audit`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import mlx.core as mx
import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape

from mtplx.audit.mlx_lm_chain import doubles
from mtplx.audit.rows import all_rows
from mtplx.audit.run import ENGINES, Job, Report, run
from mtplx.audit.show import print_report, report_data
from mtplx.audit.verdict import EXIT_CODES, USAGE_ERROR, Verdict
from mtplx.config import SamplerConfig
from mtplx.doors import logit_rows

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
out = Console(width=None if sys.stdout.isatty() else 128)  # a file or pipe has no width to fold to
err = Console(stderr=True)

EXITS = "Exit codes: 0 every claim holds, 1 one is refuted, 2 usage or input error, 3 inconclusive."
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


def finish(report: Report, as_json: bool, *, by_row: bool) -> None:
    """Print the report and leave with the verdict's exit code, whether or not somebody reads to the end."""
    if as_json:
        text = json.dumps(report_data(report), indent=1) + "\n"
    else:
        with out.capture() as printed:
            print_report(report, out, by_row=by_row)
        text = printed.get()
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise typer.Exit(EXIT_CODES[report.verdict])


Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables; progress goes to standard error.")]


@app.command(epilog=EXITS)
def check(
    logits: Annotated[Path, typer.Option(help="Rows of logits: .npy, or .safetensors (its tensor 'logits', or its only one).")],
    draft: Annotated[
        Path | None, typer.Option(help="Draft logits of the same shape: adds acceptance, residual and marginal.")
    ] = None,
    temperature: Annotated[str, typer.Option(help="Decimal or fraction >= 0, exactly as written; 0 is greedy.")] = "0.6",
    top_p: Annotated[str, typer.Option(help="Decimal or fraction, 0 < top_p <= 1, exactly as written; 1 is off.")] = "0.95",
    top_k: Annotated[int, typer.Option(help="Integer >= 0; 0 is off.")] = 20,
    as_json: Json = False,
) -> None:
    """Compare the MLX implementation with the exact reference on your rows, step by step."""
    with reading():
        config = SamplerConfig(temperature, top_p, top_k)
        rows = read_rows(logits, "--logits")
        drafts = None if draft is None else read_rows(draft, "--draft")
        if drafts is not None and drafts.shape != rows.shape:
            raise ValueError(f"--draft has shape {drafts.shape}, --logits {rows.shape}; allowed: the same shape")
    jobs = [Job(f"row {i}", row, None if drafts is None else drafts[i], config) for i, row in enumerate(rows)]
    finish(run("mtplx", jobs, err), as_json, by_row=True)


@app.command(epilog=EXITS)
def audit(
    engine: Annotated[str, typer.Argument(help=f"One of: {', '.join(ENGINES)}.")],
    as_json: Json = False,
) -> None:
    """Judge an engine's sampling chain against its own dialect, on real and synthetic rows under four settings."""
    if engine not in ENGINES:
        raise InputError(f"engine = {engine!r}; allowed: {', '.join(ENGINES)}")
    if engine == "mlx_lm" and find_spec("mlx_lm") is None:
        raise InputError("engine = 'mlx_lm' is not installed; it comes with the extra `peers`, which `test` contains")
    jobs = [
        Job(row.name, row.logits, np.roll(row.logits, 1) if engine == "mtplx" else None, config)
        for row in all_rows()
        for config in (map(doubles, SETTINGS) if engine == "mlx_lm" else SETTINGS)
    ]
    finish(run(engine, jobs, err), as_json, by_row=False)


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
