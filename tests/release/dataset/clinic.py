"""A clinic with four tables, in files and in memory, for tests."""

from pathlib import Path

import pandas as pd

CLINIC = """\
[dataset]
name = "clinic"
unit = "patients.id"

[tables.patients]
path = "patients.csv"
columns.id = {type = "integer"}
columns.age = {type = "integer", range = [0, 110], unit = "years"}
columns.sex = {type = "text", values = ["F", "M", "X"], description = "as registered"}
columns.smoker = {type = "truth"}

[tables.visits]
path = "visits.csv"
refers = {patient_id = "patients.id", city = "cities.name"}
columns.id = {type = "integer"}
columns.patient_id = {type = "integer"}
columns.city = {values = ["Oslo", "Bergen"]}
columns.cost = {type = "number", range = [0, 5000], unit = "NOK"}
columns.day = {type = "date", range = [2020-01-01, 2022-12-31]}

[tables.lab_results]
path = "lab.csv"
refers = {visit_id = "visits.id"}
columns.visit_id = {type = "integer"}
columns.level = {type = "number", range = [0, 1]}

[tables.cities]
path = "cities.csv"
public = true
unique = ["name"]
columns.region = {values = ["East", "West"]}

[bounds]
max_groups = 2
max_rows = 8

[budget]
ledger = "budget.db"
total = {epsilon = 3}
spend = {epsilon = 1}
"""

FILES = {
    "patients.csv": "id,age,sex,smoker\n1,30,F,true\n2,50,M,false\n3,70,F,true\n",
    "visits.csv": (
        "id,patient_id,city,cost,day\n10,1,Oslo,100,2020-02-01\n11,1,Bergen,50,2021-02-01\n"
        "12,2,Oslo,25,2021-03-01\n13,9,Oslo,10,2022-03-01\n"
    ),
    "lab.csv": "visit_id,level\n10,0.5\n10,0.25\n12,0.75\n99,0.1\n",
    "cities.csv": "name,region\nOslo,East\nBergen,West\n",
}


def clinic_in(folder: Path, text: str = CLINIC) -> Path:
    """The files of the clinic in a folder, and the path of its description."""
    for name, lines in FILES.items():
        (folder / name).write_text(lines)
    path = folder / "clinic.toml"
    path.write_text(text)
    return path


def frames() -> dict[str, pd.DataFrame]:
    """Two of the tables in memory."""
    return {
        "patients": pd.DataFrame({"id": [1, 2, 3], "age": [30, 50, 70]}),
        "visits": pd.DataFrame({"patient_id": [1, 1, 2], "cost": [100.0, 50.0, 25.0]}),
    }
