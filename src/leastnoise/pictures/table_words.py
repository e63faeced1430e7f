"""What a released table is about: which chart fits it, and the words at its axes."""

import re
from datetime import date

import numpy as np

from leastnoise.pictures.names import capital
from leastnoise.release.result.released_table import ReleasedTable

COUNTS = frozenset(
    {"Count", "Units", "Histogram", "Marginals", "MostCommon", "Distinct", "RelativeCount"}
    | {"UnparsedRows"}
)
"""Kinds whose answers count something."""
LENGTHS = COUNTS | {"Sum"}
"""Kinds whose answers may be drawn as lengths, which begin at 0."""
_HEADS = {
    "Sum": "Sum", "Mean": "Mean", "MeanOfAll": "Mean", "WeightedMean": "Mean", "Ratio": "Ratio",
    "Share": "Share", "UnitShare": "Share", "Median": "Median", "ColumnQuantiles": "Value below",
    "Variance": "Variance", "StandardDeviation": "Standard deviation", "Cumulative": "Share below",
    "Correlation": "Correlation", "Covariance": "Covariance", "Regression": "Coefficient",
}  # fmt: skip
_LEAST_TIMES = 3
_TIME = re.compile(r"\d{4}(-\d{2}(-\d{2})?|-?[WQ]\d{1,2})?")
_YEARS = range(1800, 2200)


def kind_of_table(table: ReleasedTable) -> str:
    """The kind of its question; guessed where nobody said it."""
    if table.kind:
        return table.kind
    if table.columns[-1:] == ("quantile",):
        return "ColumnQuantiles"
    if is_histogram(table):
        return "Histogram"
    return "Count" if table.values.dtype == np.int64 else ""


def is_histogram(table: ReleasedTable) -> bool:
    """Whether the last two parts of keys are the ends of a range."""
    names = table.columns[-2:]
    return len(names) == 2 and names[0].endswith("_from") and names[1].endswith("_to")


def head_of(table: ReleasedTable, unit: str = "") -> str:
    """What answers are, with their measure; `unit` is what one unit is called, if it is known."""
    kind = kind_of_table(table)
    if kind == "Units":
        name = capital(f"{unit}s") if unit else "Units"
    else:
        name = _HEADS.get(kind, "Rows" if kind in COUNTS else "Value")
    return f"{name}, {table.measure}" if table.measure else name


def is_time(table: ReleasedTable, place: int) -> bool:
    """Whether one part of the keys is time: days, months, quarters, weeks or years."""
    keys = list(dict.fromkeys(row[place] for row in table.rows))
    if len(keys) < _LEAST_TIMES:
        return False
    if all(isinstance(key, date) for key in keys):
        return True
    if all(isinstance(key, int) and not isinstance(key, bool) for key in keys):
        return all(key in _YEARS for key in keys)
    return all(isinstance(key, str) and _TIME.fullmatch(key) for key in keys)


def has_order(table: ReleasedTable) -> bool:
    """Whether the only part of its keys is a number or a date, whose order says something."""
    keys = [row[0] for row in table.rows] if len(table.columns) == 1 else []
    number = all(isinstance(key, int | float) and not isinstance(key, bool) for key in keys)
    return bool(keys) and (number or all(isinstance(key, date) for key in keys))
