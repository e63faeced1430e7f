"""Piecewise linear trade-off functions against brute force, coinciding corners included."""

from fractions import Fraction
from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, mpf

from leastnoise.errors import InvalidParameter
from leastnoise.numeric.ball import ball
from leastnoise.numeric.real import Computable, rational_real
from leastnoise.privacy.curves.curve import NEVER
from leastnoise.privacy.curves.tradeoff_curve import PiecewiseLinearTradeoff, TradeoffPoint
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.privacy.to_approx import curve_of
from tests.privacy import reference
from tests.privacy.reference import agree, brackets, number

LOG_CONCAVE = ([1, 3, 4, 3, 1], [1, 2, 2, 2, 1], [1, 1, 1], [2, 6, 9, 10, 9, 6, 2])


def tradeoff(*points: tuple[Fraction | int, Fraction | int]) -> PiecewiseLinearTradeoff:
    reals = (TradeoffPoint(rational_real(x), rational_real(y)) for x, y in points)
    return PiecewiseLinearTradeoff(tuple(reals))


def shift_by_one(weights: list[int]) -> PiecewiseLinearTradeoff:
    """The trade-off between a symmetric log-concave lattice law and its copy one step away."""
    total = sum(weights)
    tails = [Fraction(value, total) for value in accumulate(weights, initial=0)]
    return tradeoff(*((x, 1 - power) for x, power in pairwise(tails)))


@pytest.mark.parametrize("weights", LOG_CONCAVE, ids=str)
@pytest.mark.parametrize("steps", [1, 2, 3, 5])
def test_lattice_shifts_whose_corners_all_coincide(weights: list[int], steps: int) -> None:
    law, nothing = [mpf(w) / sum(weights) for w in weights], [mpf(0)] * steps
    curve = shift_by_one(weights).iterate(steps)
    for epsilon in ("0", "0.4", "1", "3"):
        truth = reference.hockey_stick([*law, *nothing], [*nothing, *law], number(epsilon))
        assert brackets(curve.delta(epsilon), truth)


@pytest.mark.parametrize("weights", LOG_CONCAVE, ids=str)
def test_epsilon_where_corners_sit_on_the_axis(weights: list[int]) -> None:
    curve = shift_by_one(weights).iterate(2)
    given_away = Fraction(sum(weights[:2]), sum(weights))
    assert curve.epsilon(given_away - Fraction(1, 1000)) == NEVER
    for delta in (given_away + Fraction(1, 1000), (1 + given_away) / 2):
        epsilon = curve.epsilon(delta)
        assert curve.delta(epsilon.upper).lower <= delta
        assert epsilon.lower == 0 or curve.delta(epsilon.lower).upper >= delta


@given(
    st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), min_size=1, max_size=5),
    st.integers(1, 4),
    st.fractions(min_value=0, max_value=2, max_denominator=20),
)
@settings(max_examples=50)
def test_random_curves_against_a_grid(
    segments: list[tuple[int, int]], steps: int, epsilon: Fraction
) -> None:
    width, height = sum(w for w, _ in segments), sum(h for _, h in segments)
    top = Fraction(min(height, width), width)  # keeps f(x) at most 1 − x
    ordered = sorted(segments, key=lambda s: Fraction(s[1], s[0]), reverse=True)
    points, x, y = [(Fraction(0), top)], Fraction(0), top
    for w, h in ordered:
        x, y = x + Fraction(w, width) * top, y - Fraction(h, height) * top
        points.append((x, y))
    curve = tradeoff(*points).iterate(steps)

    def power(alarm: Fraction) -> Fraction:
        for _ in range(steps):
            alarm = 1 - straight(points, alarm)
        return alarm

    grid = [Fraction(k, 300) for k in range(301)]
    scale = exp(number(epsilon))
    best = max(number(power(alarm)) - scale * number(alarm) for alarm in grid)
    found = curve.delta(epsilon)
    assert number(found.upper) >= best - mpf("1e-50")  # the grid itself is rounded
    steepest = max(Fraction(h * width, w * height) for w, h in segments) ** steps
    assert number(found.lower) <= best + number(steepest) / 300
    middle = Fraction(1, 3)
    assert brackets(curve.missed_detection(middle), 1 - number(power(middle)))


def straight(points: list[tuple[Fraction, Fraction]], alarm: Fraction) -> Fraction:
    for (left, high), (right, low) in pairwise(points):
        if alarm <= right:
            return high + (low - high) * (alarm - left) / (right - left)
    return Fraction(0)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("1", "1e-6"), ("0.2", "0"), ("0", "0.3"), ("3", "0.5")]
)
def test_one_step_is_the_promise(epsilon: str, delta: str) -> None:
    curve = PiecewiseLinearTradeoff.of_approx(epsilon=epsilon, delta=delta)
    promise = curve_of(ApproxDP(epsilon=epsilon, delta=delta))
    for at in ("0", "0.1", "1", "5"):
        assert agree(curve.delta(at), promise.delta(at))
    assert brackets(curve.epsilon(delta), number(epsilon))
    assert curve.missed_detection(1).upper < Fraction(1, 10**300)


def test_steps_multiply() -> None:
    one = PiecewiseLinearTradeoff.of_approx(epsilon="0.3", delta="0.001")
    assert one.iterate(2).iterate(3) == one.iterate(6)


def test_points_may_be_any_reals() -> None:
    third = Computable(lambda: 1 / (1 + ball(1).exp()))
    zero, one = rational_real(0), rational_real(1)
    points = (TradeoffPoint(zero, one), TradeoffPoint(third, third), TradeoffPoint(one, zero))
    exact = PiecewiseLinearTradeoff.of_approx(epsilon=1, delta=0).iterate(4)
    found = PiecewiseLinearTradeoff(points).iterate(4)
    assert agree(found.delta(2), exact.delta(2))


@pytest.mark.parametrize(
    "points",
    [
        [(0, 1)],
        [(Fraction(1, 10), 1), (1, 0)],
        [(0, 1), (1, Fraction(1, 10))],
        [(0, 1), (Fraction(1, 2), Fraction(9, 10)), (1, 0)],
        [(0, 1), (0, Fraction(1, 2)), (1, 0)],
        [(0, Fraction(1, 2)), (Fraction(1, 2), 1), (1, 0)],
    ],
    ids=str,
)
def test_what_is_no_tradeoff_is_refused(points: list[tuple[Fraction, Fraction]]) -> None:
    with pytest.raises(InvalidParameter, match=r"^`points` must run from false alarm 0 to missed"):
        tradeoff(*points)


@pytest.mark.parametrize("steps", [0, -1])
def test_steps_are_counted(steps: int) -> None:
    with pytest.raises(InvalidParameter, match="`steps` must be an integer at least 1"):
        PiecewiseLinearTradeoff.of_approx(epsilon=1, delta=0).iterate(steps)
