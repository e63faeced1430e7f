"""A ledger is made once, for one unit and one total; it only grows, and is read once."""

import signal
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leastnoise.ledger import sqlite
from leastnoise.ledger.ledger import ANSWER, Ledger, Remaining, StoredAnswer
from leastnoise.ledger.meters import Price
from leastnoise.ledger.records import Header, Line, Request
from leastnoise.ledger.sqlite import SQLite
from leastnoise.ledger.store import Store
from leastnoise.numbers.errors import BudgetExceeded, InvalidInput, LedgerError
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.report.view import Cell, View
from tests.forked import in_child
from tests.ledger.charges import SMALL, TOTALS, a_ledger, charge, charged, request, rows, unlocked

TIME = "2026-11-18T19:40:00+00:00"
SIX, RHO = {"epsilon": 6, "delta": "1e-6"}, {"rho": "1/2", "delta": "1e-6"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.ledger"


# Making one


def test_the_same_creation_opens_what_exists(path: Path) -> None:
    first = Ledger.create(path, **TOTALS)
    charged(first)
    again = Ledger.create(str(path), privacy_unit="person", epsilon="6.0", delta=1e-6)
    assert len(again.entries) == 1 and again.store.header == first.store.header
    assert again.name == "x.ledger" and again.privacy_unit == "person"
    assert again.guarantee == ApproxDP(epsilon=6, delta="1e-6")
    rho = Ledger.create(path.with_name("r"), privacy_unit="visit", rho="1/2")
    assert rho.guarantee == ZCDP(rho="1/2") == Ledger(path.with_name("r")).guarantee


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"epsilon": 7}, "exists with epsilon 6, delta 1e-6; a total cannot be changed"),
        ({"delta": "1e-7"}, "a total cannot be changed"),
        ({"epsilon": None, "delta": None, "rho": 1}, "a total cannot be changed"),
        ({"privacy_unit": "visit"}, "is about each person, not each visit"),
    ],
)
def test_other_totals_are_refused(path: Path, changed: dict[str, Any], message: str) -> None:
    before = rows(Ledger.create(path, **TOTALS).path)
    with pytest.raises(LedgerError, match=message):
        Ledger.create(path, **TOTALS | changed)
    assert rows(path) == before


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (":memory:", SIX, "no file that lasts"), ("file:x?mode=memory", SIX, "no file that lasts"),
    ("postgresql://ann:secret@host/x", SIX, "'postgresql' is no file"), ("", SIX, "name of a file"),
    ("a\0b", SIX, "name of a file"), (b"x", SIX, "name of a file"), (None, SIX, "is a NoneType"),
    ("no/such/x", SIX, "There is no folder"), ("x", {}, "either epsilon= .* or rho="),
    ("x", SIX | {"rho": 1}, "either epsilon= .* or rho="), ("x", {"epsilon": 1}, "delta is missing"),
    ("x", {"epsilon": 0, "delta": 0}, "epsilon is 0"), ("x", {"epsilon": 1, "delta": -1}, "delta is -1"),
    ("x", {"epsilon": 1, "delta": 1}, "delta 1 promises nothing"), ("x", {"rho": 0}, "rho is 0"),
    ("x", {"epsilon": 1, "delta": 2}, "delta is 2"), ("x", {"rho": 1, "delta": 2}, "delta is 2"),
    ("x", SIX | {"privacy_unit": ""}, "singular"), ("x", SIX | {"privacy_unit": "a\nb"}, "singular"),
    ("x", SIX | {"privacy_unit": 5}, "singular"), ("x", SIX | {"privacy_unit": "p" * 61}, "singular"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "total", "message"), WRONG)
def test_what_makes_no_ledger_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Any, total: Any, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=message) as refused:
        Ledger.create(place, **{"privacy_unit": "person"} | total)
    assert not list(tmp_path.iterdir()) and "secret" not in str(refused.value)


