"""Loads the header, the `--device` option and the Hypothesis profiles for proofs and tests alike."""

pytest_plugins = ["proofs.plugin", "proofs.summary"]
