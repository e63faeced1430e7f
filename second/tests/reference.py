"""A plain-Python reference for everything that an engine computes: row by row, slow and obvious."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import isqrt
from typing import Any

from leastnoise.release.measurement import Measurement
from leastnoise.tables.contributions import FULL, ONE, PART, Norm
from leastnoise.tables.expressions import Call, Case, Column, Expression, Literal, common_type
from leastnoise.tables.functions import FUNCTIONS, LONGEST
from leastnoise.tables.groups import Groups, Unlisted
from leastnoise.tables.per_unit import PerUnitAggregate
from leastnoise.tables.profile import STEPS
from leastnoise.tables.relations import (
    Filtered,
    LookedUp,
    Mapped,
    OfUnit,
    OnUnit,
    PerUnit,
    Public,
    Referring,
    Relation,
    Stacked,
    WithPublic,
)
from leastnoise.tables.schema import Table, Type
from leastnoise.tables.totals import (
    Above,
    Below,
    Centred,
    Met,
    Present,
    Rows,
    Squared,
    Total,
    Units,
)

Row = Mapping[str, Any]
"""A row as the source has it; None, NaN, infinities and any Python value may stand in it."""


def cleaned(value: Any, kind: Type) -> Any:
    """A value of the source as one of ours."""
    if value is None or value != value:
        return None
    match kind:
        case Type.INTEGER:
            whole = round(value)
            return whole if -(2**63) <= whole < 2**63 else None
        case Type.NUMBER:
            number = max(-(2.0**200), min(2.0**200, float(value)))
            return number if abs(number) >= 2.0**-200 else 0.0
        case Type.TEXT:
            return str(value)
        case Type.TIMESTAMP:
            return datetime(value.year, value.month, value.day) if type(value) is date else value
        case _:
            return value


def evaluate(expression: Expression, row: Row) -> Any:
    """The value of an expression in a cleaned row; None where it is missing or unknown."""
    match expression:
        case Column(name):
            return row[name]
        case Literal(value):
            return float(value) if isinstance(value, Fraction) else value
        case Case(whens, otherwise):
            for condition, then in whens:
                if evaluate(condition, row) is True:
                    return as_type(evaluate(then, row), expression.type)
            return None if otherwise is None else as_type(evaluate(otherwise, row), expression.type)
        case Call(name, arguments):
            values = [evaluate(each, row) for each in arguments]
            known = FUNCTIONS[name]
            if known.meet:
                kind = common_type(arguments)
                values = [as_type(value, kind) for value in values]
            elif known.result is Type.NUMBER:
                values = [float(v) if i not in known.constants and v is not None else v
                          for i, v in enumerate(values)]  # fmt: skip
            return call(name, values, all(each.type is Type.INTEGER for each in arguments))
    raise TypeError(type(expression))


def as_type(value: Any, kind: Type) -> Any:
    if value is None:
        return None
    if kind is Type.NUMBER:
        return float(value)
    if kind is Type.TIMESTAMP and type(value) is date:
        return datetime(value.year, value.month, value.day)
    return value


def call(name: str, values: list[Any], whole: bool) -> Any:
    match name:
        case "and":
            return False if False in values else (None if None in values else True)
        case "or":
            return True if True in values else (None if None in values else False)
        case "is null":
            return values[0] is None
        case "coalesce":
            return next((value for value in values if value is not None), None)
        case "least" | "greatest":
            present = [value for value in values if value is not None]
            return (min if name == "least" else max)(present) if present else None
        case "concat":
            return "".join(value for value in values if value is not None)[:LONGEST]
        case "in" if values[0] is not None:
            x, *among = values
            return True if x in among else (None if None in among else False)
        case "nullif":
            return None if None not in values and values[0] == values[1] else values[0]
    if None in values:
        return None
    found = _STRICT[name](*values)
    if whole or FUNCTIONS[name].result is Type.INTEGER:
        return found if not isinstance(found, int) or -(2**63) <= found < 2**63 else None
    return found


def rounded(x: float | int) -> int:
    """Halves away from 0."""
    if isinstance(x, int):
        return x
    return int(math.copysign(math.floor(abs(x) + 0.5) if abs(x) < 2**52 else abs(x), x))


def truncated(period: str, day: date) -> date:
    first = day.date() if isinstance(day, datetime) else day
    match period:
        case "week":
            return first - timedelta(days=first.weekday())
        case "month":
            return first.replace(day=1)
        case "quarter":
            return first.replace(month=first.month - (first.month - 1) % 3, day=1)
        case "year":
            return first.replace(month=1, day=1)
    return first


def days(start: date, end: date) -> int:
    plain = [x.date() if isinstance(x, datetime) else x for x in (start, end)]
    return (plain[1] - plain[0]).days


_STRICT: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else None,
    "%": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1) if b else None,
    "abs": abs, "floor": math.floor, "ceil": math.ceil, "round": rounded,
    "clip": lambda x, low, high: max(low, min(high, x)),
    "lower": lambda s: "".join(c.lower() if c.isascii() else c for c in s),
    "upper": lambda s: "".join(c.upper() if c.isascii() else c for c in s),
    "trim": lambda s: s.strip(" "), "length": len,
    "substring": lambda s, start, count: s[start - 1 : start - 1 + count],
    "||": lambda a, b: (a + b)[:LONGEST], "starts_with": lambda s, t: s.startswith(t),
    "contains": lambda s, t: t in s, "not": lambda a: not a,
    "=": lambda a, b: a == b, "<>": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "date_trunc": truncated, "days_between": days,
    "year": lambda d: d.year, "month": lambda d: d.month, "day": lambda d: d.day,
    "quarter": lambda d: (d.month + 2) // 3, "weekday": lambda d: d.isoweekday(),
    "hour": lambda d: d.hour,
}  # fmt: skip


Tables = Mapping[Table, Sequence[Row]]


def rows_of(relation: Relation, data: Tables) -> Iterable[tuple[Any, Row]]:
    """(unit, cleaned row) of every row of a relation; the unit is None where it is missing."""
    match relation:
        case OfUnit(table) | Public(table):
            for number, row in enumerate(data[table]):
                unit = number if table.unit is None else row[table.unit]
                yield None if table.public else unit, cleaned_row(table, row)
        case Referring(table, column, parent, key):
            for unit, above in rows_of(parent, data):
                for row in (cleaned_row(table, each) for each in data[table]):
                    if row[column] is not None and row[column] == above[key]:
                        yield unit, row
        case Filtered(source, condition):
            yield from (
                (u, row) for u, row in rows_of(source, data) if evaluate(condition, row) is True
            )
        case Mapped(source, columns):
            for unit, row in rows_of(source, data):
                yield (
                    unit,
                    {name: cleaned(evaluate(each, row), each.type) for name, each in columns},
                )
        case WithPublic() | OnUnit() | LookedUp():
            right = list(rows_of(relation.right, data))
            for unit, row in rows_of(relation.left, data):
                yield from ((unit, each) for each in _joined(relation, unit, row, right))
        case PerUnit(source, keys, aggregates):
            together: dict[Any, list[Row]] = defaultdict(list)
            for unit, row in rows_of(source, data):
                together[unit, tuple(evaluate(each, row) for _, each in keys)].append(row)
            for (unit, values), rows in together.items():
                found = {name: value for (name, _), value in zip(keys, values, strict=True)}
                yield (
                    unit,
                    found
                    | {
                        name: cleaned(aggregate(each, rows), each.type) for name, each in aggregates
                    },
                )
        case Stacked(parts):
            for part in parts:
                yield from rows_of(part, data)
        case _:
            raise TypeError(type(relation))


def cleaned_row(table: Table, row: Row) -> Row:
    return {name: cleaned(row[name], column.type) for name, column in table.schema.items()}


def _joined(
    relation: WithPublic | OnUnit | LookedUp, unit: Any, row: Row, right: list[tuple[Any, Row]]
) -> Iterable[Row]:
    """What a join makes of one row of the left side."""
    found = []
    for other_unit, other in right:
        if isinstance(relation, OnUnit) and (unit is None or unit != other_unit):
            continue
        if isinstance(relation, LookedUp):
            own, same = (
                row[relation.own],
                [each for _, each in right if each[relation.key] == other[relation.key]],
            )
            if own is None or own != other[relation.key] or len(same) > 1:
                continue
        if relation.on is None or evaluate(relation.on, {**row, **other}) is True:
            found.append({**row, **other})
    match relation.kind:
        case "semi" | "anti":
            return [row] if bool(found) is (relation.kind == "semi") else []
        case "left" if not found:
            return [{**row, **dict.fromkeys(relation.right.schema)}]
    return found


def aggregate(asked: PerUnitAggregate, rows: Sequence[Row]) -> Any:
    """Of the rows of one unit and one key."""
    rows = [row for row in rows if asked.where is None or evaluate(asked.where, row) is True]
    if asked.value is None:
        return len(rows)
    values = [v for v in (evaluate(asked.value, row) for row in rows) if v is not None]
    match asked.function:
        case "count":
            return len(values)
        case "count distinct":
            return len(set(values))
        case _ if not values:
            return None
        case "min":
            return min(values)
        case "max":
            return max(values)
    if asked.value.type is Type.INTEGER:
        whole = sum(values)
        if asked.function == "avg":
            return float(whole) / len(values)
        return whole if -(2**63) <= whole < 2**63 else None
    assert isinstance(asked.value, Call)
    x, low, high = asked.value.arguments
    assert isinstance(low, Literal) and isinstance(high, Literal)
    grid = Centred(None, x, Fraction(str(low.value)), Fraction(str(high.value)))
    total = float(
        sum(steps(grid, evaluate(x, row)) for row in rows if evaluate(x, row) is not None)
    )
    if asked.function == "avg":
        return total * float(grid.step) / len(values) + float(grid.middle)
    return total * float(grid.step) + len(values) * float(grid.middle)


def candidates(
    measurement: Measurement, data: Tables, min_units: int
) -> dict[tuple[Any, ...], int]:
    """(keys -> steps) of the groups that may be found, by what their units add to them."""
    groups = measurement.groups
    assert isinstance(groups, Unlisted)
    of: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
    for unit, row in rows_of(measurement.relation, data):
        values = [evaluate(each, row) for each in groups.by]
        listed = all(
            known is None or v in known for v, known in zip(values, groups.known, strict=True)
        )
        key = tuple(v for v, known in zip(values, groups.known, strict=True) if known is None)
        used = any(y_of(total, row) is not None for total in measurement.totals)
        if unit is not None and listed and used and None not in key:
            of[unit].append(key)
    found: dict[tuple[Any, ...], int] = defaultdict(int)
    for keys in of.values():
        for key in set(keys):
            found[key] += isqrt(STEPS**2 // len(set(keys))) if len(set(keys)) <= STEPS else 0
    least = (min_units - 1) * STEPS
    return {key: steps - least for key, steps in found.items() if steps > least}


def sizes(measurement: Measurement, norm: Norm, data: Tables) -> list[int]:
    """Of every unit the squared norm of what is limited: its rows per group, or its presence."""
    groups = measurement.groups
    assert isinstance(groups, Groups)
    of_rows = [each for each in measurement.totals if not each.counts_units]
    found: dict[Any, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
    for unit, row in rows_of(measurement.relation, data):
        key = tuple(evaluate(each, row) for each in groups.by)
        used = any(y_of(total, row) is not None for total in of_rows or measurement.totals)
        if unit is not None and key in groups.keys and used:
            found[unit][key] += 1
    vectors = ([n if of_rows else 1 for n in cells.values()] for cells in found.values())
    return [sum(v) ** 2 if norm == "l1" else sum(n * n for n in v) for v in vectors]


def y_of(total: Total, row: Row) -> int | None:
    """What a total adds up of a row; None if it does not use the row."""
    if total.where is not None and evaluate(total.where, row) is not True:
        return None
    match total:
        case Rows() | Units():
            return 1
        case Present():
            return None if evaluate(total.value, row) is None else 1
        case Met():
            met = evaluate(total.value, row)
            return None if met is None else (1 if met else -1)
        case Centred():
            x = evaluate(total.value, row)
            if x is None:
                return None
            y = steps(total, x)
            match total:
                case Below():
                    return total.half - y
                case Above():
                    return total.half + y
                case Squared():
                    return 2 * y * y - total.half**2
                case _:
                    return y
    raise TypeError(type(total))


def steps(total: Centred, x: float) -> int:
    whole = total.value.type is Type.INTEGER and total.step.denominator <= 2 and total.step <= 1
    if whole and total.lower.denominator == total.upper.denominator == 1:
        near = max(int(total.lower), min(int(total.upper), int(x)))
        return int((near - total.middle) / total.step)
    width = float(total.width)
    near_float = max(-width, min(width, float(x) - float(total.middle))) / float(total.step)
    return max(-total.half, min(total.half, rounded(near_float)))


def weight(
    norm: Norm, squared_limit: int, vector: Iterable[int], used_up: Iterable[int] = ()
) -> int:
    """The greatest weight up to 2^20 that brings a vector of counts within what is left of its limit."""
    if norm == "l2":
        vector, used_up = ([count * count for count in counts] for counts in (vector, used_up))
    size, before = sum(vector), sum(used_up)
    if not size:
        return ONE
    if norm == "l1":
        return min(ONE, max(0, isqrt(squared_limit * ONE**2) - before * ONE) // size)
    return min(ONE, isqrt(max(0, squared_limit - before) * ONE**2 // size))


def totals(
    measurement: Measurement,
    norm: Norm,
    data: Mapping[Table, Sequence[Row]],
    shown: int | None = None,
) -> dict[int, list[int]]:
    """(code -> totals) as the statement gives them, for groups with rows and, if asked, for units.

    If so many groups are shown, the rows of the others use up limits.
    """
    assert isinstance(measurement.groups, Groups)
    by, codes = measurement.groups.by, {key: i for i, key in enumerate(measurement.groups.keys)}
    used: dict[Any, dict[int, list[list[int | None]]]] = defaultdict(lambda: defaultdict(list))
    for unit, row in rows_of(measurement.relation, data):
        code = codes.get(tuple(evaluate(each, row) for each in by))
        ys = [y_of(total, row) for total in measurement.totals]
        if (
            unit is not None
            and unit == unit
            and code is not None
            and any(y is not None for y in ys)
        ):
            used[unit][code].append(ys)
    limits = measurement.limits(norm)
    found: dict[int, list[int]] = {}
    for cells in used.values():
        _add_unit(found, cells, measurement, norm, limits, shown)
    return found


def _add_unit(
    found: dict[int, list[int]],
    cells: Mapping[int, list[list[int | None]]],
    measurement: Measurement,
    norm: Norm,
    limits: Any,
    shown: int | None,
) -> None:
    places = range(len(measurement.totals))
    of_rows = [i for i in places if not measurement.totals[i].counts_units]
    counts = {
        k: sum(any(ys[i] is not None for i in of_rows) for ys in rows) for k, rows in cells.items()
    }
    presence = {k: sorted({i for ys in rows for i in places if i not in of_rows and ys[i] is not None})
                for k, rows in cells.items()}  # fmt: skip
    now = {k: rows for k, rows in cells.items() if shown is None or k < shown}
    w = v = ONE
    if limits is not None:
        marks = {k: bool(each) for k, each in presence.items()}
        w, v = (
            weight(
                norm,
                limit,
                [each for k, each in vector.items() if k in now],
                [each for k, each in vector.items() if k not in now],
            )
            for limit, vector in ((limits.rows, counts), (limits.units, marks))
        )
    for k, rows in now.items():
        line = found.setdefault(k, [0] * len(places))
        for i in places:
            if i in of_rows or limits is None:
                line[i] += w * sum(ys[i] or 0 for ys in rows)
            else:
                line[i] += v * (i in presence[k])
    if measurement.over_limit and (any(counts.values()) if of_rows else any(presence.values())):
        code = FULL if (w if of_rows else v) == ONE else PART
        found.setdefault(code, [0] * len(places))[0] += ONE
