"""A server that crashes before its log is on the disk: nothing is lost that anybody was told."""

import os
import signal
from collections.abc import Iterator
from time import sleep

import pytest

from leastnoise.ledger import Ledger, postgres_store
from leastnoise.ledger.entry import Charge
from leastnoise.privacy import PureDP
from tests.ledger.postgres import server

psycopg = pytest.importorskip("psycopg")
CENT = PureDP(epsilon="0.01")
_WITHOUT_DISK = "SET LOCAL synchronous_commit = off; COMMIT"


@pytest.fixture
def url() -> Iterator[str]:
    with server() as found:
        if found is None:
            pytest.skip("no PostgreSQL server on this machine")
        with psycopg.connect(found, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET autovacuum = off")
            connection.execute("SELECT pg_reload_conf()")
        yield found


def idle_writer(url: str) -> int:
    """Stops the process that would write the log to the disk by and by, once it is there."""
    query = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'"
    with psycopg.connect(url, autocommit=True) as connection:
        while (found := connection.execute(query).fetchone()) is None:
            sleep(0.05)
    os.kill(found[0], signal.SIGSTOP)
    return int(found[0])


def crash(url: str, writer: int) -> None:
    """Ends every process of the server at once, with what they had in memory; it starts again."""
    with psycopg.connect(url) as before:
        os.kill(writer, signal.SIGKILL)
        while True:
            try:
                before.execute("SELECT 1")
            except psycopg.OperationalError:
                break
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            sleep(0.05)
        else:
            return


def purposes(url: str) -> list[str]:
    events = (entry.event for entry in Ledger(url).history())
    return [event.purpose for event in events if isinstance(event, Charge)]


def test_what_anybody_was_told_outlives_a_crash(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Charges take turns before the disk has them; who wrote or read one waits for the disk."""
    ledger = Ledger(url, total=PureDP(epsilon=1), begin=True)
    writer = idle_writer(url)
    assert ledger.charge(CENT, purpose="told").number == 1
    with monkeypatch.context() as patch:  # a program that dies as soon as others have their turn
        patch.setattr(postgres_store, "_END", _WITHOUT_DISK)
        Ledger(url).charge(CENT, purpose="untold")
    crash(url, writer)
    assert purposes(url) == ["told"]

    writer = idle_writer(url)
    with monkeypatch.context() as patch:
        patch.setattr(postgres_store, "_END", _WITHOUT_DISK)
        Ledger(url).charge(CENT, purpose="read by another")
    assert ledger.number == 2
    crash(url, writer)
    assert purposes(url) == ["told", "read by another"]
    assert ledger.charge(CENT, purpose="later").number == 3
