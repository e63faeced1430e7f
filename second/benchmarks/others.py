"""A count by groups with nothing set, beside limits that are typed, as other tools ask for them.

OpenDP, Tumult Analytics and PipelineDP bound what one unit adds by two numbers: the groups that it may
be in, and its rows in each. Rows above are dropped, and counts get Laplace noise of scale
groups * rows / epsilon. What that does to a table is computed here from the table: the expected error of
each count over its truth, and the median over the groups.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import leastnoise as ln
from benchmarks import Row
from benchmarks.limits import trial
from leastnoise.noise.source import Source
from tests.docs.pages import make_flights

GUESSED = (5, 20)
RELEASES = 200


def rows(size: int) -> Iterator[Row]:  # noqa: ARG001
    """Flights by carrier at epsilon 1."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "flights.parquet")
        make_flights(path)
        counts = _counts(path)
        flights = ln.read(path, privacy_unit={"plane": "tailnum"})
        ledger = ln.Ledger.create(Path(folder, "l"), privacy_unit="plane", epsilon=6, delta="1e-6")
        auto = trial(flights, ("carrier",), "laplace", ledger)
        errors, source = [], Source()
        for _ in range(RELEASES):
            errors.append(np.abs(auto.once(source).value - auto.truth) / auto.truth)
    ours = 100 * float(np.median(np.mean(errors, axis=0)))
    grid = [(groups, 2**i) for groups in (1, 2, 3, 5) for i in range(11)]
    best = min(grid, key=lambda limits: _error(counts, *limits))
    what = "median error of a count by carrier, epsilon 1: "
    guess = "at most {} groups and {} rows in each"
    yield Row(f'{what}max_contributions="auto"', ours, unit="%")
    for limits, note in ((GUESSED, "an ordinary guess"), (best, "the best in hindsight")):
        error = _error(counts, *limits)
        yield Row(what + guess.format(*limits), error, unit="%", note=note)


def _counts(path: Path) -> np.ndarray:
    """The rows of each unit (down) in each group (across)."""
    import duckdb

    found = duckdb.sql(
        f"SELECT tailnum, carrier, COUNT(*) FROM '{path}' GROUP BY ALL ORDER BY ALL"
    ).fetchnumpy()
    units, u = np.unique(np.asarray(found["tailnum"], str), return_inverse=True)
    groups, g = np.unique(np.asarray(found["carrier"], str), return_inverse=True)
    table = np.zeros((len(units), len(groups)))
    table[u, g] = found["count_star()"]
    return table


def _error(counts: np.ndarray, groups: int, most: int, epsilon: float = 1.0) -> float:
    """In per cent: E|noise - dropped| / truth, for groups of a unit that are kept by chance."""
    kept = np.minimum(counts, most)
    present = (counts > 0).sum(axis=1, keepdims=True)
    kept *= np.minimum(1, groups / np.maximum(present, 1))
    truth = counts.sum(axis=0)
    dropped, scale = truth - kept.sum(axis=0), groups * most / epsilon
    return 100 * float(np.median((dropped + scale * np.exp(-dropped / scale)) / truth))
