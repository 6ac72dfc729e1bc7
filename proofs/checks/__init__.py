"""Checks of the proofs as a whole, and the same statements on whole rows of rationals."""
