"""Ledgers on PostgreSQL: one schema, one owner, roles that only add, locks that end."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from leastnoise.errors import InvalidParameter, LedgerError, LedgerMissing
from leastnoise.ledger import Ledger, postgres_store
from leastnoise.ledger.chain import linked
from leastnoise.ledger.entry import Charge
from leastnoise.ledger.header import Header
from leastnoise.ledger.postgres_store import PostgresStore
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.totals import Totals
from leastnoise.privacy import PureDP
from tests.cli.run import run
from tests.ledger.postgres import server

psycopg = pytest.importorskip("psycopg")
ONE, CENT = PureDP(epsilon=1), PureDP(epsilon="0.01")


@pytest.fixture(scope="module")
def owner() -> Iterator[str]:
    with server() as url:
        if url is None:
            pytest.skip("no PostgreSQL server on this machine")
        yield url


@pytest.fixture
def url(owner: str) -> str:
    """The owner's URL of a database without a ledger, beside two roles without rights."""
    done(owner, "DROP DATABASE IF EXISTS team WITH (FORCE)", "CREATE DATABASE team")
    for role in ("ann", "bob"):
        done(owner, f"DROP ROLE IF EXISTS {role}", f"CREATE ROLE {role} LOGIN")
    return owner.replace("/postgres", "/team")


def done(url: str, *statements: str) -> list[Any]:
    found: list[Any] = []
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
            found = cursor.fetchall() if cursor.description else []
    return found


def as_role(url: str, role: str) -> str:
    return url.replace("tester@", f"{role}@")


def test_one_ledger_behind_one_url(url: str) -> None:
    """Whatever the search path of a role is, and whatever it has made of its own."""
    ledger = Ledger(url, total=ONE, begin=True)
    for role in ("ann", "bob"):
        PostgresStore(url).grant(role)
        done(url, f"CREATE SCHEMA {role} AUTHORIZATION {role}",
             f"ALTER ROLE {role} SET search_path = {role}")  # fmt: skip
        shadows = ("header", "line", "leastnoise_line", "pg_class")
        done(as_role(url, role), *(f"CREATE TABLE {each} (number int)" for each in shadows))
        Ledger(as_role(url, role)).charge(CENT, purpose=f"by {role}")
    first, last = ledger.history()
    assert all(map(ledger.contains, (ledger.id, first.seal, last.seal)))
    assert not any(map(ledger.contains, ("0" * 64, "no\0seal", "")))
    assert Ledger(as_role(url, "ann")).seal == Ledger(as_role(url, "bob")).seal == ledger.seal


def test_only_an_owner_begins_and_only_roles_with_a_grant_charge(url: str) -> None:
    with pytest.raises(LedgerMissing, match="budget begin"):
        Ledger(url, total=ONE)
    with pytest.raises(LedgerError, match="granted"):
        Ledger(as_role(url, "ann"), total=ONE, begin=True)
    Ledger(url, total=ONE, begin=True)
    with pytest.raises(InvalidParameter, match="begun once"):
        Ledger(url, total=ONE, begin=True)
    with pytest.raises(LedgerError, match="leastnoise budget grant"):
        Ledger(as_role(url, "ann"))


CHANGES = [
    "UPDATE leastnoise.line SET text = ''",
    "DELETE FROM leastnoise.line",
    "TRUNCATE leastnoise.line",
    "UPDATE leastnoise.release SET content = '999999'",
    "DELETE FROM leastnoise.release",
    "TRUNCATE leastnoise.release",
    "UPDATE leastnoise.header SET text = ''",
    "DELETE FROM leastnoise.header",
    "TRUNCATE leastnoise.header",
    "UPDATE leastnoise.turn SET one = 1",
    "DELETE FROM leastnoise.turn",
    "TRUNCATE leastnoise.turn",
]


