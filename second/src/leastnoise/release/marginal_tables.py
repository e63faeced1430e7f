"""Tables of counts by several columns that fit together: `ln.marginals`.

Every table is measured by itself. The tables share the sums over fewer columns, so each sum is
estimated from all tables that have it, by least squares, and every table is put together from these
estimates. That makes the tables consistent and their margins smaller, and costs no privacy.

A table over a set A of columns is the sum, over all subsets B of A, of effects: functions of the
columns in B whose sum over any one of them is 0, spread evenly over the other columns. Effects of
different subsets are orthogonal, so with independent noise of one variance in each table they can be
estimated one by one: the sum of a table over the columns outside B has the variance of a cell times
the number of cells that are summed, and the best estimate weighs tables by its inverse.

Reference: Xiao, He, Zhang and Kifer 2023, An optimal and scalable matrix mechanism for noisy
marginals; here the noise is on the tables, not on the effects.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import prod

import numpy as np

from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import whole
from leastnoise.release.estimate import Floats

Columns = tuple[str, ...]

MOST_TABLES = 2_000


@dataclass(frozen=True)
class Marginals:
    """All tables by `ways` of some columns, to group by."""

    columns: Columns
    ways: int

    @property
    def sets(self) -> tuple[Columns, ...]:
        """The columns of each table."""
        return tuple(combinations(self.columns, self.ways))


def marginals(columns: Sequence[str], *, ways: int) -> Marginals:
    """Tables by every `ways` of these columns: `group_by(ln.marginals(["sex", "smoker"], ways=2))`.

    Args:
        columns: names of columns, each with known values.
        ways: how many columns each table has.
    """
    if isinstance(columns, str) or not all(isinstance(each, str) for each in columns):
        raise InvalidInput('marginals takes names of columns:  ln.marginals(["a", "b"], ways=2)')
    names, count = tuple(dict.fromkeys(columns)), whole(ways, "ways")
    if count > len(names):
        raise InvalidInput(
            f"ways is {count}, and there are {len(names)} columns. Give at most that."
        )
    found = Marginals(names, count)
    if len(found.sets) > MOST_TABLES:
        raise InvalidInput(f"These are {len(found.sets):,} tables; {MOST_TABLES:,} are the most.")
    return found


@dataclass(frozen=True, eq=False)
class Table:
    """Counts by some columns, with the standard deviation of each."""

    values: Floats
    deviation: float


def subsets(columns: Columns) -> Iterable[Columns]:
    """All subsets of some columns, in their order."""
    return chain.from_iterable(combinations(columns, n) for n in range(len(columns) + 1))


def deviations(sizes: Mapping[str, int], measured: Mapping[Columns, float]) -> dict[Columns, float]:
    """The standard deviation of a cell of each table, once the tables are consistent.

    Args:
        sizes: how many values each column has.
        measured: for each table the standard deviation of a cell as it was measured.
    """
    precision: dict[Columns, float] = {}
    for table, deviation in measured.items():
        for effect in subsets(table):
            summed = prod(sizes[name] for name in table if name not in effect)
            precision[effect] = precision.get(effect, 0.0) + 1 / (deviation**2 * summed)
    found = {}
    for table in measured:
        variance = 0.0
        for effect in subsets(table):
            spread = prod(sizes[name] for name in table if name not in effect)
            own = prod(1 - 1 / sizes[name] for name in effect)
            variance += own / precision[effect] / spread**2
        found[table] = variance**0.5
    return found


def consistent(measured: Mapping[Columns, Table]) -> dict[Columns, Table]:
    """The same tables, made consistent by least squares.

    Args:
        measured: tables by their columns; `values` has one axis for each column.

    >>> one = Table(np.array([[3.0, 1.0], [2.0, 2.0]]), 1.0)
    >>> two = Table(np.array([5.0, 5.0]), 1.0)
    >>> found = consistent({("a", "b"): one, ("a",): two})
    >>> found["a", "b"].values.sum(axis=1), found["a",].values
    (array([4.66666667, 4.66666667]), array([4.66666667, 4.66666667]))
    """
    sizes = {name: size for columns, table in measured.items()
             for name, size in zip(columns, table.values.shape, strict=True)}  # fmt: skip
    sums: dict[Columns, Floats] = {}
    weights: dict[Columns, float] = {}
    for columns, table in measured.items():
        for effect in subsets(columns):
            others = tuple(place for place, name in enumerate(columns) if name not in effect)
            summed = prod(sizes[columns[place]] for place in others)
            weight = 1 / (table.deviation**2 * summed)
            own = weight * _centred(table.values.sum(axis=others))
            sums[effect] = sums[effect] + own if effect in sums else own
            weights[effect] = weights.get(effect, 0.0) + weight
    after = deviations(sizes, {columns: table.deviation for columns, table in measured.items()})
    found = {}
    for columns in measured:
        values = np.zeros([sizes[name] for name in columns])
        for effect in subsets(columns):
            shape = [sizes[name] if name in effect else 1 for name in columns]
            spread = prod(sizes[name] for name in columns if name not in effect)
            values = values + (sums[effect] / weights[effect] / spread).reshape(shape)
        found[columns] = Table(values, after[columns])
    return found


def _centred(values: Floats) -> Floats:
    """Without its mean along every axis."""
    for axis in range(values.ndim):
        values = values - values.mean(axis=axis, keepdims=True)
    return values
