"""Every vector law against sums over all points of a box, and against bad input."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise.vectors.norm import Norm
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase
from tests.noise.norm_reference import Box
from tests.scripted import NoEntropy

NORMS: tuple[Norm, ...] = ("l1", "linf")
REACH = {1: 120, 2: 70, 3: 34}


def staircase(dimension: int, width: int, norm: Norm) -> NormStaircase:
    return NormStaircase(dimension=dimension, sensitivity=3, epsilon=4, width=width, norm=norm)


def laws(dimension: int, norm: Norm) -> list[NormLaplace | NormStaircase]:
    plain = [NormLaplace(dimension, scale, norm) for scale in ("0.9", "0.3")]
    return [*plain, *(staircase(dimension, width, norm) for width in (1, 2, 3))]


BOXES = [
    Box(law, REACH[dimension])
    for norm in NORMS
    for dimension in (1, 2, 3)
    for law in laws(dimension, norm)
]
every_box = pytest.mark.parametrize("box", BOXES, ids=lambda box: str(box.law))


@every_box
def test_pmf_is_the_normalised_weight(box: Box) -> None:
    chances = box.pmf
    for x in product(range(-2, 3), repeat=box.law.dimension):
        expected = chances[tuple(part + box.reach for part in x)]
        assert float(box.law.pmf(x)) == pytest.approx(expected, rel=1e-9)


@every_box
def test_norm_law(box: Box) -> None:
    expected = box.norm_pmf
    tails = expected[::-1].cumsum()[::-1]
    for m in range(9):
        assert float(box.law.norm_pmf(m)) == pytest.approx(expected[m], rel=1e-9)
        assert float(box.law.tail(m)) == pytest.approx(tails[m], rel=1e-9)
        assert float(box.law.cdf(m)) == pytest.approx(1 - tails[m + 1], rel=1e-9, abs=1e-12)
    assert float(box.law.tail(0)) == 1 == float(box.law.tail(-5))
    assert float(box.law.norm_pmf(-1)) == 0 == float(box.law.cdf(-1))


@every_box
def test_moments(box: Box) -> None:
    chances = box.norm_pmf
    for order in range(5):
        expected = (chances * np.arange(len(chances), dtype=np.float64) ** order).sum()
        assert float(box.law.moment(order)) == pytest.approx(expected, rel=1e-6)


@every_box
def test_quantiles(box: Box) -> None:
    reached = box.norm_pmf.cumsum()
    for level in (0.0, 0.1, 0.5, 0.9, 0.99, 0.999):
        assert box.law.quantile(level) == int(np.argmax(reached >= level))


@every_box
def test_the_intervals_are_narrow(box: Box) -> None:
    for interval in (box.law.tail(4), box.law.norm_pmf(4), box.law.moment(2), box.law.delta(0, 1)):
        assert interval.width <= interval.upper * Fraction(1, 2**75)


@every_box
def test_pure_privacy_is_exact(box: Box) -> None:
    for distance in (1, 2, 3, 4, 7):
        pure = box.law.shape.pure_epsilon(distance)
        assert float(pure) == pytest.approx(box.worst_ratio(distance), rel=1e-12)
        assert box.law.verify(sensitivity=distance, epsilon=pure)
        refused = box.law.verify(sensitivity=distance, epsilon=pure - Fraction(1, 10**30))
        assert not refused
        assert refused.attained.lower > 0


@pytest.mark.spread(45)
@every_box
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 2.0, 4.5])
def test_delta_is_that_of_the_worst_shift(box: Box, epsilon: float) -> None:
    for distance in (1, 2, 4):
        found = box.law.delta(epsilon, distance)
        assert float(found) == pytest.approx(box.divergence(epsilon, distance), abs=1e-9)


@every_box
def test_a_claim_holds_at_the_least_delta_and_not_below(box: Box) -> None:
    least = box.law.delta(1, 2)
    if not least.upper:
        return
    for factor, holds in ((Fraction(1), True), (1 - Fraction(1, 10**9), False)):
        claim = min(Fraction(least.upper) * factor, 1 - Fraction(1, 10**30))
        assert bool(box.law.verify(sensitivity=2, epsilon=1, delta=claim)) is holds


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dimension", [2, 30, 2000])
def test_delta_obeys_the_bound_for_all_pure_laws(norm: Norm, dimension: int) -> None:
    law = NormLaplace(dimension, 2, norm)
    for epsilon in (0.0, 0.2, 1.0):
        bound = (math.exp(1.5) - math.exp(epsilon)) / (math.exp(1.5) + 1)
        outward = (1 - math.exp(epsilon - 1.5)) / 2
        assert outward <= float(law.delta(epsilon, 3)) <= bound


@every_box
@pytest.mark.parametrize("size", [None, 0, 4, (2, 3), (0, 5)])
def test_samples_have_the_asked_shape(box: Box, size: Any) -> None:
    drawn = box.law.sample(size)
    outer = () if size is None else size if isinstance(size, tuple) else (size,)
    assert drawn.shape == (*outer, box.law.dimension)
    assert drawn.dtype == np.int64


@every_box
@pytest.mark.parametrize("size", [-1, (3, -1), 2.0, True, "3", (1, None)])
def test_a_bad_size_draws_nothing(box: Box, size: Any) -> None:
    with pytest.raises(InvalidParameter):
        box.law.sample(size, NoEntropy())


@pytest.mark.parametrize("x", [(1, 2), (1, 2, 3, 4), 5, (1.0, 2, 3), (True, 1, 1), "abc", None])
@pytest.mark.parametrize("norm", NORMS)
def test_pmf_takes_integer_vectors_only(norm: Norm, x: Any) -> None:
    with pytest.raises(InvalidParameter):
        NormLaplace(3, 1, norm).pmf(x)


def test_pmf_takes_arrays() -> None:
    law = NormLaplace(3, 1, "l1")
    assert law.pmf(np.array([1, -2, 3])) == law.pmf([3, 2, 1])


@pytest.mark.parametrize("norm", NORMS)
def test_bad_questions(norm: Norm) -> None:
    law = NormLaplace(2, 1, norm)
    for ask in (
        lambda: law.tail(1.0),  # type: ignore[arg-type]
        lambda: law.moment(-1),
        lambda: law.quantile(float("nan")),
        lambda: law.quantile("1.1"),
        lambda: law.delta(-1, 1),
        lambda: law.delta(1, -1),
        lambda: law.verify(sensitivity=0, epsilon=1),
        lambda: law.verify(sensitivity=1, epsilon=float("inf")),
        lambda: law.verify(sensitivity=1, epsilon=1, delta=1),
    ):
        with pytest.raises(InvalidParameter):
            ask()
    with pytest.raises(UnsupportedQuery):
        law.quantile(1)
