"""The only door to entropy: `Source`, and the exact samplers every law is built from."""

from leastnoise.randomness.source import Source

__all__ = ["Source"]
