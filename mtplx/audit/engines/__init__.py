"""Engines that can be audited by name; each adapter is loaded by the Python that has the engine."""

from pathlib import Path

BUILT_IN = {
    name: f"{Path(__file__).with_name('adapter_' + name.replace('-', '_') + '.py')}:Engine"
    for name in ("mtplx", "mlx_lm", "transformers", "mtplx-pypi")
}
"""Name -> what the worker loads."""
