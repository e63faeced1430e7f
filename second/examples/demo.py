"""From a table of invented visits to a published number, in a folder that is removed afterwards."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import leastnoise as ln

PATIENTS = 20_000


def make_visits(path: Path) -> None:
    """A table of invented visits: one to eleven a patient, with a cost that depends on the sex."""
    random = np.random.default_rng(2013)
    visits = random.binomial(10, 0.77, PATIENTS) + 1
    patient = np.repeat(np.arange(PATIENTS), visits)
    woman = random.random(PATIENTS)[patient] < 0.54
    cost = np.clip(random.gamma(2.2, np.where(woman, 63, 67)), 0, 600).round(2)
    sex = pa.array(np.where(woman, "F", "M").tolist())
    pq.write_table(pa.table({"patient_id": patient, "sex": sex, "cost": cost}), path)


def main() -> None:
    """Makes the table, previews and releases a query, and shows what is left."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visits.parquet"
        make_visits(path)
        visits = ln.read(path, privacy_unit={"patient": "patient_id"})
        ledger = ln.Ledger.create(
            Path(folder) / "visits.ledger", privacy_unit="patient", epsilon=6, delta=1e-7
        )
        query = visits.group_by("sex", groups=["F", "M"]).agg(
            max_contributions=11,
            visits=ln.count(),
            cost=ln.mean("cost", lower=0, upper=600),
            dear=ln.share("cost > 250"),
        )
        for shown in (visits, query.preview(ledger, epsilon=1, expected_rows=80_000)):
            print(shown, "\n")
        print(query.release(ledger, epsilon=1), "\n")
        print(ledger)


if __name__ == "__main__":
    main()
