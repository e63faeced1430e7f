"""Noise added to whole steps of a lattice: one class for every law, and its usual makers.

A secret is a number or an array of numbers, each a whole multiple of `step`. The sensitivity counts
steps: how far one privacy unit moves the number; of an array, its l1 norm for Laplace and staircase
noise, its l2 norm for Gaussian noise.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp
from typing import Any

import numpy as np

from leastnoise.mechanisms.mechanism import Mechanism, whole_numbers
from leastnoise.noise.distribution import Distribution
from leastnoise.noise.laws import DiscreteLaplace, RoundedGaussian, Staircase
from leastnoise.noise.source import Source
from leastnoise.numbers.cost import CostLike
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, inside, positive, whole, written
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.conversion import squared_mu
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss


@dataclass(frozen=True, repr=False)
class AdditiveNoise(Mechanism[Any, Any]):
    """Independent noise of one law on every number.

    Attributes:
        law: of the noise, in steps.
        sensitivity: how far one privacy unit moves the secret, in steps.
        promise: what one answer promises.
        step: what one step stands for.
    """

    law: Distribution
    sensitivity: int
    promise: Guarantee
    step: Fraction = Fraction(1)

    @property
    def guarantee(self) -> Guarantee:
        """What one answer promises about one privacy unit."""
        return self.promise

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """The exact privacy loss of one number, moved by `distance` times the sensitivity."""
        return PrivacyLoss.of_noise(self.law, self.sensitivity * whole(distance, "distance"))

    def _answer(self, value: Any, source: Source) -> Any:
        exact = whole_numbers(value, self.step, "The secret")
        noise = self.law.sample(exact.size, source).astype(np.object_).reshape(exact.shape)
        noisy = exact + noise if self.step == 1 else (exact + noise) * self.step
        return noisy if np.ndim(value) else noisy.item() if isinstance(noisy, np.ndarray) else noisy

    def expected_cost(self, cost: CostLike = "absolute") -> Interval:
        """The mean cost of the error of one number, in steps."""
        return self.law.expected(cost)

    def within(self, level: Exact) -> Fraction:
        """The error of one number that is not exceeded with this chance."""
        return self.law.quantile(level) * self.step

    def __repr__(self) -> str:
        mean, most = (
            float(self.law.expected()) * float(Interval.exactly(self.step)),
            written(self.within("0.95")),
        )
        return (
            f"{self.law!r}, {promise_text(self.promise)}: E|error| {mean:.4g}, 95 % within {most}"
        )


def promise_text(promise: Guarantee) -> str:
    """A guarantee as people write it.

    >>> promise_text(ApproxDP(epsilon=1, delta="1e-6"))
    '(1, 1e-06)-DP'
    """
    match promise:
        case PureDP():
            return f"({written(promise.epsilon)}, 0)-DP"
        case ApproxDP():
            return f"({written(promise.epsilon)}, {written(promise.delta)})-DP"
        case ZCDP():
            return f"{written(promise.rho)}-zCDP"
        case GDP():
            return f"{written(promise.mu)}-GDP"


def laplace(*, sensitivity: int, epsilon: Exact, step: Exact = 1) -> AdditiveNoise:
    """Discrete Laplace noise: epsilon-DP for a sensitivity in l1 norm.

    >>> laplace(sensitivity=1, epsilon=1)
    DiscreteLaplace(rate=1), (1, 0)-DP: E|error| 0.8509, 95 % within 3
    """
    size, amount = whole(sensitivity, "sensitivity"), positive(epsilon, "epsilon")
    law = DiscreteLaplace(amount / size)
    return AdditiveNoise(law, size, PureDP(epsilon=amount), positive(step, "step"))


def staircase(
    *, sensitivity: int, epsilon: Exact, width: int | None = None, step: Exact = 1
) -> AdditiveNoise:
    """Staircase noise: epsilon-DP for one number.

    Args:
        sensitivity: in steps.
        epsilon: what is promised.
        width: the magnitude of the first drop; about the best one for the absolute error if None.
        step: what one step stands for.

    >>> staircase(sensitivity=10, epsilon=4)
    Staircase(period=10, rate=4, width=2), (4, 0)-DP: E|error| 1.333, 95 % within 7
    """
    size, amount = whole(sensitivity, "sensitivity"), positive(epsilon, "epsilon")
    if width is None:  # Geng and Viswanath 2016: on the real line 1/(1 + e^(epsilon/2)) is best
        width = ceil(size / (1 + exp(min(700.0, float(amount) / 2))))
    law = Staircase(size, amount, width)
    return AdditiveNoise(law, size, PureDP(epsilon=amount), positive(step, "step"))


def gaussian(
    *,
    sensitivity: int,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    rho: Exact | None = None,
    mu: Exact | None = None,
    step: Exact = 1,
) -> AdditiveNoise:
    """Rounded Gaussian noise, for a sensitivity in l2 norm. Give epsilon and delta, rho, or mu.

    >>> gaussian(sensitivity=1, mu="0.5").law
    RoundedGaussian(variance=4)
    """
    size = whole(sensitivity, "sensitivity")
    promise: Guarantee
    match epsilon, delta, rho, mu:
        case _, _, None, None if epsilon is not None and delta is not None:
            promise = ApproxDP(epsilon=positive(epsilon, "epsilon"), delta=inside(delta, "delta"))
            square = squared_mu(promise.epsilon, promise.delta)
        case None, None, _, None if rho is not None:
            promise = ZCDP(rho=positive(rho, "rho"))
            square = 2 * promise.rho
        case None, None, None, _ if mu is not None:
            promise = GDP(mu=positive(mu, "mu"))
            square = promise.mu**2
        case _:
            raise InvalidInput("Give epsilon= and delta=, or rho=, or mu=.")
    law = RoundedGaussian(size**2 / square)
    return AdditiveNoise(law, size, promise, positive(step, "step"))
