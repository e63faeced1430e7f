"""Rows gathered by unit before they are summed, and lists of units' groups: the same totals."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, given, settings

import leastnoise as ln
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import SparkFrame
from leastnoise.release.ask.table import Table
from leastnoise.release.measure import measure as measuring
from leastnoise.release.measure import repeated_pairs
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.backends.spark import SparkSessionBeside
from leastnoise.release.measure.measure import answered, made_once, measure, pass_query, spread_of
from leastnoise.release.measure.one_pass import Pass, sought
from leastnoise.release.measure.repeated_pairs import rarely_repeat
from leastnoise.release.measure.spread_pass import fused_spreads
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.dialect import SPARK
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import (
    CountPresent,
    CountRows,
    CountUnits,
    SumOf,
    SumOfSquares,
)
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import Spread, UnitSpread
from tests.release.fuzz import UNITS, optional, rows_of, spreads
from tests.release.reference import Row, expected, expected_spread
from tests.release.sessions import Totals, by_key, followed_order, pass_of, passes_of, table_of
from tests.release.spark_cluster import Cluster
from tests.release.test_spark import FOLLOWED, ShownSession

pytest.importorskip("pyspark")
# PySpark warns of the newest pandas, which nothing here makes it use.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

SALT = 77
# Rows of one unit that went to two places would be seen: there are several.
PLACES = {"spark.sql.shuffle.partitions": "3", "spark.sql.adaptive.enabled": "false"}
KEYS = Keys.of("k", range(9))
GRID = Grid(lower=-4, upper=4, bits=2)
KNOTS = [0, 1, 2, 5, 30]
VALUE = col("v")
AGGREGATES = (CountRows(), CountUnits(), SumOf(VALUE, GRID), CountPresent(VALUE, GRID),
              SumOfSquares(VALUE, GRID))  # fmt: skip
Weights = dict[UnitSpread, list[int]]


@pytest.fixture(scope="module")
def followed(running: Cluster) -> Iterator[ShownSession]:
    with ShownSession(running.session(), FOLLOWED) as session:
        for name, value in PLACES.items():
            session._session.conf.set(name, value)
        yield session


def found_in(
    table: Table,
    measurement: Measurement,
    session: Session,
    *,
    gathered: bool,
    beside: list[UnitSpread] | None = None,
) -> tuple[Totals, Weights]:
    """The totals; and of pairs that are held for both, the spreads."""
    one = pass_of(measurement)
    query = replace(pass_query(table, one, SALT, session), gathered=gathered)
    weights: Weights = {}
    with made_once(query, fused_spreads(beside or []), table, session) as (ready, own):
        assert bool(own) == bool(beside)
        totals = by_key(one.part(sought(measurement)[0], answered(ready, table, session)))
        for each in own:
            shown = spread_of(each, ready, session)
            weights |= {spread: shown[spread].totals[0].tolist() for spread in each.spreads}
    return totals, weights


def all_ways(
    table: Table, measurement: Measurement, beside: list[UnitSpread], session: Session
) -> list[tuple[Totals, Weights]]:
    """By the window and of held pairs, of rows summed first and of gathered rows."""
    return [
        found_in(table, measurement, session, gathered=gathered, beside=held)
        for held in ([], beside)
        for gathered in (False, True)
    ]


# Of all ways, the totals and the spreads are those of the reference.


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking takes minutes on a cluster
)
@given(rows_of(optional(UNITS)), spreads())
def test_gathered_rows_have_the_totals_of_the_reference(
    followed: ShownSession, rows: list[Row], asked: list[UnitSpread]
) -> None:
    own = [each for each in asked if each.of is not Spread.VALUES][:1]
    assert_as_expected(followed, rows, own[0].measurement, own)


@pytest.mark.parametrize("max_groups", [1, 2, 4])
@pytest.mark.parametrize("private", [False, True])
def test_hostile_rows_have_the_totals_of_the_reference(
    followed: ShownSession, max_groups: int, private: bool
) -> None:
    rows = [row_of(i, who) for i in range(40) for who in ("ann", "bob", "", None)[: 1 + i % 4]]
    # One unit in all groups, with rows that are all alike.
    rows += [row_of(i, "all") for i in range(12)] * 3
    keys = None if private else Keys.of("year", [2023, 2024, 2025, 2026, 1900])
    cost = col("cost")
    asked = Measurement(
        (CountRows(), CountUnits(), SumOf(cost, GRID), SumOfSquares(cost, GRID)),
        Bounds(max_groups=max_groups, max_rows=2), (col("year"),), keys,
    )  # fmt: skip
    kinds = [each for each in Spread if each is not Spread.VALUES]
    assert_as_expected(followed, rows, asked, [UnitSpread(each, KNOTS, asked) for each in kinds])


def row_of(number: int, who: str | None) -> Row:
    costs = [None, float("nan"), float("inf"), -float("inf"), -0.0, 1.25, -3.5]
    return {
        "who": who, "city": None, "year": [2023, 2024, 2025, 2026, None][number % 5],
        "smoker": None, "cost": costs[number % 7], "visits": 1,
    }  # fmt: skip


def assert_as_expected(
    session: ShownSession, rows: list[Row], asked: Measurement, beside: list[UnitSpread]
) -> None:
    session.show(rows)
    order = followed_order(SALT, asked)
    totals = expected(rows, "who", asked, order)
    weights = {each: expected_spread(rows, "who", each, order) for each in beside}
    found = all_ways(table_of(rows, "who"), asked, beside, session)
    assert [each for each, _ in found] == [totals] * 4
    assert [each for _, each in found] == [{}, {}, weights, weights]


# The same for units of every type, where hashes tie.

UNITS_OF_A_TYPE: dict[str, list[Any]] = {
    "decimal(38,0)": [10**37, -(10**37), 0, None],
    "bigint": [2**63 - 1, -(2**63), 0, None],
    "string": ["ann", "Ann", "", " ", "ann ", "\u00e5", "a\u030a", None],
    "string collate utf8_lcase": ["ann", "Ann", "", "ANN", None],
}
TIED = replace(SPARK, shuffled="pmod(xxhash64({}, {}), 2)")


@pytest.mark.parametrize("kind", UNITS_OF_A_TYPE)
def test_units_of_every_type_have_the_same_totals(spark: Any, kind: str) -> None:
    units = UNITS_OF_A_TYPE[kind]
    rows = [
        (None if who is None else str(who), k if k < 10 else None, [1.5, float("nan"), None][k % 3])
        for turn in range(3)
        for place, who in enumerate(units)
        for k in range(turn, 11, 1 + place % 3)
    ]
    plain = spark.createDataFrame(rows, "who string, k bigint, v double")
    frame = plain.selectExpr(f"CAST(who AS {kind}) AS who", "k", "v").repartition(4)
    table = read(frame, unit="who")
    asked = Measurement(AGGREGATES, Bounds(max_groups=2, max_rows=2), (col("k"),), KEYS)
    with Told(SparkFrame(frame), TIED) as session:
        window, *others = all_ways(table, asked, [UnitSpread(Spread.LOST, KNOTS, asked)], session)
    assert all(totals == window[0] for totals, _ in others)
    assert others[1] == others[2]
    assert any(total[0] for total in window[0].values())


class Told(SparkSessionBeside):
    """A session with another spelling and several places for rows."""

    def __init__(self, location: SparkFrame, dialect: Any) -> None:
        super().__init__(location)
        self._dialect = dialect
        for name, value in PLACES.items():
            self._session.conf.set(name, value)

    @property
    def dialect(self) -> Any:
        return self._dialect


# How often rows are moved.


def pairs_of(spark: Any, folder: Path, *, often: bool) -> Any:
    """Rows stored in files: each of its own pair of unit and group, or many of each pair."""
    pair = "i % 3 AS who, i % 2 AS k" if often else "i // 9 AS who, i % 9 AS k"
    rows = f"SELECT {pair}, (i % 4)::DOUBLE AS v FROM range(900) t(i)"
    with duckdb.connect() as database:
        database.sql(rows).write_parquet(str(folder / "rows.parquet"))
    return spark.read.parquet(str(folder / "rows.parquet"))


COUNTS = Measurement((CountRows(),), Bounds(max_groups=2, max_rows=2), (col("k"),), KEYS)


def exchanges(session: SparkSessionBeside, query: Fragment) -> int:
    return session.explain(query).count("Exchange hashpartitioning(")


def test_gathered_rows_are_moved_once_to_their_units(spark: Any, tmp_path: Path) -> None:
    frame = pairs_of(spark, tmp_path, often=False)
    with SparkSessionBeside(SparkFrame(frame)) as session:
        query = pass_query(read(frame, unit="who"), pass_of(COUNTS), SALT, session)
        gathered = replace(query, gathered=True)
        keys = [Fragment("k0")]
        assert exchanges(session, query.turned(keys)) == 2
        assert exchanges(session, gathered.turned(keys)) == 1
        assert exchanges(session, query.holdable(keys)) == 2
        assert exchanges(session, gathered.holdable(keys)) == 1


def test_lists_are_made_of_sorted_rows(spark: Any, tmp_path: Path) -> None:
    """Lists of many units at once would have to fit into memory."""
    frame = pairs_of(spark, tmp_path, often=False)
    with SparkSessionBeside(SparkFrame(frame)) as session:
        query = pass_query(read(frame, unit="who"), pass_of(COUNTS), SALT, session)
        with session.held(query.holdable([Fragment("k0")])) as made:
            shown = session.explain(fill("SELECT * FROM {}", made))
    assert "SortAggregate(key=[u#" in shown
    assert "ObjectHashAggregate" not in shown


@pytest.mark.parametrize("keys", [None, Keys.of("k", range(2**14 + 1))])
def test_a_unit_in_any_number_of_groups_has_no_list(
    spark: Any, tmp_path: Path, keys: Keys | None
) -> None:
    frame = pairs_of(spark, tmp_path, often=False)
    with SparkSessionBeside(SparkFrame(frame)) as session:
        asked = pass_of(replace(COUNTS, keys=keys))
        query = pass_query(read(frame, unit="who"), asked, SALT, session)
        assert "collect_list" not in query.holdable([Fragment("k0")]).text


# When they are: a look at the first rows decides about time alone.


def look(frame: Any, asked: Pass, monkeypatch: pytest.MonkeyPatch) -> tuple[bool, int]:
    """Whether rows would be gathered, and how often rows were looked at for that."""
    looks: list[Fragment] = []
    fetch: Callable[..., Found] = SparkSessionBeside.fetch

    def counted(session: SparkSessionBeside, query: Fragment, *sizes: int) -> Found:
        looks.append(query)
        return fetch(session, query, *sizes)

    with monkeypatch.context() as patched, SparkSessionBeside(SparkFrame(frame)) as session:
        patched.setattr(SparkSessionBeside, "fetch", counted)
        query = pass_query(read(frame, unit="who"), asked, SALT, session)
        return rarely_repeat(query, session), len(looks)


@pytest.mark.parametrize("often", [False, True])
def test_rows_are_gathered_if_pairs_rarely_repeat(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, often: bool
) -> None:
    frame = pairs_of(spark, tmp_path, often=often)
    assert look(frame, pass_of(COUNTS), monkeypatch) == (False, 0)  # few bytes
    monkeypatch.setattr(repeated_pairs, "_LEAST_BYTES", 0)
    assert look(frame, pass_of(COUNTS), monkeypatch) == (not often, 1)
    assert look(frame, pass_of(replace(COUNTS, keys=None)), monkeypatch) == (not often, 1)


def test_computed_rows_and_chosen_nothing_are_not_looked_at(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeated_pairs, "_LEAST_BYTES", 0)
    frame = pairs_of(spark, tmp_path, often=False)
    for computed in (frame.limit(800), frame.selectExpr("who", "k", "v + rand() AS v")):
        assert look(computed, pass_of(COUNTS), monkeypatch) == (False, 0)
    wide = replace(COUNTS, bounds=Bounds(max_groups=9, max_rows=2))
    assert look(frame, pass_of(wide), monkeypatch) == (False, 0)
    assert look(frame, pass_of(replace(COUNTS, by=(), keys=None)), monkeypatch) == (False, 0)
    (rows,), _ = passes_of([COUNTS], by_unit=False)
    alone = read(frame, unit=None)
    with SparkSessionBeside(SparkFrame(frame)) as session:
        assert not rarely_repeat(pass_query(alone, rows, SALT, session), session)


class SameSalt(ln.Source):
    """Entropy of which the first bits, which are the salt, are known."""

    def bits(self, count: int) -> int:
        return SALT if count == 63 else super().bits(count)


@pytest.mark.parametrize("often", [False, True])
def test_a_look_changes_no_total(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, often: bool
) -> None:
    frame = pairs_of(spark, tmp_path, often=often)
    table = read(frame, unit="who")
    asked = replace(COUNTS, aggregates=AGGREGATES, bounds=Bounds(max_groups=1, max_rows=2))
    wanted: list[Asked] = [asked, UnitSpread(Spread.LOST, KNOTS, asked), replace(asked, keys=None)]
    found, looks = [], []

    def seen(query: BoundedQuery, session: Session) -> bool:
        looks.append(rarely_repeat(query, session))
        return looks[-1]

    monkeypatch.setattr(measuring, "rarely_repeat", seen)
    for least in (2**60, 0):
        monkeypatch.setattr(repeated_pairs, "_LEAST_BYTES", least)
        found.append([by_key(each) for each in measure(table, wanted, source=SameSalt())])
    assert looks == [False, False, not often, not often]
    assert found[0] == found[1]
