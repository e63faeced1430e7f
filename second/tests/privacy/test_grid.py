"""The twins hold the truth, tightly, and a twin rounded to the wrong side would be seen."""

from dataclasses import replace
from fractions import Fraction
from math import comb, exp

import pytest
from flint import fmpz_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.numbers.ball import ball, precision
from leastnoise.numbers.errors import Undecided
from leastnoise.privacy import grid
from leastnoise.privacy.curve import Curve, Gaussian, Laplace, finite, worst
from leastnoise.privacy.grid import Grid, twin
from leastnoise.privacy.sampling import Sampled

SPILL = Fraction(1, 10**16)


def value(curve: Curve, epsilon: Fraction) -> Fraction:
    with precision(200):
        return Fraction(float(curve.at(ball(epsilon).exp())[0]))


def sum_of(curve: Curve, step: Fraction, count: int, upper: bool) -> Grid:
    return twin(curve, step, 80, SPILL, upper).power(count, SPILL * 2**80)


def test_a_thousand_laplace_steps_are_bracketed() -> None:
    """Golden: 1.3629243 by the accountant of an independent implementation, six digits."""
    step = Fraction(1, 2000)
    low, high = (sum_of(Laplace(Fraction(1, 100)), step, 1000, upper) for upper in (False, True))
    delta = Fraction(1, 10**6)
    assert Fraction("1.36292") < low.epsilon(delta) <= Fraction("1.3629243")
    assert Fraction("1.3629243") <= high.epsilon(delta) < Fraction("1.363")


def test_a_twin_rounded_the_wrong_way_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    step, truth, delta = Fraction(1, 2000), Fraction("1.3629243"), Fraction(1, 10**6)
    chords, tangents = grid._chords, grid._tangents
    monkeypatch.setattr(grid, "_chords", tangents)
    monkeypatch.setattr(grid, "_tangents", chords)
    twin.cache_clear()
    low, high = (sum_of(Laplace(Fraction(1, 100)), step, 1000, upper) for upper in (False, True))
    twin.cache_clear()
    assert not low.epsilon(delta) <= truth <= high.epsilon(delta)


CURVES = st.sampled_from(
    [
        Gaussian(Fraction(1, 9)),
        Laplace(Fraction(7, 10)),
        worst(Fraction(1, 3), Fraction(1, 1000)),
        Sampled(Gaussian(Fraction(1)), Fraction(1, 5)),
        Sampled(Gaussian(Fraction(1)), Fraction(1, 5)).reversed(),
        Sampled(Laplace(Fraction(2)), Fraction(1, 3)),
        finite([(Fraction(1, 2), Fraction(1, 5)), (Fraction(3, 10), Fraction(2, 5)),
                (Fraction(1, 5), Fraction(2, 5))]),
    ]
)  # fmt: skip


@given(CURVES, st.integers(5, 40), st.fractions(-2, 3))
@settings(max_examples=60, deadline=None)
def test_one_step_lies_between_its_twins(curve: Curve, parts: int, epsilon: Fraction) -> None:
    step = Fraction(round(curve.spread * 1000), 1000 * parts)
    low, high = (twin(curve, step, 80, SPILL, upper) for upper in (False, True))
    truth, slop = value(curve, epsilon), Fraction(1, 10**13)
    assert low.delta(epsilon) - slop <= truth <= high.delta(epsilon) + slop
    assert high.delta(epsilon) - low.delta(epsilon) < 1 / parts


@given(CURVES, st.integers(3, 8), st.integers(2, 30), st.integers(2, 5))
@settings(max_examples=25, deadline=None)
def test_finer_grids_lie_inside_of_coarser_ones(curve: Curve, parts: int, n: int, k: int) -> None:
    coarse = Fraction(round(curve.spread * 1000), 1000 * parts)
    low, high = (sum_of(curve, coarse, n, upper) for upper in (False, True))
    fine_low, fine_high = (sum_of(curve, coarse / k, n, upper) for upper in (False, True))
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(2)):
        assert low.delta(epsilon) <= fine_high.delta(epsilon)
        assert fine_low.delta(epsilon) <= high.delta(epsilon)


def test_sums_of_gaussians_hold_the_gaussian_of_the_sum() -> None:
    for parts, count in ((2, 7), (5, 40), (11, 300)):
        step = Fraction(1, 20 * parts)
        low, high = (
            sum_of(Gaussian(Fraction(1, 400)), step, count, upper) for upper in (False, True)
        )
        for epsilon in (Fraction(0), Fraction(1), Fraction(3)):
            truth = value(Gaussian(Fraction(count, 400)), epsilon)
            assert low.delta(epsilon) <= truth <= high.delta(epsilon)


def test_randomized_response_is_exact_on_its_lattice() -> None:
    n, size = 30, Fraction(1, 2)
    p = exp(0.5) / (1 + exp(0.5))
    truth = sum(
        max(0.0, comb(n, k) * (p ** (n - k) * (1 - p) ** k - exp(2) * p**k * (1 - p) ** (n - k)))
        for k in range(n + 1)
    )
    low, high = (sum_of(worst(size, Fraction(0)), 2 * size, n, upper) for upper in (False, True))
    assert float(low.delta(Fraction(2))) == pytest.approx(truth, rel=1e-10)
    assert float(high.delta(Fraction(2))) == pytest.approx(truth, rel=1e-10)


def test_epsilon_is_where_delta_crosses() -> None:
    for upper in (False, True):
        total = sum_of(Gaussian(Fraction(1, 25)), Fraction(1, 50), 30, upper)
        found = total.epsilon(Fraction(1, 1000))
        assert isinstance(found, Fraction)
        assert float(total.delta(found)) == pytest.approx(1e-3, rel=1e-12)


def test_products_round_to_their_side() -> None:
    ones = fmpz_poly([1, 1])
    for upper, expected in ((False, [0, 0, 0]), (True, [1, 1, 1])):
        one = Grid(Fraction(1), Fraction(0), ones, 0, 80, upper)
        assert list(map(int, one._product(one).masses.coeffs() or [0, 0, 0])) == expected
    heavy = replace(one, masses=fmpz_poly([1 << 80]), infinite=1, upper=True)
    assert heavy._product(heavy).infinite == 3  # 1 + 1 + 2^-80, rounded up


def test_too_many_points_are_refused_with_advice() -> None:
    with pytest.raises(Undecided, match=r"Compose fewer|less precision"):
        twin(Gaussian(Fraction(1)), Fraction(1, 10**6), 80, SPILL, True)


def test_the_numbers_of_a_grid_are_exact() -> None:
    total = sum_of(Gaussian(Fraction(1, 25)), Fraction(1, 50), 3, True)
    assert int(total.masses(1)) + total.infinite >= 1 << 80
    assert min(map(int, total.masses.coeffs())) >= 0
