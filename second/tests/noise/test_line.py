"""Laws on the real line against scipy's quadrature and the corrected formulas of the errata."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from leastnoise.noise.line import Laplace, Normal, StaircaseDensity
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.interval import Interval

PLACES = np.linspace(-60, 60, 1_200_001) + 1e-7  # off the drops


def normal(mean: float, variance: float) -> NDArray[np.float64]:
    heights = np.exp(-((PLACES - mean) ** 2) / (2 * variance))
    return np.asarray(heights / math.sqrt(2 * math.pi * variance))


def laplace(centre: float, scale: float) -> NDArray[np.float64]:
    return np.asarray(np.exp(-abs(PLACES - centre) / scale) / (2 * scale))


def staircase(centre: float, width: float) -> NDArray[np.float64]:
    levels = np.maximum(0, np.floor((abs(PLACES - centre) - width) / 1.0) + 1)
    weights = np.exp(-2 * levels)
    return np.asarray(weights / np.trapezoid(weights, PLACES))


PAIRS = [
    (Normal(0, 1), Normal(1, 1), normal(0, 1), normal(1, 1)),
    (Normal(0, 1), Normal(1, 4), normal(0, 1), normal(1, 4)),
    (Normal(1, 4), Normal(0, 3), normal(1, 4), normal(0, 3)),
    (Laplace(0, 1), Laplace(1, 1), laplace(0, 1), laplace(1, 1)),
    (Laplace(0, 1), Laplace(1, 2), laplace(0, 1), laplace(1, 2)),
    (Laplace(1, "1.5"), Laplace(0, 1), laplace(1, 1.5), laplace(0, 1)),
    (StaircaseDensity(0, 1, "0.25", 2), StaircaseDensity("0.7", 1, "0.25", 2),
     staircase(0, 0.25), staircase(0.7, 0.25)),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "p", "q"), PAIRS)
def test_divergences_agree_with_quadrature(
    one: Normal, other: Normal, p: np.ndarray, q: np.ndarray
) -> None:
    for epsilon in (-0.5, 0.0, 0.5):
        truth = np.trapezoid(np.maximum(0, p - math.exp(epsilon) * q), PLACES)
        found = one.hockey_stick(other, Fraction(epsilon))
        assert float(found) == pytest.approx(truth, abs=2e-4)
    seen = p > 1e-300
    loss = np.log(p[seen]) - np.log(q[seen])
    truth = np.trapezoid(p[seen] * loss, PLACES[seen])
    assert float(one.renyi(other, Fraction(1))) == pytest.approx(truth, abs=5e-4)
    power = np.trapezoid(p[seen] * np.exp(0.3 * loss), PLACES[seen])
    found = one.renyi(other, Fraction("1.3"))
    assert float(found) == pytest.approx(math.log(power) / 0.3, abs=2e-3)


def test_normal_divergences_of_the_errata() -> None:
    """E1, E3 and E4: x = 5, r = 1/2 and its neighbour 6."""
    one, other = Normal(5, "6.25"), Normal(6, 9)
    assert float(one.renyi(other, 2)) == pytest.approx(0.13411, abs=5e-6)
    assert float(one.renyi(other, Fraction(1))) == pytest.approx(0.08510, abs=5e-6)
    assert other.renyi(one, Fraction(36, 11)) == Interval.exactly(math.inf)


def test_greatest_losses() -> None:
    assert Laplace(0, 2).renyi(Laplace(3, 2), math.inf) == Interval.exactly(Fraction(3, 2))
    assert Normal(0, 1).renyi(Normal(1, 1), math.inf) == Interval.exactly(math.inf)
    law, copy = (StaircaseDensity(centre, 1, "0.25", 2) for centre in (0, 1))
    assert law.renyi(copy, math.inf) == Interval.exactly(2)
    assert law.hockey_stick(copy, Fraction(2)).upper == 0


MOMENTS: list[tuple[Callable[[int], Interval], np.ndarray]] = [
    (Normal(0, 4).moment, normal(0, 4)),
    (Laplace(0, "1.5").moment, laplace(0, 1.5)),
    (StaircaseDensity(0, 1, "0.25", 2).moment, staircase(0, 0.25)),
]


@pytest.mark.parametrize(("moment", "p"), MOMENTS)
def test_moments(moment: Callable[[int], Interval], p: np.ndarray) -> None:
    for order in (1, 2, 3):
        truth = np.trapezoid(abs(PLACES) ** order * p, PLACES)
        assert float(moment(order)) == pytest.approx(truth, rel=1e-3)


def test_quantiles_and_densities() -> None:
    from scipy.stats import norm

    assert float(Normal(0, 4).quantile("0.95")) == pytest.approx(2 * norm.ppf(0.975), rel=1e-12)
    assert float(Laplace(0, 2).quantile("0.95")) == pytest.approx(2 * math.log(20), rel=1e-12)
    law = StaircaseDensity(0, 1, "0.25", 2)
    assert float(law.density(0)) / float(law.density(1)) == pytest.approx(math.exp(2), rel=1e-12)
    assert float(law.density(0)) == pytest.approx(float(staircase(0, 0.25).max()), rel=1e-4)


@pytest.mark.parametrize("law", [Normal(0, 1), Laplace(0, 1), StaircaseDensity(0, 1, 1, 1)])
def test_bad_questions_are_refused(law: Any) -> None:
    for other in (None, Fraction(1), Normal(0, 1) if isinstance(law, Laplace) else Laplace(0, 1)):
        with pytest.raises(InvalidInput, match="Give two of a kind"):
            law.renyi(other, 2)
    for bad in (None, math.nan, "a", [1]):
        for ask in (law.hockey_stick, law.renyi, law.privacy_loss):
            with pytest.raises(InvalidInput):
                ask(law, bad)
    with pytest.raises(InvalidInput, match="below 1"):
        law.renyi(law, "0.5")
    with pytest.raises(InvalidInput, match="Give a smaller one"):
        law.moment(10**6)


def test_bad_staircases_are_refused() -> None:
    with pytest.raises(InvalidInput, match="outside of 0"):
        StaircaseDensity(0, 1, 2, 1)
    with pytest.raises(InvalidInput, match="differ in period or rate"):
        StaircaseDensity(0, 1, 0, 1).hockey_stick(StaircaseDensity(0, 2, 0, 1), Fraction(0))
