"""`least_error`: how accurate the means of so many records can be, and cannot be."""

from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check, _show
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.privacy.curves.curve import price_text
from leastnoise.sizes.attribute_range import AttributeRange
from leastnoise.sizes.barriers.impossible import least_possible_error
from leastnoise.sizes.bounds_table import IMPOSSIBLE, BoundsTable, Tabled, bound_text
from leastnoise.sizes.column_option import ColumnOption, column_options
from leastnoise.sizes.means_task import MeansTask
from leastnoise.tabulation.column_noise import ColumnNoise
from leastnoise.tabulation.objective import Objective, ObjectiveName

CONSTANT = "the middle, without data"


@dataclass(frozen=True)
class LeastErrorOption:
    """One mechanism, and its error.

    Attributes:
        mechanism: its name.
        noise: the law of the noise on the counts of ones; None if the data is not used.
        error: a bracket on its error; the upper end is sound.
    """

    mechanism: str
    noise: ColumnNoise | None
    error: Interval


@dataclass(frozen=True, repr=False)
class LeastError(Tabled):
    """An answer of `least_error`.

    Attributes:
        task: what was asked.
        records: the number of records.
        values: the two values of an attribute, whose scale all errors are on.
        options: all mechanisms, the best first.
        impossible_below: a smaller error no mechanism reaches.
    """

    task: MeansTask
    records: int
    values: AttributeRange
    options: tuple[LeastErrorOption, ...]
    impossible_below: Fraction

    plot = _show.plot

    @property
    def best(self) -> LeastErrorOption:
        """The mechanism with the least error."""
        return self.options[0]

    @property
    def error(self) -> Interval:
        """The least error that is reached."""
        return self.best.error

    def _table(self) -> BoundsTable:
        title = f"{self.task.words(self.values)}, {self.records} records, {self.task.promise}"
        rows = tuple((o.mechanism, price_text(o.error), "") for o in self.options)
        bound = (IMPOSSIBLE, bound_text(self.impossible_below), "")
        return BoundsTable(f"LeastError: {title}", "error", (bound,), rows)


def least_error(  # noqa: PLR0913 - the words of the question, all by name
    *,
    dimension: SupportsIndex,
    records: SupportsIndex,
    epsilon: Exact,
    delta: Exact = 0,
    objective: ObjectiveName | Objective,
    confidence: Exact | None = None,
    values: tuple[Exact, Exact] = (-1, 1),
) -> LeastError:
    r"""The error of the means of many attributes, by mechanism, and a bound no mechanism undercuts.

    The question of `sample_size`, asked the other way round; its conventions apply.

    Args:
        dimension: the number d of attributes, in 1..10^9, for δ > 0 in 1..10^6.
        records: the number n of records, at least 1.
        epsilon: ε > 0.
        delta: δ in [0, 1).
        objective: "max", "average" or "squared".
        confidence: for "max" only, in (0, 1).
        values: the two values of an attribute.

    Example:
        >>> least_error(
        ...     dimension=100, records=10_000, epsilon=1, objective="max", confidence="0.95"
        ... )
        LeastError: 100 means of ±1, worst error with confidence 0.95, 10000 records, ε = 1, δ = 0
                                    error
        impossible below           0.0072
        achievable with
        cube noise                 0.0234
        independent Laplace        0.1516
        the middle, without data        1
    """
    scale, people = AttributeRange(values), _check.integer_between(records, "records", 1)
    task = MeansTask(
        dimension=dimension,
        epsilon=epsilon,
        delta=delta,
        objective=objective,
        confidence=confidence,
    ).in_reach()
    options = [_option(option, task, people, scale) for option in column_options(task)]
    options.append(LeastErrorOption(CONSTANT, None, Interval.exactly(scale.half)))
    bound = least_possible_error(task, people) * scale.half
    return LeastError(
        task, people, scale, tuple(sorted(options, key=lambda option: option.error.upper)), bound
    )


def _option(
    option: ColumnOption, task: MeansTask, records: int, scale: AttributeRange
) -> LeastErrorOption:
    found = option.count_error(task)
    if task.objective is Objective.SQUARED:
        found = Interval(_root(found.lower).lower, _root(found.upper).upper)
    factor = 2 * scale.half / records
    return LeastErrorOption(
        option.mechanism, option.noise, Interval(found.lower * factor, found.upper * factor)
    )


def _root(square: Endpoint) -> Interval:
    return balls.enclosure(lambda: balls.ball(Fraction(square)).sqrt())
