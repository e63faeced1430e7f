"""`ColumnSums`: how many ones each column of a secret table of bits holds, counted exactly."""

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.errors import InvalidParameter

_FOUND = "something else (not shown: it is data)"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ColumnSums:
    """Counts of ones, with the number of rows. Both are secrets: nothing here shows them.

    This is all that marginals need of a table; a data engine may compute it where the data lives.

    Args:
        ones: for each column the number of rows with a one, integers in 0..records.
        records: the number of rows.
        names: the names of the columns, if they have any; public.

    Raises:
        InvalidParameter: not a row of such integers; what was found is not said.

    Example:
        >>> ColumnSums([3, 0, 2], records=4)
        ColumnSums(of 3 columns, not shown)
    """

    ones: NDArray[np.int64]
    records: int
    names: tuple[str, ...] | None

    def __init__(
        self, ones: ArrayLike, *, records: SupportsIndex, names: tuple[str, ...] | None = None
    ) -> None:
        rows = _checked_records(records)
        counts = _checked_counts(ones, rows)
        if names is not None and len(names) != len(counts):
            raise _check.refuse(
                "`names` must hold one name for each column",
                f"{len(names)} names for {len(counts)} columns",
                "Name every column, or none.",
            )
        counts.flags.writeable = False
        keep(self, ones=counts, records=rows, names=names)

    @property
    def columns(self) -> int:
        """The number of columns, which is public."""
        return len(self.ones)

    def __repr__(self) -> str:
        return f"ColumnSums(of {self.columns} columns, not shown)"


def _checked_records(records: SupportsIndex) -> int:
    rule = "`records` must be an integer of at least 0"
    try:
        rows = _check.integer_between(records, "records", 0)
    except InvalidParameter:
        raise _check.refuse(rule, _FOUND, "Count the rows of the table.") from None
    return rows


def _checked_counts(ones: ArrayLike, records: int) -> NDArray[np.int64]:
    refusal = _check.refuse(
        "`ones` must be a row of integers between 0 and the number of rows, one for each column",
        _FOUND,
        "Count the ones of each column.",
    )
    try:
        counts = np.array(ones)
        fits = counts.ndim == 1 and counts.size > 0 and counts.dtype.kind in "iu"
        fits = fits and bool(counts.min() >= 0) and bool(counts.max() <= records)
    except Exception:  # what NumPy says of a strange object may quote it
        raise refusal from None
    if not fits:
        raise refusal
    return counts.astype(np.int64)
