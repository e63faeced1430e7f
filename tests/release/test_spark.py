"""The same totals on a real Spark cluster as in the reference, by the same words."""

import logging
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.ledger import Ledger
from leastnoise.privacy import ApproxDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column, Condition, col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import SparkFrame
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.measure.backends.spark import SparkSessionBeside
from leastnoise.release.measure.measure import measure, pass_query
from leastnoise.release.measure.sql.dialect import SPARK, Dialect
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.plan import plan
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import (
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumOf,
    SumOfSquares,
)
from leastnoise.release.step.histograms import WEIGHT, Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import UnitSpread
from tests.release import fuzz
from tests.release.fuzz import UNITS, arrow, histograms, measurements, optional, rows_of, spreads
from tests.release.reference import Row, expected, expected_histograms, expected_spread, place
from tests.release.sessions import (
    assert_conditions_share_a_pass,
    counts_of,
    followed_order,
    pass_of,
    table_of,
    totals_of,
    weights_of,
)
from tests.release.spark_cluster import Cluster
from tests.release.test_histograms import assert_within as counts_within
from tests.release.test_hostile import EDGES, HOSTILE
from tests.release.test_measure import assert_within as totals_within

pytest.importorskip("pyspark")
# PySpark warns of the newest pandas, which nothing here makes it use.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

SALT = 77
BOUNDS = Bounds(max_groups=2, max_rows=2)
FOLLOWED = replace(SPARK, shuffled="md5(concat_ws('|', {}, {}))")
# Small tables need no more than one part, and no plan that changes on the way.
QUICK = {"spark.sql.shuffle.partitions": "1", "spark.sql.adaptive.enabled": "false"}


class ShownSession(SparkSessionBeside):
    """One session for many small tables."""

    def __init__(self, spark: Any, dialect: Dialect) -> None:
        super().__init__(SparkFrame(spark.createDataFrame(arrow([]))))
        self._dialect = dialect
        self.again = True
        for name, value in QUICK.items():
            self._session.conf.set(name, value)

    @property
    def dialect(self) -> Dialect:
        return self._dialect

    @property
    def rereads(self) -> bool:
        return self.again

    def show(self, rows: list[Row]) -> None:
        self._frame = self._frame.sparkSession.createDataFrame(arrow(rows))
        self._scans.clear()


@pytest.fixture(scope="module")
def followed(running: Cluster) -> Iterator[ShownSession]:
    with ShownSession(running.session(), FOLLOWED) as session:
        yield session


@pytest.fixture(scope="module")
def usual(running: Cluster) -> Iterator[ShownSession]:
    with ShownSession(running.session(), SPARK) as session:
        yield session


# The same totals as in the reference.

few = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking takes minutes on a cluster
)


@few
@given(
    rows_of(optional(UNITS)),
    st.sampled_from(["who", "who", None]),
    measurements(fuzz.BOUNDS | fuzz.CLIPS),
)
def test_totals_are_those_of_the_reference(
    followed: ShownSession, rows: list[Row], unit: str | None, measurement: Measurement
) -> None:
    followed.show(rows)
    wanted = expected(rows, unit, measurement, followed_order(SALT, measurement))
    assert totals_of(table_of(rows, unit), measurement, SALT, followed) == wanted


@few
@given(rows_of(optional(UNITS)), st.sampled_from(["who", None]), histograms(), st.booleans())
def test_counts_are_those_of_the_reference(
    usual: ShownSession, rows: list[Row], unit: str | None, asked: Histograms, again: bool
) -> None:
    usual.show(rows)
    usual.again = again
    found = counts_of(table_of(rows, unit), asked, usual)
    assert found == expected_histograms(rows, unit, asked)


@few
@given(rows_of(optional(UNITS)), st.sampled_from(["who", "who", None]), spreads())
def test_spreads_are_those_of_the_reference(
    followed: ShownSession, rows: list[Row], unit: str | None, asked: list[UnitSpread]
) -> None:
    followed.show(rows)
    orders = [followed_order(SALT, each.measurement) for each in asked]
    wanted = [expected_spread(rows, unit, *pair) for pair in zip(asked, orders, strict=True)]
    assert weights_of(table_of(rows, unit), asked, SALT, followed) == wanted


