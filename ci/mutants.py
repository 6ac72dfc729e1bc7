"""Break the code on purpose: every mutant below must make a test fail.

    python ci/mutants.py [--only WORD] [--json]

Each mutant replaces one text, which must occur exactly once in its file, in a copy of the working tree, and runs the tests
that should notice. In the end the tests that noticed are run on the code as it is: they must pass there. Exit code 1 if a
mutant survives, a text is gone, tests cannot run, or a noticing test fails anyway.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
WORKERS = 2


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    old: str
    new: str
    tests: str


@dataclass(frozen=True)
class Result:
    name: str
    file: str
    verdict: str  # killed, SURVIVED, STALE (the text is not there once), BROKEN (the tests did not run)
    by: str
    seconds: float


MUSEUM = "tests/museum"
TEN_EQUAL = "tests/differential/test_filtered_target.py::test_ten_equal_tokens"
DOORS = "tests/unit/test_doors.py"
CONFIG = "tests/unit/test_config.py"
EXPONENTIAL = "tests/unit/test_exponential.py"
SELECTION = "tests/unit/test_selection.py"
SAMPLING = "tests/unit/test_sampling.py"
WIDE = "tests/unit/test_wide.py"
REFERENCE = "tests/unit/test_reference.py"
REFERENCE_TARGET = "tests/unit/test_reference_target.py"

MUTANTS = [
    # The MLX implementation
    Mutant(
        "p/q without min(1, .)",
        "mtplx/sampling.py",
        "capped = mx.where(p < q, quotient, mx.array(1, mx.float32))",
        "capped = quotient",
        SAMPLING,
    ),
    Mutant(
        "accepts at q = 0 whatever p is",
        "mtplx/sampling.py",
        "return mx.where(drafted, capped, p.positive().astype(mx.float32))",
        "return mx.where(drafted, capped, mx.array(1, mx.float32))",
        SAMPLING,
    ),
    Mutant(
        "refuses at q = 0 whatever p is",
        "mtplx/sampling.py",
        "return mx.where(drafted, capped, p.positive().astype(mx.float32))",
        "return mx.where(drafted, capped, mx.array(0, mx.float32))",
        SAMPLING,
    ),
    Mutant(
        "u <= a",
        "mtplx/sampling.py",
        "return coin * q < p * denominator",
        "return coin * q <= p * denominator",
        MUSEUM,
    ),
    Mutant(
        "residual left unnormalised",
        "mtplx/sampling.py",
        "return ratio(mass.scaled(), mass.total().scaled())",
        "return ratio(mass.scaled(), p.total().scaled())",
        SAMPLING,
    ),
    Mutant(
        "residual of no mass is not the target",
        "mtplx/sampling.py",
        "return excess.where(excess.total().positive(), otherwise=p)",
        "return excess",
        MUSEUM,
    ),
    Mutant(
        "differences keep their sign",
        "mtplx/sampling.py",
        "return p.minus(q).where(q < p)",
        "return p.minus(q)",
        SAMPLING,
    ),
    Mutant(
        "rows are taken to sum to one",
        "mtplx/sampling.py",
        "return p.mass * q.total, q.mass * p.total",
        "return p.mass * p.total, q.mass * q.total",
        SAMPLING,
    ),
    Mutant(
        "one coin for both draws",
        "mtplx/sampling.py",
        "inverse_cdf(residual_masses(target, draft), vs)",
        "inverse_cdf(residual_masses(target, draft), us)",
        SAMPLING,
    ),
    Mutant(
        "a rejection draws from the target",
        "mtplx/sampling.py",
        "inverse_cdf(residual_masses(target, draft), vs)",
        "inverse_cdf(target, vs)",
        SAMPLING,
    ),
    Mutant(
        "coins rounded up to a mass",
        "mtplx/sampling.py",
        "u.numerator * total // u.denominator",
        "-(-u.numerator * total // u.denominator)",
        SAMPLING,
    ),
    Mutant(
        "marginal without rejections",
        "mtplx/sampling.py",
        "draft * accept + rejection * normalised_residual(target, drafted)",
        "draft * accept",
        SAMPLING,
    ),
    Mutant(
        "greedy keeps every maximum",
        "mtplx/sampling.py",
        "first = keys == mx.min(keys, axis=-1, keepdims=True)",
        "first = logits == mx.max(logits, axis=-1, keepdims=True)",
        SAMPLING,
    ),
    Mutant(
        "softmax ignores the temperature",
        "mtplx/sampling.py",
        "return exponential_weights(logits, temperature), logits > -mx.inf",
        "return exponential_weights(logits, type(temperature)(1)), logits > -mx.inf",
        MUSEUM,
    ),
    Mutant(
        "nucleus keeps before <= top_p",
        "mtplx/selection.py",
        "-(-top_p.numerator * total // top_p.denominator)",
        "top_p.numerator * total // top_p.denominator + 1",
        MUSEUM,
    ),
    Mutant(
        "crossing token dropped",
        "mtplx/selection.py",
        "return 1 + mx.sum(below[:, :-1].astype(mx.uint32), axis=-1, keepdims=True).astype(mx.uint32)",
        "return mx.maximum(mx.sum(below.astype(mx.uint32), axis=-1, keepdims=True).astype(mx.uint32), mx.array(1, mx.uint32))",
        MUSEUM,
    ),
    Mutant(
        "nucleus on a float32 running sum",
        "mtplx/selection.py",
        "below = through < Wide.from_ints(thresholds, len(through.limbs))",
        "import mtplx.wide as w; below = mx.cumsum(w.ratio(ranked.scaled(), ranked.total().scaled()), axis=-1) < float(top_p)",
        TEN_EQUAL,
    ),
    Mutant(
        "top-k keeps one more",
        "mtplx/selection.py",
        "min(top_k, 2**32 - 1)",
        "min(top_k + 1, 2**32 - 1)",
        MUSEUM,
    ),
    Mutant(
        "the last kept rank is lost",
        "mtplx/selection.py",
        "return Selection(order, nucleus, keys <= last)",
        "return Selection(order, nucleus, keys < last)",
        MUSEUM,
    ),
    Mutant(
        "highest ids win ties",
        "mtplx/selection.py",
        "ids = mx.arange(values.shape[-1], dtype=mx.uint32)",
        "ids = values.shape[-1] - 1 - mx.arange(values.shape[-1], dtype=mx.uint32)",
        SELECTION,
    ),
    Mutant(
        "-0 ranks below 0",
        "mtplx/selection.py",
        "mx.where(values == 0, mx.zeros_like(values), values).view(mx.uint32)",
        "values.view(mx.uint32)",
        SELECTION,
    ),
    Mutant(
        "top_p = 1 keeps -inf",
        "mtplx/selection.py",
        "nucleus = alive if top_p == 1",
        "nucleus = mx.full(alive.shape, values.shape[-1], mx.uint32) if top_p == 1",
        SELECTION,
    ),
    Mutant(
        "exponential series ends at the square",
        "mtplx/exponential.py",
        "fall = t + cube - square - fourth",
        "fall = t - square",
        EXPONENTIAL,
    ),
    Mutant(
        "ln 2 wrong in its 60th bit",
        "mtplx/exponential.py",
        "0xB17217F7D1CF79ABC9E3",
        "0xB17217F7D1CF79BBC9E3",
        EXPONENTIAL,
    ),
    Mutant(
        "weights end at exp(-60)",
        "mtplx/exponential.py",
        "CUTOFF = 112",
        "CUTOFF = 60",
        EXPONENTIAL,
    ),
    Mutant(
        "negative logits weigh like positive ones",
        "mtplx/exponential.py",
        "return mx.where(logits < 0, 0 - magnitude, magnitude)",
        "return magnitude",
        EXPONENTIAL,
    ),
    Mutant(
        "carries are lost",
        "mtplx/wide.py",
        "out[i + 1] = out[i + 1] + (out[i] >> LIMB_BITS)",
        "out[i + 1] = out[i + 1]",
        WIDE,
    ),
    Mutant(
        "equal integers are less",
        "mtplx/wide.py",
        "less = self.limbs[0] < other.limbs[0]",
        "less = self.limbs[0] <= other.limbs[0]",
        WIDE,
    ),
    Mutant(
        "subnormals get a hidden bit",
        "mtplx/wide.py",
        "mx.where(field == 0, fraction, fraction | 0x800000)",
        "fraction | 0x800000",
        WIDE,
    ),
    Mutant(
        "no mass check",
        "mtplx/doors.py",
        "if abs(Fraction(units, 2**149) - 1) > MASS_TOLERANCE:",
        "if units == 0:",
        DOORS,
    ),
    Mutant(
        "negative probabilities pass",
        "mtplx/doors.py",
        "(rows.values >= 0) & (rows.values < 2)",
        "(rows.values < 2)",
        DOORS,
    ),
    Mutant(
        "NaN passes",
        "mtplx/doors.py",
        "if not np.isfinite(top):",
        "if np.isinf(top):",
        DOORS,
    ),
    Mutant(
        "negative ids pass",
        "mtplx/doors.py",
        "not 0 <= token < size",
        "not token < size",
        MUSEUM,
    ),
    Mutant(
        "a coin of 1 passes",
        "mtplx/doors.py",
        "if not 0 <= coin < 1:",
        "if not 0 <= coin <= 1:",
        DOORS,
    ),
    Mutant(
        "batches are broadcast",
        "mtplx/doors.py",
        "if p.shape != q.shape:",
        "if False:",
        DOORS,
    ),
    Mutant(
        "top_p of 0 passes",
        "mtplx/config.py",
        "lambda p: 0 < p <= 1",
        "lambda p: 0 <= p <= 1",
        CONFIG,
    ),
    Mutant(
        "decimals become doubles",
        "mtplx/config.py",
        "return Fraction(value)\n",
        "return Fraction(float(Fraction(value)))\n",
        CONFIG,
    ),
    # The reference
    Mutant(
        "reference: p/q without min(1, .)",
        "reference/pointwise.py",
        "minimum(n, n.one, n.quotient(p, q))",
        "n.quotient(p, q)",
        REFERENCE,
    ),
    Mutant(
        "reference: accepts at q = 0 whatever p is",
        "reference/pointwise.py",
        "without_draft = n.choose(n.zero < p, n.one, n.zero)",
        "without_draft = n.one",
        REFERENCE,
    ),
    Mutant(
        "reference: u <= a",
        "reference/pointwise.py",
        "return u < a",
        "return u <= a",
        MUSEUM,
    ),
    Mutant(
        "reference: residual left unnormalised",
        "reference/pointwise.py",
        "n.quotient(positive_part(n, p - q), mass)",
        "positive_part(n, p - q)",
        REFERENCE,
    ),
    Mutant(
        "reference: differences keep their sign",
        "reference/pointwise.py",
        "return n.choose(n.zero < a, a, n.zero)",
        "return a",
        REFERENCE,
    ),
    Mutant(
        "reference: nucleus keeps before <= top_p",
        "reference/pointwise.py",
        "return before < top_p * total",
        "return before <= top_p * total",
        MUSEUM,
    ),
    Mutant(
        "reference: top-k keeps one more",
        "reference/filters.py",
        "return min(top_k, size) if top_k else size",
        "return min(top_k + 1, size) if top_k else size",
        MUSEUM,
    ),
    Mutant(
        "reference: top-k of 0 means 1",
        "reference/filters.py",
        "return min(top_k, size) if top_k else size",
        "return min(top_k or 1, size)",
        MUSEUM,
    ),
    Mutant(
        "reference: highest ids win ties",
        "reference/filters.py",
        "sorted(range(len(values)), key=values.__getitem__, reverse=True)",
        "sorted(range(len(values)), key=values.__getitem__)[::-1]",
        REFERENCE,
    ),
    Mutant(
        "reference: top_p of 0 passes",
        "reference/filters.py",
        "not 0 < value <= 1",
        "not 0 <= value <= 1",
        CONFIG,
    ),
    Mutant(
        "reference: no mass check",
        "reference/numbers.py",
        "if abs(mass - 1) > MASS_TOLERANCE:",
        "if mass == 0:",
        REFERENCE,
    ),
    Mutant(
        "reference: rows are not normalised",
        "reference/numbers.py",
        "return values if mass == 1 else [value / mass for value in values]",
        "return values",
        REFERENCE,
    ),
    Mutant(
        "reference: decimals become doubles",
        "reference/numbers.py",
        "value = Fraction(value)",
        "value = float(Fraction(value))",
        CONFIG,
    ),
    Mutant(
        "reference: a/0 is 0",
        "reference/numbers.py",
        "return a / b if b else Poison()",
        "return a / b if b else QQ(0)",
        REFERENCE,
    ),
    Mutant(
        "reference: an open comparison is no",
        "reference/numbers.py",
        "if difference <= 0:",
        "if True:",
        REFERENCE_TARGET,
    ),
    Mutant(
        "reference: a far token breaks no tie",
        "reference/numbers.py",
        "return self.enclosed is None",
        "return False",
        REFERENCE_TARGET,
    ),
    Mutant(
        "reference: inverse CDF at u <= cumulative",
        "reference/one_token.py",
        "if u < cumulative)",
        "if u <= cumulative)",
        REFERENCE,
    ),
    Mutant(
        "reference: one coin for both draws",
        "reference/one_token.py",
        "inverse_cdf(residual_law(p, q, residual_mass(p, q)), v)",
        "inverse_cdf(residual_law(p, q, residual_mass(p, q)), u)",
        REFERENCE,
    ),
    Mutant(
        "reference: temperature twice",
        "reference/softmax.py",
        "1 / arb(temperature)",
        "1 / arb(temperature) ** 2",
        MUSEUM,
    ),
    Mutant(
        "reference: mlx_lm cuts the tempered law",
        "reference/dialects.py",
        'temperature last", False, cut_with_ties)',
        'temperature last", True, cut_with_ties)',
        MUSEUM,
    ),
    Mutant(
        "reference: mlx_lm breaks ties by id",
        "reference/dialects.py",
        'temperature last", False, cut_with_ties)',
        'temperature last", False, strict_cut)',
        REFERENCE_TARGET,
    ),
]


def tracked_files() -> list[str]:
    """What git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


