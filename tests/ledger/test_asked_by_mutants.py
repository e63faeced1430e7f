"""What no other test noticed when it was changed: `make mutants`."""

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.ledger import Ledger
from leastnoise.ledger.chain import canonical
from leastnoise.ledger.entry import Charge, event_text
from leastnoise.privacy.guarantee import ApproxDP, PureDP


def test_two_ledgers_of_one_file_see_each_others_charges(tmp_path: Path) -> None:
    """Each remembers the lines it knows, and reads all that came after."""
    place, cost = tmp_path / "budget.db", PureDP(epsilon=1)
    one, two = Ledger(place, total=PureDP(epsilon=10), begin=True), Ledger(place)
    one.charge(cost, purpose="a")
    two.charge(cost, purpose="b")
    two.charge(cost, purpose="c")
    entry = one.charge(cost, purpose="d")
    assert entry.number == 4
    purposes = [each.event.purpose for each in one.history() if isinstance(each.event, Charge)]
    assert purposes == ["a", "b", "c", "d"]
    assert one.spent == two.spent == PureDP(epsilon=4)


def test_lines_are_written_as_they_always_were() -> None:
    """Hashes are taken of the text: another way to write it would break every ledger there is."""
    assert canonical({"b": "é", "a": [1]}) == '{"a":[1],"b":"é"}'
    one = event_text(Charge((PureDP(epsilon=1),), "", {}, ""))
    assert isinstance(one["cost"], dict)
    two = event_text(Charge((PureDP(epsilon=1), PureDP(epsilon=2)), "", {}, ""))
    assert isinstance(two["cost"], list)


def test_a_ledger_is_the_file_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Ledger(tmp_path / "budget.db", total=PureDP(epsilon=1), begin=True)
    assert os.listdir(tmp_path) == ["budget.db"]


def test_sqlite_is_told_that_an_address_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some are built to guess it, and others would make a file of that name."""
    real, told = sqlite3.connect, set[object]()

    def heard(*arguments: Any, **options: Any) -> sqlite3.Connection:
        told.add(options["uri"])
        return real(*arguments, **options)  # type: ignore[no-any-return]

    monkeypatch.setattr(sqlite3, "connect", heard)
    Ledger(tmp_path / "budget.db", total=PureDP(epsilon=1), begin=True)
    assert told == {True}


def test_charges_survive_a_loss_of_power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite must be told to sync the folder as well, in every transaction that writes."""
    said: list[str] = []
    real = sqlite3.connect

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = real(*arguments, **options)
        connection.set_trace_callback(said.append)
        return connection

    ledger = Ledger(tmp_path / "budget.db", total=PureDP(epsilon=1), begin=True)
    monkeypatch.setattr(sqlite3, "connect", traced)
    ledger.charge(PureDP(epsilon="0.5"), purpose="")
    begun = next(place for place, text in enumerate(said) if text.startswith("BEGIN"))
    assert "PRAGMA synchronous=EXTRA" in said[:begun]


def test_addresses_of_other_servers_are_named_without_their_secrets() -> None:
    with pytest.raises(InvalidParameter) as refused:
        Ledger("mysql://ann:word@host/db")
    assert "mysql://…" in str(refused.value)
    assert "word" not in str(refused.value)


def test_a_cap_of_the_same_kind_adds_up_as_the_total_does(tmp_path: Path) -> None:
    total = ApproxDP(epsilon=3, delta="1e-6")
    ledger = Ledger(tmp_path / "budget.db", total=total, mode="approximate", begin=True)
    ledger.cap("analyst", "ann", ApproxDP(epsilon=1, delta="1e-7"))
    assert [len(balance.remaining) for balance in ledger.balances] == [1, 1]