def test_a_large_delta_is_warned_of(path: Path) -> None:
    with pytest.warns(UserWarning, match="allows a full leak of one person in 10"):
        Ledger.create(path, privacy_unit="person", epsilon=1, delta=0.1)
    Ledger.create(path.with_name("y"), privacy_unit="person", epsilon=1, delta="1e-5")


def test_a_ledger_in_rho_shows_the_delta_that_groups_may_cost(path: Path) -> None:
    found = Ledger.create(path, privacy_unit="plane", rho=1, delta=1e-6)
    assert "each plane is protected by rho 1, delta 1e-6 for everything\n" in repr(found)
    assert "Enough for one release at rho 1." in repr(found)


def test_a_ledger_that_is_not_there_or_is_none_is_refused(path: Path) -> None:
    with pytest.raises(
        LedgerError, match=r"There is no ledger (.|\n)*restore it(.|\n)*To make one"
    ):
        Ledger(path)
    for content in (b"", b"no ledger " * 1000):
        path.write_bytes(content)
        with pytest.raises(LedgerError, match=r"x\.ledger cannot be used: it is no ledger"):
            Ledger(path)
        with pytest.raises(LedgerError, match=r"x\.ledger cannot be used: it is no ledger"):
            Ledger.create(path, **TOTALS)
        assert path.read_bytes() == content
    with pytest.raises(LedgerError, match="There is no ledger"):
        SQLite(path.with_name("y"))


# Charging


def test_charge_answers_none_after_any_later_line(path: Path) -> None:
    one, other = Ledger.create(path, **TOTALS).store, Ledger(path).store
    lines: list[Callable[[], object]] = [
        lambda: charged(Ledger(path)), lambda: other.attempt(1),
        lambda: other.put_once(1, "totals", "[1]"),
    ]  # fmt: skip
    for late in lines:
        planned = one.last
        late()
        before = rows(path)
        assert one.charge(charge(), planned) is None
        assert rows(path) == before and one.last == planned + 1  # it is read, for the next plan
    assert one.charge(charge(), one.last) == 2
    with pytest.raises(BudgetExceeded):
        one.charge(charge(Price.gaussian(Fraction(3, 2))), one.last)
    assert checked(path).last == one.last == 4


def checked(path: Path) -> Store:
    store = SQLite(path)
    store.verify()
    return store


def test_a_charge_takes_all_that_fits_and_no_more(path: Path) -> None:
    store = Ledger.create(path, **TOTALS).store
    rest = store.header.total.squared_mu
    assert store.charge(charge(Price.gaussian(rest - SMALL.squared_mu)), 0) == 1
    assert store.charge(charge(SMALL), 1) == 2
    with pytest.raises(BudgetExceeded):
        store.charge(charge(Price.gaussian(Fraction(1, 10**30))), 2)
    assert Remaining.of(store.meters) == Remaining(0, 0.0, 0.0) and checked(path).last == 2


def test_a_fourth_attempt_is_refused(path: Path) -> None:
    store = Ledger.create(path, **TOTALS).store
    charged(Ledger(path))
    for number in (1, 2, 3):
        store.attempt(1)
        assert store.entries[1].attempts == number
    before = rows(path)
    for each in (store, Ledger(path).store):
        with pytest.raises(LedgerError, match="Release 1 was charged and tried 3 times more"):
            each.attempt(1)
    assert rows(path) == before and store.entries[1].attempts == 3


def test_of_a_stage_the_first_try_is_counted_too_and_stages_are_counted_apart(path: Path) -> None:
    store = Ledger.create(path, **TOTALS).store
    charged(Ledger(path))
    for _ in range(4):
        store.attempt(1, "2013-03-01")
    with pytest.raises(LedgerError, match="2013-03-01 of release 1 was tried and tried 3 times"):
        Ledger(path).store.attempt(1, "2013-03-01")
    store.attempt(1, "2013-04-01")
    store.attempt(1)
    assert Ledger(path).store.entries[1].tries == {"2013-03-01": 4, "2013-04-01": 1, "": 1}


