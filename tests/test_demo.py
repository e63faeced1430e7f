"""The examples keep running: their own assertions check every claim they print."""

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
        "the ledger is yet to be begun",
        "$ leastnoise release examples/visits.toml",
        "line 1 of the ledger",
        "Tromsø",
        "What next",
    ):
        assert said in output
    release = ROOT / "build" / "demo" / "release"
    assert (release / "release.json").exists()
    assert len(list(release.glob("*.csv"))) >= 6
    assert "rare condition" not in output  # few patients have one, so none may be seen
    errors = [float(line.split()[-1].rstrip("%")) for line in output.splitlines() if "%" in line
              and line.startswith(("Oslo ", "Bergen ", "Bodø "))]  # fmt: skip
    assert len(errors) == 3
    assert max(map(abs, errors)) < 60  # Bodø has 3 470 visits, and noise of some 180


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
