"""The installed script: every command of the guide in order, its questions, and how it ends."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

import leastnoise as ln
from leastnoise.cli.init import write_visits
from tests.cli.terminal import ENVIRONMENT, PATIENCE, SCRIPT, leastnoise, on_terminal
from tests.docs.pages import make_flights
from tests.files.clinic import CLINIC, write_tables

SQL = ("sql", "visits.toml", "SELECT COUNT(*) AS visits FROM visits")

INIT = "leastnoise init clinic.toml visits.csv patients.parquet"
COMMANDS = """\
leastnoise inspect clinic.toml
leastnoise ledger create clinic.toml --epsilon 3 --delta 1e-7
leastnoise preview clinic.toml --epsilon 0.5
leastnoise preview clinic.toml --margin by_city.visits=100
leastnoise release clinic.toml --analyst ann --data-version 2026-11 --yes --output out/2026-11 --format parquet --json
leastnoise sql clinic.toml --epsilon 0.2 "SELECT COUNT(*) AS visits FROM visits"
leastnoise ledger show clinic.toml
leastnoise ledger create flights.ledger --privacy-unit plane --epsilon 6 --delta 1e-6
leastnoise sql flights.parquet --privacy-unit plane=tailnum --ledger flights.ledger --epsilon 1 --groups carrier=AA,B6,DL "SELECT carrier, COUNT(*) AS flights FROM flights GROUP BY carrier"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def visits() -> None:
    """The example, with a small ledger."""
    assert leastnoise("init", "--example").status == 0
    ln.Ledger.create("visits.ledger", privacy_unit="patient", epsilon=2, delta=1e-7)


def test_every_command_of_the_guide_runs_in_order(folder: Path) -> None:
    write_tables(folder)
    make_flights(folder / "flights.parquet")
    ran = on_terminal(INIT, answers=["patient_id", "id", "", ""])
    assert ran.status == 0, ran
    assert leastnoise("preview", "clinic.toml").status == 0
    Path("clinic.toml").write_text(CLINIC, encoding="utf-8")
    outputs = []
    for command in COMMANDS.splitlines():
        ran = on_terminal(command, answers=["y"] if " sql " in command else [])
        assert ran.status == 0, (command, ran)
        outputs.append(ran.out)
    assert "3,000 rows, each patient is protected" in outputs[0]
    assert "needs epsilon" in outputs[3]
    assert json.loads(outputs[4])["by_month"]["limit"] == {
        "max_contributions": 24,
        "max_per_group": 2,
    }
    assert {path.name for path in Path("out/2026-11").iterdir()} >= {
        "by_city.parquet",
        "release.json",
    }
    assert "ann" in outputs[6] and "Left: " in outputs[6]
    assert "DL" in outputs[8]
    assert len(ln.Ledger("clinic.ledger").entries) == 2


def test_it_asks_and_no_charges_nothing(visits: None) -> None:
    for answer in ("n", ""):
        ran = on_terminal([str(SCRIPT), *SQL, "--epsilon", "1"], answers=[answer])
        assert (ran.status, ran.out) == (1, "")
        assert "of visits.ledger? [y/N]" in ran.err and "Nothing was charged." in ran.err
    assert not ln.Ledger("visits.ledger").entries
    ran = on_terminal([str(SCRIPT), *SQL, "--epsilon", "1"], answers=["y"])
    assert ran.status == 0 and "visits" in ran.out and "±" in ran.out
    assert len(ln.Ledger("visits.ledger").entries) == 1
    again = on_terminal([str(SCRIPT), *SQL, "--epsilon", "1"], answers=[])
    assert again.status == 0 and "[y/N]" not in again.err, "an answer that is stored is free"
    assert "--again" in again.out
    assert len(ln.Ledger("visits.ledger").entries) == 1


def test_laplace_noise_that_closes_the_ledger_is_asked_about(visits: None) -> None:
    ran = on_terminal([str(SCRIPT), *SQL, "--epsilon", "1", "--noise", "laplace"], answers=["n"])
    assert ran.status == 1
    words = " ".join(ran.err.split())
    assert "Afterwards the ledger accepts only Laplace noise" in words
    assert "With --noise gaussian it costs" in words
    assert "Go on with Laplace noise? [y/N]" in words
    assert not ln.Ledger("visits.ledger").entries


@pytest.mark.parametrize(
    ("arguments", "status", "charges"),
    [
        (("ledger", "show", "visits.toml"), 141, 0),
        (("release", "visits.toml", "--yes", "--data-version", "1"), 3, 1),
    ],
)
def test_a_closed_pipe_ends_quietly(
    arguments: tuple[str, ...], status: int, charges: int, visits: None
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [SCRIPT, *arguments], stdout=writing, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        text=True, env=ENVIRONMENT, timeout=PATIENCE, check=False,
    )  # fmt: skip
    os.close(writing)
    assert ran.returncode == status
    assert "Traceback" not in ran.stderr and "Broken" not in ran.stderr
    assert bool(ran.stderr) is (status == 3)
    assert len(ln.Ledger("visits.ledger").entries) == charges


def test_ctrl_c_at_the_question_ends_quietly(visits: None) -> None:
    ran = on_terminal([str(SCRIPT), *SQL, "--epsilon", "1"], answers=[signal.SIGINT])
    assert (ran.status, ran.out) == (130, "")
    assert ran.err.rstrip().endswith("[y/N]")
    assert not ln.Ledger("visits.ledger").entries


def test_the_example_is_the_same_every_time(folder: Path) -> None:
    import pyarrow.parquet as pq

    for name in ("one.parquet", "two.parquet"):
        write_visits(folder / name)
    one, two = (pq.read_table(folder / name) for name in ("one.parquet", "two.parquet"))
    assert one.equals(two)
    assert one.num_rows > 100_000
    statuses = [leastnoise("init", "--example", *more).status for more in ([], [], ["--force"])]
    assert statuses == [0, 2, 0]
    assert pq.read_table("visits.parquet").equals(one)
    assert leastnoise("preview", "visits.toml").status == 0
