"""`Marginals`: counts by every so many of several columns, all together."""

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from itertools import combinations, product
from operator import and_

import numpy as np

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP, about
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.defaults import declared_values
from leastnoise.release.ask.expression import Condition, col
from leastnoise.release.ask.keys import Key, Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.said_keys import listed_keys
from leastnoise.release.ask.table import Table
from leastnoise.release.draw.drawn import Drawn, Found
from leastnoise.release.draw.noisy_numbers import scaled
from leastnoise.release.questions.yardstick import of_rows
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import Cell, Floats, ReleasedTable
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import MEAN_OF_HALF_NORMAL, Demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.marginals_move import square_of_exchange, square_of_one
from leastnoise.release.step.sensitivity import histogram_sensitivity
from leastnoise.release.step.step import Step
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload
from leastnoise.tabulation.signed.pure_marginals import PureMarginals

Attribute = tuple[str, tuple[Key, ...]]
_PARTS = 2**16
_TRIES = 4


@dataclass(frozen=True)
class Marginals:
    r"""Counts by every `ways` of several columns, from rows that have a key in each column.

    Under zCDP the tables get the least Gaussian noise there is for all of them together; where ε
    add up, joint noise on signed tables, or independent noise if that is less. Tables with joint
    noise agree with each other.

    Theorem: a unit whose rows weigh M = max_rows·W in all is a mixture of M people of one row each,
    so that it moves everything at most M times as far as one person. If one person costs ρ/M² or
    ε/M, or as much if one is replaced by another or by nobody, a unit costs at most ρ or ε.
    Proof: norms are convex. docs/proofs/gate.md, theorem 4.

    Attributes:
        name: how the answer is found again.
        columns: each column with its keys.
        ways: how many columns make a table.
        where: only rows for which this is true.
        importance: of an error of one row.
    """

    name: str
    columns: tuple[Attribute, ...]
    ways: int
    where: Condition | None
    importance: Fraction

    @property
    def groups(self) -> Groups:
        """Of all rows that have a key in each column."""
        return Groups(where=self._complete)

    @property
    def _complete(self) -> Condition:
        """Tables agree on what they share only if they count the same rows."""
        parts: list[Condition] = [col(name).isin(keys) for name, keys in self.columns]
        return reduce(and_, parts if self.where is None else [self.where, *parts])

    @property
    def _tables(self) -> list[tuple[Attribute, ...]]:
        return list(combinations(self.columns, self.ways))

    @property
    def cells(self) -> int:
        """Of all tables together."""
        return sum(map(_cells, self._tables))

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        names = ", ".join(name for name, _ in self.columns)
        how = "each" if self.ways == 1 else f"every {self.ways}"
        return f"The number of rows by {how} of {names}; rows without a listed value do not count."

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for all tables together; an error is weighed against one row."""
        cells = sum(map(_cells, self._tables))
        planner = self._planner(Fraction(1), table)
        variance = float(planner.expected_cost()) / cells
        smooth = math.sqrt(variance) * MEAN_OF_HALF_NORMAL
        weight, pure = self.importance / table.row_weight, self._pure(Fraction(1), table)
        spread = float(self._total(table))
        if not isinstance(pure, CellNoise):
            spread = math.sqrt(pure.expected_cost() / cells) * MEAN_OF_HALF_NORMAL
        numbers = planner.plan.noise.coordinates
        return (Demand(weight, spread, smooth, smooth=numbers),)

    def _total(self, table: BoundedTable) -> int:
        reach = histogram_sensitivity(table.most, table.neighbours, groupings=len(self._tables))
        return reach.total

    @cached_property
    def _workload(self) -> ResidualWorkload:
        sizes = {name: len(keys) for name, keys in self.columns}
        return ResidualWorkload(sizes, [_names(table) for table in self._tables])

    def _planner(self, rho: Fraction, table: BoundedTable) -> ResidualPlanner:
        one = rho / table.most**2
        if table.neighbours is Neighbours.ADD_REMOVE:
            return _planned(self._workload, one)
        return _exchanging(self._workload, one)

    def _pure(self, epsilon: Fraction, table: BoundedTable) -> PureMarginals | CellNoise:
        """The joint noise, or independent noise where that is less, or joint noise too wide."""
        alone = DiscreteLaplace(scale=self._total(table) / epsilon)
        cells, reach = sum(map(_cells, self._tables)), self._total(table) // len(self._tables)
        with suppress(UnsupportedQuery):
            joint = _joint(self._workload, epsilon, reach)
            if joint.expected_cost() < cells * float(alone.moment(2)):
                return joint
        return CellNoise(alone)

    def _mechanism(self, given: Allotment) -> ResidualPlanner | PureMarginals | CellNoise:
        price = given[0].price
        if isinstance(price, ZCDP):
            return self._planner(price.rho, given.table)
        return self._pure(price.epsilon, given.table)

    def measurements(self, table: BoundedTable) -> tuple[Histograms, ...]:
        """One count per cell of each table."""
        groupings = tuple(
            Grouping(tuple(map(col, _names(each))), Keys.cross(dict(each))) for each in self._tables
        )
        return (Histograms(groupings, table.max_rows, self._complete),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """One draw for all tables together."""
        (asked,) = self.measurements(given.table)
        return (Step(asked, self._mechanism(given), given[0].price, among),)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of one cell of the table where it is largest."""
        errors, margins, mechanism = self._errors(given, confidence)
        told = Forecast(
            question=self.name,
            answers=sum(map(_cells, self._tables)),
            mechanism=mechanism,
            expected_error=max(errors) * MEAN_OF_HALF_NORMAL,
            interval=max(margins),
            share=given[0].share,
        )
        cells = Fraction(max(map(_cells, self._tables)))
        return of_rows(told, given.expected, 1 / cells, ", spread evenly")

    def _errors(
        self, given: Allotment, confidence: Fraction
    ) -> tuple[list[float], list[Fraction], str]:
        """Standard deviation and 95 % margin in each table, in rows, and the noise."""
        step, found = Fraction(1, given.table.row_weight), self._mechanism(given)
        if isinstance(found, CellNoise):
            law, count = found.law, len(self._tables)
            deviation = math.sqrt(float(law.moment(2))) * float(step)
            return [deviation] * count, [law.quantile(confidence) * step] * count, repr(law)
        names = [_names(each) for each in self._tables]
        spreads = [math.sqrt(float(found.variance(each))) * float(step) for each in names]
        reaches = [found.error(each, confidence=confidence) for each in names]
        margins = [
            Fraction(reach.upper if isinstance(reach, Interval) else reach) * step
            for reach in reaches
        ]
        return spreads, margins, _words(given[0].price)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """All tables below one another; None stands for all values of a column."""
        errors, margins, mechanism = self._errors(given, confidence)
        sizes = list(map(_cells, self._tables))
        values = self._values(given, found[0])
        margin = np.repeat([float(each) for each in margins], sizes)
        return ReleasedTable(
            name=self.name,
            columns=tuple(name for name, _ in self.columns),
            rows=tuple(row for each in self._tables for row in self._rows(each)),
            values=values,
            standard_error=np.repeat(errors, sizes),
            lower=values - margin,
            upper=values + margin,
            mechanism=mechanism,
        )

    def _values(self, given: Allotment, drawn: Drawn) -> Floats:
        step = Fraction(1, given.table.row_weight)
        if isinstance(self._mechanism(given), CellNoise):
            return np.concatenate([scaled(each, step) for each in drawn.values])
        (answers,) = drawn.values
        found = [answers.table(_names(each)).ravel() for each in self._tables]
        return np.asarray(np.concatenate(found) * float(step))

    def _rows(self, table: tuple[Attribute, ...]) -> list[tuple[Cell, ...]]:
        keys = dict(table)
        return list(product(*[keys.get(name, (None,)) for name, _ in self.columns]))


