"""Which names a SELECT may use, and what they stand for.

Rows of several tables are joined into one relation whose columns have different names. A scope
remembers which column is meant by `visits.cost` or `cost`, which columns name the privacy unit, and
which come from public tables.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.sql.nodes import sql_of
from leastnoise.tables.expressions import Column, Expression
from leastnoise.tables.relations import Mapped, Relation
from leastnoise.tables.schema import Type

UNIT = "unit"
Ties = frozenset[str]
"""What two columns must have in common so that their equality joins rows of one unit."""


@dataclass(frozen=True)
class Scope:
    """A relation and the names of its columns.

    Attributes:
        relation: the rows.
        names: for each table in FROM, by its alias: the names of its columns, and the columns of the
            relation that they stand for.
        ties: for columns that name the unit, or a row of a parent table: what they name.
        public: for columns of public tables: the public rows, and the column there.
        usual: names that need no table before them although two tables have them.
    """

    relation: Relation
    names: Mapping[str, Mapping[str, str]]
    ties: Mapping[str, Ties] = field(default_factory=dict)
    public: Mapping[str, tuple[Relation, Column]] = field(default_factory=dict)
    usual: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, alias: str, relation: Relation, ties: Mapping[str, Ties]) -> "Scope":
        """Of one table or subquery."""
        columns = {name: name for name in relation.schema}
        public = {}
        if relation.is_public:
            public = {name: (relation, column_of(relation, name)) for name in _usable(relation)}
        return cls(relation, {alias: columns}, ties, public)

    def renamed(self, taken: Iterable[str]) -> "Scope":
        """The same with other names for columns whose names are taken, in any case of letters."""
        used = {name.casefold() for name in taken}
        new: dict[str, str] = {}
        for alias, columns in self.names.items():
            for name, own in columns.items():
                if own in new:
                    continue
                other = own if own.casefold() not in used else f"{alias}.{name}"
                while other.casefold() in used:
                    other += "_"
                new[own] = other
                used.add(other.casefold())
        if all(own == name for own, name in new.items()):
            return self
        shown = tuple((new[own], column_of(self.relation, own)) for own in _usable(self.relation))
        return Scope(
            Mapped(self.relation, shown),
            {alias: {name: new[own] for name, own in columns.items()}
             for alias, columns in self.names.items()},
            {new[own]: ties for own, ties in self.ties.items()},
            {new[own]: origin for own, origin in self.public.items()},
            {name: new[own] for name, own in self.usual.items()},
        )  # fmt: skip

    def optional(self) -> "Scope":
        """The same behind a LEFT JOIN, where columns that name the unit may be missing."""
        return replace(self, ties={own: ties - {UNIT} for own, ties in self.ties.items()})

    def joined(self, other: "Scope", relation: Relation) -> "Scope":
        """Both, over their join."""
        for alias in other.names:
            if _match(alias, self.names):
                raise InvalidInput(f'"{alias}" stands twice in FROM. Give one another name: AS ...')
        return Scope(
            relation,
            {**self.names, **other.names},
            {**self.ties, **other.ties},
            {**self.public, **other.public},
            {**self.usual, **other.usual},
        )

    def find(self, node: Any) -> str | None:
        """The column that a node of the tree means; None if there is none of this name."""
        if node.args.get("db") or node.args.get("catalog"):
            raise InvalidInput(f"{sql_of(node)}: write the table's name alone before the column.")
        table = node.table and _match(node.table, self.names)
        if node.table and table is None:
            return None
        if not table and (usual := _match(node.name, self.usual)):
            return self.usual[usual]
        found = []
        for alias, columns in self.names.items():
            name = _match(node.name, columns) if table in ("", alias) else None
            if name is not None:
                found.append((alias, columns[name]))
        if len(found) > 1:
            choice = " or ".join(f"{alias}.{node.name}" for alias, _ in found)
            raise InvalidInput(f'"{node.name}" stands in two tables. Write {choice}.')
        return found[0][1] if found else None

    def column(self, node: Any) -> Column:
        """The column that a node of the tree means."""
        own = self.find(node)
        if own is None:
            raise self.unknown(node)
        return column_of(self.relation, own)

    def unknown(self, node: Any) -> InvalidInput:
        """The refusal of a name that stands for nothing."""
        table = node.table and _match(node.table, self.names)
        if node.table and not table:
            hint = did_you_mean(node.table, self.names) or f" FROM has {', '.join(self.names)}."
            return InvalidInput(f'no table "{node.table}" in FROM.{hint}')
        known = [name for alias, columns in self.names.items() for name in columns
                 if table in ("", alias)]  # fmt: skip
        shown = sorted(dict.fromkeys(known))
        more = f", and {len(shown) - 20} more" if len(shown) > 20 else ""
        hint = did_you_mean(node.name, known) or f" Columns: {', '.join(shown[:20])}{more}."
        return InvalidInput(f'no column "{node.name}".{hint}')

    @property
    def unit(self) -> str | None:
        """A column that names the unit, as it is written in SQL."""
        for alias, columns in self.names.items():
            for name, own in columns.items():
                if UNIT in self.ties.get(own, frozenset()):
                    return f"{alias}.{name}"
        return None

    def tie_with(self, other: "Scope") -> str | None:
        """The condition that joins rows of one unit, if both have a column for it."""
        own, its = ({own: f"{alias}.{name}" for alias, columns in each.names.items()
                     for name, own in columns.items()} for each in (self, other))  # fmt: skip
        found = [(UNIT not in a & b, f"{own[left]} = {its[right]}")
                 for left, a in self.ties.items() for right, b in other.ties.items()
                 if a & b and left in own and right in its]  # fmt: skip
        return min(found)[1] if found else None

    def names_unit(self, expression: Expression) -> bool:
        """Whether an expression is a column that names the privacy unit in every row."""
        return isinstance(expression, Column) and UNIT in self.ties.get(expression.name, ())


def column_of(relation: Relation, name: str) -> Column:
    """A column of a relation as an expression."""
    return Column(name, relation.schema[name].type)


def _usable(relation: Relation) -> list[str]:
    return [name for name, each in relation.schema.items() if each.type is not Type.OTHER]


def _match(name: str, known: Iterable[str]) -> str | None:
    """A known name, written as it is or in other letters of the alphabet's two cases."""
    known = list(known)
    if name in known:
        return name
    return next((each for each in known if each.casefold() == name.casefold()), None)
