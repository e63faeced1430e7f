"""What a command does not wait for: threads without work, and code that it does not need."""

import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import duckdb
import pytest

from tests.cli.plans import write_visits
from tests.cli.run import run
from tests.run_python import run_python

ROOT = Path(__file__).parents[2]
SLEEP = "OPENBLAS_THREAD_TIMEOUT"
# A command that says what the variable is when it runs, and whether NumPy came too early to see it.
TOLD = f"""
import os, sys
import leastnoise.cli.application as commands
from leastnoise.cli.main import command

def told():
    print(os.environ.get("{SLEEP}"), "numpy" in sys.modules)

commands.application = lambda arguments: told
command()
"""


def test_threads_of_linear_algebra_sleep_when_they_have_nothing_to_do() -> None:
    assert run_python(TOLD).split() == ["4", "False"]


def test_what_somebody_set_stays() -> None:
    with mock.patch.dict(os.environ, {SLEEP: "20"}):
        assert run_python(TOLD).split() == ["20", "False"]


def test_a_program_that_goes_on_keeps_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SLEEP, raising=False)
    assert run("--version").status == 0
    assert SLEEP not in os.environ


# What a preview of a table in a file can do without, and what each would take to load.
NEEDLESS = (
    "altair", "concurrent.futures", "cryptography", "http.client", "multiprocessing", "numpy.ma",
    "numpy.polynomial", "pandas", "polars", "psycopg", "pyarrow", "pydantic", "pyspark", "rich",
    "scipy", "sqlglot", "ssl", "typer", "zoneinfo",
    "leastnoise.auditing", "leastnoise.pictures", "leastnoise.reports", "leastnoise.web",
    "leastnoise.release.sql",
)  # fmt: skip


def demo(folder: Path) -> Path:
    """The demo's plan, which asks for much, and a table that is good enough for a preview."""
    query = (
        "SELECT 1 AS patient_id, 'Oslo' AS city, 40 AS age, 9.5 AS cost, 'cough' AS complaint, "
        "true AS insured, false AS smoker, false AS diabetic"
    )
    duckdb.execute(f"COPY ({query}) TO '{folder}/visits.parquet'")
    text = (ROOT / "examples" / "visits.toml").read_text("utf-8")
    place = folder / "visits.toml"
    place.write_text(text.replace("../build/demo/", f"{folder}/"), "utf-8")
    return place


def test_a_preview_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    plan = demo(tmp_path)
    program = f"""
    import sys
    from leastnoise.cli.main import main

    sys.argv = ["leastnoise", "preview", {str(plan)!r}]
    try:
        main(to_the_end=False)
    except SystemExit as end:
        assert not end.code
    print("loaded:", *sys.modules)
    """
    shown, _, loaded = run_python(program).partition("loaded:")
    assert "Nothing is read or spent" in shown
    assert set(loaded.split()) & set(NEEDLESS) == set()


@pytest.mark.parametrize("words", [["preview"], ["inspect"], ["budget"], ["check"], ["cap", "a=b"]])
def test_plain_words_mean_what_the_parser_takes_them_for(tmp_path: Path, words: list[str]) -> None:
    plan = write_visits(tmp_path)
    run("budget", "begin", plan)
    command, *more = words
    for place in (plan, tmp_path / "budget.db", tmp_path, tmp_path / "none.toml"):
        assert run(command, place, *more) == run(command, "--", place, *more)


def test_an_option_is_never_taken_for_a_word(tmp_path: Path) -> None:
    plan = write_visits(tmp_path)
    assert "--within" in run("preview", "--help").output
    assert run("preview", plan, "--json").output.startswith("{")
    assert "No such option: --jsn" in run("preview", "--jsn").errors
    assert "unexpected extra argument" in run("preview", plan, plan).errors
    assert "Missing argument" in run("preview").errors


def test_a_file_that_must_not_be_read_is_for_the_parser(tmp_path: Path) -> None:
    plan = write_visits(tmp_path)
    with mock.patch("os.access", return_value=False):
        assert "not readable" in run("preview", plan).errors


# A process with something that is told when it is freed, and something to be called at the end.
LEAVING = """
import atexit, sys
import leastnoise.cli.application as commands
from leastnoise.cli.main import command as process

class Freed:
    def __del__(self):
        print("freed")

kept = Freed()
{before}

def command():
    atexit.register(print, "called at the end", end="")
    print("done")
    {then}

commands.application = lambda arguments: command
process()
"""


def left(before: str = "", then: str = "") -> tuple[list[str], int]:
    text = LEAVING.format(before=before, then=then)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    return done.stdout.split("\n"), done.returncode


def test_a_process_ends_without_being_taken_apart() -> None:
    assert left() == (["done", "called at the end"], 0)
    assert left(then="sys.exit(3)") == (["done", "called at the end"], 3)


def test_who_waits_for_the_end_longer_than_the_command_is_called_too() -> None:
    first = left(before="atexit.register(print, '; first come, last served')")
    assert first == (["done", "called at the end; first come, last served", "freed", ""], 0)


def test_threads_that_still_work_are_waited_for() -> None:
    thread = "import threading; threading.Timer(0.05, print, ['late']).start()"
    assert left(then=thread) == (["done", "late", "called at the end"], 0)


def test_what_code_of_others_opened_is_closed(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import random, tempfile\n"
        f"log = open({str(tmp_path / 'calls.txt')!r}, 'w')\n"
        f"kept = tempfile.NamedTemporaryFile(dir={str(tmp_path)!r}, prefix='theirs-')\n"
        "def noisy(data):\n    log.write('called\\n')\n    return data + random.randrange(9)\n",
        "utf-8",
    )
    words = ["--neighbours", "0", "1", "--epsilon", "9", "--samples", "1000"]
    command = [sys.executable, "-m", "leastnoise", "audit", f"{program}:noisy", *words]
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "calls.txt").read_text("utf-8") == "called\n" * 1000
    assert not list(tmp_path.glob("theirs-*"))


def test_a_program_that_goes_on_ends_as_it_says(tmp_path: Path) -> None:
    place = tmp_path / "late.txt"
    program = f"""
import sys
from leastnoise.cli.main import main
sys.argv = ["leastnoise", "schema"]
try:
    main()
except SystemExit:
    late = open({str(place)!r}, "w")
    late.write("late")
sys.exit(5)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, place.read_text("utf-8")) == (5, "late")


def test_a_mistake_of_ours_ends_as_usual() -> None:
    lines, status = left(then="raise RuntimeError")
    assert status == 1
    assert "freed" in lines[-2]
