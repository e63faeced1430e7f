"""What `measure` must answer, said in plain Python; slow, and shares no code with the engine."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip, Norm
from leastnoise.release.ask.expression import (
    Arithmetic,
    Both,
    Column,
    Compared,
    Condition,
    Constant,
    Either,
    Missing,
    Not,
    OneOf,
)
from leastnoise.release.ask.grid import Grid
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountPresent,
    CountRows,
    CountUnits,
    CountValues,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    SumOf,
    SumOfSquares,
)
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import Spread, UnitSpread

Row = dict[str, Any]
Order = Callable[[Any, tuple[Any, ...]], Any]
"""Of a unit and a key: where it comes in the unit's order of groups."""

RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "<>": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def comparable(value: Any) -> Any:
    """Text compares by its bytes."""
    return value.encode() if isinstance(value, str) else value


def tame(value: Any) -> float:
    number = float(value)
    return 0.0 if abs(number) < 2.0**-200 else max(-(2.0**200), min(2.0**200, number))


def value_of(term: Any, row: Row) -> Any:
    """What a row has; None or NaN if nothing."""
    match term:
        case Column(name):
            return row[name]
        case Constant(value):
            return value
        case Arithmetic(operation, one, other):
            values = [value_of(one, row), value_of(other, row)]
            if any(map(is_missing, values)):
                return None
            a, b = (v if isinstance(t, Arithmetic) else tame(v)
                    for v, t in zip(values, (one, other), strict=True))  # fmt: skip
            return {"+": a + b, "-": a - b, "*": a * b}[operation.value]
        case _:
            raise AssertionError


def holds(condition: Condition, row: Row) -> bool:  # noqa: PLR0911 - one per kind
    match condition:
        case Compared(column, relation, value):
            found = value_of(column, row)
            if is_missing(found):
                return False
            return RELATIONS[relation.value](comparable(found), comparable(value))
        case OneOf(column, values):
            found = value_of(column, row)
            return not is_missing(found) and any(found == value for value in values)
        case Missing(column):
            return is_missing(value_of(column, row))
        case Not(inner):
            return not holds(inner, row)
        case Both(one, other):
            return holds(one, row) and holds(other, row)
        case Either(one, other):
            return holds(one, row) or holds(other, row)
        case _:
            raise AssertionError


def place(value: Any, grid: Grid) -> int:
    number = float(value)
    if number == math.inf:
        return grid.most
    if number == -math.inf:
        return grid.least
    try:
        scaled = math.floor(number * 2.0**grid.bits + 0.5)
    except OverflowError:
        scaled = 2**40 if number > 0 else -(2**40)
    return max(grid.least, min(grid.most, scaled))


def of_place(aggregate: Aggregate, p: int, low: int, high: int) -> int:
    match aggregate:
        case SumOf():
            return p
        case DistanceBelow():
            return p - low
        case DistanceAbove():
            return high - p
        case CountPresent():
            return 1
        case SumFromCentre():
            return (p - low) - (high - p)
        case SumOfSquares():
            return ((p - low) - (high - p)) ** 2 - (high - low) ** 2 // 2
        case _:
            raise AssertionError


def raw(aggregate: Aggregate, rows: Sequence[Row]) -> int:
    if isinstance(aggregate, CountRows):
        return len(rows)
    if isinstance(aggregate, CountUnits):
        return 1
    assert not isinstance(aggregate, CountValues), "the caller counts values"
    grid = aggregate.grid
    values = [value_of(aggregate.column, row) for row in rows]
    places = [place(value, grid) for value in values if not is_missing(value)]
    return sum(of_place(aggregate, p, grid.least, grid.most) for p in places)


def toward_zero(numerator: int, denominator: int) -> int:
    quotient = abs(numerator) // denominator
    return quotient if numerator >= 0 else -quotient