def test_lines_are_only_ever_added(url: str) -> None:
    ledger = Ledger(url, total=ONE, begin=True)
    PostgresStore(url).grant("ann")
    theirs = Ledger(as_role(url, "ann"))
    theirs.charge(CENT, purpose="x")
    theirs.cap("analyst", "ann", CENT)
    theirs.keep("abc", "a release")
    assert theirs.kept("abc") == "a release"
    for statement in CHANGES:
        with pytest.raises(psycopg.Error, match="append only"):
            done(url, statement)  # not even the owner, by accident
        with pytest.raises(psycopg.Error, match="append only"):
            done(url, "SET session_replication_role = replica", statement)
        with pytest.raises(psycopg.Error, match=r"permission denied|append only"):
            done(as_role(url, "ann"), statement)
    for statement in ("DROP TABLE leastnoise.line", "INSERT INTO leastnoise.header VALUES (1, '')"):
        with pytest.raises(psycopg.Error):
            done(as_role(url, "ann"), statement)
    assert len(ledger.history()) == 3


def test_changed_stores_are_refused(url: str) -> None:
    ledger = Ledger(url, total=ONE, begin=True)
    ledger.keep("abc", "a release")
    done(url, "ALTER TABLE leastnoise.release DISABLE TRIGGER stays",
         "UPDATE leastnoise.release SET content = '999999'")  # fmt: skip
    with pytest.raises(LedgerError, match="stored release"):
        ledger.kept("abc")


@pytest.mark.parametrize(
    "setting",
    [
        "default_transaction_isolation = 'repeatable read'",
        "default_transaction_isolation = 'serializable'",
        "default_transaction_read_only = on",
        "client_encoding = 'LATIN1'",
    ],
)
def test_a_roles_own_settings_do_not_matter(url: str, setting: str) -> None:
    """Under repeatable read nearly every charge failed that another one came before."""
    ledger = Ledger(url, total=ONE, begin=True)
    PostgresStore(url).grant("ann")
    done(url, f"ALTER ROLE ann SET {setting}")

    def charge(_: int) -> int:
        return Ledger(as_role(url, "ann")).charge(CENT, purpose="日本").number

    with ThreadPoolExecutor(6) as threads:
        assert sorted(threads.map(charge, range(24))) == list(range(1, 25))
    assert ledger.spent == PureDP(epsilon="0.24")


def test_a_roles_defaults_make_nobody_wait_for_others(url: str) -> None:
    """A transaction that is deferrable by default would wait for serializable ones to end."""
    Ledger(url, total=ONE, begin=True)
    PostgresStore(url).grant("ann")
    for setting in ("isolation = serializable", "read_only = on", "deferrable = on"):
        done(url, f"ALTER ROLE ann SET default_transaction_{setting}")
    try:
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE NOT DEFERRABLE")
            other.execute("CREATE TABLE not_ours (i integer)")
            done(url, "ALTER ROLE ann SET statement_timeout = '600s'")
            charged = Ledger(as_role(url, "ann")).charge(CENT, purpose="a table")
            other.execute("ROLLBACK")
    finally:
        done(url, "ALTER ROLE ann RESET ALL")
    assert charged.number == 1


def test_nobody_without_a_grant_can_hold_the_ledger(url: str) -> None:
    ledger = Ledger(url, total=ONE, begin=True)
    with psycopg.connect(as_role(url, "bob")) as stranger:
        stranger.execute("SELECT pg_advisory_lock(%s)", (0x6C6E6C65,))  # what it was once
        for statement in ("SELECT * FROM leastnoise.turn FOR UPDATE", "LOCK leastnoise.line"):
            with pytest.raises(psycopg.Error, match="permission denied"), stranger.transaction():
                stranger.execute(statement)
        assert ledger.charge(CENT, purpose="not held up").number == 1