def test_the_first_of_two_finishers_stores(path: Path) -> None:
    one, other = Ledger.create(path, **TOTALS).store, Ledger(path).store
    assert one.charge(charge(), 0) == 1
    assert other.stored(1, "totals") is None
    assert one.put_once(1, "totals", "[1]") == "[1]"
    other.verify()
    assert other.put_once(1, "totals", "[2]") == one.put_once(1, "totals", "[3]") == "[1]"
    assert one.stored(1, "totals") == other.stored(1, "totals") == "[1]"
    assert one.put_once(1, "answer", "[4]") == other.put_once(1, "answer", "[5]") == "[4]"
    assert checked(path).last == 3


def test_a_finished_release_has_the_noise_and_price_of_its_charge(path: Path) -> None:
    ledger = a_ledger(path)
    known = charge(Price.pure(Fraction(1, 10)), "second")
    for _ in range(3):
        (entry,) = Ledger(path).store.find(request("second"))
        assert (entry.number, entry.charge, entry.price) == (2, known, known.price)
        assert (entry.attempts, set(entry.stored)) == (1, {"totals", "answer"})
        charged(ledger, Price.gaussian(Fraction(1, 5)), "another")
    assert not ledger.store.find(request("secon")) and not ledger.store.find(Request({}, {}))
    charged(ledger, name="second")
    assert [entry.number for entry in ledger.store.find(request("second"))] == [2, 6]


def test_a_stage_that_was_changed_is_not_shown(path: Path) -> None:
    store = a_ledger(path).store
    with unlocked(path) as connection:
        connection.execute("UPDATE stage SET content = '[99]' WHERE charge = 1")
        connection.execute("DELETE FROM stage WHERE charge = 2 AND name = 'answer'")
    asked: list[Callable[[], object]] = [
        lambda: store.stored(1, "totals"), lambda: store.put_once(1, "totals", "[99]"),
        lambda: store.stored(2, "answer"), lambda: store.put_once(2, "answer", "[99]"),
    ]  # fmt: skip
    for each in asked:
        with pytest.raises(LedgerError, match=r"stored answer of release [12] was changed"):
            each()
    assert rows(path)[1][-1][0] == 6


TABLES = {"header": "text", "line": "text", "stage": "content"}


@pytest.mark.parametrize("table", TABLES)
def test_nothing_is_changed_or_removed(path: Path, table: str) -> None:
    before = rows(a_ledger(path).path)
    changes = (
        f"UPDATE {table} SET {TABLES[table]} = 'x'", f"DELETE FROM {table}",
        f"INSERT OR REPLACE INTO {table} SELECT * FROM {table} LIMIT 1",
        f"REPLACE INTO {table} SELECT * FROM {table} LIMIT 1",
        f"INSERT INTO {table} SELECT * FROM {table} LIMIT 1",
    )  # fmt: skip
    with closing(sqlite3.connect(path)) as connection:
        for change in changes:
            with pytest.raises(sqlite3.IntegrityError, match="append only"):
                connection.execute(change)
        if table != "stage":
            row = {"header": "(2, 'x')", "line": "(0, 'x', 'x')"}[table]
            with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
                connection.execute(f"INSERT INTO {table} VALUES {row}")
    assert rows(path) == before


