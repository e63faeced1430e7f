"""All different units of a table, listed once by the engine and held for as long as it is read.

Proof: docs/proofs/sensitivity.md, section 9.
"""

from contextlib import ExitStack
from dataclasses import replace

from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.hashed_units import HashedUnits, different
from leastnoise.release.measure.sql.kept_rows import KeptRows

_SPARE = 5  # bits; then one unit in sixteen shares the others, at most, if hashes are as by chance
_MANY = 2**20  # units; a list of fewer is looked through as fast in any order


class ListedUnits:
    """The units of one table and session; listed when first asked for.

    Args:
        rows: whose they are.
        session: where they are; `surely_rereads` must hold of it.
        held: keeps the list.
    """

    def __init__(self, rows: KeptRows, session: DuckDBSession, held: ExitStack) -> None:
        self._rows = rows
        self._session = session
        self._held = held
        self._listed: list[tuple[Fragment, int]] = []

    @property
    def is_made(self) -> bool:
        """Whether there is a list already."""
        return bool(self._listed)

    def numbers(self, bits: int, salt: int) -> HashedUnits | None:
        """Numbers of so many bits; None if these are too few.

        Args:
            bits: at most 62.
            salt: the same in all calls.
        """
        listed, count = self._list(salt)
        if count << _SPARE > 1 << bits:
            return None
        units = HashedUnits(bits, salt, self._session.dialect, listed)
        apart, some = self._hold(units.sharing())
        return replace(units, apart=apart) if some else units

    def _list(self, salt: int) -> tuple[Fragment, int]:
        if not self._listed:
            assert self._rows.unit is not None
            units = self._rows.units(self._session.scan((self._rows.unit.name,)))
            with ExitStack() as kept:
                query = different(units, salt, self._session.dialect)
                made, count = self._hold(query, kept)
                if count < _MANY:
                    self._held.push(kept.pop_all())
                else:  # part after part looks for its units by their hashes
                    made, _ = self._hold(fill("SELECT * FROM {} AS made ORDER BY h", made))
            self._listed.append((made, count))
        return self._listed[0]

    def _hold(self, query: Fragment, kept: ExitStack | None = None) -> tuple[Fragment, int]:
        """What stands for a query's rows after FROM, and how many they are."""
        made = (kept or self._held).enter_context(self._session.held(query))
        counted = fill("SELECT COUNT(*) AS t0 FROM {} AS made", made)
        return made, int(self._session.fetch(counted, 0, 1).totals[0][0])
