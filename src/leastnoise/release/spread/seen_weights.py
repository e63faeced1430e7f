r"""How many units are at each knot, as far as noisy hats let it be seen."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.spread.hats import Hats

_SURE = 5.0  # e^−5 / 2 is the chance that noise alone looks like units at the next knot
_FALL, _FASTER = 0.6, 0.8  # beyond what is seen, weights fall at least so, and ever faster


def seen_weights(hats: Hats) -> Floats:
    """A plausible weight for each knot, from what stands out of the noise.

    Noise of one deviation at the largest knots would outweigh all the data. So a knot is believed
    only if it stands out of the noise, and the more clearly, the farther it is from the last one
    that did: a mistake would make the bound so many times too large. Beyond the last one weights
    fall geometrically, and are no larger than noise could hide. None is negative.
    """
    values, scale = hats.values.astype(np.float64) / hats.weight, noise_scale(hats)
    return believed(values, scale, last_seen(hats.knots, values / scale, normal=is_normal(hats)))


def believed(values: Floats, scale: float, top: int) -> Floats:
    """The weights that are seen up to a place, and what is plausible beyond it.

    Args:
        values: the noisy weights.
        scale: of the noise.
        top: the place of the last one that stands out.
    """
    found = np.maximum(values, 0)
    falls = min(found[top] / found[top - 1], _FALL) if top and found[top - 1] else _FALL
    for place in range(top + 1, len(found)):
        found[place] = min(falls * found[place - 1], max(values[place] + scale, 0))
        falls *= _FASTER
    return np.asarray(found)


def last_seen(knots: Sequence[int], values: Floats, *, normal: bool) -> int:
    """The place of the last knot that stands out of the noise; 0 if none does.

    Args:
        knots: rising and positive.
        values: the noisy weights, in scales of the noise.
        normal: whether the noise is Gaussian, else Laplace's.
    """
    top = 0
    for place, value in enumerate(values.tolist()):
        if value > _stands_out(max(knots[place] / knots[top], 1), normal=normal):
            top = place
    return top


def _stands_out(times: float, *, normal: bool) -> float:
    """In scales of the noise: what it exceeds with the chance e^−5 / (2·times)."""
    if normal:
        return -NormalDist().inv_cdf(math.exp(-_SURE) / (2 * times))
    return math.log(times) + _SURE


def is_normal(hats: Hats) -> bool:
    """Whether the noise is Gaussian, else Laplace's."""
    return isinstance(hats.law, DiscreteGaussian)


def noise_scale(hats: Hats) -> float:
    """Of Laplace's law, or the standard deviation of a Gaussian; in units."""
    deviation = math.sqrt(float(hats.law.moment(2).upper)) / hats.weight
    return deviation if is_normal(hats) else deviation / math.sqrt(2)
