"""Brackets on whole trade-off curves: around the truth, tight, and no better than any test."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from leastnoise.noise import Canonical, DiscreteGaussian, DiscreteLaplace, GeneralizedGaussian
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.tradeoff_brackets import tradeoff_brackets
from leastnoise.privacy.loss import PrivacyLoss

ALARMS = [Fraction(n, 40) for n in range(41)] + [Fraction(1, 10**6), Fraction(999, 1000)]


def curve(loss: PrivacyLoss, alarms: list[Fraction]) -> list[Interval]:
    directions = [loss.forward] if loss.backward is None else [loss.forward, loss.backward]
    return tradeoff_brackets(directions, alarms)


@pytest.mark.parametrize("mu", ["0.3", "1", "3"])
def test_gaussian_curve_is_known(mu: str) -> None:
    found = curve(PrivacyLoss.gaussian(mu=mu), ALARMS)
    for alarm, bracket in zip(ALARMS, found, strict=True):
        truth = norm.cdf(norm.isf(float(alarm)) - float(mu)) if 0 < alarm < 1 else 1 - alarm
        assert float(bracket.lower) - 1e-12 <= truth <= float(bracket.upper) + 1e-12
        assert bracket.width < 2e-4


def test_randomized_response_curve_has_two_lines() -> None:
    """max(1 − e^ε·a, e^−ε·(1 − a)), exactly but for rounding."""
    factor = np.e
    for alarm, bracket in zip(
        ALARMS, curve(PrivacyLoss.randomized_response(epsilon=1), ALARMS), strict=True
    ):
        truth = max(1 - factor * float(alarm), (1 - float(alarm)) / factor)
        assert bracket.width < 1e-8
        assert abs(float(bracket) - truth) < 1e-8


LOSSES = {
    "Laplace": PrivacyLoss.laplace(epsilon="0.7"),
    "canonical": Canonical(epsilon=1, delta="0.01").privacy(1),
    "ten discrete Laplace": DiscreteLaplace(scale=9).privacy(1).self_compose(10),
    "ten generalised Gaussians": GeneralizedGaussian(14, "3/2").privacy(1).self_compose(10),
    "narrow Gaussian": DiscreteGaussian(variance="1/3").privacy(1),
    "unlike": PrivacyLoss.of_laws({0: 3, 1: 1}, {0: 1, 1: 2, 2: 1}),
}


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", LOSSES)
def test_agrees_with_one_point_at_a_time(name: str) -> None:
    loss = LOSSES[name]
    alarms = [Fraction(0), Fraction(1, 1000), Fraction(1, 7), Fraction(1, 2), Fraction(1)]
    for alarm, bracket in zip(alarms, curve(loss, alarms), strict=True):
        single = loss.tradeoff(alarm)
        assert bracket.lower <= single.upper
        assert single.lower <= bracket.upper


@pytest.mark.parametrize("name", LOSSES)
def test_curve_is_narrow_falls_and_is_convex(name: str) -> None:
    alarms = [Fraction(n, 20) for n in range(21)]
    found = curve(LOSSES[name], alarms)
    assert max(bracket.width for bracket in found) < 1e-3
    slack = Fraction(1, 10**6)
    for before, after in pairwise(found):
        assert after.lower <= before.upper
    for left, middle, right in zip(found, found[1:], found[2:], strict=False):
        assert middle.lower <= (Fraction(left.upper) + Fraction(right.upper)) / 2 + slack


class _Blurred:
    """Randomized response at ε = 1 whose δ is known to a tenth only."""

    lattice_step = None
    infinite_mass = Interval(Fraction(0), Fraction(1, 20))

    def delta(self, epsilon: Fraction) -> Interval:
        truth = PrivacyLoss.randomized_response(epsilon=1).forward.delta(epsilon)
        low, high = Fraction(truth.lower) - Fraction(1, 20), Fraction(truth.upper) + Fraction(1, 20)
        return Interval(max(low, Fraction(0)), min(high, Fraction(1)))


def test_doubt_about_delta_widens_the_bracket_to_both_sides() -> None:
    alarms = [Fraction(n, 20) for n in range(1, 20)]
    blurred: Any = _Blurred()
    for alarm, bracket in zip(alarms, tradeoff_brackets([blurred], alarms), strict=True):
        truth = max(1 - np.e * float(alarm), (1 - float(alarm)) / np.e)
        assert float(bracket.lower) <= max(0, truth - 0.04)
        assert float(bracket.upper) >= min(1 - float(alarm), truth + 0.04) - 1e-9


weights = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)


@settings(max_examples=20, deadline=None)
@given(weights, weights, st.fractions(0, 1, max_denominator=12))
def test_bracket_holds_the_best_test(one: list[int], other: list[int], alarm: Fraction) -> None:
    """Against Neyman and Pearson's tests of two laws on three outcomes, both ways round."""
    found = curve(PrivacyLoss.of_laws(dict(enumerate(one)), dict(enumerate(other))), [alarm])[0]
    p = [Fraction(w, sum(one)) for w in one]
    q = [Fraction(w, sum(other)) for w in other]
    truth = min(best_test(p, q, alarm), best_test(q, p, alarm))
    assert found.lower <= truth <= found.upper
    assert found.width < Fraction(1, 100)


def best_test(p: list[Fraction], q: list[Fraction], alarm: Fraction) -> Fraction:
    """The least missed detection of P at a false-alarm rate under Q: accuse by likelihood ratio."""
    order = sorted(range(len(p)), key=lambda i: (q[i] > 0, -p[i] / q[i] if q[i] else 0))
    power, left = Fraction(0), alarm
    for i in order:
        share = min(Fraction(1), left / q[i]) if q[i] else Fraction(1)
        power, left = power + share * p[i], left - share * q[i]
    return 1 - power
