"""The pages about plans and commands: what they show is what happens."""

import contextlib
import doctest
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.plans import write_visits
from tests.cli.run import run

ROOT = Path(__file__).parent.parent.parent
BLOCK = re.compile(r"^```(console|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def shell(command: str, folder: Path) -> str:
    """What a person would see who typed it in that folder."""
    first, *rest = shlex.split(command)
    if first == "leastnoise":
        with contextlib.chdir(folder):
            outcome = run(*rest)
        return outcome.errors + outcome.output
    words = [sys.executable if first == "python" else first, *rest]
    return subprocess.run(words, cwd=folder, capture_output=True, check=True, text=True).stdout


def examples(text: str) -> list[tuple[str, str]]:
    """Commands and what they print."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


@pytest.mark.parametrize("page", ["plans.md", "command_line.md"])
def test_pages_show_what_happens(page: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    if page != "plans.md":
        write_visits(tmp_path, begun=False)
    seen = 0
    for kind, text in BLOCK.findall((ROOT / "docs" / page).read_text("utf-8")):
        if kind == "toml":
            name = text.partition("\n")[0].removeprefix("# ")
            (tmp_path / name).write_text(text, "utf-8")
            continue
        for command, wanted in examples(text):
            got = shell(command, tmp_path)
            assert doctest.OutputChecker().check_output(wanted, got, FLAGS), (command, got)
            seen += 1
    assert seen >= 4


def test_every_command_is_on_the_page() -> None:
    from leastnoise.cli.application import COMMANDS

    page = (ROOT / "docs" / "command_line.md").read_text("utf-8")
    assert set(re.findall(r"^\| `leastnoise ([a-z-]+(?: [a-z]+)?)", page, re.MULTILINE)) == set(
        COMMANDS
    )


def test_every_question_is_on_the_page() -> None:
    from tests.cli.test_questions import kinds

    page = (ROOT / "docs" / "plans.md").read_text("utf-8")
    for name in kinds():
        assert f"`{name}`" in page
