"""`Regression`: ordinary least squares of a column on others."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import ceil
from operator import and_
from statistics import NormalDist

import numpy as np

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Condition, Term, as_term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.question_parts import square_grid
from leastnoise.release.draw.drawn import Found
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.measure.sql.sql_term import kind_of
from leastnoise.release.questions.integer_answers import lattice_forecast, noisy_step, spread
from leastnoise.release.questions.least_squares import SURE, LeastSquares, least_seen, turn
from leastnoise.release.questions.moments import Moments, Pair
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.own_unit import in_own_unit
from leastnoise.release.questions.yardstick import measured_by
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step

_MOST_COLUMNS = 12  # 91 sums
_GUESS = 0.25  # of a coefficient, all columns being scaled to −1..1: for dividing the budget alone
_VARIANCE = 0.25  # of a column so scaled, for forecasts alone
_LIKELY = 32  # so many rows that hang together tell as much of a direction as one that does not
_ANY_STEP = Fraction(1)  # errors are told in the answer's own unit, and not by a sum's
_WHOLE = frozenset({ColumnType.TRUTH, ColumnType.INTEGER})
_TRUTH = Fraction(0), Fraction(1)
INTERCEPT = "intercept"


@dataclass(frozen=True)
class Regression:
    r"""The coefficients of y ≈ β₀ + Σ βᵢ·xᵢ with the least sum of squares.

    Rows without one of the values do not count. Values are cut to their bounds: the coefficients
    are those of the cut columns. Each sum of products of two columns is released with noise of its
    own, so that regressions with the same columns and rows share them.

    Attributes:
        name: how the answer is found again.
        asked: the groups, as they were asked for.
        columns: what explains, and at the end what is explained.
        grids: their ranges.
        population: whether intervals are about a population that the rows were drawn from; else
            they are about this table.
        importance: of an error as large as what one row adds.
    """

    name: str
    asked: Groups
    columns: tuple[Term, ...]
    grids: tuple[Grid, ...]
    population: bool
    importance: Fraction

    @property
    def groups(self) -> Groups:
        """The groups, of rows that have all values."""
        ordered = sorted(self.columns, key=str)
        tests: list[Condition] = [~each.is_null() for each in ordered]
        present = reduce(and_, tests)
        where = self.asked.where
        return replace(self.asked, where=present if where is None else where & present)

    @property
    def cut_to(self) -> tuple[tuple[str, Grid], ...]:
        """The bounds of all columns."""
        pairs = zip(self.columns, self.grids, strict=True)
        return tuple((column.name, grid) for column, grid in pairs)

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        *others, explained = (column.name for column in self.columns)
        cuts = [
            f"{column.name} {float(grid.lower):g} … {float(grid.upper):g}"
            for column, grid in zip(self.columns, self.grids, strict=True)
        ]
        about = "a population that rows are drawn from" if self.population else "this table"
        return (
            f"The least-squares coefficients of {explained} on {', '.join(others)}{self.asked}; "
            f"values are cut ({', '.join(cuts)}), rows without one of them do not count, and "
            f"intervals are about {about}."
        )

    def _moments(self, table: BoundedTable) -> Moments:
        """Columns of whole numbers from 0 to 1 have two values, whatever the data."""
        pairs = enumerate(zip(self.columns, self.grids, strict=True), 1)
        schema = table.table.schema
        two = [
            place
            for place, (column, grid) in pairs
            if kind_of(column, schema) in _WHOLE and (grid.lower, grid.upper) == _TRUTH
        ]
        unneeded = () if self.population else (len(self.columns),)
        return Moments(self.columns, self.grids, frozenset(two), frozenset(unneeded))

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """Each sum by itself."""
        sums, groups = self._moments(table).aggregates.values(), self.groups
        return tuple(groups.measurement((each,), table) for each in sums)

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for each sum, the more the less it moves coefficients as large as is guessed."""
        moments = self._moments(table)
        sums = zip(self.measurements(table), moments.aggregates, moments.scales, strict=True)
        return tuple(
            cells_demand(asked, table, self.importance * self._weight(pair) / Fraction(scale))
            for asked, pair, scale in sums
        )

    def _weight(self, pair: Pair) -> Fraction:
        r"""√Δ·g^(3/4), g what the noise's variance does, Δ its reach: docs/proofs/regression.md."""
        i, j = pair
        last = len(self.columns)
        if j == last and i < last:
            return Fraction(1)
        same, half = i == j, i == j != 0
        g = _GUESS**2 * (1 if same else 2)
        return Fraction((0.5 if half else 1.0) ** 0.5 * g**0.75).limit_denominator(1000)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """A draw for each sum."""
        pairs = zip(self.measurements(given.table), given, strict=True)
        return tuple(noisy_step(asked, each, among) for asked, each in pairs)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of the first slope, for the rows expected; and how many rows are needed."""
        moments, rows = self._moments(given.table), given.expected.rows
        place = list(moments.aggregates).index((1, len(self.columns)))
        told = lattice_forecast(self.name, self.groups, given[place], _ANY_STEP, confidence)
        told = replace(
            told,
            answers=None if told.answers is None else told.answers * len(self.columns),
            share=sum((each.share for each in given), Fraction(0)),
            ratio=None,
            assumed=f": the slope of {self.columns[0].name}, with columns that vary by half of "
            "what they can and do not hang together",
            advice=self._advice(given, moments),
        )
        case, unit = _MovedSlope.of(moments), float(turn(self.grids)[1, 1])
        own = in_own_unit(told, self._noise(given), [case], unit, rows, confidence)
        return measured_by(own, None, "", given.expected.answer)

    def _advice(self, given: Allotment, moments: Moments) -> tuple[str, ...]:
        """Flags tables that are too small for their columns, before anything is charged."""
        needed = ceil(_LIKELY * SURE * least_seen(self._spreads(given), moments.size - 1))
        known, rows = given.expected.rows, "rows are needed for so many columns, as far as can be"
        if known is None:
            return (f"about {needed:,} {rows} told without the data",)
        if known >= needed:
            return ()
        return (f"too few rows: {known:,} are expected, and about {needed:,} {rows} told",)

    def make_ready(self, given: Allotment, confidence: Fraction) -> None:
        """What the noises are together is known before the charge: found for any sums."""
        self._fitted(given, np.ones((1, len(given.grants))), confidence)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The coefficients; the interval is of what noise does to them, by its joint law."""
        scales = self._moments(given.table).scales
        pairs = zip(found, scales, strict=True)
        sums = np.stack([one.values[0].astype(np.float64) / scale for one, scale in pairs], axis=1)
        fit, errors, halves = self._fitted(given, sums, confidence)
        unknown = np.where(fit.known[:, None], 0.0, np.nan)
        values = fit.coefficients + unknown
        names = (INTERCEPT, *(column.name for column in self.columns[:-1]))
        return ReleasedTable(
            name=self.name,
            columns=(*self.groups.names, "coefficient"),
            rows=tuple((*key, name) for key in found[0].rows for name in names),
            values=values.ravel(),
            standard_error=(errors + unknown).ravel(),
            lower=(values - halves).ravel(),
            upper=(values + halves).ravel(),
            mechanism="; ".join(dict.fromkeys(each.words for each in given)),
            notes=self._notes(all_known=bool(fit.known.all())),
        )

    def _fitted(
        self, given: Allotment, sums: Floats, confidence: Fraction
    ) -> tuple[LeastSquares, Floats, Floats]:
        """The fit, its standard errors and half-widths."""
        fit = LeastSquares(self._moments(given.table), sums, self._spreads(given))
        factors, noise = fit.factors(), self._noise(given)
        shape = len(sums), len(self.columns)  # there may be no group at all
        halves = noise.quantiles(factors, float(1 - confidence)).reshape(shape)
        errors = noise.spreads(factors).reshape(shape)
        if not self.population:
            return fit, errors, halves
        drawn, usual = fit.sampling(), NormalDist().inv_cdf(float(1 + confidence) / 2)
        return fit, np.hypot(errors, drawn), np.hypot(halves, usual * drawn)

    def _noise(self, given: Allotment) -> NoiseTogether:
        return NoiseTogether.of(given.grants, self._moments(given.table).scales)

    def _spreads(self, given: Allotment) -> Floats:
        pairs = zip(given, self._moments(given.table).scales, strict=True)
        return np.array([spread(each) / scale for each, scale in pairs])

    def _notes(self, *, all_known: bool) -> tuple[str, ...]:
        about = (
            "intervals hold noise and the error of drawing rows from a population"
            if self.population
            else "intervals are about this table; for a population that rows are drawn from, "
            "ask with population=True"
        )
        return (about,) if all_known else (about, _TOO_FEW)


