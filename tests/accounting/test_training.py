"""Training runs: calibration that is sound, every kind of batches, shuffled ones bounded."""

import math
from fractions import Fraction

import pytest

from leastnoise.accounting import (
    ShuffledBatches,
    Training,
    epoch_costs,
    largest_rate,
    least_noise,
    most_steps,
)
from leastnoise.accounting.epoch_table import rounded_outward
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.exchanged_variable import ExchangedVariable


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


@pytest.mark.parametrize("steps", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_the_largest_rate_keeps_the_promise_and_little_more_would_not(steps: int) -> None:
    rate = largest_rate(noise=2, steps=steps, epsilon=1, delta="1e-5")
    assert Training(2, rate, steps).delta(1).upper <= Fraction("1e-5")
    assert Training(2, rate * Fraction(102, 100), steps).delta(1).lower > Fraction("1e-5")
    assert largest_rate(noise=20, steps=1, epsilon=1, delta="1e-5") == 1
    with pytest.raises(InvalidParameter, match="a step of training"):
        largest_rate(noise="0.15", steps=1, epsilon="0.1", delta="1e-12")


def test_costs_by_epoch_end_with_the_whole_run() -> None:
    run = Training(2, "1/2", 5)
    found = epoch_costs(run, delta="1e-5")
    assert [row.steps for row in found.rows] == [2, 4, 5]
    assert found.rows[-1].epsilon == run.directions("1e-5")
    worst = [max(end.upper for end in row.epsilon.values()) for row in found.rows]
    assert worst == sorted(worst)
    words = found.plot().words
    assert f"ε is at most {rounded_outward(found.rows[-1].epsilon['removed'], 3)[1]}" in words


def test_each_kind_of_batches_is_the_loss_that_it_is() -> None:
    step = PrivacyLoss.gaussian(mu=1)
    allocated = Training(1, "1/4", 8, "zero_out", "allocated")
    same = step.randomly_allocated(4).self_compose(2)
    assert allocated.loss.forward == same.forward
    assert set(allocated.directions("1e-3")) == {"zeroed out", "put back"}
    exchanged = Training(1, "1/4", 8, "replace", "allocated")
    assert same.backward is not None
    assert exchanged.loss.forward == ExchangedVariable(same.forward, same.backward)
    assert "one removed and one added" in exchanged.caveat
    assert allocated.caveat == ""
    fixed = Training(1, "2/10", 1, "replace", "fixed").loss
    one = PrivacyLoss.gaussian(mu=2).sampled_without_replacement(5, 1)
    assert fixed.delta("0.5") == one.delta("0.5")
    shuffled = Training(1, "1/4", 8, "replace", "shuffled")
    bounds = ShuffledBatches(1, 4, 2, "replace")
    assert shuffled.delta(1) == bounds.delta(1)
    assert shuffled.directions("1e-3") == {"replaced": bounds.epsilon("1e-3")}
    assert "no Poisson samples" in shuffled.caveat
    assert Training(1, "1/4", 8).caveat == ""


@pytest.mark.parametrize(
    ("neighbours", "batches", "rate", "words"),
    [
        ("add_remove", "fixed", "1/4", "replace"),
        ("zero_out", "allocated", "1/3", "whole epochs"),
        ("zero_out", "allocated", "2/5", "whole epochs"),
        ("zero_out", "shuffled", "1/4", "no Poisson samples"),
    ],
)
def test_what_has_no_law_is_refused(neighbours: str, batches: str, rate: str, words: str) -> None:
    with pytest.raises(UnsupportedQuery, match=words):
        _ = Training(1, rate, 4, neighbours, batches).loss  # type: ignore[arg-type]


def test_unknown_words_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="poisson, fixed"):
        Training(1, "1/4", 4, batches="random")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="add_remove"):
        Training(1, "1/4", 4, "shuffle")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="zero_out"):
        ShuffledBatches(1, 10, neighbours="add_remove")


@pytest.mark.parametrize(
    ("sigma", "epsilon", "low", "high"),
    [("0.4", 4, 0.24145, 0.24382), ("1", 1, 9.98e-4, 0.12694)],
)
def test_bounds_of_shuffled_batches(sigma: str, epsilon: int, low: float, high: float) -> None:
    """A thousand batches; the study's values, which a test with another threshold may better."""
    found = ShuffledBatches(sigma, 1000).delta(epsilon)
    assert low <= float(found.lower) <= low * 1.01
    assert float(found.upper) == pytest.approx(high, rel=1e-4)
    assert found.upper == PrivacyLoss.gaussian(mu=1 / Fraction(sigma)).delta(epsilon).upper


def test_what_shuffling_leaks_is_reached_by_its_test() -> None:
    """The lower end against the chances of the greatest batch, by a plain integral."""
    sigma, batches, epsilon = 0.5, 20, 1.0

    def none_above(threshold: float, *centres: float) -> float:
        return math.prod(
            math.erfc(-(threshold - centre) / sigma / math.sqrt(2)) / 2 for centre in centres
        )

    others = [-1.0] * (batches - 1)
    best = max(
        (1 - none_above(c / 100, 1.0, *others))
        - math.exp(epsilon) * (1 - none_above(c / 100, 0.0, *others))
        for c in range(-100, 300)
    )
    run = ShuffledBatches("0.5", batches)
    assert float(run.delta(1).lower) == pytest.approx(best, rel=2e-3)
    found = run.epsilon("0.1")
    assert run.delta(found.lower).lower >= Fraction("0.0999")
    assert found.upper == run.told.epsilon("0.1").upper
    assert ShuffledBatches(4, 20).epsilon("0.5").lower == 0


def test_little_noise_has_a_narrow_bracket_too() -> None:
    """At a tilt made for elsewhere a bound may be beyond all floats, which is no refusal."""
    found = Training("0.4", "0.02", 20).loss.epsilon("1e-6")
    assert 13.62 < found.lower < found.upper < 13.621
