"""What joined rows are, in plain Python: the meaning that every engine's SQL must have."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from leastnoise.release.measure.rows.beside_public import BesidePublic
from leastnoise.release.measure.rows.leaves import Owned, Public, Referring
from leastnoise.release.measure.rows.per_unit import (
    CountOf,
    GreatestOf,
    LeastOf,
    MeanOf,
    PerUnit,
    Total,
)
from leastnoise.release.measure.rows.row_by_row import (
    Filtered,
    Mapped,
    PublicFiltered,
    PublicMapped,
    Terms,
)
from leastnoise.release.measure.rows.rows import PublicRows, Rows
from leastnoise.release.measure.rows.stacked import Stacked
from leastnoise.release.measure.rows.tied import Tied
from tests.release.reference import holds, is_missing, place, value_of

Row: TypeAlias = dict[Any, Any]
Database: TypeAlias = Mapping[str, list[Row]]
OwnedRow: TypeAlias = tuple[Any, Row]
Found: TypeAlias = Counter[tuple[Any, ...]]


def evaluated(  # noqa: PLR0911 - one per kind
    rows: Rows, database: Database
) -> list[OwnedRow]:
    """Owners and rows, those without an owner included."""
    match rows:
        case Owned():
            return [(row[rows.unit], row) for row in database[rows.leaf.name]]
        case Referring():
            return list(_referring(rows, database))
        case Filtered():
            found = evaluated(rows.rows, database)
            return [(owner, row) for owner, row in found if holds(rows.condition, row)]
        case Mapped():
            return [
                (owner, _mapped(rows.terms, row)) for owner, row in evaluated(rows.rows, database)
            ]
        case BesidePublic():
            others = [(None, row) for row in _public(rows.public, database)]
            return [
                (owner, row)
                for owner, _, row in _pairs(evaluated(rows.rows, database), others, rows, rows.on)
            ]
        case Tied():
            return _tied(rows, database)
        case Stacked():
            return [each for part in rows.parts for each in evaluated(part, database)]
        case PerUnit():
            return _per_unit(rows, evaluated(rows.rows, database))
        case _:
            raise AssertionError(type(rows))


def _public(rows: PublicRows, database: Database) -> list[Row]:
    match rows:
        case Public():
            return database[rows.stored.name]
        case PublicFiltered():
            return [row for row in _public(rows.rows, database) if holds(rows.condition, row)]
        case PublicMapped():
            return [_mapped(rows.terms, row) for row in _public(rows.rows, database)]
        case _:
            raise AssertionError(type(rows))


def _referring(rows: Referring, database: Database) -> Iterable[OwnedRow]:
    children = database[rows.leaf.name]
    if rows.names_owner:
        yield from ((child[rows.foreign_key], child) for child in children)
        return
    for owner, parent in evaluated(rows.parent, database):
        for child in children:
            if child[rows.foreign_key] is not None and child[rows.foreign_key] == parent[rows.key]:
                yield owner, child | {name: parent[name] for name in rows.keep}


_WHO = object()
"""Stands for the owner among the columns of a pair."""


def _tied(rows: Tied, database: Database) -> list[OwnedRow]:
    left = evaluated(_own(rows.rows) if rows.child == "left" else rows.rows, database)
    right = evaluated(_own(rows.other) if rows.child == "right" else rows.other, database)
    equal_owners = () if rows.child else ((_WHO, _WHO),)
    found = _pairs(left, right, rows, (*equal_owners, *rows.on))
    return [(others if rows.child == "left" else mine, row) for mine, others, row in found]


def _own(rows: Rows) -> Rows:
    """A child's own rows, as they lie: whose they are is not looked up."""
    if isinstance(rows, Referring):
        return Owned(rows.leaf, rows.foreign_key)
    assert isinstance(rows, Filtered | Mapped | BesidePublic)
    return replace(rows, rows=_own(rows.rows))


def _pairs(
    left: list[OwnedRow], right: list[OwnedRow], rows: BesidePublic | Tied, on: Any
) -> list[tuple[Any, Any, Row]]:
    """Owners on the left and on the right, and pairs."""
    found: list[tuple[Any, Any, Row]] = []
    nothing = dict.fromkeys(set(rows.schema.names) - set(rows.rows.schema.names))
    for mine, row in left:
        known = row | {_WHO: mine}
        matches = [
            (others, other)
            for others, other in right
            if all(known[a] is not None and known[a] == (other | {_WHO: others})[b] for a, b in on)
        ]
        if rows.how == "inner" or (rows.how == "left" and matches):
            found += [(mine, others, row | other) for others, other in matches]
        elif rows.how == "left":
            found.append((mine, None, row | nothing))
        elif bool(matches) == (rows.how == "semi"):
            found.append((mine, None, row))
    return found


def _mapped(terms: Terms, row: Row) -> Row:
    return {name: value_of(term, row) for name, term in terms}


def _per_unit(rows: PerUnit, found: list[OwnedRow]) -> list[OwnedRow]:
    groups: dict[Any, list[Row]] = {}
    for owner, row in found:
        if owner is not None:
            key = owner, tuple((name, value_of(term, row)) for name, term in rows.by)
            groups.setdefault(key, []).append(row)
    return [
        (owner, dict(key) | {name: _total(each, mine) for name, each in rows.totals})
        for (owner, key), mine in groups.items()
    ]


def _total(total: Total, rows: list[Row]) -> Any:
    if isinstance(total, CountOf):
        term = total.term
        return sum(term is None or not is_missing(value_of(term, row)) for row in rows)
    values = [value_of(total.term, row) for row in rows]
    places = [place(value, total.grid) for value in values if not is_missing(value)]
    if not places:
        return None
    if isinstance(total, LeastOf | GreatestOf):
        one = min(places) if isinstance(total, LeastOf) else max(places)
        return float(one * total.grid.step)
    exact = sum(places) * total.grid.step
    return float(exact / len(places) if isinstance(total, MeanOf) else Fraction(exact))


def counted(found: Iterable[OwnedRow]) -> Found:
    """Rows that have an owner, as a multiset."""
    return Counter(
        (owner, *(row[name] for name in sorted(row))) for owner, row in found if owner is not None
    )
