"""`optimal_euclidean`: the least noise known for a vector of bounded Euclidean sensitivity."""

from fractions import Fraction
from math import exp, log
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.accounting.gaussian_calibration import gaussian_sigma
from leastnoise.least_noise.checked_problem import checked_promise
from leastnoise.least_noise.chosen_noise import ChosenNoise
from leastnoise.mechanisms.adding.additive_mechanism import Answers
from leastnoise.mechanisms.adding.euclidean_noise import EuclideanNoise, euclidean_steps
from leastnoise.mechanisms.release import Release
from leastnoise.noise.vectors.euclidean_law import MOST_EUCLIDEAN_DIMENSION, EuclideanLaw
from leastnoise.noise.vectors.norm_staircase import bounded_rate
from leastnoise.numeric.cost import CostLike, checked_cost, whole_power
from leastnoise.randomness.source import Source

_FINENESS = 1 << 14  # rounding then costs less than a thousandth up to 200 coordinates
_HALVINGS = 24
_NODES = 1 << 12
_MOST_TRIALS = 4
_MOST_SEARCHED = 512  # beyond, Gaussian noise is as small to a hundredth
_AIM = 0.99  # of δ: what is found by floats shall be proved after
_SHORT = 1 << 30


@dataclass(frozen=True, eq=False, repr=False)
class OptimalEuclideanNoise(ChosenNoise[EuclideanNoise]):
    """The noise chosen for a vector of bounded Euclidean sensitivity; by `optimal_euclidean`.

    Attributes:
        mechanism: adds the noise; its law has proved the promise.
        others: what was considered and costs more, the cheapest first.
    """

    others: tuple[EuclideanNoise, ...]

    @property
    def law(self) -> EuclideanLaw:
        """The law of the noise, in steps of the lattice."""
        return self.mechanism.law

    @property
    def why(self) -> str:
        """Why this law."""
        kind = "Laplace noise for the Euclidean norm" if self.law.power == 1 else "Gaussian noise"
        return f"{kind}, the cheapest of the laws that were compared"

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Answers]:
        """The vector with noise."""
        return self.mechanism.release(value, source)

    def certificate(self) -> None:
        """None: the best of the laws compared, without a proof that no other is better."""
        return

    def alternatives(self) -> tuple[EuclideanNoise, ...]:
        """The other laws for the same promise, the cheapest first."""
        return self.others

    def __repr__(self) -> str:
        return (
            f"OptimalEuclideanNoise({self.mechanism.cost.name} = {float(self.expected_cost()):.6g},"
            f" {self.guarantee!r}, l2-sensitivity={self.mechanism.sensitivity}: {self.law!r})"
        )


def optimal_euclidean(  # noqa: PLR0913 - every one is for the user to choose
    *,
    sensitivity: Exact,
    epsilon: Exact,
    delta: Exact = 0,
    dimension: SupportsIndex,
    cost: CostLike = "absolute",
    granularity: Exact | None = None,
) -> OptimalEuclideanNoise:
    r"""The least noise known for d numbers that move by up to Δ in the Euclidean norm.

    Compared are Laplace noise for this norm, which needs no δ, at scale Δ/ε or, if δ > 0, at about
    the least scale that is proved to keep (ε, δ); and Gaussian noise at its least. In d dimensions
    a move seldom points straight at the noise: so Laplace noise may be smaller than pure ε asks.

    Args:
        sensitivity: Δ > 0, the most the query changes between neighbours, in the Euclidean norm.
        epsilon: ε in [0, 4096].
        delta: δ in [0, 1).
        dimension: d, up to 2^16.
        cost: "absolute" or "squared", of the Euclidean norm of the error.
        granularity: the lattice's step; if not given, a power of two below Δ/2^14.

    Raises:
        InvalidParameter: a parameter outside its range.

    Example:
        >>> noise = optimal_euclidean(
        ...     sensitivity=1, epsilon=1, delta="1e-5", dimension=20, cost="squared"
        ... )
        >>> print(noise.law.power, f"{float(noise.expected_cost()) / 20:.2f}")
        1 10.70
        >>> print(f"{float(noise.alternatives()[0].expected_cost()) / 20:.2f}")
        13.92
    """
    reach, rate = _check.positive(sensitivity, "sensitivity"), bounded_rate(epsilon, "epsilon")
    leak, promised_cost = _check.delta(delta), checked_cost(cost)
    sides = _check.integer_between(dimension, "dimension", 1, MOST_EUCLIDEAN_DIMENSION)
    if whole_power(promised_cost) not in (1, 2):
        raise _check.refuse(
            "`cost` must be 'absolute' or 'squared' for the norm 'l2'",
            f"cost={promised_cost.name}",
            "Choose one of them.",
        )
    promise = checked_promise(rate, leak)
    step = _fine_step(reach) if granularity is None else _check.positive(granularity, "granularity")
    steps = euclidean_steps(reach, step, sides)
    made = [
        EuclideanNoise(
            law, sensitivity=reach, guarantee=promise, granularity=step, cost=promised_cost
        )
        for law in _laws(sides, steps, rate, leak)
    ]
    made.sort(key=lambda noise: noise.expected_cost().upper)
    return OptimalEuclideanNoise(made[0], tuple(made[1:]))


