"""`EuclideanLaw`: its leak against two-dimensional integrals, its draws, its sampler bit by bit."""

from fractions import Fraction
from math import exp
from typing import Any

import mpmath
import numpy as np
import pytest

from leastnoise.accounting.gaussian_calibration import gaussian_noise_delta
from leastnoise.errors import InvalidParameter
from leastnoise.noise import DiscreteLaplace, EuclideanLaw
from leastnoise.noise.vectors.euclidean_leak import laplace_leak
from leastnoise.noise.vectors.euclidean_sampler import rounded_point
from tests.scripted import ScriptedSource, script


def leak_by_quadrature(dimension: int, distance: float, epsilon: float) -> float:
    """∫ max(0, p(y) − e^ε·p(y − v)) over radius and angle, straight from the densities."""
    d = dimension
    angles = np.linspace(0, np.pi, 4001)
    radii = np.linspace(0, d + 12 * d**0.5 + 40, 8001)
    angular = np.sin(angles) ** (d - 2)
    angular /= np.trapezoid(angular, angles)
    density = radii ** (d - 1) * np.exp(-radii)
    density /= np.trapezoid(density, radii)
    cosines = np.cos(angles)
    inner = []
    for radius in radii:
        moved = np.sqrt(radius**2 - 2 * radius * distance * cosines + distance**2)
        gain = np.maximum(0.0, 1 - np.exp(epsilon + radius - moved))
        inner.append(np.trapezoid(angular * gain, angles))
    return float(np.trapezoid(density * np.array(inner), radii))


@pytest.mark.parametrize(
    ("dimension", "distance", "epsilon"), [(2, 2.0, 1.0), (3, 1.5, 0.5), (10, 2.0, 1.0)]
)
def test_leak_holds_the_integral(dimension: int, distance: float, epsilon: float) -> None:
    found = laplace_leak(dimension, Fraction(distance), Fraction(epsilon))
    truth = leak_by_quadrature(dimension, distance, epsilon)
    assert found.lower <= truth * (1 + 1e-5)
    assert found.upper >= truth * (1 - 1e-5)
    assert float(found.width) < 0.05 * truth + 1e-3


def test_one_dimension_is_laplaces_law() -> None:
    """δ(ε) = 1 − e^((ε − D)/2) for Laplace noise of scale 1 and a shift of D."""
    found = laplace_leak(1, Fraction(2), Fraction(1))
    truth = 1 - exp(-0.5)
    assert found.lower < truth < found.upper
    assert float(found.width) < 0.03


def test_nothing_leaks_from_the_pure_epsilon_on() -> None:
    law = EuclideanLaw(dimension=4, scale=10, power=1)
    assert law.delta("0.5", 5).upper == 0
    assert law.delta("0.49", 5).upper > 0
    assert law.verify(sensitivity=5, epsilon="0.5")
    assert not law.verify(sensitivity=6, epsilon="0.5")
    assert law.verify(sensitivity=6, epsilon="0.5", delta="0.05")


def test_more_dimensions_leak_less_and_farther_leaks_more() -> None:
    at = [laplace_leak(d, Fraction(3, 2), Fraction(1)).upper for d in (5, 20, 80)]
    assert at == sorted(at, reverse=True)
    far = [laplace_leak(10, Fraction(x), Fraction(1)).lower for x in ("1.2", "1.5", "2")]
    assert far == sorted(far)


def test_gaussian_leak_is_the_known_one() -> None:
    law = EuclideanLaw(dimension=7, scale=4, power=2)
    assert law.delta(1, 2) == gaussian_noise_delta(epsilon=1, sigma=4, sensitivity=2)
    assert float(law.privacy(2).delta(1).upper) == pytest.approx(float(law.delta(1, 2)))


@pytest.mark.spread(3)
@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_draws_have_the_law(dimension: int, power: int) -> None:
    """Squared norms and single coordinates of 4000 draws within six standard errors."""
    law = EuclideanLaw(dimension=dimension, scale=50, power=power)
    drawn = law.sample(4000).astype(np.float64)
    lengths = (drawn**2).sum(axis=1)
    d = dimension
    square = 50**2 * (d * (d + 1) if power == 1 else d)
    fourth = 50**4 * (d * (d + 1) * (d + 2) * (d + 3) if power == 1 else d * (d + 2))
    slack = 6 * np.sqrt((fourth - square**2) / 4000)
    assert abs(lengths.mean() - square - d / 12) < slack
    assert slack < 0.5 * square
    for column in drawn.T:
        assert abs(column.mean()) < 6 * np.sqrt(square / d / 4000)
        assert abs((column**2).mean() - square / d) < 6 * np.sqrt(3 * fourth / d / 4000)
    assert law.moment(2).lower <= square + d / 12 <= law.moment(2).upper
    share = (np.sqrt(lengths) <= law.quantile("0.9")).mean()
    assert share > 0.9 - 6 * np.sqrt(0.09 / 4000)
    assert share < 0.9 + 6 * np.sqrt(0.09 / 4000) + 0.03


def test_one_coordinate_is_rounded_laplace() -> None:
    """P(X = 0) = 1 − e^(−1/(2·scale)) in one dimension; discrete Laplace noise has less at 0."""
    law = EuclideanLaw(dimension=1, scale=1, power=1)
    drawn = law.sample(6000)[:, 0]
    truth = 1 - exp(-0.5)
    slack = 6 * np.sqrt(truth * (1 - truth) / 6000)
    assert abs((drawn == 0).mean() - truth) < slack
    assert abs(float(DiscreteLaplace(scale=1).pmf(0)) - truth) > slack


def test_rounding_asks_for_more_bits_where_it_must() -> None:
    """The first 128 bits put u next to 1/2, where it is rounded up or down; the next settle it."""
    for word, more, cell in (((1 << 127) - 1, 0, 0), (1 << 127, 5, 1)):
        source = ScriptedSource(script([word, more], 16))
        assert rounded_point(list, 1, source) == [cell]
        assert source.used == 32
    clear = ScriptedSource(script([1 << 126], 16))
    assert rounded_point(list, 1, clear) == [0]


def test_moments_and_quantiles_of_the_radius() -> None:
    law = EuclideanLaw(dimension=10, scale=1000, power=1)
    assert float(law.moment(1)) == pytest.approx(10_000)
    assert float(law.moment(2)) == pytest.approx(110 * 10**6, rel=1e-3)
    truth = mpmath.findroot(lambda x: mpmath.gammainc(10, 0, x, regularized=True) - 0.95, 15)
    assert law.quantile("0.95") == pytest.approx(1000 * float(truth), abs=5)


@pytest.mark.parametrize(
    "changes", [{"dimension": 0}, {"scale": 0}, {"power": 3}, {"dimension": 1 << 17}]
)
def test_what_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        EuclideanLaw(**({"dimension": 2, "scale": 1, "power": 1} | changes))
