"""`leastnoise account`: both directions, rounded outward, and calibration that is sound."""

import json
from fractions import Fraction

from leastnoise.accounting.training import Training, least_noise, most_steps, rounded_outward
from leastnoise.numeric.interval import Interval
from tests.cli.run import run

STEP = ("account", "--rate", "0.01", "--delta", "1e-5")


def test_both_directions_are_shown() -> None:
    shown = run(*STEP, "--noise", "1", "--steps", "1000")
    assert shown.status == 0
    assert "removed       1.82821  1.82825" in shown.output
    assert "added         1.41663  1.41668" in shown.output


def test_json_has_brackets_as_decimals() -> None:
    found = json.loads(run(*STEP, "--noise", "1", "--steps", "10", "--json").output)
    assert set(found["epsilon"]) == {"removed", "added"}
    low, high = (Fraction(end) for end in found["epsilon"]["removed"])
    assert low <= high <= low + Fraction(1, 1000)
    replaced = run(*STEP, "--noise", "1", "--steps", "10", "--neighbours", "replace", "--json")
    assert set(json.loads(replaced.output)["epsilon"]) == {"replaced"}


def test_two_of_three_must_be_given() -> None:
    refused = run(*STEP, "--noise", "1")
    assert refused.status == 2
    assert "two of --noise, --steps and --epsilon must be given" in refused.errors


def test_ends_are_rounded_outward() -> None:
    third = Interval(Fraction(1, 3), Fraction(1, 3))
    assert rounded_outward(third, 3) == ("0.333", "0.334")
    assert rounded_outward(Interval(float("inf"), float("inf"))) == ("inf", "inf")


def test_calibration_keeps_the_promise_and_little_less_would_not() -> None:
    leak = Fraction("1e-3")
    steps = most_steps(noise=2, rate="0.1", epsilon=1, delta=leak)
    assert Training(2, "0.1", steps).loss.delta(1).upper <= leak
    assert Training(2, "0.1", steps + 2).loss.delta(1).lower > leak
    noise = least_noise(rate="0.1", steps=2, epsilon=2, delta=leak)
    assert Training(noise, "0.1", 2).loss.delta(2).upper <= leak
    assert Training(noise - Fraction(3, 1000), "0.1", 2).loss.delta(2).lower > leak


def test_a_promise_that_allows_nothing_is_refused() -> None:
    refused = run("account", "--rate", "1", "--delta", "1e-5", "--noise", "0.1", "--epsilon", "0.1")
    assert refused.status == 2
    assert "must allow a step of training" in refused.errors
