"""Kills, full disks, forks, threads and crowds: nothing is released that was not paid for first.

See tests/faults/releaser.py for what is looked at after each of them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALL = 10**6


def survived(folder: Path, mode: str, first: int, last: int, step: int = 1) -> dict[str, int]:
    numbers = map(str, (first, last, step))
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.releaser", str(folder), mode, *numbers],
        env={**os.environ, "TMPDIR": str(folder)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout)
    return found


def test_kills_at_some_statements(tmp_path: Path) -> None:
    found = survived(tmp_path, "statements", 3, ALL, 75)
    assert found["kills"] >= 5
    # Some died before the charge and some after it.
    assert 2 < found["lines"] < 2 + found["kills"]


@pytest.mark.slow
def test_kills_at_every_statement(tmp_path: Path) -> None:
    found = survived(tmp_path, "statements", 0, ALL)
    assert found["kills"] == found["statements"] >= 300


def test_a_release_that_stores_its_answers_is_never_paid_for_in_vain(tmp_path: Path) -> None:
    """Killed anywhere and released again: one charge, and the answers it paid for."""
    found = survived(tmp_path, "stored", 900, ALL, 75)
    assert found["kills"] >= 3
    assert found["charged"] >= 2


def test_kills_between_the_charge_and_the_last_file(tmp_path: Path) -> None:
    assert survived(tmp_path, "paid", 0, 3)["between"] == 3


@pytest.mark.slow
def test_five_hundred_kills_between_the_charge_and_the_last_file(tmp_path: Path) -> None:
    assert survived(tmp_path, "paid", 0, 500)["kills"] >= 500


@pytest.mark.slow
def test_kills_at_every_statement_of_a_release_that_stores_its_answers(tmp_path: Path) -> None:
    found = survived(tmp_path, "stored", 0, ALL)
    assert found["unstored"] >= 20
    assert found["charged"] >= 100


def test_kills_while_the_ledger_is_begun(tmp_path: Path) -> None:
    assert survived(tmp_path, "beginnings", 30, 400, 80)["kills"] >= 4


@pytest.mark.slow
def test_kills_at_every_statement_while_the_ledger_is_begun(tmp_path: Path) -> None:
    assert survived(tmp_path, "beginnings", 0, 400, 2)["kills"] >= 180


def test_kills_at_random_moments(tmp_path: Path) -> None:
    found = survived(tmp_path, "moments", 0, 8)
    assert found["kills"] == 8
    assert found["different"] >= 1


@pytest.mark.slow
def test_a_thousand_kills_at_random_moments(tmp_path: Path) -> None:
    assert survived(tmp_path, "moments", 0, 1000)["kills"] == 1000


def test_disks_that_are_full(tmp_path: Path) -> None:
    found = survived(tmp_path, "sizes", 0, 48, 6)
    assert found["refused"] >= 4
    assert found["lines"] > 1  # some were charged and could not be written: the charge stands


def test_releases_at_the_same_time(tmp_path: Path) -> None:
    assert survived(tmp_path, "together", 0, 4)["lines"] == 5


@pytest.mark.slow
def test_sixty_four_releases_at_the_same_time(tmp_path: Path) -> None:
    assert survived(tmp_path, "together", 0, 64)["lines"] == 65
