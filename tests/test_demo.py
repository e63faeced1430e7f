"""The examples keep running: their own assertions check every claim they print."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(example: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", ROOT / "examples" / example],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    return done.stdout


def test_the_demo_goes_from_a_table_to_a_release() -> None:
    output = run("demo.py")
    for said in (
        "$ leastnoise preview examples/visits.toml",
        "The ledger is yet to be begun",
        "$ leastnoise release examples/visits.toml --yes",
        "line 1 of the ledger",
        "Tromsø",
        "What next",
    ):
        assert said in output
    release = ROOT / "build" / "demo" / "release"
    assert (release / "release.json").exists()
    assert len(list(release.glob("*.csv"))) >= 6
    assert "rare condition" not in output  # few patients have one, so none may be seen
    held = dict(re.findall(r"^  (\S.*?) +(\d+ of \d+)$", output, re.MULTILINE))
    assert len(held) == 9  # each table, and all together; the demo itself asserts that none is cut
    assert held["visits by city"].endswith(" of 8")
    assert re.search(r"^(All|\d+ of 63) intervals hold the true number\.", output, re.MULTILINE)
    assert max(map(len, output.partition("2. Before")[2].splitlines())) <= 80


def test_the_least_noise_for_a_count() -> None:
    output = run("least_noise.py")
    assert "proved: (1, 0.000001)-DP" in output
    assert "4.7746   discrete Laplace" in output


def test_the_table_is_the_same_in_every_run(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    places = [tmp_path / "one.parquet", tmp_path / "two.parquet"]
    for place in places:
        subprocess.run(
            [sys.executable, ROOT / "examples" / "make_visits.py", place],
            check=True,
            capture_output=True,
        )
    query = "SELECT sum(hash(COLUMNS(*))::HUGEINT) FROM read_parquet(?)"
    sums = [duckdb.execute(query, [str(place)]).fetchall() for place in places]
    assert sums[0] == sums[1]
