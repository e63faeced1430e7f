"""The commands in this process: what they print, what they refuse, with which status."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.cli import output
from leastnoise.cli.main import app
from leastnoise.cli.spelling import as_options
from leastnoise.release import periods
from leastnoise.release import run as running
from tests.cli.terminal import leastnoise
from tests.files.clinic import SCHEDULE, write_clinic

CREATE = ("ledger", "create", "clinic.toml", "--epsilon", "3", "--delta", "1e-7")
RELEASE = ("release", "clinic.toml", "--yes", "--data-version", "1")
COUNT = "SELECT COUNT(*) AS visits FROM visits"


@pytest.fixture(autouse=True)
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the clinic in it."""
    write_clinic(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ledger() -> ln.Ledger:
    assert leastnoise(*CREATE).status == 0
    return ln.Ledger("clinic.ledger")


REFUSED: dict[tuple[str, ...], str] = {
    ("relase", "clinic.toml"): "No such command 'relase'. Did you mean 'release'?\n  leastnoise --help",
    ("release", "clinic.toml", "--analist", "a"): 'There is no option --analist. Did you mean "--analyst"?',
    ("preview",): "Usage: leastnoise preview",
    ("preview", "klinic.toml"): "There is no file klinic.toml. There is clinic.toml.\n  To make one:",
    ("preview", "visits"): "visits is a folder. Name a file in it.",
    ("preview", "visits.csv"): "visits.csv is no .toml file.\n  leastnoise init visits.toml visits.csv",
    ("preview", "clinic.toml", "--epsilon", "x"): "--epsilon is 'x'. Give a finite number.",
    ("preview", "clinic.toml", "--noise", "gausian"): "'gausian' is not one of",
    ("preview", "clinic.toml", "--margin", "by_city=3"): 'The answer has no column "by_city".',
    ("preview", "clinic.toml", "--margin", "3"): "Write --margin by_city.visits=100.",
    ("release", "clinic.toml"): "This asks before it spends, and nobody can be asked here.",
    ("release", "clinic.toml", "--yes"): "--yes needs --data-version, a name for the data",
    RELEASE: "There is no ledger clinic.ledger. If there was one, restore it",
    (*RELEASE, "--ledger", "visits"): "visits is a folder. A ledger is a file.",
    ("sql", "clinic.toml", COUNT): "How much of the ledger may this cost?  --epsilon 0.1",
    ("sql", "clinic.toml", *COUNT.split()): "The SELECT is one argument: write it in quotes.",
    ("preview", "clinic.toml", "--expected-rows", "x"): "--expected-rows is 'x'. Give a finite number.",
    ("preview", "clinic.toml", "--margin", "by_city.visits=-1"): "--margin is -1. Give a number above 0.",
    ("sql", "visits.csv", COUNT): "Who is protected? Name the column that tells people apart:",
    ("sql", "visits.csv", COUNT, "--privacy-unit", "patient=", "--ledger", "l"): "Write --privacy-unit patient=patient_id.",
    ("sql", "visits.csv", COUNT, "--privacy-unit", "p=patient_id"): "Which budget is this charged to?",
    ("sql", "visits.csv", COUNT, "--privacy-unit", "p=patientid", "--ledger", "l"):
        'has no column "patientid". Did you mean "patient_id"?',
    ("sql", "vists.csv", COUNT, "--privacy-unit", "p=x", "--ledger", "l"):
        'There is no file vists.csv. Did you mean "visits.csv"?',
    ("sql", "clinic.toml", COUNT, "--privacy-unit", "p=x"): "--privacy-unit stands in clinic.toml.",
    ("ledger", "show", "clinic.toml"): "leastnoise ledger create clinic.toml --epsilon 3 --delta 1e-7",
    ("ledger", "show", "visits.csv"): "visits.csv holds data. Name the ledger or the .toml file.",
    ("ledger", "create", "clinic.toml"): "How much may everything together cost?",
    ("ledger", "create", "x.ledger", "--epsilon", "1"): "Who is protected? Name them in the singular:",
    ("ledger", "create", "clinic.toml", "--epsilon", "1"): "delta is missing, and it cannot be changed",
    ("ledger", "create", "clinic.toml", "--privacy-unit", "p"): 'names the privacy unit "patient".',
    ("init",): "Name the .toml to write and the tables, or look at the example.",
    ("init", "visits.csv"): "First comes the .toml to write, then the tables:",
    ("init", "clinic.toml", "visits.csv"): "clinic.toml exists. Overwrite it with --force",
    ("init", "new.toml", "vists.csv"): 'There is no file vists.csv. Did you mean "visits.csv"?',
    ("init", "new.toml", "visits.csv"): "Nobody answered. Name them:  --privacy-unit",
    ("init", "clinic.toml", "--example"): "--example writes visits.parquet and visits.toml.",
    ("inspect", "visits.csv"): "Name the .toml that describes the data:",
}  # fmt: skip


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_a_mistake_gets_one_message_and_status_2(arguments: tuple[str, ...]) -> None:
    ran = leastnoise(*arguments)
    assert (ran.status, ran.out) == (2, "")
    words = " ".join(ran.err.split())
    assert " ".join(REFUSED[arguments].split()) in words
    assert "Traceback" not in ran.err
    assert all(len(line) <= 80 or line.startswith("  ") for line in ran.err.split("\n"))
    assert not Path("new.toml").exists() and not Path("clinic.ledger").exists()


def test_an_unreadable_file_is_refused_with_its_line() -> None:
    Path("broken.toml").write_text("[tables.visits\n", encoding="utf-8")
    Path("latin.toml").write_bytes(b"# \xe5\n")
    assert leastnoise("preview", "broken.toml").err.startswith(
        "Error: broken.toml, line 1, column 15:"
    )
    assert "latin.toml is no text in UTF-8." in leastnoise("preview", "latin.toml").err


def all_help() -> list[tuple[str, ...]]:
    functions = [each.callback for each in app.registered_commands if each.callback]
    commands = [str(each.__name__).replace("_", "-") for each in functions]
    return [(), *((each,) for each in commands),
            ("ledger",), ("ledger", "create"), ("ledger", "show"), ("ledger", "verify")]  # fmt: skip


@pytest.mark.parametrize("command", all_help(), ids=" ".join)
def test_every_help_fits_the_screen(command: tuple[str, ...]) -> None:
    ran = leastnoise(*command, "--help")
    assert ran.status == 0
    assert all(len(line) <= 80 for line in ran.out.split("\n"))
    shortened = [
        line for line in ran.out.split("\n") if line.startswith("  ") and line.endswith("...")
    ]
    assert not shortened


def test_a_preview_needs_no_ledger_and_spends_nothing() -> None:
    ran = leastnoise("preview", "clinic.toml", "--epsilon", "0.5")
    assert ran.status == 0
    assert "by_city, by_month, by_ward at epsilon 0.5 would cost" in ran.out
    assert "There is no ledger clinic.ledger yet. This is for one with epsilon 6" in ran.err
    assert not Path("clinic.ledger").exists()


def test_a_preview_says_which_epsilon_a_margin_needs(ledger: ln.Ledger) -> None:
    ran = leastnoise("preview", "clinic.toml", "--margin", "by_city.visits=100", "--json")
    needed = json.loads(ran.out)["epsilon"]
    margins = leastnoise("preview", "clinic.toml", "--epsilon", str(needed), "--json")
    assert 95 < json.loads(margins.out)["margins"]["by_city.visits"] <= 100
    text = leastnoise("preview", "clinic.toml", "--margin", "by_city.visits=100").out
    assert f"by_city.visits ± 100 needs epsilon {needed:g} for all queries together." in text
    assert not ledger.entries


def test_a_release_is_written_once_and_shown_again_for_nothing(ledger: ln.Ledger) -> None:
    files = ("--output", "out/1", "--format", "parquet")
    first = leastnoise(*RELEASE, *files, "--analyst", "ann", "--json")
    assert first.status == 0, first.err
    body = json.loads(first.out)
    assert body.keys() == {"by_city", "by_month", "by_ward"}
    assert {each.name for each in Path("out/1").iterdir()} == {
        "by_city.parquet", "by_month.parquet", "by_ward.parquet", "release.json"
    }  # fmt: skip
    refused = leastnoise(*RELEASE, *files)
    assert (refused.status, refused.out) == (2, "")
    assert "by_city.parquet exists." in refused.err
    again = leastnoise(*RELEASE, *files, "--force", "--json")
    assert again.status == 0
    assert json.loads(again.out)["by_city"]["rows"] == body["by_city"]["rows"]
    entries = ledger.entries
    assert [(each.analyst, each.finished) for each in entries.values()] == [("ann", True)]
    new = leastnoise("release", "clinic.toml", "--yes", "--again")
    assert new.status == 0 and len(ledger.entries) == 2


def test_what_does_not_fit_ends_with_status_1(ledger: ln.Ledger) -> None:
    ran = leastnoise(*RELEASE, "--epsilon", "30")
    assert (ran.status, ran.out) == (1, "")
    assert "Nothing was read or charged." in " ".join(ran.err.split())
    assert not ledger.entries


def test_a_release_that_stops_ends_with_status_4_and_goes_on(
    ledger: ln.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_rest: Any) -> Any:
        raise MemoryError

    with monkeypatch.context() as broken:
        broken.setattr(running, "noisy_totals", stop)
        first, second = leastnoise(*RELEASE), leastnoise(*RELEASE)
    for ran in (first, second):
        assert (ran.status, ran.out) == (4, "")
        assert "Run the same" in ran.err and "Traceback" not in ran.err
    assert ledger.unfinished == [1]
    assert leastnoise(*RELEASE).status == 0
    assert len(ledger.entries) == 1 and not ledger.unfinished


def test_an_answer_is_shown_again_when_nothing_is_left() -> None:
    assert leastnoise(*CREATE[:4], "1", *CREATE[5:]).status == 0
    first = leastnoise(*RELEASE)
    assert leastnoise("release", "clinic.toml", "--yes", "--again").status == 1
    again = leastnoise(*RELEASE)
    assert again.status == 0 and "shown again; nothing was charged" in " ".join(again.out.split())
    answers = [[line for line in ran.out.split("\n") if "±" in line] for ran in (first, again)]
    assert answers[0] == answers[1] != []


def test_ctrl_c_after_the_charge_ends_with_status_4_and_before_it_with_130(
    ledger: ln.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_rest: Any, **_more: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(running, "admit", interrupted)
        ran = leastnoise(*RELEASE)
        assert (ran.status, ran.out, ran.err) == (130, "", "")
    assert not ledger.entries
    with monkeypatch.context() as broken:
        broken.setattr(running, "noisy_totals", interrupted)
        ran = leastnoise(*RELEASE)
        assert ran.status == 4 and "Run the same command again" in " ".join(ran.err.split())


def test_what_cannot_be_written_after_the_charge_ends_with_status_3(
    ledger: ln.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_rest: Any, **_more: Any) -> Any:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(ln.Release, "save", full)
        ran = leastnoise(*RELEASE, "--output", "out")
    assert (ran.status, ran.out) == (3, "")
    message = " ".join(ran.err.split())
    assert "are stored as release 1 of clinic.ledger" in message and "No space left" in message
    assert leastnoise(*RELEASE, "--output", "out").status == 0
    assert len(ledger.entries) == 1


def test_a_folder_that_cannot_be_written_to_is_refused_before_the_charge(ledger: ln.Ledger) -> None:
    ran = leastnoise(*RELEASE, "--output", "clinic.toml")
    assert ran.status == 2
    assert "clinic.toml cannot be written to" in ran.err
    assert not ledger.entries


def test_sql_has_the_defaults_of_the_file_and_reads_from_stdin(ledger: ln.Ledger) -> None:
    options = ("--epsilon", "0.2", "--yes", "--again", "--json")
    ran = leastnoise("sql", "clinic.toml", "-", *options, stdin=COUNT)
    assert json.loads(ran.out)["limit"] == {"max_contributions": 12, "max_per_group": None}
    ran = leastnoise("sql", "clinic.toml", COUNT, *options, "--max-contributions", "5")
    assert json.loads(ran.out)["limit"]["max_contributions"] == 5
    ran = leastnoise("sql", "clinic.toml", "SELECT COUNT(*) FROM vists", *options)
    assert ran.status == 2 and 'Did you mean "visits"?' in ran.err
    assert len(ledger.entries) == 2


def test_sql_on_one_table_takes_groups_as_options() -> None:
    own = (
        "--privacy-unit",
        "patient=patient_id",
        "--ledger",
        "v.ledger",
        "--epsilon",
        "1",
        "--yes",
        "--again",
    )
    statement = "SELECT ward, COUNT(*) AS visits FROM visits GROUP BY ward"
    made = (
        "ledger",
        "create",
        "v.ledger",
        "--privacy-unit",
        "patient",
        "--epsilon",
        "9",
        "--delta",
        "1e-6",
    )
    assert (
        leastnoise(*made).out
        == "v.ledger: each patient is protected by epsilon 9, delta 1e-6 for everything.\n"
    )
    ran = leastnoise("sql", "visits.csv", statement, *own)
    assert ran.status == 2
    assert "--groups ward=" in ran.err and "--groups auto" in ran.err
    ran = leastnoise("sql", "visits.csv", statement, *own, "--groups", "ward=A,B", "--json")
    assert [row["ward"] for row in json.loads(ran.out)["rows"]] == ["A", "B"]
    found = leastnoise(
        "sql", "visits.csv", statement, *own, "--groups", "auto", "--min-units", "5", "--json"
    )
    assert {row["ward"] for row in json.loads(found.out)["rows"]} <= {"A", "B", "C"}


@pytest.fixture
def scheduled(ledger: ln.Ledger) -> ln.Ledger:
    text = Path("clinic.toml").read_text("utf-8") + SCHEDULE
    Path("clinic.toml").write_text(text, encoding="utf-8")
    return ledger


def test_a_period_of_a_schedule_is_charged_once_for_all(scheduled: ln.Ledger) -> None:
    march = ("release", "clinic.toml", "--yes", "--period", "2025-03")
    before = leastnoise("preview", "clinic.toml", "--period", "2025-03")
    assert "12 months at epsilon 2 would cost" in before.out
    assert re.search(r"^March 2025 +over$", before.out, re.MULTILINE)
    first = leastnoise(*march, "--json", "--output", "out")
    assert first.status == 0, first.err
    body = json.loads(first.out)
    assert (body["title"], len(body["rows"])) == ("visits by ward, March 2025", 3)
    assert {each.name for each in Path("out").iterdir()} == {"answer.csv", "release.json"}
    again = leastnoise(*march)
    assert again.status == 0 and "shown again; nothing was charged" in again.out
    named = leastnoise(*march[:-1], "monthly=2025-01", "--data-version", "7")
    assert "visits by ward, January 2025" in named.out
    assert len(scheduled.entries) == 1
    after = leastnoise("preview", "clinic.toml", "--period", "monthly=").out
    assert re.search(r"^March 2025 +drawn$", after, re.MULTILINE) and "would" not in after
    margins = json.loads(leastnoise("preview", "clinic.toml", "--period", "x", "--json").out)
    assert margins["margins"].keys() == {"visits by ward, 12 months.visits"}
    plan = leastnoise(*RELEASE, "--json")
    assert json.loads(plan.out).keys() == {"by_city", "by_month", "by_ward"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["2025-13"], "2025-13 is no month of this schedule. Give the first day of one, from"),
        (["monthly="], "--yes needs --data-version"),
        (["by_ward=2025-03"], "Which query? Write one of: monthly=DAY"),
        (["2025-03", "--epsilon", "1"], "A schedule has its price and noise. Leave all options"),
        (["2025-03", "--again"], "A schedule has its price and noise."),
        (["2025-03", "--analyst", "ann"], "A schedule has its price and noise."),
    ],
)
def test_a_period_that_is_wrong_is_refused(
    options: list[str], message: str, scheduled: ln.Ledger
) -> None:
    ran = leastnoise("release", "clinic.toml", "--yes", "--period", *options)
    assert (ran.status, ran.out) == (2, "")
    assert message in " ".join(ran.err.split())
    assert not scheduled.entries


