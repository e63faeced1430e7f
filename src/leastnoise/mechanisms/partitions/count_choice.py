"""Which step to take where one noise chooses groups and is published: made before any data."""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.partitions.count_table import CountStep, count_noise, count_table
from leastnoise.mechanisms.partitions.keep_choice import (
    FARTHEST_HALF,
    gaussian_steps,
    leak_of_one,
)
from leastnoise.mechanisms.partitions.keep_step import ApproximateStep, GaussianStep
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.privacy.guarantee import ZCDP, ApproxDP

_ERRORS_IN_A_GROUP = math.log(1000)
"""How much the mean error weighs beside the size of the groups that are lost.

For a group whose size is unknown, up to a thousand times the size shown with an even chance, every
order of magnitude as likely as any other: not shown, it is off by its size; shown, by the noise.
"""

_WORTH_LESS_LEAK = 0.95  # the whole leak is used unless a part is better by a twentieth
_PARTS = 8  # of the leak, from all of it down to what moves the rule by one unit
_WORTH_A_TABLE = 1.5  # farther off, the estimate decides
_COARSE = 2  # for noise of this size the integers are fine enough anywhere
_LEAST_FLOAT = 1e-300
_FARTHEST = 1e6  # in standard deviations


@lru_cache(maxsize=64)
def count_step(promise: ApproxDP | ZCDP, changes: int) -> CountStep:
    """The step with which `changes` counts together keep the promise, for both at once the best.

    Raises:
        UnsupportedQuery: no step shows groups of tens of thousands of units with an even chance.
    """
    steps = _whole(promise, changes)
    least = min(map(_about, steps))
    if min(step.about_half for step in steps) > FARTHEST_HALF:
        raise UnsupportedQuery(
            f"a group of {FARTHEST_HALF} units must have an even chance to be shown; at this "
            "price it has not. Raise epsilon, rho or delta, or lower max_groups."
        )
    near = [step for step in steps if _about(step) <= _WORTH_A_TABLE * least]
    whole = min(near, key=_score)
    centred = min(_with_less_leak(whole), key=_score, default=whole)
    return centred if _score(centred) < _WORTH_LESS_LEAK * _score(whole) else whole


def _whole(promise: ApproxDP | ZCDP, changes: int) -> list[CountStep]:
    """Steps that use all of the promise. The greatest rule of zCDP itself is not known as noise."""
    leak = leak_of_one(promise.delta, changes)
    if isinstance(promise, ZCDP):
        return [GaussianStep(2 * promise.rho / changes, leak)]
    plain = ApproximateStep(promise.epsilon / changes, leak)
    return [plain] if changes == 1 else [plain, min(gaussian_steps(promise, changes), key=_about)]


def _about(step: CountStep) -> float:
    """About the score, without a table."""
    half = step.about_half
    rate = nearest_float(_promised(step))
    if rate < _LEAST_FLOAT:
        return half + _ERRORS_IN_A_GROUP * half
    error = math.sqrt(2 / math.pi / rate) if isinstance(step, GaussianStep) else 1 / rate
    return half + _ERRORS_IN_A_GROUP * min(error, half)


@lru_cache(maxsize=256)
def _score(step: CountStep) -> float:
    error = float(count_noise(step).moment(1))
    return count_table(step).least(Fraction(1, 2)) + _ERRORS_IN_A_GROUP * error


def _with_less_leak(step: CountStep) -> Iterator[CountStep]:
    """Steps whose rule begins a part of a unit later: its noise may lie better on the integers."""
    if count_noise(step).moment(1).lower > _COARSE:
        return
    rest = _later(step)
    for place in range(1, _PARTS):
        part = Fraction(rest ** (place / _PARTS)).limit_denominator(1 << 40)
        if part > 0:
            yield type(step)(_promised(step), step.delta * part)


def _promised(step: CountStep) -> Fraction:
    return step.epsilon if isinstance(step, ApproximateStep) else step.mu_squared


def _later(step: CountStep) -> float:
    """The part of the leak with which a second unit is shown as often as a first one with all."""
    leak = max(float(step.delta), _LEAST_FLOAT)
    if isinstance(step, ApproximateStep):
        return 1 / (1 + math.exp(min(nearest_float(step.epsilon), -math.log(leak))))
    normal = NormalDist()
    place = normal.inv_cdf(min(leak, 1 / 2)) - min(
        math.sqrt(nearest_float(step.mu_squared)), _FARTHEST
    )
    return max(normal.cdf(place), _LEAST_FLOAT) / leak
