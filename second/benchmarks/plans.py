"""How much noise counts of one plan have, from the laws, and how long a preview takes.

`python -m benchmarks.plans` prints a line for each number of counts with different filters.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

import leastnoise as ln

ROWS = ln.read(pa.table({"x": [0, 1, 2]}), privacy_unit=ln.ROW, data_version="1")


def plan_of(k: int) -> ln.Plan:
    """k counts."""
    queries: dict[str, Any] = {f"q{i}": ROWS.agg(n=ln.count(where=f"x <= {i}")) for i in range(k)}
    return ln.plan(**queries)


def variance(preview: Any) -> float:
    """The mean variance of all totals."""
    found = [each["standard_deviation"] ** 2 for each in preview.mechanisms]
    return float(sum(found) / len(found))


def main() -> None:
    """Prints the table."""
    print(f"{'counts':>6} {'delta':>6} {'variance':>9} {'one by one':>10} {'seconds':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for delta in ("0", "1e-6"):
            for k in (3, 10, 20, 100, 400):
                ledger = ln.Ledger.create(
                    Path(folder, f"{k}-{delta}"), privacy_unit="row", epsilon=1, delta=delta
                )
                start = time.perf_counter()
                preview = plan_of(k).preview(ledger, epsilon=1)
                repr(preview)
                seconds = time.perf_counter() - start
                alone = 2.0 * k**2 if delta == "0" else k * 4.246**2
                print(f"{k:6} {delta:>6} {variance(preview):9.1f} {alone:10.0f} {seconds:8.2f}")


if __name__ == "__main__":
    main()