def test_a_period_that_stops_ends_with_status_4_and_goes_on(
    scheduled: ln.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_rest: Any) -> Any:
        raise MemoryError

    march = ("release", "clinic.toml", "--yes", "--period", "2025-03")
    with monkeypatch.context() as broken:
        broken.setattr(periods, "noisy_totals", stop)
        ran = leastnoise(*march)
        assert (ran.status, ran.out) == (4, "")
        assert "3 tries are left" in ran.err
    assert leastnoise(*march).status == 0
    assert leastnoise(*march[:-1], "2025-04").status == 0
    assert len(scheduled.entries) == 1


def test_a_schedule_that_does_not_fit_ends_with_status_1(scheduled: ln.Ledger) -> None:
    assert leastnoise(*RELEASE, "--epsilon", "2.5").status == 0
    ran = leastnoise("release", "clinic.toml", "--yes", "--period", "2025-03")
    assert (ran.status, ran.out) == (1, "")
    assert "Nothing was read or charged." in " ".join(ran.err.split())


def test_the_ledger_shows_what_was_spent(ledger: ln.Ledger) -> None:
    assert (
        json.loads(leastnoise("ledger", "show", "clinic.toml", "--json").out)[
            "releases_left_at_last_price"
        ]
        is None
    )
    answer = leastnoise(*RELEASE, "--analyst", "ann", "--epsilon", "2").out
    body = json.loads(leastnoise("ledger", "show", "clinic.ledger", "--json").out)
    assert body["releases"][0]["analyst"] == "ann"
    count = body["releases_left_at_last_price"]
    new = ("release", "clinic.toml", "--yes", "--again", "--epsilon", "2")
    assert [leastnoise(*new).status for _ in range(count + 1)] == [0] * count + [1]
    assert (
        leastnoise("ledger", "show", "clinic.toml", "--release", "1").out.split() == answer.split()
    )
    assert leastnoise("ledger", "show", "clinic.toml", "--release", "99").status == 2
    assert (
        f"{count + 1} releases, none changed." in leastnoise("ledger", "verify", "clinic.toml").out
    )
    assert "was there already" in leastnoise(*CREATE).err
    assert leastnoise(*CREATE[:4], "4", *CREATE[5:]).status == 1


