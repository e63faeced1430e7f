"""Exact coin flips for any real probability that can be computed."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.real import Real, rational_real
from leastnoise.randomness.source import Source

_BITS = 64  # one word of the source


def bernoulli(probability: Real, count: int, source: Source) -> NDArray[np.bool_]:
    """`count` independent coins that are True with exactly the given probability.

    A uniform number below the probability means True. Its first 64 bits settle almost every coin:
    only a word equal to floor(probability · 2**64) needs more.
    """
    if not count:
        return np.empty(0, dtype=np.bool_)
    if probability.compare(0) < 0 or probability.compare(1) > 0:
        raise ValueError("a probability must lie in [0, 1]")
    if probability.compare(1) == 0:
        return np.ones(count, dtype=np.bool_)
    threshold = np.uint64(probability.floor(1 << _BITS))
    words = source.words(count)
    coins = words < threshold
    for place in np.flatnonzero(words == threshold):
        coins[place] = below(probability, int(words[place]), _BITS, source)
    return coins


def below(probability: Real, known: int, bits: int, source: Source) -> bool:
    """Whether a uniform number whose first `bits` bits are `known` falls below the probability."""
    while True:
        threshold = probability.floor(1 << bits)
        if known != threshold:
            return known < threshold
        known, bits = (known << _BITS) | source.bits(_BITS), bits + _BITS


def bernoulli_rational(probability: Fraction, count: int, source: Source) -> NDArray[np.bool_]:
    """Exact coins with a rational probability."""
    return bernoulli(rational_real(probability), count, source)


def bernoulli_exp(exponent: Fraction, count: int, source: Source) -> NDArray[np.bool_]:
    """Exact coins with probability exp(−exponent), for rational exponent ≥ 0."""
    chance = ExponentialRatio(ExponentialSum.exp(-exponent), ExponentialSum.of(1))
    return bernoulli(chance, count, source)
