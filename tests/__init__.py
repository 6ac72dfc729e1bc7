"""Unit, differential, museum (known faults) and meta tests."""
