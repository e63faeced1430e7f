"""Exact integers out of DuckDB, by columns.

NumPy has no 128-bit integers, and doubles would round: two halves of 62 bits are exact.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.measure.backends.session import Found
from leastnoise.release.measure.sql.fragment import Fragment, fill

_HIGH = 2**62
_HALVES = (f"// {_HIGH}", f"% {_HIGH}")
# Arrow's texts may be any bytes, and a key that is no text could not be fetched. A condition on
# keys alone would be moved to where every row is asked.
_UNICODE = (
    "CASE WHEN t0 IS NULL THEN FALSE ELSE "
    "{0} IS NULL OR TRY(decode(encode(CAST({0} AS VARCHAR)))) IS NOT NULL END"
)


def in_halves(query: Fragment, keys: int, totals: int) -> Fragment:
    """A query's answer with each total in two columns, without keys that are no text."""
    halves = [f"CAST(t{i} {part} AS BIGINT)" for i in range(totals) for part in _HALVES]
    names = [f"k{i}" for i in range(keys)]
    text = (
        f"SELECT {', '.join([*names, *halves])} FROM ({{}}) AS answer "
        f"WHERE {' AND '.join(map(_UNICODE.format, names)) or '1 = 1'}"
    )
    return fill(text, query)


def out_of_halves(columns: list[Any], keys: int) -> Found:
    """What such an answer's columns say."""
    pairs = zip(columns[keys::2], columns[keys + 1 :: 2], strict=True)
    return Found(
        tuple(column.tolist() for column in columns[:keys]),
        tuple(_whole_numbers(high, low) for high, low in pairs),
    )


def never_null(column: Any) -> NDArray[np.int64]:
    """A column of small integers, none of which is NULL."""
    assert not np.ma.is_masked(column), "no word is NULL"
    return np.asarray(column, np.int64)


def _whole_numbers(high: Any, low: Any) -> Any:
    if not np.any(high):
        return np.asarray(low, dtype=np.int64)
    return high.astype(object) * _HIGH + low.astype(object)
