"""`optimal`: the least noise for a stated guarantee and cost, in one call."""

from fractions import Fraction
from itertools import pairwise

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.certificates.problem import Problem
from leastnoise.mechanisms.additive_noise import AdditiveNoise
from leastnoise.mechanisms.lattice import Lattice
from leastnoise.numeric.cost import Cost, CostLike, OwnCost, checked_cost
from leastnoise.planning.choice import chosen
from leastnoise.planning.optimal_noise import OptimalNoise
from leastnoise.privacy.guarantee import ApproxDP, PureDP

_FINENESS = 1024
_LARGEST = 2**40


def optimal_scalar(
    *,
    sensitivity: Exact,
    epsilon: Exact,
    delta: Exact = 0,
    cost: CostLike = "absolute",
    granularity: Exact | None = None,
) -> OptimalNoise:
    """The least noise for one query."""
    reach = _check.positive(sensitivity, "sensitivity")
    step = _step(reach, granularity)
    problem = Problem(
        sensitivity=_checked_reach(Lattice(step).reach(reach)),
        epsilon=_check.non_negative(epsilon, "epsilon"),
        delta=_check.delta(delta),
        cost=checked_cost(cost),
        step=step,
    )
    _refuse_no_privacy(problem)
    _refuse_decreasing(problem)
    choice = chosen(problem)
    promise = (
        ApproxDP(epsilon=problem.epsilon, delta=problem.delta)
        if problem.delta
        else PureDP(epsilon=problem.epsilon)
    )
    mechanism = AdditiveNoise(
        choice.law,
        sensitivity=reach,
        guarantee=promise,
        granularity=step,
        cost=problem.cost,
    )
    return OptimalNoise(mechanism, problem, choice)


def _step(sensitivity: Fraction, granularity: Exact | None) -> Fraction:
    """As asked for; else 1 for whole sensitivities, and a fine power of two for others."""
    if granularity is not None:
        return _check.positive(granularity, "granularity")
    if sensitivity.denominator == 1:
        return Fraction(1)
    step = Fraction(1)
    while step * _FINENESS > sensitivity:
        step /= 2
    while 2 * step * _FINENESS <= sensitivity:
        step *= 2
    return step


def _checked_reach(steps: int) -> int:
    if steps <= _LARGEST:
        return steps
    raise _check.refuse(
        "`sensitivity` must be at most 2^40 steps of the lattice",
        "more",
        "Choose a coarser granularity.",
    )


def _refuse_no_privacy(problem: Problem) -> None:
    if problem.epsilon or problem.delta:
        return
    raise _check.refuse(
        "`epsilon` and `delta` must not both be 0",
        "epsilon=0, delta=0",
        "Perfect privacy leaves nothing to release; choose epsilon > 0.",
    )


def _refuse_decreasing(problem: Problem) -> None:
    """A spot check of a user's own cost: at 0, at every step near it, and far out."""
    cost: Cost = problem.cost
    if not isinstance(cost, OwnCost):
        return
    places = [*range(4 * problem.sensitivity if problem.sensitivity < 256 else 256)]
    places += [places[-1] + 2**n for n in range(20)]
    prices = [problem.price(place).lower for place in places]
    if any(later < earlier for earlier, later in pairwise(prices)):
        raise _check.refuse(
            "`cost` must not decrease as the error grows",
            "a function that does",
            "Give a non-decreasing function of |error|.",
        )

