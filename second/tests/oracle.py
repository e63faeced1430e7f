"""The sensitivity oracle: every query that a test measures, also without each of some units.

The totals are taken again without up to eight units, and no total may move further than the gate
believes, in integers. It looks at what was really measured, so it guards every test's query.
"""

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from leastnoise.ledger.meters import Family
from leastnoise.release.measurement import Measurement, Part
from leastnoise.tables.contributions import FULL, ONE, PART, Norm
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.engines.frames import as_arrow
from leastnoise.tables.schema import Frame, Table
from leastnoise.tables.totals import Below
from tests.tables.tables import difference, measure

UNITS = 8
MOST_ROWS = 400_000

Data = dict[Table, pa.Table]

_seen: set[tuple[Any, ...]] = set()


def check(part: Part, family: Family) -> None:
    """Checks a measurement, if it was not checked before."""
    norm = part.measurement.norm(family)
    key = (norm, repr(part.measurement)[:20_000])
    if key not in _seen:
        _seen.add(key)
        check_measurement(part.measurement, norm)


def check_measurement(measurement: Measurement, norm: Norm) -> None:
    """No total moves further than its sensitivity when one of some units leaves."""
    private = dict.fromkeys(table for table in measurement.relation.tables if not table.public)
    data = {table: _rows(table) for table in private}
    if sum(each.num_rows for each in data.values()) > MOST_ROWS:
        return
    everybody = measure(_on(measurement, data), norm)
    for others in _neighbours(data):
        moved = difference(everybody, measure(_on(measurement, others), norm))
        for place, total in enumerate(measurement.totals):
            parts = [abs(line[place]) for code, line in moved.items() if code >= 0]
            squared = sum(parts) ** 2 if norm == "l1" else sum(part**2 for part in parts)
            assert squared <= measurement.sensitivity(total, norm), f"{total} moves too far"
            if type(total) is Below and norm == "l1":
                other = measurement.totals.index(total.other)
                both = sum(abs(line[place]) + abs(line[other]) for line in moved.values())
                assert both**2 <= measurement.sensitivity(total, norm), f"{total} moves too far"
        assert sum(abs(moved.get(code, [0])[0]) for code in (FULL, PART)) in (0, ONE)


def _neighbours(data: Data) -> list[Data]:
    """The tables without each of the units with most rows, and without some others."""
    (first, rows), *rest = data.items()
    if first.unit is None and not rest:
        return [{first: _without_row(rows, at)} for at in range(min(UNITS, rows.num_rows))]
    columns = {table: table.unit for table in data if table.unit is not None}
    counts: dict[Any, int] = {}
    for table, unit in columns.items():
        for each in pc.value_counts(data[table][unit]).to_pylist():
            if each["values"] is not None:
                counts[each["values"]] = counts.get(each["values"], 0) + each["counts"]
    known = sorted(counts, key=lambda value: (-counts[value], str(value)))
    chosen = dict.fromkeys([*known[: UNITS // 2], *known[-UNITS // 2 :]])
    return [{table: _without(data[table], columns.get(table), value) for table in data}
            for value in chosen]  # fmt: skip


def _without(data: pa.Table, unit: str | None, value: Any) -> pa.Table:
    """The table without a unit; rows of a child table are nobody's once their parents are gone."""
    if unit is None:
        return data
    return data.filter(pc.fill_null(pc.not_equal(data[unit], value), True))


def _without_row(data: pa.Table, at: int) -> pa.Table:
    return pa.concat_tables([data.slice(0, at), data.slice(at + 1)])


def _rows(table: Table) -> pa.Table:
    if isinstance(table.place, Frame):
        found = as_arrow(table.place.data, list(table.schema))
        return found if isinstance(found, pa.Table) else found.read_all()
    with DuckDB([table]) as engine:
        source = engine._source(table.place, None)
        text, values = f"SELECT * FROM {source.text}", list(source.values)
        return engine._connection.sql(text, params=values).to_arrow_table()


def _on(measurement: Measurement, data: Data) -> Measurement:
    new = {table: replace(table, place=Frame(rows)) for table, rows in data.items()}
    return replace(measurement, relation=_replaced(measurement.relation, new))


def _replaced(value: Any, new: dict[Table, Table]) -> Any:
    """A relation over other tables."""
    if isinstance(value, Table):
        return new.get(value, value)
    if isinstance(value, tuple):
        return tuple(_replaced(each, new) for each in value)
    if not is_dataclass(value) or not type(value).__module__.endswith("tables.relations"):
        return value
    changed = {each.name: _replaced(getattr(value, each.name), new) for each in fields(value)}
    return replace(value, **changed)  # type: ignore[type-var]
