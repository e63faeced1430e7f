"""Many chargers at once, kills at any moment, a full disk: nothing is overspent or lost."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from subprocess import PIPE

import pytest

from leastnoise.errors import LedgerError
from leastnoise.ledger import Ledger
from leastnoise.privacy import PureDP
from tests.ledger.postgres import server

CHARGER = Path(__file__).with_name("charger.py")
ROOT = Path(__file__).parent.parent.parent


def charger(place: str, count: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(CHARGER), place, str(count)], stdout=PIPE, text=True
    )


def compete(place: str, processes: int, each: int) -> None:
    """All of them together ask for more than there is."""
    ledger = Ledger(place, total=PureDP(epsilon="0.4"), begin=True)
    command = [sys.executable, "-m", "tests.ledger.crowd", place, str(processes), str(each)]
    printed = subprocess.run(command, stdout=PIPE, text=True, check=True, cwd=ROOT)
    numbers = json.loads(printed.stdout)["granted"]
    assert sorted(numbers) == list(range(1, 41))  # none lost, none twice
    assert ledger.spent == PureDP(epsilon="0.4")
    assert len(ledger.history()) == 40


def test_sixty_four_concurrent_chargers_never_overspend(tmp_path: Path) -> None:
    compete(str(tmp_path / "budget.db"), 64, 2)


def killed_once(place: Path, delay: float) -> list[int]:
    process = charger(str(place), 1000)
    time.sleep(delay)
    os.kill(process.pid, signal.SIGKILL)
    return [int(line) for line in process.communicate()[0].split() if line.isdigit()]


def survive_kills(place: Path, kills: int) -> None:
    ledger = Ledger(place, total=PureDP(epsilon=100), begin=True)
    chance, seen = random.Random(5), 0
    for _ in range(kills):
        told = killed_once(place, 0.3 + 0.3 * chance.random())
        entries = ledger.history()  # readable, and every hash in order
        # Whatever the dead process was told of is charged; at most one more may be.
        assert not told or len(entries) >= max(told)
        assert len(entries) - max([seen, *told]) <= 1
        seen = len(entries)
    assert ledger.spent == PureDP(epsilon=Fraction(seen, 100))


def test_kills_lose_nothing(tmp_path: Path) -> None:
    survive_kills(tmp_path / "budget.db", 4)


@pytest.mark.slow
def test_two_hundred_kills(tmp_path: Path) -> None:
    survive_kills(tmp_path / "budget.db", 200)


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    place = tmp_path / "budget.db"
    ledger = Ledger(place, total=PureDP(epsilon=1), begin=True)
    # /dev/full stands for a full disk: writes to it fail as they would there.
    with pytest.raises(LedgerError, match="SQLite"):
        Ledger("/dev/full", total=PureDP(epsilon=1), begin=True)
    place.unlink()
    place.mkdir()
    with pytest.raises(LedgerError):
        ledger.charge(PureDP(epsilon="0.1"), purpose="nowhere to write")


def test_postgres_without_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LedgerError, match=r"Install leastnoise\[postgres\]"):
        Ledger("postgresql://tester:secret@127.0.0.1/postgres")


def test_postgres_keeps_the_same_promises() -> None:
    with server() as url:
        if url is None:
            pytest.skip("no PostgreSQL server on this machine")
        compete(url, 64, 2)
        ledger = Ledger(url)
        assert "PostgresStore(…)" in repr(ledger)  # no password
        ledger.cap("analyst", "ann", PureDP(epsilon="0.1"))
        ledger.keep("abc", "text")
        assert ledger.kept("abc") == "text"
    with pytest.raises(LedgerError, match="reachable"):
        Ledger(url)  # the server is gone
