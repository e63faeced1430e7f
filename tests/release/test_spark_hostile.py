"""What Spark's sources, collations and settings could do to the promise, and do not."""

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import Condition, col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import SparkFrame
from leastnoise.release.measure.backends.spark import SparkSessionBeside
from leastnoise.release.measure.backends.spark_exposed import warn_of_pages
from leastnoise.release.measure.backends.spark_master import spark_session
from leastnoise.release.measure.measure import measure, pass_query
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits, SumOf
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.web.releases import Releases
from tests.release.sessions import pass_of

pytest.importorskip("pyspark")
# PySpark warns of the newest pandas, which nothing here makes it use.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

BOUNDS = Bounds(max_groups=2, max_rows=2)
FORMATS = ["parquet", "orc"]


def count(data: Any, where: Condition | None = None, unit: str | None = None) -> int:
    (answer,) = measure(read(data, unit=unit), [Measurement((CountRows(),), BOUNDS, where=where)])
    return int(answer.totals[0][0])


# Sources are told of no filter.


@pytest.mark.parametrize("kind", FORMATS)
def test_one_unit_does_not_bring_others_back(spark: Any, tmp_path: Path, kind: str) -> None:
    """Least and greatest values of a file leave out −0.0, unless somebody has more than 0."""
    found = []
    for more in ([], [5.0]):
        values = [-3.0, -0.0] * 500 + more
        data = pa.table({"id": list(range(len(values))), "balance": values})
        place = f"{tmp_path}/{len(values)}"
        spark.createDataFrame(data).coalesce(1).write.format(kind).save(place)
        frame = spark.read.format(kind).load(place)
        found.append(count(frame, col("balance") >= 0, unit="id"))
    assert found == [500, 501]


@pytest.mark.parametrize("kind", FORMATS)
def test_every_type_is_compared_as_in_python(spark: Any, tmp_path: Path, kind: str) -> None:
    edges = spark.createDataFrame(pa.table(EDGES))
    edges = edges.withColumn("moment", edges.moment.cast("timestamp_ntz"))
    edges.coalesce(1).write.format(kind).save(f"{tmp_path}/edges")
    with set_to(spark, {f"spark.sql.{kind}.filterPushdown": "true"}):
        frame = spark.read.format(kind).load(f"{tmp_path}/edges")
        held = frame.toArrow().to_pydict()  # ORC moves days that one calendar lacks
        for name, relation, bound in COMPARED:
            wanted = [v for v in held[name] if holds(relation, v, bound)]
            found = count(frame, relation(col(name), bound))
            assert found == len(wanted), (name, relation, bound)


DAYS = [date(1582, 10, 4), date(1582, 10, 5), date(1582, 10, 14), date(1582, 10, 15)]
NOONS = [datetime(d.year, d.month, d.day, 12) for d in DAYS]
EDGES = {
    "balance": pa.array([-3.0, -0.0, -0.0, -3.0]),
    "odd": pa.array([float("nan"), -0.0, float("-inf"), float("nan")], pa.float32()),
    "day": pa.array(DAYS),
    "moment": pa.array(map(str, NOONS)),
    "exact": pa.array([Decimal("-0.01"), Decimal("0.00"), Decimal("0.01"), None]),
    "text": pa.array(["a", "a\u0301", "\u00e9", "\U0001f600"]),
}
COMPARED: list[tuple[str, Callable[[Any, Any], Any], Any]] = [
    ("balance", operator.ge, 0),
    ("odd", operator.ge, 0),
    ("odd", operator.lt, 1),
    ("day", operator.le, DAYS[1]),
    ("day", operator.ge, DAYS[2]),
    ("moment", operator.le, NOONS[1]),
    ("moment", operator.ge, NOONS[2] - timedelta(hours=1)),
    ("exact", operator.gt, 0),
    ("text", operator.eq, "\u00e9"),
]


