"""Numbers of any size on the command line: an answer or a refusal in words, and soon."""

import pytest

from tests.cli.run import run
from tests.time_limit import time_limit

USUAL = {
    "sample-size": {"dimension": "10", "error": "0.05", "epsilon": "1"},
    "optimal": {"sensitivity": "2", "epsilon": "1"},
}
EXTREMES = [
    ("sample-size", {"dimension": "1" + "0" * 20}),
    ("sample-size", {"dimension": "1" + "0" * 300}),
    ("sample-size", {"dimension": "1" + "0" * 7, "delta": "1e-6"}),
    ("sample-size", {"dimension": "0"}),
    ("sample-size", {"epsilon": "1e-300"}),
    ("sample-size", {"epsilon": "1e-300", "delta": "1e-6"}),
    ("sample-size", {"epsilon": "1e300", "delta": "1e-6"}),
    ("sample-size", {"error": "1e-300"}),
    ("sample-size", {"delta": "1e-100"}),
    ("sample-size", {"delta": "0.9999999999999999999"}),
    ("sample-size", {"confidence": "1e-300"}),
    ("sample-size", {"confidence": "0." + "9" * 40}),
    ("optimal", {"sensitivity": "1e18"}),
    ("optimal", {"sensitivity": "1e400"}),
    ("optimal", {"epsilon": "1e-300"}),
    ("optimal", {"epsilon": "1e-20", "delta": "1e-6"}),
    ("optimal", {"epsilon": "0", "delta": "1e-6"}),
    ("optimal", {"epsilon": "1e400"}),
    ("optimal", {"delta": "1e-400"}),
    ("optimal", {"delta": "0.999999999999999999999"}),
    ("optimal", {"cost": "64", "delta": "1e-3"}),
    ("optimal", {"cost": "1e400"}),
    ("optimal", {"cost": "tail:1e400", "delta": "1e-6"}),
    ("optimal", {"granularity": "1e-300"}),
    ("optimal", {"granularity": "1e300"}),
    ("optimal", {"confidence": "1e-300"}),
    ("optimal", {"confidence": "x"}),
]


@pytest.mark.parametrize(("command", "change"), EXTREMES, ids=str)
def test_extremes(command: str, change: dict[str, str]) -> None:
    options = USUAL[command] | change
    with time_limit(40):  # of processor time; most take less than one second
        told = run(command, *(word for name in options for word in (f"--{name}", options[name])))
    assert told.status in (0, 2), told.errors
    assert "Traceback" not in told.errors
    if told.status == 2:
        assert told.errors.startswith("leastnoise: ") or "Invalid value" in told.errors


def test_the_limit_on_dimensions_is_said() -> None:
    told = run("sample-size", "--dimension", "1" + "0" * 20, "--error", "0.05", "--epsilon", "1")
    assert told.status == 2
    assert "1..1000000000" in told.errors