def test_inspect_counts_what_is_missing_unreadable_and_outside() -> None:
    lines = ["id,ward,cost,day"]
    lines += [f"p{i},A,{i},2025-01-01" for i in range(88)]
    lines += [",A,7,2025-01-01"] * 8 + ["p1,,n/a,soon"] * 4
    Path("v.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path("v.toml").write_text(
        '[tables.v]\npath = "v.csv"\nprivacy_unit = {patient = "id"}\n'
        'columns.cost = {type = "number", range = [0, 77]}\ncolumns.day = "date"\n', encoding="utf-8"
    )  # fmt: skip
    ran = leastnoise("inspect", "v.toml")
    assert "Contains private data. For the data's owner only." in ran.err
    rows = {line.split()[0]: line for line in ran.out.split("\n") if line}
    assert re.fullmatch(r"cost +number +0 to 77 +- +4 % +10 %", rows["cost"])
    assert re.fullmatch(r"day +date +- +4 % +-", rows["day"])
    assert re.fullmatch(r"ward +text +4 % +- +-", rows["ward"])
    assert "88 values of id, each of which is one patient" in ran.out
    assert re.search(r"\(missing\) +8\n", ran.out)


def test_the_schema_is_json_alone() -> None:
    ran = leastnoise("inspect", "--schema")
    assert "tables" in json.loads(ran.out)["properties"]
    assert not ran.err


