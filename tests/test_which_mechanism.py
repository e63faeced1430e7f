"""The decision table of the documentation is the one the library computes."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_page_has_the_table_that_the_library_makes() -> None:
    made = subprocess.run(
        [sys.executable, "-W", "error", ROOT / "examples" / "which_mechanism.py"],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert made.stderr == ""
    assert made.stdout.count("\n") > 12
    assert f"\n\n{made.stdout}\n" in (ROOT / "docs" / "which_mechanism.md").read_text("utf-8")
