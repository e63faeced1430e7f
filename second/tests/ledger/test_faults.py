"""Kills, full disks and many writers: nothing is lost, overspent, or stored twice."""

import os
import resource
import signal
import sqlite3
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from itertools import count
from pathlib import Path

import pytest

from leastnoise.ledger import sqlite
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.meters import Price
from leastnoise.ledger.records import digest
from leastnoise.ledger.sqlite import SQLite
from leastnoise.ledger.store import Store
from leastnoise.numbers.errors import BudgetExceeded, LedgerError
from tests.ledger.charges import SMALL, TOTALS, a_ledger, charge, charged, request, rows

Report = Callable[[str], object]
OWN, OTHERS = ("[" + f"{number}," * 20_000 + "0]" for number in (11, 12))  # of many pages


def forked(work: Callable[[Report], object]) -> tuple[int, int]:
    """A child that does this work: its number, and where to read what it reports."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about threads, which wait here
        child = os.fork()
    if not child:
        try:
            work(lambda text: os.write(writer, f"{text}\n".encode()))
        finally:
            os._exit(0)
    os.close(writer)
    return child, reader


def ended(child: int, reader: int) -> tuple[list[str], int]:
    """What a child reported, and how it ended."""
    with os.fdopen(reader) as pipe:
        reported = pipe.read().splitlines()
    return reported, os.waitpid(child, 0)[1]


def checked(path: Path) -> Store:
    """The ledger, read anew as a whole."""
    store = SQLite(path)
    store.verify()
    return store


# Kills


def killed_before(step: int, work: Callable[[Report], object]) -> tuple[list[str], bool]:
    """What a child reports before SQLite would run this statement; whether it was killed there.

    It keeps two pages in memory, so that the file is changed before a transaction ends.
    """
    connect, left = sqlite._connect, [step]

    def traced(_: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def connected(path: Path, mode: str) -> sqlite3.Connection:
        connection = connect(path, mode)
        connection.execute("PRAGMA cache_size=2")
        connection.set_trace_callback(traced)
        return connection

    def traced_work(report: Report) -> None:
        sqlite._connect = connected
        work(report)

    reported, status = ended(*forked(traced_work))
    assert status in (0, signal.SIGKILL)
    return reported, status == signal.SIGKILL


def test_a_kill_between_two_steps_leaves_what_was_reported_and_nothing_else(tmp_path: Path) -> None:
    path, seen = tmp_path / "x.ledger", Counter[int]()

    def work(report: Report) -> None:
        store = SQLite(path)
        number = store.charge(charge(), store.last)
        report("charged")
        assert number == 1
        store.attempt(number)
        report("tried")
        for stage in ("totals", "answer"):
            store.put_once(number, stage, OWN)
            report(stage)

    Ledger.create(path, **TOTALS)
    new = path.read_bytes()
    for step in count():
        path.write_bytes(new)
        reported, killed = killed_before(step, work)
        if not killed:
            break
        store = checked(path)
        assert store.last == len(reported)
        assert store.meters.squared_mu == (SMALL.squared_mu if reported else 0)
        seen[len(reported)] += 1
        # Whoever comes next finds the charge, and shows what was stored first.
        assert [entry.number for entry in store.find(request())] == [1] * bool(reported)
        number = 1 if reported else charged(Ledger(path))
        store.attempt(number)
        for stage in ("totals", "answer"):
            assert store.put_once(number, stage, OTHERS) == (OWN if stage in reported else OTHERS)
        checked(path)
    assert min(seen[lines] for lines in range(4)) >= 4 and len(reported) == 4


def test_a_kill_during_creation_leaves_a_whole_ledger_or_none(tmp_path: Path) -> None:
    path, before = tmp_path / "x.ledger", 0
    for step in count():
        path.unlink(missing_ok=True)
        _, killed = killed_before(step, lambda _: Ledger.create(path, **TOTALS))
        if path.exists():
            checked(path)
        elif killed:
            before += 1
        assert Ledger.create(path, **TOTALS).store.last == 0
        if not killed:
            break
    assert before >= 4


def test_what_was_changed_before_a_kill_is_undone(tmp_path: Path) -> None:
    """A transaction that wrote to the file and did not end: SQLite's journal takes it back."""
    path = tmp_path / "x.ledger"
    ledger = Ledger.create(path, **TOTALS)
    charged(ledger)
    before, whole = rows(path), path.read_bytes()

    def work(_: Report) -> None:
        with sqlite._connect(path, "rw") as connection:
            connection.execute("PRAGMA cache_size=2")
            connection.execute("BEGIN IMMEDIATE")
            for stage in range(9):
                connection.execute("INSERT INTO stage VALUES (1, ?, ?)", (stage, OWN))
            os.kill(os.getpid(), signal.SIGKILL)

    ended(*forked(work))
    assert path.read_bytes() != whole
    assert checked(path).last == 1 and rows(path) == before


# Full disks


