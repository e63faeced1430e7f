r"""Rows of several tables in SQL: one SELECT, with the owner beside the columns that are wanted.

Every part shows the hidden owner under its reserved name and user columns under theirs, and reads
no column that nobody asked for.

Proof: docs/proofs/joins.md.
"""

from collections.abc import Callable, Iterable

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Column, Condition, Term, columns_of
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.unparsed import flagged_by
from leastnoise.release.measure.rows.beside_public import BesidePublic
from leastnoise.release.measure.rows.leaves import Owned, Public, Referring
from leastnoise.release.measure.rows.per_unit import PerUnit
from leastnoise.release.measure.rows.row_by_row import (
    Filtered,
    Mapped,
    PublicFiltered,
    PublicMapped,
    Terms,
)
from leastnoise.release.measure.rows.rows import PublicRows, Rows
from leastnoise.release.measure.rows.stacked import Stacked
from leastnoise.release.measure.rows.stored import OWNER, Stored
from leastnoise.release.measure.rows.tied import Tied
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.pairs_sql import INNER, Side, pairs_sql
from leastnoise.release.measure.sql.per_unit_sql import PerUnitQuery
from leastnoise.release.measure.sql.sql_condition import condition_sql
from leastnoise.release.measure.sql.sql_term import reading


@dataclass(frozen=True)
class RowsQuery:
    """How rows are said.

    Attributes:
        dialect: the engine's spelling.
        scan: what stands for a stored table after FROM, and shows these columns of it at least.
    """

    dialect: Dialect
    scan: Callable[[Stored, tuple[str, ...]], Fragment]

    def query(self, rows: Rows, columns: Iterable[str], *, owner: bool = True) -> Fragment:
        """A SELECT of these columns and of the owner; without, of a child's own rows alone.

        Among the columns may be flags of those that `declared` has.
        """
        wanted = tuple(dict.fromkeys(columns))
        match rows:
            case Owned():
                found = self._stored(rows.leaf, wanted, rows.unit)
            case Referring():
                found = self._referring(rows, wanted, owner=owner)
            case Filtered():
                needed = _with(wanted, rows.condition)
                read = self.query(rows.rows, needed, owner=owner)
                found = self._kept(read, _shown(wanted, owner=owner), rows.condition, rows.schema)
            case Mapped():
                read = self.query(rows.rows, _read(rows.terms, wanted), owner=owner)
                found = self._mapped(
                    read, rows.terms, _shown(wanted, owner=owner), rows.rows.schema
                )
            case BesidePublic():
                found = self._beside_public(rows, wanted, owner=owner)
            case Tied():
                found = self._tied(rows, wanted)
            case Stacked():
                found = joined(" UNION ALL ", (self._part(each, wanted) for each in rows.parts))
            case PerUnit():
                totals = PerUnitQuery(rows, wanted, with_owner(rows.rows), self.dialect)
                found = totals.query(self.query(rows.rows, totals.needed))
            case _:
                raise AssertionError(type(rows))
        return found

    def public(self, rows: PublicRows, columns: Iterable[str]) -> Fragment:
        """A SELECT of these columns of public rows."""
        wanted = tuple(dict.fromkeys(columns))
        match rows:
            case Public():
                return self._stored(rows.stored, wanted, None)
            case PublicFiltered():
                read = self.public(rows.rows, _with(wanted, rows.condition))
                return self._kept(read, wanted, rows.condition, rows.schema)
            case PublicMapped():
                read = self.public(rows.rows, _read(rows.terms, wanted))
                return self._mapped(read, rows.terms, wanted, rows.rows.schema)
            case _:
                raise AssertionError(type(rows))

    # One table.

    def _stored(self, leaf: Stored, wanted: tuple[str, ...], unit: str | None) -> Fragment:
        shown = [self._name(each) for each in wanted]
        if unit is not None:
            shown = [fill("{} AS {}", self._name(unit), self._name(OWNER)), *shown]
        needed = (*map(flagged_by, wanted), *(() if unit is None else (unit,)))
        return fill(
            "SELECT {} FROM {}", _listed(shown), self.scan(leaf, tuple(dict.fromkeys(needed)))
        )

    def _kept(
        self, read: Fragment, shown: tuple[str, ...], condition: Condition, schema: Schema
    ) -> Fragment:
        return fill(
            "SELECT {} FROM ({}) AS {} WHERE {}",
            _listed([self._name(each) for each in shown]),
            read,
            self._name(INNER),
            condition_sql(condition, schema, self.dialect),
        )

    def _mapped(
        self, read: Fragment, terms: Terms, shown: tuple[str, ...], schema: Schema
    ) -> Fragment:
        known = {OWNER: Column(OWNER), **dict(terms)}
        columns = [
            fill("{} AS {}", self._value(known[each], schema), self._name(each)) for each in shown
        ]
        return fill("SELECT {} FROM ({}) AS {}", _listed(columns), read, self._name(INNER))

    def _value(self, term: Term, schema: Schema) -> Fragment:
        """A term's value; a column as it is stored."""
        is_column = isinstance(term, Column)
        return self._name(term.name) if is_column else reading(term, schema, self.dialect)

    def _part(self, rows: Rows, wanted: tuple[str, ...]) -> Fragment:
        """Of rows that are stacked: each column as its type, which parts may hold differently."""
        columns = [
            fill(
                "{} AS {}", reading(Column(each), with_owner(rows), self.dialect), self._name(each)
            )
            for each in (OWNER, *wanted)
        ]
        read = self.query(rows, wanted)
        return fill("SELECT {} FROM ({}) AS {}", _listed(columns), read, self._name(INNER))

    # Two tables.

    def _referring(self, rows: Referring, wanted: tuple[str, ...], *, owner: bool) -> Fragment:
        if rows.names_owner or not owner:
            return self._stored(rows.leaf, wanted, rows.foreign_key if owner else None)
        own = tuple(name for name in wanted if name not in rows.keep)
        kept = tuple(name for name in wanted if name in rows.keep)
        child = self._stored(rows.leaf, tuple(dict.fromkeys((*own, rows.foreign_key))), None)
        parent = self.query(rows.parent, (*kept, rows.key))
        return pairs_sql(
            Side(child, rows.leaf.schema, own),
            Side(parent, rows.parent.schema, (*kept, OWNER)),
            ((rows.foreign_key, rows.key),),
            "inner",
            self.dialect,
        )

    def _beside_public(
        self, rows: BesidePublic, wanted: tuple[str, ...], *, owner: bool
    ) -> Fragment:
        mine, others = _divided(wanted, rows.rows)
        left = self.query(rows.rows, (*mine, *(one for one, _ in rows.on)), owner=owner)
        right = self.public(rows.public, (*others, *(other for _, other in rows.on)))
        return pairs_sql(
            Side(left, rows.rows.schema, _shown(mine, owner=owner)),
            Side(right, rows.public.schema, others),
            rows.on,
            rows.how,
            self.dialect,
        )

    def _tied(self, rows: Tied, wanted: tuple[str, ...]) -> Fragment:
        """Owners are equal; of a child's own rows, the key that they refer by says as much."""
        left_is_child, right_is_child = rows.child == "left", rows.child == "right"
        mine, others = _divided(wanted, rows.rows)
        left = (*mine, *(one for one, _ in rows.on))
        right = (*others, *(other for _, other in rows.on))
        equal_owners = () if left_is_child or right_is_child else ((OWNER, OWNER),)
        return pairs_sql(
            Side(
                self.query(rows.rows, left, owner=not left_is_child),
                with_owner(rows.rows),
                _shown(mine, owner=not left_is_child),
            ),
            Side(
                self.query(rows.other, right, owner=not right_is_child),
                with_owner(rows.other),
                _shown(others, owner=left_is_child),
            ),
            (*equal_owners, *rows.on),
            rows.how,
            self.dialect,
        )

    def _name(self, *path: str) -> Fragment:
        return self.dialect.identifier(*path)


def with_owner(rows: Rows) -> Schema:
    """The columns and the hidden owner."""
    return Schema([(OWNER, rows.owner_kind), *rows.schema.columns])


def _shown(wanted: tuple[str, ...], *, owner: bool) -> tuple[str, ...]:
    return (OWNER, *wanted) if owner else wanted


def _divided(wanted: tuple[str, ...], left: Rows) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which columns are on the left, and which on the right."""
    known = left.schema.names
    mine = tuple(name for name in wanted if name in known)
    return mine, tuple(name for name in wanted if name not in known)


def _with(wanted: tuple[str, ...], condition: Condition) -> tuple[str, ...]:
    return (*wanted, *(each.name for each in columns_of(condition)))


def _read(terms: Terms, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """What the wanted ones of some terms are computed from."""
    return tuple(column.name for name, term in terms if name in wanted for column in term.columns)


def _listed(columns: list[Fragment]) -> Fragment:
    return joined(", ", columns) if columns else Fragment("1 AS one")
