r"""Discrete Laplace noise (two-sided geometric), drawn exactly.

Law of scale B: P(k) = (1 - p) / (1 + p) * p^|k| with p = e^(-1/B), on all integers.

Theorem: a vector of integers that moves by at most D in l1 norm, with independent noise of scale B
on every entry, is (D/B)-DP. Proof: P(k)/P(k - d) = e^((|k - d| - |k|)/B) <= e^(|d|/B), and the
exponents add up. Proof page: docs/proofs/laplace.md.

References: Ghosh, Roughgarden and Sundararajan 2012, Definition 2.2.

Trusted.
"""

from fractions import Fraction

from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Draws, geometric


def discrete_laplace(scale: Fraction, count: int, source: Source) -> Draws:
    """`count` independent draws.

    The difference of two geometric draws: P(G - H = k) = (1 - p)^2 * sum over h of p^(2h + |k|).
    """
    return geometric(1 / scale, count, source) - geometric(1 / scale, count, source)
