"""What leastnoise is asked by the comparison of accountants; run by `isolated`."""

import math
from fractions import Fraction
from time import process_time

from benchmarks.releases import Release, composition
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise import DiscreteGaussian
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.product_variable import ProductVariable


def bracket(name: str, delta: str, scale: str = "1") -> tuple[float, float]:
    """Both ends of ε for a composition of unlike or repeated releases, by the grid."""
    releases = composition(name, Fraction(scale))
    losses = [_loss(release) for release in releases]
    return _ends(losses[0].compose(*losses[1:]).epsilon(delta))


def gaussian_on_grid(name: str, delta: str, scale: str = "1") -> tuple[float, float]:
    """The same for one repeated Gaussian, whose closed form is left aside."""
    (release,) = composition(name, Fraction(scale))
    parts = ((GaussianVariable(release.size**2), release.count),)
    return _ends(PrivacyLoss(ProductVariable(parts)).epsilon(delta))


def upper_end(name: str, delta: str) -> tuple[float]:
    """The upper end of ε alone, of the same compositions by the same grids."""
    if composition(name)[0].kind == "Gaussian":
        (release,) = composition(name)
        parts = ((GaussianVariable(release.size**2), release.count),)
        return (PrivacyLoss(ProductVariable(parts)).epsilon_at_most(delta),)
    losses = [_loss(release) for release in composition(name)]
    return (losses[0].compose(*losses[1:]).epsilon_at_most(delta),)


def sampled(rate: str, sigma: str, steps: int, delta: str) -> tuple[float, ...]:
    """Both ends of ε for Gaussian steps on Poisson samples: of removing, then of adding."""
    step = PrivacyLoss.gaussian(mu=1 / Fraction(sigma)).poisson_sampled(rate)
    loss = step.self_compose(steps)
    assert loss.backward is not None  # the directions differ
    ways = (loss.forward, loss.backward)
    return tuple(end for way in ways for end in _ends(PrivacyLoss(way).epsilon(delta)))


def sampled_upper_end(rate: str, sigma: str, steps: int, delta: str) -> tuple[float]:
    """The upper end of ε alone, the worse direction."""
    step = PrivacyLoss.gaussian(mu=1 / Fraction(sigma)).poisson_sampled(rate)
    return (step.self_compose(steps).epsilon_at_most(delta),)


def sampled_settings(delta: str, *settings: str | int) -> tuple[float, ...]:
    """The same for several settings (rate, σ, steps), each followed by its processor time."""
    found: list[float] = []
    for i in range(0, len(settings), 3):
        rate, sigma, steps = settings[i : i + 3]
        begun = process_time()
        try:
            found += sampled(str(rate), str(sigma), int(steps), delta)
        except UnsupportedQuery:
            found += [0.0, math.inf, 0.0, math.inf]
        found.append(process_time() - begun)
    return tuple(found)


def allocated(sigma: str, steps: int, delta: str, direction: str) -> tuple[float, float]:
    """Both ends of ε where each record is in one of so many steps."""
    loss = PrivacyLoss.gaussian(mu=1 / Fraction(sigma)).randomly_allocated(steps)
    assert loss.backward is not None  # the directions differ
    way = loss.forward if direction == "removed" else loss.backward
    return _ends(PrivacyLoss(way).epsilon(delta))


def _loss(release: Release) -> PrivacyLoss:
    match release.kind:
        case "Laplace":
            one = PrivacyLoss.laplace(epsilon=release.size)
        case "Gaussian":
            one = PrivacyLoss.gaussian(mu=release.size)
        case "response":
            one = PrivacyLoss.randomized_response(epsilon=release.size)
        case "discrete Gaussian":
            one = DiscreteGaussian(variance=release.size**-2).privacy(1)
    return one.self_compose(release.count)


def _ends(interval: Interval) -> tuple[float, float]:
    return float(interval.lower), float(interval.upper)
