"""What CI draws for a test depends on that test alone."""

import subprocess
import sys
from pathlib import Path

import pytest

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
