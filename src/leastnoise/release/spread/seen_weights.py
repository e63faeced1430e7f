r"""How many units are at each knot, as far as noisy hats let it be seen."""

import math

import numpy as np
from scipy.special import ndtri

from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.spread.hats import Hats

_SURE = 5.0  # e^−5 / 2 is the chance that noise alone looks like the next knot
_FALL, _FASTER = 0.6, 0.8  # beyond what is seen, weights fall at least so, and ever faster


def seen_weights(hats: Hats) -> Floats:
    """A plausible weight for each knot: none is negative, and beyond the last that stands out
    they fall geometrically, and no higher than noise could hide.

    Noise of one deviation at the largest knots would outweigh all the data. So a knot is believed
    only if it stands out of the noise, and the more clearly, the farther it is from the last one
    that did: a mistake would make the bound so many times too large.
    """
    values = hats.values.astype(np.float64) / hats.weight
    top = last_seen(hats, values)
    found = np.maximum(values, 0)
    falls = min(found[top] / found[top - 1], _FALL) if top and found[top - 1] else _FALL
    for place in range(top + 1, len(found)):
        hidden = max(values[place] + _scale(hats), 0)
        found[place] = min(falls * found[place - 1], hidden)
        falls *= _FASTER
    return found


def last_seen(hats: Hats, values: Floats) -> int:
    """The place of the last knot that stands out of the noise; 0 if none does."""
    top = 0
    for place, value in enumerate(values):
        if value > _scale(hats) * _stands_out(hats, hats.knots[place] / max(hats.knots[top], 1)):
            top = place
    return top


def _stands_out(hats: Hats, times: float) -> float:
    """In scales of the noise: exceeded by chance with e^−5/2 over the ratio of the knots."""
    if not isinstance(hats.law, DiscreteGaussian):
        return math.log(times) + _SURE if times > 1 else _SURE
    return float(-ndtri(math.exp(-_SURE) / (2 * max(times, 1))))


def _scale(hats: Hats) -> float:
    """Of Laplace's law, or the standard deviation of a Gaussian; in units."""
    deviation = math.sqrt(float(hats.law.moment(2).upper)) / hats.weight
    return deviation if isinstance(hats.law, DiscreteGaussian) else deviation / math.sqrt(2)
