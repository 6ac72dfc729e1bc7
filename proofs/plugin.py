"""The pytest plugin of the house: one header line, `--device cpu|gpu`, three Hypothesis profiles.

What a machine cannot run is reported as *not run*; it never passes silently.
"""

from __future__ import annotations

import os
from importlib.metadata import version

import mlx.core as mx
import pytest
from hypothesis import settings

from proofs import coqc
from proofs.provers import PROVERS

DEVICES = {"cpu": mx.cpu, "gpu": mx.gpu}

settings.register_profile("dev", max_examples=100, deadline=None)
settings.register_profile("ci", max_examples=200, deadline=None, derandomize=True)
settings.register_profile("nightly", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--device`."""
    parser.addoption("--device", choices=tuple(DEVICES), help="device of the tests marked `device`; default: MLX's own")


def missing(config: pytest.Config) -> str | None:
    """The device that was asked for and that MLX does not have."""
    device: str | None = config.getoption("--device")
    return device if device and not mx.is_available(DEVICES[device]) else None


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker and turns MLX to the device that was asked for."""
    config.addinivalue_line("markers", "device: runs MLX on the device chosen with --device")
    device = config.getoption("--device")
    if device and not missing(config):
        mx.set_default_device(mx.Device(DEVICES[device]))


def pytest_report_header(config: pytest.Config) -> str:
    """One line: what the results below depend on."""
    absent = missing(config)
    device = f"{absent}: not run" if absent else mx.default_device().type.name
    profile = settings.get_current_profile_name()
    versions = [*(prover.version for prover in PROVERS), f"coq {coqc.installed() or 'not run: no coqc'}"]
    return ", ".join([f"mlx {version('mlx')}", f"device {device}", *versions, f"hypothesis profile {profile}"])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the tests that need a device MLX does not have, and says so."""
    absent = missing(config)
    if not absent:
        return
    for item in items:
        if item.get_closest_marker("device"):
            item.add_marker(pytest.mark.skip(reason=f"not run: no {absent.upper()}"))
