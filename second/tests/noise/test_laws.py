"""The laws on the integers: every answer against sums of points, mpmath, and what is published."""

import math
from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.stats import chi2

from leastnoise.noise.distribution import Distribution
from leastnoise.noise.laws import (
    DiscreteLaplace,
    RoundedGaussian,
    Staircase,
    TableLaw,
    TruncatedLaplace,
    Uniform,
)
from leastnoise.numbers.cost import Moment, TailProbability
from leastnoise.numbers.errors import InvalidInput, Undecided
from tests.noise.brute import Brute, agrees


def stairs_weight(rate: float, period: int, width: int) -> Callable[[int], float]:
    return lambda k: math.exp(-rate * max(0, (abs(k) - width) // period + 1))


def cut_weight(law: Distribution, rate: float) -> Callable[[int], float]:
    """e^(-rate*|k|) inside; the weight at the radius is what the law says of it."""
    assert law.support is not None
    radius = law.support[1]
    share = float(law.pmf(radius)) / float(law.pmf(0))
    return lambda k: math.exp(-rate * abs(k)) if abs(k) < radius else share * (abs(k) == radius)


def normal_weight(variance: float) -> Callable[[int], float]:
    spread = math.sqrt(2 * variance)
    return lambda k: (math.erfc((abs(k) - 0.5) / spread) - math.erfc((abs(k) + 0.5) / spread)) / 2


TRUNCATED, UNIFORM = TruncatedLaplace(3, "1.2", "0.01"), Uniform(3, "0.04")
LAWS: list[tuple[Distribution, Brute]] = [
    (DiscreteLaplace("0.3"), Brute(stairs_weight(0.3, 1, 1), 150)),
    (Staircase(4, "1.5", 2), Brute(stairs_weight(1.5, 4, 2), 120)),
    (Staircase(3, "0.5", 3), Brute(stairs_weight(0.5, 3, 3), 300)),
    (TRUNCATED, Brute(cut_weight(TRUNCATED, 0.4), 60)),
    (UNIFORM, Brute(cut_weight(UNIFORM, 0), 80)),
    (RoundedGaussian(7), Brute(normal_weight(7), 40)),
    (RoundedGaussian("0.2"), Brute(normal_weight(0.2), 12)),
]


@pytest.mark.parametrize(("law", "brute"), LAWS, ids=lambda each: repr(each)[:30])
def test_answers_are_those_of_the_points(law: Distribution, brute: Brute) -> None:
    agrees(law, brute, rel=1e-8)


@pytest.mark.parametrize(("law", "brute"), LAWS[:3], ids=lambda each: repr(each)[:30])
def test_renyi_divergences_are_those_of_the_points(law: Distribution, brute: Brute) -> None:
    for shift in (1, -3, 5):
        for order in (1, 1.5, 2, 7):
            found = float(law.renyi(order, shift))
            assert found == pytest.approx(brute.renyi(order, shift), rel=1e-7)


def test_renyi_divergences_of_rounded_gaussian_noise_are_below_those_of_the_normal() -> None:
    law, brute = RoundedGaussian(7), Brute(normal_weight(7), 40)
    for order in (1, 2, 5):
        found = law.renyi(order, 2)
        # points beyond 40 hold the part that floats lose
        assert found.lower <= F(order * 4, 14)
        assert float(found.lower) == pytest.approx(brute.renyi(order, 2), rel=2e-4)


def test_the_order_infinity_is_the_greatest_loss() -> None:
    assert DiscreteLaplace("0.3").renyi(math.inf, 5).lower == F(3, 2)
    assert Staircase(4, "1.5", 2).renyi(math.inf, 4).lower == F(3, 2)
    assert Staircase(4, "1.5", 2).renyi(math.inf, 5).lower == 3
    assert TRUNCATED.renyi(2, 1).lower == math.inf


def test_a_table_law_is_its_table() -> None:
    law = TableLaw({-2: 1, 0: "2.5", 3: F(1, 2)})
    assert [law.pmf(k).lower for k in (-2, 0, 3, 1)] == [F(1, 4), F(5, 8), F(1, 8), 0]
    assert law.moment(1).lower == F(7, 8)
    assert law.tail(0).lower == F(3, 4)
    assert law.hockey_stick(0, 2).lower == 1 - F(1, 4)  # X + 2 takes -0, 2 and 5
    assert not law.is_peaked
    assert TableLaw({-1: 1, 0: 2, 1: 1}).is_peaked
    assert TableLaw({-1: 1, 0: 2}) == TableLaw({-1: 2, 0: 4})
    assert hash(TableLaw({-1: 1, 0: 2})) == hash(TableLaw({-1: 2, 0: 4}))


# Published values


@pytest.mark.parametrize(
    ("law", "moment", "value"),
    [
        (DiscreteLaplace(1), 1, 1 / math.sinh(1)),  # Ghosh, Roughgarden and Sundararajan 2012
        (DiscreteLaplace(1), 1, 0.850918),
        (DiscreteLaplace(F(2, 3)), 2, 2 * math.exp(-2 / 3) / (1 - math.exp(-2 / 3)) ** 2),
        (TruncatedLaplace(1, 1, "1e-6"), 2, 1.8410998538708),
        (Uniform(2, "0.25"), 1, 2.0),  # D/(4*delta)
        (Uniform(2, "0.25"), 2, 5.5),  # D^2/(12*delta^2) + 1/6
        (RoundedGaussian(100), 2, 100 + 1 / 12),
    ],
)
def test_moments_are_the_published_ones(law: Distribution, moment: int, value: float) -> None:
    assert float(law.moment(moment)) == pytest.approx(value, rel=1e-6)


def test_canonical_noise_has_the_published_tails() -> None:
    """T(1) = (1 - delta)/(1 + e), T(k + 1) = (T(k) - delta)/e: Awan and Ramasethu 2023."""
    law, delta = TruncatedLaplace(1, 1, "0.001"), 0.001
    tail = (1 - delta) / (1 + math.e)
    for k in range(1, 9):
        assert float(law.tail(k)) == pytest.approx(max(0.0, tail), abs=1e-12)
        tail = (tail - delta) / math.e


def test_a_staircase_has_the_published_chances() -> None:
    """Errata C14: a = (1 - b)/(2r + 2b(D - r) - (1 - b))."""
    b = math.exp(-1)
    for period, width in [(1, 1), (5, 2), (10, 10)]:
        a = (1 - b) / (2 * width + 2 * b * (period - width) - (1 - b))
        assert float(Staircase(period, 1, width).pmf(0)) == pytest.approx(a, rel=1e-12)


def test_rounded_gaussian_noise_leaks_no_more_than_the_normal() -> None:
    """The normal has delta(1) = .126937 at variance 1 and shift 1: Balle and Wang 2018."""
    for variance, shift, epsilon in [(F(1), 1, F(1)), (F(16), 3, F(1, 2)), (F(1, 4), 1, F(2))]:
        law, root = RoundedGaussian(variance), mpmath.sqrt(mpmath.mpf(float(variance)))
        half, far = shift / (2 * root), epsilon * root / shift
        normal = mpmath.ncdf(half - far) - mpmath.exp(epsilon) * mpmath.ncdf(-half - far)
        assert float(law.hockey_stick(epsilon, shift)) <= float(normal) + 1e-12
    assert float(RoundedGaussian(10**6).hockey_stick(1, 10**3)) == pytest.approx(0.126937, abs=2e-6)


def test_noise_that_promises_epsilon_keeps_it_exactly() -> None:
    for law, size, epsilon in [(DiscreteLaplace(F(1, 3)), 3, F(1)), (Staircase(5, 2, 3), 5, F(2))]:
        assert float(law.hockey_stick(epsilon, size)) == 0
        assert float(law.hockey_stick(epsilon - F(1, 10**9), size)) > 0
    for law, size, epsilon in [(TRUNCATED, 3, F(6, 5)), (UNIFORM, 3, F(0))]:
        delta = F(1, 100) if law is TRUNCATED else F(1, 25)
        leak = law.hockey_stick(epsilon, size)
        assert leak.lower <= delta <= leak.upper
        assert all(law.hockey_stick(epsilon, d).upper <= delta for d in range(1, size))


# Draws, costs, words


@pytest.mark.parametrize(
    "law",
    [DiscreteLaplace(1), Staircase(3, 1, 2), TRUNCATED, UNIFORM, RoundedGaussian(3),
     TableLaw({-2: 1, 0: "2.5", 3: F(1, 2)})],
    ids=repr,
)  # fmt: skip
def test_draws_have_the_chances(law: Distribution) -> None:
    """A false alarm has chance 1e-9."""
    count = 30_000
    drawn = law.sample(count)
    places = [k for k in range(-60, 61) if float(law.pmf(k)) * count >= 10]
    expected = np.array([float(law.pmf(k)) * count for k in places])
    found = np.array([(drawn == k).sum() for k in places])
    assert drawn.shape == (count,)
    assert chi2.sf(((found - expected) ** 2 / expected).sum(), len(places)) > 1e-9


def test_costs_of_every_kind() -> None:
    law, brute = DiscreteLaplace(1), Brute(stairs_weight(1, 1, 1), 60)
    tail = law.expected(TailProbability(3))
    assert float(tail) == pytest.approx(2 * brute.tail(4), rel=1e-9)
    root = math.fsum(abs(k) ** 1.5 * p for k, p in brute.pmf.items())
    assert float(law.expected(Moment("1.5"))) == pytest.approx(root, rel=1e-9)
    own = math.fsum(min(abs(k), 4) * p for k, p in brute.pmf.items())
    assert float(law.expected(lambda error: min(error, F(4)))) == pytest.approx(own, rel=1e-9)
    with pytest.raises(Undecided, match="too wide"):
        DiscreteLaplace("1e-9").expected(lambda error: error)


BAD: list[Callable[[], Any]] = [
    lambda: DiscreteLaplace(0), lambda: DiscreteLaplace(float("nan")), lambda: Staircase(3, 1, 4),
    lambda: Staircase(0, 1, 1), lambda: Uniform(1, 0), lambda: Uniform(1, 1),
    lambda: TruncatedLaplace(1, 1, "-0.1"), lambda: TableLaw({}), lambda: TableLaw({0: 0}),
    lambda: TableLaw([1, 2]),  # type: ignore[arg-type]
    lambda: TableLaw({0.5: 1}),  # type: ignore[dict-item]
    lambda: DiscreteLaplace(1).quantile(1), lambda: DiscreteLaplace(1).moment(-1),
    lambda: DiscreteLaplace(1).moment(65), lambda: DiscreteLaplace(1).renyi("0.5", 1),
    lambda: DiscreteLaplace(1).hockey_stick(-1, 1), lambda: DiscreteLaplace(1).pmf(True),
    lambda: DiscreteLaplace(1).sample(-1), lambda: RoundedGaussian(-1),
    lambda: DiscreteLaplace(1).sample(10**12), lambda: DiscreteLaplace(1).moment(10**400),
    lambda: DiscreteLaplace(1).sample(1, source=7),  # type: ignore[arg-type]
    lambda: DiscreteLaplace(1).renyi(np.zeros(2), 1),  # type: ignore[arg-type]
    lambda: DiscreteLaplace(1).pmf(np.zeros((2, 2))),  # type: ignore[arg-type]
]  # fmt: skip


@pytest.mark.parametrize("call", BAD)
def test_bad_input_gets_one_sentence(call: Callable[[], Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        call()
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


def test_orders_far_out_have_an_answer() -> None:
    """Sums at such orders took minutes, and then all memory."""
    for order in (10**9, 10**18):
        found = RoundedGaussian(9).renyi(order, 1)
        assert 5 < found.lower < found.upper == F(order, 18)
    assert RoundedGaussian(F(1, 10**300)).renyi(2, 1).upper == 10**300


def test_noise_wider_than_floats_has_quantiles() -> None:
    assert DiscreteLaplace("1e-390").quantile("0.95") // 10**388 == 299
    assert RoundedGaussian("1e390").quantile("0.95") // 10**193 == 195
