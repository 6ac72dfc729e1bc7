"""The correctness gate: `pytest proofs/`."""
