"""What CI draws for a test depends on that test alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repeatable import Entropy

_DRAWN = """
from hypothesis import given, settings, strategies as st
from tests.repeatable import draw_no_constants_of_the_project

if {repeatable}:
    draw_no_constants_of_the_project()
if {loaded}:
    import leastnoise.people.digits

drawn = []

@settings(derandomize=True, database=None, max_examples=400)
@given(st.floats(0, 1e12), st.integers(), st.text(max_size=9))
def collect(real, whole, text):
    drawn.append((real, whole, text))

collect()
print(ascii(drawn))
"""


def _drawn(*, repeatable: bool, loaded: bool) -> str:
    code = _DRAWN.format(repeatable=repeatable, loaded=loaded)
    folder = Path(__file__).parent.parent
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    return told.stdout


@pytest.mark.parametrize("repeatable", [True, False])
def test_draws_are_the_same_whatever_is_loaded(repeatable: bool) -> None:
    """Without it they differ, so that the test can fail."""
    alone, beside = (_drawn(repeatable=repeatable, loaded=loaded) for loaded in (False, True))
    assert (alone == beside) is repeatable


def _keys(entropy: Entropy, name: str) -> list[bytes]:
    with entropy.named(name):
        return [entropy(32), entropy(16)]


def test_keys_depend_on_the_name_alone() -> None:
    entropy = Entropy()
    with entropy.named("a test"):
        first = entropy(32)
        assert _keys(entropy, "what it needs") == _keys(entropy, "what it needs")
        assert _keys(entropy, "a test") == [first, entropy(16)]  # the inner one disturbed nothing
        assert _keys(entropy, "another test")[0] != first


def test_a_copy_of_the_process_has_keys_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    entropy = Entropy()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert _keys(entropy, "a test") != _keys(entropy, "a test")


_TESTS = """
import pytest
from leastnoise.randomness.source import Source, default_source

@pytest.fixture(scope="module")
def made():
    return default_source().bits(64)

def test_one(made):
    print("\\nmade", made)
    print("one", default_source().bits(64), Source().bits(64))

def test_other(made):
    print("\\nmade", made)
    print("other", default_source().bits(64), Source().bits(64))
"""


def _printed(folder: Path, names: str, ci: str) -> set[str]:
    file = folder / "test_drawing.py"
    file.write_text(_TESTS, "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-s", str(file), "-k", names]
    environment = {**os.environ, "CI": ci}
    root = Path(__file__).parent.parent
    told = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=root, env=environment
    )
    return {line for line in told.stdout.splitlines() if line.startswith(("made", "one", "other"))}


@pytest.mark.parametrize("ci", ["true", ""])
def test_tests_draw_the_same_whatever_runs_before_them(tmp_path: Path, ci: str) -> None:
    """In CI alone."""
    both, other = _printed(tmp_path, "one or other", ci), _printed(tmp_path, "other", ci)
    assert (len(both), len(other)) == (3, 2)
    assert (other <= both) is bool(ci)
