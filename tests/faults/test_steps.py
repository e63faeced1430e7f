"""Kills between and during the steps of a schedule: nothing is redrawn, lost or paid back.

See tests/faults/stepper.py for what is looked at after each of them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def survived(folder: Path, mode: str, first: int, last: int, step: int = 1) -> dict[str, int]:
    numbers = map(str, (first, last, step))
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.stepper", str(folder), mode, *numbers],
        env={**os.environ, "TMPDIR": str(folder)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout)
    return found


def test_kills_during_steps(tmp_path: Path) -> None:
    found = survived(tmp_path, "statements", 5, 24 * 61, 61)
    assert found["kills"] >= 20
    # Some died before the step was stored and some after it.
    assert 2 < found["steps"] < found["kills"]


@pytest.mark.slow
def test_five_hundred_kills(tmp_path: Path) -> None:
    found = survived(tmp_path, "statements", 0, 7 * 520, 7)
    assert found["kills"] >= 500
    assert 50 < found["steps"] < found["kills"]


def test_kills_while_a_schedule_is_begun(tmp_path: Path) -> None:
    found = survived(tmp_path, "beginnings", 20, 620, 150)
    assert found["kills"] >= 2


@pytest.mark.slow
def test_kills_at_many_statements_while_a_schedule_is_begun(tmp_path: Path) -> None:
    assert survived(tmp_path, "beginnings", 20, 620, 15)["kills"] >= 16


def test_one_step_at_the_same_time(tmp_path: Path) -> None:
    assert survived(tmp_path, "together", 0, 4)["steps"] == 3
