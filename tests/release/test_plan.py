"""Plans: previewed without data, charged before noise, answered with what was promised."""

import json
import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from mpmath import mp

from leastnoise.errors import BudgetExceeded, InvalidParameter, UnsupportedQuery
from leastnoise.ledger import Ledger
from leastnoise.noise import Canonical, DiscreteGaussian, DiscreteLaplace, Staircase
from leastnoise.privacy import GDP, ZCDP, ApproxDP, PureDP
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.plan import Plan, plan
from leastnoise.release.price.allocation import granted
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.read import read
from leastnoise.release.step.demand import Demand, noise_demand
from leastnoise.release.step.sensitivity import Sensitivity
from tests.release.foretold import error, half

CITIES = ["Oslo", "Bergen", "Trondheim"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20 000 visits of 5 000 patients."""
    place = tmp_path_factory.mktemp("plan") / "visits.parquet"
    duckdb.sql(
        f"""COPY (SELECT (i * 7919) % 5000 AS patient,
                    ['Oslo', 'Bergen', 'Trondheim', 'Elsewhere'][1 + i % 4] AS city,
                    (i * 31) % 90 AS age, ((i * 17) % 500)::DOUBLE AS cost
             FROM range(20000) t(i)) TO '{place}' (FORMAT parquet)"""
    )
    return place


@pytest.fixture
def asked(file: Path) -> Plan:
    table = read(file, unit="patient")
    return (
        plan(table, max_groups=2, max_rows=4)
        .count(by="city", keys=CITIES)
        .count_units()
        .sum("cost", lower=0, upper=500, by="city", keys=CITIES)
        .mean("age", lower=0, upper=110, where=col("cost") > 50)
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "budget.db", total=ApproxDP(epsilon=1000, delta="1e-5"), begin=True)


def test_a_plan_is_priced_once_for_a_budget_and_drawn_anew_each_time(
    asked: Plan, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    priced, real = list[Guarantee](), PricedPlan.of

    def counted(table: Any, questions: Any, budget: Guarantee) -> PricedPlan:
        priced.append(budget)
        return real(table, questions, budget)

    monkeypatch.setattr(PricedPlan, "of", counted)
    small, large = PureDP(epsilon=1), PureDP(epsilon=2)
    asked.admitted(small)
    one, other = (asked.release(small, ledger=ledger) for _ in range(2))
    assert priced == [small]
    assert one.entry.number < other.entry.number
    pairs = zip(one.tables, other.tables, strict=True)
    same = [a.values.tolist() == b.values.tolist() for a, b in pairs]
    # The second is the number of units: one integer, alike in one of twenty pairs of draws.
    assert [same[0], *same[2:]] == [False] * 3
    assert asked.admitted(large).costs != asked.admitted(small).costs
    assert priced == [small, large, small]  # one is kept, not all


def test_who_waits_is_told_the_questions_of_each_pass(asked: Plan, ledger: Ledger) -> None:
    class Line:
        def __init__(self) -> None:
            self.told: list[object] = []

        def __call__(self, done: int, of: int) -> None:
            self.told.append((done, of))

        def reading(self, names: list[str]) -> None:
            self.told.append(names)

    line = Line()
    asked.release(ApproxDP(epsilon=1, delta="1e-6"), ledger=ledger, progress=line)
    names, passes = line.told[::2], line.told[1::2]
    assert passes == [(done, len(passes)) for done in range(1, len(passes) + 1)]
    assert names[0] == ["count by city", "sum of cost by city"]
    told = {name for each in names if isinstance(each, list) for name in each}
    assert told == {each.name for each in asked.questions} | {"what the bounds leave out"}


def test_a_plan_that_was_priced_can_be_sent_to_another_process(asked: Plan) -> None:
    budget = PureDP(epsilon=1)
    asked.admitted(budget)
    sent = pickle.loads(pickle.dumps(asked))
    assert sent.digest == asked.digest
    assert sent.admitted(budget).costs == asked.admitted(budget).costs


BUDGETS: list[Guarantee] = [
    PureDP(epsilon=1),
    ApproxDP(epsilon=1, delta="1e-7"),
    ApproxDP(epsilon=1, delta=0),
    ZCDP(rho="0.1"),
]


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_previews_tell_every_error(asked: Plan, budget: Guarantee) -> None:
    told = asked.preview(budget)
    assert [one.question for one in told] == [
        "count by city", "units", "sum of cost by city", "mean of age where cost > 50",
    ]  # fmt: skip
    assert sum(one.share for one in told) <= 1
    assert all(0 < error(one) < float(half(one)) for one in told if one.per_row is None)
    assert told[-1].error_words.endswith(" / rows")  # nobody said how many rows a mean has


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_prices_add_up_to_no_more_than_the_budget(asked: Plan, budget: Guarantee) -> None:
    given = [one for part in asked._priced(budget).grants for one in part]
    wholes = {id(one.joint.whole if one.joint else one): one for one in given}
    prices = [one.price for one in wholes.values()]  # of a draw that several share, once
    if isinstance(prices[0], ZCDP):
        rho = sum((price.rho for price in prices if isinstance(price, ZCDP)), Fraction(0))
        if isinstance(budget, ZCDP):
            assert rho <= budget.rho
        else:
            assert isinstance(budget, ApproxDP)
            assert 0.01 < rho < 0.03
            assert _normal_leak(float(budget.epsilon), rho) <= budget.delta
        assert all(isinstance(one.law, DiscreteGaussian) for one in given if one.joint is None)
    else:
        epsilon = sum((price.epsilon for price in prices if isinstance(price, PureDP)), Fraction(0))
        assert epsilon <= 1
        alone = [one.law for one in given if one.joint is None]
        assert all(isinstance(law, DiscreteLaplace | Canonical | Staircase) for law in alone)


def _normal_leak(epsilon: float, rho: Fraction) -> Any:
    """The δ at ε of N(0, 1) and N(μ, 1) with ρ = μ²/2, in many digits: BalleWang2018."""
    mu = mp.sqrt(2 * mp.mpf(rho.numerator) / rho.denominator)
    low, high = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    return mp.ncdf(low) - mp.exp(epsilon) * mp.ncdf(high)


def test_answers_are_near_the_truth(asked: Plan, ledger: Ledger, file: Path) -> None:
    release = asked.release(ApproxDP(epsilon=500, delta="1e-7"), ledger=ledger)
    city = release["count by city"]
    assert [row[0] for row in city.rows] == CITIES
    found = duckdb.sql(
        f"""SELECT city, SUM(LEAST(n, 4)) FROM (SELECT patient, city, COUNT(*) n
            FROM '{file}' GROUP BY ALL) GROUP BY city"""
    )
    assert found is not None
    truth = dict(found.fetchall())
    # Every patient visits one city here, so that bounding by groups drops nothing.
    for (name,), value in zip(city.rows, city.values, strict=True):
        assert value == pytest.approx(float(truth[name]), abs=5)
    assert release["units"].values[0] == pytest.approx(5000, abs=5)
    assert 0 <= release["mean of age where cost > 50"].values[0] <= 110
    assert release.entry.number == 1


def test_the_charge_comes_before_the_noise(asked: Plan, tmp_path: Path) -> None:
    poor = Ledger(tmp_path / "poor.db", total=ApproxDP(epsilon="0.5", delta="1e-7"), begin=True)
    with pytest.raises(BudgetExceeded):
        asked.release(ApproxDP(epsilon=1, delta="1e-7"), ledger=poor)
    assert poor.history() == []
    asked.release(ApproxDP(epsilon="0.5", delta="1e-7"), ledger=poor)
    assert isinstance(poor.remaining, ApproxDP)
    assert poor.remaining.epsilon < Fraction(1, 10**6)  # shares are rounded down


def test_a_release_is_a_value(asked: Plan, ledger: Ledger) -> None:
    release = asked.release(PureDP(epsilon=1), ledger=ledger)
    facts = json.loads(release.to_json())
    assert len(facts["tables"]) == 4
    assert facts["plan"] == asked.digest
    table = release["sum of cost by city"]
    head = ["city", "value", "standard_error", "lower", "upper", "grade", "flags"]
    assert table.to_csv().splitlines()[0] == ",".join(head)
    assert list(table.to_pandas().columns) == head
    assert "Oslo" in str(release)
    ends = table.lower, table.values, table.upper
    assert all(low < v < high for low, v, high in zip(*ends, strict=True))
    with pytest.raises(InvalidParameter, match="One of"):
        release["nothing"]


def test_one_count_gets_the_least_noise(file: Path) -> None:
    single = plan(read(file, unit=None)).count()
    ((given,),) = single._priced(ApproxDP(epsilon=1, delta="1e-6")).grants
    assert given.law == Canonical(epsilon=1, delta="1e-6")


def test_importance_moves_the_budget(file: Path) -> None:
    table = read(file, unit=None)
    few = plan(table, max_groups=1, max_rows=1).count(where=col("cost") > 1, name="a")
    many = plan(table, max_groups=1, max_rows=1).count(
        where=col("cost") > 1, importance=900, name="a"
    )
    even = few.count(where=col("cost") > 2, name="b").preview(PureDP(epsilon=1))
    odd = many.count(where=col("cost") > 2, name="b").preview(PureDP(epsilon=1))
    assert even[0].share == even[1].share
    assert float(odd[0].share) == pytest.approx(30 / 31, abs=1e-2)


def test_units_of_a_column_do_not_matter(file: Path) -> None:
    table = read(file, unit=None)
    asked = plan(table, max_groups=1, max_rows=1).count().sum("cost", lower=0, upper=500)
    shares = [one.share for one in asked.preview(PureDP(epsilon=1))]
    assert float(shares[0]) == pytest.approx(0.5, abs=1e-3)


def test_the_split_is_the_best_one() -> None:
    needs = [
        noise_demand(Sensitivity(1, 2, 2, 2), Fraction(1)),
        noise_demand(Sensitivity(5, 2, 10, 50), Fraction(2)),
    ]
    for budget in (PureDP(epsilon=1), ZCDP(rho="0.01")):
        best = _cost(needs, granted(needs, budget))
        for factor in (0.8, 1.25):
            skewed = [needs[0], replace(needs[1], weight=needs[1].weight * Fraction(factor))]
            other = _cost(needs, granted(skewed, budget))
            assert other > best


def _cost(needs: list[Demand], given: Any) -> float:
    pairs = zip(needs, given, strict=True)
    return sum(float(need.weight) * float(np.sqrt(float(one.law.variance))) for need, one in pairs)


def test_digests_tell_plans_apart(asked: Plan) -> None:
    assert asked.digest != asked.count(name="one more").digest
    assert asked.digest == asked.digest


@pytest.mark.parametrize(
    "bad",
    [
        lambda p: p.count(by="city"),
        lambda p: p.count(keys=["Oslo"]),
        lambda p: p.count(by="city", keys=[]),
        lambda p: p.count(by="city", keys=["Oslo", "Oslo"]),
        lambda p: p.count(by="city", keys=["Oslo", 3]),
        lambda p: p.count(by="city", keys=Keys.of("age", [1])),
        lambda p: p.count(importance=0),
        lambda p: p.count().count(),
        lambda p: p.sum("cost", lower=5, upper=1),
        lambda p: p.preview(PureDP(epsilon=1)),
    ],
)
def test_bad_questions_are_refused(file: Path, bad: Any) -> None:
    with pytest.raises(InvalidParameter):
        bad(plan(read(file, unit="patient"), max_groups=1, max_rows=1))


def test_unknown_columns_cost_nothing(file: Path, ledger: Ledger) -> None:
    empty = plan(read(file, unit="patient"), max_groups=1, max_rows=1)
    with pytest.raises(InvalidParameter, match="price"):
        empty.sum("price", lower=0, upper=1)
    narrow = read(duckdb.sql("SELECT 1 AS patient"), unit="patient")
    wrong = replace(empty.sum("cost", lower=0, upper=1), table=narrow)
    with pytest.raises(InvalidParameter, match="cost"):
        wrong.release(PureDP(epsilon=1), ledger=ledger)
    assert ledger.history() == []


def test_budgets_that_are_refused_are_told_in_words(asked: Plan) -> None:
    with pytest.raises(InvalidParameter, match="must be above 0; got ε = 0, δ = 0"):
        asked.preview(ApproxDP(epsilon=0, delta=0))
    with pytest.raises(UnsupportedQuery, match="can be drawn; ε = 10⁻⁴⁰⁰ asks for more"):
        asked.preview(PureDP(epsilon="1e-400"))
    count = plan(asked.table, max_groups=1, max_rows=1).count()
    for budget in (PureDP(epsilon="1e-160"), ApproxDP(epsilon="1e-61", delta="1e-9")):
        with pytest.raises(UnsupportedQuery, match="can be drawn; ε = 10⁻"):
            count.preview(budget)
    interval = count.preview(PureDP(epsilon="1e-59"))[0].interval
    assert interval is not None
    assert interval > 10**58


def test_budgets_of_other_kinds(asked: Plan) -> None:
    with pytest.raises(UnsupportedQuery, match="PureDP, ApproxDP or ZCDP"):
        asked.preview(GDP(mu=1))


def test_a_preview_prices_the_plan_once(asked: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside it, only what fewer rows and fewer groups would change is priced."""
    budget, priced = ZCDP(rho=1), []
    plain = PricedPlan.of.__func__  # type: ignore[attr-defined]

    def counted(cls: type[PricedPlan], table: Any, *more: Any) -> PricedPlan:
        priced.append(table)
        found: PricedPlan = plain(cls, table, *more)
        return found

    monkeypatch.setattr(PricedPlan, "of", classmethod(counted))
    asked.admitted(budget)
    asked.preview(budget)
    assert priced.count(asked.bounded) == 1
    assert len(priced) == 3
