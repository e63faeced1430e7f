"""The example of `leastnoise init --example`: invented visits of 20,000 patients to a clinic.

The table is the same every time. Nobody is in it, so releases on it cost nobody anything.
"""

from datetime import date, timedelta
from pathlib import Path

import numpy as np

PATIENTS = 20_000
CITIES = ("Bergen", "Oslo", "Stavanger", "Tromsø", "Trondheim")
FIRST_DAY, DAYS = date(2025, 1, 1), 365

VISITS_TOML = """\
# Invented visits to a clinic. What the queries below would cost:
#   leastnoise preview visits.toml
# All fields, for editors:  leastnoise inspect --schema
ledger = "visits.ledger"
epsilon = 1  # what a release of all queries below costs together

[tables.visits]
path = "visits.parquet"
privacy_unit = {patient = "patient_id"}
columns.sex = {values = ["F", "M"]}
columns.city = {values = ["Bergen", "Oslo", "Stavanger", "Tromsø", "Trondheim"]}
columns.day = {range = [2025-01-01, 2025-12-31]}
columns.cost = {range = [0, 600], measured_in = "kr"}

[queries.by_city]
sql = "SELECT city, COUNT(*) AS visits, AVG(cost) AS cost FROM visits GROUP BY city"

[queries.by_month]
sql = "SELECT date_trunc('month', day) AS month, COUNT(*) AS visits FROM visits GROUP BY 1"

[queries.smokers]
sql = "SELECT sex, AVG(smoker) AS smokers FROM visits GROUP BY sex"
"""


def write_visits(path: Path) -> None:
    """Writes the table of invented visits: one to eleven of each patient."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(2013)
    visits = random.binomial(10, 0.77, PATIENTS) + 1
    patient = np.repeat(np.arange(PATIENTS), visits)
    woman = random.random(PATIENTS)[patient] < 0.54
    cost = np.clip(random.gamma(2.2, np.where(woman, 63, 67)), 0, 600).round(2)
    smoker = random.random(PATIENTS)[patient] < 0.18
    city = random.choice(len(CITIES), PATIENTS, p=(0.2, 0.35, 0.15, 0.1, 0.2))[patient]
    days = [FIRST_DAY + timedelta(int(each)) for each in random.integers(0, DAYS, len(patient))]
    columns = {
        "patient_id": patient,
        "sex": pa.array(np.where(woman, "F", "M").tolist()),
        "city": pa.array([CITIES[each] for each in city]),
        "day": pa.array(days, pa.date32()),
        "smoker": smoker,
        "cost": cost,
    }
    pq.write_table(pa.table(columns), path)
