"""The tutorials: what their terminals show is what happens. Their Python runs as doctests."""

import contextlib
import doctest
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import run
from tests.cli.test_pages import BLOCK, FLAGS, examples

ROOT = Path(__file__).parent.parent


class Terminal:
    """A shell that knows a few words, with `leastnoise` inside this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0

    def type(self, command: str) -> str:
        """What a person would see."""
        first, *rest = shlex.split(command)
        if command == "echo $?":
            return f"{self.status}\n"
        if first == "leastnoise":
            with contextlib.chdir(self.folder):
                outcome = run(*rest)
            self.status = outcome.status
            return outcome.errors + outcome.output
        words = [sys.executable if first == "python" else first, *rest]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, check=True, text=True)
        self.status = 0
        return done.stdout


@pytest.mark.parametrize(("name", "fewest"), [("data_engineer", 10), ("joined_tables", 6)])
def test_the_terminal_of_a_tutorial_shows_what_happens(
    name: str, fewest: int, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    terminal = Terminal(tmp_path)
    page = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text("utf-8")
    seen = 0
    for kind, text in BLOCK.findall(page):
        if kind == "toml":
            (tmp_path / text.partition("\n")[0].removeprefix("# ")).write_text(text, "utf-8")
            continue
        for command, wanted in examples(text):
            got = terminal.type(command)
            assert doctest.OutputChecker().check_output(wanted, got, FLAGS), (command, got)
            seen += 1
    assert seen > fewest