def test_init_reads_text_files_with_semicolons() -> None:
    """As spreadsheets write them where the comma is the decimal point."""
    Path("dose.csv").write_text("patient;mg\n1;1,5\n2;2,5\n", encoding="utf-8")
    assert leastnoise("init", "d.toml", "dose.csv", "--privacy-unit", "patient").status == 0
    text = Path("d.toml").read_text(encoding="utf-8")
    assert 'csv = {delimiter = ";", decimal = ","}' in text and "# columns.mg" in text
    assert leastnoise("preview", "d.toml").status == 0


def test_init_asks_and_what_it_writes_is_previewed() -> None:
    answers = "patientid\npatient_id\n\nid\npublic\n12\n"
    ran = leastnoise(
        "init", "new.toml", "visits.csv", "patients.parquet", "cities.csv", stdin=answers
    )
    assert ran.status == 2  # the unit's name was taken from "id", and "12" is left over
    answers = "patientid\npatient_id\nid\npublic\n\nmany\n12\n"
    ran = leastnoise(
        "init", "new.toml", "visits.csv", "patients.parquet", "cities.csv", stdin=answers
    )
    assert ran.status == 0, ran.err
    assert 'There is no column "patientid". Did you mean "patient_id"?' in ran.err
    assert "[patient]" in ran.err
    text = Path("new.toml").read_text("utf-8")
    assert "max_contributions = 12" in text and "public = true" in text
    assert leastnoise("preview", "new.toml").status == 0
    rows = leastnoise("init", "rows.toml", "visits.csv", "--privacy-unit", "row")
    assert rows.status == 0
    assert leastnoise("preview", "rows.toml").status == 0