def holds(relation: Callable[[Any, Any], bool], value: Any, bound: Any) -> bool:
    return value is not None and value == value and relation(value, bound)  # noqa: PLR0124


@contextmanager
def set_to(spark: Any, settings: dict[str, str]) -> Iterator[None]:
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name in settings:
            spark.conf.unset(name)


def test_the_source_is_told_of_columns_alone(spark: Any, tmp_path: Path) -> None:
    spark.range(9).selectExpr("id", "id % 3 AS k", "id AS rest").write.parquet(f"{tmp_path}/a")
    frame = spark.read.parquet(f"{tmp_path}/a")
    table = read(frame, unit="id")
    asked = Measurement((CountRows(),), BOUNDS, (col("k"),), Keys.of("k", [0, 1]), col("k") < 2)
    passed = pass_of(asked)
    with SparkSessionBeside(SparkFrame(frame)) as session:
        plan = session.explain(pass_query(table, passed, 3, session).query())
        rows = session._session.table(session.scan(("k",)).text).rdd.toDebugString().decode()
    assert "Scan ExistingRDD" in plan
    assert "FileScan" not in plan
    assert "Pushed" not in plan
    assert "FileScanRDD" in rows


# Old dates.


def test_old_dates_make_no_release_fail(spark: Any, tmp_path: Path) -> None:
    """One such date would decide whether there is an answer."""
    data = pa.table({"id": [1, 2], "day": [date(1, 1, 1), date(2020, 1, 1)]})
    pq.write_table(data, tmp_path / "days.parquet")
    before = Measurement((CountRows(),), BOUNDS, where=col("day") < date(1000, 1, 1))
    for mode in ("EXCEPTION", "LEGACY", "CORRECTED"):
        with set_to(spark, {"spark.sql.parquet.datetimeRebaseModeInRead": mode}):
            table = read(tmp_path / "days.parquet", unit="id", session=spark)
            assert measure(table, [before])[0].totals[0].tolist() == [1]
            frame = spark.read.parquet(str(tmp_path / "days.parquet"))
            if mode == "EXCEPTION":
                with pytest.raises(InvalidParameter, match="before 1582-10-15"):
                    read(frame, unit="id")
            else:
                assert count(frame, unit="id") == 2


# Text is compared by its bytes.


def test_no_collation_puts_two_texts_together(spark: Any) -> None:
    spark.sql("DROP TABLE IF EXISTS collated")
    spark.sql(
        """CREATE TABLE collated (lower STRING, any STRING COLLATE UNICODE_CI_AI,
           trimmed STRING COLLATE UTF8_BINARY_RTRIM, padded CHAR(4), ended VARCHAR(4))
           USING parquet DEFAULT COLLATION UTF8_LCASE"""
    )
    spark.sql(
        """INSERT INTO collated VALUES ('x', '\u00e9', 's', 'ab', 'v'),
           ('X', 'e', 's ', 'Ab', 'v '), ('x', 'E', 's  ', 'AB', 'V')"""
    )
    texts = {
        "lower": ["x", "X"],
        "any": ["\u00e9", "e", "E"],
        "trimmed": ["s", "s ", "s  "],
        "padded": ["ab  ", "Ab  ", "AB  "],  # the type's own blanks
        "ended": ["v", "v ", "V"],
    }
    for name, keys in texts.items():
        wanted = [2, 1] if name == "lower" else [1, 1, 1]
        public, private, where = measure(
            read(spark.table("collated"), unit=None),
            [
                Measurement((CountRows(),), BOUNDS, (col(name),), Keys.of(name, [*keys, "S", "a"])),
                Measurement((CountRows(),), BOUNDS, (col(name),)),
                Measurement((CountRows(),), BOUNDS, where=col(name).isin(keys[:1])),
            ],
        )
        assert public.totals[0].tolist() == [*wanted, 0, 0]
        assert sorted(private.rows) == sorted((key,) for key in keys)
        assert where.totals[0].tolist() == wanted[:1]
    units = Measurement((CountUnits(),), BOUNDS)
    assert measure(read(spark.table("collated"), unit="lower"), [units])[0].totals[0] == [2]
    assert measure(read(spark.table("collated"), unit="any"), [units])[0].totals[0] == [3]


