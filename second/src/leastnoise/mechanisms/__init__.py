"""A secret value in, a noisy answer out, its privacy known before."""
