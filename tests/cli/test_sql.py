"""`leastnoise sql`: statements from a shell."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.run import run
from tests.release.dataset.clinic import clinic_in

COUNT = "SELECT city, COUNT(*) AS n, AVG(cost) FROM visits WHERE cost >= 1 GROUP BY city"


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    return clinic_in(tmp_path)


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    path = tmp_path / "visits.parquet"
    pd.DataFrame(
        {"patient_id": [i // 2 for i in range(400)], "city": ["Oslo", "Bergen"] * 200}
    ).to_parquet(path)
    return path


def begun(folder: Path) -> Path:
    place = folder / "b.db"
    assert run("budget", "begin", place, "--epsilon", "3", "--delta", "1e-6").status == 0
    return place


def test_a_preview_is_the_default_and_charges_nothing(clinic: Path) -> None:
    shown = run("sql", clinic, COUNT)
    assert shown.status == 0, shown.errors
    assert "AVG(cost)" in shown.output
    assert not (clinic.parent / "budget.db").exists()
    told = json.loads(run("sql", clinic, COUNT, "--json", "--epsilon", "2").output)
    assert told["spend"] == "PureDP(epsilon=2)"
    assert [each["question"] for each in told["questions"]] == ["n", "AVG(cost)"]
    assert told["notes"]


def test_one_file_needs_no_dataset(visits: Path) -> None:
    asked = "SELECT COUNT(*) FROM visits WHERE city = 'Oslo'"
    plain = run("sql", visits, "--unit", "patient_id", asked, "--epsilon", "1", "--max-rows", "2")
    assert plain.status == 0, plain.errors
    rows = run("sql", visits, "--unit", "row", asked, "--epsilon", "1")
    assert rows.status == 0, rows.errors
    without = run("sql", visits, asked, "--epsilon", "1")
    assert without.status == 2
    assert "--unit must say whose rows" in without.errors


def test_bounds_may_be_chosen_from_the_data(visits: Path) -> None:
    asked = ("sql", visits, "SELECT COUNT(*) FROM visits", "--unit", "patient_id", "--epsilon", "1")
    chosen = run(*asked, "--max-rows", "auto")
    assert chosen.status == 0, chosen.errors
    assert "max_rows is chosen from the data" in chosen.said
    assert "e+" not in chosen.said
    for wrong in ("Auto", "2.5", "9" * 5000, "-1"):
        refused = run(*asked, "--max-rows", wrong)
        assert refused.status == 2
        assert "--max-rows must be a whole number of at most 18 digits, or auto" in refused.errors


def test_one_text_file_may_have_another_delimiter(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("who;city\n1;Oslo\n")
    start = ("sql", str(tmp_path / "v.csv"), "SELECT COUNT(*) FROM v", "--unit", "who")
    asked = (*start, "--max-rows", "2", "--epsilon", "1")
    refused = run(*asked)
    assert refused.status == 2
    assert "Write --delimiter ';'" in refused.errors
    assert run(*asked, "--delimiter", ";").status == 0


def test_a_release_charges_and_shows(visits: Path, tmp_path: Path) -> None:
    place = begun(tmp_path)
    asked = "SELECT city, COUNT(*) n FROM visits GROUP BY city ORDER BY n DESC"
    options = ["--epsilon", "1", "--delta", "1e-7", "--max-rows", "2", "--max-groups", "2"]
    options += ["--unit", "patient_id", "--ledger", str(place), "--release"]
    made = run("sql", visits, asked, *options, "--json", "--output", tmp_path / "r.csv")
    assert made.status == 0, made.errors
    told = json.loads(made.output)
    assert told["columns"] == ["city", "n"]
    assert {row[0] for row in told["rows"]} == {"Oslo", "Bergen"}
    assert len(told["release"]["tables"]) == 1
    assert (tmp_path / "r.csv").read_text().splitlines()[0] == "city,n,n_lower,n_upper"
    assert len(json.loads(run("budget", place, "--json").output)["lines"]) == 1
    again = run("sql", visits, asked, *options)
    assert "already released: line 1 of" in " ".join(again.errors.split())
    assert "line 2 of the ledger" in again.output
    assert "few units are not shown" in again.output
    for _ in range(2):
        last = run("sql", visits, asked, *options)
    assert last.status == 1
    assert "no more than remains" in last.errors
    dry = run("sql", visits, asked, *options[:-1])
    assert dry.status == 1
    assert "This plan does not fit: it needs ε = 1" in dry.said


def test_a_file_that_cannot_be_written_is_refused_before_the_charge(
    visits: Path, tmp_path: Path
) -> None:
    place = begun(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "old.csv").write_text("city,n\n")
    asked = ("sql", visits, "SELECT COUNT(*) FROM visits", "--unit", "row", "--epsilon", "1")
    for name, words in {
        "folder": "must not exist yet; got a folder; nothing was charged",
        "old.csv": "must not exist yet; got a file; nothing was charged",
        "none/r.csv": "must be writable; got no such file or directory",
        "r.xlsx": "as CSV or as JSON; nothing was charged; got --output",
    }.items():
        made = run(*asked, "--ledger", place, "--release", "--output", tmp_path / name)
        assert made.status == 2
        assert words in made.errors
    assert not json.loads(run("budget", place, "--json").output)["lines"]
    assert (tmp_path / "old.csv").read_text() == "city,n\n"


def test_what_cannot_be_written_is_printed(
    visits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    place = begun(tmp_path)
    monkeypatch.setattr("leastnoise.cli.sql.write_text", full)
    made = run(
        "sql", visits, "SELECT COUNT(*) FROM visits", "--unit", "row", "--epsilon", "1",
        "--ledger", place, "--release", "--output", tmp_path / "r.csv",
    )  # fmt: skip
    assert made.status == 3
    assert "was charged" in made.errors
    assert "COUNT(*)" in made.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["SELECT MAX(cost) FROM visits", "--epsilon", "1"], "line 1, column 8"),
        ([COUNT, "--delta", "1e-8"], "--delta stands beside --epsilon"),
        ([COUNT, "--unit", "x"], "says itself whose rows"),
        ([COUNT, "--label", "x"], "a label must be"),
        (["SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*) FROM visits",
          "--epsilon", "2"], "must be said once"),
    ],
)  # fmt: skip
def test_mistakes_charge_nothing(clinic: Path, options: list[str], words: str) -> None:
    found = run("sql", clinic, *options, "--release", "--ledger", begun(clinic.parent))
    assert found.status == 2
    assert words in found.errors
    assert not json.loads(run("budget", clinic.parent / "b.db", "--json").output)["lines"]


def test_a_release_needs_a_ledger(visits: Path) -> None:
    found = run("sql", visits, COUNT.replace("cost", "patient_id"), "--unit", "row", "--release")
    assert found.status == 2


def test_the_ledger_of_a_dataset_is_begun_once_and_charged(clinic: Path) -> None:
    refused = run("sql", clinic, COUNT, "--release")
    assert refused.status == 2
    assert "leastnoise budget begin" in refused.errors
    began = run("budget", "begin", clinic, "--epsilon", "3", "--delta", "1e-6")
    assert began.status == 0, began.errors
    assert "unit patients.id" in began.said
    made = run("sql", clinic, COUNT, "--release")
    assert made.status == 0, made.errors
    assert "line 1 of the ledger" in made.output
    assert "bounds left out; the noise alone is" in made.said  # beside what SQL would not say
    assert run("budget", "begin", clinic, "--epsilon", "3").status == 2
    assert len(json.loads(run("budget", clinic, "--json").output)["lines"]) == 1


def test_a_plan_that_names_its_dataset_at_the_wrong_place_is_a_plan(clinic: Path) -> None:
    path = clinic.parent / "p.toml"
    path.write_text(f'dataset = "{clinic.name}"\n[[question]]\nask = "count"\n')
    refused = run("preview", path)
    assert refused.status == 2
    assert "which describes a dataset" not in refused.errors
    assert "It belongs in [data]" in refused.errors


def test_a_dataset_is_no_plan(clinic: Path) -> None:
    for command in ("preview", "inspect", "release"):
        refused = run(command, clinic)
        assert refused.status == 2
        assert f'[data] dataset = "{clinic.name}"' in refused.errors


def test_ends_of_intervals_have_no_more_digits_than_they_warrant(
    clinic: Path, tmp_path: Path
) -> None:
    """Rounded outward: what the release says lies inside."""
    asked = "SELECT COUNT(*) AS n, AVG(cost) AS mean FROM visits"
    place = begun(tmp_path)
    made = run("sql", clinic, asked, "--epsilon", "1", "--release", "--ledger", place, "--json")
    assert made.status == 0, made.errors
    told = json.loads(made.output)
    ((whole, mean),) = told["intervals_95"]
    assert all(isinstance(end, int) for end in whole)
    for ends, table in zip((whole, mean), told["release"]["tables"], strict=True):
        assert ends[0] <= table["lower"][0]
        assert ends[1] >= table["upper"][0]
        assert max(len(str(end)) for end in ends) <= 12, ends
