"""What goes wrong outside the plan: rule, finding, remedy; nothing released, no data told."""

import json
import re
import sqlite3
from pathlib import Path

import pytest

from leastnoise.ledger import Ledger
from leastnoise.privacy import ApproxDP, PureDP
from tests.cli.plans import PLAN, write_visits
from tests.cli.run import Outcome, run
from tests.run_python import run_python

SECRET = "Secretville"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """A plan whose data hold words that nobody may ever see."""
    place = write_visits(tmp_path)
    with (tmp_path / "visits.csv").open("a", encoding="utf-8", newline="\r\n") as file:
        file.write(f"{SECRET},{SECRET},{SECRET},{SECRET}\n,Oslo,,\n")
    return place


def refused(outcome: Outcome, status: int, told: str) -> None:
    assert outcome.status == status, outcome.output + outcome.errors
    assert told in outcome.errors
    assert outcome.errors.startswith("leastnoise: ")
    assert "Traceback" not in outcome.errors
    assert SECRET not in outcome.errors + outcome.output


def test_a_missing_plan_and_missing_data(plan: Path, tmp_path: Path) -> None:
    refused(run("release", tmp_path / "none.toml"), 2, "must be readable; got no such file")
    refused(run("release", tmp_path), 2, "must be a file; got a folder")
    (tmp_path / "visits.csv").unlink()
    refused(run("release", plan), 2, "no file there")
    (tmp_path / "budget.db").unlink()
    refused(run("release", plan, "--begin"), 2, "no file there")
    assert not (tmp_path / "budget.db").exists()


@pytest.mark.parametrize(
    "head", ["", "\n", "patient,city,age,age\n", "patient,city,age,AGE\n", ",,\n"]
)
def test_a_table_without_a_usable_header(plan: Path, head: str) -> None:
    (plan.parent / "visits.csv").write_text(head, "utf-8")
    refused(run("preview", plan), 2, "; got")


def test_columns_that_change_under_way(plan: Path) -> None:
    assert run("release", plan).status == 0
    (plan.parent / "visits.csv").write_text(f"patient,town,age,cost\n1,{SECRET},3,4\n", "utf-8")
    refused(run("release", plan), 2, "'city'")
    assert len(Ledger(plan.parent / "budget.db").history()) == 1


@pytest.mark.parametrize("rows", ["", ",Oslo,30,5\n,Bergen,31,6\n"])
def test_no_rows_and_rows_of_nobody_are_answered_like_any_others(plan: Path, rows: str) -> None:
    """A refusal would tell that nobody is there; the answers are noise around 0."""
    (plan.parent / "visits.csv").write_text(f"patient,city,age,cost\n{rows}", "utf-8")
    outcome = run("release", plan, "--json")
    assert outcome.status == 0, outcome.errors
    tables = json.loads(outcome.output)["tables"]
    assert all(abs(value) < 2000 for value in _values(tables[0]))


def _values(table: object) -> list[float]:
    text = json.dumps(table)
    found = json.loads(text)
    answers = found.get("answers") or found.get("values")
    return [each["value"] if isinstance(each, dict) else each for each in answers]


def test_a_budget_that_is_spent(plan: Path) -> None:
    ledger = Ledger(plan.parent / "budget.db")
    ledger.charge(PureDP(epsilon="2.9"), purpose="nearly all")
    refused(run("release", plan), 1, "no more than remains of the total")
    dry = run("release", plan, "--dry-run")
    assert dry.status == 1
    assert "This plan does not fit: it needs ε = 1" in dry.output
    told = json.loads(run("release", plan, "--json").output)
    assert (told["error"], told["status"]) == ("BudgetExceeded", 1)
    assert len(ledger.history()) == 1
    assert not (plan.parent / "out" / "release.json").exists()


def test_an_analyst_without_budget(plan: Path) -> None:
    ledger = Ledger(plan.parent / "budget.db")
    ledger.cap("analyst", "ann", PureDP(epsilon="0.5"))
    refused(run("release", plan, "--label", "analyst=ann"), 1, "analyst ann")
    assert run("release", plan, "--label", "analyst=ann", "--dry-run").status == 1
    plan.write_text(PLAN.replace("[budget]", '[budget]\nlabels = {analyst = "ann"}'), "utf-8")
    assert "analyst ann" in run("preview", plan).output
    refused(run("release", plan), 1, "analyst ann")
    assert run("release", plan, "--label", "analyst=bob").status == 0
    shown = run("budget", plan.parent / "budget.db", "--label", "analyst=bob").output
    assert "analyst=bob" in shown
    assert "cap for" not in shown
    assert "analyst ann" in shown
    refused(run("release", plan, "--label", "ann"), 2, "a name and a value")


