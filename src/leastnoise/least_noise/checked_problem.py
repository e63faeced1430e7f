"""What every problem of least noise must satisfy, whatever its form."""

from fractions import Fraction
from itertools import pairwise

from leastnoise import _check
from leastnoise.numeric.cost import Cost, OwnCost
from leastnoise.privacy.guarantee import ApproxDP, PureDP, exact_text

_MOST_STEPS = 2**40  # draws have 62 bits: noise may be 2^22 times as wide as the sensitivity
_NEAR = 256  # a cost of one's own is looked at here one by one
_DOUBLINGS = 20  # and beyond at distances that double, up to a million steps


def checked_steps(steps: int) -> int:
    """The sensitivity in steps of the lattice, if it is not too fine a lattice."""
    if steps <= _MOST_STEPS:
        return steps
    raise _check.refuse(
        "`sensitivity` must be at most 2^40 steps of the lattice",
        f"{steps:.3e} steps" if steps < 10**300 else "more than 10^300 steps",
        "Choose a coarser granularity.",
    )


def checked_promise(epsilon: Fraction, delta: Fraction) -> PureDP | ApproxDP:
    """The promise to keep; perfect privacy is refused."""
    if delta:
        return ApproxDP(epsilon=epsilon, delta=delta)
    if epsilon:
        return PureDP(epsilon=epsilon)
    raise _check.refuse(
        "`epsilon` and `delta` must not both be 0",
        "epsilon=0, delta=0",
        "Perfect privacy leaves nothing to release; choose epsilon > 0.",
    )


def check_rising(cost: Cost, step: Fraction) -> None:
    """A spot check of a user's own cost: at every step near 0, and at some far out."""
    if not isinstance(cost, OwnCost):
        return
    places = [*range(_NEAR), *(_NEAR + 2**n for n in range(_DOUBLINGS))]
    prices = [(place, cost.at(place * step).lower) for place in places]
    for (near, less), (far, more) in pairwise(prices):
        if more < less:
            raise _check.refuse(
                "`cost` must not decrease as the error grows",
                f"a cost at {exact_text(far * step)} below that at {exact_text(near * step)}",
                "Give a non-decreasing function of |error|.",
            )
