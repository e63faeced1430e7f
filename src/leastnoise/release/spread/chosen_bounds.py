r"""Which bounds make noise and cut together least, as noisy hats tell it.

A larger bound needs more noise, a smaller one cuts more of the data off. All of this is computed
from public numbers: a poor choice costs accuracy, never privacy.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import erf, sqrt

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.seen_weights import seen_weights

_BETWEEN = 4  # candidates from one knot to the next
_HALF_NORMAL = sqrt(2 / np.pi)
_inside = np.vectorize(erf, otypes=[np.float64])  # the chance of |N| ≤ x√2


def bound_knots(most: int) -> tuple[int, ...]:
    """Knots for bounds from 1 to `most`, or 2: each about √2 times the one before."""
    last = max(most, 2)
    below = {round(2 ** (place / 2)) for place in range(2 * last.bit_length())}
    return tuple(sorted({x for x in below if x < last} | {last}))


@dataclass(frozen=True, eq=False)
class Stake:
    """Answers that share bounds, and what is known of the units behind them.

    Attributes:
        answers: how many there are; what is cut off is spread over them.
        noise: the mean |error| of one answer at the bounds `at`, in rows.
        weight: how much an error of one row matters.
        normal: whether the noise is Gaussian: it grows with √max_groups then, else with max_groups.
        at: the bounds at which the noise is told.
        groups: how many groups units are in; None if they are in one that counts.
        rows: how many rows units have in a group; None if they count as one.
    """

    answers: int
    noise: float
    weight: float
    normal: bool
    at: Bounds
    groups: Hats | None = None
    rows: Hats | None = None

    def costs(self, max_groups: Floats, max_rows: Floats) -> Floats:
        """The mean |noise + cut| of one answer, weighed: one row for each max_groups."""
        noise, cut = self.noises(max_groups, max_rows), self.lost(max_groups, max_rows)
        return self.weight * mean_error(noise, cut / self.answers, normal=self.normal)

    def noises(self, max_groups: Floats, max_rows: Floats) -> Floats:
        """The mean |noise| of one answer, in rows."""
        per_group = max_groups / self.at.max_groups
        spread = np.outer(np.sqrt(per_group) if self.normal else per_group, self._times(max_rows))
        return self.noise * spread

    def _times(self, max_rows: Floats) -> Floats:
        return max_rows / self.at.max_rows if self.rows is not None else np.ones_like(max_rows)

    def kept(self, bounds: Bounds) -> float:
        """How many rows of a unit count, on average."""
        _, _, groups = _kept(self.groups, np.array([float(bounds.max_groups)]))
        _, _, rows = _kept(self.rows, np.array([float(bounds.max_rows)]))
        return float(groups[0] * rows[0])

    def lost(self, max_groups: Floats, max_rows: Floats) -> Floats:
        """How many rows the bounds leave out, of all units, over all answers.

        Units with many rows in a group are taken to be in as many groups as others.
        """
        units, groups, kept_groups = _kept(self.groups, max_groups)
        others, rows, kept_rows = _kept(self.rows, max_rows)
        many = others if self.groups is None else units
        lost = many * (groups * rows - np.outer(kept_groups, kept_rows))
        return np.maximum(lost, 0)


def _kept(hats: Hats | None, bounds: Floats) -> tuple[float, float, Floats]:
    """How many units there are, what each has on average, and what bounds leave of that."""
    if hats is None:
        return 0.0, 1.0, np.ones_like(bounds)
    knots, weights = np.array(hats.knots, dtype=np.float64), seen_weights(hats)
    units = float(weights.sum())
    if not units:
        return 0.0, 1.0, np.ones_like(bounds)
    kept = np.minimum(knots, bounds[:, None]) @ weights / units
    return units, float(knots @ weights / units), kept


def mean_error(noise: Floats, cut: Floats, *, normal: bool) -> Floats:
    r"""E|Z − c| for a cut c ≥ 0 and noise Z with the mean |Z| given, normal or Laplace.

    Laplace of scale b: c + b·e^(−c/b), and b is the mean. Normal of deviation σ:
    c·(1 − 2Φ(−c/σ)) + σ·√(2/π)·e^(−c²/2σ²), and the mean is σ·√(2/π).

    Example:
        >>> float(mean_error(np.array(2.0), np.array(0.0), normal=False))
        2.0
    """
    if not normal:
        return np.asarray(cut + noise * np.exp(-cut / noise))
    deviation = noise / _HALF_NORMAL
    place = cut / (deviation * sqrt(2))
    return np.asarray(cut * _inside(place) + noise * np.exp(-(place**2)))


def least_bounds(
    stakes: Sequence[Stake], *, max_groups: int | None, max_rows: int | None
) -> Bounds:
    """The bounds with the least weighted error of all answers.

    Args:
        stakes: the answers, all of which the bounds are for.
        max_groups: None to choose it.
        max_rows: None to choose it.
    """
    groups = _candidates([each.groups for each in stakes], max_groups)
    rows = _candidates([each.rows for each in stakes], max_rows)
    cost = sum((each.costs(groups, rows) for each in stakes), np.zeros((len(groups), len(rows))))
    best, other = np.unravel_index(int(np.argmin(cost)), cost.shape)
    return Bounds(max_groups=int(groups[best]), max_rows=int(rows[other]))


def _candidates(hats: Sequence[Hats | None], fixed: int | None) -> Floats:
    """The bound that is given; else knots, and a few whole numbers between them."""
    if fixed is not None:
        return np.array([fixed], dtype=np.float64)
    knots = np.array(sorted({x for each in hats if each is not None for x in each.knots} | {1}))
    between = [np.geomspace(low, high, _BETWEEN + 1) for low, high in pairwise(knots)]
    return np.unique(np.round(np.concatenate([knots, *between]).astype(np.float64)))