@contextmanager
def copied_tree(files: Sequence[str]):
    """The working tree in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        for name in files:
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, Path(folder) / name)
        yield Path(folder)


def pytest(tree: Path, tests: Sequence[str]) -> tuple[int, list[str]]:
    """Exit code, and the ids of the tests that failed."""
    environment = {key: value for key, value in os.environ.items() if key != "HYPOTHESIS_PROFILE"}
    environment |= {"CI": "1", "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "400"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider", *tests]
    run = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    failed = [line.removeprefix("FAILED ").split(" - ")[0] for line in run.stdout.splitlines() if line.startswith("FAILED ")]
    return run.returncode, failed


def judge(mutant: Mutant, files: Sequence[str]) -> Result:
    started = time.monotonic()
    verdict, by = "STALE", ""
    with copied_tree(files) as tree:
        path = tree / mutant.file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text.count(mutant.old) == 1:
            path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
            code, failed = pytest(tree, [mutant.tests])
            verdict = {0: "SURVIVED", 1: "killed" if failed else "BROKEN"}.get(code, "BROKEN")
            by = failed[0] if failed else ""
    return Result(mutant.name, mutant.file, verdict, by, round(time.monotonic() - started, 1))


def table_of(results: Sequence[Result]) -> Table:
    table = Table("mutant", "file", "killed by", "s", title="Mutants")
    for result in results:
        good = result.verdict == "killed"
        short = escape(result.by.removeprefix("tests/"))
        table.add_row(result.name, result.file, short if good else f"[red]{result.verdict}[/]", f"{result.seconds:.1f}")
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="WORD", help="mutants whose name or file contains the word")
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")
    options = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if options.only in mutant.name or options.only in mutant.file]
    if not chosen:
        parser.error(f"--only {options.only!r}: no such mutant")

    files, started = tracked_files(), time.monotonic()
    with ThreadPoolExecutor(WORKERS) as pool:
        results = list(pool.map(lambda mutant: judge(mutant, files), chosen))
    killers = sorted({result.by for result in results if result.by})
    with copied_tree(files) as tree:
        sound, unsound = pytest(tree, killers) if killers else (0, [])
    seconds = round(time.monotonic() - started, 1)

    alive = [result for result in results if result.verdict != "killed"]
    if options.json:
        print(json.dumps({"results": [asdict(result) for result in results], "unsound": unsound, "seconds": seconds}, indent=1))
    else:
        console = Console(width=None if sys.stdout.isatty() else 160)
        console.print(table_of(results))
        console.print(f"{len(results) - len(alive)} of {len(results)} killed in {seconds:.0f} s")
        if sound:
            console.print(
                f"[red]The tests that killed do not all pass on the code as it is:[/] {escape(', '.join(unsound) or 'no run')}"
            )
    return int(bool(alive) or sound != 0)


if __name__ == "__main__":
    sys.exit(main())
