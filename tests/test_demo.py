"""`make demo` keeps running: its own assertions check every claim it prints."""

import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parent.parent / "examples" / "demo.py"


def test_demo_runs() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", DEMO], capture_output=True, check=True, encoding="utf-8"
    )
    assert "proved: (1, 0.000001)-DP" in run.stdout
    assert "4.7746   discrete Laplace" in run.stdout
    assert run.stderr == ""
