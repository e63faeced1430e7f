"""The status tells whether a release was charged, whatever became of the terminal."""

import gc
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leastnoise.ledger import Ledger
from leastnoise.release.result.plan_release import PlanRelease
from tests.cli.plans import PLAN, write_visits
from tests.cli.run import run

PROGRAM = "from leastnoise.cli.main import main; main()"


# With letters that few encodings have.
STRANGE = PLAN.replace('"Bergen"]\n', '"Tromsø 京都"]\n', 1)


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    place = write_visits(tmp_path)
    place.write_text(STRANGE, "utf-8")
    return place


@pytest.fixture
def short_plan(plan: Path) -> Path:
    """One question and no report, for processes whose streams are what is looked at."""
    first, last = STRANGE.partition('[[question]]\nask = "units"')[0], "[output]\nreport = false"
    plan.write_text(first + last + STRANGE.partition("[output]")[2], "utf-8")
    return plan


def charged(plan: Path) -> int:
    place = plan.parent / "budget.db"
    return len(Ledger(place).history()) if place.exists() else 0


def whole(plan: Path) -> bool:
    """Whether all answers of the last line are in the folder."""
    made = PlanRelease.from_json((plan.parent / "out" / "release.json").read_text("utf-8"))
    tables = list((plan.parent / "out").glob("0*.csv"))
    return made.entry.number == charged(plan) and len(tables) == len(made.tables)


def start(*arguments: str | Path, before: str = "", **options: Any) -> "subprocess.Popen[bytes]":
    """A process of its own, in which nothing is ignored that this one ignores."""
    usual = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    usual += "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
    command = [sys.executable, "-c", usual + before + "\n" + PROGRAM, *map(str, arguments)]
    return subprocess.Popen(command, **options)


def shell(plan: Path, words: str, **more: str) -> int:
    """The status of a release whose streams a shell has set up."""
    command = f"""'{sys.executable}' -c '{PROGRAM}' release '{plan}' --replace --yes {words}"""
    environment = {**os.environ, **more}
    return subprocess.run(["sh", "-c", command], env=environment, check=False).returncode


@pytest.mark.parametrize(
    "words", ["> /dev/full", "--json > /dev/full 2> /dev/full", ">&-", "<&- >&- 2>&-"]
)
def test_whatever_the_streams_are(short_plan: Path, words: str) -> None:
    assert shell(short_plan, words) == 0
    assert charged(short_plan) == 1
    assert whole(short_plan)


@pytest.mark.parametrize("more", [
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1:strict"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"COLUMNS": "0"},
])  # fmt: skip
def test_whatever_the_encoding_is(short_plan: Path, more: dict[str, str]) -> None:
    assert (
        shell(short_plan, "--json > /dev/null" if "LC_ALL" in more else "> /dev/null", **more) == 0
    )
    assert charged(short_plan) == 1
    assert whole(short_plan)


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_pipe_that_nobody_reads(short_plan: Path, form: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = start("release", short_plan, "--yes", *form, stdout=writing, stderr=writing)
    os.close(writing)
    assert process.wait() == 0
    assert whole(short_plan)


def test_other_commands_into_a_pipe_that_nobody_reads_or_a_full_disk(short_plan: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = start("preview", short_plan, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert process.communicate()[1] == b""
    assert process.returncode == 141
    with open("/dev/full", "w", encoding="utf-8") as full:
        process = start("preview", short_plan, stdout=full, stderr=subprocess.PIPE)
        told = process.communicate()[1].decode()
    assert process.returncode == 2
    assert told.startswith("leastnoise: the output must be writable; got no space left")


def test_a_terminal_that_is_closed_after_the_charge(plan: Path) -> None:
    """The real thing: the terminal goes, the system sends SIGHUP, the answers stay."""
    mine, theirs = os.openpty()
    gone = (
        "import os, time\nfrom leastnoise.ledger import Ledger\nreal = Ledger.charge\n"
        "def charge(*a, **k):\n"
        "    entry = real(*a, **k)\n"
        "    try:\n"
        "        while os.write(2, b'charged'): time.sleep(0.05)\n"
        "    except OSError:\n"  # nobody reads any more
        "        return entry\n"
        "Ledger.charge = charge\n"
    )
    process = start(
        "release", plan, "--yes", before=gone, stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while b"charged" not in seen:
        seen += os.read(mine, 1000)
    os.close(mine)
    process.send_signal(signal.SIGHUP)  # a session leader without a terminal of its own gets none
    assert process.wait() == 0
    assert whole(plan)


def test_a_terminal_without_width(short_plan: Path) -> None:
    import fcntl
    import struct
    import termios

    mine, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
    process = start("release", short_plan, "--yes", stdout=theirs, stderr=theirs)
    os.close(theirs)
    while True:
        try:
            if not os.read(mine, 65536):
                break
        except OSError:
            break
    os.close(mine)
    assert process.wait() == 0
    assert whole(short_plan)


def test_charged_and_something_is_missing(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bytes:
        raise RuntimeError("a bug in a report")

    monkeypatch.setattr("leastnoise.cli.outputs._report", broken)
    outcome = run("release", plan, "--json")
    assert outcome.status == 3
    assert "line 1 of the ledger was charged" in outcome.errors
    assert "report.html (RuntimeError)" in outcome.errors
    assert "Traceback" not in outcome.errors
    assert len(json.loads(outcome.output)["tables"]) == 3  # one value, and it is the answers
    assert whole(plan)


def test_charged_and_nothing_came_of_it(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("leastnoise.release.draw.answered.answered", broken)
    outcome = run("release", plan)
    assert outcome.status == 3
    assert "line 1 of the ledger was charged, and then the release failed" in outcome.errors
    assert charged(plan) == 1


def test_a_display_that_fails_changes_nothing(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("leastnoise.cli.outputs.show_table", broken)
    assert run("release", plan).status == 0
    assert whole(plan)


def test_refused_and_nothing_charged(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("release", plan, "--no-such-option").status == 2
    assert run("release").status == 2
    plan.write_text(PLAN.replace("spend = {epsilon = 1", "spend = {epsilon = 9"), "utf-8")
    assert run("release", plan).status == 1
    plan.write_text(PLAN.replace("[output]", '[output]\nformats = ["parquet"]'), "utf-8")
    monkeypatch.setattr("leastnoise.cli.outputs.find_spec", lambda _: None)
    refused = run("release", plan)
    assert refused.status == 2
    assert "need pyarrow" in refused.errors
    assert charged(plan) == 0


def test_the_statuses_are_in_the_help() -> None:
    told = " ".join(run("release", "--help").output.split())
    assert "3 charged, and something is missing" in told
    assert "nothing was charged" in told


@pytest.mark.parametrize(("word", "status"), [("--help", 0), ("--nonsense", 2)])
def test_nothing_stays_frozen(word: str, status: int) -> None:
    """Libraries that are left over when all ends complain about it in the terminal."""
    assert run("schema", word).status == status
    assert gc.isenabled()
    assert not gc.get_freeze_count()


@pytest.mark.parametrize("words", [["preview"], ["release", "--yes"]])
def test_libraries_say_nothing_as_the_process_ends(short_plan: Path, words: list[str]) -> None:
    """What a command loads stays frozen to the end; what watches its own objects is not in it."""
    ended = start(*words, short_plan, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert (ended.communicate()[1], ended.returncode) == (b"", 0)
