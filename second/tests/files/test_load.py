"""From a file to data and to a plan."""

import re
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.files.load import DataFile
from leastnoise.release.measurement import Drawn, Limit
from tests.files.clinic import CLINIC, PATIENTS, SCHEDULE, write_clinic

FIRST = CLINIC.partition("[queries")[0]


def test_a_file_is_a_plan_with_its_ledger_and_epsilon(tmp_path: Path) -> None:
    path = write_clinic(tmp_path)
    ledger = ln.Ledger.create(
        tmp_path / "clinic.ledger", privacy_unit="patient", epsilon=60, delta=1e-7
    )
    plan = ln.load(path, data_version="1")
    assert plan.epsilon == 1
    assert plan.ledger is not None and plan.ledger.path == ledger.path
    limits = {name: query.limit for name, query in plan.queries.items()}
    assert limits == {
        "by_city": Limit(12, None),
        "by_month": Limit(24, 2),
        "by_ward": Limit(12, None),
    }
    found = plan.release(epsilon=40)  # false alarms below 1e-9
    for city in ("Bergen", "Oslo", "Tromsø"):
        assert abs(found["by_city"][city, "visits"].value - PATIENTS) < 120
    assert abs(found["by_month"][date(2025, 2, 1), "visits"].value - PATIENTS / 4) < 120
    assert abs(found["by_ward"]["B", "visits"].value - PATIENTS) < 120
    assert abs(found["by_city"]["Oslo", "cost"].value - 150) < 20
    assert " kr" in str(found["by_city"])


def test_read_gives_the_data_as_they_are_described(tmp_path: Path) -> None:
    path = write_clinic(tmp_path)
    data = ln.read(path, data_version="7")
    assert (data.unit, data.data_version) == ("patient", "7")
    assert [name for name, each in data.tables.items() if each.is_public] == ["cities"]
    cost = data["visits"].schema["cost"]
    assert str(cost.type) == "number"
    assert cost.range == (Fraction(0), Fraction(600))
    assert (cost.label, cost.measured_in) == ("Cost", "kr")
    with pytest.raises(ln.InvalidInput, match=r"privacy_unit= stands in clinic.toml"):
        ln.read(path, privacy_unit="id")


def test_defaults_hold_where_a_query_is_silent_and_a_limit_is_needed(tmp_path: Path) -> None:
    path = write_clinic(
        tmp_path,
        FIRST.replace("[defaults]", "[defaults]\nmin_units = 20\nmax_per_group = 3")
        + '[queries.silent]\nsql = "SELECT COUNT(*) AS n FROM visits"\n'
        + '[queries.auto]\nsql = "SELECT COUNT(*) AS n FROM visits"\nmax_contributions = "auto"\n'
        + '[queries.own]\nsql = "SELECT COUNT(*) AS n FROM visits"\nmax_per_group = 1\n'
        + '[queries.found]\nsql = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY 1"\ngroups = "auto"\n',
    )
    found: Any = {}
    file = DataFile.open(path)
    data = file.data()
    for name, fields in file.document.values["queries"].items():
        found[name] = file.query(data, fields["sql"], fields)
    assert found["silent"].limit == Limit(12, 3)
    assert isinstance(found["auto"].limit, Drawn)
    assert found["own"].limit == Limit(12, 1)
    assert (found["found"].min_units, found["silent"].min_units) == (20, 1)


def test_a_default_limit_is_passed_over_where_no_unit_has_two_rows(tmp_path: Path) -> None:
    path = write_clinic(
        tmp_path, FIRST.replace('{patient = "id"}', '"row"').replace('{patient = "patient_id"}', '"row"')
        + '[queries.n]\nsql = "SELECT COUNT(*) AS n FROM visits"\nbudget_weight = 2.5\n'
    )  # fmt: skip
    plan = ln.load(path)
    assert plan.queries["n"].limit is None
    assert plan.weights == {"n": Fraction(5, 2)}


def test_paths_start_at_the_file_and_may_come_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_clinic(tmp_path, CLINIC.replace('"patients.parquet"', '"env:CLINIC_PATIENTS"'))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with pytest.raises(ln.InvalidInput, match=r"line 4, .*no variable CLINIC_PATIENTS. Set it:"):
        ln.load(path)
    monkeypatch.setenv("CLINIC_PATIENTS", "patients.parquet")
    assert ln.load(path).ledger_path == tmp_path / "clinic.ledger"
    monkeypatch.setenv("CLINIC_PATIENTS", str(tmp_path / "patients.parquet"))
    assert "patients" in ln.read("../clinic.toml").tables


