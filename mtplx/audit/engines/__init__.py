"""Adapters of engines that can be audited by name; each file is loaded by the Python that has the engine."""
