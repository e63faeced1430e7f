"""`LeftOut`: a stored table without one unit, which its own engine leaves out as it reads.

The engine's session is asked as ever, and only what stands for the table after FROM has a
condition more: views, collations and types stay what they are, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import declared_in
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.table import Table
from leastnoise.release.ask.unparsed import flag_of
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.sql.dialect import DUCKDB, POSTGRES, SPARK, Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined

_AS_BYTES = {
    DUCKDB: "hex(encode({}))",
    POSTGRES: "encode(convert_to({}, 'UTF8'), 'hex')",
    SPARK: "hex(CAST({} AS BINARY))",
}
"""Of text: its bytes, which no collation takes for others."""
_UNREAD = frozenset({ColumnType.OTHER, ColumnType.UNDECLARED})


class LeftOut:
    """A session on the table without the rows of one unit.

    Args:
        session: the engine's own.
        table: what is read.
        unit: which is left out: the bytes of its name, as `units_in` has them, or the number of
            its row if every row is a unit.
    """

    def __init__(self, session: Session, table: Table, unit: str | int) -> None:
        self._session = session
        self._table = table
        self._unit = unit

    def __enter__(self) -> LeftOut:
        self._session.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._session.__exit__(*error)

    @property
    def dialect(self) -> Dialect:
        """The engine's spelling."""
        return self._session.dialect

    @property
    def rereads(self) -> bool:
        """As the engine has it, so that the table is looked at as often as it would be whole."""
        return self._session.rereads

    def schema(self) -> Schema:
        """The same columns."""
        return self._session.schema()

    def scan(self, columns: tuple[str, ...]) -> Fragment:
        """The table without the unit's rows."""
        if self._table.unit is None:
            return self._without_row()
        wanted = tuple(dict.fromkeys([*columns, self._table.unit]))
        name = _bytes_of(self._table.unit, self.dialect)
        return fill(
            "(SELECT * FROM {} WHERE {} IS DISTINCT FROM {}) AS left_out",
            self._session.scan(wanted),
            name,
            self.dialect.value(self._unit, self.dialect.text),
        )

    def _without_row(self) -> Fragment:
        """Rows are numbered by all that can be asked of them: those that tie are the same."""
        columns = _readable(self._table)
        flags = [flag_of(name) for name, _ in declared_in(self._table.location)]
        order = [_bytes_of(each, self.dialect) for each in [*columns, *flags]]
        number = self.dialect.identifier(_unused(columns))
        return fill(
            "(SELECT * FROM (SELECT *, row_number() OVER (ORDER BY {}) AS {} FROM {}) AS numbered "
            "WHERE {} <> {}) AS left_out",
            joined(", ", order),
            number,
            self._session.scan(tuple(columns)),
            number,
            self.dialect.value(self._unit, self.dialect.integer),
        )

    def key_table(self, keys: Keys) -> Fragment:
        """As the engine has it."""
        return self._session.key_table(keys)

    def fetch(self, query: Fragment, keys: int, totals: int) -> Found:
        """As the engine has it."""
        return self._session.fetch(query, keys, totals)

    def held(self, query: Fragment) -> AbstractContextManager[Fragment | None]:
        """As the engine has it."""
        return self._session.held(query)

    def refuse_changed(self) -> None:
        """As the engine has it."""
        self._session.refuse_changed()


def units_in(session: Session, table: Table, most: int) -> list[str | int]:
    """The units of a table, as `LeftOut` takes them; one more than `most` if there are more.

    Rows that belong to nobody are nobody's to leave out.
    """
    if table.unit is None:
        query = fill("SELECT COUNT(*) AS t0 FROM {}", session.scan(tuple(_readable(table))[:1]))
        rows = int(session.fetch(query, 0, 1).totals[0][0])
        return list(range(1, min(rows, most + 1) + 1))
    query = fill(
        f"SELECT k0, COUNT(*) AS t0 FROM (SELECT {{}} AS k0 FROM {{}}) AS named "
        f"WHERE k0 IS NOT NULL GROUP BY k0 ORDER BY k0 LIMIT {most + 1}",
        _bytes_of(table.unit, session.dialect),
        session.scan((table.unit,)),
    )
    return [str(name) for name in session.fetch(query, 1, 1).keys[0]]


def _bytes_of(column: str, dialect: Dialect) -> Fragment:
    """A column's value, written so that two are the same text where they are the same value."""
    return fill(_AS_BYTES[dialect], dialect.cast(dialect.identifier(column), dialect.text))


def _readable(table: Table) -> list[str]:
    return [name for name, kind in table.schema.columns if kind not in _UNREAD]


def _unused(columns: Sequence[str]) -> str:
    """A name that is longer than every column's."""
    return "n" * (1 + max(map(len, columns), default=0))
