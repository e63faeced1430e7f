"""`View`: how many outputs of a mechanism are turned into columns."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.auditing.array_columns import array_columns
from leastnoise.auditing.columns import Columns
from leastnoise.auditing.object_columns import Raised, common_paths, object_columns

Outputs = Sequence[object] | NDArray[Any]

Feature = Callable[[Any], float]
"""An aspect of one output, as a number, that its user thinks is telling."""

_FITS = 1 << 62  # sums of two still fit into 64 bits


@dataclass(frozen=True)
class View:
    """What is looked at. Once chosen it is fixed: a column depends on one output at a time.

    Attributes:
        paths: the places inside containers that have columns of their own.
        features: aspects the user named.

    Example:
        >>> view = chosen_view([3, 4], [None, Raised("ValueError")])
        >>> sorted(view.columns([3, 4, 5]).numbers)
        ['output']
        >>> view.columns([None, Raised("ValueError")]).codes["kind of output"].size
        2
    """

    paths: tuple[str, ...]
    features: tuple[Feature, ...] = ()

    def columns(self, outputs: Outputs) -> Columns:
        """The columns of a row of outputs; an array has one output per row."""
        return self._columns(outputs).beside(
            {
                f"feature {getattr(feature, '__name__', place)}": _applied(feature, outputs)
                for place, feature in enumerate(self.features)
            }
        )

    def _columns(self, outputs: Outputs) -> Columns:
        array = _as_array(outputs)
        if array is None:
            return object_columns(list(outputs), self.paths)
        return array_columns(array)


def chosen_view(one: Outputs, other: Outputs, features: tuple[Feature, ...] = ()) -> View:
    """A view that suits outputs like these."""
    mixed = [list(outputs) for outputs in (one, other) if _as_array(outputs) is None]
    return View(common_paths(*mixed), features)


def _as_array(outputs: Outputs) -> NDArray[Any] | None:
    """The outputs as one array of numbers, where that loses nothing."""
    if isinstance(outputs, np.ndarray):
        return outputs if outputs.dtype.kind in "biuf" else None
    kinds = set(map(type, outputs))
    if kinds == {float}:
        return np.array(outputs, dtype=np.float64)
    if kinds == {int} and max(map(abs, outputs)) < _FITS:  # type: ignore[arg-type]
        return np.array(outputs, dtype=np.int64)
    return None


def _applied(feature: Feature, outputs: Outputs) -> NDArray[np.float64]:
    return np.array(
        [np.nan if isinstance(output, Raised) else float(feature(output)) for output in outputs]
    )
