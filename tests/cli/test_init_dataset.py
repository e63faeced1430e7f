"""`leastnoise init --dataset` drafts a description from names and types, and tells its guesses."""

import json
from pathlib import Path

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.cli.guessed_keys import guessed_keys
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.schema import Schema
from leastnoise.release.dataset.dataset_schema import schema_text
from tests.cli.run import run
from tests.release.dataset.clinic import clinic_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    clinic_in(tmp_path)
    for name in ("patients", "visits"):
        pd.read_csv(tmp_path / f"{name}.csv").to_parquet(tmp_path / f"{name}.parquet")
    (tmp_path / "lab.csv").rename(tmp_path / "lab_results.csv")
    return tmp_path


def drafted(folder: Path, *names: str, more: tuple[str, ...] = ()) -> str:
    places = [folder / name for name in names]
    outcome = run("init", *places, "--dataset", folder / "new.toml", *more)
    assert outcome.status == 0, outcome.errors
    return outcome.output


def test_keys_are_guessed_by_names_and_told(folder: Path) -> None:
    told = drafted(folder, "visits.parquet", "patients.parquet", "lab_results.csv")
    assert "visits.patient_id refers to patients.id" in told
    assert "whose rows: patients.id" in told
    data = ln.dataset(folder / "new.toml")
    assert str(data.unit) == "patients.id"
    assert [len(data.way(name)) for name in ("patients", "visits", "lab_results")] == [0, 1, 2]
    assert data.schema("lab_results").columns[0] == ("visit_id", ColumnType.INTEGER)


def test_what_only_people_know_waits_for_them(folder: Path) -> None:
    told = drafted(folder, "visits.parquet", "patients.parquet", "cities.csv")
    assert "cities: say what leads to people, or that it is public" in told
    with pytest.raises(ln.InvalidParameter, match="'cities' with neither"):
        ln.dataset(folder / "new.toml")
    text = (folder / "new.toml").read_text()
    (folder / "new.toml").write_text(text.replace("# public = true", "public = true"))
    assert ln.dataset(folder / "new.toml").private == ("visits", "patients")
    assert "# columns.cost = {range = [0, 100]}" in text
    assert "Oslo" not in text  # nothing of the rows
    assert "columns.patient_id" not in text


def test_a_column_named_as_one_row_of_a_table_refers_to_it(folder: Path) -> None:
    for name in ("patients", "visits"):
        text = (folder / f"{name}.csv").read_text().replace("patient_id", "patient")
        (folder / f"{name}.csv").write_text(text)
    told = drafted(folder, "visits.csv", "patients.csv")
    assert "visits.patient refers to patients.id" in told


@pytest.mark.parametrize(("mark", "said"), [(";", "';'"), ("\t", r"$'\t'"), ("|", "'|'")])
def test_another_delimiter_is_noticed_by_the_header(tmp_path: Path, mark: str, said: str) -> None:
    (tmp_path / "v.csv").write_text(f"who{mark}cost\n1{mark}2,5\n")
    for more in ((), ("--dataset", tmp_path / "d.toml")):
        outcome = run("init", tmp_path / "v.csv", "--plan", tmp_path / "p.toml", *more)
        assert outcome.status == 2
        assert f"Write --delimiter {said}" in outcome.errors
    asked = ("init", tmp_path / "v.csv", "--plan", tmp_path / "p.toml", "--delimiter")
    assert run(*asked, ",").status == 0
    (tmp_path / "p.toml").unlink()
    assert run(*asked, mark).status == 0
    lines = (tmp_path / "p.toml").read_text().splitlines()
    ready = [line.removeprefix("# ") if line.startswith("# csv = ") else line for line in lines]
    ready = [line.replace("# unit =", 'unit = "who"') for line in ready]
    ready = [line.replace("# max_rows =", 'max_rows = "auto"') for line in ready]
    (tmp_path / "p.toml").write_text("\n".join(ready))
    assert run("preview", tmp_path / "p.toml").status == 0


def test_guesses_in_json(folder: Path) -> None:
    told = json.loads(drafted(folder, "visits.csv", "patients.csv", "cities.csv", more=("--json",)))
    assert told["unit"] == "patients.id"
    assert told["refers"] == {"visits.patient_id": "patients.id"}
    assert told["undecided"] == ["cities"]
    assert told["tables"]["cities"] == {"name": "text", "region": "text"}


def test_the_unit_may_be_said(folder: Path) -> None:
    drafted(folder, "visits.csv", more=("--unit", "visits.id"))
    assert str(ln.dataset(folder / "new.toml").unit) == "visits.id"
    outcome = run("init", folder / "visits.csv", "--dataset", folder / "o.toml", "--unit", "id")
    assert outcome.status == 2
    assert "a table and its column" in outcome.errors


def test_one_table_names_its_people(folder: Path) -> None:
    drafted(folder, "visits.csv")
    assert str(ln.dataset(folder / "new.toml").unit) == "visits.patient_id"


def test_several_tables_need_a_dataset(folder: Path) -> None:
    outcome = run("init", folder / "visits.csv", folder / "patients.csv")
    assert outcome.status == 2
    assert "--dataset clinic.toml" in outcome.errors
    twice = run("init", folder / "visits.csv", folder / "visits.parquet", "--dataset", "x.toml")
    assert "different names" in twice.errors


def test_a_file_is_never_written_over(folder: Path) -> None:
    drafted(folder, "visits.csv")
    outcome = run("init", folder / "visits.csv", "--dataset", folder / "new.toml")
    assert outcome.status == 2
    assert "must not exist yet" in outcome.errors


def test_odd_names_stay_toml(tmp_path: Path) -> None:
    (tmp_path / 'it\'s "x".csv').write_text('"a ""b""",id\n1,2\n')
    drafted(tmp_path, 'it\'s "x".csv', more=("--unit", 'it\'s "x".id'))
    assert ln.dataset(tmp_path / "new.toml").private == ('it\'s "x"',)


def test_tables_of_a_database(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    place = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(place)) as connection:
        connection.execute("CREATE TABLE people (id INTEGER)")
        connection.execute("CREATE TABLE stays (person_id INTEGER, people_id INTEGER)")
    drafted(tmp_path, "clinic.duckdb", more=("--table", "people", "--table", "stays"))
    data = ln.dataset(tmp_path / "new.toml")
    assert str(data.unit) == "people.id"
    assert data.schema("stays").names == ("person_id", "people_id")


def test_plural_names() -> None:
    kinds = [("id", ColumnType.INTEGER), ("city_no", ColumnType.INTEGER)]
    found = guessed_keys({"cities": Schema(kinds[:1]), "users": Schema(kinds)})
    assert found.refers == {("users", "city_no"): ("cities", "id")}
    assert found.unit == ("users", "id")


def test_the_schema_of_datasets_is_printed() -> None:
    assert run("schema", "dataset").output == schema_text()
    assert run("schema", "data").status == 2
