"""The pages about plans and commands, tutorials too: what their terminals show is what happens."""

import contextlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.plans import write_visits
from tests.cli.run import run
from tests.noisy_output import alike

ROOT = Path(__file__).parent.parent.parent
BLOCK = re.compile(r"^```(console|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DRAWS = re.compile("leastnoise (release|sql .* --release)")


class Terminal:
    """A shell that knows a few words, with `leastnoise` inside this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0

    def type(self, command: str) -> str:
        """What a person would see."""
        if command == "echo $?":
            return f"{self.status}\n"
        command, _, file = command.partition(" > ")
        command, _, cut = command.partition(" | ")
        errors, output = self.run(command)
        if file:
            (self.folder / file).write_text(output, "utf-8")
            return errors
        lines = output.splitlines(keepends=True)
        if cut:
            end, lines_kept = cut.split(" -n ")
            lines = lines[: int(lines_kept)] if end == "head" else lines[-int(lines_kept) :]
        return errors + "".join(lines)

    def run(self, command: str) -> tuple[str, str]:
        """What it says on its two streams, errors first."""
        first, *rest = shlex.split(command)
        if first == "leastnoise":
            with contextlib.chdir(self.folder):
                outcome = run(*rest)
            self.status = outcome.status
            return outcome.errors, outcome.output
        words = [sys.executable if first == "python" else first, *rest]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, check=True, text=True)
        self.status = 0
        return "", done.stdout


def examples(text: str) -> list[tuple[str, str]]:
    """Commands and what they print."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


@pytest.mark.parametrize(
    ("page", "fewest"),
    [
        ("plans", 6),
        ("command_line", 4),
        ("prepare", 1),
        ("tutorials/data_engineer", 10),
        ("tutorials/joined_tables", 7),
    ],
)
def test_pages_show_what_happens(page: str, fewest: int, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    if page in ("command_line", "prepare"):  # which go on from another page
        write_visits(tmp_path, begun=False)
    terminal = Terminal(tmp_path)
    seen = 0
    for kind, text in BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8")):
        if kind == "toml":
            (tmp_path / text.partition("\n")[0].removeprefix("# ")).write_text(text, "utf-8")
            continue
        for command, wanted in examples(text):
            got = terminal.type(command)
            assert alike(wanted, got, drawn=DRAWS.match(command) is not None), (command, got)
            seen += 1
    assert seen >= fewest


def test_every_command_is_on_the_page() -> None:
    from leastnoise.cli.application import COMMANDS

    page = (ROOT / "docs" / "command_line.md").read_text("utf-8")
    assert set(re.findall(r"^\| `leastnoise ([a-z-]+(?: [a-z]+)?)", page, re.MULTILINE)) == set(
        COMMANDS
    )


def test_every_command_is_listed_in_whole_words() -> None:
    from leastnoise.cli.application import COMMANDS

    listed = run("--help").output.partition("Commands:")[2].strip().splitlines()
    assert [re.split(r" {2,}", line.strip())[0] for line in listed] == list(COMMANDS)
    assert all(len(line) <= 80 and not line.endswith("...") for line in listed)


def test_every_question_is_on_the_page() -> None:
    from tests.cli.test_questions import kinds

    page = (ROOT / "docs" / "plans.md").read_text("utf-8")
    for name in kinds():
        assert f"`{name}`" in page