def test_a_lock_that_does_not_end(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(url, total=ONE, begin=True)
    monkeypatch.setattr(postgres_store, "_PATIENCE", 1)
    with psycopg.connect(url) as other:
        other.execute("SELECT * FROM leastnoise.turn FOR UPDATE")
        with pytest.raises(LedgerError, match=r"held it for 1 seconds.*nothing was charged"):
            ledger.charge(CENT, purpose="waiting")
    assert ledger.charge(CENT, purpose="after it").number == 1


def test_policies_cannot_hide_lines(url: str) -> None:
    ledger = Ledger(url, total=ONE, begin=True)
    PostgresStore(url).grant("ann")
    ledger.charge(CENT, purpose="x")
    done(url, "ALTER TABLE leastnoise.line ENABLE ROW LEVEL SECURITY",
         "CREATE POLICY p ON leastnoise.line USING (number > 5)")  # fmt: skip
    with pytest.raises(LedgerError):
        Ledger(as_role(url, "ann"))


@pytest.mark.parametrize("table", ["header", "line", "release", "turn"])
def test_dropped_tables_do_not_come_back(url: str, table: str) -> None:
    Ledger(url, total=ONE, begin=True)
    done(url, f"DROP TABLE leastnoise.{table}")
    with pytest.raises(LedgerError, match="must all be in the schema"):
        Ledger(url).kept("abc")
    with pytest.raises((LedgerError, InvalidParameter)):
        Ledger(url, total=ONE, begin=True)


def old_ledger(url: str, schema: str) -> str:
    """As earlier versions made them, with one line; its seal."""
    header = Header.new(ONE, None, None, Scope(dataset="visits")).text.replace(
        "version 3", "version 2"
    )
    text = (
        '{"cost":{"epsilon":"1/2","kind":"pure"},"digest":"","event":"charge","labels":{},'
        '"number":1,"purpose":"old","time":"2026-01-01T00:00:00.000+00:00"}'
    )
    seal = linked(linked("", header), text)
    with psycopg.connect(url) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        connection.execute(f"SET search_path = {schema}")
        connection.execute("CREATE TABLE leastnoise_header (one INTEGER PRIMARY KEY, text TEXT)")
        connection.execute("CREATE TABLE leastnoise_line (number BIGINT, text TEXT, hash TEXT)")
        connection.execute("CREATE TABLE leastnoise_release (digest TEXT, content TEXT)")
        connection.execute("INSERT INTO leastnoise_header VALUES (1, %s)", (header,))
        connection.execute("INSERT INTO leastnoise_line VALUES (1, %s, %s)", (text, seal))
    return seal


@pytest.mark.parametrize("schema", ["public", "team_a"])
def test_ledgers_of_earlier_versions_are_moved_and_not_forgotten(url: str, schema: str) -> None:
    seal = old_ledger(url, schema)
    for begin in (False, True):
        with pytest.raises(LedgerError, match=f"leastnoise budget move postgresql://… {schema}"):
            Ledger(url, total=ONE, begin=begin)
    moved = run("budget", "move", url, schema)
    assert moved.status == 0, moved.errors
    assert seal in moved.output
    assert Ledger(url, seal=seal).remaining == PureDP(epsilon="0.5")
    assert "begun once" in run("budget", "move", url, schema).errors


def test_a_broken_ledger_is_not_moved(url: str) -> None:
    old_ledger(url, "public")
    done(url, "UPDATE leastnoise_line SET text = replace(text, '1/2', '1/9')")
    assert run("budget", "move", url, "public").status == 2
    assert done(url, "SELECT count(*) FROM pg_namespace WHERE nspname = 'leastnoise'") == [(0,)]
    assert done(url, "SELECT count(*) FROM leastnoise_line") == [(1,)]


def test_a_role_cannot_make_others_believe_that_less_was_spent(url: str) -> None:
    """A line with false totals that fit it: whoever opens the ledger adds up lines of others."""
    ledger = Ledger(url, total=ONE, begin=True)
    for role in ("ann", "bob"):
        PostgresStore(url).grant(role)
    Ledger(as_role(url, "bob")).charge(CENT, purpose="x")
    ledger.charge(PureDP(epsilon="0.9"), purpose="x")

    def forge(transaction: Any) -> None:
        header = Header.read(transaction.header())
        true = Seen.opened(header, transaction)
        false = replace(true, totals=Totals.begun(header))
        false.appended(transaction, Charge((CENT,), "x", {}, ""))

    PostgresStore(as_role(url, "ann")).locked(forge)
    for each in (url, as_role(url, "bob")):
        with pytest.raises(LedgerError, match="totals"):
            Ledger(each)
    with pytest.raises(LedgerError, match="totals"):
        ledger.charge(CENT, purpose="x")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE leastnoise.totals SET number = 1 WHERE who = 'bob'",
        "UPDATE leastnoise.totals SET who = 'bob' WHERE who = 'ann'",
        "UPDATE leastnoise.totals SET who = 'ann' WHERE who = 'bob'",
        "INSERT INTO leastnoise.totals VALUES ('tester', 9, '')",
        "DELETE FROM leastnoise.totals",
    ],
)
def test_a_role_writes_its_own_totals_alone(url: str, statement: str) -> None:
    Ledger(url, total=ONE, begin=True)
    for role in ("ann", "bob"):
        PostgresStore(url).grant(role)
    Ledger(as_role(url, "bob")).charge(CENT, purpose="x")
    if statement.startswith("UPDATE leastnoise.totals SET who = 'bob'"):
        Ledger(as_role(url, "ann")).charge(CENT, purpose="x")
    with pytest.raises(psycopg.Error, match=r"another role|permission denied"):
        done(as_role(url, "ann"), statement)


