"""Which names a SELECT may use, and what they stand for.

Rows of several tables are joined into one relation whose columns have different names. A scope
remembers which column is meant by `visits.cost` or `cost`, which columns name the privacy unit, and
which come from public tables.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.sql.parse import Text
from leastnoise.tables.expressions import Column
from leastnoise.tables.relations import Mapped, Relation

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
            public = {name: (relation, _column(relation, name)) for name in columns}
        return cls(relation, {alias: columns}, ties, public)

    def renamed(self, taken: Iterable[str]) -> "Scope":
        """The same with other names for columns whose names are taken."""
        taken = {*taken}
        new: dict[str, str] = {}
        for alias, columns in self.names.items():
            for name, own in columns.items():
                new.setdefault(own, f"{alias}.{name}" if own in taken else own)
        if all(own == name for own, name in new.items()):
            return self
        shown = tuple((name, _column(self.relation, own)) for own, name in new.items())
        return Scope(
            Mapped(self.relation, shown),
            {alias: {name: new[own] for name, own in columns.items()}
             for alias, columns in self.names.items()},
            {new[own]: ties for own, ties in self.ties.items()},
            {new[own]: origin for own, origin in self.public.items()},
            {name: new[own] for name, own in self.usual.items()},
        )  # fmt: skip

    def joined(self, other: "Scope", relation: Relation) -> "Scope":
        """Both, over their join."""
        for alias in other.names:
            if alias in self.names:
                raise InvalidInput(f'"{alias}" stands twice in FROM. Give one another name: AS ...')
        return Scope(
            relation,
            {**self.names, **other.names},
            {**self.ties, **other.ties},
            {**self.public, **other.public},
            {**self.usual, **other.usual},
        )

    def over(self, relation: Relation) -> "Scope":
        """The same names over other rows of the same columns."""
        return replace(self, relation=relation)

    def find(self, node: Any) -> str | None:
        """The column that a node of the tree means; None if there is none of this name."""
        if node.args.get("db") or node.args.get("catalog"):
            raise InvalidInput(
                f"{node.sql('duckdb')}: write the table's name alone before the column."
            )
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
        return _column(self.relation, own)

    def unknown(self, node: Any) -> InvalidInput:
        """The refusal of a name that stands for nothing."""
        if node.table and _match(node.table, self.names) is None:
            hint = did_you_mean(node.table, self.names)
            return InvalidInput(f'no table "{node.table}" in FROM.{hint}')
        known = [name for columns in self.names.values() for name in columns]
        return InvalidInput(f'no column "{node.name}".{did_you_mean(node.name, known)}')


def _column(relation: Relation, name: str) -> Column:
    return Column(name, relation.schema[name].type)


def _match(name: str, known: Iterable[str]) -> str | None:
    """A known name, written as it is or in other letters of the alphabet's two cases."""
    known = list(known)
    if name in known:
        return name
    return next((each for each in known if each.casefold() == name.casefold()), None)


def place_of(text: Text, node: Any, refused: InvalidInput) -> InvalidInput:
    """A refusal with the place of a node, unless it has one."""
    return refused if str(refused).startswith("line ") else text.refusal(node, refused)
