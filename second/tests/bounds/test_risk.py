"""Delta from the number of records; what a promise means, sharp for the worst mechanism."""

import math
from fractions import Fraction
from typing import Any

import pytest
from scipy import stats

from leastnoise.bounds import attack_risk, suggest_delta
from leastnoise.mechanisms import NameAndShame
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.interval import Interval
from leastnoise.privacy import GDP, ZCDP, ApproxDP, PrivacyLoss, PureDP


@pytest.mark.parametrize(("records", "leaks"), [(10**5, 0.271), (10**7, 0.181)])
def test_one_over_a_power_slightly_above_one_is_not_small(records: int, leaks: float) -> None:
    """Errata A9: delta = n^-1.1 exposes somebody with chance 0.27; 1/n with 0.632."""
    rule = Fraction(records**-1.1)
    assert float(NameAndShame(delta=rule).exposure(records=records)) == pytest.approx(
        leaks, abs=5e-4
    )
    once = NameAndShame(delta=Fraction(1, records)).exposure(records=records)
    assert float(once) == pytest.approx(0.632, abs=5e-4)


@pytest.mark.parametrize(
    ("records", "exposure", "digits"),
    [
        (1, "1e-6", 6),
        (10**5, "1e-6", 11),
        (10**5 + 1, "1e-6", 12),
        (999, "0.5", 4),
        (500, "0.5", 3),
    ],
)
def test_the_largest_power_of_ten(records: int, exposure: str, digits: int) -> None:
    found = suggest_delta(records=records, exposure=exposure)
    assert found == Fraction(1, 10**digits)
    assert records * found <= Fraction(exposure) < 10 * records * found
    shown = NameAndShame(delta=found).exposure(records=records)
    total = records * found
    assert total - total**2 / 2 <= shown.upper and shown.lower <= total


ALARMS = ["0", "1/1000", "1/4", "0.5", "0.97", "1"]


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("0.3", "0"), ("1", "0.05"), ("4", "1e-6"), ("0", "0.2"), ("2", "1")]
)
def test_the_worst_mechanism_is_caught_so_often(epsilon: str, delta: str) -> None:
    """Outcomes: (chance if absent, if present); two give the secret away."""
    e, d = math.exp(float(epsilon)), float(delta)
    outcomes = [
        (0.0, d),
        ((1 - d) / (1 + e), (1 - d) * e / (1 + e)),
        ((1 - d) * e / (1 + e), (1 - d) / (1 + e)),
        (d, 0.0),
    ]
    risk = attack_risk(ApproxDP(epsilon=epsilon, delta=delta))
    for alarm in ALARMS:
        left, caught = float(Fraction(alarm)), 0.0
        for absent, present in outcomes:  # by falling likelihood ratio
            share = min(1.0, left / absent) if absent else 1.0
            left, caught = max(0.0, left - absent), caught + share * present
        assert float(risk.caught(alarm)) == pytest.approx(caught, abs=1e-9)
    for prior in ("0.02", "0.5", "0.9"):
        p = float(prior)
        best = sum(max((1 - p) * absent, p * present) for absent, present in outcomes)
        assert float(risk.right(prior)) == pytest.approx(best, abs=1e-9)


def test_gaussian_noise_is_caught_as_the_normal_law_says() -> None:
    risk = attack_risk(GDP(mu="0.7"))
    for alarm in (0.001, 0.3, 0.9):
        known = stats.norm.sf(stats.norm.isf(alarm) - 0.7)
        assert float(risk.caught(alarm)) == pytest.approx(known, rel=1e-9)
    assert float(risk.right()) == pytest.approx(stats.norm.cdf(0.35), rel=1e-9)


def test_a_loss_is_as_good_as_a_guarantee() -> None:
    one = attack_risk(PrivacyLoss.gaussian(mu=1)).right()
    assert float(one) == pytest.approx(float(attack_risk(GDP(mu=1)).right()), rel=1e-12)


WEAKER: list[tuple[Any, Any]] = [
    (GDP(mu=1), ZCDP(rho="0.5")),
    (PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-3")),
    (PureDP(epsilon=1), PureDP(epsilon=2)),
    (ZCDP(rho="0.01"), ZCDP(rho="0.5")),
    (PureDP(epsilon="0.2"), ZCDP(rho="0.02")),
]


@pytest.mark.parametrize(("promise", "weaker"), WEAKER)
def test_a_weaker_promise_is_a_greater_risk(promise: Any, weaker: Any) -> None:
    less, more = attack_risk(promise), attack_risk(weaker)
    assert less.right().upper <= more.right().upper < 1
    for alarm in ("0.001", "0.01", "0.3"):
        assert Fraction(alarm) <= less.caught(alarm).upper <= more.caught(alarm).upper < 1


def test_no_privacy_and_perfect_privacy() -> None:
    perfect, vast = attack_risk(PureDP(epsilon=0)), attack_risk(PureDP(epsilon=1000))
    assert perfect.caught("0.01") == Interval.exactly(Fraction(1, 100))
    assert perfect.right() == Interval.exactly(Fraction(1, 2)) and perfect.right(
        "0.9"
    ).upper == Fraction(9, 10)
    assert vast.right().upper == 1 or 1 - vast.right().upper < Fraction(1, 10**15)
    assert perfect.right(0) == vast.right(1) == Interval.exactly(1)
    assert "100 %" in repr(vast)


def test_words() -> None:
    text = repr(attack_risk(ApproxDP(epsilon=1, delta="1e-6")))
    assert "a chance of at most 73.11 %" in text and "at most 2.719 % of those" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_bad_input() -> None:
    for asked in (
        {"records": 0},
        {"records": 10, "exposure": 0},
        {"records": 10, "exposure": 1},
        {"records": "x"},
    ):
        with pytest.raises(InvalidInput):
            suggest_delta(**asked)
    with pytest.raises(InvalidInput, match=r"false_alarm is 1\.5"):
        attack_risk(PureDP(epsilon=1)).caught("1.5")
    with pytest.raises(InvalidInput, match="prior is -1"):
        attack_risk(PureDP(epsilon=1)).right(-1)
    with pytest.raises(InvalidInput, match="Give a guarantee or a PrivacyLoss"):
        attack_risk(3)  # type: ignore[arg-type]
