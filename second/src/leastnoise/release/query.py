"""One SELECT, frozen: rows, groups, named aggregates, the limit of a unit, and what it measures."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from leastnoise.ledger.records import canonical, digest
from leastnoise.numbers.errors import InvalidInput
from leastnoise.release.grouping import Key
from leastnoise.release.kinds import Kind
from leastnoise.release.measurement import Limit, Measurement
from leastnoise.tables.groups import Groups
from leastnoise.tables.relations import Filtered, OfUnit, Relation
from leastnoise.tables.totals import Total

OVER_LIMIT = Fraction(3, 100)  # of the price: how many units have more rows than the limit
CLIPPED = Fraction(1, 10)  # of the part of a mean or sum: how many values are outside its range

_RESERVED = ("max_contributions", "max_per_group", "groups", "min_units")


@dataclass(frozen=True, eq=False, repr=False)
class Select:
    """One SELECT.

    Attributes:
        relation: its rows.
        unit: the name of the privacy unit.
        keys: what rows are grouped by.
        groups: the known groups.
        aggregates: the answers by name.
        limit: how much one unit may add; None where every row is a unit.
        title: what it is called.
    """

    relation: Relation
    unit: str
    keys: tuple[Key, ...]
    groups: Groups
    aggregates: Mapping[str, Kind]
    limit: Limit | None
    title: str

    def __post_init__(self) -> None:
        names = [*(key.name for key in self.keys), *self.aggregates]
        for name in names:
            if names.count(name) > 1:
                raise InvalidInput(f'Two columns of the answer are called "{name}". Rename one.')
            if name in _RESERVED or not name.strip() or name.startswith(" "):
                raise InvalidInput(f'A column of the answer cannot be called "{name}". Rename it.')
        if not self.aggregates:
            raise InvalidInput("Nothing is asked for. Write .agg(rows=ln.count()).")

    def measurement(self, *, over_limit: bool) -> Measurement:
        """What is measured for all answers together."""
        totals = tuple(self.shares(over_limit=over_limit))
        return Measurement(self.relation, self.groups, totals, self.limit, over_limit)

    def shares(self, *, over_limit: bool) -> dict[Total, Fraction]:
        """The part of the price of every total.

        First the count of units over the limit, then a tenth of every mean and sum for the values
        outside its range; what is left goes in equal parts to the distinct totals.
        """
        rest = 1 - OVER_LIMIT if over_limit else Fraction(1)
        clipped: dict[Total, Fraction] = {}
        for kind in self.aggregates.values():
            if kind.clipped is not None:
                part = CLIPPED * rest / len(self.aggregates)
                clipped[kind.clipped] = clipped.get(kind.clipped, Fraction(0)) + part
        totals = dict.fromkeys(t for kind in self.aggregates.values() for t in kind.totals)
        equal = (rest - sum(clipped.values())) / len(totals)
        found: dict[Total, Fraction] = dict.fromkeys(totals, equal)
        for total, part in clipped.items():
            found[total] = found.get(total, Fraction(0)) + part
        return found

    @cached_property
    def sql(self) -> str:
        """The query in SQL, for people to tell queries apart."""
        keys = [_named(str(key.by) if key.labels is None else f"bins({key.name})", key.name)
                for key in self.keys]  # fmt: skip
        columns = ", ".join(
            [
                *keys,
                *(
                    _named(kind.sql.replace("{unit}", self.unit), name)
                    for name, kind in self.aggregates.items()
                ),
            ]
        )
        text = f"SELECT {columns} FROM {self._source}"
        if self._conditions:
            text += f" WHERE {' AND '.join(self._conditions)}"
        return text + (f" GROUP BY {', '.join(key.name for key in self.keys)}" if self.keys else "")

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What makes two queries one and the same; never data."""
        limit = None if self.limit is None else [self.limit.rows, self.limit.per_group]
        groups = digest(canonical([[repr(value) for value in key] for key in self.groups.keys]))
        by = [str(each) for each in self.groups.by]
        return {"sql": self.sql, "by": by, "unit": self.unit, "groups": groups, "limit": limit}

    def __repr__(self) -> str:
        return self.sql

    @property
    def _source(self) -> str:
        return ", ".join(table.name for table in self.relation.tables)

    @property
    def _conditions(self) -> list[str]:
        found, relation = list[str](), self.relation
        while isinstance(relation, Filtered):
            found.append(str(relation.condition))
            relation = relation.source
        assert isinstance(relation, OfUnit)
        return found[::-1]


def _named(text: str, name: str) -> str:
    return text if text == name else f"{text} AS {name}"
