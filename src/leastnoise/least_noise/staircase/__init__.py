"""The staircase law on the real line and in R^d: what is proved about it."""
