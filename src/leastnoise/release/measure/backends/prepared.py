"""`PreparedSession`: a table that was prepared, also by ranges of units and in plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import BackendError
from leastnoise.release.ask.location import ParquetFiles
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.session import Session
from leastnoise.release.measure.prepared_folder import NUMBER, ROWS, Prepared
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.unit_ranges import UnitRange


class PreparedSession(DuckDBSession):
    """A session on a prepared folder."""

    @property
    def prepared(self) -> Prepared:
        """What the manifest said when the session was opened."""
        assert self._manifest is not None, "its location is a prepared folder"
        return self._manifest

    @property
    def beside(self) -> tuple[Fragment, Fragment]:
        """Of each row: d, the number of its unit, and n, how many rows that has."""
        number, rows = map(DUCKDB.identifier, (NUMBER, ROWS))
        return fill("{} AS d", number), fill("{} AS n", rows)

    def part(self, units: UnitRange) -> Fragment:
        """All rows of the units of a range, in no certain order."""
        text = f"(SELECT * FROM {{}} WHERE {{}} BETWEEN {units.first} AND {units.last}) AS part"
        return fill(text, self._whole(), DUCKDB.identifier(NUMBER))

    def rows_of(self, units: NDArray[np.int64]) -> Fragment:
        """All rows of some units."""
        listed = self.shown({"i": units})
        text = "(SELECT * FROM {} WHERE {} IN (SELECT i FROM {})) AS chosen"
        return fill(text, self._whole(), DUCKDB.identifier(NUMBER), listed)

    def _run_once(self, query: Fragment) -> Any:
        return self._related(query)


def prepared_for(table: Table, session: Session) -> PreparedSession | None:
    """The session, if its rows lie together by the very unit that the table has."""
    if isinstance(session, PreparedSession) and session.prepared.unit == table.unit is not None:
        return session
    return None


def units_by_rows(path: str) -> dict[int, int]:
    """How many units of a copy have how many rows.

    Raises:
        BackendError: not all rows of a unit say the same.
    """
    with DuckDBSession(ParquetFiles((path,), partitioned=False)) as session:
        query = fill(
            "SELECT {} AS k0, COUNT(*) AS t0, COUNT(DISTINCT {}) AS t1 FROM {} "
            "WHERE {} IS NOT NULL GROUP BY {}",
            *map(DUCKDB.identifier, (ROWS, NUMBER)),
            session.scan(()),
            *map(DUCKDB.identifier, (NUMBER, ROWS)),
        )
        found = session.fetch(query, 1, 2)
    rows, units = (total.tolist() for total in found.totals)
    sizes = [int(each) for each in found.keys[0]]
    if any(n * count != all_rows for n, count, all_rows in zip(sizes, units, rows, strict=True)):
        raise BackendError("a copy must have all rows of each unit; it has not. Prepare again.")
    return dict(zip(sizes, units, strict=True))
