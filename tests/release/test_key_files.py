"""A file of keys is never one of the data, whatever it is called; and it has an end."""

import csv
import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.file import key_file
from leastnoise.release.file.key_file import keys_in_file
from leastnoise.release.file.plan_file import plan_file
from leastnoise.release.measure.local_files import files_of_data

PLAN = """
[data]
path = "{data}"
unit = "row"
{more}
[budget]
ledger = "budget.db"
spend = {{epsilon = 1}}
[[question]]
ask = "count"
by = "name"
keys_file = "{keys}"
"""
SECRET = "Ann Secret"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Rows in many places, and keys that are public."""
    for place in ("people.csv", "many/a.csv", "many/b.csv", "keys.csv"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        name = "Public" if place == "keys.csv" else SECRET
        (tmp_path / place).write_text(f"name\n{name}\n", "utf-8")
    with duckdb.connect(str(tmp_path / "people.duckdb")) as database:
        database.execute(f"CREATE TABLE people AS SELECT '{SECRET}' AS name")
        database.execute(f"COPY people TO '{tmp_path}/people.parquet'")
    return tmp_path


def asked(folder: Path, data: str, keys: str, more: str = "") -> str:
    found = plan_file(PLAN.format(data=data, keys=keys, more=more), folder)
    return repr(found.plan.questions)


def symlink(folder: Path) -> str:
    (folder / "link.csv").symlink_to("people.csv")
    return "link.csv"


def hard_link(folder: Path) -> str:
    os.link(folder / "people.csv", folder / "other.csv")
    return "other.csv"


def link_to_link(folder: Path) -> str:
    (folder / "one").symlink_to(symlink(folder))
    (folder / "two").symlink_to("one")
    return "two"


def through_a_folder(folder: Path) -> str:
    (folder / "elsewhere").symlink_to(".")
    return "elsewhere/people.csv"


WAYS: list[Callable[[Path], str]] = [
    lambda _: "people.csv",
    lambda _: "./people.csv",
    lambda _: "many/../people.csv",
    lambda folder: str(folder / "people.csv"),
    symlink,
    hard_link,
    link_to_link,
    through_a_folder,
]


@pytest.mark.parametrize("way", WAYS)
def test_no_name_of_the_data_is_a_file_of_keys(folder: Path, way: Callable[[Path], str]) -> None:
    with pytest.raises(InvalidParameter, match="must not be one of the data") as refused:
        asked(folder, "people.csv", way(folder))
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("data", "keys", "more"),
    [
        ("many", "many/b.csv", ""),
        ("many/*.csv", "many/b.csv", ""),
        ("./many/../many/?.csv", "many/a.csv", ""),
        ("people.duckdb", "people.duckdb", 'table = "people"'),
        ("people.parquet", "people.parquet", ""),
    ],
)
def test_folders_patterns_and_databases(folder: Path, data: str, keys: str, more: str) -> None:
    assert "Public" in asked(folder, data, "keys.csv", more)
    with pytest.raises(InvalidParameter, match="must not be one of the data"):
        asked(folder, data, keys, more)


def test_what_lies_in_a_folder_of_data_is_data(folder: Path) -> None:
    (folder / "many" / "old").mkdir()
    for name in ("notes.bak", "old/a.CSV"):
        (folder / "many" / name).write_text(f"name\n{SECRET}\n", "utf-8")
        with pytest.raises(InvalidParameter, match="must not be one of the data"):
            asked(folder, "many", f"many/{name}")


def test_addresses_of_data(folder: Path) -> None:
    place = folder / "people.csv"
    facts = place.stat().st_dev, place.stat().st_ino
    assert files_of_data(place.as_uri()) == {facts}
    assert files_of_data(f"file:{place}") == {facts}
    assert facts in files_of_data(folder)
    assert files_of_data("postgresql://host/people.csv") == set()
    (folder / "people.duckdb.wal").write_text("", "utf-8")
    assert len(files_of_data(folder / "people.duckdb")) == 2


def test_what_is_no_plain_file_is_refused_at_once(folder: Path) -> None:
    os.mkfifo(folder / "pipe.csv")
    for name in ("pipe.csv", "/dev/zero", "/dev/null", "many", "."):
        with pytest.raises(InvalidParameter, match=r"plain file|CSV file"):
            asked(folder, "people.csv", name)
    for name in ("none.csv", "people.csv/x", "a\\u0000b"):
        with pytest.raises(InvalidParameter, match="readable CSV file"):
            asked(folder, "people.csv", name)


def test_a_file_of_keys_has_an_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_file, "_MOST_LINES", 100)
    with (folder / "keys.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["name"], *([f"key {n}"] for n in range(100))])
    with pytest.raises(InvalidParameter, match="at most 100 lines"):
        asked(folder, "people.csv", "keys.csv")
    monkeypatch.setattr(key_file, "_MOST_LINES", 101)
    assert "key 99" in asked(folder, "people.csv", "keys.csv")
    with (folder / "keys.csv").open("ab") as file:
        file.truncate(1 << 27)  # zeros, of which no disk is filled
    with pytest.raises(InvalidParameter, match="at most 64 MiB"):
        asked(folder, "people.csv", "keys.csv")


def test_a_file_that_becomes_the_data_meanwhile(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is looked at and what is read is the same file, even if its name moves in between."""

    def swapped(data: str | Path) -> set[tuple[int, int]]:
        os.replace(folder / "many" / "a.csv", folder / "keys.csv")
        return files_of_data(data)

    monkeypatch.setattr(key_file, "files_of_data", swapped)
    found = keys_in_file(folder / "keys.csv", ["name"], [ColumnType.TEXT], data=folder / "many")
    assert found.rows == (("Public",),)
