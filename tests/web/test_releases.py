"""From a described file to published tables, as the page does it, without a browser."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.release.file.anchor import ANCHOR
from leastnoise.release.result.plan_release import PlanRelease
from tests.web.client import TOKEN, Client, client_of
from tests.web.visits import CITIES, SECRET, plan, write_visits


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("visits")
    write_visits(folder)
    with client_of(folder) as opened:
        yield opened


@pytest.fixture
def visits(shared: Client) -> Client:
    (shared.folder / "budget.db").unlink(missing_ok=True)
    return shared


def released(client: Client, said: dict[str, object]) -> dict[str, Any]:
    ticket = client.ask("preview", **said)["ticket"]
    return client.ask("release", ticket=ticket, confirmed=True)


def test_columns_are_names_and_types_alone(visits: Client) -> None:
    found = visits.ask("columns", path="visits.csv", types={"age": "integer"})
    names = {each["name"]: each["type"] for each in found["columns"]}
    assert names["age"] == "integer"
    assert names["city"] == "text"
    assert set(found) == {"columns", "unit"}
    assert all(set(each) == {"name", "type", "guess", "id"} for each in found["columns"])


def test_guesses_are_made_from_names_alone(visits: Client) -> None:
    """The same names with other values are guessed alike, be they text in every row."""
    head = "patient_id,city,age,cost,smoker\n"
    (visits.folder / "words.csv").write_text(head + f"{SECRET},no number,old,dear,maybe\n", "utf-8")
    found = visits.ask("columns", path="words.csv")
    assert found == visits.ask("columns", path="visits.csv")
    guesses = {each["name"]: each["guess"] for each in found["columns"]}
    assert guesses == {"patient_id": "text", "city": "text", "age": "integer", "cost": "number",
                       "smoker": "truth"}  # fmt: skip
    assert found["unit"] == "patient_id"
    assert [each["name"] for each in found["columns"] if each["id"]] == ["patient_id"]
    (visits.folder / "plain.csv").write_text("a,b\n1,2\n", "utf-8")
    assert visits.ask("columns", path="plain.csv")["unit"] is None


def test_files_are_listed_by_name(visits: Client) -> None:
    for name in ("notes.txt", ".hidden.csv", "b.parquet", "budget.sqlite"):
        (visits.folder / name).write_text(SECRET, "utf-8")
    found = [each["name"] for each in visits.ask("files")["files"]]
    assert {"visits.csv", "b.parquet"} <= set(found)
    assert not {"notes.txt", ".hidden.csv", "budget.sqlite"} & set(found)


def test_invented_data_go_with_the_page(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        made = client.ask("demo")
        names = [each["name"] for each in client.ask("columns", path=made["path"])["columns"]]
        again = client.ask("demo")
        assert Path(made["path"]).is_file()
    assert names == ["patient_id", "city", "complaint", "age", "cost", "is_smoker"]
    assert again == made
    assert not Path(made["path"]).parent.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_new_ledger_that_would_be_too_small_is_told_before(visits: Client) -> None:
    budget = {"ledger": "budget.db", "spend": {"epsilon": "9"}, "total": {"epsilon": "3"}}
    found = visits.ask("preview", **plan(budget=budget | {"purpose": "too much"}))
    assert "This plan does not fit: it needs ε = 9" in found["ledger"]["refused"]["rule"]
    assert "ticket" not in found


def test_sums_add_up_and_an_earlier_release_is_told(visits: Client) -> None:
    first = visits.ask("preview", **plan())["ledger"]
    assert first["sums"] == ["ε: 3 total − 0 spent − 1 now = 2 left"]
    assert first["parts"] == [0, pytest.approx(1 / 3)]
    assert first["earlier"] == ""
    released(visits, plan())
    second = visits.ask("preview", **plan())["ledger"]
    assert second["sums"] == ["ε: 3 total − 1 spent − 1 now = 1 left"]
    assert "This plan was already released: line 1" in second["earlier"]
    (latest, *_) = visits.ask("made")["releases"]
    assert latest["tables"] == ["units by city", "mean of age"]
    assert (latest["price"], latest["line"]) == ("ε = 1", 1)


def test_no_bounds_are_filled_in(visits: Client) -> None:
    parts = visits.ask("kinds")["parts"]
    for name in ("lower", "upper", "other_lower", "on_upper", "most_weight"):
        assert "start" not in parts[name]
        assert parts[name]["example"]
    assert parts["parts"]["start"] == "10"


@pytest.mark.parametrize(
    "path", ["none.csv", "", " ", "https://example.org/a.csv", "postgresql://x/y", "a\0b.csv", None,
             7, "x" * 5000, "visits.exe"],
)  # fmt: skip
def test_bad_files_are_refused_in_words(visits: Client, path: object) -> None:
    assert visits.refused("columns", path=path)["remedy"]


def test_broken_files_are_refused_without_quoting_them(visits: Client) -> None:
    (visits.folder / "broken.parquet").write_bytes(b"not parquet: " + SECRET.encode())
    said = json.dumps(visits.refused("columns", path="broken.parquet"))
    assert SECRET not in said


def test_a_preview_spends_and_begins_nothing(visits: Client) -> None:
    found = visits.ask("preview", **plan())
    assert not (visits.folder / "budget.db").exists()
    assert found["ledger"]["new"] is True
    assert [each["answers"] for each in found["questions"]] == [3, 1]
    shares = [each["share"] for each in (*found["questions"], *found["cuts"])]
    assert sum(shares) == pytest.approx(1, abs=1e-6)
    assert all(each["interval"].startswith("±") for each in found["questions"])
    assert found["keys"] == []


def test_the_preview_shows_the_plan_as_a_file_that_says_the_same(visits: Client) -> None:
    from leastnoise.release.file.plan_file import plan_file

    found = visits.ask("preview", **plan())
    read = plan_file(found["plan"], visits.folder)
    again = [each.question for each in read.plan.preview(read.spend)]
    assert again == [each["question"] for each in found["questions"]]


def test_a_release_is_charged_and_can_be_downloaded(visits: Client) -> None:
    made = released(visits, plan())
    ledger = ln.Ledger(visits.folder / "budget.db")
    assert made["line"] == len(ledger.history()) == 1
    assert isinstance(ledger.remaining, ln.PureDP)
    assert made["remaining"]["text"] == "ε = 2"
    counts, _ = made["tables"]
    assert [each["cells"][0] for each in counts["answers"]] == list(CITIES)
    for answer in counts["answers"]:
        assert answer["lower"] <= answer["value"] <= answer["upper"]
        assert abs(answer["value"] - 100) < 60
    base = f"/{TOKEN}/download/{made['number']}"
    rows = list(csv.DictReader(io.StringIO(visits.http.get(f"{base}/1.csv").text)))
    assert [float(row["value"]) for row in rows] == [a["value"] for a in counts["answers"]]
    text = visits.http.get(f"{base}/release.json").text
    assert [table.name for table in PlanRelease.from_json(text).tables] == [
        table["name"] for table in made["tables"]
    ]
    assert "[[question]]" in visits.http.get(f"{base}/plan.toml").text
    report = visits.http.get(f"{base}/report.html")
    assert report.headers["content-disposition"] == 'attachment; filename="report.html"'
    assert "<html" in report.text
    for name in ("3.csv", "0.csv", "x.csv", "1.txt", "report", "9" * 30 + ".csv"):
        assert visits.http.get(f"{base}/{name}").status_code == 404
    assert visits.http.get(f"/{TOKEN}/download/999/1.csv").status_code == 404


def test_nothing_of_the_data_reaches_the_page(visits: Client) -> None:
    said = plan(question=[{"ask": "units", "by": "city", "keys": [*CITIES, "Nowhere"]}])
    answers = [
        visits.ask("columns", path="visits.csv"),
        visits.ask("preview", **said),
        released(visits, said),
        visits.ask("budget", ledger="budget.db"),
    ]
    assert SECRET not in json.dumps(answers)


def test_a_release_must_be_confirmed(visits: Client) -> None:
    ticket = visits.ask("preview", **plan())["ticket"]
    for confirmed in (None, False, "true", 1):
        said = visits.refused("release", ticket=ticket, confirmed=confirmed)
        assert "confirmed" in said["rule"]
    assert not (visits.folder / "budget.db").exists()
    assert visits.ask("release", ticket=ticket, confirmed=True)["line"] == 1


def test_a_ticket_is_good_for_one_release(visits: Client) -> None:
    ticket = visits.ask("preview", **plan())["ticket"]
    visits.ask("release", ticket=ticket, confirmed=True)
    assert "once" in visits.refused("release", ticket=ticket, confirmed=True)["rule"]
    assert len(ln.Ledger(visits.folder / "budget.db").history()) == 1
    for unknown in (10**9, -1, "1", None, [1], 1.5, True):
        visits.refused("release", ticket=unknown, confirmed=True)


def test_a_refused_budget_is_told_before_and_at_the_release(visits: Client) -> None:
    held = visits.ask("preview", **plan())["ticket"]
    for _ in range(3):
        released(visits, plan())
    refused = visits.ask("preview", **plan())
    assert refused["ledger"]["refused"]["kind"] == "budget"
    assert "ticket" not in refused
    assert visits.refused("release", ticket=held, confirmed=True)["kind"] == "budget"
    assert len(ln.Ledger(visits.folder / "budget.db").history()) == 3


def test_a_new_ledger_needs_a_total(visits: Client) -> None:
    budget = {"ledger": "budget.db", "spend": {"epsilon": "1"}}
    assert "whole budget" in visits.refused("preview", **plan(budget=budget))["rule"]


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"question": []}, "question"),
        ({"question": [{"ask": "units"}, {"ask": "sum", "column": "age"}]}, "question 2"),
        ({"question": [{"ask": "sum", "column": "none", "lower": 0, "upper": 1}]}, "question 1"),
        ({"question": [{"ask": "units", "by": "city"}]}, "keys"),
        ({"question": {"ask": "units"}}, "question"),
        ({"question": ["units"]}, "question"),
        ({"question": [{"ask": "units", "by": None}]}, "plan"),
        ({"data": {"path": "visits.csv"}}, "unit"),
        ({"data": 7}, "data"),
        ({"bounds": {"max_groups": "many"}}, "max_groups"),
        ({"budget": {"ledger": "b.db", "spend": {"epsilon": "-1"}, "total": {"epsilon": 1}}},
         "epsilon"),
        ({"budget": {"ledger": "postgresql://x/y", "spend": {"epsilon": "1"}}}, "machine"),
    ],
)  # fmt: skip
def test_bad_plans_are_refused_by_the_part_that_is_wrong(
    visits: Client, changes: dict[str, object], word: str
) -> None:
    said = visits.refused("preview", **plan(**changes))
    assert word in json.dumps(said)
    assert "plan:" not in said["rule"]


def test_groups_found_in_the_data_need_delta(visits: Client) -> None:
    question = [{"ask": "units", "by": "city", "keys": "private"}]
    visits.refused("preview", **plan(question=question))
    budget = {
        "ledger": "budget.db",
        "spend": {"epsilon": "1", "delta": "1e-6"},
        "total": {"epsilon": "3", "delta": "1e-5"},
    }
    made = released(visits, plan(question=question, budget=budget))
    cities = [answer["cells"][0] for answer in made["tables"][0]["answers"]]
    assert set(cities) <= {*CITIES}


def test_the_budget_view_tells_the_ledger(visits: Client) -> None:
    released(visits, plan())
    ledger = ln.Ledger(visits.folder / "budget.db")
    ledger.cap("analyst", "ann", ln.PureDP(epsilon=1))
    found = visits.ask("budget", ledger="budget.db")
    assert found["seal"] == ledger.seal
    assert found["count"] == 2
    assert found["spent"]["main"] == pytest.approx(1, rel=1e-6)
    assert found["total"]["text"] == "ε = 3"
    assert found["sums"] == ["ε: 3 total − 1 spent = 2 left"]
    assert [line["number"] for line in found["lines"]] == [1, 2]
    assert found["lines"][0]["purpose"] == "a test"
    assert found["lines"][1]["labels"] == {"analyst": "ann"}
    assert len(found["balances"]) == 2


def test_looking_for_a_ledger_does_not_begin_one(visits: Client) -> None:
    assert "exist" in visits.refused("budget", ledger="none.db")["rule"]
    assert not (visits.folder / "none.db").exists()
    other = visits.folder / "other.db"
    other.write_bytes(b"this is not a ledger, " + SECRET.encode())
    refused = visits.refused("budget", ledger="other.db")
    assert SECRET not in json.dumps(refused)
    assert visits.refused("budget", ledger=str(visits.folder))["rule"]


def test_home_folders_can_be_typed(monkeypatch: pytest.MonkeyPatch, visits: Client) -> None:
    monkeypatch.setenv("HOME", str(visits.folder))
    assert visits.ask("columns", path="~/visits.csv")["columns"]
    assert Path("~").expanduser() == visits.folder


def test_a_plan_of_thousands_of_questions_is_refused_at_once(
    visits: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asking(many: int) -> dict[str, object]:
        return plan(question=[{"ask": "count", "name": f"c{place}"} for place in range(many)])

    for many in (101, 3000):
        parts = visits.refused("preview", **asking(many))
        assert "100 questions" in parts["rule"]
        assert parts["finding"] == str(many)
    monkeypatch.setattr("leastnoise.web.asked_plan._MOST_QUESTIONS", 3)
    assert len(visits.ask("preview", **asking(3))["questions"]) == 3
    assert visits.refused("preview", **asking(4))["finding"] == "4"


def test_a_ledger_that_is_gone_is_not_begun_anew(visits: Client) -> None:
    released(visits, plan())
    ticket = visits.ask("preview", **plan())["ticket"]
    (visits.folder / "budget.db").unlink()
    assert visits.refused("release", ticket=ticket, confirmed=True)["kind"] == "ledger"
    assert not (visits.folder / "budget.db").exists()


def test_no_ledger_is_begun_where_releases_were_charged_to_another(visits: Client) -> None:
    told = visits.ask("preview", **plan())
    out = visits.folder  # where the answers would be written
    note = {"format": "leastnoise anchor 1", "ledger": "x", "place": "b", "line": 3, "seal": "y"}
    (out / ANCHOR).write_text(json.dumps(note), "utf-8")
    try:
        asked = {"ticket": told["ticket"], "confirmed": True}
        assert visits.refused("release", **asked)["kind"] == "ledger"
        assert not (visits.folder / "budget.db").exists()
    finally:
        (out / ANCHOR).unlink()
