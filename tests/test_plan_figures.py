"""What the page on plans says of shared noise is what the benchmark finds now."""

from pathlib import Path

import pytest

from benchmarks.plans import plan_rows

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_figures_are_those_of_the_benchmark() -> None:
    page = (ROOT / "docs" / "plans.md").read_text("utf-8")
    table = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    for row in plan_rows():
        apart = row.peer.partition("apart: ")[2].partition(";")[0]
        assert f"| {row.case} | {apart} | {row.ours} |" in page
        assert f"| {' | '.join(row.cells())} |" in table