def test_every_transaction_is_durable_and_one_writer_waits_for_the_other(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loss of power cannot be tried: EXTRA syncs the file and its folder before COMMIT returns."""
    connect, seen = sqlite._connect, list[str]()

    def connected(place: Path, mode: str) -> sqlite3.Connection:
        connection = connect(place, mode)
        connection.set_trace_callback(seen.append)
        return connection

    monkeypatch.setattr(sqlite, "_connect", connected)
    ledger = Ledger.create(path, **TOTALS)
    assert seen[:2] == ["PRAGMA synchronous=EXTRA", "BEGIN"]
    works: list[tuple[Callable[[], object], str]] = [
        (ledger.store.refresh, "BEGIN"), (lambda: ledger.store.charge(charge(), 0), "BEGIN IMMEDIATE"),
        (lambda: ledger.store.attempt(1), "BEGIN IMMEDIATE"), (ledger.store.verify, "BEGIN"),
        (lambda: ledger.store.put_once(1, "totals", "[1]"), "BEGIN IMMEDIATE"),
        (lambda: ledger.store.stored(1, "totals"), "BEGIN"),
        (lambda: ledger.cap("ann", epsilon=1), "BEGIN IMMEDIATE"),
    ]  # fmt: skip
    for work, begin in works:
        seen.clear()
        work()
        assert [*seen[:2], seen[-1]] == ["PRAGMA synchronous=EXTRA", begin, "COMMIT"]


def test_lines_are_read_in_their_order_by_their_key(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite._connect

    def reversed_where_no_order_is_asked(place: Path, mode: str) -> sqlite3.Connection:
        connection = connect(place, mode)
        connection.execute("PRAGMA reverse_unordered_selects=ON")
        return connection

    a_ledger(path)
    monkeypatch.setattr(sqlite, "_connect", reversed_where_no_order_is_asked)
    assert checked(path).last == 6
    with closing(sqlite3.connect(path)) as connection:
        keys = {table: [name for _, name, *_, key in connection.execute(f"PRAGMA table_info({table})")
                        if key] for table in TABLES}  # fmt: skip
    assert keys == {"header": ["one"], "line": ["number"], "stage": ["charge", "name"]}


# Reading


def calls_of(work: Callable[[], object]) -> int:
    """How many functions are called, of Python's own too."""
    count = [0]

    def counted(_: object, event: str, __: object) -> None:
        count[0] += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count[0]


PRICE = Price.pure(Fraction(1, 10))


def with_lines(path: Path, count: int) -> Path:
    """A ledger with so many charges."""
    store = Ledger.create(path, privacy_unit="person", epsilon=10**6, delta=0).store
    last, lines = store.head, list[Line]()
    for number in range(1, count + 1):
        lines.append(Line.write(charge(PRICE, f"q{number}"), number, TIME, last))
        last = lines[-1].hash
    with unlocked(path) as connection:
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO line VALUES (?, ?, ?)", [(e.number, e.text, e.hash) for e in lines]
        )
        connection.execute("COMMIT")
    return path


def test_opening_is_linear_in_the_lines_and_a_charge_reads_new_ones_only(tmp_path: Path) -> None:
    paths = {count: with_lines(tmp_path / str(count), count) for count in (500, 1000, 2000)}
    opened = {count: calls_of(lambda path=path: SQLite(path)) for count, path in paths.items()}  # type: ignore[misc]
    per_line = (opened[1000] - opened[500]) / 500
    assert opened[2000] - opened[1000] == pytest.approx(1000 * per_line, rel=0.01)
    assert per_line < 300
    ledgers = [Ledger(path) for path in paths.values()]
    charges = [calls_of(lambda ledger=ledger: charged(ledger, PRICE)) for ledger in ledgers]  # type: ignore[misc]
    assert max(charges) - min(charges) < 50 and max(charges) < 400
    assert ledgers[-1].store.meters.epsilon == Fraction(2001, 10)


@pytest.mark.slow
def test_a_hundred_thousand_lines_are_opened_as_fast_each_as_few(tmp_path: Path) -> None:
    few, many = (with_lines(tmp_path / str(count), count) for count in (1000, 100_000))
    assert calls_of(lambda: SQLite(many)) < 101 * calls_of(lambda: SQLite(few))