REFUSED = {
    ('"patients.parquet"', '"patient.parquet"'):
        'line 4, column 1: There is no file .*patient.parquet. Did you mean "patients.parquet"',
    ('"visits/*.csv.gz"', '"vists/*.csv.gz"'): r"line 7, column 1: No file matches .*vists/\*.csv.gz",
    ('"cities.csv"', '"visits"'): "line 13, column 1: .*visits is a folder. Name its files",
    ('"number", range', '"numbr", range'): 'line 10, column 9: "cost" is declared as "numbr"',
    ("columns.day ", "columns.days "): 'line 11, column 9: visits has no column "days". Did you mean "day"',
    ('patient = "id"', 'patient = "idd"'): 'line 5, column 1: patients has no column "idd"',
    ('patient = "id"', 'person = "id"'): "line 9, column 1: patients protects each person, and visits each",
    ("public = true", 'label = "x"'): 'line 14, column 1: there is no field "label"',
    ("public = true", ""): "cities names no privacy unit. Who is protected",
    ("public = true", 'public = true\nprivacy_unit = "row"'): "line 15, .*cities is public and has a",
    ("AVG(cost)", "AVG(cots)"): 'line 18, column 54: no column "cots". Did you mean "cost"',
    ("date_trunc('month', day)", "ward"): 'line 21, column 1: .*which values of "month" shall have a row',
    ("[queries.by_ward]", '[queries."../by_ward"]'): "will be the name of a file. Use letters",
    ("max_per_group = 2", "min_units = 2"): 'line 21, column 1: min_units goes with groups="auto"',
    ('ledger  = "clinic.ledger"', ""): "clinic.toml names no ledger. Write at its top:  ledger =",
    ("epsilon = 1 ", "rho = 1\nepsilon = 1 "): "line 2, column 1: the file has epsilon too",
}  # fmt: skip


@pytest.mark.parametrize("change", REFUSED, ids=[new[:20] for _, new in REFUSED])
def test_a_mistake_is_refused_with_its_place(change: tuple[str, str], tmp_path: Path) -> None:
    old, new = change
    assert old in CLINIC
    path = write_clinic(tmp_path, CLINIC.replace(old, new))
    with pytest.raises(ln.InvalidInput, match=REFUSED[change].replace("(", "[(]")):
        ln.load(path)


def test_a_file_without_queries_still_describes_data(tmp_path: Path) -> None:
    path = write_clinic(tmp_path, FIRST)
    assert "visits" in ln.read(path).tables
    with pytest.raises(ln.InvalidInput, match=re.escape("clinic.toml has no queries. Write one:")):
        ln.load(path)


def test_a_query_with_a_schedule_is_released_by_period_and_not_with_the_plan(
    tmp_path: Path,
) -> None:
    path = write_clinic(tmp_path, CLINIC + SCHEDULE + SCHEDULE.replace("monthly", "other"))
    ledger = ln.Ledger.create(
        tmp_path / "clinic.ledger", privacy_unit="patient", epsilon=3, delta=1e-7
    )
    assert [*ln.load(path).queries] == ["by_city", "by_month", "by_ward"]
    file = DataFile.open(path)
    found = file.schedule("monthly", ledger, "2025-03")
    assert (found.data_version, str(found.asked), len(found.starts)) == ("2025-03", "epsilon 2", 12)
    assert found.query.limit == Limit(12, None)
    with pytest.raises(ln.InvalidInput, match=r"Which query.* monthly=DAY, other=DAY"):
        file.schedule("", ledger)
    alone = DataFile.open(write_toml(path, FIRST + SCHEDULE))
    assert alone.schedule("", ledger).all.identity == found.all.identity
    with pytest.raises(ln.InvalidInput, match=r"has no queries but those with a schedule: name a"):
        alone.plan()
    with pytest.raises(ln.InvalidInput, match=r"has no queries with a schedule\. Write one"):
        DataFile.open(write_toml(path, CLINIC)).schedule("", ledger)


WRONG_SCHEDULES = {
    ('"month"', '"fortnight"'): "every is 'fortnight'. Give one of",
    ('"day"', '"dy"'): 'visits has no column "dy". Did you mean "day"?',
    ('"day"', '"ward"'): "ward is of type text; date_trunc takes date or timestamp there",
    ("2025-01-01", "2025-01-02"): "first is 2025-01-02, which is not the first day of a month",
    ("= 12", "= 1"): "periods is 1. Give a number from 2 to 1,000",
    ("true", "false"): "append_only=True is missing",
    ("epsilon = 2", ""): "epsilon is missing",
    ("epsilon", "rho"): "This ledger counts in epsilon",
}


@pytest.mark.parametrize("change", WRONG_SCHEDULES)
def test_a_wrong_schedule_is_refused_with_its_place(
    change: tuple[str, str], tmp_path: Path
) -> None:
    ledger = ln.Ledger.create(
        tmp_path / "clinic.ledger", privacy_unit="patient", epsilon=3, delta=1e-7
    )
    path = write_clinic(tmp_path, FIRST + SCHEDULE.replace(*change))
    with pytest.raises(ln.InvalidInput) as told:
        DataFile.open(path).schedule("monthly", ledger)
    assert str(told.value).startswith("clinic.toml, line 20, column 18: ")
    assert WRONG_SCHEDULES[change] in str(told.value)


def write_toml(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_plan_of_a_file_turns_the_question_round(tmp_path: Path) -> None:
    path = write_clinic(tmp_path)
    ledger = ln.Ledger.create(
        tmp_path / "clinic.ledger", privacy_unit="patient", epsilon=9, delta=1e-7
    )
    plan = ln.load(path)
    needed = plan.needed_epsilon(margin=50, column="by_city.visits")
    assert plan.preview(ledger, epsilon=needed).margin("by_city.visits") <= 50
    assert plan.preview(ledger, epsilon=0.98 * needed).margin("by_city.visits") > 50
