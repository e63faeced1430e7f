"""Shares, ratios, weighted means, medians and standard deviations: near the truth, and sure."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.expression import Indicator, col
from leastnoise.release.plan import Plan
from leastnoise.release.result.released_table import ReleasedTable
from tests.release.drawn_again import drawn_again

LARGE = ApproxDP(epsilon=10**5, delta="1e-6")
CITIES = ["Oslo", "Bergen"]
OLD = col("age") >= 60
_MADE = np.random.default_rng(17)
_PLACES = np.arange(2000)
ROWS = pd.DataFrame(
    {
        "who": _PLACES // 2,
        "city": np.where(_PLACES // 2 % 3 == 0, "Oslo", "Bergen"),
        "cost": np.where(_PLACES % 7, _MADE.gamma(2, 10, 2000).clip(0, 100), np.nan),
        "time": np.where(_PLACES % 11, _MADE.uniform(0, 5, 2000), np.nan),
        "age": np.where(_PLACES % 13, _MADE.integers(0, 70, 2000), np.nan),
    }
)
ROWS["age"] += (ROWS.cost.fillna(20) / 5).round()
Ask = Callable[..., Plan]
QUESTIONS: dict[str, Ask] = {
    "std": lambda p, **more: p.std("cost", lower=0, upper=100, **more),
    "share": lambda p, **more: p.share(OLD, **more),
    "share of units": lambda p, **more: p.share_units(OLD, **more),
    "ratio": lambda p, **more: p.ratio(
        "cost", "time", lower=0, upper=100, over_lower=0, over_upper=5, **more
    ),
    "weighted mean": lambda p, **more: p.weighted_mean(
        "cost", "time", lower=0, upper=100, most_weight=5, **more
    ),
    "covariance": lambda p, **more: p.covariance(
        "cost", "age", lower=0, upper=100, other_lower=0, other_upper=90, **more
    ),
    "correlation": lambda p, **more: p.correlation(
        "cost", "age", lower=0, upper=100, other_lower=0, other_upper=90, **more
    ),
    "median": lambda p, **more: p.median("cost", lower=0, upper=100, parts=10**4, **more),
}


def truth(name: str, rows: pd.DataFrame) -> float:
    """What is asked, by another way."""
    both = rows.dropna(subset=["cost", "time"])
    old = rows[rows.age >= 60]
    return float(
        {
            "std": lambda: rows.cost.std(ddof=0),
            "share": lambda: len(old) / len(rows),
            "share of units": lambda: old.who.nunique() / rows.who.nunique(),
            "ratio": lambda: rows.cost.sum() / rows.time.sum(),
            "weighted mean": lambda: np.average(both.cost, weights=both.time),
            "covariance": lambda: rows[["cost", "age"]].dropna().cov(ddof=0).iloc[0, 1],
            "correlation": lambda: rows[["cost", "age"]].corr().iloc[0, 1],
            "median": rows.cost.median,
        }[name]()
    )


def people(**how: Any) -> Plan:
    return ln.plan(ln.read(ROWS, unit="who", **how), max_groups=1, max_rows=2)


def once(asked: Plan, budget: Guarantee = LARGE) -> list[ReleasedTable]:
    (found,) = drawn_again(asked, budget, 1)
    return found


@pytest.mark.spread(8)
@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_with_little_noise_answers_are_the_truth(name: str, neighbours: str) -> None:
    near = 3e-2 if name == "median" else 2e-3  # any place between the two rows in the middle
    asked = QUESTIONS[name](people(neighbours=neighbours))
    asked = QUESTIONS[name](asked, by="city", keys=[*CITIES, "Bodø"])
    asked = QUESTIONS[name](asked, where=col("time") < 2)
    total, groups, some = once(asked)
    assert total.values[0] == pytest.approx(truth(name, ROWS), rel=near)
    assert groups.columns == ("city",)
    for (city,), value in zip(groups.rows[:2], groups.values, strict=False):
        assert value == pytest.approx(truth(name, ROWS[ROWS.city == city]), rel=near)
    assert some.values[0] == pytest.approx(truth(name, ROWS[ROWS.time < 2]), rel=near)


@pytest.mark.parametrize("name", sorted(set(QUESTIONS) - {"share of units", "median"}))
def test_groups_may_be_private(name: str) -> None:
    (found,) = once(QUESTIONS[name](people(), by="city", keys="private"))
    assert [row[0] for row in found.rows] == sorted(CITIES)
    for (city,), value in zip(found.rows, found.values, strict=True):
        assert value == pytest.approx(truth(name, ROWS[ROWS.city == city]), rel=2e-3)


COVERED = sorted(set(QUESTIONS) - {"median"})  # which has its own tests, by the name of quantiles


@pytest.mark.spread(7)
@pytest.mark.parametrize(
    "budget", [PureDP(epsilon="0.5"), ApproxDP(epsilon="0.5", delta="1e-6")], ids=repr
)
@pytest.mark.parametrize("name", COVERED)
def test_intervals_cover_the_truth(name: str, budget: Guarantee) -> None:
    """Of 100 answers with at least 95 % each more than 18 miss once in 10^6; of intervals of a
    third of the width, a standard error to either side or less, some 29 would, and more than 18
    in 99 % of all runs."""
    asked, exact = QUESTIONS[name](people()), truth(name, ROWS)
    seen = [tables[0] for tables in drawn_again(asked, budget, 100)]
    assert sum(not one.lower[0] <= exact <= one.upper[0] for one in seen) <= 18
    assert all(one.lower[0] <= one.values[0] <= one.upper[0] for one in seen)
    told = np.median([float(one.standard_error[0]) for one in seen])
    assert np.std([float(one.values[0]) for one in seen]) == pytest.approx(told, rel=0.7)


def test_a_heavy_unit_weighs_less_but_its_share_stays() -> None:
    """Three of 30 rows meet the condition: of the ten that count, one does."""
    rows = pd.DataFrame({"who": [1] * 30 + [2, 3], "late": [1] * 3 + [0] * 27 + [0, 0]})
    asked = ln.plan(ln.read(rows, unit="who"), max_rows=10).share(col("late") == 1)
    assert once(asked)[0].values[0] == pytest.approx(1 / 12)


LIMITS = {
    "share": (0, 1),
    "share of units": (0, 1),
    "weighted mean": (0, 100),
    "correlation": (-1, 1),
}


def test_of_an_empty_group_nothing_is_known() -> None:
    """The noise of a divisor is taken for a number once in 40 times; here in 12 of 30 at most."""
    asked = people()
    for name in LIMITS:
        asked = QUESTIONS[name](asked, by="city", keys=["Bodø"])
    seen = list(drawn_again(asked, PureDP(epsilon=1), 30))
    for place, limits in enumerate(LIMITS.values()):
        ends = [(one[place].lower[0], one[place].upper[0]) for one in seen]
        assert ends.count(limits) >= 18


def test_a_ratio_to_nothing_is_not_known() -> None:
    asked = QUESTIONS["ratio"](people(), by="city", keys=["Bodø"])
    seen = [one for (one,) in drawn_again(asked, PureDP(epsilon=1), 30)]
    unknown = [one for one in seen if np.isnan(one.lower[0])]
    assert len(unknown) >= 18
    for one in unknown:
        assert np.isnan([one.upper[0], one.standard_error[0]]).all()
        assert "divisor" in one.notes[0]
        assert np.isfinite(one.values[0])


def test_a_divisor_may_be_negative() -> None:
    parts: dict[str, Any] = {"lower": 0, "upper": 100, "over_lower": -5, "over_upper": 0}
    asked = people().ratio("cost", -1 * col("time"), **parts)
    exact = -truth("ratio", ROWS)
    seen = [tables[0] for tables in drawn_again(asked, PureDP(epsilon=1), 40)]
    assert once(asked)[0].values[0] == pytest.approx(exact, rel=2e-3)
    assert sum(one.lower[0] <= exact <= one.upper[0] for one in seen) >= 30
    assert all(one.lower[0] < one.values[0] < one.upper[0] < 0 for one in seen)


@pytest.mark.parametrize("name", ["weighted mean", "covariance", "correlation"])
def test_values_are_cut_before_they_are_multiplied(name: str) -> None:
    wild = ROWS.assign(cost=ROWS.cost * 9 - 200, time=ROWS.time * 3 - 2, age=ROWS.age * 2 - 30)
    tame = wild.assign(
        cost=wild.cost.clip(0, 100), time=wild.time.clip(0, 5), age=wild.age.clip(0, 90)
    )
    asked = ln.plan(ln.read(wild, unit="who"), max_rows=2)
    assert once(QUESTIONS[name](asked))[0].values[0] == pytest.approx(truth(name, tame), rel=2e-3)


def test_a_number_over_itself_is_one() -> None:
    parts: dict[str, Any] = {"lower": 0, "upper": 100, "over_lower": 0, "over_upper": 100}
    (found,) = once(people().ratio("cost", "cost", **parts), PureDP(epsilon=1))
    assert found.values[0] == 1


def test_numbers_that_others_ask_for_too_cost_nothing_more() -> None:
    budget = PureDP(epsilon=1)
    both = people().variance("cost", lower=0, upper=100).std("cost", lower=0, upper=100)
    variance, deviation = once(both, budget)
    assert deviation.values[0] == np.sqrt(variance.values[0])
    covariance, correlation = once(
        QUESTIONS["correlation"](QUESTIONS["covariance"](people())), budget
    )
    assert covariance.values[0] * correlation.values[0] >= 0
    ratio = people().sum("cost", lower=0, upper=100).sum("time", lower=0, upper=5)
    above, below, quotient = once(QUESTIONS["ratio"](ratio), budget)
    assert quotient.values[0] == pytest.approx(above.values[0] / below.values[0], rel=1e-12)
    units = people().count_units(where=OLD).count_units()
    met, everyone, share = once(QUESTIONS["share of units"](units), budget)
    assert share.values[0] == pytest.approx(met.values[0] / everyone.values[0], rel=1e-12)


def test_of_a_known_number_of_people_the_divisor_is_exact() -> None:
    asked = QUESTIONS["share of units"](people(neighbours="replace"))
    for (found,) in drawn_again(asked, PureDP(epsilon=1), 5):
        assert found.values[0] * 1000 == pytest.approx(round(found.values[0] * 1000), abs=1e-9)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (
            lambda p: p.share("age"),
            "a condition must be true or false; got a value",
        ),
        (lambda p: p.share_units(3), "`of` must be a condition; got a int"),
        (lambda p: p.share(col("height") > 1), "height"),
        (lambda p: p.share(col("city") > 1), "city"),
        (lambda p: p.share_units(OLD, by="city", keys="private"), "a share of units"),
        (
            lambda p: p.weighted_mean("cost", "time", lower=0, upper=9, most_weight=0),
            "`most_weight` must be positive",
        ),
        (
            lambda p: p.ratio("cost", "time", lower=0, upper=9, over_lower=2, over_upper=1),
            "`lower` must be below `upper`",
        ),
    ],
)
def test_refusals(ask: Ask, told: str) -> None:
    with pytest.raises((InvalidParameter, UnsupportedQuery)) as refused:
        ask(people())
    assert told in str(refused.value)


def test_words_say_what_counts() -> None:
    asked = people()
    for ask in QUESTIONS.values():
        asked = ask(asked, by="city", keys=CITIES)
    told = " ".join(question.words() for question in asked.questions)
    for words in (
        "The standard deviation of cost by city",
        "The share of rows with age >= 60",
        "The share of units that have a row with age >= 60, among all units by city.",
        "The sum of cost over that of time by city; values are cut to 0 … 100 and 0 … 5",
        "The mean of cost, weighted by time by city",
        "The median of cost by city",
        "The covariance of cost and age by city; values are cut to 0 … 100 and 0 … 90, and rows",
        "The correlation of cost and age by city",
    ):
        assert words in told


def test_an_indicator_is_equal_to_one_of_the_same_condition() -> None:
    one, other = Indicator(OLD), Indicator(col("age") >= 60)
    assert one == other
    assert hash(one) == hash(other)
    assert one != Indicator(col("age") >= 61)
    assert one.columns == (col("age"),)
