"""`SecretCounts`: the counts of groups as they come in, checked without showing them."""

import operator
from collections.abc import Collection, Hashable, Mapping
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import InvalidParameter

LARGEST_COUNT = 1 << 62  # noise on top of it fits into 64 bits

Counts = SupportsIndex | ArrayLike | Mapping[Any, SupportsIndex]
"""One count, an array of them, or the counts of named groups."""

Zeros = ArrayLike | Collection[Hashable]
"""The groups that are publicly known to be empty: a mask, or names."""


@dataclass(frozen=True, eq=False, repr=False)
class SecretCounts:
    """Counts in a row, and how they were arranged: the names and the shape are public."""

    values: NDArray[np.int64]
    shape: tuple[int, ...]
    names: tuple[Hashable, ...] | None

    def arranged(self, released: NDArray[Any]) -> Any:
        """Released numbers in the arrangement of the counts."""
        if self.names is not None:
            return dict(zip(self.names, released.tolist(), strict=True))
        return released.reshape(self.shape) if self.shape else released[0].item()

    def public_zeros(self, zeros: Zeros | None) -> NDArray[np.bool_]:
        """Which of the counts are publicly 0.

        Raises:
            InvalidParameter: not a mask of the same shape, or not names of groups.
        """
        if zeros is None:
            return np.zeros(self.values.size, dtype=np.bool_)
        if self.names is not None:
            return self._named_zeros(zeros)
        mask = np.asarray(zeros)
        if mask.dtype == np.bool_ and mask.shape == self.shape:
            return mask.ravel()
        raise _check.refuse(
            "`zeros` must be an array of booleans in the shape of the counts",
            f"an array of {mask.dtype} in shape {mask.shape}",
            "Mark with True the groups that everybody knows to be empty.",
        )

    def _named_zeros(self, zeros: Zeros) -> NDArray[np.bool_]:
        assert self.names is not None
        wanted = (
            set(zeros) if isinstance(zeros, Collection) and not isinstance(zeros, str) else None
        )
        if wanted is not None and wanted <= set(self.names):
            return np.array([name in wanted for name in self.names], dtype=np.bool_)
        raise _check.refuse(
            "`zeros` must be a collection of names of the groups counted",
            f"a {type(zeros).__name__}"
            if wanted is None
            else f"{next(iter(wanted - set(self.names)))!r:.60}",
            "Name the groups that everybody knows to be empty.",
        )


def secret_counts(counts: Counts) -> SecretCounts:
    """The counts in exact form.

    Raises:
        InvalidParameter: not whole numbers in 0..2**62, or an odd name of a group. The message
            does not say what was found or where.
    """
    if isinstance(counts, Mapping):
        names = tuple(_checked_name(name) for name in counts)
        return SecretCounts(_listed(list(counts.values())), (len(names),), names)
    if isinstance(counts, list | tuple):
        # As objects, so that booleans among the integers are still seen.
        rows = _as_array(counts, object)
        return SecretCounts(_listed(rows.ravel().tolist()), rows.shape, None)
    array = _array(counts)
    return SecretCounts(array.ravel().astype(np.int64), array.shape, None)


def _checked_name(name: Hashable) -> Hashable:
    # A name that differs from itself, such as NaN, could never be looked up again.
    if name is not None and name == name:  # noqa: PLR0124
        return name
    raise _check.refuse(
        "a group must have a name that equals itself",
        "None or NaN as a name",
        "Name the group of missing values, for example 'missing'.",
    )


def _listed(values: list[Any]) -> NDArray[np.int64]:
    whole = [_whole(value) for value in values]
    return np.array(whole, dtype=np.int64)


def _whole(value: Any) -> int:
    if isinstance(value, bool | np.bool_):
        raise _refusal()
    try:
        number = operator.index(value)
    except Exception:  # whatever a foreign object raises may quote the data it holds
        raise _refusal() from None
    if 0 <= number <= LARGEST_COUNT:
        return number
    raise _refusal()


def _array(counts: Any) -> NDArray[Any]:
    if isinstance(counts, np.ma.MaskedArray):
        raise _refusal()
    array = _as_array(counts, None)
    if array.dtype.kind == "O" and array.shape == ():
        return np.array(_whole(array.item()), dtype=np.int64)
    whole = array.dtype.kind in "iu" or (array.size == 0 and array.dtype.kind == "f")
    if whole and (array.size == 0 or (array.min() >= 0 and array.max() <= LARGEST_COUNT)):
        return array
    raise _refusal()


def _as_array(counts: Any, dtype: type | None) -> NDArray[Any]:
    try:
        return np.asarray(counts, dtype=dtype)
    except Exception:  # whatever a foreign object raises may quote the data it holds
        raise _refusal() from None


def _refusal() -> InvalidParameter:
    return _check.refuse(
        "counts must be whole numbers in 0..2**62, as integers",
        "something else (not shown: it is data)",
        "Give an array of integers, or a dict from group to count; booleans, floats, missing and "
        "masked values are not taken for counts.",
    )
