"""The hypothesis-testing view as data: its curve, its line, and its plain form."""

import json
from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any

import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms import RandomizedResponse
from leastnoise.mechanisms.adding.additive_noise import AdditiveNoise
from leastnoise.noise import Canonical
from leastnoise.planning.tradeoff_view import tradeoff_points, tradeoff_view
from leastnoise.privacy.guarantee import GDP, ApproxDP
from leastnoise.privacy.loss import PrivacyLoss


def canonical() -> AdditiveNoise:
    promise = ApproxDP(epsilon=1, delta="0.01")
    return AdditiveNoise(Canonical(epsilon=1, delta="0.01"), sensitivity=1, guarantee=promise)


def test_curve_stays_above_the_line_of_a_kept_promise() -> None:
    view = tradeoff_view(canonical())
    assert view.keeps
    assert (view.epsilon, view.delta) == (Fraction(1), Fraction(1, 100))
    for point in view.curve:
        alarm = float(point.false_alarm)
        line = max(0.0, 0.99 - 2.718281828459045 * alarm, (0.99 - alarm) / 2.718281828459045)
        assert float(point.missed_detection.upper) >= line - 1e-12


def test_a_broken_promise_shows_below_the_line() -> None:
    """The leak at ε is the greatest depth of the curve below 1 − e^ε·a."""
    view = tradeoff_points(canonical().privacy(), epsilon="0.5", delta="0.01")
    assert not view.keeps
    depths = [
        0.99 - 1.6487212707001282 * float(point.false_alarm) - float(point.missed_detection)
        for point in view.curve
    ]
    assert max(depths) > 0.05


def test_line_has_three_corners_that_mirror_each_other() -> None:
    corners = tradeoff_points(PrivacyLoss.gaussian(mu=1), epsilon=1, delta="0.1").line
    pairs = [(float(c.false_alarm), float(c.missed_detection)) for c in corners]
    middle = 0.9 / (1 + 2.718281828459045)
    assert pairs == [(0, 0.9), pytest.approx((middle, middle)), (0.9, 0)]


def test_default_places_rise_from_0_to_1_and_mirror_each_other() -> None:
    view = tradeoff_points(PrivacyLoss.gaussian(mu=1), epsilon=1)
    alarms = [Fraction(point.false_alarm.lower) for point in view.curve]
    assert alarms == sorted(alarms)
    assert (alarms[0], alarms[49], alarms[-1]) == (Fraction(0), Fraction(1, 2), Fraction(1))
    assert all(
        abs(a + b - 1) < Fraction(1, 2**39) for a, b in zip(alarms, alarms[::-1], strict=True)
    )


def test_given_places_are_sorted_and_kept_once() -> None:
    loss = PrivacyLoss.randomized_response(epsilon=1)
    view = tradeoff_points(loss, epsilon=1, false_alarms=["0.5", 0, "0.25", "0.5"])
    assert [float(point.false_alarm) for point in view.curve] == [0, 0.25, 0.5]


def test_plain_form_is_json_and_rounded_outward() -> None:
    view = tradeoff_view(canonical(), false_alarms=["1/3", "0.1"])
    plain = json.loads(json.dumps(view.to_dict()))
    assert plain["keeps"] is True
    assert (plain["epsilon"], plain["delta"]) == (1.0, 0.01)
    for name, points in (("curve", view.curve), ("line", view.line)):
        columns = plain[name]
        for i, point in enumerate(points):
            for rate, bracket in (
                ("false_alarm", point.false_alarm),
                ("missed_detection", point.missed_detection),
            ):
                assert Fraction(columns[f"{rate}_lower"][i]) <= bracket.lower
                assert Fraction(columns[f"{rate}_upper"][i]) >= bracket.upper
                assert columns[f"{rate}_upper"][i] - columns[f"{rate}_lower"][i] < 1e-3


def test_a_group_is_easier_to_tell_apart() -> None:
    single, pair = (
        tradeoff_view(canonical(), distance=n, false_alarms=["0.1"]).curve[0] for n in (1, 2)
    )
    assert pair.missed_detection.upper < single.missed_detection.lower


def test_view_is_frozen() -> None:
    view = tradeoff_view(RandomizedResponse(epsilon=1, categories=2), false_alarms=["0.1"])
    with pytest.raises(FrozenInstanceError):
        view.keeps = False  # type: ignore[misc]


class _Gaussian:
    guarantee = GDP(mu=1)

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        return PrivacyLoss.gaussian(mu=distance)


def test_other_promises_have_no_line_of_their_own() -> None:
    mechanism: Any = _Gaussian()
    with pytest.raises(UnsupportedQuery, match="tradeoff_points"):
        tradeoff_view(mechanism)


@pytest.mark.parametrize(
    "arguments",
    [
        {"epsilon": -1},
        {"epsilon": float("nan")},
        {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "false_alarms": ["1.1"]},
        {"epsilon": 1, "false_alarms": [float("nan")]},
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        tradeoff_points(PrivacyLoss.gaussian(mu=1), **arguments)
