"""Ledger files that were damaged or made by a stranger, and texts that nobody expects in a line."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import LeastNoiseError
from leastnoise.ledger import Ledger
from leastnoise.privacy import ApproxDP, PureDP
from tests.fuzz.inputs import tried


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("ledger") / "budget.db"
    ledger = Ledger(place, total=ApproxDP(epsilon=3, delta="1e-6"), dataset="visits", begin=True)
    for number in range(3):
        labels = {"analyst": f"number {number}"}
        ledger.charge(ApproxDP(epsilon="0.1", delta="1e-8"), purpose="a table", labels=labels)
    ledger.keep("abc", "a release")
    return place


def looked_at(place: Path) -> int | None:
    """How many lines are read; None if the file is refused. No other error."""
    try:
        ledger = Ledger(place)
        lines = len(ledger.history())
        assert isinstance(ledger.remaining, ApproxDP)
        ledger.kept("abc")
        ledger.charge(PureDP(epsilon="0.01"), purpose="one more")
    except LeastNoiseError:
        return None
    return lines


changes = st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 255)), min_size=1, max_size=4)


@tried(3)
@given(changes, st.none() | st.integers(0, 2**20))
def test_damaged_files(honest: Path, changes: list[tuple[int, int]], end: int | None) -> None:
    """Whatever bytes change: refused, or no line is missing."""
    content = bytearray(honest.read_bytes())
    for place, byte in changes:
        content[place % len(content)] = byte
    if end is not None:
        del content[end % len(content) :]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "budget.db"
        file.write_bytes(content)
        lines = looked_at(file)
    assert lines in (None, 4)


bodies = st.one_of(
    st.text(max_size=12), st.binary(max_size=12), st.none(), st.integers(), st.floats()
)
rows = st.one_of(
    st.tuples(st.just("INSERT INTO line VALUES (?, ?, ?)"), st.integers(-5, 9), bodies, bodies),
    st.tuples(st.just("INSERT OR REPLACE INTO header VALUES (1, ?)"), bodies),
)


@tried(1.5)
@given(rows)
def test_rows_by_another_hand(honest: Path, row: tuple[Any, ...]) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "budget.db"
        file.write_bytes(honest.read_bytes())
        with closing(sqlite3.connect(file)) as connection:
            for name in ("line_stays", "line_lasts", "header_stays", "header_lasts"):
                connection.execute(f"DROP TRIGGER {name}")
            try:
                connection.execute(row[0], row[1:])
                connection.commit()
            except (sqlite3.Error, OverflowError, UnicodeEncodeError):
                return  # the file itself refuses it
        assert looked_at(file) is None


anything = st.one_of(st.text(), st.none(), st.integers(), st.binary(), st.floats())


@tried(1.5)
@given(anything, anything, anything, anything)
def test_texts_of_charges(purpose: Any, label: Any, digest: Any, content: Any) -> None:
    with TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "budget.db", total=PureDP(epsilon=10**6), begin=True)
        calls: list[Callable[[], object]] = [
            lambda: ledger.charge(
                PureDP(epsilon="1e-9"), purpose=purpose, labels={"who": label}, digest=digest
            ),
            lambda: ledger.keep(digest, content),
            lambda: ledger.kept(digest),
            lambda: ledger.cap("who", label, PureDP(epsilon=5)),
        ]
        for call in calls:
            with suppress(LeastNoiseError):
                call()
