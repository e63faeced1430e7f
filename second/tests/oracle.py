"""The sensitivity oracle: every query that a test measures, also without each of some units.

The totals are taken again without up to eight units, and no total may move further than the gate
believes, in integers. It looks at what was really measured, so it guards every test's query.
"""

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from leastnoise.release.measurement import NORM, Measurement, Proposal
from leastnoise.tables.contributions import FULL, ONE, PART, Norm
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.engines.frames import as_arrow
from leastnoise.tables.relations import Filtered, OfUnit, Relation
from leastnoise.tables.schema import Frame, Table
from tests.tables.tables import difference, measure

UNITS = 8
MOST_ROWS = 400_000

_seen: set[tuple[Any, ...]] = set()


def check(proposal: Proposal) -> None:
    """Checks every part of a proposal that was not checked before."""
    norm = NORM[proposal.family]
    for part in proposal.parts:
        key = (norm, repr(part.measurement)[:20_000])
        if key not in _seen:
            _seen.add(key)
            _check(part.measurement, norm)


def _check(measurement: Measurement, norm: Norm) -> None:
    (table,) = measurement.relation.tables
    data = _rows(table)
    if data.num_rows > MOST_ROWS:
        return
    everybody = measure(_on(measurement, table, data), norm)
    for others in _neighbours(data, table.unit):
        moved = difference(everybody, measure(_on(measurement, table, others), norm))
        for place, total in enumerate(measurement.totals):
            parts = [abs(line[place]) for code, line in moved.items() if code >= 0]
            squared = sum(parts) ** 2 if norm == "l1" else sum(part**2 for part in parts)
            assert squared <= measurement.sensitivity(total, norm), f"{total} moves too far"
        assert sum(abs(moved.get(code, [0])[0]) for code in (FULL, PART)) in (0, ONE)


def _neighbours(data: pa.Table, unit: str | None) -> list[pa.Table]:
    """The table without each of the units with most rows, and without some others."""
    if unit is None:
        return [_without_row(data, at) for at in range(min(UNITS, data.num_rows))]
    counts = pc.value_counts(data[unit]).to_pylist()
    known = sorted((-each["counts"], str(each["values"]), each["values"])
                   for each in counts if each["values"] is not None)  # fmt: skip
    chosen = [value for *_, value in (*known[: UNITS // 2], *known[-UNITS // 2 :])]
    return [data.filter(pc.fill_null(pc.not_equal(data[unit], value), True)) for value in chosen]


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


def _on(measurement: Measurement, old: Table, data: pa.Table) -> Measurement:
    new = replace(old, place=Frame(data))
    return replace(measurement, relation=_replaced(measurement.relation, old, new))


def _replaced(relation: Relation, old: Table, new: Table) -> Relation:
    match relation:
        case OfUnit(table):
            return OfUnit(new if table is old else table)
        case Filtered(source, condition):
            return Filtered(_replaced(source, old, new), condition)
        case _:
            raise TypeError(type(relation))
