r"""Tables that fit together, from estimates of their effects, and the covariance of their errors.

The *effect* of a set A of attributes is what a table by A holds beyond all tables by fewer of them:
the table, centred along every axis. Every table is a sum of effects: a table by W is the sum, over
all A within W, of the effect of A, spread evenly over the other attributes of W. So tables that are
made of the same effects agree on all sums, whatever the noise.

Theorem. Let the estimates of different effects have uncorrelated errors, that of A with covariance
s_A times the product of (I - J/n) over A, J all ones. Then the errors of the tables by W and by U have
the covariance, summed over all A within both, s_A * (I - J/n) for every attribute of A, times 1/n for
every other attribute of W and for every other one of U. All cells of a table have one variance.
Proof page: docs/proofs/residual_planner.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.workloads.marginal_noise import Axes

Floats = NDArray[np.float64]

_NO_TIE = 1e-7  # far above the errors of floats: what is halfway is rounded alike in all tables


def subsets(axes: Axes) -> Iterator[Axes]:
    """All subsets, small ones first.

    >>> [*subsets((0, 2))]
    [(), (0,), (2,), (0, 2)]
    """
    for count in range(len(axes) + 1):
        yield from combinations(axes, count)


def inside(sizes: Sequence[int], effect: Axes) -> Fraction:
    """The product of 1 - 1/n over an effect."""
    return prod((1 - Fraction(1, sizes[axis]) for axis in effect), start=Fraction(1))


def shares(sizes: Sequence[int], axes: Axes) -> Iterator[tuple[Axes, Fraction]]:
    """Each effect in a table, and the variance of a cell that comes of it if s_A is 1."""
    for effect in subsets(axes):
        others = prod(sizes[axis] ** 2 for axis in axes if axis not in effect)
        yield effect, inside(sizes, effect) / others


def owners(sizes: Sequence[int], tables: Sequence[Axes]) -> dict[Axes, int]:
    """For every set of attributes in a table, the place of the smallest table that has it."""
    found: dict[Axes, int] = {}
    for table in sorted(tables, key=lambda table: prod(sizes[axis] for axis in table)):
        for each in subsets(table):
            found.setdefault(each, tables.index(table))
    return found


@dataclass(frozen=True, eq=False)
class TableErrors:
    """The errors of tables that are made of effects.

    Attributes:
        names: of the attributes.
        sizes: how many values each has.
        spreads: s_A of every effect that is estimated.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    spreads: Mapping[Axes, float]

    def axes(self, columns: Sequence[str]) -> Axes:
        """The numbers of some columns, in their order."""
        given = (columns,) if isinstance(columns, str) else tuple(columns)
        for name in given:
            if name not in self.names:
                raise InvalidInput(
                    f'No table has a column "{name}".{did_you_mean(name, self.names)} '
                    f"Columns: {', '.join(self.names)}."
                )
        axes = tuple(map(self.names.index, given))
        if tuple(sorted(axes)) not in self.spreads:
            raise InvalidInput(f"No table that was asked for has all of {', '.join(given)}.")
        return axes

    def variance_of(self, axes: Axes) -> float:
        """The variance of every cell of a table."""
        return sum(float(f) * self.spreads[effect] for effect, f in shares(self.sizes, axes))

    @cached_property
    def least(self) -> float:
        """The least variance of a cell of a table."""
        return min(map(self.variance_of, self.spreads))

    def covariance(self, columns: Sequence[str], other: Sequence[str] | None = None) -> Floats:
        """The covariance of the errors of two tables, or of one: a row for each cell of the first."""
        one = self.axes(columns)
        two = one if other is None else self.axes(other)
        shape = [self.sizes[axis] for axis in (*one, *two)]
        found = np.zeros(shape)
        for effect in subsets(tuple(sorted({*one} & {*two}))):
            part: Any = self.spreads[effect]
            for axis in {*one, *two} - {*effect}:
                part = part / self.sizes[axis] ** ((axis in one) + (axis in two))
            for axis in effect:
                size = self.sizes[axis]
                places = (one.index(axis), len(one) + two.index(axis))
                centred = np.eye(size) - 1 / size
                part = part * centred.reshape([
                    size if place in places else 1 for place in range(len(shape))
                ])  # fmt: skip
            found = found + part
        return found.reshape(prod(shape[: len(one)]), -1)


@dataclass(frozen=True, eq=False)
class TableAnswers:
    """Tables that fit together, with their errors.

    Attributes:
        errors: of the tables.
        effects: the estimate of every effect, with one axis for each of its attributes.
    """

    errors: TableErrors
    effects: Mapping[Axes, Floats]

    def table(self, columns: Sequence[str]) -> Floats:
        """The estimated counts by some columns, axes in their order."""
        axes, sizes = self.errors.axes(columns), self.errors.sizes
        inside = tuple(sorted(axes))
        found = np.zeros([sizes[axis] for axis in inside])
        for effect in subsets(inside):
            others = prod(sizes[axis] for axis in inside if axis not in effect)
            shape = [sizes[axis] if axis in effect else 1 for axis in inside]
            found = found + self.effects[effect].reshape(shape) / others
        return found.transpose([inside.index(axis) for axis in axes])


def whole_numbers(table: Floats) -> NDArray[np.int64]:
    """A table in whole numbers, which agree with those of all other tables on all sums.

    Rounded are the sums over all cells up to each one: those with some columns at their end are sums
    of a table by fewer columns, and one number in all tables. A cell of k columns is a sum of 2^k of
    them, up and down, so it is within 2^(k - 1) of the estimate.
    """
    for axis in range(table.ndim):
        table = table.cumsum(axis=axis)
    sums = np.rint(table + _NO_TIE)
    for axis in range(table.ndim):
        sums = np.diff(sums, axis=axis, prepend=0)
    return sums.astype(np.int64)


def centred(values: Floats) -> Floats:
    """Without the mean along every axis."""
    for axis in range(values.ndim):
        values = values - values.mean(axis=axis, keepdims=True)
    return values


def unsigned(values: Floats, signs: Axes, effect: Axes) -> Floats:
    """An effect from its values by cells: half of them for each value of a sign, up and down."""
    for place, axis in enumerate(effect):
        if axis in signs:
            values = np.stack([values, -values], axis=place) / 2
    return values
