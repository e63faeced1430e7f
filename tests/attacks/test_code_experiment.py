"""Measured completeness of codes, in both directions, and measured false accusations."""

from fractions import Fraction

import pytest

from leastnoise.attacks import STRATEGIES, CodeExperiment, Strategy, coin, majority
from leastnoise.errors import InvalidParameter
from tests.attacks.seeded import SeededSource


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.__name__)
def test_every_strategy_is_caught_and_nobody_framed(strategy: Strategy) -> None:
    experiment = CodeExperiment(users=12, length=1200, coalition=4, false_accusation="1e-4")
    measured = experiment.measure(strategy, trials=25, source=SeededSource(11))
    assert (measured.caught, measured.framed) == (25, 0)
    assert measured.completeness(confidence="0.95").lower > Fraction(85, 100)
    assert measured.framing(confidence="0.95").upper < Fraction(15, 100)
    assert measured.accused_share > Fraction(1, 2)


def test_a_code_too_short_catches_nobody() -> None:
    """The measurement can come out the other way."""
    experiment = CodeExperiment(users=12, length=20, coalition=4, false_accusation="1e-4")
    measured = experiment.measure(majority, trials=25, source=SeededSource(12))
    assert measured.caught == 0
    assert measured.completeness(confidence="0.95").upper < Fraction(15, 100)


def test_a_careless_threshold_frames_somebody() -> None:
    """Of 298 innocent users each is accused with probability up to 0.2: some always are."""
    experiment = CodeExperiment(users=300, length=60, coalition=2, false_accusation="0.2")
    measured = experiment.measure(coin, trials=20, source=SeededSource(13))
    assert measured.framed == 20
    assert measured.framing(confidence="0.95").lower > Fraction(8, 10)


def test_framing_stays_below_its_bound() -> None:
    """One innocent user, β = 0.1, 400 trials: 40 are expected at most; 6 sigma more are 76."""
    experiment = CodeExperiment(users=3, length=150, coalition=2, false_accusation="0.1")
    measured = experiment.measure(majority, trials=400, source=SeededSource(14))
    assert 1 <= measured.framed <= 76


@pytest.mark.parametrize(
    ("name", "value"), [("coalition", 13), ("coalition", 0), ("users", 0), ("length", 0)]
)
def test_bad_experiments(name: str, value: int) -> None:
    sizes = {"users": 12, "length": 5, "coalition": 2, name: value}
    with pytest.raises(InvalidParameter, match=f"`{name}`"):
        CodeExperiment(false_accusation="0.1", **sizes)


def test_bad_measurements() -> None:
    experiment = CodeExperiment(users=2, length=5, coalition=1, false_accusation="0.1")
    with pytest.raises(InvalidParameter, match="`trials`"):
        experiment.measure(coin, trials=0)
    with pytest.raises(InvalidParameter, match="`confidence`"):
        experiment.measure(coin, trials=1).framing(confidence=1)
