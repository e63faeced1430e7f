"""`Schema`: the names and types of a table's columns, which are public."""

from collections.abc import Iterable

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column

_MOST_NAMED = 20  # in one message


@dataclass(frozen=True, init=False)
class Schema:
    """Columns in order, none twice.

    Args:
        columns: a name and a type each.

    Raises:
        InvalidParameter: no columns, one without a name, or two that differ by case alone.
    """

    columns: tuple[tuple[str, ColumnType], ...]

    def __init__(self, columns: Iterable[tuple[str, ColumnType]]) -> None:
        found = tuple(columns)
        refuse_ambiguous(name for name, _ in found)
        object.__setattr__(self, "columns", found)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(name for name, _ in self.columns)

    def in_zone(self) -> "Schema":
        """The same, where time stamps with a zone are read as local ones of a declared zone."""
        if all(kind is not ColumnType.INSTANT for _, kind in self.columns):
            return self
        local = {ColumnType.INSTANT: ColumnType.MOMENT}
        return Schema((name, local.get(kind, kind)) for name, kind in self.columns)

    def type_of(self, column: Column) -> ColumnType:
        """What a column holds.

        Raises:
            InvalidParameter: there is no such column, or nobody said what it holds.
        """
        for name, kind in self.columns:
            if name == column.name:
                return _usable(name, kind)
        raise _check.refuse(
            "a column must be in the table",
            f"{column.name!r}",
            f"There are: {_listed(self.names)}.",
        )


def _usable(name: str, kind: ColumnType) -> ColumnType:
    if kind is not ColumnType.UNDECLARED:
        return kind
    raise _check.refuse(
        "a column of Python objects must be declared, because looking at its values would tell "
        "something about them",
        f"{name!r}, which nobody declared",
        f"Write read(…, types={{{name!r}: 'text'}}), or integer, number, truth, date or moment.",
    )


def refuse_ambiguous(names: Iterable[str]) -> None:
    """Engines fold case differently, so names that differ only by case name nothing for certain."""
    found = tuple(names)
    if not found:
        raise _check.refuse("a table must have columns", "none", "Name a table that has some.")
    if not all(found):
        raise _check.refuse(
            "every column must have a name",
            f"none for column {found.index('') + 1}",
            "Name it in the data.",
        )
    seen: dict[str, str] = {}
    for name in found:
        other = seen.get(name.casefold())
        seen[name.casefold()] = name
        if other is not None:
            raise _check.refuse(
                "columns must differ by more than case",
                f"{other!r} and {name!r}",
                "Rename one of them: engines do not agree on which one would be meant.",
            )


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED} more"