# One unit moves them no further than derived.


@settings(few, max_examples=3)
@given(rows_of(optional(UNITS)), rows_of(st.just("zoe")), rows_of(st.just("zoe")), measurements())
def test_one_unit_moves_totals_no_further_than_derived(
    usual: ShownSession, rows: list[Row], old: list[Row], new: list[Row], measurement: Measurement
) -> None:
    tables = [rows, old + rows, rows[::-1] + new]
    without, before, after = (shown_totals(usual, each, measurement) for each in tables)
    assert isinstance(measurement.bounds, Bounds)
    bounds = table_of(rows, "who").effective_bounds(
        measurement.bounds, grouped=bool(measurement.by), keys=measurement.keys
    )
    totals_within(before, without, measurement, Neighbours.ADD_REMOVE, bounds)
    totals_within(without, after, measurement, Neighbours.ADD_REMOVE, bounds)
    totals_within(before, after, measurement, Neighbours.REPLACE, bounds)


def shown_totals(session: ShownSession, rows: list[Row], measurement: Measurement) -> Any:
    session.show(rows)
    return totals_of(table_of(rows, "who"), measurement, SALT, session)


@settings(few, max_examples=3)
@given(rows_of(UNITS), rows_of(st.just("zoe")), histograms(), st.booleans())
def test_one_unit_moves_counts_no_further_than_derived(
    usual: ShownSession, rows: list[Row], new: list[Row], asked: Histograms, again: bool
) -> None:
    found = []
    for each in (rows, rows[::-1] + new):
        usual.show(each)
        usual.again = again
        found.append(counts_of(table_of(each, "who"), asked, usual))
    counts_within(found[0], found[1], asked, Neighbours.ADD_REMOVE, WEIGHT)


