r"""How many units have values at each knot, as far as noisy hats let it be seen."""

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.seen_weights import believed, is_normal, noise_scale

_SURE = 7.0  # e^−7 / 2 is the chance that noise alone looks like values at the next few knots
_TOGETHER = (1, 2, 4, 8, 16)  # so many knots are looked at as one
_TYPICAL = 8  # knots at about the same distance
_BULK = 8  # knots, two doublings, of which the fullest are looked for first
_SLOPES = np.linspace(0.02, 0.98, 97)


def value_weights(hats: Hats) -> Floats:
    """A plausible weight for each knot, outwards from the fullest one to both sides.

    Values are spread over many knots: a knot is believed if it stands out of the noise together
    with a few before it that were not, and the more clearly, the farther it is from the fullest and
    the more knots are as far.
    Beyond the last one weights fall as in `seen_weights`. If nothing stands out on one side of 0,
    nothing is there.
    """
    values, scale = hats.values.astype(np.float64) / hats.weight, noise_scale(hats)
    knots, centre = np.array(hats.knots, dtype=np.float64), _fullest(values)
    found = np.zeros(len(knots))
    for way in (1, -1):
        side = slice(centre, None, way)
        distances = np.abs(knots[side] - knots[centre])
        top = last_together(distances, values[side] / scale, normal=is_normal(hats))
        found[side] = believed(values[side], scale, top)
        if way * knots[side][top] <= 0:
            found[way * knots > 0] = 0
    return found


def last_together(distances: Floats, values: Floats, *, normal: bool) -> int:
    """The place of the last knot that stands out, alone or with some before it; 0 if none does.

    Args:
        distances: of the knots from the first of them; rising.
        values: the noisy weights, in scales of the noise.
        normal: whether the noise is Gaussian, else Laplace's.
    """
    top, sums, crowds = 0, np.concatenate([[0.0], np.cumsum(values)]), _crowds(distances)
    for place in range(1, len(values)):
        times = crowds[place] * distances[place] / max(distances[top], distances[1])
        for many in (each for each in _TOGETHER if each <= place - top):
            together = sums[place + 1] - sums[place + 1 - many]
            if together > stands_out(_SURE + math.log(times), many, normal=normal):
                top = place
                break
    return top


def _crowds(distances: Floats) -> Floats:
    """In how many times more places than elsewhere noise could mislead: knots crowd around 0."""
    first, last = (np.searchsorted(distances, distances * near) for near in (0.5**0.5, 2**0.5))
    return np.maximum((last - first) / _TYPICAL, 1.0)


@lru_cache(maxsize=4096)
def stands_out(sure: float, many: int, *, normal: bool) -> float:
    r"""What the sum of so many noises exceeds with a chance of at most e^−sure / 2, in scales.

    Of Laplace's law: ln E e^(s·sum) = −many·ln(1 − s²) for s < 1, hence P(sum > x) ≤ e^−sure if
    x = (sure − many·ln(1 − s²))/s; the half is dropped. Of one noise the chance is exact.
    """
    if normal:
        return -math.sqrt(many) * NormalDist().inv_cdf(math.exp(-sure) / 2)
    if many == 1:
        return sure
    return float(np.min((sure - many * np.log1p(-(_SLOPES**2))) / _SLOPES))


def _fullest(values: Floats) -> int:
    """The place of the fullest knot, among a few neighbours that are the fullest together."""
    size = min(_BULK, len(values))
    first = int(np.argmax(np.convolve(values, np.ones(size), "valid")))
    return first + int(np.argmax(values[first : first + size]))
