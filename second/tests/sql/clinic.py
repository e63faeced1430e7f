"""A small clinic: patients, their visits, lab values of visits, and public cities."""

from datetime import date, datetime
from typing import Any

import duckdb
import pyarrow as pa

import leastnoise as ln

PATIENTS = pa.table(
    {"id": ["p1", "P1", "p2", "p3", "p4", None], "sex": ["F", "M", "F", None, "M", "F"],
     "city": ["Oslo", "Bergen", "oslo", "Voss", None, "Oslo"],
     "born": [date(1980, 1, 1), date(1990, 5, 5), None, date(2000, 2, 29), date(1951, 7, 1), date(1999, 1, 1)]}
)  # fmt: skip
VISITS = pa.table(
    {"id": [1, 2, 3, 4, 5, 6, 7, 8], "patient_id": ["p1", "p1", "P1", "p2", "p3", "zz", None, "p4"],
     "cost": [10.0, 20.5, None, float("nan"), 600.0, 5.0, 7.0, 33.0], "n": [1, 2, 3, None, 5, 6, 7, 1],
     "smoker": [True, False, None, True, True, False, True, False],
     "day": [date(2020, 1, 1), date(2020, 2, 1), date(2020, 2, 2), None, date(2021, 1, 1), date(2020, 1, 31),
             date(2020, 1, 1), date(2020, 12, 31)],
     "seen": [datetime(2020, 1, 1, 5), datetime(2020, 2, 1, 6, 59), datetime(2020, 2, 2), None,
            datetime(2021, 1, 1, 23), datetime(2020, 1, 31), datetime(2020, 1, 1), datetime(2020, 6, 1, 12)],
     "ward": ["A", "B", "a", "C", None, "A", "B", " A"], "Odd name": ["x", "y", "x", "y", "x", "y", "x", None],
     "noted": ["2020-01-01"] * 8}
)  # fmt: skip
LAB = pa.table({"visit_id": [1, 1, 2, 3, 9, None, 6], "value": [1.0, 2.0, 3.0, None, 5.0, 6.0, 0.5],
                "Cost": [1, 2, 3, 4, 5, 6, 7]})  # fmt: skip
CITIES = pa.table(
    {"name": ["Oslo", "Bergen", "Voss", "Voss", None], "county": ["Oslo", "Vestland", "Vestland", "Voss", "none"],
     "pop": [700_000, 280_000, 15_000, 1, 0]}
)  # fmt: skip
UNIT = {
    "patient": {"patients": "id", "visits": "patient_id", "lab": "visit_id -> visits.id"},
}
COLUMNS: dict[str, Any] = {
    "visits": {"cost": {"type": "number", "range": [0, 600]},
               "day": {"type": "date", "range": ["2020-01-01", "2021-12-31"]}},
}  # fmt: skip
MOST = 50  # rows of one unit in what the statements of the tests read


def clinic(patients: Any = PATIENTS, visits: Any = VISITS, lab: Any = LAB) -> ln.Data:
    """The clinic, or another one with the same columns."""
    tables = {"patients": patients, "visits": visits, "lab": lab}
    return ln.read(tables, privacy_unit=UNIT, public={"cities": CITIES}, columns=COLUMNS)


def plain() -> Any:
    """DuckDB with the same tables, without rows of nobody, and with the functions that it lacks."""
    connection = duckdb.connect()
    for name, table in (("p", PATIENTS), ("v", VISITS), ("l", LAB), ("cities", CITIES)):
        connection.register(name, table)
    connection.execute("CREATE TABLE patients AS FROM p WHERE id IS NOT NULL")
    connection.execute(
        "CREATE TABLE visits AS SELECT * REPLACE (CASE WHEN isnan(cost) THEN NULL ELSE cost END AS cost) "
        "FROM v WHERE patient_id IS NOT NULL"
    )
    connection.execute("CREATE TABLE lab AS FROM l WHERE visit_id IN (SELECT id FROM visits)")
    connection.execute(
        "CREATE MACRO clip(x, low, high) AS "
        "CASE WHEN x IS NOT NULL THEN greatest(low, least(high, x)) END"
    )
    return connection
