"""The clinic of the examples: three small tables, and the file that describes them."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

CLINIC = '''\
ledger  = "clinic.ledger"
epsilon = 1                        # for all queries of this file together
[tables.patients]
path = "patients.parquet"
privacy_unit = {patient = "id"}
[tables.visits]
path = "visits/*.csv.gz"
csv  = {delimiter = ";", decimal = ","}
privacy_unit = {patient = "patient_id"}
columns.cost = {type = "number", range = [0, 600], label = "Cost", measured_in = "kr"}
columns.day  = {type = "date", range = [2025-01-01, 2025-12-31]}       # all other CSV columns are text
[tables.cities]
path   = "cities.csv"
public = true
[defaults]
max_contributions = 12
[queries.by_city]
sql = """SELECT cities.name, COUNT(*) AS visits, AVG(cost) AS cost FROM visits
         JOIN patients ON visits.patient_id = patients.id JOIN cities ON patients.city = cities.name GROUP BY 1"""
[queries.by_month]
sql = "SELECT date_trunc('month', day) AS month, COUNT(*) AS visits FROM visits GROUP BY 1"
max_contributions = 24
max_per_group = 2
[queries.by_ward]
sql = "SELECT ward, COUNT(*) AS visits FROM visits GROUP BY ward"
groups = {ward = ["A", "B", "C"]}  # or groups = "auto", min_units = 10
'''

SCHEDULE = """\
[queries.monthly]
sql = "SELECT ward, COUNT(*) AS visits FROM visits GROUP BY ward"
groups = {ward = ["A", "B", "C"]}
[queries.monthly.schedule]
every = "month"
column = "day"
first = 2025-01-01
periods = 12
append_only = true
epsilon = 2
"""

PATIENTS = 3_000
CITIES = ["Bergen", "Oslo", "Tromsø"]


def write_tables(folder: Path) -> None:
    """Three visits of each patient, in two files, and once more in visits.csv with commas."""
    ids = [f"p{i}" for i in range(PATIENTS)]
    cities = [CITIES[i % 3] for i in range(PATIENTS)]
    pq.write_table(pa.table({"id": ids, "city": cities}), folder / "patients.parquet")
    (folder / "cities.csv").write_text("name\n" + "\n".join(CITIES) + "\n", encoding="utf-8")
    (folder / "visits").mkdir()
    lines = [
        f"p{i % PATIENTS};{'ABC'[i % 3]};2025-{1 + i % 12:02}-15;{i % 300},5"
        for i in range(3 * PATIENTS)
    ]
    for name, part in (("one", lines[: len(lines) // 2]), ("two", lines[len(lines) // 2 :])):
        text = "patient_id;ward;day;cost\n" + "\n".join(part) + "\n"
        with gzip.open(folder / "visits" / f"{name}.csv.gz", "wt", encoding="utf-8") as file:
            file.write(text)
    plain = "patient_id;ward;day;cost\n" + "\n".join(lines) + "\n"
    text = plain.replace(",", ".").replace(";", ",")
    (folder / "visits.csv").write_text(text, encoding="utf-8")


def write_clinic(folder: Path, text: str = CLINIC) -> Path:
    """The tables and the file."""
    write_tables(folder)
    path = folder / "clinic.toml"
    path.write_text(text, encoding="utf-8")
    return path
