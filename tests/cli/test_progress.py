"""The line that tells how far a release is: it moves inside a pass, and never backwards."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from leastnoise.cli.progress import Progress, progress
from tests.cli.plans import write_visits


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def shares(line: Progress, clock: _Clock, until: float) -> list[int]:
    found = []
    while clock.now < until:
        clock.now += 1
        match = re.search(r"(\d+) %", line.words())
        assert match is not None
        found.append(int(match[1]))
    return found


def test_it_moves_inside_a_pass_and_not_beyond_it() -> None:
    clock = _Clock()
    line = Progress("8 questions: reading", clock)
    clock.now = 3
    assert line.words() == "  8 questions: reading  3 s so far"
    clock.now = 10
    line(1, 4)
    inside = shares(line, clock, 60)  # the second pass takes five times as long as the first
    assert inside == sorted(inside)
    assert inside[0] >= 25
    assert len(set(inside)) > 10
    assert inside[-1] < 50
    line(2, 4)
    assert "pass 3 of 4" in line.words()
    assert "left" in line.words()
    line(4, 4)
    assert "100 %" in line.words()
    assert "left" not in line.words()


@pytest.mark.parametrize("columns", [50, 80])
def test_it_fits_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leastnoise.cli.progress.width", lambda: columns)
    clock = _Clock()
    line = Progress("120 questions: reading", clock)
    clock.now = 400
    line(3, 12)
    assert len(line.words()) <= 80
    assert "pass 4 of 12" in line.words()


@pytest.mark.parametrize("columns", [60, 80])
def test_it_names_the_questions_of_the_pass(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leastnoise.cli.progress.width", lambda: columns)
    clock = _Clock()
    line = Progress("reading the data: 5 questions", clock)
    line.reading(["visits by month"])
    clock.now = 3
    assert line.words() == "  visits by month  3 s so far"
    line(1, 5)
    line.reading(["cost of older patients in all cities of the country", "patients", "visits"])
    clock.now = 400
    assert len(line.words()) < columns
    assert line.words().startswith("  cost of older")
    assert "… and 2 more  pass" in line.words()
    assert "pass 2 of 5" in line.words()
    line.reading(["\x1b[2J", "patients"])  # a name that would clear the screen
    assert "\x1b" not in line.words()
    assert "and 1 more" in line.words()


def test_nothing_is_written_where_nobody_looks() -> None:
    stream = io.StringIO()
    with mock.patch.object(sys, "stderr", stream), progress("reading") as tick:
        assert tick is None
    assert stream.getvalue() == ""


def test_the_line_is_gone_at_the_end() -> None:
    stream = io.StringIO()
    stream.isatty = lambda: True  # type: ignore[method-assign]
    with mock.patch.object(sys, "stderr", stream), progress("reading") as tick:
        assert tick is not None
        tick(1, 2)
    assert stream.getvalue().endswith("\r\x1b[2K")


@pytest.mark.parametrize(
    ("command", "words"), [("prepare", "copying the data"), ("inspect", "reading the data")]
)
def test_work_on_the_data_is_never_silent(command: str, words: str, tmp_path: Path) -> None:
    place = write_visits(tmp_path)
    mine, theirs = os.openpty()
    more = [str(tmp_path / "copy")] if command == "prepare" else []
    done = subprocess.run(
        [sys.executable, "-m", "leastnoise", command, str(place), *more],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        check=False,
    )
    os.close(theirs)
    assert done.returncode == 0
    assert words in os.read(mine, 10_000).decode()
    os.close(mine)
