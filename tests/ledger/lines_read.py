"""Which lines of a ledger in a file are read."""

import pytest

from leastnoise.ledger.chain import Line
from leastnoise.ledger.sqlite_store import _SQLiteTransaction


def lines_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """From now on, the number of each; the list grows."""
    read: list[int] = []
    lines = _SQLiteTransaction.lines

    def counted(self: _SQLiteTransaction, first: int, most: int) -> list[Line]:
        found = lines(self, first, most)
        read.extend(line.number for line in found)
        return found

    monkeypatch.setattr(_SQLiteTransaction, "lines", counted)
    return read
