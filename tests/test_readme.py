"""What the README says can be made by a command."""

from pathlib import Path

from benchmarks.comparison import table

README = Path(__file__).parent.parent / "README.md"


def test_the_comparison_is_what_was_measured() -> None:
    assert table() in README.read_text("utf-8")
