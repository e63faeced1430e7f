"""A plan and its data, for tests of the command line."""

import csv
from pathlib import Path

from leastnoise.ledger import Ledger
from leastnoise.privacy import ApproxDP

PLAN = """
[data]
path = "visits.csv"
unit = "patient"
types = {age = "integer", cost = "number"}

[bounds]
max_groups = 2
max_rows = 3

[budget]
ledger = "budget.db"
total = {epsilon = 3, delta = "1e-6"}
spend = {epsilon = 1, delta = "1e-7"}

[[question]]
ask = "count"
by = "city"
keys = ["Oslo", "Bergen"]

[[question]]
ask = "units"

[[question]]
ask = "mean"
column = "age"
lower = 0
upper = 110
where = [{column = "cost", above = 10}, {column = "city", in = ["Oslo", "Bergen"]}]

[output]
folder = "out"
"""


def write_visits(folder: Path, rows: int = 500, *, begun: bool = True) -> Path:
    """The data, the plan beside them, and its ledger."""
    with (folder / "visits.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient", "city", "age", "cost"])
        for i in range(rows):
            writer.writerow([i % 100, "Oslo" if i % 3 else "Bergen", 20 + i % 50, i % 77])
    place = folder / "plan.toml"
    place.write_text(PLAN, "utf-8")
    if begun and not (folder / "budget.db").exists():
        total = ApproxDP(epsilon=3, delta="1e-6")
        Ledger(folder / "budget.db", total=total, dataset="visits.csv", begin=True)
    return place