def contribution(aggregate: Aggregate, rows: Sequence[Row], max_rows: int) -> int:
    value = raw(aggregate, rows)
    if isinstance(aggregate, CountUnits) or len(rows) <= max_rows:
        return value
    return toward_zero(value * max_rows, len(rows))


def weight(counts: Sequence[int], clip: Clip) -> int:
    """What each row of a unit with these row counts weighs, in units of 2^-20."""
    if clip.norm is Norm.TOTAL:
        size = sum(counts)
    else:
        squares = sum(count**2 for count in counts)
        size = math.isqrt(squares - 1) + 1
    return 2**20 if size <= clip.rows else clip.rows * 2**20 // size


def unit_weight(groups: int, clip: Clip) -> int:
    """What a unit weighs in each of its groups, in units of 2^-20."""
    if clip.norm is Norm.TOTAL:
        return weight([1] * groups, clip)
    root = math.isqrt(groups * 2**20 - 1) + 1
    return 2**20 if groups <= clip.rows**2 else clip.rows * 2**30 // root


def add_clipped(
    totals: dict[tuple[Any, ...], list[int]],
    own: dict[tuple[Any, ...], list[Row]],
    measurement: Measurement,
    clip: Clip,
    unit: str | None,
) -> None:
    sizes = [len(rows) for rows in own.values()]
    light = (1, 1) if unit is None else (weight(sizes, clip), unit_weight(len(sizes), clip))
    for key, rows in own.items():
        cell = totals.setdefault(key, [0] * len(measurement.aggregates))
        for i, aggregate in enumerate(measurement.aggregates):
            cell[i] += light[isinstance(aggregate, CountUnits)] * raw(aggregate, rows)


def kept_key(measurement: Measurement, row: Row) -> tuple[Any, ...] | None:
    """The row's group; None if it is in none."""
    if measurement.where is not None and not holds(measurement.where, row):
        return None
    key = tuple(row[column.name] for column in measurement.by)
    if any(value is None or (isinstance(value, str) and len(value) > 1000) for value in key):
        return None
    if measurement.keys is not None and key not in measurement.keys.rows:
        return None
    return key


def rows_by_group(
    rows: Sequence[Row], unit: str | None, measurement: Measurement
) -> dict[Any, dict[tuple[Any, ...], list[Row]]]:
    """Unit ↦ group ↦ its rows there."""
    groups: dict[Any, dict[tuple[Any, ...], list[Row]]] = defaultdict(lambda: defaultdict(list))
    for number, row in enumerate(rows):
        key = kept_key(measurement, row)
        who = number if unit is None else row[unit]
        if key is not None and who is not None:
            groups[who][key].append(row)
    return groups


def expected(
    rows: Sequence[Row], unit: str | None, measurement: Measurement, order: Order
) -> dict[tuple[Any, ...], list[int]]:
    """Group ↦ its totals."""
    groups = rows_by_group(rows, unit, measurement)
    start = measurement.keys.rows if measurement.keys else [()] if not measurement.by else []
    totals = {tuple(key): [0] * len(measurement.aggregates) for key in start}
    for who, own in groups.items():
        if isinstance(measurement.bounds, Clip):
            add_clipped(totals, own, measurement, measurement.bounds, unit)
            continue
        chosen = sorted(own, key=lambda key, who=who: order(who, key))  # type: ignore[misc]
        assert isinstance(measurement.bounds, Bounds)
        for key in chosen[: measurement.bounds.max_groups]:
            cell = totals.setdefault(key, [0] * len(measurement.aggregates))
            for i, aggregate in enumerate(measurement.aggregates):
                cell[i] += contribution(aggregate, own[key], measurement.bounds.max_rows)
    return totals


def cell_value(expression: Any, row: Row) -> Any:
    if not isinstance(expression, Bin):
        return row[expression.name]
    value = value_of(expression.column, row)
    if is_missing(value):
        return None
    grid, steps = expression.grid, expression.grid.most - expression.grid.least
    part = (place(value, grid) - grid.least) * expression.cells // steps
    return min(part, expression.cells - 1)