def test_threads_may_share_a_ledger_file(path: Path) -> None:
    Ledger.create(path, **TOTALS)
    threads = [threading.Thread(target=lambda: charged_late(path)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(checked(path).entries) == 8


def test_threads_may_share_an_open_ledger(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one stands still when its charge is written; each gets the number of its own."""
    Ledger.create(path, **TOTALS)
    store, found, written = SQLite(path), dict[str, int | None](), threading.Event()
    read = store._read

    def slow(line: Line) -> None:
        read(line)
        if not written.is_set():
            written.set()
            second.join(0.5)

    def work(name: str) -> None:
        found[name] = store.charge(charge(name=name), store.last)

    def second_work() -> None:
        written.wait()
        work("second")

    monkeypatch.setattr(store, "_read", slow)
    second = threading.Thread(target=second_work)
    second.start()
    work("first")
    second.join()
    assert found == {"first": 1, "second": 2}
    assert [each.charge for each in checked(path).entries.values()] == [
        charge(name="first"),
        charge(name="second"),
    ]


def charged_late(path: Path) -> None:
    store = SQLite(path)
    while store.charge(charge(), store.last) is None:
        pass


# Showing


def test_entries_are_what_was_charged(path: Path) -> None:
    ledger = a_ledger(path)
    first, second = ledger.entries.values()
    assert [first.number, second.number] == [*ledger.entries] == [1, 2]
    assert (second.title, second.sql, second.amount) == ("second", ("SELECT second",), "1")
    assert second.analyst is None and second.finished and second.time.tzinfo is not None
    assert repr(ledger.entries) == "1: first, 1\n2: second, 1"
    assert ledger.unfinished == []
    charged(ledger, name="third")
    assert ledger.unfinished == [3] and not ledger.entries[3].finished
    with pytest.raises(LedgerError, match="Release 3 has no stored answer"):
        _ = ledger.entries[3].result
    with pytest.raises(InvalidInput, match=r"no release 9\. Releases: 1, 2, 3"):
        ledger.entries[9]
    ledger.verify()


def test_a_stored_answer_is_shown_as_it_was(path: Path) -> None:
    ledger = Ledger.create(path, **TOTALS)
    view = View(("t",), ("a", "b"), ((Cell("x"), Cell("1", "2")),), ("note",), left=1)
    charged(ledger)
    ledger.store.put_once(1, ANSWER, StoredAnswer((view,)).text())
    found = Ledger(path).entries[1].result
    assert found == StoredAnswer((view,)) and repr(found) == repr(StoredAnswer((view,)))


def test_a_ledger_shows_its_charges_and_what_is_left(path: Path) -> None:
    ledger = Ledger.create(path, **TOTALS)
    for epsilon in (2, 1):
        charged(ledger, Price.gaussian(ledger.store.header.total.squared_mu_at(Fraction(epsilon))))
    text = repr(ledger)
    assert "x.ledger: each person is protected by epsilon 6, delta 1e-6" in text
    assert "14 %" in text and "18 %" in text and "(unfinished)" in text
    assert "Left: 82 %. Enough for 21 more releases at epsilon 1, or for one at 5.3." in text
    assert ledger.remaining.percent == 82
    empty = Ledger.create(path.with_name("y"), privacy_unit="person", epsilon=1, delta=0)
    assert "Left: epsilon 1 of 1." in repr(empty)
    charged(empty, Price.pure(Fraction(1)))
    assert "Left: epsilon 0 of 1." in repr(empty)


def test_a_header_of_another_version_is_refused(path: Path) -> None:
    header = Ledger.create(path, **TOTALS).store.header
    assert Header.read(header.text()) == header
    with pytest.raises(LedgerError, match="another version"):
        Header.read(header.text().replace('"format":2', '"format":1'))


def test_a_forked_child_does_not_wait_for_a_thread_that_it_has_not(path: Path) -> None:
    ledger = Ledger.create(path, **TOTALS)
    charged(ledger)
    store, held, done = ledger.store, threading.Event(), threading.Event()

    def hold() -> None:
        with store._lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        free = in_child(lambda: _refreshed(store))
    finally:
        done.set()
        thread.join()
    assert free == b"free"


def _refreshed(store: Store) -> bytes:
    """That all lines were read, or the end of this process if that takes longer than a minute."""
    signal.alarm(60)
    store.refresh()
    return b"free" if len(store.entries) == 1 else b"lines are missing"
