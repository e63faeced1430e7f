"""Weighted sums of noise have tails no larger than said, and hats tell sums exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.staircase import Staircase
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.noise_sum import NoiseSum, laplace_quantile

ONE = Fraction(1)
WEIGHT = 2**20
DOUBLING = (0, *(2**i for i in range(21)))


def test_two_laplace_noises_as_the_closed_form_says() -> None:
    """(1 − p)·Z − p·Z′ at 95 %: of two equal scales the tail is e^(−x)(1 + x/2)."""
    for place, reach in ((0.1, 2.707339), (0.25, 2.334972), (0.5, 2.056502)):
        found = laplace_quantile((Fraction(1 - place), Fraction(place)), 0.05)
        assert reach - 1e-6 <= found <= reach * 1.0011


@pytest.mark.parametrize("ties", [2, 7, 30])
def test_ties_are_no_trouble(ties: int) -> None:
    """n equal scales: a sum of n Laplace noises is Γ(n) − Γ(n); near ties add a little."""
    rng = np.random.default_rng(3)
    drawn = np.abs(rng.gamma(ties, size=10**6) - rng.gamma(ties, size=10**6))
    found = laplace_quantile((ONE,) * ties, 0.05)
    assert 0.0485 * (1 - 0.2 * ties / 30) < np.mean(drawn > found) <= 0.0506


def exact_chances(law: LatticeLaw, factors: tuple[int, ...]) -> dict[int, float]:
    """Of every value of Σ factor·noise, by adding up."""
    far = law.quantile(1 - Fraction(1, 10**10))
    one = np.array([float(law.pmf(k).upper) for k in range(-far, far + 1)])
    chances = np.ones(1)
    for factor in factors:
        stretched = np.zeros(factor * (len(one) - 1) + 1)
        stretched[::factor] = one
        chances = np.convolve(chances, stretched)
    middle = len(chances) // 2
    return {place - middle: float(chance) for place, chance in enumerate(chances)}


LAWS = [
    DiscreteLaplace(scale=1),
    DiscreteLaplace(scale=3),
    DiscreteGaussian(1),
    DiscreteGaussian(9),
    Staircase(sensitivity=3, epsilon=2, width=1),
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("factors", [(1,), (1, 2), (1, 1, 2)])
def test_the_tail_is_never_larger_than_said(law: LatticeLaw, factors: tuple[int, ...]) -> None:
    chances = exact_chances(law, factors)
    for risk in (0.2, 0.05, 0.01):
        reach = NoiseSum.of(factors, [law] * len(factors)).quantile(risk)
        assert sum(p for k, p in chances.items() if abs(k) > reach) <= risk + 1e-9
        assert sum(p for k, p in chances.items() if k > reach) <= risk / 2 + 1e-9


def test_the_tail_is_about_what_is_said() -> None:
    """Power: a reach that is needlessly large would be seen here."""
    rng = np.random.default_rng(1)
    pairs = (
        (DiscreteLaplace(scale=400), np.rint(rng.laplace(scale=400, size=(2, 10**5)))),
        (DiscreteGaussian(160000), np.rint(rng.normal(scale=400, size=(2, 10**5)))),
    )
    for law, drawn in pairs:
        reach = NoiseSum.of((1, 4), (law, law)).quantile(0.05)
        assert 0.047 < np.mean(np.abs(drawn[0] + 4 * drawn[1]) > reach) < 0.052


def test_both_kinds_together_share_the_risk() -> None:
    large, small = DiscreteLaplace(scale=1000), DiscreteGaussian(100)
    alone = NoiseSum.of((1,), (large,)).quantile(0.05)
    both = (NoiseSum.of((1,), (large,)) + NoiseSum.of((1,), (small,))).quantile(0.05)
    assert alone < both < 1.03 * alone


def test_doubling_knots_as_the_study_says() -> None:
    """Half-widths of Σ x·H over the last knot: 3.35 at scale 1, 2.26 at deviation 1."""
    for law, reach in (
        (DiscreteLaplace(scale=WEIGHT), 3.357),
        (DiscreteGaussian(WEIGHT**2), 2.263),
    ):
        hats = Hats(DOUBLING, np.zeros(22, np.int64), law, WEIGHT)
        assert hats.quantile(DOUBLING, 0.05) / 2**20 == pytest.approx(reach, abs=1e-3)


def exact_hats(numbers: list[int], knots: tuple[int, ...]) -> Hats:
    """Hats without noise, in units of 1/lcm of the gaps."""
    weight = int(np.lcm.reduce(np.diff(knots)))
    found = [0] * len(knots)
    for number in numbers:
        place = min(int(np.searchsorted(knots, number, "right")) - 1, len(knots) - 2)
        over = weight * (number - knots[place]) // (knots[place + 1] - knots[place])
        found[place] += weight - over
        found[place + 1] += over
    return Hats(knots, np.array(found), TableLaw({0: 1}), weight)


@given(st.lists(st.integers(0, 16), max_size=30))
def test_sums_of_what_units_have_come_out_exactly(numbers: list[int]) -> None:
    hats = exact_hats(numbers, (0, 1, 3, 4, 10, 16))
    assert hats.total(lambda x: x) == sum(numbers)
    assert hats.units == len(numbers)
    assert hats.cut(4) == sum(max(number - 4, 0) for number in numbers)
    assert hats.cut(5) >= sum(max(number - 5, 0) for number in numbers)
    assert hats.quantile((1,) * 6, 0.05) == 0


def test_the_value_of_the_study() -> None:
    """{1, 3, 575} on 1, 2, …, 1024: lost at 8 is 567."""
    assert exact_hats([1, 3, 575], (0, *(2**i for i in range(11)))).cut(8) == 567
