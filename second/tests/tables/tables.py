"""Small tables and queries for tests, by Hypothesis."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.release.measurement import Measurement
from leastnoise.tables.contributions import FULL, ONE, PART, Norm, totals_sql
from leastnoise.tables.dialect import Fragment
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.groups import Groups

EXAMPLES = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

SCHEMA = pa.schema(
    {"u": pa.string(), "g": pa.string(), "n": pa.int64(), "x": pa.float64(), "ok": pa.bool_(),
     "d": pa.date32(), "t": pa.timestamp("us")}
)  # fmt: skip

HOSTILE = [0.0, -0.0, 1.5, 2.5, -2.5, 1e308, -1e308, 5e-324, float("inf"), -float("inf"),
           float("nan"), 0.1, 99.99999999, 100.0, -3.0, None]  # fmt: skip
TEXTS = ["a", "A", "b", "", " a", "a ", "é", "é", "ß", "NULL", None]
DATES = [
    date(1, 1, 1),
    date(2013, 1, 31),
    date(2013, 2, 1),
    date(2020, 2, 29),
    date(9999, 12, 31),
    None,
]
TIMES = [datetime(1, 1, 1), datetime(2013, 1, 31, 23, 59, 59, 999999), datetime(9999, 12, 31), None]

rows = st.lists(
    st.fixed_dictionaries(
        {
            "u": st.sampled_from(["p", "P", "q", "q ", "r", "1", "01", "", None]),
            "g": st.sampled_from(TEXTS),
            "n": st.sampled_from([0, 1, 2, 3, -1, 7, 2**62, -(2**63), None]),
            "x": st.sampled_from(HOSTILE),
            "ok": st.sampled_from([True, False, None]),
            "d": st.sampled_from(DATES),
            "t": st.sampled_from(TIMES),
        }
    ),
    max_size=40,
)

CONDITIONS = [
    None, "x > 1", "ok", "NOT ok", "n IN (1, 2)", "NOT (x > 1 AND ok)", "g = 'a' OR n >= 2", "d IS NULL",
    "d >= '2013-02-01'", "coalesce(x, 0) <= 1.5", "length(g) > 0", "n % 2 = 1", "x / n > 0.5",
]  # fmt: skip
NUMBERS = [
    "x",
    "n",
    "x * 2 + n",
    "abs(x)",
    "least(n, 5)",
    "CASE WHEN ok THEN x ELSE 0 END",
    "clip(x, -2, 3)",
]

aggregates = st.one_of(
    st.builds(ln.count, st.sampled_from(CONDITIONS)),
    st.builds(ln.count_units, st.sampled_from(CONDITIONS)),
    st.builds(
        lambda kind, x, ends, where: kind(x, lower=ends[0], upper=ends[1], where=where),
        st.sampled_from([ln.sum, ln.mean]),
        st.sampled_from(NUMBERS),
        st.sampled_from([(0, 100), (-3, 4), (0, 2**21), (-1, "0.5"), (-50, -1)]),
        st.sampled_from(CONDITIONS),
    ),
    st.builds(
        ln.share, st.sampled_from(["x > 1", "ok", "n = 1", "g = 'a'"]), st.sampled_from(CONDITIONS)
    ),
)

GROUPS: list[tuple[dict[str, Any], Any]] = [
    ({}, None),
    ({"g": "g"}, ["a", "b", "A", ""]),
    ({"g": "g"}, ["a", None]),
    ({"ok": "ok"}, None),
    ({"year": "year(d)"}, [2013, 2020]),
    ({"g": "g", "ok": "ok"}, {"g": ["a", "é"]}),
    ({"n": "n", "g": "g"}, [(1, "a"), (2, None), (-(2**63), "b")]),
    ({"x": ln.bins("x", lower=-3, upper=3, width=2)}, None),
]


@st.composite
def queries(draw: st.DrawFn, unit: Any = "u") -> tuple[Any, list[dict[str, Any]]]:
    """A query over a small table of hostile rows, and the rows."""
    found = draw(rows)
    data = ln.read(pa.Table.from_pylist(found, schema=SCHEMA), privacy_unit=unit)
    where = draw(st.sampled_from(CONDITIONS))
    if where is not None:
        data = data.where(where)
    named, groups = draw(st.sampled_from(GROUPS))
    asked = {
        f"a{i}": each for i, each in enumerate(draw(st.lists(aggregates, min_size=1, max_size=4)))
    }
    limits: dict[str, Any] = {}
    if unit != ln.ROW:
        limits["max_contributions"] = draw(st.sampled_from([1, 2, 3, 5, 12]))
        limits["max_per_group"] = draw(st.sampled_from([None, 1]))
    grouped = data.group_by(groups=groups, **named) if named else data
    return grouped.agg(**limits | asked), found


def measure(
    measurement: Measurement,
    norm: Norm,
    change: Callable[[str], str] = str,
    engine: DuckDB | None = None,
) -> dict[int, list[int]]:
    """What the statement gives; its text may be changed, to plant a mistake."""
    assert isinstance(measurement.groups, Groups)
    if engine is None:
        with DuckDB(measurement.relation.tables) as own:
            return measure(measurement, norm, change, own)
    statement = totals_sql(
        measurement.relation, measurement.groups, measurement.totals, norm,
        measurement.limits(norm), engine.scan, engine.dialect, count_units=measurement.over_limit,
    )  # fmt: skip
    statement = Fragment(change(statement.text), statement.values)
    return {code: totals for code, *totals in engine.integers(statement)}


def difference(one: dict[int, list[int]], other: dict[int, list[int]]) -> dict[int, list[int]]:
    """One result minus another, group by group."""
    width = len(next(iter([*one.values(), *other.values()]), []))
    nothing = [0] * width
    return {
        code: [a - b for a, b in zip(one.get(code, nothing), other.get(code, nothing), strict=True)]
        for code in one.keys() | other.keys()
    }


def nonzero(found: dict[int, list[int]]) -> dict[int, list[int]]:
    return {code: totals for code, totals in found.items() if any(totals)}


def check_sensitivity(measurement: Measurement, norm: Norm, moved: dict[int, list[int]]) -> None:
    """Every total within its own sensitivity; the counts of units within one unit."""
    for place, total in enumerate(measurement.totals):
        parts = [abs(totals[place]) for code, totals in moved.items() if code >= 0]
        squared = sum(parts) ** 2 if norm == "l1" else sum(part**2 for part in parts)
        assert squared <= measurement.sensitivity(total, norm), total
    assert sum(abs(moved.get(code, [0])[0]) for code in (FULL, PART)) in (0, ONE)


def keyed(found: dict[Any, Any]) -> dict[Any, Any]:
    """Values as they are written: 1 and 1.0 and True are different, NaN is itself."""
    return {repr(key): value for key, value in found.items()}