def test_lines_of_others_are_added_up_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leastnoise.ledger.seen._MANY", 5)
    Ledger(url, total=ONE, begin=True)
    PostgresStore(url).grant("ann")
    PostgresStore(url).grant("bob")
    theirs = Ledger(as_role(url, "ann"))
    for _ in range(6):
        theirs.charge(CENT, purpose="x")
    rows = "SELECT who, number FROM leastnoise.totals ORDER BY 1"
    assert done(url, rows) == [("ann", 6)]
    assert Ledger(as_role(url, "bob")).spent == PureDP(epsilon="0.06")
    assert done(url, rows) == [("ann", 6), ("bob", 6)]
    theirs.charge(CENT, purpose="x")
    assert Ledger(as_role(url, "bob")).spent == PureDP(epsilon="0.07")
    assert done(url, rows) == [("ann", 7), ("bob", 6)]


def test_whatever_a_line_vouches_for_others_add_up_what_it_cost(url: str) -> None:
    """Who goes on asks the last line for its totals; those before it are asked by `verify`."""
    ledger = Ledger(url, total=ONE, begin=True)
    ledger.charge(CENT, purpose="x")

    def forge(transaction: Any) -> None:
        true = ledger._seen
        event = Charge((CENT,), "x", {}, "")
        false, _ = replace(true, totals=Totals.begun(true.header)).appended(transaction, event)
        replace(false, totals=true.totals.after(event)).appended(transaction, event)

    PostgresStore(url).locked(forge)
    assert ledger.spent == PureDP(epsilon="0.03")
    with pytest.raises(LedgerError, match="totals"):
        ledger.verify()


def test_a_charge_is_three_messages_whatever_others_did(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One before its turn, and two while others wait: what is there, and what is added."""
    ledger, other = Ledger(url, total=ONE, begin=True), Ledger(url)
    for each in (ledger, other):
        each.charge(CENT, purpose="it has a connection")
    for _ in range(9):
        other.charge(CENT, purpose="x")
    sent: list[str] = []
    execute = psycopg.Cursor.execute

    def counted(self: Any, query: str, *arguments: Any, **options: Any) -> Any:
        sent.append(query)
        return execute(self, query, *arguments, **options)

    monkeypatch.setattr(psycopg.Cursor, "execute", counted)
    monkeypatch.setattr(psycopg, "connect", None)
    assert ledger.charge(CENT, purpose="x").number == 12
    assert len(sent) == 3
    assert [("FOR UPDATE" in each, "COMMIT" in each.split(";")[-1]) for each in sent] == [
        (False, False), (True, False), (False, True)
    ]  # fmt: skip


def test_the_commands_of_an_owner(url: str) -> None:
    begun = run("budget", "begin", url, "--epsilon", "1", "--unit", "person", "--grant", "ann")
    assert begun.status == 0, begun.errors
    assert "tester" not in begun.output  # a URL may hold more than a name
    Ledger(as_role(url, "ann")).charge(CENT, purpose="x")
    assert run("budget", "grant", url, "bob").status == 0
    Ledger(as_role(url, "bob")).charge(CENT, purpose="x")
    assert run("budget", "grant", url, "nobody; DROP SCHEMA leastnoise").status == 2
    assert len(Ledger(url).history()) == 2