@lru_cache(maxsize=32)
def _joint(workload: ResidualWorkload, epsilon: Fraction, reach: int) -> PureMarginals:
    return PureMarginals(workload, guarantee=PureDP(epsilon=epsilon), contribution=reach)


@lru_cache(maxsize=32)
def _exchanging(workload: ResidualWorkload, rho: Fraction) -> ResidualPlanner:
    """The planner for which one person exchanged for another, or for nobody, costs at most ρ."""
    planner = safe = _planned(workload, rho / 4)
    for _ in range(_TRIES):
        times = Fraction(math.ceil(_times(planner) * _PARTS) + 1, _PARTS)
        planner = _planned(workload, rho / times)
        if _times(planner) <= times:
            return planner
    return safe  # each price rounded the multipliers otherwise


def _times(planner: ResidualPlanner) -> Fraction:
    """How many times as much one person exchanged costs as one more or less."""
    return Fraction(square_of_exchange(planner.plan), square_of_one(planner.plan))


def _words(price: PureDP | ApproxDP | ZCDP) -> str:
    kind = "ResidualPlanner" if isinstance(price, ZCDP) else "PureMarginals"
    return f"{kind} at {about(price)}"


@lru_cache(maxsize=32)
def _planned(workload: ResidualWorkload, rho: Fraction) -> ResidualPlanner:
    """Planning takes longer than answering, and is asked for by the preview and the release."""
    return ResidualPlanner(workload, guarantee=ZCDP(rho=rho))


def attributes(
    columns: Iterable[str], keys: Mapping[str, Iterable[Key]], table: Table
) -> tuple[Attribute, ...]:
    """The columns with their keys; declared values, and both truth values, need not be given.

    Raises:
        InvalidParameter: a column without two keys, one named twice, or keys of another.
    """
    names = [columns] if isinstance(columns, str) else list(columns)
    if not isinstance(keys, Mapping):
        raise _check.refuse(
            "`keys` must give the keys of each column",
            f"a {type(keys).__name__}",
            "Write keys={'city': ['Oslo', 'Bergen']}.",
        )
    if not names or len(set(names)) != len(names) or keys.keys() - set(names):
        raise _check.refuse(
            "marginals need columns, none twice, and keys of these columns only",
            f"{_check.shown(names)} with keys of {_check.shown(list(keys))}",
            "Name each column once.",
        )
    return tuple((name, _values_of(name, keys, table)) for name in names)


def _values_of(name: str, keys: Mapping[str, Iterable[Key]], table: Table) -> tuple[Key, ...]:
    listed = keys[name] if name in keys else declared_values(col(name), table) or ()
    found = Keys.of(name, listed_keys(name, listed))
    if table.schema.type_of(col(name)) is ColumnType.DATE:
        found = found.with_dates({name})
    if len(found) >= 2:
        return tuple(found.listed.values[0])
    raise _check.refuse(
        f"the column {name!r} must have at least two keys",
        f"{len(found)}",
        "Leave it out, or use `where`.",
    )


def _names(table: tuple[Attribute, ...]) -> tuple[str, ...]:
    return tuple(name for name, _ in table)


def _cells(table: tuple[Attribute, ...]) -> int:
    return math.prod(len(keys) for _, keys in table)