def test_keys_cannot_steer_the_terminal(plan: Path) -> None:
    plan.write_text(PLAN.replace('"Bergen"]\n', '"\\u001b[2J\\u0007"]\n', 1), "utf-8")
    outcome = run("release", plan)
    assert outcome.status == 0, outcome.errors
    assert "\x1b" not in outcome.output
    assert "<U+001B>[2J<U+0007>" in outcome.output
    assert (plan.parent / "out" / "release.json").read_text("utf-8").count("\\u001b[2J")


def test_caps_are_set_and_shown(plan: Path) -> None:
    place = plan.parent / "budget.db"
    none = plan.parent / "none.db"
    refused(run("cap", none, "analyst=ann", "--epsilon", "1"), 2, "must be begun")
    assert not none.exists()
    assert run("release", plan, "--label", "analyst=ann").status == 0
    refused(run("cap", place, "analyst=ann", "--epsilon", "0.5", "--delta", "1e-7"), 1, "exceed")
    refused(run("cap", place, "ann", "--epsilon", "1"), 2, "a name and a value")
    for options in ([], ["--delta", "1e-7"], ["--epsilon", "1", "--rho", "1"]):
        refused(run("cap", place, "analyst=ann", *options), 2, "a limit must be")
    assert len(Ledger(place).history()) == 1
    told = json.loads(run("cap", place, "month=11", "--rho", "0.1", "--json").output)
    assert (told["line"], told["remaining"]) == (2, "ZCDP(rho='0.1')")
    bob = run("cap", place, "analyst=bob", "--epsilon", "1").said
    assert "line 3: analyst bob may spend ε = 1, of which ε = 1 is left; of the total, ε = " in bob
    assert "month 11" in run("budget", place).output


def test_a_ledger_for_other_data_or_another_total(plan: Path) -> None:
    place = plan.parent / "budget.db"
    place.unlink()
    Ledger(place, total=ApproxDP(epsilon=3, delta="1e-6"), dataset="other data", begin=True)
    refused(run("release", plan), 2, "one body of data")
    place.unlink()
    Ledger(place, total=ApproxDP(epsilon=9, delta="1e-6"), dataset="visits.csv", begin=True)
    refused(run("release", plan), 2, "`total` must be what the ledger was begun with")
    place.unlink()
    without = "\n".join(line for line in PLAN.splitlines() if not line.startswith("total"))
    plan.write_text(without, "utf-8")
    refused(run("release", plan, "--begin"), 2, "`total` must be given for a new ledger")


def test_a_tampered_or_damaged_ledger(plan: Path) -> None:
    place = plan.parent / "budget.db"
    assert run("release", plan).status == 0
    with sqlite3.connect(place) as connection:
        connection.execute("DROP TRIGGER line_stays")
        connection.execute("UPDATE line SET text = replace(text, '1', '2')")
    connection.close()
    for command, subject in (("release", plan), ("budget", place), ("preview", plan)):
        refused(run(command, subject), 2, "It was changed or damaged")
    place.write_bytes(place.read_bytes()[:3000])
    refused(run("budget", place), 2, "; got")
    place.write_bytes(b"")
    plan.write_text(PLAN, "utf-8")
    refused(run("budget", place), 2, "must be begun")


def test_a_ledger_server_that_is_gone(plan: Path) -> None:
    pytest.importorskip("psycopg")
    url = "postgresql://somebody:password@127.0.0.1:1/none?connect_timeout=2"
    plan.write_text(PLAN.replace('"budget.db"', f'"{url}"'), "utf-8")
    outcome = run("release", plan)
    refused(outcome, 2, "must be reachable")
    assert "password" not in outcome.errors
    refused(run("budget", url), 2, "must be reachable")


