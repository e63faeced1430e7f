"""Limits that are drawn: the figures of a real table, and filters that overlap under one limit."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import leastnoise as ln
from benchmarks.limits import destinations_shown, trial
from leastnoise.ledger.meters import Family
from leastnoise.noise.source import Source
from leastnoise.release.measurement import NORM
from tests import oracle
from tests.docs.pages import make_flights

LAWS: dict[tuple[tuple[str, ...], Family], tuple[dict[int, float], float]] = {
    (("carrier",), "laplace"): ({362: 0.305, 512: 0.584, 724: 0.097, 1024: 0.012}, 1836),
    (("month",), "gaussian"): ({128: 0.680, 181: 0.275, 256: 0.039, 362: 0.005}, 1383),
    (("origin",), "laplace"): ({362: 0.127, 512: 0.719, 724: 0.134, 1024: 0.017}, 2112),
    (("dest",), "gaussian"): ({128: 0.013, 181: 0.112, 256: 0.620, 362: 0.222, 512: 0.028}, 2526),
}
"""The law of the limit, computed by hand from how many planes have more rows; the mean half-width."""


@pytest.mark.slow
def test_limits_and_coverage_on_flights(tmp_path: Path) -> None:
    """The law of a limit is exact; of 40 releases the rest, with bounds far outside what chance does."""
    make_flights(tmp_path / "flights.parquet")
    flights = ln.read(str(tmp_path / "flights.parquet"), privacy_unit={"plane": "tailnum"})
    ledger = ln.Ledger.create(tmp_path / "l", privacy_unit="plane", epsilon=6, delta="1e-6")
    for (by, family), (law, half) in LAWS.items():
        found = trial(flights, by, family, ledger)
        for limit, chance in law.items():
            assert found.law[limit] == pytest.approx(chance, abs=0.0006)
        _, held, width = found.run(40, Source())
        assert held >= (0.87 if by == ("dest",) else 0.75)
        assert width == pytest.approx(half, rel=0.3)
    assert np.mean(destinations_shown(flights, ledger, 50)) >= 60


TABLE = pa.table({"u": [*"aaaaaabbbbcccdd"], "g": ["x", "y", "x"] * 5, "v": list(range(15))})


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
@pytest.mark.parametrize("grouped", [True, False])
def test_overlapping_filters_under_a_limit_move_no_further_than_they_may(
    family: Family, grouped: bool
) -> None:
    data: Any = ln.read(TABLE, privacy_unit="u")
    source = data.group_by("g", groups=["x", "y"]) if grouped else data
    columns = {f"n{i}": ln.count(where=f"v < {i}") for i in (3, 7, 11, 15)}
    query = source.agg(max_contributions=2, **columns, s=ln.sum("v", lower=0, upper=9),
                       u=ln.count_units(where="v > 4"), m=ln.mean("v", lower=0, upper=14, where="v > 2"))  # fmt: skip
    for over_limit in (True, False):
        for measurement, _ in query.measurements(family, over_limit=over_limit):
            oracle.check_measurement(measurement, NORM[family])
