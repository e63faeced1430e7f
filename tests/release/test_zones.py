"""Time stamps with a zone: local times of a declared one, the same on every engine."""

from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.location import Zoned, place_of
from leastnoise.release.ask.table import Table
from leastnoise.release.file.plan_file import plan_file
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.rows.stored import Stored
from leastnoise.release.measure.sources import owned
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.measurement import Measurement

WIDE = Bounds(max_groups=100, max_rows=100)
AT = col("at")
MOMENTS = [
    datetime(2024, 3, 31, 0, 59, 59, tzinfo=UTC),  # the last second before summer time in Oslo
    datetime(2024, 3, 31, 1, 0, tzinfo=UTC),
    datetime(2024, 10, 27, 0, 30, tzinfo=UTC),  # two moments that are half past two there
    datetime(2024, 10, 27, 1, 30, tzinfo=UTC),
    datetime(2024, 12, 31, 23, 30, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
]
NONE = {
    "duckdb": ["infinity", "-infinity", "0001-01-01 00:00:00+00", "9999-12-31 23:59:59+00",
               "0044-03-15 (BC) 00:00:00+00", "290000-01-01 00:00:00+00"],
    "postgres": ["infinity", "-infinity", "0001-01-01 00:00:00+00", "9999-12-31 23:59:59+00",
                 "0044-03-15 00:00:00+00 BC", "290000-01-01 00:00:00+00"],
    "spark": ["0001-01-01 00:00:00+00:00", "9999-12-31 23:59:59+00:00",
              "-0044-03-15 00:00:00+00:00", "+290000-01-01 00:00:00+00:00"],
}  # fmt: skip
ZONES = ["Europe/Oslo", "America/St_Johns", "Pacific/Apia", "UTC"]


def texts(engine: str) -> list[str]:
    return [*(each.isoformat(" ") for each in MOMENTS), *NONE[engine]]


def assert_local(read_in: Any) -> None:
    """`read_in` of a zone: the table."""
    for zone in ZONES:
        table: Table = read_in(zone)
        local = [each.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for each in MOMENTS]
        assert table.schema.type_of(AT) is ColumnType.MOMENT
        count = (CountRows(),)
        first = local[1]
        asked: list[Asked] = [
            Measurement(count, WIDE, (AT.hour(),)),
            Measurement(count, WIDE, (AT.date_trunc("day"),)),
            Measurement(count, WIDE, where=col("at") >= first),
            Measurement(count, WIDE, where=AT.equals(local[3])),
            Measurement(count, WIDE, where=AT.is_null()),
            Measurement(count, WIDE),
        ]
        hours, days, later, same, missing, all_ = measure(table, asked)
        assert counted(hours) == Counter((each.hour,) for each in local)
        assert counted(days) == Counter((each.date(),) for each in local)
        assert later.totals[0].tolist() == [sum(each >= first for each in local)]
        assert same.totals[0].tolist() == [local.count(local[3])]
        assert all_.totals[0] == missing.totals[0] + len(MOMENTS)
        assert missing.totals[0] >= 3


def counted(found: Any) -> dict[Any, int]:
    return dict(zip(found.rows, found.totals[0].tolist(), strict=True))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    place = tmp_path / "moments.duckdb"
    with duckdb.connect(str(place)) as link:
        link.execute('CREATE TABLE seen (who BIGINT, "at" TIMESTAMP WITH TIME ZONE)')
        for number, text in enumerate([*texts("duckdb"), None]):
            link.execute("INSERT INTO seen VALUES (?, ?)", [number // 2, text])
    return place


def test_on_duckdb(database: Path) -> None:
    assert_local(lambda zone: read(database, unit="who", table="seen", zone=zone))


def test_on_frames_and_files(tmp_path: Path) -> None:
    ends = [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC), None]
    values = pa.array([*MOMENTS, *ends], pa.timestamp("us", tz="America/New_York"))
    data = pa.table({"who": range(len(values)), "at": values})
    pq.write_table(data, tmp_path / "seen.parquet")
    assert_local(lambda zone: read(data, unit="who", zone=zone))
    assert_local(lambda zone: read(tmp_path / "seen.parquet", unit="who", zone=zone))
    relation = duckdb.from_arrow(data)
    assert_local(lambda zone: read(relation, unit="who", zone=zone))


@pytest.fixture(scope="module")
def url(empty_postgres: str) -> str:
    with psycopg.connect(empty_postgres, autocommit=True) as link:
        link.execute("CREATE TABLE seen (who bigint, at timestamptz)")
        for number, text in enumerate([*texts("postgres"), None]):
            link.execute("INSERT INTO seen VALUES (%s, %s)", [number // 2, text])
    return empty_postgres


def test_on_postgres(url: str) -> None:
    assert_local(lambda zone: read(url, unit="who", table="seen", zone=zone))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
def test_on_spark(spark: Any) -> None:
    rows = ", ".join(f"({n // 2}L, '{text}')" for n, text in enumerate(texts("spark")))
    frame = spark.sql(
        "SELECT who, CAST(at AS TIMESTAMP) AS at FROM VALUES "
        f"{rows}, (9L, NULL), (9L, NULL) AS seen(who, at)"
    )
    assert_local(lambda zone: read(frame, unit="who", zone=zone))


def test_joined_rows_are_read_in_the_zone(database: Path) -> None:
    """The zone belongs to the place, so that it stays when rows are joined."""
    table = read(database, unit="who", table="seen", zone="Europe/Oslo")
    rows = owned(Stored("seen", table.location, table.schema), "who")  # type: ignore[arg-type]
    joined = rows.table()
    (found,) = measure(joined, [Measurement((CountRows(),), WIDE, (AT.hour(),))])
    (alone,) = measure(table, [Measurement((CountRows(),), WIDE, (AT.hour(),))])
    assert counted(found) == counted(alone)


def test_without_a_zone_nothing_can_be_asked(database: Path) -> None:
    table = read(database, unit="who", table="seen")
    assert table.schema.type_of(AT) is ColumnType.INSTANT
    for asked in (
        Measurement((CountRows(),), WIDE, (AT.hour(),)),
        Measurement((CountRows(),), WIDE, (AT,)),
        Measurement((CountRows(),), WIDE, (AT.weekday(),)),
        Measurement((CountRows(),), WIDE, where=AT.isin([date(2024, 1, 1)])),
    ):
        with pytest.raises(InvalidParameter, match=r"'at' without one\. Give zone="):
            measure(table, [asked])
    (rows,) = measure(table, [Measurement((CountRows(),), WIDE)])
    assert rows.totals[0].tolist() == [14]


@pytest.mark.parametrize("zone", ["CET+1", "europe/oslo", "+01:00", "localtime", "", 1, "../etc"])
def test_no_such_zone(zone: Any, database: Path) -> None:
    with pytest.raises(InvalidParameter, match="`zone` must be a zone of the tz database"):
        read(database, unit="who", table="seen", zone=zone)


def test_a_zone_tells_places_apart(database: Path) -> None:
    oslo, utc = (read(database, unit="who", table="seen", zone=zone) for zone in ZONES[::3])
    assert isinstance(oslo.location, Zoned)
    assert place_of(oslo.location) != place_of(utc.location)
    assert repr(oslo) != repr(utc)
    plain = read(pa.table({"who": [1]}), unit="who", zone="Europe/Oslo")
    assert not isinstance(plain.location, Zoned)


def test_in_a_plan_file(database: Path) -> None:
    text = f"""
[data]
path = "{database.name}"
table = "seen"
unit = "who"
zone = "Europe/Oslo"
[bounds]
max_groups = 2
max_rows = 2
[budget]
ledger = "budget.db"
spend = {{epsilon = 1}}
[derive]
hour = "hour(at)"
[[question]]
ask = "count"
by = "hour"
keys = [1, 2, 3]
"""
    assert plan_file(text, database.parent).plan.table.schema.type_of(AT) is ColumnType.MOMENT
    with pytest.raises(InvalidParameter, match=r"plan:6:1: `zone` must be"):
        plan_file(text.replace("Europe/Oslo", "Oslo"), database.parent)
    without = text.replace('zone = "Europe/Oslo"', "")
    with pytest.raises(InvalidParameter, match="time stamps with a zone are read in a zone that"):
        plan_file(without, database.parent)


YEARS = datetime(2015, 1, 1), datetime(2300, 1, 1)
EXTREMES = [0, 2**62, -(2**62), 2**63 - 1, 1 - 2**63, None, 1_600_000_000]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_that_do_not_fit_make_nothing_fail(unit: str, tmp_path: Path) -> None:
    """Of a coarse column nothing can be asked, as DuckDB could fail on one row of it."""
    moments = pa.array(EXTREMES, pa.int64()).cast(pa.timestamp(unit, tz="UTC"))
    data = pa.table({"who": range(7), "at": moments})
    tables = [read(data, unit="who", zone="Europe/Oslo")]
    tables.append(read(pl.DataFrame({"who": range(7)}).with_columns(at=pl.from_arrow(moments)),
                       unit="who", zone="Europe/Oslo"))  # fmt: skip
    tables.append(read(pd.DataFrame({"who": range(7), "at": pd.array(moments, dtype=pd.ArrowDtype(
        moments.type))}), unit="who", zone="Europe/Oslo"))  # fmt: skip
    if unit != "s":  # Parquet has none
        pq.write_table(data, tmp_path / "seen.parquet")
        tables.append(read(tmp_path / "seen.parquet", unit="who", zone="Europe/Oslo"))
    for table in tables:
        asked = Measurement((CountRows(),), WIDE, where=AT.between(*YEARS))
        if unit in {"us", "ns"}:
            (found,) = measure(table, [asked])
            assert 0 <= found.totals[0][0] <= 7
            continue
        assert table.schema.type_of(AT) is ColumnType.OTHER
        with pytest.raises(InvalidParameter, match="holds something else"):
            measure(table, [asked])
        assert measure(table, [Measurement((CountRows(),), WIDE)])[0].totals[0].tolist() == [7]
