"""Tables by several columns that fit together: what is measured, and tables from noisy numbers.

The tables have sums in common, so the noise is not on their cells: it is on residuals (Gaussian) or
signed tables (Laplace), each measured once for all tables (`workloads.residual`). All tables are put
together from these, so every sum that two tables have in common is one number, and each margin is
smaller than with noise on every table. The sums of different totals have noise of their own.

Proof page: docs/proofs/residual_planner.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import floor, isqrt, log10, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.ledger.meters import Family
from leastnoise.noise.sums import NoiseSum
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import whole
from leastnoise.release.estimate import Answers, Floats
from leastnoise.release.grouping import Bins
from leastnoise.release.measurement import Law, Part, Shared
from leastnoise.tables.contributions import ONE
from leastnoise.tables.totals import Total
from leastnoise.workloads.marginal_noise import Axes, SignedNoise, TableLaw
from leastnoise.workloads.residual import MOST_EFFECTS, ResidualPlan
from leastnoise.workloads.residual_answers import whole_numbers
from leastnoise.workloads.signed import cell_noise

MOST_TABLES = 2_000


@dataclass(frozen=True)
class Marginals:
    """All tables by `ways` of some columns, to group by."""

    columns: tuple[str | Bins, ...]
    ways: int

    @property
    def sets(self) -> tuple[Axes, ...]:
        """The columns of each table, by their numbers."""
        return tuple(combinations(range(len(self.columns)), self.ways))


def marginals(columns: Sequence[str | Bins], *, ways: int) -> Marginals:
    """Tables by every `ways` of these columns: `group_by(ln.marginals(["sex", "smoker"], ways=2))`.

    The tables fit together: whatever two of them say about the same rows is the same number.

    Args:
        columns: names of columns with known values, or bins.
        ways: how many columns each table has.

    >>> marginals(["a", "b", "c"], ways=2).sets
    ((0, 1), (0, 2), (1, 2))
    """
    if isinstance(columns, str) or not all(isinstance(each, str | Bins) for each in columns):
        raise InvalidInput('marginals takes names of columns:  ln.marginals(["a", "b"], ways=2)')
    names, count = tuple(dict.fromkeys(columns)), whole(ways, "ways")
    if count > len(names):
        raise InvalidInput(
            f"ways is {count}. Give at most the number of different columns, {len(names)}."
        )
    found = Marginals(names, count)
    if len(found.sets) > MOST_TABLES:
        raise InvalidInput(f"These are {len(found.sets):,} tables; {MOST_TABLES:,} are the most.")
    return found


@dataclass(frozen=True)
class Together:
    """Tables that fit together.

    Attributes:
        names: the columns that they are by.
        sizes: how many values each column has.
        tables: for each table the numbers of its columns.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    tables: tuple[Axes, ...]

    def columns(self, axes: Axes) -> tuple[str, ...]:
        """Columns by name."""
        return tuple(self.names[axis] for axis in axes)

    def axes(self, names: Sequence[str]) -> Axes:
        """The numbers of columns."""
        return tuple(map(self.names.index, names))


def together_of(names: Sequence[str], sizes: Sequence[int], sets: Sequence[Axes]) -> Together:
    """Tables by these sets of columns, each of them once."""
    for name, size in zip(names, sizes, strict=True):
        if size < 2:
            raise InvalidInput(f"{name} has one value, so it divides nothing. Leave it out.")
    tables = tuple(dict.fromkeys(tuple(sorted({*each})) for each in sets))
    cells = sum(2 ** len(axes) for axes in tables)
    if len(tables) > MOST_TABLES or cells > MOST_EFFECTS:
        raise InvalidInput("These are too many tables, or by too many columns. Ask for fewer.")
    return Together(tuple(names), tuple(sizes), tables)


@lru_cache(maxsize=64)
def _plan(names: tuple[str, ...], law: TableLaw) -> ResidualPlan:
    return ResidualPlan(names, law)


