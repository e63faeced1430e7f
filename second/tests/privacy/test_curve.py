"""Curves against closed forms, quadrature and each other."""

from fractions import Fraction
from math import erfc, exp, inf, sqrt

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.noise.laws import DiscreteLaplace, RoundedGaussian, TruncatedLaplace
from leastnoise.numbers.ball import ball, precision
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.curve import Curve, Gaussian, Laplace, Reversed, finite, worst
from leastnoise.privacy.lattice import Shifted
from leastnoise.privacy.sampling import (
    ReplacedGaussian,
    Sampled,
    WithoutReplacement,
)

PAIRS = [(Fraction(1, 2), Fraction(1, 5)), (Fraction(3, 10), Fraction(2, 5)),
         (Fraction(1, 10), Fraction(2, 5)), (Fraction(1, 10), Fraction(0))]  # fmt: skip
CURVES: list[Curve] = [
    Gaussian(Fraction(1, 4)),
    Laplace(Fraction(3, 4)),
    worst(Fraction(1), Fraction(1, 20)),
    finite(PAIRS),
    finite(PAIRS).reversed(),
    Sampled(Gaussian(Fraction(2)), Fraction(1, 7)),
    Sampled(finite(PAIRS), Fraction(1, 7)),
    Sampled(Laplace(Fraction(1)), Fraction(1, 7)).reversed(),
    WithoutReplacement(Gaussian(Fraction(2)), Fraction(1, 3)),
    ReplacedGaussian(Fraction(2), Fraction(1, 3)),
]


def line(curve: Curve, alpha: float) -> tuple[float, float]:
    with precision(128):
        value, slope = curve.at(arb(alpha))
        return float(value), float(slope)


@given(st.sampled_from(CURVES), st.floats(0.02, 40), st.floats(0.02, 40))
@settings(max_examples=300, deadline=None)
def test_every_line_touches_its_curve_from_below(curve: Curve, at: float, other: float) -> None:
    """This is convexity, and it is what the lower twin needs."""
    value, slope = line(curve, at)
    assert value + slope * (other - at) <= line(curve, other)[0] + 1e-12
    assert max(0.0, 1 - at) - 1e-12 <= value <= 1 + 1e-12


@given(st.sampled_from(CURVES), st.floats(0.05, 20))
@settings(max_examples=100, deadline=None)
def test_the_reversed_pair_is_the_mirror_image(curve: Curve, alpha: float) -> None:
    assert line(curve.reversed(), alpha)[0] == pytest.approx(
        line(Reversed(curve), alpha)[0], abs=1e-12
    )


def test_a_finite_curve_is_the_sum_over_its_outcomes() -> None:
    for alpha in (0.1, 0.5, 1.0, 2.5, 7.0):
        truth = sum(max(0.0, float(p) - alpha * float(q)) for p, q in PAIRS)
        assert line(finite(PAIRS), alpha)[0] == pytest.approx(truth, abs=1e-15)


def test_the_worst_curve_is_randomized_response() -> None:
    truth = exp(1) / (1 + exp(1))
    for alpha in (0.5, 1.0, 2.0, 3.0):
        one = 0.1 + 0.9 * (max(0, truth - alpha * (1 - truth)) + max(0, 1 - truth - alpha * truth))
        assert line(worst(Fraction(1), Fraction(1, 10)), alpha)[0] == pytest.approx(one)


def test_a_group_under_worst_case_noise_is_the_iterate() -> None:
    """Golden: 8.579e-5 (errata A11) and 0.01634 (errata B5)."""
    for epsilon, delta, size, at, truth in (
        ("1", "1e-6", 5, 5, 8.57910e-5), ("0.1", "1e-3", 10, 1, 0.0163380)
    ):  # fmt: skip
        curve = worst(Fraction(epsilon), Fraction(delta)).group(size)
        assert line(curve, exp(at))[0] == pytest.approx(truth, rel=1e-5)


def test_a_group_under_finite_noise_is_iterated_corner_by_corner() -> None:
    """The iterate of a concave piecewise linear function, on a fine grid of alarms."""
    curve = worst(Fraction(1, 2), Fraction(1, 10))

    def power(x: float) -> float:
        return min(1.0, exp(0.5) * x + 0.1, 1 - exp(-0.5) * (0.9 - x))

    alarms = [i / 4000 for i in range(4001)]
    for alpha in (0.7, 1.0, 2.0):
        truth = max(power(power(power(x))) - alpha * x for x in alarms)
        found = line(curve.group(3), alpha)[0]
        assert truth - 1e-12 <= found <= truth + 5e-4


def test_lattice_noise_lies_between_its_tables() -> None:
    for law, shift in ((DiscreteLaplace("0.5"), 2), (RoundedGaussian(4), 1),
                       (TruncatedLaplace(1, 1, "1e-3"), 1)):  # fmt: skip
        curve = Shifted(law, shift)
        for epsilon in (Fraction(0), Fraction(1, 2), Fraction(1)):
            truth = law.hockey_stick(epsilon, shift)
            with precision(256):
                low, high = (curve.side(u, 1).at(ball(epsilon).exp())[0] for u in (False, True))
                assert low <= ball(Fraction(truth.upper)) + arb(2) ** -60
                assert high >= ball(Fraction(truth.lower)) - arb(2) ** -60
                assert abs(float(high - low)) < 1e-15


def test_noise_too_wide_for_a_table_is_refused() -> None:
    with pytest.raises(InvalidInput, match="too wide"):
        Shifted(DiscreteLaplace("1e-6"), 1).side(True, 1)


def test_gaussian_delta_agrees_with_the_formula() -> None:
    mu, eps = 0.5, 0.3

    def tail(x: float) -> float:
        return erfc(x / sqrt(2)) / 2

    truth = tail(eps / mu - mu / 2) - exp(eps) * tail(eps / mu + mu / 2)
    assert line(Gaussian(Fraction(1, 4)), exp(eps))[0] == pytest.approx(truth, rel=1e-12)
    assert Gaussian(Fraction(1, 4)).ends()[1] == arb(inf)
