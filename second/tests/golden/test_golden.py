"""Golden values of papers, other libraries and arithmetic by hand, asked through public names alone.

A value in theory.json is true to a unit of its last digit. What comes back as an interval must hold it
and be no wider than that, or than a thousandth of the value.
"""

import json
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln

GOLDEN = json.loads((Path(__file__).parent / "theory.json").read_text("utf-8"))
VALUES = [value for source in GOLDEN for value in source["values"]]
ERRATA = (Path(__file__).parents[2] / "docs/errata.md").read_text("utf-8")


def unit(number: str) -> Fraction:
    """One unit of the last digit."""
    digits, _, power = number.partition("e")
    return Fraction(10) ** (int(power or 0) - len(digits.partition(".")[2]))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value["call"][:60])
def test_the_library_gives_the_true_value(value: dict[str, str]) -> None:
    found: Any = eval(value["call"], {"ln": ln, "math": math, "Fraction": Fraction})
    if value["true"] in ("inf", "-inf"):
        assert float(found) == float(value["true"])
        return
    true, last = Fraction(value["true"]), unit(value["true"])
    if isinstance(found, ln.Interval):
        assert found.lower - last <= true <= found.upper + last
        assert found.width <= max(2 * last, abs(true) / 1000)
    else:
        assert abs(Fraction(float(found)) - true) <= last


def test_every_erratum_has_a_value() -> None:
    rows = re.findall(r"^\| ([A-E]\d+) \|.*\| (.*) \|$", ERRATA, re.MULTILINE)
    assert len(rows) == 57
    asked = {value.get("erratum") for value in VALUES}
    assert {name for name, library in rows if library != "in words only"} <= asked
