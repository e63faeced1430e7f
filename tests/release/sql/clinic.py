"""A clinic in memory: patients, their visits, what the laboratory found, and public cities."""

from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from leastnoise import ApproxDP, Ledger
from leastnoise.release.dataset.dataset import Dataset
from leastnoise.release.dataset.dataset_file import dataset
from leastnoise.release.sql.sql_release import SqlRelease

PEOPLE, VISITS, RESULTS = 60, 150, 220
HUGE = ApproxDP(epsilon=10**7, delta="1e-8")
"""So much that no noise is left to be seen."""


def tables() -> dict[str, pd.DataFrame]:
    """The same every time; some values are missing."""
    rng = np.random.default_rng(18)
    ages: Any = rng.integers(0, 100, PEOPLE).astype(float)
    ages[::13] = np.nan
    costs: Any = rng.integers(0, 2000, VISITS) / 4.0
    costs[::11] = np.nan
    days = rng.integers(0, 300, VISITS)
    first = date(2024, 1, 1).toordinal()
    return {
        "patients": pd.DataFrame(
            {
                "id": np.arange(PEOPLE),
                "age": ages,
                "sex": rng.choice(["F", "M"], PEOPLE),
                "smoker": rng.integers(0, 2, PEOPLE).astype(bool),
            }
        ),
        "visits": pd.DataFrame(
            {
                "id": np.arange(VISITS) + 500,
                "patient_id": rng.integers(0, PEOPLE, VISITS),
                "city": rng.choice(["Oslo", "Bergen", "Voss"], VISITS),
                "cost": costs,
                "minutes": rng.integers(5, 60, VISITS),
                "day": pd.to_datetime([date.fromordinal(first + int(n)) for n in days]),
            }
        ),
        "labs": pd.DataFrame(
            {
                "visit_id": rng.integers(500, 500 + VISITS, RESULTS),
                "level": rng.integers(0, 100, RESULTS) / 100,
            }
        ),
        "cities": pd.DataFrame(
            {
                "name": ["Oslo", "Bergen", "Narvik"],
                "region": ["East", "West", "North"],
                "size": [700, 300, 20],
            }
        ),
    }


def clinic(**bounds: Any) -> Dataset:
    """The dataset; its bounds cut nothing off."""
    return dataset(
        tables=tables(),
        unit="patients.id",
        refers={
            "visits.patient_id": "patients.id",
            "labs.visit_id": "visits.id",
            "visits.city": "cities.name",
        },
        public=["cities"],
        columns={
            "patients.age": {"range": [0, 110]},
            "patients.sex": {"values": ["F", "M"], "never_null": True},
            "visits.cost": {"range": [0, 500]},
            "visits.minutes": {"range": [0, 60], "never_null": True},
            "visits.day": {"range": [date(2024, 1, 1), date(2024, 12, 31)]},
            "labs.level": {"range": [0, 1]},
        },
        name="clinic",
        bounds={"max_groups": 30, "max_rows": 40, "measure_cut": False, **bounds},
    )


def ledger(folder: Path) -> Ledger:
    """One that is never empty."""
    total = ApproxDP(epsilon=10**12, delta="1e-2")
    return Ledger(folder / "budget.db", total=total, begin=True)


def released(text: str, folder: Path, data: Dataset | None = None) -> SqlRelease:
    """The result of a statement, with next to no noise."""
    found: SqlRelease = (data or clinic()).sql(text).release(HUGE, ledger=ledger(folder))
    return found


def truth(text: str) -> list[tuple[Any, ...]]:
    """What DuckDB finds."""
    with duckdb.connect() as connection:
        for name, frame in tables().items():
            connection.register(name, frame)
        return connection.execute(text).fetchall()
