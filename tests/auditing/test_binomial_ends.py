"""Bounds on a probability: right for every probability, and not wasteful."""

from fractions import Fraction
from math import comb

import pytest

from leastnoise.auditing.audited_promise import AuditedPromise
from leastnoise.auditing.judged_event import (
    _tail_at_most,
    judged_event,
    least_loss,
    lower_end,
    upper_end,
)
from leastnoise.numeric.clopper_pearson import clopper_pearson


def chance(trials: int, count: int, p: Fraction) -> Fraction:
    return comb(trials, count) * p**count * (1 - p) ** (trials - count)


@pytest.mark.parametrize("trials", [1, 2, 7, 20])
@pytest.mark.parametrize("risk", [Fraction(1, 20), Fraction(1, 1000)])
def test_the_risk_is_kept_for_every_probability(trials: int, risk: Fraction) -> None:
    """Exactly, by enumeration of all counts, also just below each of the ends themselves."""
    ends = [lower_end(count, trials, risk) for count in range(trials + 1)]
    places = [Fraction(k, 50) for k in range(51)] + [end * (1 - Fraction(1, 2**40)) for end in ends]
    for p in places:
        wrong = sum(chance(trials, count, p) for count in range(trials + 1) if ends[count] > p)
        assert wrong <= risk


@pytest.mark.parametrize(("hits", "trials"), [(0, 9), (9, 9), (3, 9), (41_000, 250_000)])
def test_the_quick_ends_are_clopper_and_pearsons(hits: int, trials: int) -> None:
    risk = Fraction(1, 10**6)
    low, high = clopper_pearson(hits, trials, 2 * risk)
    assert 0 <= low - lower_end(hits, trials, risk) <= Fraction(1, 10**8)
    assert 0 <= upper_end(hits, trials, risk) - high <= Fraction(1, 10**8)


def test_a_guess_that_is_too_high_is_not_taken() -> None:
    risk = Fraction(1, 1000)
    end = lower_end(3, 9, risk)
    assert _tail_at_most(3, 9, end, risk)
    assert not _tail_at_most(3, 9, end * Fraction(1001, 1000), risk)
    assert not _tail_at_most(3, 9, Fraction(1), risk)


def test_the_loss_is_rounded_down() -> None:
    assert least_loss(Fraction(1, 4), Fraction(1, 2), Fraction(0)) == 0
    loss = least_loss(Fraction(3, 4), Fraction(1, 4), Fraction(1, 4))
    assert float(loss) == pytest.approx(0.6931471805599453, rel=1e-15)
    assert loss < Fraction("0.69314718055994530941723212145817656808")


def test_delta_is_taken_off() -> None:
    counts = (500, 0)
    free = judged_event(
        "S", 0, 1000, counts, AuditedPromise(Fraction(1), Fraction(0), Fraction(1, 100))
    )
    paid = judged_event(
        "S", 0, 1000, counts, AuditedPromise(Fraction(1), Fraction(2, 5), Fraction(1, 100))
    )
    assert free.epsilon_lower > paid.epsilon_lower > 0
    assert free.chance == paid.chance
