"""What a command does not wait for: threads without work, and code that it does not need."""

import os
from unittest import mock

import pytest

from tests.cli.run import run
from tests.run_python import run_python

SLEEP = "OPENBLAS_THREAD_TIMEOUT"
# A command that says what the variable is when it runs, and whether NumPy came too early to see it.
TOLD = f"""
import os, sys
import leastnoise.cli.application as commands
from leastnoise.cli.main import main

def told(args):
    print(os.environ.get("{SLEEP}"), "numpy" in sys.modules)

commands.application = lambda arguments: told
main()
"""


def test_threads_of_linear_algebra_sleep_when_they_have_nothing_to_do() -> None:
    assert run_python(TOLD).split() == ["4", "False"]


def test_what_somebody_set_stays() -> None:
    with mock.patch.dict(os.environ, {SLEEP: "20"}):
        assert run_python(TOLD).split() == ["20", "False"]


def test_a_program_that_goes_on_keeps_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SLEEP, raising=False)
    assert run("--version").status == 0
    assert SLEEP not in os.environ
