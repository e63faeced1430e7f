"""A ledger's server that goes away, threads that share a ledger, processes that share a source."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from leastnoise.errors import BudgetExceeded, LedgerError
from leastnoise.ledger import Ledger, postgres_store
from leastnoise.ledger.chain import Line
from leastnoise.ledger.postgres_store import _PostgresTransaction
from leastnoise.privacy import PureDP
from tests.ledger.postgres import server
from tests.run_python import run_python

CENT = PureDP(epsilon="0.01")


_CUT = "SELECT pg_terminate_backend(pg_backend_pid())"


@pytest.mark.parametrize("moment", ["before the line", "after the line", "after the turn"])
def test_a_connection_that_is_cut(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is there for good or was never there, and the ledger goes on."""
    append = _PostgresTransaction.append

    def cut(transaction: _PostgresTransaction, line: Line) -> None:
        if moment == "after the line":
            append(transaction, line)
            transaction.lines(line.number, 1)  # sends it to the server
        transaction.connection.execute(_CUT)

    with server() as url:
        if url is None:
            pytest.skip("no PostgreSQL server on this machine")
        ledger = Ledger(url, total=PureDP(epsilon=1), begin=True)
        ledger.charge(CENT, purpose="first")
        if moment == "after the turn":  # others go on from the line; nobody was told of it
            end = postgres_store._END.replace("COMMIT;", f"COMMIT; {_CUT};")
            monkeypatch.setattr(postgres_store, "_END", end)
        else:
            monkeypatch.setattr(_PostgresTransaction, "append", cut)
        with pytest.raises(LedgerError, match="reachable"):
            ledger.charge(CENT, purpose="cut")
        monkeypatch.undo()
        lines = 1 + (moment == "after the turn")
        assert len(Ledger(url).history()) == lines
        assert ledger.charge(CENT, purpose="next").number == lines + 1
    with pytest.raises(LedgerError, match="reachable"):
        ledger.charge(CENT, purpose="no server any more")


def test_a_dropped_table_is_no_empty_ledger() -> None:
    """Whoever lost the lines must not get the budget back."""
    with server() as url:
        if url is None:
            pytest.skip("no PostgreSQL server on this machine")
        import psycopg

        ledger = Ledger(url, total=PureDP(epsilon=1), begin=True)
        ledger.charge(CENT, purpose="first")
        with psycopg.connect(url) as connection:
            connection.execute("DROP TABLE leastnoise.line")
        with pytest.raises(LedgerError, match="tables must all be"):
            ledger.charge(CENT, purpose="second")


def test_threads_that_share_a_ledger(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db", total=PureDP(epsilon="0.3"), begin=True)

    def charge(_: int) -> int | None:
        try:
            return ledger.charge(CENT, purpose="one of many").number
        except BudgetExceeded:
            return None

    with ThreadPoolExecutor(8) as threads:
        numbers = list(threads.map(charge, range(40)))
    assert sorted(number for number in numbers if number) == list(range(1, 31))
    assert ledger.spent == PureDP(epsilon="0.3")


FORKS = """
    import json, os, threading
    from leastnoise.noise import DiscreteLaplace
    from leastnoise.randomness.source import default_source

    law, source = DiscreteLaplace(scale=10**12), default_source()
    law.sample(3)
    stop = threading.Event()
    busy = threading.Thread(target=lambda: [source.words(9) for _ in iter(stop.is_set, True)])
    busy.start()  # another thread may hold the source at the moment of the fork
    seen = []
    for _ in range(40):
        reading, writing = os.pipe()
        if not os.fork():
            os.write(writing, json.dumps(law.sample(4).tolist()).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as told:
            seen.append(json.load(told))
        os.wait()
        seen.append(law.sample(4).tolist())
    stop.set(), busy.join()
    print(json.dumps(seen))
"""


def test_forks_never_repeat_noise() -> None:
    """In the museum hangs a generator that does."""
    seen = json.loads(run_python(FORKS))
    draws = [draw for sample in seen for draw in sample]
    assert len(draws) == len(set(draws)) == 320
