"""What no other test noticed when it was changed: `make mutants`."""

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from leastnoise.errors import InvalidParameter, LedgerError
from leastnoise.ledger import Ledger, postgres_schema
from leastnoise.ledger.chain import canonical
from leastnoise.ledger.entry import Charge, Entry, event_text
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.store import Kind, Transaction
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


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_line_from_which_the_chain_does_not_lead_here_pays_for_nothing(
    tmp_path: Path, number: int
) -> None:
    """An index may be damaged, and show a line that is not the one of its number in the chain."""
    ledger = Ledger(tmp_path / "budget.db", total=PureDP(epsilon=10), begin=True)
    made = [ledger.charge(PureDP(epsilon=1), purpose="") for _ in range(2)]
    good = [each for each in made if each.number == number]
    beside = Entry(number, made[0].time, made[0].event, seal="0" * 64)

    def work(seen: Seen, transaction: Transaction) -> tuple[Seen, None]:
        for entry in good:
            seen.refuse_astray(entry, transaction)
        with pytest.raises(LedgerError, match="lines must follow"):
            seen.refuse_astray(beside, transaction)
        return seen, None

    ledger._looking(work)


class Told:
    """A connection that keeps what it is told, as a server would do it."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def execute(self, statement: str) -> None:
        self.said.append(statement)


def test_a_ledger_on_a_server_is_made_with_the_indexes_its_lines_are_found_by() -> None:
    server = Told()
    postgres_schema.create(server)
    assert server.said[0] == "CREATE SCHEMA leastnoise"
    made = [each for each in server.said if each.startswith("CREATE INDEX")]
    kinds: tuple[Kind, ...] = "answers", "plan"
    for kind in kinds:
        (index,) = (each for each in made if f"line_by_{kind} " in each)
        assert postgres_schema.FOUND_BY[kind] in index
    assert "hash text NOT NULL UNIQUE" in "".join(server.said)  # by which seals are found
