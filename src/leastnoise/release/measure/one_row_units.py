r"""Whether every unit has one row at most: then bounding changes nothing, and its work is left out.

Only work is saved: noise is calibrated to the declared bounds, totals are the same, and nobody is
told which way was taken; how long it took can tell.
"""

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column, Condition, columns_of
from leastnoise.release.ask.location import Joined
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.prepared import prepared_for
from leastnoise.release.measure.backends.session import Session
from leastnoise.release.measure.one_pass import Pass
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.kept_rows import KeptRows

_SAMPLE = 100_000
_LOOKS = 4
_MOST_SPAN = 2**28
_SPARSENESS = 8


class OneRowUnits:
    """Answers for one table and session, each condition looked at once."""

    def __init__(self, table: Table, session: Session) -> None:
        self._table = table
        self._session = session
        self._found: dict[Condition | None, bool] = {}
        self._early: list[int] = []

    def in_pass(self, asked: Pass) -> bool:
        """Whether bounding changes nothing in a pass, as far as one look can tell."""
        first, *others = asked.conditions
        return self.under(None if others else first)

    def under(self, where: Condition | None) -> bool:
        """Whether no unit has two rows that meet a condition; rows without a unit do not count."""
        if where not in self._found:
            # Of units that have one row in all, none has two that meet a condition.
            self._found[where] = self._found.get(None, False) or self._is_worth(where)
        return self._found[where]

    @property
    def seems_large(self) -> bool:
        """Whether many of the first rows counted, of those that were looked at."""
        return max(self._early, default=0) >= _SAMPLE // 8

    def _is_worth(self, where: Condition | None) -> bool:
        """A look; but if several were in vain, bounding is less work than to go on looking."""
        vain = len(self._found) >= _LOOKS and not any(self._found.values())
        return not vain and self._look(where)

    def _look(self, where: Condition | None) -> bool:
        prepared = prepared_for(self._table, self._session)
        if prepared is not None:
            return prepared.prepared.most_rows <= 1
        if self._table.unit is None or not self._session.rereads or self._is_joined:
            return False
        # Most tables that are not so show it in their first rows.
        if self._repeated_early(where):
            return False
        span = self._dense(where)
        return self._grouped_differ(where) if span is None else self._bits_differ(where, *span)

    @property
    def _is_joined(self) -> bool:
        """Whether a look would take a join of its own, for which bounding is seldom too dear."""
        location = self._table.location
        return isinstance(location, Joined) and len(location.rows.locations) > 1

    def _repeated_early(self, where: Condition | None) -> bool:
        query = fill(
            "SELECT COUNT(*) AS t0, COUNT(DISTINCT u) AS t1 FROM ({}) AS a",
            self._units(where, first=_SAMPLE),
        )
        rows, units = self._numbers(query, 2)
        self._early.append(rows)
        return rows != units

    def _grouped_differ(self, where: Condition | None) -> bool:
        query = fill(
            "SELECT (SELECT COUNT(*) FROM ({}) AS a) AS t0, "
            "(SELECT COUNT(*) FROM (SELECT u FROM ({}) AS b GROUP BY u) AS c) AS t1",
            self._units(where),
            self._units(where),
        )
        rows, units = self._numbers(query, 2)
        return rows == units

    def _dense(self, where: Condition | None) -> tuple[int, int, int] | None:
        """Number, least and greatest of integer units that fit into a map of bits; else None."""
        kind = self._table.schema.type_of(Column(self._table.unit or ""))
        if not self._session.dialect.different or kind is not ColumnType.INTEGER:
            return None
        query = fill(
            "SELECT COUNT(*) AS t0, COALESCE(MIN(u), 0) AS t1, COALESCE(MAX(u), 0) AS t2 "
            "FROM ({}) AS a",
            self._units(where),
        )
        count, least, most = self._numbers(query, 3)
        span = most - least
        return (count, least, most) if span < min(_MOST_SPAN, _SPARSENESS * count) else None

    def _bits_differ(self, where: Condition | None, count: int, least: int, most: int) -> bool:
        query = fill(
            "SELECT COALESCE(" + self._session.dialect.different + ", 0) AS t0 FROM ({}) AS a",
            Fragment("u"),
            Fragment(str(least)),
            Fragment(str(most)),
            self._units(where),
        )
        return self._numbers(query, 1) == [count]

    def _numbers(self, query: Fragment, count: int) -> list[int]:
        return [int(total[0]) for total in self._session.fetch(query, 0, count).totals]

    def _units(self, where: Condition | None, first: int | None = None) -> Fragment:
        """The units of the rows that count."""
        unit = Column(self._table.unit or "")
        names = [unit.name] + ([c.name for c in columns_of(where)] if where is not None else [])
        scan = self._session.scan(tuple(dict.fromkeys(names)))
        if first is not None:
            scan = fill(f"(SELECT * FROM {{}} LIMIT {first}) AS beginning", scan)
        kept = KeptRows(self._table.schema, self._session.dialect, unit, (where,))
        return kept.units(scan)
