"""`ClosedSteps`: the exact totals of steps that are over, frozen. As secret as the data.

Without it the totals of past steps are found anew in the data each time, and a row that comes late
could change in which steps its unit counts. With it a step is looked at once, when it is closed:
late rows then count nowhere, and cost nothing.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise.errors import BackendError

_TABLE = (
    "CREATE TABLE IF NOT EXISTS closed (schedule TEXT, step INTEGER, question INTEGER, "
    "totals BLOB, PRIMARY KEY (schedule, step, question))"
)


class ClosedSteps:
    """A file beside the data that keeps the exact totals of closed steps.

    Args:
        place: where the file is; it is made if there is none. Protect it like the data.
    """

    def __init__(self, place: str | Path) -> None:
        known: object = place
        if not isinstance(known, str | Path) or not str(known):
            raise _check.refuse(
                "`closed` must be a path", f"a {type(known).__name__}", "Write 'closed.db'."
            )
        self._place = Path(place)

    def __repr__(self) -> str:
        return f"ClosedSteps({str(self._place)!r})"

    def totals(self, schedule: str) -> list[list[NDArray[np.int64]]]:
        """For each closed step, from the first one on, the totals of each question. Secret."""
        query = "SELECT step, totals FROM closed WHERE schedule = ? ORDER BY step, question"
        found: dict[int, list[NDArray[np.int64]]] = {}
        for step, blob in self._run(query, [(schedule,)]):
            found.setdefault(int(step), []).append(np.frombuffer(blob, "<i8").astype(np.int64))
        return [found[step] for step in range(1, len(found) + 1)]

    def close(self, schedule: str, number: int, totals: Sequence[NDArray[np.int64]]) -> None:
        """Freezes a step: what is there first stays."""
        rows = [
            (schedule, number, place, each.astype("<i8").tobytes())
            for place, each in enumerate(totals)
        ]
        self._run("INSERT INTO closed VALUES (?, ?, ?, ?)", rows)

    def _run(self, query: str, rows: Sequence[tuple[object, ...]]) -> list[tuple[int, bytes]]:
        try:
            self._place.touch(mode=0o600, exist_ok=True)
            with closing(sqlite3.connect(self._place, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(_TABLE)
                found = [row for each in rows for row in connection.execute(query, each)]
                connection.execute("COMMIT")
                return found
        except (sqlite3.Error, OSError):
            raise BackendError(
                "the file of closed steps must be readable and writable, and each step be closed "
                f"once; {self._place.name} was not. Try again when nobody else releases steps."
            ) from None
