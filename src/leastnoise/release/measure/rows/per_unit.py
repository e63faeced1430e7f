"""`PerUnit`: what a unit's rows are together: Theorem 2(f). Proof: docs/proofs/joins.md."""

from functools import cached_property
from typing import TypeAlias

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column, Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.kinds import key_kind, kind_of, refuse_other_than_numbers
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.rows.changed import Changed
from leastnoise.release.measure.rows.row_by_row import Terms, checked_term
from leastnoise.release.measure.rows.stored import EQUATABLE, Origin, refuse_reserved


@dataclass(frozen=True)
class CountOf:
    """How many of a unit's rows there are; of a term: how many have a value of it."""

    term: Term | None = None


@dataclass(frozen=True)
class SumOf:
    """What a unit's values add up to, each cut to the grid's range; nothing if there are none.

    Values are added as places on the grid, which are integers: the sum of doubles would depend on
    the order in which an engine finds them, and so on other units.
    """

    term: Term
    grid: Grid


@dataclass(frozen=True)
class MeanOf:
    """The average of a unit's values, each cut to the grid's range; nothing if there are none."""

    term: Term
    grid: Grid


@dataclass(frozen=True)
class LeastOf:
    """The least of a unit's values, each cut to the grid's range; nothing if there are none."""

    term: Term
    grid: Grid


@dataclass(frozen=True)
class GreatestOf:
    """The greatest of a unit's values, each cut to the grid's range; nothing if there are none."""

    term: Term
    grid: Grid


OfValues: TypeAlias = SumOf | MeanOf | LeastOf | GreatestOf
Total: TypeAlias = CountOf | OfValues
Totals: TypeAlias = tuple[tuple[str, Total], ...]


@dataclass(frozen=True)
class PerUnit(Changed):
    """One row for each owner and each combination of values that its rows have.

    Args:
        rows: what is counted and added up.
        by: names, and the terms whose values make the groups of an owner's rows; rows without a
            value make a group too, as in SQL.
        totals: names, and what is told of each group.

    Raises:
        InvalidParameter: terms that the columns cannot give, groups by numbers, which are not
            plainly equal, sums of what is no number, a name twice, or no column at all.
    """

    by: Terms
    totals: Totals

    def __post_init__(self) -> None:
        super().__post_init__()
        for _, term in self.by:
            _refuse_group(checked_term(term), self.rows.schema)
        for _, total in self.totals:
            _refuse_total(total, self.rows.schema)
        _ = self.schema

    @cached_property
    def schema(self) -> Schema:
        """The groups' values, then their totals."""
        refuse_reserved(name for name, _ in (*self.by, *self.totals))
        groups = [(name, key_kind(term, self.rows.schema)) for name, term in self.by]
        return Schema([*groups, *((name, _kind(total)) for name, total in self.totals)])

    @property
    def only_grows(self) -> bool:
        """Totals change with every row, and with them what is kept of the groups."""
        return False

    @property
    def grain(self) -> object:
        """These rows."""
        return self

    @property
    def unique(self) -> frozenset[str] | None:
        """The groups' values."""
        return frozenset(name for name, _ in self.by)

    def traced(self, name: str) -> Origin | None:
        """What a column showed that groups are made by."""
        self.schema.type_of(Column(name))
        term = dict(self.by).get(name)
        return self.rows.traced(term.name) if isinstance(term, Column) else None


def _kind(total: Total) -> ColumnType:
    return ColumnType.INTEGER if isinstance(total, CountOf) else ColumnType.NUMBER


def _refuse_group(term: Term, schema: Schema) -> None:
    kind = key_kind(term, schema)
    if kind not in EQUATABLE:
        raise _check.refuse(
            "a unit's rows are grouped by integers, text, truth values, dates or time stamps",
            f"{term.name!r}, which holds values of type {kind.value!r}",
            "Group by parts of its range, or declare another type where the table is read.",
        )


def _refuse_total(total: object, schema: Schema) -> None:
    if isinstance(total, OfValues) and isinstance(total.grid, Grid):
        refuse_other_than_numbers(checked_term(total.term), schema)
    elif isinstance(total, CountOf):
        if total.term is not None:
            kind_of(checked_term(total.term), schema)
    else:
        raise _check.refuse(
            "a total must be CountOf, or SumOf, MeanOf, LeastOf or GreatestOf with a grid",
            f"a {type(total).__name__}",
            "Write SumOf(col('cost'), Grid(lower=0, upper=5000)).",
        )