def _fine_step(sensitivity: Fraction) -> Fraction:
    part = sensitivity / _FINENESS
    return Fraction(2) ** (part.numerator.bit_length() - part.denominator.bit_length() - 1)


def _laws(dimension: int, steps: int, epsilon: Fraction, delta: Fraction) -> list[EuclideanLaw]:
    laws = []
    if epsilon:
        scale = _least_scale(dimension, steps, epsilon, delta)
        laws.append(EuclideanLaw(dimension=dimension, scale=scale, power=1))
    if delta:
        sigma = gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=steps).upper
        laws.append(EuclideanLaw(dimension=dimension, scale=_rounded_up(sigma), power=2))
    return laws


def _rounded_up(value: Fraction | float) -> Fraction:
    return Fraction(-(-Fraction(value) * _SHORT // 1), _SHORT)


def _least_scale(dimension: int, steps: int, epsilon: Fraction, delta: Fraction) -> Fraction:
    """Δ/ε, or about the least scale whose leak is proved to be at most δ."""
    pure = steps / epsilon
    if not delta or dimension > _MOST_SEARCHED:
        return pure
    target = _AIM * float(delta)
    for _ in range(_MOST_TRIALS):
        share = _share_by_floats(dimension, float(epsilon), target)
        law = EuclideanLaw(dimension=dimension, scale=_rounded_up(pure * share), power=1)
        leak = law.delta(epsilon, steps).upper
        if leak <= delta:
            return min(law.scale, pure)
        target *= _AIM * float(delta / leak)  # the bracket is wider than the aim allowed for
    return pure


def _share_by_floats(dimension: int, epsilon: float, delta: float) -> Fraction:
    """About the least scale over Δ/ε at which little enough leaks, by halving its logarithm."""
    low, high = log(1e-4), 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = _leak_by_floats(dimension, epsilon, epsilon / exp(middle)) <= delta
        low, high = (low, middle) if enough else (middle, high)
    return Fraction(exp(high))


def _leak_by_floats(dimension: int, epsilon: float, distance: float) -> float:
    """The integral of `laplace_leak` by the rule of midpoints."""
    from scipy.special import betainc, gammainc  # noqa: PLC0415 - slow to import, seldom needed

    ends = np.linspace(0, dimension + 12 * dimension**0.5 + 40, _NODES + 1)
    weights, radii = np.diff(gammainc(dimension, ends)), (ends[1:] + ends[:-1]) / 2
    slope, lean = (distance**2 - epsilon**2) / (2 * distance * radii), epsilon / distance
    half = max((dimension - 1) / 2, 1e-9)
    near, far = (
        betainc(half, half, np.clip((1 + c) / 2, 0, 1)) for c in (slope - lean, -lean - slope)
    )
    return float((weights * (near - exp(epsilon) * far)).sum())
