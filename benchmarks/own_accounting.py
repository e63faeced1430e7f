"""What leastnoise is asked by the comparison of accountants; run by `isolated`."""

from fractions import Fraction

from benchmarks.releases import Release, composition
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
