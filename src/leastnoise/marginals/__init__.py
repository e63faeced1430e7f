"""Noisy marginals of a table: how many people have this, that, or both."""