@dataclass(frozen=True)
class _MovedSlope:
    """The first slope, of columns that vary by half of what they can.

    Attributes:
        factors: of each noise.
    """

    factors: tuple[float, ...]

    @classmethod
    def of(cls, moments: Moments) -> "_MovedSlope":
        """With coefficients as large as is guessed."""
        left, right = np.zeros((1, moments.size)), np.full((1, moments.size), -_GUESS)
        left[0, 1], right[0, -1] = 1, 1
        return cls(tuple(moments.factors(left, right)[0].tolist()))

    def errors(self, noise: Floats, rows: float) -> Floats:
        """How far off it is."""
        return np.asarray(np.abs(noise @ np.asarray(self.factors)) / (rows * _VARIANCE))


_TOO_FEW = (
    "too few rows for so many columns: where a direction of the columns may be noise alone, "
    "coefficients are not known. Ask with fewer columns, tighter bounds or a larger budget"
)


def explaining(
    on: Sequence[str | Term], lower: Sequence[Exact], upper: Sequence[Exact]
) -> list[tuple[Term, Grid]]:
    """The columns that explain, with their ranges.

    Raises:
        InvalidParameter: no list of columns, too many, or not a bound for each.
    """
    lists: tuple[object, ...] = on, lower, upper
    if any(isinstance(each, str) or not isinstance(each, Sequence) for each in lists):
        raise _check.refuse(
            "`on`, `on_lower` and `on_upper` must be lists",
            _check.shown(lists),
            "Write on=['age'], on_lower=[0], on_upper=[100].",
        )
    if not 0 < len(on) <= _MOST_COLUMNS or not len(on) == len(lower) == len(upper):
        raise _check.refuse(
            f"`on` must name 1 to {_MOST_COLUMNS} columns, each with a lower and an upper bound",
            f"{len(on)} columns, {len(lower)} lower and {len(upper)} upper bounds",
            "Bounds are public: give the range that each column's values can have.",
        )
    ends = zip(lower, upper, strict=True)
    return [(as_term(each), square_grid(*pair)) for each, pair in zip(on, ends, strict=True)]


def refuse_repeated(columns: Sequence[Term]) -> None:
    """Checks that no column is named twice: with itself any column is explained."""
    if len(set(columns)) < len(columns):
        raise _check.refuse(
            "the columns of a regression must differ",
            _check.shown([column.name for column in columns]),
            "Name each once.",
        )
