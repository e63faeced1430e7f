"""What rows are grouped by, and the public list of groups, from what was asked for.

A list of groups never comes from the data. It is typed, or known: truth values, declared values,
bins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.numbers.exact import Exact, exact, positive, written
from leastnoise.sql import expression_of
from leastnoise.tables.expressions import Call, Case, Column, Expression, Literal
from leastnoise.tables.groups import MOST, Groups, Unlisted
from leastnoise.tables.schema import Schema, Type, Value, value_of

MOST_BINS = 1000


@dataclass(frozen=True)
class Bins:
    """Ranges of a number to group by: [edge, next edge), the last one with its upper end."""

    x: str
    edges: tuple[Fraction, ...]

    def code(self, x: Expression) -> Expression:
        """The number of the bin that x lies in; missing outside. Found by halving."""
        if not x.type.is_numeric:
            raise InvalidInput(f"{x} is of type {x.type}. Bins are of numbers.")
        ends = [Literal(int(edge) if edge.denominator == 1 else edge) for edge in self.edges]

        def below(first: int, last: int) -> Expression:
            if first == last:
                return Literal(first)
            middle = (first + last + 1) // 2
            return Case(
                ((Call("<", (x, ends[middle])), below(first, middle - 1)),), below(middle, last)
            )

        inside = Call("and", (Call(">=", (x, ends[0])), Call("<=", (x, ends[-1]))))
        return Case(((inside, below(0, len(ends) - 2)),))

    @property
    def labels(self) -> tuple[str, ...]:
        """What each bin is called."""
        texts = [written(edge) for edge in self.edges]
        pairs = list(pairwise(texts))
        return (*(f"[{a}, {b})" for a, b in pairs[:-1]), "[{}, {}]".format(*pairs[-1]))


def bins(
    x: str,
    edges: Sequence[Exact] | None = None,
    *,
    lower: Exact | None = None,
    upper: Exact | None = None,
    width: Exact | None = None,
) -> Bins:
    """Ranges of x to group by, from their edges or from lower to upper in steps of width.

    >>> bins("age", lower=0, upper=20, width=10).labels
    ('[0, 10)', '[10, 20]')
    """
    if edges is not None and not hasattr(edges, "__iter__"):
        raise InvalidInput(f'The edges of bins are a list:  ln.bins("{x}", [0, 18, 65])')
    if edges is not None:
        found = [exact(edge, "an edge") for edge in edges]
    elif lower is None or upper is None or width is None:
        raise InvalidInput(
            'Bins need edges or a range:  ln.bins("age", lower=0, upper=100, width=10)'
        )
    else:
        start, end, step = exact(lower, "lower"), exact(upper, "upper"), positive(width, "width")
        count = -((start - end) // step)
        if count > MOST_BINS:
            raise InvalidInput(f"There are {count:,} bins; {MOST_BINS:,} are the most.")
        found = [min(start + i * step, end) for i in range(count + 1)]
    if len(found) < 2 or any(a >= b for a, b in pairwise(found)):
        raise InvalidInput("The edges of bins must rise, and there must be two at least.")
    if len(found) > MOST_BINS + 1:
        raise InvalidInput(f"There are {len(found) - 1:,} bins; {MOST_BINS:,} are the most.")
    return Bins(x, tuple(found))


@dataclass(frozen=True)
class Key:
    """One column that rows are grouped by.

    Attributes:
        name: what the column is called in the answer.
        by: what its values are.
        known: its values, if they are known without a list.
        labels: what is shown for the values, if they are codes.
    """

    name: str
    by: Expression
    known: tuple[Value, ...] | None = None
    labels: tuple[str, ...] | None = None

    def shown(self, value: Value) -> Value:
        """What is shown for a value."""
        return value if self.labels is None else self.labels[int(value)]  # type: ignore[arg-type]

    def read(self, given: Any) -> Value:
        """A typed value, as a value of the column."""
        if self.labels is not None and given in self.labels:
            return self.labels.index(given)
        return value_of(given, self.by.type, f'"{self.name}"')


def key_of(column: str | Bins, schema: Schema, name: str | None = None) -> Key:
    """A column by name, an expression with a name, or bins."""
    if isinstance(column, Bins):
        x = expression_of(column.x, schema, "bins")
        codes = tuple(range(len(column.labels)))
        return Key(name or column.x, column.code(x), codes, column.labels)
    if not isinstance(column, str):
        raise InvalidInput(f"group_by takes names of columns, and got a {type(column).__name__}.")
    by: Expression = (
        Column(column, schema[column].type)
        if name is None
        else expression_of(column, schema, f"group_by({name}=...)")
    )
    return Key(name or column, by, known_values(by, schema))


def known_values(by: Expression, schema: Schema) -> tuple[Value, ...] | None:
    """The values that an expression can have, where they are known without a look at the data."""
    match by:
        case _ if by.type is Type.BOOLEAN:
            return (False, True)
        case Column(name):
            column = schema[name]
            if column.values is None and by.type is Type.DATE and column.range is not None:
                return _days(column.range)
            return column.values
        case Call("date_trunc", (Literal(period), Column(name))) if schema[name].range is not None:
            days = _days(schema[name].range)
            return (
                None
                if days is None
                else tuple(dict.fromkeys(start_of(str(period), day) for day in days))
            )
        case Call("year", (Column(name),)) if schema[name].range is not None:
            first, last = schema[name].range  # type: ignore[misc]
            return tuple(range(first.year, last.year + 1))  # type: ignore[union-attr]
        case Call(part) if part in _PARTS:
            return tuple(range(*_PARTS[part]))
        case Case():
            return _choices(by)
    return None


_PARTS = {"quarter": (1, 5), "month": (1, 13), "weekday": (1, 8), "hour": (0, 24)}


def _days(ends: Any) -> tuple[Value, ...] | None:
    """All days of a range."""
    first, last = (each.date() if isinstance(each, datetime) else each for each in ends)
    count = (last - first).days + 1
    return tuple(first + timedelta(i) for i in range(count)) if count <= MOST else None


def start_of(period: str, day: Any) -> date:
    """The first day of the period that a day lies in."""
    match period:
        case "week":
            return day - timedelta(day.weekday())  # type: ignore[no-any-return]
        case "month":
            return day.replace(day=1)  # type: ignore[no-any-return]
        case "quarter":
            return day.replace(month=3 * ((day.month - 1) // 3) + 1, day=1)  # type: ignore[no-any-return]
        case "year":
            return day.replace(month=1, day=1)  # type: ignore[no-any-return]
        case _:
            return day  # type: ignore[no-any-return]


def _choices(case: Case) -> tuple[Value, ...] | None:
    """The literals of a CASE; a column behind a list of its values is one of these."""
    found: list[Value] = []
    for condition, value in case.whens:
        match condition, value:
            case _, Literal(own):
                found.append(own)
            case Call("in" | "=", (Column(name), *values)), Column(other) if name == other:
                if not all(isinstance(each, Literal) for each in values):
                    return None
                found += [each.value for each in values if isinstance(each, Literal)]
            case _:
                return None
    if case.otherwise is not None:
        if not isinstance(case.otherwise, Literal):
            return None
        found.append(case.otherwise.value)
    return tuple(dict.fromkeys(value_of(each, case.type, str(case)) for each in found))


def groups_of(keys: Sequence[Key], groups: Any) -> Groups | Unlisted:
    """The known groups of some keys.

    Args:
        keys: what rows are grouped by.
        groups: a list of values (one key without known values), a dict of lists, a list of tuples,
            a frame, or None where all values are known.
    """
    if not keys:
        if groups is not None:
            raise InvalidInput("groups= needs group_by columns. Name them, or leave groups out.")
        return Groups()
    if isinstance(groups, str) and groups == "auto":
        if all(key.known is not None for key in keys):
            return _product(keys, {})
        return Unlisted(tuple(key.by for key in keys), tuple(key.known for key in keys))
    if hasattr(groups, "columns") and not isinstance(groups, Mapping):
        groups = _rows_of_frame(groups, keys)
    if isinstance(groups, Mapping):
        return _product(keys, _lists(keys, groups))
    if groups is None:
        return _product(keys, {})
    if isinstance(groups, str):
        raise _one_text(groups)
    if not isinstance(groups, Sequence | range | set | frozenset):
        try:
            groups = list(groups.tolist() if hasattr(groups, "tolist") else groups)
        except TypeError:
            raise InvalidInput("groups is no list. Write groups=[...].") from None
    groups = list(groups)
    if len(keys) > 1 and all(isinstance(each, tuple | list) for each in groups):
        return Groups(tuple(key.by for key in keys), tuple(_row(keys, each) for each in groups))
    unknown = [key for key in keys if key.known is None]
    if len(keys) == 1:
        return _product(keys, {keys[0].name: groups})
    if len(unknown) == 1:
        return _product(keys, {unknown[0].name: groups})
    names = ", ".join(f'"{key.name}": [...]' for key in unknown or keys)
    raise InvalidInput(f"One list is not enough for {len(keys)} columns.\n  groups={{{names}}}")


def _lists(keys: Sequence[Key], groups: Mapping[Any, Any]) -> dict[str, Any]:
    names = [key.name for key in keys]
    for name in groups:
        if name not in names:
            raise InvalidInput(
                f'groups names "{name}", which is not grouped by.{did_you_mean(name, names)}\n'
                f"Grouped by: {', '.join(names)}."
            )
        if isinstance(groups[name], str):
            raise _one_text(groups[name])
    return {str(name): values for name, values in groups.items()}


def _one_text(text: str) -> InvalidInput:
    hint = "" if text == "auto" else ', or groups="auto" to find large ones'
    return InvalidInput(f'groups is "{text}". Write a list: ["{text}"]{hint}.')


def _product(keys: Sequence[Key], lists: Mapping[str, Any]) -> Groups:
    values: list[tuple[Value, ...]] = []
    size = 1
    for key in keys:
        if key.name in lists:
            found = tuple(key.read(each) for each in lists[key.name])
        elif key.known is not None:
            found = key.known
        else:
            raise _unknown(key)
        if not found:
            raise InvalidInput("The list of groups is empty. Name at least one.")
        values.append(found)
        size *= max(1, len(found))
        if size > MOST:
            raise InvalidInput(f"There are at least {size:,} groups; {MOST:,} are the most.")
    return Groups(tuple(key.by for key in keys), tuple(product(*values)))


def lists_of(keys: Sequence[Key], groups: Any) -> list[tuple[Value, ...]]:
    """The known values of each key, for tables by several of them.

    Args:
        keys: what rows are grouped by.
        groups: a dict of lists, or a list where the values of one key alone are not known.
    """
    if isinstance(groups, str) and groups == "auto":
        raise InvalidInput("Tables that fit together need known groups. List them:  groups={...}")
    if hasattr(groups, "columns") or (groups is not None and not isinstance(groups, Mapping)):
        unknown = [key for key in keys if key.known is None]
        if len(unknown) != 1 or isinstance(groups, str) or hasattr(groups, "columns"):
            names = ", ".join(f'"{key.name}": [...]' for key in unknown or keys[:1])
            raise InvalidInput(f"Give a list of values for each column.\n  groups={{{names}}}")
        groups = {unknown[0].name: groups}
    lists = _lists(keys, groups or {})
    return [tuple(value for (value,) in _product([key], lists).keys) for key in keys]


def is_one_of(by: Expression, values: Sequence[Value]) -> Expression:
    """The condition that an expression has one of these values; None is a missing value."""
    missing: Expression = Call("is null", (by,))
    present = tuple(Literal(each) for each in values if each is not None)
    if by.type is Type.BOOLEAN and len(present) == 2:
        found: Expression = Call("not", (missing,))
    else:
        found = Call("in", (by, *present))
    return Call("or", (found, missing)) if None in values else found


def _row(keys: Sequence[Key], values: Sequence[Any]) -> tuple[Value, ...]:
    if len(values) != len(keys):
        raise InvalidInput(f"A group has one value for each column, {len(keys)} in all.")
    return tuple(key.read(each) for key, each in zip(keys, values, strict=True))


def _rows_of_frame(frame: Any, keys: Sequence[Key]) -> list[tuple[Any, ...]]:
    """The rows of a public frame with a column for every key."""
    names = [str(name) for name in getattr(frame, "column_names", frame.columns)]
    for key in keys:
        if key.name not in names:
            raise InvalidInput(f'The frame in groups= has no column "{key.name}".')
    lists = [_values(frame[key.name]) for key in keys]
    rows = list(dict.fromkeys(zip(*lists, strict=True)))
    return rows if len(keys) > 1 else [row[0] for row in rows]


def _values(column: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def _unknown(key: Key) -> InvalidInput:
    name = key.name
    if key.by.type is Type.NUMBER:
        return InvalidInput(
            f'"{name}" is a number with decimals. Group by bins:\n  ln.bins("{key.by}", lower=0, '
            f"upper=600, width=60)\n  In SQL:  bins({key.by}, 0, 600, 60)"
        )
    values = {Type.INTEGER: "1, 2", Type.DATE: '"2020-01-31"'}.get(key.by.type, '"AA", "B6"')
    return InvalidInput(
        f'which values of "{name}" shall have a row? The values in the table are private, so they '
        f'are not simply read from it.\n  You know them:  groups={{"{name}": [{values}]}}\n'
        '  You do not:     groups="auto"   lists large groups only'
    )