def test_folders_that_cannot_be_written(plan: Path) -> None:
    (plan.parent / "budget.db").unlink()
    for folder in ("visits.csv/out", "visits.csv"):
        plan.write_text(PLAN.replace('"out"', f'"{folder}"'), "utf-8")
        refused(run("release", plan, "--begin"), 2, f"{folder} must be a folder; got a file")
    assert not (plan.parent / "budget.db").exists()


def test_init_looks_at_no_value_and_overwrites_nothing(plan: Path) -> None:
    data, new = plan.parent / "visits.csv", plan.parent / "new.toml"
    (plan.parent / "budget.db").unlink()
    made = run("init", data, "--plan", new)
    assert made.status == 0, made.errors
    assert SECRET not in new.read_text("utf-8")
    assert "guessed by a column's name: patient. Check it." in made.output
    assert 'unit = "patient"' in new.read_text("utf-8")
    refused(run("preview", new), 2, "`max_rows` must be given")  # only a person can say it
    ready = plan.parent / "ready.toml"
    assert run("init", data, "--plan", ready, "--max-groups", "2", "--max-rows", "3").status == 0
    assert run("preview", ready).status == 0  # a plan to begin with is a plan
    refused(run("init", data, "--plan", new), 2, "must not exist yet")
    refused(run("init", data, "--plan", plan.parent / "x.toml", "--unit", "who"), 2, "'who'")
    refused(run("init", plan.parent / "none.csv"), 2, "no file there")
    told = json.loads(run("init", data, "--plan", plan.parent / "y.toml", "--json").output)
    assert told["columns"] == dict.fromkeys(["patient", "city", "age", "cost"], "text")
    again = run("init", data, "--plan", plan.parent / "z.toml", "--unit", "row", "--delimiter", ";")
    assert again.status == 0
    assert run("preview", plan.parent / "z.toml").status == 0


def test_init_never_takes_rows_for_people_by_itself(tmp_path: Path) -> None:
    """No name tells whose rows they are: a person has to, before anything can be asked."""
    data, new = tmp_path / "visits.csv", tmp_path / "new.toml"
    data.write_text("Versicherter,Stadt\nP1,Oslo\nP1,Bergen\n", "utf-8")
    made = run("init", data, "--plan", new)
    assert made.status == 0, made.errors
    assert "Whose rows they are does not follow from the columns' names" in made.output
    refused(run("preview", new), 2, "got no `unit`. The column that says whose row it is")
    told = json.loads(run("init", data, "--plan", tmp_path / "y.toml", "--json").output)
    assert told["unit"] is None
    said = new.read_text("utf-8").replace("# unit =", 'unit = "Versicherter"')
    new.write_text(said.replace("# max_rows = ", "max_rows = 3 "), "utf-8")
    assert run("preview", new).status == 0


def test_init_says_how_a_plan_is_named(tmp_path: Path) -> None:
    data = tmp_path / "visits.csv"
    data.write_text("patient,city\n", "utf-8")
    refused(run("init", data, "mine.toml"), 2, "Write --plan mine.toml if the plan shall be there")


def test_init_with_hostile_names(tmp_path: Path) -> None:
    data = tmp_path / "odd.csv"
    odd = '"a""b","c\nd","[x]","=1+1","\x7f",é 😀,"\u202eturned",\U000e0041'
    data.write_text(f"{odd}\n1,2,3,4,5,6,7,8\n", "utf-8")
    outcome = run("init", data, "--plan", tmp_path / "odd.toml", "--unit", "row")
    if outcome.status == 0:
        assert not re.search("[\x7f\u202e\U000e0041]", (tmp_path / "odd.toml").read_text("utf-8"))
        assert run("preview", tmp_path / "odd.toml").status == 0
    else:
        refused(outcome, 2, "; got")


def test_a_preview_loads_nothing_heavy(plan: Path) -> None:
    """It must be there within a second."""
    program = f"""
        import sys
        from leastnoise.cli.main import main
        sys.argv = ["leastnoise", "preview", {str(plan)!r}]
        try:
            main(to_the_end=False)
        except SystemExit:
            pass
        print("LOADED", *{{name.partition(".")[0] for name in sys.modules}})
    """
    loaded = set(run_python(program).rpartition("LOADED")[2].split())
    assert loaded & {"scipy", "duckdb", "rich", "pandas", "pyarrow", "polars", "psycopg"} == set()