def cell(grouping: Grouping, row: Row) -> tuple[Any, ...] | None:
    """The cell a row is in; None if it is in none."""
    values = tuple(cell_value(each, row) for each in grouping.by)
    if any(value is None or (isinstance(value, str) and len(value) > 1000) for value in values):
        return None
    key = tuple(v for v, e in zip(values, grouping.by, strict=True) if not isinstance(e, Bin))
    return values if grouping.keys is None or key in grouping.keys.rows else None


def expected_histograms(
    rows: Sequence[Row], unit: str | None, asked: Histograms
) -> list[dict[tuple[Any, ...], int]]:
    """Per grouping: non-empty cell ↦ its count."""
    kept = [row for row in rows if asked.where is None or holds(asked.where, row)]
    kept = [row for row in kept if unit is None or row[unit] is not None]
    own = Counter(None if unit is None else row[unit] for row in kept)
    found: list[dict[tuple[Any, ...], int]] = []
    for grouping in asked.groupings:
        counts: dict[tuple[Any, ...], int] = defaultdict(int)
        for row in kept:
            rows_of_unit = 0 if unit is None else own[row[unit]]
            light = rows_of_unit > asked.max_rows
            weight = 2**20 * asked.max_rows // rows_of_unit if light else 2**20
            where = cell(grouping, row)
            if where is not None:
                counts[where] += 1 if unit is None else weight
        found.append(dict(counts))
    return found


Part = tuple[int, Fraction]
"""A weight in units of 2^-20, and where it is."""


def expected_spread(
    rows: Sequence[Row], unit: str | None, spread: UnitSpread, order: Order
) -> list[int]:
    """The weight on each knot."""
    found = [0] * len(spread.knots)
    for who, own in rows_by_group(rows, unit, spread.measurement).items():
        for weight, number in parts_of(who, own, spread, order):
            inside = min(max(number, Fraction(spread.knots[0])), Fraction(spread.knots[-1]))
            above = next(j for j, knot in enumerate(spread.knots) if j and inside <= knot)
            low, high = spread.knots[above - 1 : above + 1]
            share = math.floor(weight * (inside - low) / (high - low))
            found[above - 1] += weight - share
            found[above] += share
    return found


def parts_of(
    who: Any, own: dict[tuple[Any, ...], list[Row]], spread: UnitSpread, order: Order
) -> list[Part]:
    counts = [len(rows) for rows in own.values()]
    match spread.of:
        case Spread.ROWS:
            return [(2**20, Fraction(sum(counts)))]
        case Spread.GROUPS:
            return [(2**20, Fraction(len(counts)))]
        case Spread.ROWS_IN_GROUP:
            return [(2**20 // len(counts), Fraction(count)) for count in counts]
        case Spread.LOST:
            return [(2**20, lost(who, own, spread.measurement, order))]
        case Spread.VALUES:
            column, grid = spread.place
            values = [value_of(column, row) for rows in own.values() for row in rows]
            places = [place(value, grid) for value in values if not is_missing(value)]
            return [(2**20 // len(places), Fraction(each)) for each in places]


def lost(
    who: Any, own: dict[tuple[Any, ...], list[Row]], measurement: Measurement, order: Order
) -> Fraction:
    """What is there, less what counts: in rows, or in groups where nothing but units is counted."""
    units = all(isinstance(each, CountUnits) for each in measurement.aggregates)
    sizes = {key: 1 if units else len(rows) for key, rows in own.items()}
    if isinstance(measurement.bounds, Clip):
        counts = list(sizes.values())
        clip = measurement.bounds
        light = unit_weight(len(counts), clip) if units else weight(counts, clip)
        return sum(sizes.values()) * (1 - Fraction(light, 2**20))
    chosen = sorted(own, key=lambda key: order(who, key))[: measurement.bounds.max_groups]
    kept = [min(sizes[key], measurement.bounds.max_rows) for key in chosen]
    return Fraction(sum(sizes.values()) - sum(kept))
