"""A relation as SQL: a SELECT with the hidden unit column and the columns that are used.

Trusted.
"""

from collections.abc import Callable, Iterable

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.cleaning import tame
from leastnoise.tables.dialect import Dialect, Fragment, fill, joined
from leastnoise.tables.expressions import Expression, columns_of
from leastnoise.tables.functions import COLUMN
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

UNIT, KEY = " u", " key"
"""Hidden columns: the privacy unit, and the key of a parent. No table may have such a column."""

Scan = Callable[[Table, list[str]], Fragment]
"""The engine's part: a SELECT of the named columns of a table, cleaned, and `UNIT` if it has one."""


def relation_sql(
    relation: Relation, names: Iterable[str], scan: Scan, dialect: Dialect
) -> Fragment:
    """A SELECT of these columns of a relation, in parentheses, and `UNIT` if it has one."""
    return _Writer(scan, dialect).select(relation, names)


class _Writer:
    def __init__(self, scan: Scan, dialect: Dialect) -> None:
        self._scan, self._dialect = scan, dialect

    def select(self, relation: Relation, names: Iterable[str]) -> Fragment:
        wanted = list(dict.fromkeys(names))
        for name in (each for each in wanted if each.startswith(" ")):
            raise InvalidInput(f'A column cannot be called "{name}". Rename it.')
        match relation:
            case OfUnit(table) | Public(table):
                return self._scan(table, wanted)
            case Referring():
                return self._referring(relation, wanted)
            case Filtered(source, condition):
                inside = self.select(source, [*wanted, *_read(condition)])
                columns = self._columns(relation, self._named(wanted))
                test = condition.sql(self._dialect)
                return fill("(SELECT {} FROM {} AS f WHERE {})", columns, inside, test)
            case Mapped(source, columns):
                chosen = {name: each for name, each in columns if name in wanted}
                inside = self.select(source, _read(*chosen.values()))
                shown = self._columns(relation, self._computed(chosen))
                return fill("(SELECT {} FROM {} AS m)", shown, inside)
            case PerUnit():
                return self._per_unit(relation, wanted)
            case LookedUp():
                return self._looked_up(relation, wanted)
            case WithPublic() | OnUnit():
                return self._joined(relation, wanted)
            case Stacked(parts):
                each = (self._columns(part, self._named(wanted)) for part in parts)
                both = zip(each, (self.select(part, wanted) for part in parts), strict=True)
                selects = (fill("SELECT {} FROM {} AS s", *pair) for pair in both)
                return fill("({})", joined(" UNION ALL ", selects))
            case _:
                raise TypeError(f"no relation: {type(relation).__name__}")

    def _named(self, names: Iterable[str]) -> list[Fragment]:
        return [self._dialect.name(name) for name in names]

    def _computed(self, columns: dict[str, Expression]) -> list[Fragment]:
        """Expressions by name; numbers as small as those of a table's column are."""
        found = []
        for name, each in columns.items():
            value = each.sql(self._dialect)
            if each.type is Type.NUMBER and (each.size[0] > COLUMN[0] or each.size[1] > COLUMN[1]):
                value = tame(value, self._dialect)
            found.append(fill("{} AS {}", value, self._dialect.name(name)))
        return found

    def _columns(self, relation: Relation, shown: list[Fragment], unit: str = "") -> Fragment:
        hidden = (
            [] if relation.unit is None else [Fragment(f"{unit}{self._dialect.name(UNIT).text}")]
        )
        return joined(", ", [*hidden, *shown] or [Fragment("1 AS one")])

    def _referring(self, relation: Referring, wanted: list[str]) -> Fragment:
        child = self._scan(relation.table, list(dict.fromkeys([*wanted, relation.column])))
        parent = fill(
            "(SELECT {}, {} AS {} FROM {} AS p)",
            *self._named([UNIT, relation.key, KEY]),
            self.select(relation.parent, [relation.key]),
        )
        columns = self._columns(relation, self._named(wanted))
        own, key = self._named([relation.column, KEY])
        return fill(
            "(SELECT {} FROM {} AS c JOIN {} AS k ON {} = {})", columns, child, parent, own, key
        )

    def _joined(self, relation: WithPublic | OnUnit, wanted: list[str]) -> Fragment:
        left, right, kind, on = relation.left, relation.right, relation.kind, relation.on
        needed = [*wanted, *(_read(on) if on is not None else ())]
        tests = [] if on is None else [on.sql(self._dialect)]
        if isinstance(relation, OnUnit):
            unit = self._dialect.name(UNIT)
            tests.insert(0, fill("a.{} = b.{}", unit, unit))
        test = joined(" AND ", tests) if tests else Fragment("TRUE")
        a = self.select(left, [name for name in needed if name in left.schema])
        b = self.select(right, [name for name in needed if name in right.schema])
        columns = self._columns(relation, self._named(wanted), "a.")
        if kind in ("semi", "anti"):
            word = "EXISTS" if kind == "semi" else "NOT EXISTS"
            text = f"(SELECT {{}} FROM {{}} AS a WHERE {word} (SELECT 1 FROM {{}} AS b WHERE {{}}))"
        else:
            word = "JOIN" if kind == "inner" else "LEFT JOIN"
            text = f"(SELECT {{}} FROM {{}} AS a {word} {{}} AS b ON {{}})"
        return fill(text, columns, a, b, test)

    def _looked_up(self, relation: LookedUp, wanted: list[str]) -> Fragment:
        """Joined to the public rows whose key stands in no other public row."""
        left, right, key = relation.left, relation.right, self._dialect.name(relation.key)
        needed = [*wanted, relation.own, relation.key]
        a = self.select(left, [name for name in needed if name in left.schema])
        columns = [name for name in needed if name in right.schema]
        once = fill(
            "(SELECT {} FROM {} AS o GROUP BY {} HAVING COUNT(*) = 1)",
            key, self.select(right, [relation.key]), key,
        )  # fmt: skip
        b = fill("(SELECT * FROM {} AS r WHERE {} IN {})", self.select(right, columns), key, once)
        word = "JOIN" if relation.kind == "inner" else "LEFT JOIN"
        shown = self._columns(relation, self._named(wanted), "a.")
        own = self._dialect.name(relation.own)
        text = f"(SELECT {{}} FROM {{}} AS a {word} {{}} AS b ON {{}} = {{}})"
        return fill(text, shown, a, b, own, key)

    def _per_unit(self, relation: PerUnit, wanted: list[str]) -> Fragment:
        keys, aggregates = dict(relation.keys), dict(relation.aggregates)
        chosen = {name: each for name, each in aggregates.items() if name in wanted}
        read = [each for value in chosen.values() for each in value.expressions]
        inside = self.select(relation.source, _read(*keys.values(), *read))
        values = []
        for name, each in chosen.items():
            value = each.sql(self._dialect)
            value = tame(value, self._dialect) if each.type is Type.NUMBER else value
            values.append(fill("{} AS {}", value, self._dialect.name(name)))
        columns = self._columns(relation, [*self._computed(keys), *values])
        places = ", ".join(str(place + 1) for place in range(len(keys) + 1))
        return fill(f"(SELECT {{}} FROM {{}} AS g GROUP BY {places})", columns, inside)


def _read(*expressions: Expression) -> list[str]:
    return [column.name for each in expressions for column in columns_of(each)]