def test_only_time_is_shown_of_what_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "PATIENCE", 0)
    with output.working("Reading and counting"):
        import time

        time.sleep(0.05)
    assert capsys.readouterr().err in ("Reading and counting ...\n", "")


@pytest.mark.parametrize(
    ("python", "typed"),
    [
        ('groups={"ward": ["A", "B"]}', "--groups ward=A,B"),
        ('max_contributions="auto"', "--max-contributions auto"),
        ("delta=1e-7.", "--delta 1e-7."),
        ('privacy_unit={"patient": ...}', "--privacy-unit patient=COLUMN"),
        ("min_units goes with groups.", "--min-units goes with groups."),
        ('ln.read(..., data_version="2026-11-19")', "--data-version 2026-11-19"),
        ("ledger.entries[3].result", "leastnoise ledger show FILE --release 3"),
        ('x.toml, line 1, column 1: no\n groups={"ward": ["A"]}, groups="auto"',
         'x.toml, line 1, column 1: no\n groups = {ward = ["A"]}, groups = "auto"'),
        ("at epsilon 4 is left", "at epsilon 4 is left"),
        ("Give epsilon= and leave rho= out.", "Give --epsilon and leave --rho out."),
        ("but 12 %. Details:\n.mechanisms", "but 12 %. Details:\n--json"),
        ('declare it: columns={"a": "number"}.', 'declare it: in the .toml:  columns.a = "number".'),
        ('csv={"delimiter": ";"}', 'in the .toml, csv = {delimiter = ";"}'),
    ],
)  # fmt: skip
def test_python_is_spelled_as_it_is_typed(python: str, typed: str) -> None:
    assert as_options(python) == typed