def test_a_full_disk_changes_nothing_and_is_told(tmp_path: Path) -> None:
    """Files of a child may grow to a limit, for every limit in steps of a page."""
    path, outcomes = tmp_path / "x.ledger", Counter[str]()
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

    def limited(size: int, work: Callable[[], object]) -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            work()
        except LedgerError as error:
            assert str(error).startswith("x.ledger cannot be used: ")
            return "refused"
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        return "done"

    charged(Ledger.create(path, **TOTALS))
    new = path.read_bytes()
    for size in range(0, 2**17, 2**12):
        path.write_bytes(new)

        def work(report: Report, size: int = size) -> None:
            store = SQLite(path)
            for _ in range(2):
                report(limited(size, lambda: store.charge(charge(), store.last)))
                report(limited(size, lambda: store.put_once(1, "totals", OWN)))
            # With room again the same open ledger goes on.
            store.put_once(1, "answer", "[1]")
            charged(Ledger(path))
            report(str(store.stored(1, "answer")))

        reported, status = ended(*forked(work))
        assert status == 0 and reported.pop() == "[1]"
        store, (*_, stages) = checked(path), rows(path)
        outcomes.update(reported)
        charges = 2 + (reported[0] == "done") + (reported[2] == "done")
        kept = "done" in (reported[1], reported[3])
        assert len(store.entries) == charges
        assert stages == [(1, "answer", "[1]"), (1, "totals", OWN)][: 1 + kept]
        assert store.last == charges + 1 + kept
    assert min(outcomes.values()) > 25


def test_a_ledger_that_finds_no_room_to_begin_leaves_nothing(tmp_path: Path) -> None:
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

    def work(report: Report) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, hard))
        try:
            Ledger.create(tmp_path / "x.ledger", **TOTALS)
        except LedgerError as error:
            report(str(error))

    (reported,), _ = ended(*forked(work))
    assert reported.startswith("x.ledger cannot be used: ")
    assert not list(tmp_path.iterdir())


def test_a_limit_of_pages_is_a_full_disk_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", **TOTALS)
    charged(ledger)
    before, connect = rows(ledger.path), sqlite._connect

    def connected(path: Path, mode: str) -> sqlite3.Connection:
        connection = connect(path, mode)
        connection.execute("PRAGMA max_page_count=1")  # as many as there are
        return connection

    monkeypatch.setattr(sqlite, "_connect", connected)
    with pytest.raises(LedgerError, match="full"):
        ledger.store.put_once(1, "totals", OWN)
    assert rows(ledger.path) == before and ledger.store.stored(1, "totals") is None


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """As for `root`, who may write anywhere: the folder is a file, or the name too long."""
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "x.ledger", tmp_path / ("x" * 300)):
        with pytest.raises(
            LedgerError, match=r"cannot be used: (Not a directory|File name too long)"
        ):
            SQLite.create(path, Ledger.create(tmp_path / "y.ledger", **TOTALS).store.header)


# Many writers


def crowd(size: int, work: Callable[[Report], object]) -> list[str]:
    """What so many children report, who all begin at once."""
    waiting, start = os.pipe()

    def member(report: Report) -> None:
        os.read(waiting, 1)
        work(report)

    children = [forked(member) for _ in range(size)]
    os.write(start, b"!" * size)
    found = [ended(*child) for child in children]
    os.close(waiting)
    os.close(start)
    assert not any(status for _, status in found)
    return [line for lines, _ in found for line in lines]


def test_sixty_four_writers_never_overspend_and_lose_no_charge(tmp_path: Path) -> None:
    path, price = tmp_path / "x.ledger", Price.pure(Fraction(3, 10))  # room for 20
    Ledger.create(path, **TOTALS)

    def work(report: Report) -> None:
        store = SQLite(path)
        for _ in range(2):
            try:
                while (number := store.charge(charge(price), store.last)) is None:
                    pass  # somebody was before us; the lines since then are read now
            except BudgetExceeded:
                report("refused")
            else:
                report(str(number))

    reported = Counter(crowd(64, work))
    assert reported.pop("refused") == 128 - 20
    assert reported == Counter(map(str, range(1, 21)))
    store = checked(path)
    assert store.meters.epsilon == 6 and len(store.entries) == store.last == 20


def test_of_many_finishers_one_stores_and_all_show_it(tmp_path: Path) -> None:
    path = tmp_path / "x.ledger"
    charged(Ledger.create(path, **TOTALS))

    def work(report: Report) -> None:
        store = SQLite(path)
        report(store.put_once(1, "totals", f"[{os.getpid()}]"))

    reported = crowd(16, work)
    assert len(reported) == 16 and len(set(reported)) == 1
    store = checked(path)
    assert store.stored(1, "totals") == reported[0] and store.last == 2


def test_many_who_create_one_ledger_have_one(tmp_path: Path) -> None:
    path = tmp_path / "x.ledger"

    def work(report: Report) -> None:
        ledger = Ledger.create(path, **TOTALS)
        charged_once = None
        while charged_once is None:
            ledger.store.refresh()
            charged_once = ledger.store.charge(charge(), ledger.store.last)
        report(str(charged_once))

    assert sorted(map(int, crowd(16, work))) == [*range(1, 17)]
    assert checked(path).last == 16 and [each.name for each in tmp_path.iterdir()] == ["x.ledger"]


def test_a_line_that_is_no_text_is_refused_though_its_hash_is_right(tmp_path: Path) -> None:
    store = a_ledger(tmp_path / "l").store
    with closing(sqlite3.connect(tmp_path / "l")) as file:
        text = file.execute("SELECT text FROM line WHERE number = ?", (store.last,)).fetchone()[0]
        new = text.replace(f'"number":{store.last}', f'"number":{store.last + 1}').encode()
        line = store.last + 1, new, digest(new, store.head)
        file.execute("INSERT INTO line VALUES (?, ?, ?)", line)
        file.commit()
    with pytest.raises(LedgerError, match="does not follow from the lines before it"):
        Ledger(tmp_path / "l")
