"""Which rule to take for a promise about all groups of a unit: made before any data is seen."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.partitions.concentrated_step import ConcentratedStep
from leastnoise.mechanisms.partitions.keep_step import ApproximateStep, GaussianStep, KeepStep
from leastnoise.mechanisms.partitions.keep_table import keep_table
from leastnoise.numeric import ball as balls
from leastnoise.privacy.gaussian import gaussian_mu
from leastnoise.privacy.guarantee import ZCDP, ApproxDP

_LEAKS = tuple(Fraction(part, 8) for part in range(1, 8))
"""Parts of δ that may go to the leak; the rest pays for the Gaussian. The best is flat."""

_WORTH_A_TABLE = 1.5  # farther off, the estimate decides
_WORTH_PROVING = 80  # so many steps, each proved in milliseconds
FARTHEST_HALF = 1 << 15
"""A rule that shows no smaller groups with an even chance is of no use to anybody."""


@lru_cache(maxsize=64)
def keep_step(promise: ApproxDP | ZCDP, changes: int) -> KeepStep:
    """The step with which `changes` counts together keep the promise and most groups are shown.

    Raises:
        UnsupportedQuery: no step shows groups of tens of thousands of units with an even chance.
    """
    steps = _steps(promise, changes)
    least = min(step.about_half for step in steps)
    if least > FARTHEST_HALF:
        raise UnsupportedQuery(
            f"a group of {FARTHEST_HALF} units must have an even chance to be shown; at this "
            "price it has not. Raise epsilon, rho or delta, or lower max_groups."
        )
    near = [step for step in steps if step.about_half <= _WORTH_A_TABLE * least]
    return near[0] if len(near) == 1 else min(near, key=_likely)


def _likely(step: KeepStep) -> tuple[int, int]:
    table = keep_table(step)
    return table.least(Fraction(1, 2)), table.least(Fraction(95, 100))


def _steps(promise: ApproxDP | ZCDP, changes: int) -> Sequence[KeepStep]:
    if isinstance(promise, ZCDP):
        best = ConcentratedStep(promise.rho / changes, leak_of_one(promise.delta, changes))
        # To prove a step takes milliseconds: of many hundreds the closed form must do.
        return [best if best.about_half <= _WORTH_PROVING else best.gaussian]
    plain = ApproximateStep(promise.epsilon / changes, leak_of_one(promise.delta, changes))
    # For one change no rule with this promise shows more.
    return [plain] if changes == 1 else [plain, _best_gaussian(promise, changes)]


def _best_gaussian(promise: ApproxDP, changes: int) -> GaussianStep:
    return min(gaussian_steps(promise, changes), key=lambda step: step.about_half)


def gaussian_steps(promise: ApproxDP, changes: int) -> list[GaussianStep]:
    """Gaussian steps with which `changes` counts keep the promise, one for each part of δ."""
    return [_gaussian(promise, changes, part * promise.delta) for part in _LEAKS]


def _gaussian(promise: ApproxDP, changes: int, leak: Fraction) -> GaussianStep:
    """The leak takes its part of δ; what is left of it is what the Gaussian may take."""
    mu = Fraction(gaussian_mu(promise.epsilon, (promise.delta - leak) / (1 - leak)).lower)
    return GaussianStep(mu * mu / changes, leak_of_one(leak, changes))


def leak_of_one(leak: Fraction, count: int) -> Fraction:
    """The δ with 1 − (1−δ)^count ≤ leak, rounded down."""
    if count == 1:
        return leak
    root = balls.enclosure(lambda: -((-balls.ball(leak)).log1p() / count).expm1())
    return Fraction(root.lower)
