"""Make three tables that belong together: invented patients, their visits, and a list of cities.

Usage: make_clinic.py [FOLDER]. Writes patients.parquet, visits.parquet and cities.csv, the same in
every run.
"""

import sys
from pathlib import Path

import duckdb
import numpy as np

SEED = 18
PATIENTS = 6_000
REGIONS = {"Oslo": "East", "Bergen": "West", "Stavanger": "West", "Tromsø": "North"}


def main(folder: Path) -> None:
    """Write the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(SEED)
    born = chance.integers(1930, 2020, PATIENTS, dtype=np.int32)
    numbers = np.arange(1, PATIENTS + 1)
    patients: dict[str, np.ndarray] = {
        "id": numbers,
        "born": born,
        "sex": np.array(["F", "M", "X"], dtype=object)[
            chance.choice(3, PATIENTS, p=[0.5, 0.49, 0.01])
        ],
    }
    visits = 1 + chance.poisson(1 + (2020 - born) / 40)
    who = np.repeat(numbers, visits)
    cities = np.array(list(REGIONS), dtype=object)
    made = {
        "patient_id": who,
        "city": cities[chance.choice(len(cities), len(who), p=[0.5, 0.25, 0.15, 0.1])],
        "cost": np.round(chance.lognormal(6, 0.8, len(who)), 2),
    }
    with duckdb.connect() as database:
        tables = {"patients": patients, "visits": made}
        for name, columns in tables.items():
            database.register(name, columns)
            database.sql(f"FROM {name}").write_parquet(str(folder / f"{name}.parquet"))
            print(f"{len(next(iter(columns.values()))):,} rows in {name}.parquet")
    lines = [f"{city},{region}\n" for city, region in REGIONS.items()]
    (folder / "cities.csv").write_text("name,region\n" + "".join(lines), "utf-8")
    print(f"{len(lines)} rows in cities.csv")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
