"""P(|loss| > ε), its converse, and the loss at one output."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import erfc, exp, mpf, quad, sqrt

from leastnoise.errors import InvalidParameter
from leastnoise.numeric.interval import Interval
from leastnoise.privacy import (
    ApproxDP,
    ContinuousStaircase,
    Density,
    FiniteLaw,
    Laplace,
    Normal,
    PrivacyLoss,
    loss_at,
)
from leastnoise.privacy.implications import approx_to_tail, approx_to_two_sided_tail


def test_gaussian_of_the_errata() -> None:
    """Errata A1: σ = 1, ε = 1 has P(|loss| > 1) = Φ(−1/2) + Φ(−3/2) = 0.37534."""
    found = PrivacyLoss.gaussian(mu=1).two_sided_tail(1)
    cdf = [erfc(z / sqrt(mpf(2))) / 2 for z in (mpf(1) / 2, mpf(3) / 2)]
    assert float(found) == pytest.approx(float(sum(cdf)), rel=1e-14)
    assert found.width < 1e-15
    assert float(found) == pytest.approx(0.37534, abs=5e-6)


def test_laplace_and_randomized_response() -> None:
    """Laplace ε = 1: L is 1 below 0, −1 above 1 and 1 − 2x between."""
    laplace = PrivacyLoss.laplace(epsilon=1)
    between = (1 - math.exp(-0.25)) / 2 + (math.exp(-0.75) - math.exp(-1)) / 2
    expected = 0.5 + math.exp(-1) / 2 + between
    assert float(laplace.two_sided_tail("0.5")) == pytest.approx(expected, rel=1e-13)
    response = PrivacyLoss.randomized_response(epsilon=1)
    assert response.two_sided_tail("0.99").upper == 1
    assert float(response.two_sided_tail("0.99").lower) == pytest.approx(1, abs=1e-15)
    assert response.two_sided_tail(1) == Interval.exactly(0)


weights = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)


@settings(max_examples=60, deadline=None)
@given(weights, weights, st.fractions(0, 3, max_denominator=7))
def test_finite_pairs_by_listing(left: list[int], right: list[int], epsilon: Fraction) -> None:
    def listed(p: list[int], q: list[int]) -> Fraction:
        a, b, chance = sum(p), sum(q), Fraction(0)
        for mine, theirs in zip(p, q, strict=True):
            if mine and (not theirs or abs(math.log(mine * b / (theirs * a))) > epsilon):
                chance += Fraction(mine, a)
        return chance

    loss = PrivacyLoss.of_laws(dict(enumerate(left)), dict(enumerate(right)))
    found = loss.two_sided_tail(epsilon)
    true = max(listed(left, right), listed(right, left))
    assert found.lower <= true <= found.upper
    assert found.width < 1e-12


def test_composed_losses_have_brackets() -> None:
    """Two Laplace releases, by grids; the atoms ±1 of each loss and its density, by quadrature."""
    found = PrivacyLoss.laplace(epsilon=1).self_compose(2).two_sided_tail("1.5")

    def above(place: mpf) -> mpf:
        """P(loss in (place, 1)); its density there is e^((loss − 1)/2)/4."""
        return (1 - exp((place - 1) / 2)) / 2

    def below(place: mpf) -> mpf:
        return (exp((place - 1) / 2) - exp(mpf(-1))) / 2

    atoms = mpf(1) / 4 + exp(mpf(-2)) / 4
    mixed = above(mpf(1) / 2) + exp(mpf(-1)) * below(-mpf(1) / 2)
    high = quad(lambda x: exp((x - 1) / 2) / 4 * above(mpf(3) / 2 - x), [mpf(1) / 2, 1])
    low = quad(lambda x: exp((x - 1) / 2) / 4 * below(-mpf(3) / 2 - x), [-1, -mpf(1) / 2])
    assert found.lower <= float(atoms + mixed + high + low) <= found.upper
    assert found.width < 0.01
    gaussian = PrivacyLoss.gaussian(mu=1).self_compose(4).two_sided_tail(1)
    assert gaussian == PrivacyLoss.gaussian(mu=2).two_sided_tail(1)


@given(st.fractions(0, 2, max_denominator=9), st.fractions("1/9", 2, max_denominator=9))
@settings(max_examples=20, deadline=None)
def test_converse_is_reached(epsilon: Fraction, more: Fraction) -> None:
    """The pair of docs/proofs/implications.md, section 7, at δ = 1/1000 and s = ε′ + 10⁻⁹."""
    far = epsilon + more
    bound = approx_to_two_sided_tail(ApproxDP(epsilon=epsilon, delta="0.001"), epsilon=far)
    single = approx_to_tail(ApproxDP(epsilon=epsilon, delta="0.001"), epsilon=far)
    assert float(bound) == pytest.approx(min(1, float(single) * (1 + math.exp(-far))), rel=1e-12)
    s = float(far) + 1e-9
    share = Fraction(float(0.001 / (1 - math.exp(float(epsilon) - s)) * (1 - 1e-12)))
    if share > Fraction(2, 5):
        return
    other = share * Fraction(math.exp(-s))
    rest = 1 - share - other
    loss = PrivacyLoss.of_laws({0: share, 1: other, 2: rest}, {0: other, 1: share, 2: rest})
    assert loss.delta(epsilon).upper <= Fraction(1, 1000)
    assert 0.999999 * float(bound) < float(loss.two_sided_tail(far)) <= float(bound)


def test_converse_refuses_what_it_must() -> None:
    with pytest.raises(InvalidParameter, match="must exceed the promise's own"):
        approx_to_two_sided_tail(ApproxDP(epsilon=1, delta="0.1"), epsilon=1)


# The loss at one output


def test_loss_at_in_closed_form() -> None:
    assert loss_at(Normal(0, 4), Normal(2, 4), 1) == Interval.exactly(0)
    assert loss_at(Normal(0, 4), Normal(2, 4), -3) == Interval.exactly(2)
    wide = loss_at(Normal(0, 1), Normal(0, 4), 2)  # ln 2 − 2 + 1/2
    assert float(wide) == pytest.approx(math.log(2) - 1.5)
    assert loss_at(Laplace(0, "0.5"), Laplace(1, "0.5"), "0.25") == Interval.exactly(1)
    assert float(loss_at(Laplace(0, 1), Laplace(0, 3), 3)) == pytest.approx(math.log(3) - 2)


def test_loss_at_of_stairs_and_densities() -> None:
    p, q = (ContinuousStaircase(mean, 1, 2, "0.25") for mean in (0, 1))
    # drops of p at ±0.25, ±1.25, …; of q at 0.75, 1.25, −0.25, …
    places = ("0.1", "0.5", "0.9", "-1", "5.1")
    assert [loss_at(p, q, place).lower for place in places] == [2, 0, -2, 2, -2]
    flat = Density(lambda x, _: 0 * x, [0, 1])
    ramp = Density(lambda x, analytic: (x + 0.5).log(analytic=analytic), [0, 1])
    assert float(loss_at(flat, ramp, "0.25")) == pytest.approx(-math.log(0.75))
    with pytest.raises(InvalidParameter, match="windows of both"):
        loss_at(flat, ramp, 2)


def test_loss_at_of_finite_laws() -> None:
    assert loss_at({0: 1, 1: 1}, {0: 1}, 1) == Interval(math.inf, math.inf)
    assert loss_at({0: 2, 1: 2}, {0: 1, 1: 1}, 1) == Interval.exactly(0)
    law = FiniteLaw({"a": 1, "b": 2})
    assert float(loss_at(law, FiniteLaw({"a": 2, "b": 1}), "b")) == pytest.approx(math.log(2))
    with pytest.raises(InvalidParameter, match="possible under one of the laws"):
        loss_at({0: 1}, {0: 1}, 7)


def test_gaussian_golden_value_at_small_epsilon() -> None:
    """μ = 1/2, ε = 1/4: Φ(−1/4) + Φ(−3/4) by mpmath."""
    found = PrivacyLoss.gaussian(mu="0.5").two_sided_tail("0.25")
    expected = sum(erfc(z / sqrt(mpf(2))) / 2 for z in (mpf(1) / 4, mpf(3) / 4))
    assert found.lower <= Fraction(str(expected)) + Fraction(1, 10**20)
    assert float(found) == pytest.approx(float(expected), rel=1e-14)
