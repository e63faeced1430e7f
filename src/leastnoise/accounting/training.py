"""What a training run with noisy gradients costs: many Gaussian steps on Poisson samples.

Calibration bisects on the upper end of a bracket, so that what it returns keeps the promise; how
near to the least it is depends on the bracket alone.
"""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, checked, frozen
from leastnoise.errors import InvalidParameter
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.sampling import Neighbours, known_neighbours, rate_of_sampling

_PLACES = 1000  # noise is told to three places
_MOST_STEPS = 1 << 24  # more are not told apart
_LEAST_NOISE = _PLACES // 8  # with less there is hardly a promise left
_MOST_NOISE = 1 << 12  # beyond this hardly anything is learnt


@frozen
class Training:
    """Steps with Gaussian noise, each on a Poisson sample of the records.

    Args:
        noise: the noise multiplier, σ over the norm bound of one record's gradient.
        rate: the chance of a record to be in a step's sample.
        steps: how many.
        neighbours: what one record can do.

    Example:
        >>> run = Training(noise="1", rate="0.01", steps=1000)
        >>> run.loss.epsilon(delta="1e-5")
        Interval(1.8282..., 1.8282...)
    """

    noise: Number = checked(_check.positive)
    rate: Number = checked(rate_of_sampling)
    steps: int = checked(_check.whole(1, _MOST_STEPS))
    neighbours: Neighbours = "add_remove"

    @property
    def loss(self) -> PrivacyLoss:
        """The loss of all steps together."""
        known_neighbours(self.neighbours)
        step = PrivacyLoss.gaussian(mu=1 / Fraction(self.noise))
        return step.poisson_sampled(self.rate, self.neighbours).self_compose(self.steps)

    def directions(self, delta: Exact) -> dict[str, Interval]:
        """ε at a δ, for each way in which neighbours differ."""
        loss = self.loss
        if loss.backward is None:
            ways = {"replaced" if self.neighbours == "replace" else "either": loss.forward}
        else:
            ways = {"removed": loss.forward, "added": loss.backward}
        return {way: PrivacyLoss(variable).epsilon(delta) for way, variable in ways.items()}


def rounded_outward(bracket: Interval, places: int = 5) -> tuple[str, str]:
    """Both ends as decimals that still hold the truth between them."""

    def written(end: Fraction | float, rounding: str) -> str:
        if isinstance(end, float):
            return str(end)
        scaled = end * 10**places
        whole = math.floor(scaled) if rounding == ROUND_FLOOR else math.ceil(scaled)
        return str(Decimal(whole).scaleb(-places))

    return written(bracket.lower, ROUND_FLOOR), written(bracket.upper, ROUND_CEILING)


def most_steps(
    *,
    noise: Exact,
    rate: Exact,
    epsilon: Exact,
    delta: Exact,
    neighbours: Neighbours = "add_remove",
) -> int:
    """The most steps that are sure to keep (epsilon, delta)."""
    most = _check.positive_delta(delta)

    def keeps(steps: int) -> bool:
        return Training(noise, rate, steps, neighbours).loss.delta(epsilon).upper <= most

    if not keeps(1):
        raise _not_one_step("Use more noise, a smaller rate or a larger epsilon.")
    low, high = 1, 2
    while high < _MOST_STEPS and keeps(high):
        low, high = high, 2 * high
    while high - low > max(1, low // _PLACES):
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low


def least_noise(
    *, rate: Exact, steps: int, epsilon: Exact, delta: Exact, neighbours: Neighbours = "add_remove"
) -> Fraction:
    """The least noise multiplier, in thousandths, that is sure to keep (epsilon, delta).

    Below an eighth it is not looked for: hardly a promise is left there.
    """
    most = _check.positive_delta(delta)

    def keeps(thousandths: int) -> bool:
        noise = Fraction(thousandths, _PLACES)
        return Training(noise, rate, steps, neighbours).loss.delta(epsilon).upper <= most

    high = _PLACES
    while not keeps(high):
        high *= 2
        if high > _MOST_NOISE * _PLACES:
            raise _not_one_step("Use fewer steps, a smaller rate or a larger epsilon.")
    low = high // 2
    while high == 2 * low and low > _LEAST_NOISE and keeps(low):
        low, high = low // 2, low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if keeps(middle) else (middle, high)
    return Fraction(high, _PLACES)


def _not_one_step(remedy: str) -> InvalidParameter:
    return _check.refuse(
        "the promise must allow a step of training", "one that allows none", remedy
    )
