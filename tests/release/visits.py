"""A small table of visits, with everything that questions ask about."""

from pathlib import Path
from typing import Any

import duckdb

CITIES = ["Oslo", "Bergen", "Trondheim", "Elsewhere"]


def write_visits(place: Path) -> Path:
    """20 000 visits of 5 000 patients, four of each, all in one city; some costs are missing."""
    duckdb.sql(
        f"""COPY (SELECT (i * 7919) % 5000 AS patient,
                    ['Oslo', 'Bergen', 'Trondheim', 'Elsewhere'][1 + i % 4] AS city,
                    (i * 31) % 90 AS age, i % 3 = 0 AS smoker, i % 7 < 2 AS insured,
                    CASE WHEN i % 50 = 0 THEN NULL ELSE ((i * 17) % 500)::DOUBLE END AS cost
             FROM range(20000) t(i)) TO '{place}' (FORMAT parquet)"""
    )
    return place


def ask(place: Path, query: str) -> Any:
    """The rows of a query, in which `visits` stands for the table."""
    found = duckdb.sql(query.replace("visits", f"'{place}'"))
    assert found is not None
    return found.fetchall()