@lru_cache(maxsize=64)
def law_of(together: Together, family: Family, amount: Fraction) -> TableLaw:
    """The noise of one total that costs at most this epsilon, or mu^2; every table counts alike."""
    sizes = dict(zip(together.names, together.sizes, strict=True))
    weights = {
        together.columns(axes): Fraction(1, prod(together.sizes[axis] for axis in axes))
        for axes in together.tables
    }
    if family == "gaussian":
        return ResidualPlan.gaussian(sizes, weights, rho=amount / 2).law
    return ResidualPlan.pure(sizes, weights, epsilon=amount).law


def consistent(
    together: Together, draws: Sequence[Law], found: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The totals of every table, in place of what is stored of all of them."""
    made: list[dict[str, Any]] = [dict(each, totals=[]) for each in found]
    for number, law in enumerate(draws):
        assert isinstance(law, TableLaw)
        noisy = [each["totals"][number] for each in found]
        answers = _plan(together.names, law).answers(noisy, ONE)
        for own, axes in zip(made, together.tables, strict=True):
            own["totals"].append((answers.table(together.columns(axes)).ravel() * ONE).tolist())
    return made


def rounded(together: Together, names: Sequence[str], law: Law, answers: Answers) -> Answers:
    """Answers by some columns to four digits of the least standard error; values still add up."""
    assert isinstance(law, TableLaw)
    axes, errors = together.axes(names), _plan(together.names, law).errors
    part = (errors.least / errors.variance_of(axes)) ** 0.5
    digits = max(0, 3 - floor(log10(answers.standard_error[0] * part)))
    values = in_whole_numbers(together, names, answers.value * 10.0**digits) / 10.0**digits
    return replace(answers.rounded(), value=values)


def in_whole_numbers(together: Together, names: Sequence[str], values: Floats) -> NDArray[np.int64]:
    """Answers by some columns in whole numbers that still add up."""
    shape = [together.sizes[axis] for axis in together.axes(names)]
    return whole_numbers(values.reshape(shape)).ravel()


@dataclass(frozen=True, eq=False)
class CellNoise:
    """The noise of a cell of a table: sums of it over totals, with their law.

    Attributes:
        names: the columns that all tables are by.
        cells: for each total its law, the columns of the table, and how many rows one unit moves.
    """

    names: tuple[str, ...]
    cells: Mapping[Total, tuple[TableLaw, Axes, float]]

    @classmethod
    def of(cls, together: Together, part: Part, draws: Sequence[Law]) -> "CellNoise":
        """That of a table."""
        cells = dict[Total, tuple[TableLaw, Axes, float]]()
        for total, noise in zip(part.measurement.totals, part.noise, strict=True):
            assert isinstance(noise, Shared)
            law, moves = draws[noise.draw], isqrt(part.measurement.sensitivity(total, "l1")) / ONE
            assert isinstance(law, TableLaw)
            cells[total] = law, together.tables[noise.place], moves
        return cls(together.names, cells)

    def has(self, coefficients: Mapping[Total, Any]) -> bool:
        """Whether the noise of a sum is among it."""
        return any(total in self.cells for total in coefficients)

    def sum(self, coefficients: Mapping[Total, Any]) -> NoiseSum:
        """The noise of a sum of totals."""
        size, noise = self._noise(coefficients)
        points = None if noise.magnitudes is None else size * noise.magnitudes
        return NoiseSum(size * noise.deviation, points, noise.weights)

    def quantile(self, coefficients: Mapping[Total, Any], risk: float) -> float:
        """The x with P(noise of a sum of totals > x) = risk."""
        size, noise = self._noise(coefficients)
        return size * noise.quantile(risk)

    def _noise(self, coefficients: Mapping[Total, Any]) -> tuple[float, NoiseSum]:
        """A number, and the noise that is to be multiplied by it: it is the same for every limit."""
        square, signed = 0.0, list[tuple[SignedNoise, Axes, float]]()
        cells = [(*self.cells[total], float(c)) for total, c in coefficients.items()]
        size = max(abs(c * moves) for _, _, moves, c in cells)
        for law, axes, moves, c in cells:
            if isinstance(law, SignedNoise):
                signed.append((law, axes, c * moves / size))
            else:
                variance = _plan(self.names, law).errors.variance_of(axes)
                square += variance * (c * moves / size) ** 2
        return size, cell_noise(tuple(signed)) if signed else NoiseSum.gaussian(square**0.5)
