"""Programs of any language, and the command line."""

import json
import sys
from pathlib import Path
from shlex import quote

import pytest

from leastnoise.auditing import Command, Raised, audit
from leastnoise.errors import InvalidParameter
from tests.cli.run import run

NOISY = """\
import random, sys
data, size = int(sys.argv[1]), int(sys.argv[2])
for _ in range(size):
    print(data + random.randint(-3, 3))
"""
FAILING = "import sys; data = int(sys.stdin.read()); sys.exit(data)"
FUNCTIONS = """\
import random

def leaky(data):
    return sum(data) + random.randint(-3, 3)

def quiet(data):
    return random.randint(-3, 3)

def many(data, size):
    return [random.randint(-3, 3) for _ in range(size)]
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    file = tmp_path / "noisy.py"
    file.write_text(NOISY, "utf-8")
    return f"{quote(sys.executable)} {quote(str(file))} {{data}} {{size}}"


@pytest.fixture
def functions(tmp_path: Path) -> Path:
    file = tmp_path / "functions.py"
    file.write_text(FUNCTIONS, "utf-8")
    return file


def test_a_program_is_audited(program: str) -> None:
    found = audit(Command(program), neighbours=(0, 1), epsilon=1, samples=4_000)
    assert found.violated
    assert not audit(Command(program), neighbours=(0, 0), epsilon=1, samples=4_000).violated


def test_how_a_program_ends_is_an_output() -> None:
    failing = Command([sys.executable, "-c", FAILING])
    assert failing.outputs("3", 1) == [Raised("exit status 3")]
    assert failing.outputs("0", 2) == [Raised("exit status 0")] * 2


def test_lines_are_numbers_where_they_can_be() -> None:
    lines = "3\n0.5\nnan\nword\n\n"
    echo = Command([sys.executable, "-c", "import sys; print(sys.stdin.read(), end='')"])
    assert echo.outputs(lines, 5) == [3, 0.5, "nan", "word", ""]


def test_a_program_that_hangs_is_stopped() -> None:
    hanging = Command([sys.executable, "-c", "import time; time.sleep(1e6)"], seconds="0.2")
    assert hanging.outputs("", 1) == [Raised("timeout")]


@pytest.mark.parametrize("words", ["", [], "'unclosed", ["/no/such/program"]])
def test_what_is_no_program_is_refused(words: str | list[str]) -> None:
    with pytest.raises(InvalidParameter):
        Command(words).outputs("", 1)


def test_the_command_finds_a_violation(functions: Path) -> None:
    found = run(
        "audit", f"{functions}:leaky", "--neighbours", "[1, 2]", "[1]", "--epsilon", "0.5",
        "--samples", "4000",
    )  # fmt: skip
    assert found.status == 1, found.errors
    assert found.output.startswith("violation found")


@pytest.mark.parametrize("extra", [[], ["--sequential"], ["--seconds", "0.2"]])
def test_the_command_finds_none(functions: Path, extra: list[str]) -> None:
    quiet = run(
        "audit", f"{functions}:quiet", "--neighbours", "[1, 2]", "[1]", "--epsilon", "0.5",
        "--samples", "4000", "--json", *extra,
    )  # fmt: skip
    assert quiet.status == 0, quiet.errors
    facts = json.loads(quiet.output)
    assert facts["violated"] is False
    assert facts["verdict"].startswith("no violation found up to ε = 0.5")


def test_the_command_audits_programs_and_many_at_once(program: str, functions: Path) -> None:
    common = ["--neighbours", "0", "1", "--epsilon", "0.5", "--samples", "4000"]
    assert run("audit", "--command", program, *common).status == 1
    assert run("audit", f"{functions}:many", "--vectorised", *common).status == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "--epsilon", "1", "--neighbours", "0", "1"],
        ["audit", "math:sqrt", "--epsilon", "1"],
        ["audit", "math:sqrt", "--neighbours", "0", "1"],
        ["audit", "math:nothing", "--neighbours", "0", "1", "--epsilon", "1"],
        ["audit", "no.such.module:f", "--neighbours", "0", "1", "--epsilon", "1"],
        ["audit", "nothing.py:f", "--neighbours", "0", "1", "--epsilon", "1"],
        ["audit", "math", "--neighbours", "0", "1", "--epsilon", "1"],
        ["audit", "math:sqrt", "--neighbours", "0", "1", "--epsilon", "nan"],
        ["audit", "math:sqrt", "--neighbours", "0", "1", "--epsilon", "1", "--samples", "1"],
        ["audit", "--command", "/no/such", "--neighbours", "0", "1", "--epsilon", "1"],
    ],
    ids=" ".join,
)
def test_bad_input_has_status_two(arguments: list[str]) -> None:
    bad = run(*arguments)
    assert bad.status == 2
    assert bad.errors.startswith("leastnoise: ")
    assert "Traceback" not in bad.errors
