"""Every kind of question: near the truth with little noise, as far off as foretold with much."""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.least_noise.optimal import optimal_scalar
from leastnoise.ledger import Ledger
from leastnoise.privacy import ZCDP, ApproxDP, PureDP
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.plan import Plan, plan
from leastnoise.release.read import read
from leastnoise.release.result.plan_release import PlanRelease
from tests.release.drawn_again import drawn_again
from tests.release.foretold import error, half
from tests.release.visits import CITIES, ask, write_visits

LARGE = ApproxDP(epsilon=2000, delta="1e-6")
BUDGETS: list[Guarantee] = [
    PureDP(epsilon=1),
    ApproxDP(epsilon=1, delta="1e-6"),
    ZCDP(rho="0.05", delta="1e-7"),
]
Ask = Callable[[Plan], Plan]
ROWS = 20_000
QUESTIONS: dict[str, Ask] = {
    "count": lambda p: p.count(by="city", keys=CITIES),
    "units": lambda p: p.count_units(where=col("age") >= 18),
    "sum": lambda p: p.sum("cost", lower=-100, upper=400, by="city", keys=CITIES),
    "mean": lambda p: p.mean("cost", lower=0, upper=500, expected=ROWS),
    "variance": lambda p: p.variance("cost", lower=0, upper=500, expected=ROWS),
    "histogram": lambda p: p.histogram("age", lower=0, upper=90, parts=9),
    "marginals": lambda p: p.marginals(["smoker", "insured", "city"], keys={"city": CITIES}),
    "pairs": lambda p: p.marginals(["smoker", "insured", "city"], keys={"city": CITIES}, ways=2),
    "common": lambda p: p.most_common("age", count=5, keys=range(90)),
}
PRIVATE: dict[str, Ask] = {
    "private count": lambda p: p.count(by="city", keys="private"),
    "private mean": lambda p: p.mean("age", lower=0, upper=90, by="city", keys="private"),
    "private common": lambda p: p.most_common("city", count=2, keys="private"),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_visits(tmp_path_factory.mktemp("questions") / "visits.parquet")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    total = ApproxDP(epsilon=10**6, delta="1e-3")
    return Ledger(tmp_path / "budget.db", total=total, mode="approximate", begin=True)


def people(file: Path, **how: Any) -> Plan:
    return plan(read(file, unit="patient", **how), max_groups=1, max_rows=4)


def released(asked: Plan, ledger: Ledger, budget: Guarantee = LARGE) -> PlanRelease:
    return asked.release(budget, ledger=ledger)


# Near the truth when noise is next to nothing: nobody has more than four rows, all in one city.


def test_counts_and_sums(file: Path, ledger: Ledger) -> None:
    asked = QUESTIONS["units"](QUESTIONS["sum"](QUESTIONS["count"](people(file))))
    found = released(asked, ledger)
    truth = dict(ask(file, "SELECT city, COUNT(*) FROM visits GROUP BY 1"))
    table = found["count by city"]
    assert table.values.dtype == np.int64
    assert {row[0]: v for row, v in zip(table.rows, table.values, strict=True)} == truth
    sums = dict(
        ask(file, "SELECT city, SUM(LEAST(cost, 400)) FILTER (cost >= 0) FROM visits GROUP BY 1")
    )
    for row, value in zip(*_parts(found["sum of cost by city"]), strict=True):
        assert value == pytest.approx(sums[row[0]], abs=40)
    ((units,),) = ask(file, "SELECT COUNT(DISTINCT patient) FROM visits WHERE age >= 18")
    assert found["units where age >= 18"].values[0] == units


def _parts(table: Any) -> tuple[Any, Any]:
    return table.rows, table.values


def test_means_and_variances(file: Path, ledger: Ledger) -> None:
    found = released(QUESTIONS["variance"](QUESTIONS["mean"](people(file))), ledger)
    ((mean, variance),) = ask(file, "SELECT AVG(cost), VAR_POP(cost) FROM visits")
    assert found["mean of cost"].values[0] == pytest.approx(mean, abs=0.05)
    assert found["variance of cost"].values[0] == pytest.approx(variance, rel=1e-3)
    deviation = found["variance of cost"].map(np.sqrt, "deviation of cost")
    assert deviation.values[0] == pytest.approx(math.sqrt(variance), rel=1e-3)
    assert deviation.lower[0] <= deviation.values[0] <= deviation.upper[0]
    assert "a function of" in deviation.notes[-1]


def test_histograms_and_marginals(file: Path, ledger: Ledger) -> None:
    asked = QUESTIONS["pairs"](QUESTIONS["marginals"](QUESTIONS["histogram"](people(file))))
    found = released(asked, ledger)
    ages = ask(file, "SELECT age // 10 AS a, COUNT(*) FROM visits GROUP BY a ORDER BY a")
    histogram = found["histogram of age"]
    assert histogram.columns == ("age_from", "age_to")
    assert histogram.rows[3] == (30.0, 40.0)
    assert histogram.values == pytest.approx([count for _, count in ages], abs=1)
    ones = dict(zip(*_parts(found["marginals of smoker, insured, city"]), strict=True))
    ((smokers,),) = ask(file, "SELECT COUNT(*) FROM visits WHERE smoker")
    assert ones[True, None, None] == pytest.approx(smokers, abs=2)
    assert len(ones) == 2 + 2 + 4
    pairs = dict(zip(*_parts(found["marginals of smoker, insured, city, 2 ways"]), strict=True))
    ((both,),) = ask(file, "SELECT COUNT(*) FROM visits WHERE NOT smoker AND city = 'Oslo'")
    assert pairs[False, None, "Oslo"] == pytest.approx(both, abs=2)
    assert len(pairs) == 4 + 8 + 8


def test_the_most_common(file: Path, ledger: Ledger) -> None:
    asked = people(file).most_common(
        "age", count=3, keys=range(90), where=col("age").isin([3, 4, 5])
    )
    found = released(asked, ledger).tables[0]
    assert {row[0] for row in found.rows} == {3, 4, 5}
    assert list(found.values) == sorted(found.values, reverse=True)


def test_private_keys(file: Path, ledger: Ledger) -> None:
    asked = people(file)
    for add in PRIVATE.values():
        asked = add(asked)
    found = released(asked, ledger)
    assert [row[0] for row in found["count by city"].rows] == sorted(CITIES)
    truth = dict(ask(file, "SELECT city, AVG(age) FROM visits GROUP BY 1"))
    for row, value in zip(*_parts(found["mean of age by city"]), strict=True):
        assert value == pytest.approx(truth[row[0]], abs=0.05)
    assert len(found["2 most common by city"]) == 2


def test_small_groups_are_not_shown(file: Path, ledger: Ledger) -> None:
    """One patient has each age that is asked for: δ allows one of them to show in a million."""
    asked = people(file).count_units(by=["age", "patient"], keys="private")
    found = released(asked, ledger, ApproxDP(epsilon=1, delta="1e-7")).tables[0]
    assert len(found) == 0
    assert found.to_csv().splitlines()[0].startswith("age,patient,value")
    assert found.to_polars().shape == (0, 8)


def test_relative_counts(file: Path, ledger: Ledger) -> None:
    asked = people(file).relative_counts(
        by="city", keys=[*CITIES, "Nowhere"], relative_error="0.02", smallest=100
    )
    found = released(asked, ledger, ApproxDP(epsilon=8, delta="1e-6")).tables[0]
    for value, low, high in zip(found.values[:4], found.lower, found.upper, strict=False):
        assert value == pytest.approx(1250, rel=0.15)
        assert low < value < high
    assert found.values[4] == pytest.approx(100, rel=0.2)
    assert found.lower[4] == 0
    with pytest.raises(UnsupportedQuery, match="rho"):
        asked.preview(ApproxDP(epsilon="0.1", delta="1e-6"))
    with pytest.raises(UnsupportedQuery, match="relative errors"):
        asked.preview(PureDP(epsilon=100))


def test_clips(file: Path, ledger: Ledger) -> None:
    """Four rows of each patient count in full under a clip of four, and half under one of two."""
    for most, part in ((4, 1.0), (2, 0.5)):
        for clip in (Clip(max_total=most), Clip(max_norm=most)):
            asked = (
                people(file)
                .count(by="city", keys=CITIES, clip=clip)
                .sum("age", lower=0, upper=90, clip=clip)
                .mean("age", lower=0, upper=90, by="city", keys=CITIES, clip=clip, expected=5000)
            )
            found = released(asked, ledger)
            assert found["count by city"].values == pytest.approx([5000 * part] * 4, abs=1)
            ((total, mean),) = ask(file, "SELECT SUM(age), AVG(age) FROM visits")
            assert found["sum of age"].values[0] == pytest.approx(total * part, rel=1e-3)
            assert found["mean of age by city"].values == pytest.approx([mean] * 4, abs=0.6)
            told = asked.preview(PureDP(epsilon=1))
            assert all(0 < error(one) <= float(half(one)) for one in told)
            assert "weigh at most" in asked.questions[0].words()


def test_clips_are_cheap_for_units_in_many_groups(file: Path) -> None:
    """A unit with one row in each of 25 groups: Gaussian noise for 5 instead of 25."""
    table = read(file, unit="patient")
    budget = ZCDP(rho="0.1")
    clipped = plan(table).count(by="age", keys=range(90), clip=Clip(max_norm=5))
    bounded = plan(table, max_groups=25, max_rows=1).count(by="age", keys=range(90))
    assert clipped.preview(budget)[0].expected_error == pytest.approx(
        bounded.preview(budget)[0].expected_error, rel=0.02
    )
    rows = plan(read(file, unit=None)).count(by="age", keys=range(90), clip=Clip(max_norm=5))
    plain = plan(read(file, unit=None)).count(by="age", keys=range(90))
    assert rows.preview(budget)[0].expected_error == plain.preview(budget)[0].expected_error


@pytest.mark.parametrize(
    "bad",
    [
        lambda p: p.count(clip=5),
        lambda p: p.count(clip=Clip(max_total=0)),
        lambda p: p.count(clip=Clip()),
    ],
)
def test_bad_clips(file: Path, bad: Any) -> None:
    with pytest.raises(InvalidParameter):
        bad(people(file))
    with pytest.raises(UnsupportedQuery, match="List the groups"):
        people(file).count(by="city", keys="private", clip=Clip(max_total=3))


# As far off as foretold.


@pytest.mark.spread(14)
@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_can_be_asked_for_every_budget(
    file: Path, tmp_path: Path, name: str, budget: Guarantee
) -> None:
    asked = QUESTIONS[name](people(file)).count(name="one more")
    told = asked.preview(budget)
    assert sum(one.share for one in told) <= 1
    assert all(0 < error(one) <= float(half(one)) for one in told)
    assert told[0].answers == len(_answers(asked, tmp_path, budget))
    assert asked.questions[0].words().endswith(".")


def _answers(asked: Plan, folder: Path, budget: Guarantee) -> Any:
    total = ZCDP(rho=10, delta="1e-3") if isinstance(budget, ZCDP) else LARGE
    mode = "zcdp" if isinstance(budget, ZCDP) else "approximate"
    ledger = Ledger(folder / "own.db", total=total, mode=mode, begin=True)
    return asked.release(budget, ledger=ledger).tables[0]


@pytest.mark.spread(3)
@pytest.mark.parametrize("budget", BUDGETS[1:], ids=repr)
@pytest.mark.parametrize("name", PRIVATE)
def test_private_questions(file: Path, tmp_path: Path, name: str, budget: Guarantee) -> None:
    asked = PRIVATE[name](people(file)).count(name="one more")
    told = asked.preview(budget)[0]
    assert told.shown_from is not None
    assert 5 < told.shown_from < 1000
    assert [row[0] for row in sorted(_answers(asked, tmp_path, budget).rows)]


COVERED = ["count", "sum", "mean", "variance", "histogram", "marginals", "pairs"]


@pytest.mark.spread(7)
@pytest.mark.parametrize("budget", BUDGETS[:2], ids=repr)
@pytest.mark.parametrize("name", COVERED)
def test_intervals_cover_the_truth(
    file: Path, ledger: Ledger, name: str, budget: Guarantee
) -> None:
    """240 answers: an interval that is right 95 % of the time misses more than 32 of them once in
    10^6 at most; one of half the width misses a third of them. Of 100 answers likewise 18: enough
    where an interval takes long."""
    asked = QUESTIONS[name](people(file))
    exact = float(released(asked, ledger).tables[0].values[0])
    times, most = (100, 18) if name in ("mean", "variance") else (240, 32)
    seen = [tables[0] for tables in drawn_again(asked, budget, times)]
    missed = sum(bool(one.lower[0] > exact + 1 or one.upper[0] < exact - 1) for one in seen)
    assert missed <= most
    deviation = np.std([float(one.values[0]) for one in seen])
    if name in ("count", "sum", "histogram", "marginals", "pairs"):
        assert deviation == pytest.approx(float(seen[0].standard_error[0]), rel=0.6)
    else:
        told = np.median([float(one.standard_error[0]) for one in seen])
        assert deviation == pytest.approx(told, rel=0.7)


def test_private_keys_need_a_delta(file: Path) -> None:
    asked = PRIVATE["private count"](people(file))
    for budget in (PureDP(epsilon=1), ZCDP(rho=1), ApproxDP(epsilon=1, delta=0)):
        with pytest.raises(UnsupportedQuery, match="delta above 0"):
            asked.preview(budget)


def test_replacement_costs_more(file: Path) -> None:
    budget = ApproxDP(epsilon=1, delta="1e-6")
    for name, add in QUESTIONS.items():
        near = add(people(file)).count(name="one more").preview(budget)[0]
        far = add(people(file, neighbours=Neighbours.REPLACE))
        further = far.count(name="one more").preview(budget)[0]
        assert error(further) > 0.99 * error(near), name


def test_more_rows_cost_more(file: Path) -> None:
    table = read(file, unit="patient")
    budget = ApproxDP(epsilon=1, delta="1e-6")
    for name in ("count", "sum", "mean", "variance", "histogram", "marginals"):
        errors = [
            QUESTIONS[name](plan(table, max_groups=1, max_rows=rows)).preview(budget)
            for rows in (1, 8)
        ]
        assert errors[1][0].expected_error == pytest.approx(8 * error(errors[0][0]), rel=0.3)


# Choosing.


@pytest.mark.parametrize("epsilon", ["0.1", 1, 4])
def test_a_small_delta_is_not_worth_spending_on_a_wide_sum(epsilon: Any) -> None:
    """What is given up, beside the cut-off staircase: a part in 10^4 at most."""
    kept = optimal_scalar(sensitivity=1000, epsilon=epsilon, delta=0).law.moment(1)
    delta = Fraction(epsilon) * Fraction(2, 10**6)
    spent = optimal_scalar(sensitivity=1000, epsilon=epsilon, delta=delta).law.moment(1)
    assert float(spent) < float(kept) < 1.0001 * float(spent)


def test_advice_keeps_its_word(file: Path) -> None:
    table = read(file, unit="patient")
    budget = PureDP(epsilon=1)

    def asked(rows: int) -> Plan:
        bounded = plan(table, max_groups=2, max_rows=rows)
        return bounded.count(by="city", keys=CITIES).count_units()

    told = asked(8).preview(budget)
    (about_rows,) = [hint for hint in told[0].advice if "max_rows=4" in hint]
    ratio = float(about_rows.split("noise ")[1].split()[0])
    after = error(asked(4).preview(budget)[0])
    assert after / error(told[0]) == pytest.approx(ratio, rel=0.02)
    assert not any("max_rows" in hint for hint in told[1].advice)  # it counts people, not rows


@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_the_budget_that_is_needed(file: Path, delta: Any) -> None:
    asked = QUESTIONS["sum"](QUESTIONS["count"](people(file)))
    wanted: dict[str, Any] = {"count by city": 30, "sum of cost by city": 20_000}
    found = asked.needed(wanted, delta=delta)
    assert all(half(one) <= wanted[one.question] for one in asked.preview(found))
    less = found.epsilon * Fraction(98, 100)
    tighter = PureDP(epsilon=less) if not delta else ApproxDP(epsilon=less, delta=delta)
    assert not all(half(one) <= wanted[one.question] for one in asked.preview(tighter))


@pytest.mark.parametrize(
    "bad", [{}, {"nothing": 3}, {"count by city": 0}, {"count by city": "wide"}]
)
def test_precision_that_cannot_be_asked_for(file: Path, bad: Any) -> None:
    with pytest.raises(InvalidParameter):
        QUESTIONS["count"](people(file)).needed(bad)


def test_precision_that_cannot_be_had(file: Path) -> None:
    with pytest.raises(UnsupportedQuery, match=r"No budget does: values of .* are rounded"):
        QUESTIONS["mean"](people(file)).needed({"mean of cost": "1e-300"})


def test_budgets_too_small_to_draw_noise_from(file: Path) -> None:
    asked = QUESTIONS["sum"](QUESTIONS["count"](people(file)))
    with pytest.raises(UnsupportedQuery, match="Choose another budget"):
        asked.preview(ZCDP(rho="1e-30"))


@pytest.mark.parametrize(
    "bad",
    [
        lambda p: p.histogram("age", lower=0, upper=90, parts=0),
        lambda p: p.histogram("age", lower=0, upper=90, parts=2**21),
        lambda p: p.marginals([]),
        lambda p: p.marginals(["smoker", "smoker"]),
        lambda p: p.marginals(["city"]),
        lambda p: p.marginals(["smoker"], keys={"city": ["Oslo"]}),
        lambda p: p.marginals(["city"], keys={"city": ["Oslo"]}),
        lambda p: p.marginals(["smoker"], ways=2),
        lambda p: p.marginals(["nothing"]),
        lambda p: p.most_common("city", count=9, keys=CITIES),
        lambda p: p.most_common("city", count=0, keys="private"),
        lambda p: p.relative_counts(relative_error=0, smallest=1),
        lambda p: p.variance("cost", lower=1, upper=1),
        lambda p: p.count(by="city", keys="Oslo"),
        lambda p: p.count(keys="private"),
    ],
)
def test_bad_questions_are_refused(file: Path, bad: Any) -> None:
    with pytest.raises(InvalidParameter):
        bad(people(file))


def test_histograms_need_public_groups(file: Path) -> None:
    with pytest.raises(UnsupportedQuery, match="List the groups"):
        people(file).histogram("age", lower=0, upper=9, parts=3, by="city", keys="private")
