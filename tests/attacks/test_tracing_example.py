"""The example of tracing runs, and says what its page claims."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "tracing.py"


def test_example_tells_members_from_exact_means_only() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLE], capture_output=True, check=True, encoding="utf-8"
    )
    rows = [line.split() for line in run.stdout.splitlines() if "/400" in line]
    areas = [float(row[-3]) for row in rows]
    assert [row[-2] for row in rows] == ["100/100", "0/100", "0/100", "0/100"]
    assert areas[0] == 1
    # Over releases the area has a standard deviation of 0.035 around 0.52: 6 of them are 0.73.
    assert all(0.27 < area < 0.73 for area in areas[1:])
    assert run.stderr == ""
