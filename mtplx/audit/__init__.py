"""The audit: outside the implementation, comparing each step's output with what `reference` says it must be."""
