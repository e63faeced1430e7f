"""A released table prints all digits of its whole numbers, whatever type they have."""

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
        (3470392.0, "3470392  3470381 … 3470403"),
        (3470392, "3470392  3470381 … 3470403"),
        (-123456789.4, "-123456789  -123456800 … -123456778"),
        (12.3456789, "12.3457  1.34568 … 23.3457"),
        (1e15, "1000000000000000  999999999999989 … 1000000000000011"),
    ],
)
def test_digits(value: float, shown: str) -> None:
    assert " ".join(shown.split()) in " ".join(str(table([value])).split())


@pytest.mark.parametrize(("value", "said"), [(np.nan, "not known"), (np.inf, "∞"), (-np.inf, "-∞")])
def test_what_is_no_number_is_printed_too(value: float, said: str) -> None:
    assert said in str(table([value]))


@pytest.mark.parametrize("value", [3470392.4, 3470392, -0.0, 12.3456789, 2.0**60, np.nan])
def test_all_places_show_the_same_digits(value: float, capsys: pytest.CaptureFixture[str]) -> None:
    """Print, terminal and page: with thousands set apart, or without."""
    made = table([value])
    (plain,), (apart,) = made.shown(1), made.shown(1, grouped=True)
    assert [cell.replace(",", "").replace("−", "-") for cell in apart.cells] == plain.cells
    show_table("sum", ["value", "95 % interval"], [plain.cells])
    terminal = capsys.readouterr().out
    page = _table(1, made)["answers"][0]["cells"]
    for cell in plain.cells:
        assert cell in str(made)
        assert cell in terminal
    for cell in apart.cells:
        assert cell in page
