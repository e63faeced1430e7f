"""The chain: whatever is changed in a ledger is noticed when it is opened, or by `verify`."""

import json
import random
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.meters import Price, Total
from leastnoise.ledger.records import Attempt, Charge, Header, Line, Stored, canonical, digest
from leastnoise.numbers.errors import LedgerError
from tests.ledger.charges import TOTALS, a_ledger, charge, rows, unlocked

TIME = "2026-11-18T19:40:00+00:00"
TOTAL = Total.of(Fraction(6), Fraction(1, 10**6))


def noticed(path: Path) -> str:
    """What opening and `verify` say; nothing if they see no damage."""
    try:
        Ledger(path).verify()
    except LedgerError as error:
        assert len(str(error)) < 400 and error.__suppress_context__ is (
            error.__context__ is not None
        )
        return str(error)
    return ""


@pytest.mark.parametrize(
    "total",
    [
        TOTAL,
        Total.of(Fraction(1, 3), Fraction(0)),
        Total.of_rho(Fraction(1, 7), Fraction(1, 10**9)),
    ],
)
def test_a_header_says_what_it_was_made_of(total: Total) -> None:
    header = Header("person", total, TIME)
    assert Header.read(header.text()) == header


@pytest.mark.parametrize(
    "record",
    [
        charge(Price.pure(Fraction(1, 3)), 'é ☃ " \\ \n'),
        charge(Price(None, Fraction(1, 7), Fraction(1, 14), Fraction(1, 10**9))),
        Attempt(7),
        Attempt(7, "2013-03-01"),
        Stored(7, "totals", "ab"),
    ],
)
def test_a_line_says_what_it_was_made_of(record: Charge | Attempt | Stored) -> None:
    line = Line.write(record, 5, TIME, "before")
    assert line.read("before") == (record, TIME)
    assert json.loads(line.text)["number"] == line.number == 5
    with pytest.raises(LedgerError, match="Line 5"):
        line.read("after")


def test_equal_requests_have_equal_texts_and_no_others() -> None:
    assert canonical({"b": [1, None], "a": "é"}) == '{"a":"é","b":[1,null]}'
    assert len({digest("ab"), digest("b", "a"), digest("ab", "")}) == 2


def other(text: str) -> Iterable[str]:
    """The text with one character changed, at every place."""
    return (text[:at] + chr(ord(each) ^ 1) + text[at + 1 :] for at, each in enumerate(text))


@pytest.mark.parametrize(
    ("table", "column", "key"),
    [("header", "text", "one"), ("line", "text", "number"), ("line", "hash", "number"),
     ("stage", "content", "charge || name"), ("stage", "name", "charge || content")],
)  # fmt: skip
def test_every_changed_character_is_noticed(
    tmp_path: Path, table: str, column: str, key: str
) -> None:
    path = tmp_path / "x.ledger"
    a_ledger(path)
    with unlocked(path) as connection:
        found = connection.execute(f"SELECT {key}, {column} FROM {table}").fetchall()
        assert found
        for number, text in found:
            for changed in other(text):
                change = f"UPDATE {table} SET {column} = ? WHERE {key} = ?"
                connection.execute(change, (changed, number))
                assert noticed(path), (changed, text)
            connection.execute(change, (text, number))
            assert not noticed(path)


def test_a_changed_byte_of_the_file_is_noticed_or_changes_nothing(tmp_path: Path) -> None:
    """Some bytes of a SQLite file mean nothing; 400 of all places, by a fixed choice."""
    path, before = tmp_path / "x.ledger", rows(a_ledger(tmp_path / "x.ledger").path)
    whole = path.read_bytes()
    seen = 0
    for place in random.Random(1).sample(range(len(whole)), 400):
        other_byte = whole[place] ^ (1 if place % 2 else 255)
        path.write_bytes(whole[:place] + bytes([other_byte]) + whole[place + 1 :])
        if noticed(path):
            seen += 1
        else:
            assert rows(path) == before
    assert seen > 20
    path.write_bytes(whole)
    assert not noticed(path)


