"""Secret counts as they come in: tables by marginal, a full cube, or one row of codes per person.

The messages name attributes and rules, and never show what was found.
"""

import math
from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.secret_integers import secret_integers
from leastnoise.tabulation.residuals.residual_axis import ResidualAxis, TableArray
from leastnoise.tabulation.residuals.residual_transform import residuals_of
from leastnoise.tabulation.residuals.residual_workload import (
    AttributeSet,
    Marginal,
    ResidualWorkload,
)

Tables = dict[AttributeSet, TableArray]
"""Counts by set of attributes, axes in the order of the attributes."""

MOST_PEOPLE = 1 << 33
"""More than there are: it keeps every number below 64 bits. Parts of people may be more."""

_MOST_PARTS = 1 << 62


def counted_records(workload: ResidualWorkload, records: ArrayLike) -> Tables:
    """The tables a workload needs, from an array with one row of codes per person."""
    codes = _columns(workload, records)
    found: Tables = {}
    for places in workload.largest:
        shape = tuple(axis.size for axis in workload.axes_of(places))
        flat = np.zeros(codes.shape[1], dtype=np.int64)
        for place, size in zip(places, shape, strict=True):
            flat = flat * size + codes[place]
        found[places] = np.bincount(flat, minlength=math.prod(shape)).reshape(shape)
    return found


def _columns(workload: ResidualWorkload, records: ArrayLike) -> NDArray[np.int64]:
    largest = max(axis.size for axis in workload.axes)
    array = secret_integers(records, "records", largest)
    if array.ndim != 2 or array.shape[1] != len(workload.axes):
        raise _check.refuse(
            f"`records` must have one row per person and {len(workload.axes)} columns, one for "
            "each attribute",
            f"{array.shape[1]} columns" if array.ndim == 2 else f"{array.ndim} dimensions",
            f"The columns are {', '.join(workload.names)}, in this order.",
        )
    columns = array.T
    for column, (name, size) in zip(columns, workload.attributes, strict=True):
        secret_integers(column, name, size)
    return columns


def summed_cube(workload: ResidualWorkload, cube: ArrayLike) -> Tables:
    """The tables a workload needs, from the table of all attributes."""
    every = tuple(range(len(workload.axes)))
    table = _counts(workload, every, cube, "cube")
    return {
        places: table.sum(axis=tuple(place for place in every if place not in places))
        for places in workload.largest
    }


def checked_tables(workload: ResidualWorkload, tables: Mapping[Marginal, ArrayLike]) -> Tables:
    """Tables given by name, each with its axes in the order of its name."""
    if not isinstance(tables, Mapping):
        raise _check.refuse(
            "the counts must be a mapping from marginals to tables",
            f"a {type(tables).__name__}",
            "Use `count` for one row per person, or `sum_cube` for a table of all attributes.",
        )
    found: Tables = {}
    for marginal, table in tables.items():
        typed = workload.typed_places(marginal)
        counts = _counts(workload, typed, table, f"table of {', '.join(workload.named(typed))}")
        found[tuple(sorted(typed))] = counts.transpose(np.argsort(typed))
    _check_complete(workload, found)
    return {places: found[places] for places in workload.largest}


def _check_complete(workload: ResidualWorkload, found: Tables) -> None:
    for places in workload.largest:
        if places not in found:
            raise _check.refuse(
                "the tables of all needed marginals must be given",
                f"none of {workload.named(places)!r}",
                "The planner's `needed` lists them.",
            )
    needed = set(workload.largest)
    for places in found:
        if places not in needed:
            raise _check.refuse(
                "only tables of needed marginals may be given",
                f"one of {workload.named(places)!r}",
                "Leave it out: it follows from the others, or was not planned for.",
            )


def _counts(
    workload: ResidualWorkload, typed: tuple[int, ...], table: ArrayLike, name: str
) -> TableArray:
    counts = secret_integers(table, name, _MOST_PARTS)
    shape = tuple(workload.axes[place].size for place in typed)
    if counts.shape != shape:
        raise _check.refuse(
            f"`{name}` must have the shape {shape}",
            f"shape {counts.shape}",
            "Give an axis for each attribute named, with one place for each of its values.",
        )
    # People counted in small parts, by weights: then Python's integers hold what 64 bits may not.
    return counts if _total(counts) < MOST_PEOPLE else counts.astype(np.object_)


def _total(counts: NDArray[np.int64]) -> int:
    """Exact: the high and the low half of each count are added up apart."""
    return (int((counts >> 31).sum()) << 31) + int((counts & (2**31 - 1)).sum())


def shared_residuals(workload: ResidualWorkload, tables: Tables) -> Tables:
    """The residual of every measured set, in integers; tables of one shape are taken together.

    Raises:
        InvalidParameter: two tables disagree on what they share.
    """
    by_shape: dict[tuple[ResidualAxis, ...], list[AttributeSet]] = defaultdict(list)
    for places in tables:
        by_shape[workload.axes_of(places)].append(places)
    found: Tables = {}
    for axes, alike in by_shape.items():
        stack = np.stack([tables[places] for places in alike])
        for inside, residuals in residuals_of(stack, axes).items():
            subsets = [tuple(places[number] for number in inside) for places in alike]
            # Slices rather than entries: an entry of an array of Python's integers is no array.
            whole = [residuals[i : i + 1].reshape(residuals.shape[1:]) for i in range(len(alike))]
            for subset, residual in zip(subsets, whole, strict=True):
                if not _same(found.setdefault(subset, residual), residual):
                    raise _disagreement()
    return found


def _same(one: TableArray, other: TableArray) -> bool:
    return one is other or np.array_equal(one, other)


def _disagreement() -> InvalidParameter:
    return _check.refuse(
        "all tables must count the same people",
        "tables that disagree on an attribute they share (not shown: it is data)",
        "Count them from one list of records.",
    )
