"""`EpochCosts`: what a training run has cost after each of some epochs."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

from leastnoise import _check, _show
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.accounting.training import Training
from leastnoise.numeric.interval import Interval

_LADDER = (1, 2, 5)  # times powers of ten


@dataclass(frozen=True)
class EpochCost:
    """ε of the first steps, for each way in which neighbours differ."""

    epochs: Fraction
    steps: int
    epsilon: dict[str, Interval]


@dataclass(frozen=True)
class EpochCosts:
    """ε by epoch at one δ: a table, and with `plot()` a picture.

    Example:
        >>> found = epoch_costs(Training(noise=1, rate="0.01", steps=250), delta="1e-5")
        >>> [row.steps for row in found.rows]
        [100, 200, 250]
    """

    training: Training
    delta: Fraction
    rows: tuple[EpochCost, ...]

    plot = _show.plot
    _repr_html_ = _show.html


def epoch_costs(training: Training, *, delta: Exact) -> EpochCosts:
    """The cost after 1, 2, 5, 10, 20, … epochs and at the end; an epoch is 1/rate steps."""
    exact = _check.positive_delta(delta)
    stops = {training.steps}
    size = 1
    while size * training.epoch <= training.steps:
        stops |= {n for k in _LADDER if (n := k * size * training.epoch) < training.steps}
        size *= 10
    rows = []
    for steps in sorted(stops):
        part = Training(training.noise, training.rate, steps, training.neighbours, training.batches)
        rows.append(EpochCost(steps * training.rate, steps, part.directions(exact)))
    return EpochCosts(training, exact, tuple(rows))


def rounded_outward(bracket: Interval, places: int = 5) -> tuple[str, str]:
    """Both ends as decimals that still hold the truth between them."""

    def written(end: Fraction | float, rounding: str) -> str:
        if isinstance(end, float):
            return str(end)
        scaled = end * 10**places
        whole = math.floor(scaled) if rounding == ROUND_FLOOR else math.ceil(scaled)
        return str(Decimal(whole).scaleb(-places))

    return written(bracket.lower, ROUND_FLOOR), written(bracket.upper, ROUND_CEILING)
