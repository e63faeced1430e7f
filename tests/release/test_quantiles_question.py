"""Quantiles in plans: right values, foretold errors, both neighbour relations, groups, refusals."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.ledger import Ledger
from leastnoise.privacy import ZCDP, ApproxDP, PureDP
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.plan import Plan, plan
from leastnoise.release.price.needed_budget import Needed
from leastnoise.release.questions.column_quantiles import ColumnQuantiles
from leastnoise.release.read import read
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.step.histograms import WEIGHT, Histograms
from tests.release.drawn_again import drawn_again
from tests.release.foretold import error, half
from tests.release.visits import CITIES, ask, write_visits

LARGE = ApproxDP(epsilon=2000, delta="1e-6")
QUARTILES = [0.25, 0.5, 0.75]
BUDGETS: list[Guarantee] = [
    PureDP(epsilon=1),
    ApproxDP(epsilon=1, delta="1e-6"),
    ZCDP(rho="0.1"),
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_visits(tmp_path_factory.mktemp("quantiles") / "visits.parquet")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    total = ApproxDP(epsilon=10**6, delta="1e-3")
    return Ledger(tmp_path / "budget.db", total=total, mode="approximate", begin=True)


def people(file: Path, **how: Any) -> Plan:
    return plan(read(file, unit="patient", **how), max_groups=1, max_rows=4, measure_cut=False)


def question(asked: Plan) -> ColumnQuantiles:
    (only,) = asked.questions
    assert isinstance(only, ColumnQuantiles)
    return only


def released(asked: Plan, ledger: Ledger, budget: Guarantee = LARGE) -> PlanRelease:
    return asked.release(budget, ledger=ledger)


def test_whole_numbers_are_found_themselves(file: Path, ledger: Ledger) -> None:
    asked = people(file).quantiles("age", QUARTILES, lower=0, upper=110)
    table = released(asked, ledger)["quantiles of age"]
    wanted = ask(file, "SELECT UNNEST(QUANTILE_DISC(age, [0.25, 0.5, 0.75])) FROM visits")
    assert table.columns == ("quantile",)
    assert table.rows == ((0.25,), (0.5,), (0.75,))
    assert np.abs(table.values - [value for (value,) in wanted]).max() <= 1
    assert (table.values == np.rint(table.values)).all()
    assert question(asked).part.cells == 111


def test_other_numbers_to_the_width_of_a_part(file: Path, ledger: Ledger) -> None:
    levels = [Fraction(i, 10) for i in range(1, 10)]
    asked = people(file).quantiles("cost", levels, lower=0, upper=500)
    table = released(asked, ledger)["quantiles of cost"]
    wanted = np.array(range(50, 500, 50))  # costs are spread evenly
    assert np.abs(table.values - wanted).max() < 2
    assert (np.diff(table.values) >= 0).all()


def test_groups_and_conditions(file: Path, ledger: Ledger) -> None:
    asked = people(file).quantiles(
        "age", [0.1, 0.9], lower=0, upper=89, by="city", keys=CITIES, where=col("age") > 9
    )
    table = released(asked, ledger)["quantiles of age by city where age > 9"]
    assert table.columns == ("city", "quantile")
    assert table.rows[:2] == (("Oslo", 0.1), ("Oslo", 0.9))
    wanted = ask(
        file,
        "SELECT city, UNNEST(QUANTILE_DISC(age, [0.1, 0.9])) FROM visits WHERE age > 9 "
        "GROUP BY city",
    )
    for city in CITIES:
        truth = [value for name, value in wanted if name == city]
        found = [v for row, v in zip(table.rows, table.values, strict=True) if row[0] == city]
        assert np.abs(np.array(found) - truth).max() <= 1


@pytest.mark.spread(3)
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_ranks_are_off_by_no_more_than_foretold(
    file: Path, tmp_path: Path, budget: Guarantee, neighbours: Neighbours
) -> None:
    ledger = Ledger(tmp_path / "budget.db", total=budget, begin=True)
    asked = people(file, neighbours=neighbours).quantiles("age", QUARTILES, lower=0, upper=89)
    (told,) = asked.preview(budget)
    assert told.of == "rank"
    assert told.answers == 3
    assert 1 - 1e-6 < told.share <= 1  # a price in ρ is a short number
    assert 0 < error(told) < half(told) < 2000
    table = released(asked, ledger, budget)["quantiles of age"]
    for level, value in zip(QUARTILES, table.values, strict=True):
        ((below, upto),) = ask(
            file,
            f"SELECT COUNT(*) FILTER (age < {value}), COUNT(*) FILTER (age <= {value}) FROM visits",
        )
        rank = level * 20000
        # Five times the 95 % bound: the chance to fail is far below one in a million.
        assert max(0, below - rank, rank - upto) <= 5 * half(told)


@pytest.mark.parametrize("levels", [[0.5], [Fraction(i, 50) for i in range(1, 50)]])
def test_with_a_number_of_rows_errors_are_told_in_values(file: Path, levels: Any) -> None:
    """Costs are spread evenly, as the forecast has it."""
    budget = PureDP(epsilon=1)
    asked = people(file).quantiles("cost", levels, lower=0, upper=500, name="it")
    (ranks,) = asked.preview(budget)
    asked = people(file).quantiles("cost", levels, lower=0, upper=500, name="it", expected=20000)
    (told,) = asked.preview(budget)
    assert (ranks.of, told.of) == ("rank", "answer")
    part = 500 / 2**14
    assert half(told) == pytest.approx(half(ranks) * 500 / 20000 + part / 2, rel=1e-9)
    assert error(told) == pytest.approx(error(ranks) * 500 / 20000, rel=1e-9)
    found = list(drawn_again(asked, budget, 40))
    truth = 500 * np.array(levels, dtype=float)
    off = np.abs([np.asarray(table.values) - truth for (table,) in found])
    assert np.mean(off <= half(told) + 2) > 0.94  # the column itself is even up to two
    wide = np.median([table.upper - table.lower for (table,) in found]) / 2
    assert 0.5 < wide / half(told) < 1.5


def test_no_error_is_larger_than_the_range(file: Path) -> None:
    asked = people(file).median("cost", lower=0, upper=500, expected=1)
    (told,) = asked.preview(PureDP(epsilon="0.01"))
    assert half(told) == error(told) == 500


def test_the_budget_for_a_median_in_its_own_unit(file: Path) -> None:
    def needed(within: Any, **how: Any) -> Needed:
        asked = people(file).median("cost", lower=0, upper=500, name="it", **how)
        return asked.needed_with_notes({"it": within})

    found = needed(5, expected=20000)
    assert needed("1%", expected=20000).budget == found.budget
    assert "evenly over their range" in found.assumed[0]
    assert needed(5, expected=2000).budget.epsilon > 5 * found.budget.epsilon
    with pytest.raises(InvalidParameter, match="`expected` in the question"):
        needed(5)
    with pytest.raises(UnsupportedQuery, match="'it' are rounded"):
        needed("0.01", expected=20000)


def test_errors_of_dates_are_days() -> None:
    days = pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-12-30"]).date})
    asked = plan(read(days, unit=None, types={"day": "date"})).median(
        "day", lower="2024-01-01", upper="2024-12-30", expected=1000, name="it"
    )
    (told,) = asked.preview(PureDP(epsilon=1))
    assert told.interval_words.endswith("(days)")
    assert told.yardstick == 365


def test_many_quantiles_come_with_intervals(file: Path, ledger: Ledger) -> None:
    levels = [Fraction(i, 50) for i in range(1, 50)]
    asked = people(file).quantiles("cost", levels, lower=0, upper=500)
    table = released(asked, ledger, PureDP(epsilon=20))["quantiles of cost"]
    assert (table.lower <= table.values).all()
    assert (table.values <= table.upper).all()
    assert np.median(table.upper - table.lower) < 200
    assert "tree of counts" in table.mechanism


def test_one_quantile_comes_with_an_interval(file: Path, ledger: Ledger) -> None:
    asked = people(file).quantiles("cost", [0.5], lower=0, upper=500, name="median")
    (told,) = asked.preview(PureDP(epsilon=1))
    table = released(asked, ledger, PureDP(epsilon=1))["median"]
    assert "two choices by permute-and-flip" in table.mechanism
    assert 0 < table.lower[0] < 250 < table.upper[0] < 500  # costs are spread evenly
    assert table.values[0] == pytest.approx((table.lower[0] + table.upper[0]) / 2, abs=0.05)
    rows = (table.upper[0] - table.lower[0]) / 500 * 20000
    assert told.interval is not None
    assert 0.8 < rows / (2 * told.interval) < 2  # some rows are beyond the bounds
    assert "rows to either side" in table.notes[0]
    again = PlanRelease.from_json(released(asked, ledger).to_json())["median"]
    assert again.lower[0] < again.values[0] < again.upper[0]


def test_replacing_costs_twice_and_contributions_count(file: Path) -> None:
    one = question(people(file).quantiles("age", [0.5], lower=0, upper=89))
    assert people(file).bounded.most == 4 * WEIGHT
    (own,) = one.measurements(people(file).bounded)
    assert isinstance(own, Histograms)
    assert own.max_rows == 4
    rows = plan(read(file, unit=None)).quantiles("age", [0.5], lower=0, upper=89)
    assert rows.bounded.most == 1
    intervals = [
        half(
            people(file, neighbours=each)
            .quantiles("age", [0.5], lower=0, upper=89)
            .preview(PureDP(epsilon=1))[0]
        )
        for each in (Neighbours.ADD_REMOVE, Neighbours.REPLACE)
    ]
    assert intervals[1] == pytest.approx(float(2 * intervals[0]), rel=1e-4)


def test_shares_the_budget_with_other_questions(file: Path, ledger: Ledger) -> None:
    asked = people(file).count().quantiles("age", [0.5], lower=0, upper=89)
    told = asked.preview(PureDP(epsilon=1))
    assert 0 < told[1].share < 1
    assert sum(each.share for each in told) <= 1
    assert released(asked, ledger, PureDP(epsilon=1))["quantiles of age"].values.shape == (1,)


def test_words_and_refusals(file: Path, ledger: Ledger) -> None:
    asked = people(file)
    words = question(asked.quantiles("age", QUARTILES, lower=0, upper=110)).words()
    assert "25 %, 50 %, 75 %" in words
    with pytest.raises(InvalidParameter, match="levels"):
        asked.quantiles("age", [0.5, 0.25], lower=0, upper=110)
    with pytest.raises(InvalidParameter, match="levels"):
        asked.quantiles("age", [1], lower=0, upper=110)
    with pytest.raises(InvalidParameter, match="lower"):
        asked.quantiles("age", [0.5], lower=110, upper=0)
    with pytest.raises(InvalidParameter, match="in the table"):
        asked.quantiles("height", [0.5], lower=0, upper=3)
    with pytest.raises(InvalidParameter, match="cells"):
        asked.quantiles("age", [0.5], lower=0, upper=110, parts=0)
    with pytest.raises(InvalidParameter, match="numbers"):
        released(asked.quantiles("city", [0.5], lower=0, upper=110), ledger)
    assert ledger.history() == []
