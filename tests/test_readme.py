"""What the README says can be made by a command, and its example prints what it says."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.comparison import table
from benchmarks.results import README as README_OF_BENCHMARKS
from benchmarks.results import read_results, summary
from leastnoise.version import __version__
from tests.noisy_output import alike

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_comparison_is_what_was_measured() -> None:
    assert table() in (ROOT / "docs" / "comparison.md").read_text("utf-8")


def test_the_table_of_benchmarks_is_that_of_one_run() -> None:
    assert summary(read_results()) in README_OF_BENCHMARKS.read_text("utf-8")


def block(kind: str) -> str:
    found = re.search(rf"^```{kind}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_example_prints_what_the_readme_shows(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, ROOT / "examples" / "make_visits.py", tmp_path / "visits.parquet"],
        check=True,
        capture_output=True,
    )
    printed = io.StringIO()
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(printed):
        exec(compile(block("python"), "README.md", "exec"), {})
    shown, got = block("text"), printed.getvalue()
    before = shown.index("\npatients\nvalue")  # the preview draws nothing: it is the same each time
    assert got.startswith(shown[:before])
    assert alike(shown[before:], got[before:])
    assert max(map(len, got.splitlines())) <= 80
    assert (tmp_path / "report.html").exists()


def test_figures_are_those_of_the_commands() -> None:
    from leastnoise import noise, optimal

    mechanism = optimal(sensitivity=1, epsilon=1, delta="1e-6", cost="squared")
    gaussian = next(
        each for each in mechanism.alternatives() if isinstance(each.law, noise.DiscreteGaussian)
    )
    assert f"**{float(gaussian.ratio):.1f} times less variance** than the Gaussian" in README
    assert f"({float(mechanism.expected_cost()):.2f} instead of {float(gaussian.cost):.1f})" in (
        " ".join(README.split())
    )
    measured = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    assert "| 10 counts with filters, ε = 1 | 20.3" in measured
    assert f"leastnoise {__version__}," in README