DAMAGE = {
    "the header is removed": "DELETE FROM header",
    "another total": "UPDATE header SET text = replace(text, '\"6\"', '\"60\"')",
    "another unit": "UPDATE header SET text = replace(text, 'person', 'visit')",
    **{f"line {n} is removed": f"DELETE FROM line WHERE number = {n}" for n in range(1, 7)},
    "a line is removed and the others move up": (
        "DELETE FROM line WHERE number = 4; UPDATE line SET number = 4 WHERE number = 5;"
        "UPDATE line SET number = 5 WHERE number = 6"
    ),
    "two texts are swapped": (
        "UPDATE line SET text = (SELECT text FROM line l WHERE l.number = 5 - line.number) "
        "WHERE number IN (1, 4)"
    ),
    "two lines are swapped": (
        "UPDATE line SET number = 99 WHERE number = 1; UPDATE line SET number = 1 WHERE number = 3;"
        "UPDATE line SET number = 3 WHERE number = 99"
    ),
    "the first line once more": "INSERT INTO line SELECT 7, text, hash FROM line WHERE number = 1",
    "the last line once more": "INSERT INTO line SELECT 7, text, hash FROM line WHERE number = 6",
    "a line of nothing": "INSERT INTO line VALUES (7, '', '')",
    "a stage is removed": "DELETE FROM stage WHERE charge = 2 AND name = 'totals'",
    "a stage has other totals": "UPDATE stage SET content = '[11,13]' WHERE charge = 1",
    "two stages are swapped": (
        "UPDATE stage SET name = 'x' WHERE name = 'answer';"
        "UPDATE stage SET name = 'answer' WHERE charge = 2 AND name = 'totals';"
        "UPDATE stage SET name = 'totals' WHERE name = 'x'"
    ),
    "a stage belongs to another charge": "UPDATE stage SET charge = 1 WHERE name = 'answer'",
    "a stage that nobody stored": "INSERT INTO stage VALUES (1, 'answer', 'forged')",
    "bytes that are no text": "UPDATE line SET text = CAST(X'53454352ff' AS TEXT) WHERE number = 2",
    "a stage that is no text": "UPDATE stage SET content = CAST(X'53454352ff' AS TEXT)",
    "a line that is no text": "UPDATE line SET text = X'00ff' WHERE number = 2",
    "no stages": "DROP TABLE stage",
    "no lines": "DROP TABLE line",
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_noticed(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "x.ledger"
    a_ledger(path)
    with unlocked(path) as connection:
        for statement in DAMAGE[damage].split(";"):
            assert connection.execute(statement).rowcount != 0
    said = noticed(path)
    assert said and "SECR" not in said and "[11" not in said


FOREIGN = ["{", "[]", "null", '"x"', "1", "[" * 100_000, '{"format":2}', '{"format":1,"unit":"p"}',
           '{"format":3}', '{"format":"2"}', '{"epsilon":"6"}',
           Header("p", TOTAL, TIME).text().replace('"6"', '"six"'),
           Header("p", TOTAL, TIME).text().replace('"6"', '"6/0"'),
           Header("p", TOTAL, TIME).text().replace('"6"', '"-6"'),
           Header("p", TOTAL, TIME).text().replace('"6"', "[]")]  # fmt: skip


@pytest.mark.parametrize("text", FOREIGN)
def test_a_header_that_nobody_here_wrote_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.ledger"
    Ledger.create(path, **TOTALS)
    with unlocked(path) as connection:
        connection.execute("UPDATE header SET text = ?", (text,))
    assert noticed(path)


GOOD = charge(Price.pure(Fraction(1, 7)), "q").body() | {"number": 7, "time": TIME}
CHANGES: list[dict[str, Any]] = [
    {"kind": "gift"}, {"kind": None}, {"kind": ["charge"]}, {"number": 8}, {"number": "7"},
    {"price": None}, {"price": []}, {"price": {}}, {"price": {"epsilon": "1"}},
    {"price": GOOD["price"] | {"gift": "1"}}, {"price": GOOD["price"] | {"rho": "1/0"}},
    {"price": GOOD["price"] | {"rho": "much"}}, {"price": GOOD["price"] | {"rho": None}},
    {"price": GOOD["price"] | {"rho": []}}, {"price": GOOD["price"] | {"delta": "-1"}},
    {"price": GOOD["price"] | {"epsilon": "-1"}}, {"price": GOOD["price"] | {"squared_mu": "-1"}},
    {"kind": "attempt", "charge": 99}, {"kind": "attempt", "charge": 0},
    {"kind": "attempt", "charge": "x"}, {"kind": "attempt"},
    {"kind": "stored", "charge": 99, "stage": "s", "digest": "d"},
    {"kind": "stored", "charge": 1, "digest": "d"}, {"kind": "stored", "charge": 1, "stage": "s"},
]  # fmt: skip
STRANGE = [
    "", "{", "[]", "null", "7", '"x"', "[" * 100_000, "{}",
    *(canonical({name: value for name, value in GOOD.items() if name != left_out}) for left_out in GOOD),
    *(canonical(GOOD | changed) for changed in CHANGES),
]  # fmt: skip


@pytest.mark.parametrize("text", STRANGE)
def test_a_line_that_nobody_here_wrote_is_refused_even_with_its_hash(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "x.ledger"
    ledger = a_ledger(path)
    line, meters = Line(7, text, digest(text, ledger.store.head)), ledger.store.meters
    with unlocked(path) as connection:
        connection.execute("INSERT INTO line VALUES (?, ?, ?)", (7, line.text, line.hash))
    assert "Line 7" in noticed(path)
    with pytest.raises(LedgerError, match="Line 7"):
        ledger.store.refresh()
    assert (ledger.store.last, ledger.store.meters) == (6, meters)


def test_a_gap_is_noticed(tmp_path: Path) -> None:
    ledger = a_ledger(tmp_path / "x.ledger")
    line = Line.write(charge(), 8, TIME, ledger.store.head)
    with unlocked(ledger.path) as connection:
        connection.execute("INSERT INTO line VALUES (?, ?, ?)", (8, line.text, line.hash))
    assert noticed(ledger.path) == "Line 7 of the ledger is missing."


def test_charges_beyond_the_total_are_noticed_by_verify(tmp_path: Path) -> None:
    """Lines that are bound correctly, but that no ledger would have granted."""
    ledger = a_ledger(tmp_path / "x.ledger")
    line = Line.write(charge(Price.gaussian(Fraction(2))), 7, TIME, ledger.store.head)
    with unlocked(ledger.path) as connection:
        connection.execute("INSERT INTO line VALUES (?, ?, ?)", (7, line.text, line.hash))
    assert noticed(ledger.path) == "The ledger was charged more than its total."
