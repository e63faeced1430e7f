"""The greatest rule for groups: golden values, the promise by enumeration, nobody shows more."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp, prod
from typing import Any

import numpy as np
import pytest

from leastnoise.mechanisms.partition import (
    Approximate,
    LeakyGaussian,
    PartitionRule,
    Table,
    greatest_rule,
    keeps,
    partition_rule,
)
from leastnoise.noise.laws import TableLaw
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput

ONE, MILLIONTH = Fraction(1), Fraction(1, 10**6)


def variance(law: TableLaw) -> float:
    mean = sum(k * w for k, w in law.weights.items())
    return float(sum(k * k * w for k, w in law.weights.items()) - mean**2)


# Figures


def test_golden_chances_where_they_double() -> None:
    """e^epsilon = 2, delta = 1/100, by hand: q * 1600 doubles, has one value between, and halves."""
    two = balls.lower_end(lambda: balls.ball(Fraction(2)).log(), bits=300)
    table = greatest_rule(Approximate(two, Fraction(1, 100)))
    found = [round(1600 * weight / 2**table.bits, 8) for weight in table.weights]
    assert found == [16, 32, 64, 128, 256, 512, 304, 152, 76, 38, 19, 3]
    assert sum(table.weights) == 1 << table.bits and table.units(Fraction(1, 2)) == 6


@pytest.mark.parametrize(
    ("groups", "kind", "half", "spread"),
    [(1, Approximate, 14, 1.904), (2, Approximate, 27, 8.02), (3, Approximate, 40, 18.07),
     (5, LeakyGaussian, 51, 95.4), (10, LeakyGaussian, 72, 190.6)],
)  # fmt: skip
def test_golden_sizes_and_variances(groups: int, kind: type, half: int, spread: float) -> None:
    """At (1, 1e-6); Laplace noise and a threshold with half of each: 26 units, variance 7.8."""
    rule = partition_rule(epsilon=1, delta="1e-6", max_groups=groups)
    assert isinstance(rule.table.promise, kind) and rule.units("0.5") == half
    assert abs(variance(rule.noise) / spread - 1) < 1e-3


def test_golden_sizes_of_published_rules() -> None:
    """Desfontaines and others 2022 at epsilon .1; a Gaussian of rho = .005."""
    assert partition_rule(epsilon="0.1", delta="1e-6").units("0.5") == 109
    gaussian = greatest_rule(LeakyGaussian(Fraction(1, 100), MILLIONTH))
    assert (gaussian.units(Fraction(1, 2)), gaussian.units(Fraction(95, 100))) == (47, 63)


def test_chances_are_those_of_the_closed_form() -> None:
    """delta * (e^(n*epsilon) - 1)/(e^epsilon - 1) up to about a half."""
    rule, e = partition_rule(epsilon="0.5", delta="1e-6"), exp(0.5)
    for n in range(20):
        assert abs(float(rule.chance(n)) - 1e-6 * (e**n - 1) / (e - 1)) < 1e-9 * e**n
    assert rule.chance(0) == 0 and rule.chance(10**9) == 1


def test_no_other_rule_shows_more() -> None:
    """A linear program over all rules of one count."""
    from scipy.optimize import linprog

    epsilon, delta, most = 0.5, 0.01, 12
    e, rows, limits = exp(epsilon), [], []
    for n in range(most):
        for low, high in ((n, n + 1), (n + 1, n)):
            shown = np.zeros(most + 1)
            shown[high], shown[low] = 1, -e
            rows += [shown, -shown]
            limits += [delta, delta + e - 1]
    rule = partition_rule(epsilon=epsilon, delta=delta)
    for n in range(1, most + 1):
        goal = np.zeros(most + 1)
        goal[n] = -1
        found = linprog(goal, rows, limits, bounds=[(0, 0)] + [(0, 1)] * most)
        assert abs(-found.fun - float(rule.chance(n))) < 1e-7


# The promise


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1, "1e-6"), ("0.05", "1e-4"), (3, "0.2"), (9, "1e-9")]
)
def test_the_noise_keeps_epsilon_and_delta_with_equality(epsilon: Any, delta: str) -> None:
    rule = partition_rule(epsilon=epsilon, delta=delta)
    costs = [rule.noise.hockey_stick(epsilon, shift).upper for shift in (1, -1)]
    assert max(costs) <= Fraction(delta) <= max(costs) * (1 + Fraction(1, 10**11))


def shown_law(rule: PartitionRule, units: int) -> dict[int | None, float]:
    """What is shown of one group."""
    found: dict[int | None, float] = {None: 0.0}
    for by, chance in rule.noise.weights.items():
        said = units + by if units + by >= rule.units("0.5") else None
        found[said] = found.get(said, 0.0) + float(chance)
    return found


@pytest.mark.parametrize("min_units", [1, 3])
def test_all_that_is_shown_of_two_groups_keeps_the_promise(min_units: int) -> None:
    """A unit in both groups, by going through all pairs of answers."""
    rule = partition_rule(epsilon=2, delta="0.01", max_groups=2, min_units=min_units)
    worst = 0.0
    for units in ((0, 0), (0, 3), (2, 4), (5, 9), (4, 4)):
        before, after = ([shown_law(rule, n + by) for n in units] for by in (0, 1))
        for one, other in ((before, after), (after, before)):
            excess = sum(
                max(0.0, prod((one[0][x], one[1][y]))
                    - exp(2) * prod((other[0].get(x, 0.0), other[1].get(y, 0.0))))
                for x in one[0] for y in one[1]
            )  # fmt: skip
            worst = max(worst, excess)
            assert excess <= 0.01 + 1e-12
    assert worst > 0.005
    assert all(shown_law(rule, n)[None] >= 1 - float(rule.chance(n)) - 1e-12 for n in range(30))


def test_gaussian_noise_is_dominated_by_its_own_loss() -> None:
    """What the table really costs at other epsilons is below the curve that `privacy` states."""
    promise = LeakyGaussian(Fraction(1, 4), Fraction(1, 1000))
    table = greatest_rule(promise)
    law = TableLaw({-n: weight for n, weight in enumerate(table.weights, 1)})
    for epsilon in ("0.01", "0.3", 1, 2):
        stated = promise.loss(1).delta(epsilon)
        assert max(law.hockey_stick(epsilon, s).upper for s in (1, -1)) <= stated.upper
    assert law.hockey_stick("0.01", 1).lower > promise.loss(1).delta("0.01").lower * Fraction(9, 10)


@pytest.mark.parametrize("promise", [Approximate(ONE, MILLIONTH), LeakyGaussian(ONE, MILLIONTH)])
def test_tables_that_break_the_promise_are_found(promise: Any) -> None:
    """One unit of the last place too much somewhere, and promises that are a little less."""
    table = greatest_rule(promise)
    assert keeps(table)
    less = replace(promise, delta=promise.delta * Fraction(999, 1000))
    assert not keeps(Table(less, table.chances, table.bits))
    moved = list(table.chances)
    moved[5] += (1 << table.bits) // 10**12
    assert not keeps(Table(promise, tuple(moved), table.bits))
    assert all(low < high for low, high in pairwise(table.chances))


def test_prices() -> None:
    many = partition_rule(epsilon=1, delta="1e-6", max_groups=10)
    assert float(many.privacy().delta(1).lower) < 1e-6 * (1 + 1e-9)
    few = partition_rule(epsilon=1, delta="1e-6", max_groups=2)
    assert abs(float(few.privacy().delta(1)) - 1e-6) < 1e-12
    assert few.privacy(2).delta(2).lower > 3e-6


# What is shown


def test_groups_are_shown_as_often_as_stated_and_sorted() -> None:
    """At most one false alarm in 10^10."""
    rule, runs = partition_rule(epsilon=1, delta="1e-6"), 3000
    secret = {f"group {n:04}": 15 for n in range(runs)}
    found = rule.release(secret).value
    p = float(rule.chance(15))
    assert abs(len(found) - runs * p) < 6.5 * (runs * p * (1 - p)) ** 0.5
    assert list(found) == sorted(found) and min(found.values()) >= rule.units("0.5")
    assert rule.release({"b": 900, "a": 800, "none": 0, "one": 1}).value.keys() == {"a", "b"}
    assert rule.release({}).value == {}


def test_numbers_carry_the_noise_that_is_stated() -> None:
    rule = partition_rule(epsilon=1, delta="1e-6", min_units=100)
    off = [n - 10**6 for n in rule.release(dict.fromkeys(range(4000), 10**6)).value.values()]
    assert abs(float(np.mean(off)) + 0.0675) < 6.5 * (1.904 / 4000) ** 0.5
    assert rule.units("0.5") == 14 + 99
    assert rule.release(dict.fromkeys(range(100), 99)).value == {}


def test_bad_input_is_refused_and_not_shown() -> None:
    rule = partition_rule(epsilon=1, delta="1e-6")
    for bad in ([1, 2], {"a": -31415}, {"a": 0.5}, {"a": "31415"}, {"a": None}):
        with pytest.raises(InvalidInput) as refused:
            rule.release(bad)  # type: ignore[arg-type]
        assert "31415" not in str(refused.value)
    for wrong in ({"epsilon": 0}, {"delta": 0}, {"delta": 1}, {"max_groups": 0}, {"min_units": 0}):
        with pytest.raises(InvalidInput):
            partition_rule(**{"epsilon": 1, "delta": "1e-6", **wrong})  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="Raise epsilon"):
        partition_rule(epsilon="1e-4", delta="1e-9").units("0.5")
