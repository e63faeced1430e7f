"""A released table prints no more digits than its noise warrants, the same ones everywhere."""

from typing import Any

import numpy as np
import pytest

from leastnoise.cli.screen import show_table
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.web.releases import _table


def table(values: Any) -> ReleasedTable:
    numbers = np.asarray(values)
    ends = numbers.astype(np.float64)
    return ReleasedTable(
        name="sum", columns=(), rows=((),) * len(numbers), values=numbers,
        standard_error=np.ones(len(numbers)), lower=ends - 11, upper=ends + 11, mechanism="",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3470392.0, "3,470,392  3,470,381 – 3,470,403  A"),
        (3470392, "3,470,392  3,470,381 – 3,470,403  A"),
        (-123456789.4, "−123,456,789  −123,456,801 to −123,456,778  A"),
        (12.3456789, "12  1 – 24  D"),
        (1e15, "1,000,000,000,000,000  999,999,999,999,989 – 1,000,000,000,000,011  A"),
    ],
)
def test_digits(value: float, shown: str) -> None:
    assert " ".join(shown.split()) in " ".join(str(table([value])).split())


@pytest.mark.parametrize(("value", "said"), [(np.nan, "not known"), (np.inf, "∞"), (-np.inf, "−∞")])
def test_what_is_no_number_is_printed_too(value: float, said: str) -> None:
    assert said in str(table([value]))


@pytest.mark.parametrize("value", [3470392.4, 3470392, -0.0, 12.3456789, 2.0**60, np.nan])
def test_all_places_show_the_same_digits(value: float, capsys: pytest.CaptureFixture[str]) -> None:
    """Print, terminal and page."""
    made = table([value])
    (row,) = made.shown(1)
    show_table("sum", ["value", "95 % interval"], [row.cells])
    terminal = capsys.readouterr().out
    page = _table(1, made)["answers"][0]["cells"]
    for cell in row.cells:
        assert cell in str(made)
        assert cell in terminal
        assert cell in page