def test_which_groups_count_hangs_on_the_salt_and_is_fair(spark: Any) -> None:
    data = pa.table({"who": [i // 2 for i in range(2000)], "k": [i % 2 for i in range(2000)]})
    table = read(spark.createDataFrame(data), unit="who")
    once = Bounds(max_groups=1, max_rows=1)
    one, other = (
        measure(table, [Measurement((CountUnits(),), once, (col("k"),), Keys.of("k", [0, 1]))])[0]
        for _ in range(2)
    )
    # Binomial(1000, 1/2): outside 420..580 with probability below 1e-6.
    assert all(420 <= count <= 580 for count in one.totals[0].tolist())
    assert sum(one.totals[0].tolist()) == sum(other.totals[0].tolist()) == 1000


# Names, keys and values at the edges.

NAMES = [
    *HOSTILE,
    "`",
    "``",
    "a.b",
    "${env:HOME}",
    "${spark.app.name}",
    "i",
    "\u0131",
    "global_temp",
]


def test_hostile_column_names(spark: Any) -> None:
    grid = Grid(lower=0, upper=8, bits=0)
    texts = spark.createDataFrame(pa.table({name: ["x", "y", "x"] for name in NAMES}))
    for unit in (NAMES[0], None):
        by = tuple(map(Column, NAMES))
        keys = Keys(NAMES, [["y"] * len(NAMES), ["x"] * len(NAMES)])
        where: Condition = Column(NAMES[0]) != "z"
        for name in NAMES:
            where = where & Column(name).isin(["x", "y"])
        asked = Measurement((CountRows(),), BOUNDS, by, keys, where)
        (answer,) = measure(read(texts, unit=unit), [asked])
        assert answer.totals[0].tolist() == [1, 2]
    numbers = spark.createDataFrame(pa.table({name: [i, 7] for i, name in enumerate(NAMES)}))
    sums = tuple(SumOf(Column(name), grid) for name in NAMES)
    (answer,) = measure(read(numbers, unit=None), [Measurement(sums, BOUNDS)])
    assert [t.tolist() for t in answer.totals] == [[min(i, 8) + 7] for i in range(len(NAMES))]


def test_hostile_keys_are_values(spark: Any) -> None:
    keys = [*NAMES, "", " ", "NULL", "x\n", "x\r", "\t", "a\u0301", "\u00e1", "'"]
    data = pa.table({"who": list(range(len(keys))), "k": keys})
    public = Measurement((CountUnits(),), BOUNDS, (col("k"),), Keys.of("k", keys))
    private = Measurement((CountUnits(),), BOUNDS, (col("k"),), where=col("k").isin(keys))
    grouped = Histograms((Grouping((col("k"),)),), max_rows=1)
    table = read(spark.createDataFrame(data), unit="who")
    shown, found, histogram = measure(table, [public, private, grouped])
    assert shown.totals[0].tolist() == [1] * len(keys)
    for each in (found, histogram):
        assert sorted(each.rows) == sorted((key,) for key in keys)


@pytest.mark.parametrize("unit", ["id", None])
def test_every_edge_has_its_place(spark: Any, unit: str | None) -> None:
    grids = [
        Grid(lower=-(2.0 ** (30 - bits)), upper=2.0 ** (29 - bits), bits=bits)
        for bits in (-900, -40, -1, 0, 3, 31)
    ]
    data = pa.table({"id": list(range(len(EDGES))), "v": pa.array(EDGES, pa.float64())})
    keys = Keys.of("id", range(len(EDGES)))
    kinds = (SumOf, DistanceBelow, DistanceAbove)
    asked = tuple(kind(col("v"), grid) for grid in grids for kind in kinds)
    table = read(spark.createDataFrame(data), unit=unit)
    (answer,) = measure(table, [Measurement(asked, BOUNDS, (col("id"),), keys)])
    for number, grid in enumerate(grids):
        below, above = grid.least, grid.most
        places = [None if e is None or e != e else place(e, grid) for e in EDGES]  # noqa: PLR0124
        sums = [total.tolist() for total in answer.totals[3 * number : 3 * number + 3]]
        assert sums[0] == [p or 0 for p in places]
        assert sums[1] == [0 if p is None else p - below for p in places]
        assert sums[2] == [0 if p is None else above - p for p in places]


def test_types_and_times(spark: Any) -> None:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        frame = spark.sql(
            """SELECT * FROM VALUES
            (1Y, 2BD, 1.5BD, CAST(1 AS FLOAT), 'Ab' COLLATE UTF8_LCASE, DATE'2020-01-01',
             TIMESTAMP_NTZ'2020-01-01 23:30:00', TIMESTAMP'2020-01-01 23:30:00', X'ff41', array(1)),
            (2Y, 99999999999999999999999999999999999999BD, 2.5BD, CAST('NaN' AS FLOAT),
             'aB' COLLATE UTF8_LCASE, DATE'0001-01-01', TIMESTAMP_NTZ'2020-01-02 00:00:00',
             TIMESTAMP'2020-01-01 23:30:00', X'41', array(1))
            AS t(tiny, wide, exact, single, folded, day, moment, zoned, bytes, list)"""
        ).selectExpr("*", "CAST(bytes AS STRING) AS odd")
        table = read(frame, unit="tiny")
        kinds = dict(table.schema.columns)
        assert kinds == {
            "tiny": ColumnType.INTEGER,
            "wide": ColumnType.WIDE_INTEGER,
            "exact": ColumnType.NUMBER,
            "single": ColumnType.NUMBER,
            "folded": ColumnType.TEXT,
            "day": ColumnType.DATE,
            "moment": ColumnType.MOMENT,
            "zoned": ColumnType.INSTANT,
            "bytes": ColumnType.OTHER,
            "list": ColumnType.OTHER,
            "odd": ColumnType.TEXT,
        }
        grid = Grid(lower=0, upper=4, bits=1)
        asked = [
            Measurement(
                tuple(SumOf(col(n), grid) for n in ("tiny", "wide", "exact", "single")), BOUNDS
            ),
            Measurement((CountRows(),), BOUNDS, (col("folded"),)),
            Measurement((CountRows(),), BOUNDS, (col("odd"),)),
            Measurement((CountRows(),), BOUNDS, where=col("odd").is_null()),
            Measurement((CountRows(),), BOUNDS, where=col("day") >= date(2020, 1, 1)),
            Measurement((CountRows(),), BOUNDS, where=col("moment") >= datetime(2020, 1, 2)),
            Measurement((CountRows(),), BOUNDS, where=col("moment") >= date(2020, 1, 2)),
            Measurement((CountRows(),), BOUNDS, where=col("wide") > 2**120),
            Measurement((CountRows(),), BOUNDS, where=col("moment").hour() == 23),
            Measurement((CountRows(),), BOUNDS, where=col("day").year() - col("tiny") < 0),
        ]
        sums, folded, odd, *rest = measure(table, asked)
        assert [t.tolist() for t in sums.totals] == [[6], [12], [8], [2]]
        assert sorted(folded.rows) == [("Ab",), ("aB",)]
        assert odd.rows == (("A",),)
        assert [each.totals[0].tolist() for each in rest] == [[1]] * 7
        assert spark.conf.get("spark.sql.session.timeZone") == "America/New_York"
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


def test_conditions_share_a_pass(usual: ShownSession) -> None:
    assert_conditions_share_a_pass(usual)


def test_sums_beyond_64_bits_are_exact(usual: ShownSession, spark: Any) -> None:
    numbers = [2**100 + 1, -(2**100) - 1, 2**63, -(2**62), -1, 0]
    values = ", ".join(f"({n}BD)" for n in numbers)
    found = usual.fetch(
        Fragment(f"SELECT CAST(c AS {SPARK.wide}) AS t0 FROM VALUES {values} AS v(c)"), 0, 1
    )
    assert sorted(found.totals[0].tolist()) == sorted(numbers)
    assert found.totals[0].dtype == np.object_
    # 2^24 squares of 2^40 each.
    many = spark.range(2**24, numPartitions=2).selectExpr("CAST(id % 2 AS DOUBLE) AS v")
    steps = Grid(lower=0, upper=1, bits=20)
    squares = SumOfSquares(col("v"), steps)
    (answer,) = measure(read(many, unit=None), [Measurement((squares,), BOUNDS)])
    assert answer.totals[0].tolist() == [2**24 * (2**40 - squares.shift)]
    units = spark.range(3000).selectExpr("id", "CAST(4 AS DOUBLE) AS v", "explode(array(1,2)) AS r")
    grid = Grid(lower=0, upper=4, bits=29)
    widest = Bounds(max_groups=1, max_rows=1)
    (answer,) = measure(read(units, unit="id"), [Measurement((SumOf(col("v"), grid),), widest)])
    assert answer.totals[0].tolist() == [3000 * 2**31]


def test_tables_of_nothing(spark: Any) -> None:
    frame = spark.createDataFrame([], "id STRING, k STRING, v DOUBLE")
    keys = Keys.of("k", ["x", "y"])
    grid = Grid(lower=0, upper=4)
    for unit in ("id", None):
        total, private, public = measure(
            read(frame, unit=unit),
            [
                Measurement((CountRows(), SumOf(col("v"), grid)), BOUNDS),
                Measurement((CountRows(),), BOUNDS, (col("k"),)),
                Measurement((CountRows(),), BOUNDS, (col("k"),), keys),
            ],
        )
        assert [t.tolist() for t in total.totals] == [[0], [0]]
        assert private.rows == ()
        assert public.totals[0].tolist() == [0, 0]


# Plans.


def test_the_window_stops_early_and_keys_are_sent_around(spark: Any) -> None:
    frame = spark.range(10).selectExpr("id AS who", "id % 3 AS k")
    table = read(frame, unit="who")
    for keys, sign in ((None, "WindowGroupLimit"), (Keys.of("k", [0, 1, 2]), "BroadcastHashJoin")):
        asked = pass_of(Measurement((CountRows(),), BOUNDS, (col("k"),), keys))
        with SparkSessionBeside(SparkFrame(frame)) as session:
            assert sign in session.explain(pass_query(table, asked, 3, session).query())


def visits(folder: Path) -> str:
    """Two years of visits, each in its own folder."""
    duckdb.sql(
        f"""COPY (SELECT (i * 7919) % 500 AS patient, ['Oslo', 'Bergen', 'Ås'][1 + i % 3] AS city,
                    (i * 31) % 90 AS age, ((i * 17) % 500)::DOUBLE AS cost,
                    CAST(2023 + i % 2 AS VARCHAR) AS year
             FROM range(4000) t(i)) TO '{folder}/visits' (FORMAT parquet, PARTITION_BY (year))"""
    )
    return f"{folder}/visits"


def test_a_plan_is_released_through_the_cluster(spark: Any, tmp_path: Path) -> None:
    assert spark.sparkContext.master.startswith("spark://127.0.0.1:")
    path = visits(tmp_path)
    table, alone = read(path, unit="patient", session=spark), read(path, unit="patient")
    assert table.schema == alone.schema
    bounds = Bounds(max_groups=6, max_rows=3)
    grid = Grid(lower=0, upper=300)
    asked: list[Measurement | Histograms] = [
        Measurement((CountRows(), SumOf(col("cost"), grid)), bounds, (col("city"), col("year"))),
        Histograms((Grouping((col("city"),)), Grouping((col("year"),))), max_rows=5),
    ]
    for one, other in zip(measure(table, asked), measure(alone, asked), strict=True):
        both = [
            sorted(zip(each.rows, *(t.tolist() for t in each.totals), strict=True))
            for each in (one, other)
        ]
        assert both[0] == both[1]
    ledger = Ledger(tmp_path / "budget.db", total=ApproxDP(epsilon=1000, delta="1e-5"), begin=True)
    cities = ["Oslo", "Bergen", "Ås"]
    release = (
        plan(table, max_groups=3, max_rows=8)
        .count(by="city", keys=cities)
        .mean("age", lower=0, upper=110, where=col("year") == "2024")
        .release(ApproxDP(epsilon=900, delta="1e-6"), ledger=ledger)
    )
    counts = release["count by city"].values.tolist()
    assert sum(counts) == pytest.approx(4000, abs=50)


# The user's session, failures and bad input.


def test_the_users_session_stays_as_it_was(spark: Any) -> None:
    frame = spark.range(5).selectExpr("id", "id % 2 AS k")
    spark.conf.set("spark.sql.shuffle.partitions", "3")
    before, known = spark.conf.getAll, views(spark)
    with SparkSessionBeside(SparkFrame(frame)) as session:
        kept = session._session.conf
        assert kept.get("spark.sql.shuffle.partitions") == "3"
        assert kept.get("spark.sql.session.timeZone") == "UTC"
        asked = Measurement((CountRows(),), BOUNDS, (col("k"),), Keys.of("k", [0, 1]))
        measure(read(frame, unit="id"), [asked])
        assert session.scan(("id",)).text.startswith("`leastnoise_")
        assert views(spark) == known
    assert views(spark) == known
    assert spark.conf.getAll == before
    spark.conf.unset("spark.sql.shuffle.partitions")


def views(spark: Any) -> list[str]:
    places = ("default", "global_temp")
    return [each.name for place in places for each in spark.catalog.listTables(place)]


def test_errors_say_nothing_the_engine_said(
    spark: Any, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    frame = spark.createDataFrame(pa.table({"id": [1], "t": ["SECRET"]})).repartition(1)
    bad = frame.selectExpr("id", "CAST(t AS INT) AS v")
    level, known = root_level(spark), views(spark)
    asked = Measurement((SumOf(col("v"), Grid(lower=0, upper=4)),), BOUNDS)
    with caplog.at_level(logging.INFO), pytest.raises(BackendError, match="Spark") as caught:
        measure(read(bad, unit="id"), [asked])
    assert "SECRET" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    assert "SECRET" not in caplog.text
    assert "SECRET" not in "".join(capfd.readouterr())
    assert root_level(spark) == level
    assert views(spark) == known


def root_level(spark: Any) -> str:
    root = spark._jvm.org.apache.logging.log4j.LogManager.getRootLogger()
    return str(root.getLevel().toString())


def test_what_is_read_twice_shows_the_same_rows(spark: Any, tmp_path: Path) -> None:
    place = visits(tmp_path)
    files = spark.read.parquet(place)
    spark.udf.register("mine", lambda age: age, "int")  # Spark takes it for repeatable
    files.createOrReplaceTempView("seen")
    files.limit(5).write.saveAsTable("kept", mode="overwrite")
    for frame, stable in [
        (files, True),
        (files.filter("age > 3").select("patient", "city"), True),
        (files.filter("city IN ('Oslo') OR NOT age = 3 AND cost IS NULL"), True),
        (spark.createDataFrame(arrow([])), True),
        (files.selectExpr("patient", "rand() AS r"), False),
        (files.selectExpr("patient", "mine(age) AS r"), False),
        (files.filter("mine(age) > 3"), False),
        (files.filter("current_timestamp() > timestamp'2020-01-01'"), False),
        (files.filter("age > (SELECT 3)"), False),
        (files.filter("patient IN (SELECT id FROM range(3))"), False),
        (files.filter("year(current_date()) = 2020 OR age > 3"), False),
        (files.filter("CAST('now' AS TIMESTAMP) > CAST('2020-01-01' AS TIMESTAMP)"), False),
        (files.selectExpr("patient", "age + 1 AS older"), False),
        (spark.table("seen"), False),
        (spark.table("kept"), False),
        (files.union(files), False),
        (spark.read.option("ignoreMissingFiles", "true").parquet(place), False),
        (files.limit(10), False),
        (files.groupBy("patient").count(), False),
    ]:
        with SparkSessionBeside(SparkFrame(frame)) as session:
            assert session.rereads is stable, frame
    other = spark.read.parquet(place).cache()
    with SparkSessionBeside(SparkFrame(files)) as session:
        assert not session.rereads  # Spark would read what was cached, however old
    other.unpersist()


def test_bad_input(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="can read the path"):
        read(tmp_path / "nothing.parquet", unit=None, session=spark)
    (tmp_path / "broken.parquet").write_text("SECRET")
    with pytest.raises(BackendError) as caught:
        read(tmp_path / "broken.parquet", unit=None, session=spark)
    assert "SECRET" not in str(caught.value)
    frame = spark.range(3)
    attempts: list[Callable[[], object]] = [
        lambda: read(tmp_path / "a.csv", unit=None, session=spark),
        lambda: read(frame, unit=None, session=spark),
        lambda: read(tmp_path / "a.parquet", unit=None, session="spark://here"),
        lambda: read(tmp_path / "a.parquet", unit=None, session=spark, table="t"),
        lambda: read(spark.readStream.format("rate").load(), unit=None),
        lambda: read(frame, unit="who"),
        lambda: read(frame.selectExpr("id AS a", "id AS A"), unit=None),
        lambda: read(frame.selectExpr("id AS a", "id AS a"), unit=None),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidParameter):
            attempt()


def test_files_that_vanish(spark: Any, tmp_path: Path) -> None:
    spark.range(3).write.parquet(f"{tmp_path}/gone")
    table = read(tmp_path / "gone", unit="id", session=spark)
    for file in (tmp_path / "gone").glob("*.parquet"):
        file.unlink()
    with pytest.raises(BackendError, match="withheld"):
        measure(table, [Measurement((CountRows(),), BOUNDS)])


def test_a_lost_session(spark: Any) -> None:
    frame = spark.range(3)
    table = read(frame, unit="id")
    spark.stop()
    with pytest.raises(BackendError, match="that the Spark session runs"):
        measure(table, [Measurement((CountRows(),), BOUNDS)])
