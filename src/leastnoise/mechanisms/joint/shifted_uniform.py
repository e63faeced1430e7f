"""Uniform integers between any two ends, many at once."""

import numpy as np

from leastnoise.mechanisms.joint.joint_part import Integers
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform import uniform_below, uniform_integer

_FITS = 1 << 62


def shifted_uniform(lowest: int, highest: int, count: int, source: Source) -> Integers:
    """`count` independent uniform integers in lowest..highest, both included.

    They are Python's integers (dtype object) where 64 bits are too few.
    """
    if lowest > -_FITS and highest < _FITS:
        return uniform_below(highest - lowest + 1, count, source) + lowest
    drawn = [lowest + uniform_integer(highest - lowest + 1, source) for _ in range(count)]
    return np.array(drawn, dtype=np.object_)
