"""The arrows of the house: the reference and the implementation are written apart, so that no mistake is shared."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEES_BOTH = {ROOT / "mtplx" / name for name in ("audit", "cli.py", "prove.py", "__main__.py")}
"""The audit and the command line compare the two."""
REFERENCE = sorted((ROOT / "reference").rglob("*.py"))
RATIONAL = {
    "pointwise.py",
    "one_token.py",
    "tape.py",
    "simplex.py",
    "rules.py",
    "claims.py",
    "models.py",
    "dialects.py",
    "dyadic.py",
}
"""The files of the reference in which everything is rational."""
IMPLEMENTATION = [path for path in sorted((ROOT / "mtplx").rglob("*.py")) if not SEES_BOTH & {path, *path.parents}]


def imported(path: Path) -> set[str]:
    """The top-level packages that a file imports anywhere: at its head, in a function, or by name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0] if not node.level else path.relative_to(ROOT).parts[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "importlib.import_module",
            "import_module",
            "__import__",
        ):
            assert isinstance(node.args[0], ast.Constant), f"{path.name}: a computed import"
            found.add(str(node.args[0].value).split(".")[0])
    return found


def modules_after(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after a statement."""
    code = f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.split())


def test_both_sides_are_there() -> None:
    """The files that the arrows are about exist."""
    assert {path.name for path in REFERENCE} >= RATIONAL | {"filters.py", "softmax.py", "numbers.py"}
    assert {path.name for path in IMPLEMENTATION} >= {
        "sampling.py",
        "selection.py",
        "wide.py",
        "exponential.py",
        "doors.py",
        "dyadic.py",
    }


@pytest.mark.parametrize("path", REFERENCE, ids=lambda path: path.name)
def test_reference_stands_alone(path: Path) -> None:
    """The reference imports the standard library, sympy, flint and itself; `strategies` alone imports Hypothesis as well."""
    allowed = {"reference", "sympy", "flint"} | ({"hypothesis"} if path == ROOT / "reference" / "strategies.py" else set())
    assert imported(path) - set(sys.stdlib_module_names) <= allowed


@pytest.mark.parametrize("path", [path for path in REFERENCE if path.name in RATIONAL], ids=lambda path: path.name)
def test_no_float_in_the_rules(path: Path) -> None:
    """Laws, rules, the tape and the twin of the integer core hold no float: no literal, and no conversion."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    assert not [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, float)]
    assert not [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) in ("float", "math.exp")]


@pytest.mark.parametrize("path", IMPLEMENTATION, ids=lambda path: str(path.relative_to(ROOT)))
def test_implementation_does_not_see_the_reference(path: Path) -> None:
    """The implementation imports nothing of the reference or of its number systems; balls alone decide what masses cannot."""
    allowed = {"flint"} if path == ROOT / "mtplx" / "balls.py" else set()
    assert imported(path) & {"reference", "proofs", "tests", "sympy", "flint"} <= allowed


def test_reference_runs_without_mlx_and_numpy() -> None:
    """Importing and using the reference loads neither MLX nor numpy nor Hypothesis."""
    loaded = modules_after("import reference; reference.softmax([1.0, 0.0]); reference.residual_distribution([1, 0], [0, 1])")
    assert "reference" in loaded
    assert not loaded & {"mlx", "numpy", "mtplx", "hypothesis"}


def test_exhibits_need_the_standard_library_only() -> None:
    """Every exhibit of the museum can be imported where no other package is installed, so that its process starts fast."""
    subprocess.run([sys.executable, "-E", "-S", "-c", "import mtplx.audit.museum.catalogue"], check=True, cwd=ROOT)


def test_implementation_runs_without_the_reference() -> None:
    """Importing and using the implementation loads neither the reference nor its rationals."""
    loaded = modules_after("from mtplx import sampling; sampling.softmax([1.0, 0.0]).tolist()")
    assert "mtplx" in loaded
    assert not loaded & {"reference", "sympy", "proofs"}