# One strange row.

STRANGE = ["eda080", "c080", "f4908080", "fe", "c3", "61ff", "eda0bdedb880", "00", "efbfbf", "c3a9"]


def test_strange_rows_make_no_release_fail(spark: Any) -> None:
    values = ", ".join(
        f"({number}, X'{text}', {year}, {whole}BD, {number_}D)"
        for number, (text, year, whole, number_) in enumerate(
            zip(
                STRANGE,
                [-(2**31), 2**31 - 1, -719163, 0, 1, 2, 3, 4, 5, 6],
                [10**38 - 1, 1 - 10**38, 2**63, *range(7)],
                ["1e308", "-1e308", "4.9e-324", *["0"] * 7],
                strict=True,
            )
        )
    )
    frame = spark.sql(f"SELECT * FROM VALUES {values} AS t(id, b, d, wide, v)").selectExpr(
        "id", "CAST(b AS STRING) AS t", "date_from_unix_date(d) AS day",
        "CAST(date_from_unix_date(d DIV 100) AS TIMESTAMP_NTZ) AS moment",
        "CAST(wide AS DECIMAL(38, 0)) AS wide", "IF(id = 9, DOUBLE('NaN'), v * 10) AS v",
    )  # fmt: skip
    grid = Grid(lower=0, upper=4, bits=1)
    sums = tuple(SumOf(term, grid) for term in (col("wide"), col("v"), col("v") * col("wide")))
    asked: list[Measurement | Histograms] = [
        Measurement((CountRows(), *sums), BOUNDS, where=col("day").year() != 7),
        Measurement((CountRows(),), BOUNDS, where=col("moment").hour() >= 0),
        Measurement((CountRows(),), BOUNDS, (col("t"),)),
        Histograms((Grouping((col("t"),)), Grouping((col("day").month(),))), max_rows=1),
    ]
    texts = sorted((bytes.fromhex(each).decode(),) for each in STRANGE if is_text(each))
    for unit in ("id", "t", None):
        _, _, private, histogram, _ = measure(read(frame, unit=unit), asked)
        assert sorted(private.rows) == sorted(histogram.rows) == texts


def is_text(given: str) -> bool:
    try:
        bytes.fromhex(given).decode()
    except UnicodeDecodeError:
        return False
    return True


def test_settings_and_functions_of_the_users_session_change_nothing(spark: Any) -> None:
    data = pa.table({"who": [1, 1, 2], "a.b": [1.0, 2.0, 3.0], "aXb": [9.0, 9.0, 9.0]})
    frame = spark.createDataFrame(data)
    functions = ["floor", "least", "greatest", "isnan", "sum", "count"]
    for name in functions:
        spark.udf.register(name, lambda *_: 7, "bigint")
    try:
        with set_to(spark, {"spark.sql.parser.quotedRegexColumnNames": "true"}):
            total = SumOf(col("a.b"), Grid(lower=0, upper=8, bits=0))
            (answer,) = measure(read(frame, unit="who"), [Measurement((total,), BOUNDS)])
    finally:
        for name in functions:
            spark.sql(f"DROP TEMPORARY FUNCTION {name}")
    assert answer.totals[0].tolist() == [6]


# What is looked at twice.


