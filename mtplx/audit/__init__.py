"""Sampling and one-token verification in MLX whose decisions are exact."""
