"""One table of dates and moments, hostile ones among them, on every engine."""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import psycopg

Row = tuple[int, date | None, datetime | None]

GOOD: list[Row] = [
    (1, date(2024, 2, 29), datetime(2024, 2, 29, 23, 59, 59, 999999)),
    (1, date(2024, 2, 29), datetime(2024, 3, 31, 2, 30)),
    (1, date(2024, 3, 1), datetime(1970, 1, 1)),
    (2, date(1, 1, 1), datetime(1, 1, 1)),
    (2, date(9999, 12, 31), datetime(9999, 12, 31, 23, 59, 59, 999999)),
    (3, date(1969, 12, 31), datetime(1969, 12, 31, 7)),
    (3, date(1970, 1, 1), datetime(1582, 10, 10, 12)),
    (4, date(1582, 10, 10), datetime(2000, 2, 29)),
    (4, date(1900, 2, 28), datetime(1900, 3, 1)),
    (5, date(2023, 12, 31), datetime(2024, 12, 30)),
    (5, date(2024, 1, 1), datetime(2021, 1, 3, 0, 0, 1)),
    (6, None, None),
]
"""Rows that every engine has a value for, or none."""

_NO_VALUE = {
    "duckdb": ["infinity", "-infinity", "0044-03-15 (BC)", "10000-01-01", "290000-01-01"],
    "postgres": ["infinity", "-infinity", "0044-03-15 BC", "10000-01-01", "290000-01-01"],
    "spark": ["-0044-03-15", "+10000-01-01", "+290000-01-01"],
}
"""Days and moments that a column can hold, and that are none for us."""


def _values(row: Row) -> str:
    who, *times = row
    words = (f"'{each.isoformat(' ') if isinstance(each, datetime) else each}'" if each else "NULL"
             for each in times)  # fmt: skip
    return ", ".join([str(who), *words])


def _inserts(engine: str) -> list[str]:
    strange = [f"7, '{text}', '{text}'" for text in _NO_VALUE[engine]]
    return [*map(_values, GOOD), *strange]


def duckdb_dates(folder: Path) -> Path:
    """A database file with a table `dates`."""
    place = folder / "dates.duckdb"
    with duckdb.connect(str(place)) as database:
        database.execute('CREATE TABLE dates (who BIGINT, day DATE, "at" TIMESTAMP)')
        for row in _inserts("duckdb"):
            database.execute(f"INSERT INTO dates VALUES ({row})")
    return place


def postgres_dates(url: str) -> str:
    """The address of a database that has a table `dates` now."""
    with psycopg.connect(url, autocommit=True) as link:
        link.execute("CREATE TABLE dates (who bigint, day date, at timestamp)")
        for row in _inserts("postgres"):
            link.execute(f"INSERT INTO dates VALUES ({row})")
    return url


def spark_dates(spark: Any) -> Any:
    """A data frame of the same."""
    rows = [f"({row})" for row in _inserts("spark")]
    text = f"SELECT * FROM VALUES {', '.join(rows)} AS dates(who, day, at)"
    return spark.sql(
        "SELECT CAST(who AS BIGINT) AS who, CAST(day AS DATE) AS day, "
        f"CAST(at AS TIMESTAMP_NTZ) AS at FROM ({text})"
    )
