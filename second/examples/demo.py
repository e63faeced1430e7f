"""From a table of invented visits to a published number, in a folder that is removed afterwards."""

import tempfile
from pathlib import Path

import leastnoise as ln
from leastnoise.cli.init import write_visits


def main() -> None:
    """Makes the table, previews and releases a query, and shows what is left."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visits.parquet"
        write_visits(path)
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
