"""Every kind of question, on every engine: the same exact totals, moved no farther than claimed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import psycopg
import pytest

import leastnoise as ln
from leastnoise.auditing import audit_plan
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.table import Table
from leastnoise.release.file.question_kinds import KINDS
from leastnoise.release.measure.measure import measure
from leastnoise.release.plan import Plan
from leastnoise.release.read import read
from leastnoise.release.step.secret_totals import SecretTotals

# PySpark warns of the newest pandas, which nothing here makes it use.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

BY: dict[str, Any] = {"by": "city", "keys": ["Oslo", "Bergen", "Bodø"]}
COST: dict[str, Any] = {"lower": 0, "upper": 100}
OTHER: dict[str, Any] = {"other_lower": 0, "other_upper": 5}
LATE = col("late") == True  # noqa: E712
ASKED: dict[str, Callable[[Plan], Plan]] = {
    "count": lambda p: p.count(**BY),
    "units": lambda p: p.count_units(**BY),
    "distinct": lambda p: p.distinct("age", max_rows=3, **BY),
    "sum": lambda p: p.sum("cost", **COST, **BY),
    "mean": lambda p: p.mean("cost", **COST, **BY),
    "variance": lambda p: p.variance("cost", **COST, **BY),
    "std": lambda p: p.std("cost", **COST, **BY),
    "covariance": lambda p: p.covariance("cost", "time", **COST, **OTHER, **BY),
    "correlation": lambda p: p.correlation("cost", "time", **COST, **OTHER, **BY),
    "regression": lambda p: p.regression(
        "cost", ["time", "late"], **COST, on_lower=[0, 0], on_upper=[5, 1], population=True, **BY
    ),
    "share": lambda p: p.share(LATE, **BY),
    "share_units": lambda p: p.share_units(LATE, **BY),
    "ratio": lambda p: p.ratio("cost", "time", **COST, over_lower=0, over_upper=5, **BY),
    "weighted_mean": lambda p: p.weighted_mean("cost", "time", **COST, most_weight=5, **BY),
    "histogram": lambda p: p.histogram("cost", **COST, parts=7, **BY),
    "cumulative": lambda p: p.cumulative("cost", **COST, parts=11, **BY),
    "quantiles": lambda p: p.quantiles("cost", [0.25, 0.5], **COST, parts=50, **BY),
    "median": lambda p: p.median("cost", **COST, parts=50, **BY),
    "marginals": lambda p: p.marginals(["late", "city"], ways=2, keys={"city": BY["keys"]}),
    "relative_counts": lambda p: p.relative_counts(relative_error="0.5", smallest=9, **BY),
    "most_common": lambda p: p.most_common("city", count=2, keys=BY["keys"]),
    "outside": lambda p: p.outside("cost", lower=20, upper=90),
}
_MADE = np.random.default_rng(4)
_ROWS = 60
ROWS = pd.DataFrame(
    {
        "who": np.arange(_ROWS) // 3,  # three rows each, of which two count
        "city": np.where(np.arange(_ROWS) // 3 % 3 == 0, "Oslo", "Bergen"),
        "cost": np.where(np.arange(_ROWS) % 7, _MADE.gamma(2, 30, _ROWS), np.nan),
        "time": np.where(np.arange(_ROWS) % 11, _MADE.uniform(-1, 6, _ROWS), np.nan),
        "age": np.arange(_ROWS) % 17,
        "late": _MADE.random(_ROWS) < 0.4,
    }
)


def totals(asked: Callable[[Plan], Plan], table: Table) -> list[SecretTotals]:
    plan = asked(ln.plan(table, max_groups=2, max_rows=2))
    return measure(
        table, [each for one in plan.questions for each in one.measurements(plan.bounded)]
    )


def assert_same(name: str, table: Table) -> None:
    found, known = (totals(ASKED[name], each) for each in (table, read(ROWS, unit="who")))
    assert len(found) == len(known) > 0
    for one, other in zip(found, known, strict=True):
        assert one.rows == other.rows
        pairs = zip(one.totals, other.totals, strict=True)
        assert all(a.tolist() == b.tolist() for a, b in pairs)
    assert any(any(total) for each in known for total in each.totals)


def test_every_kind_is_here() -> None:
    others = {"unparsed", "without_unit"}  # test_unparsed.py, test_rows_left_out.py
    assert {*ASKED, *others} == set(KINDS)


@pytest.fixture(scope="module")
def postgres(empty_postgres: str) -> Table:
    with psycopg.connect(empty_postgres, autocommit=True) as link:
        kinds = "who bigint, city text, cost float8, time float8, age bigint, late boolean"
        link.execute(f"CREATE TABLE rows ({kinds})")
        with link.cursor() as cursor:
            listed = ROWS.astype(object).to_numpy().tolist()
            cursor.executemany("INSERT INTO rows VALUES (%s, %s, %s, %s, %s, %s)", listed)
    return read(empty_postgres, unit="who", table="rows")


@pytest.mark.parametrize("name", ASKED)
def test_totals_on_postgres(name: str, postgres: Table) -> None:
    assert_same(name, postgres)


@pytest.fixture
def frame(spark: Any) -> Table:
    return read(spark.createDataFrame(ROWS), unit="who")


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_totals_on_spark(name: str, frame: Table) -> None:
    assert_same(name, frame)


@pytest.mark.parametrize("name", ASKED)
def test_no_kind_moves_farther_than_claimed(name: str) -> None:
    table = read(ROWS.head(12), unit="who")
    found = audit_plan(ASKED[name](ln.plan(table, max_groups=2, max_rows=2)), orders=1)
    assert not found.violated, str(found)
