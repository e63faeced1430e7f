"""How much noise counts of one plan have, from the laws, and how long a preview and a command take."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

import leastnoise as ln
from benchmarks import Row, medians
from tests.docs.pages import make_flights

ROWS = ln.read(pa.table({"x": [0, 1, 2]}), privacy_unit=ln.ROW, data_version="1")


def plan_of(k: int) -> ln.Plan:
    """k counts."""
    queries: dict[str, Any] = {f"q{i}": ROWS.agg(n=ln.count(where=f"x <= {i}")) for i in range(k)}
    return ln.plan(**queries)


def variance(preview: Any) -> float:
    """The mean variance of all totals."""
    found = [each["standard_deviation"] ** 2 for each in preview.mechanisms]
    return float(sum(found) / len(found))


def _preview(count: int, ledger: ln.Ledger) -> str:
    return repr(plan_of(count).preview(ledger, epsilon=1))


def rows(size: int) -> Iterator[Row]:  # noqa: ARG001
    """Variances beside their targets; seconds of previews and of one command."""
    targets = {("0", 10): 20.5, ("1e-6", 20): 60.0, ("1e-6", 100): 548.0}
    with tempfile.TemporaryDirectory() as folder:
        for (delta, k), most in targets.items():
            path = Path(folder, f"{k}-{delta}")
            ledger = ln.Ledger.create(path, privacy_unit="row", epsilon=1, delta=delta)
            yield Row(f"variance of {k} filtered counts, epsilon 1, delta {delta}",
                      variance(plan_of(k).preview(ledger, epsilon=1)), most=most, unit="")  # fmt: skip
        for k, most in ((10, 1.0), (400, 3.0)):
            shown = partial(_preview, k, ledger)
            taken = medians({"preview": shown}, 3)
            yield Row(
                f"preview of a plan of {k} queries", taken["preview"].clock, most=most, unit="s"
            )
        make_flights(Path(folder, "flights.parquet"))
        command = [sys.executable, "-m", "leastnoise.cli.main", "sql", "flights.parquet",
                   "--privacy-unit", "plane=tailnum", "--ledger", "flights.ledger", "--epsilon", "0.1",
                   "--groups", "carrier=AA,B6,DL", "--yes", "--again",
                   "SELECT carrier, COUNT(*) AS flights FROM flights GROUP BY carrier"]  # fmt: skip
        ln.Ledger.create(
            Path(folder, "flights.ledger"), privacy_unit="plane", epsilon=6, delta="1e-6"
        )
        run = {"sql": lambda: subprocess.run(command, cwd=folder, check=True, capture_output=True)}
        yield Row("leastnoise sql on 334,264 rows, the whole command", medians(run)["sql"].clock,
                  most=1.5, unit="s")  # fmt: skip