def test_files_that_change_between_looks_are_refused(spark: Any, tmp_path: Path) -> None:
    data = pa.table({"id": [1, 2, 3]})
    pq.write_table(data, tmp_path / "a.parquet")
    for change in (
        lambda: pq.write_table(pa.concat_tables([data, data]), tmp_path / "a.parquet"),
        (tmp_path / "a.parquet").unlink,
    ):
        with SparkSessionBeside(SparkFrame(spark.read.parquet(str(tmp_path)))) as session:
            assert session.rereads
            session.refuse_changed()
            change()
            with pytest.raises(BackendError) as caught:
                session.refuse_changed()
            assert "a.parquet" not in str(caught.value)


def test_what_may_change_is_not_taken_for_the_same(spark: Any) -> None:
    spark.range(3).write.saveAsTable("growing", mode="overwrite")
    with SparkSessionBeside(SparkFrame(spark.table("growing"))) as session:
        spark.sql("INSERT INTO growing VALUES (1)")
        assert not session.rereads
        session.refuse_changed()


# What others can see.


def context(*, page: str | None, log: str) -> Any:
    conf = SimpleNamespace(get=lambda _name, _other: log)
    return SimpleNamespace(
        sparkContext=SimpleNamespace(uiWebUrl=page, getConf=lambda: conf, master="local[1]")
    )


def test_a_session_that_shows_sizes_is_warned_of() -> None:
    warn_of_pages(context(page=None, log="false"))
    for page, log, words in (
        ("http://a:4040", "false", "a web page with"),
        (None, "true", "an event log with"),
        ("http://a:4040", "true", "a web page and an event log with"),
    ):
        with pytest.warns(UserWarning, match=words):
            warn_of_pages(context(page=page, log=log))


class Builder:
    """Takes down what a session was asked to be."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}

    def appName(self, name: str) -> "Builder":  # noqa: N802 - Spark's word
        return self.config("name", name)

    def master(self, master: str) -> "Builder":
        return self.config("master", master)

    def config(self, name: str, value: str) -> "Builder":
        self.said[name] = value
        return self

    def getOrCreate(self) -> Any:  # noqa: N802 - Spark's word
        return SimpleNamespace(sparkContext=SimpleNamespace(master=self.said["master"]))


@pytest.mark.parametrize("master", ["local", "local[2]", "spark://host:7077"])
def test_our_own_sessions_show_nothing(monkeypatch: pytest.MonkeyPatch, master: str) -> None:
    builder = Builder()
    sessions = SimpleNamespace(builder=builder, getActiveSession=lambda: None)
    monkeypatch.setattr("pyspark.sql.SparkSession", sessions)
    spark_session(master)
    hidden = ["spark.ui.enabled", "spark.eventLog.enabled", "spark.ui.prometheus.enabled"]
    assert {builder.said[name] for name in hidden} == {"false"}
    bound = [builder.said.get(f"spark.driver.{name}") for name in ("host", "bindAddress")]
    assert bound == (["127.0.0.1"] * 2 if master.startswith("local") else [None, None])


def test_a_running_session_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    builder, running = Builder(), context(page=None, log="false")
    sessions = SimpleNamespace(builder=builder, getActiveSession=lambda: running)
    monkeypatch.setattr("pyspark.sql.SparkSession", sessions)
    assert spark_session("local[1]") is running
    assert builder.said == {}
    with pytest.raises(InvalidParameter, match=r"one on local\[1\], and a plan for spark://far:1"):
        spark_session("spark://far:1")


def test_frames_of_spark_connect_are_refused() -> None:
    remote = SimpleNamespace(sparkSession=None)
    with pytest.raises(InvalidParameter, match="Spark Connect"):
        SparkSessionBeside(SparkFrame(remote))


def test_the_explorer_starts_no_cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("leastnoise.release.file.plan_data.spark_session", pytest.fail)
    said = {
        "data": {"path": "a.parquet", "unit": "who", "spark": "local[1]"},
        "budget": {"ledger": "b.db", "spend": {"epsilon": 1}},
        "question": [{"ask": "count"}],
    }
    with pytest.raises(InvalidParameter, match="`spark`"):
        Releases(tmp_path).preview(said)
