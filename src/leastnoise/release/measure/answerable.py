"""Whether a table can answer a measurement: decided from names and types, before any data."""

from datetime import date

from leastnoise import _check
from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import checked_condition
from leastnoise.release.ask.keys import Key, Keys
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.one_pass import Sought, sought
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.measure.sql.sql_condition import condition_sql
from leastnoise.release.measure.sql.sql_term import (
    key_kind,
    reading,
    refuse_other_than_numbers,
)
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountRows,
    CountUnits,
    CountValues,
    SumOfSquares,
)
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import Grouping
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import UnitSpread

_MOST_CELLS = 10_000_000  # held in memory, with noise for each
_MOST_STEPS = 2**21  # 2^63 rows' squares, weighed, then fit into 126 bits


def refuse_impossible(asked: Asked, schema: Schema) -> None:
    """Checks every column that is named.

    Raises:
        InvalidParameter: an unknown column, one of a type that does not fit, keys of others, or
            more cells than can be held.
    """
    if isinstance(asked, UnitSpread):
        asked = asked.measurement
    wanted = sought(asked)
    if not wanted or not wanted[0].aggregates:
        raise _check.refuse("something must be counted or summed", "nothing", "Count rows.")
    for aggregate in wanted[0].aggregates:
        _refuse_summing(aggregate, schema)
    for each in wanted:
        _refuse_grouping(each.grouping, schema)
        _refuse_values(each)
    if isinstance(asked, Measurement) and asked.keys is None and wanted[0].grouping.bins:
        raise _check.refuse("parts of a range need keys", "none", "List them, or ask a histogram.")
    if asked.where is not None:
        _refuse_condition(asked.where, schema)


def _refuse_grouping(grouping: Grouping, schema: Schema) -> None:
    for each in grouping.by:
        _refuse_key(each, schema, "`by` must hold")
    names = [each.name for each in grouping.by]
    if len(set(names)) != len(names):
        raise _check.refuse(
            "groups must be made by different columns", _check.shown(names), "Name each once."
        )
    if grouping.keys is not None:
        _refuse_keys(grouping.keys, grouping.columns, schema)
    if (grouping.cells or 0) > _MOST_CELLS:
        raise _check.refuse(
            f"a histogram must have at most {_MOST_CELLS} cells",
            f"{grouping.cells}",
            "Ask for fewer parts, or for fewer keys.",
        )


def _refuse_values(wanted: Sought) -> None:
    """Their pass finds private groups in an order of its own, and nothing beside values."""
    if wanted.valued is None:
        return
    others = len(wanted.aggregates) > 1 or not isinstance(wanted.bounds, Bounds)
    if others or wanted.grouping.is_private:
        raise _check.refuse(
            "different values are counted alone, in public groups, without a clip",
            "private groups, a clip, or more to count",
            "List the groups.",
        )


def _refuse_summing(aggregate: Aggregate, schema: Schema) -> None:
    if isinstance(aggregate, CountValues):
        _refuse_key(aggregate.column, schema, "different values are counted of")
        return
    if not isinstance(aggregate, CountRows | CountUnits):
        refuse_other_than_numbers(aggregate.column, schema)
        reading(aggregate.column, schema, DUCKDB)
    if isinstance(aggregate, SumOfSquares):
        steps = aggregate.grid.most - aggregate.grid.least
        if steps > _MOST_STEPS:
            raise _check.refuse(
                f"the range of a column whose squares are summed must be {_MOST_STEPS} steps wide "
                "at most",
                f"{steps}",
                "Give its grid fewer bits.",
            )


def _refuse_key(column: KeyExpression, schema: Schema, rule: str) -> None:
    kind = key_kind(column, schema)
    reading(column, schema, DUCKDB)
    if not kind.can_be_key:
        raise _check.refuse(
            f"{rule} integers, text, truth values or dates",
            f"{column.name!r}, which holds values of type {kind.value!r}",
            "Round numbers down, col('age').floor(), or ask for a histogram of them."
            if kind.is_numeric
            else "Add a column with such values to the data.",
        )


def _refuse_keys(keys: Keys, by: tuple[KeyExpression, ...], schema: Schema) -> None:
    names = tuple(each.name for each in by)
    if keys.columns != names:
        raise _check.refuse(
            "keys must name the columns that make the groups, in their order",
            f"keys of {keys.columns!r} for groups by {names!r}",
            "Give keys for those columns.",
        )
    for column, value in zip(by, keys.listed[0], strict=True):
        name, kind = column.name, key_kind(column, schema)
        if kind is not _key_type(value):
            raise _check.refuse(
                f"the keys of {name!r} must be of the column's type, {kind.value!r}",
                f"keys of type {_key_type(value).value!r}",
                "Write them as the column has them: 1 is not '1'.",
            )


def _key_type(value: Key) -> ColumnType:
    if isinstance(value, bool):
        return ColumnType.TRUTH
    if isinstance(value, date):
        return ColumnType.DATE
    return ColumnType.INTEGER if isinstance(value, int) else ColumnType.TEXT


def _refuse_condition(condition: object, schema: Schema) -> None:
    condition_sql(checked_condition(condition, "where"), schema, DUCKDB)
