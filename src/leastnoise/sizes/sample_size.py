"""`sample_size`: how many records an error needs, and how many are certainly too few."""

from fractions import Fraction
from math import ceil, isqrt
from typing import SupportsIndex

from leastnoise import _show
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.privacy.curves.curve import price_text
from leastnoise.sizes.attribute_range import AttributeRange
from leastnoise.sizes.bounds_table import IMPOSSIBLE, BoundsTable, Tabled
from leastnoise.sizes.column_option import ColumnOption, column_options
from leastnoise.sizes.means_task import MeansTask
from leastnoise.sizes.published_rule import PublishedRule, published_rule
from leastnoise.sizes.scoped_bound import EVERY, ScopedBound, scoped_bounds
from leastnoise.tabulation.column_noise import ColumnNoise
from leastnoise.tabulation.objective import Objective, ObjectiveName


@dataclass(frozen=True)
class SampleSizeOption:
    """One mechanism, and the least number of records with which it reaches the error.

    Attributes:
        mechanism: its name.
        noise: the law of the noise on the counts of ones, one integer per column.
        records: the least number of records, by exact quantiles or moments.
        certain: the least number with which no column is ever off by more; None if there is none.
    """

    mechanism: str
    noise: ColumnNoise
    records: int
    certain: int | None


@dataclass(frozen=True, repr=False)
class SampleSize(Tabled):
    """An answer of `sample_size`.

    Attributes:
        task: what was asked.
        error: the error asked for, on the scale of the values.
        values: the two values of an attribute.
        options: all mechanisms, the best first.
        bounds: numbers of records that are too few, each with the mechanisms it holds for: every
            mechanism first, then narrower kinds.
        published: Steinke and Ullman's rule, for objective "max".
    """

    task: MeansTask
    error: Fraction
    values: AttributeRange
    options: tuple[SampleSizeOption, ...]
    bounds: tuple[ScopedBound, ...]
    published: PublishedRule | None

    plot = _show.plot

    @property
    def best(self) -> SampleSizeOption:
        """The mechanism that needs fewest records."""
        return self.options[0]

    @property
    def records(self) -> int:
        """How many records suffice."""
        return self.best.records

    @property
    def impossible_below(self) -> int:
        """With fewer records no mechanism reaches the error."""
        return self.bounds[0].records

    @property
    def reason(self) -> str | None:
        """The theorem behind that bound; None where nothing is known."""
        return self.bounds[0].reason

    @property
    def gap(self) -> Fraction:
        """How many times as many records suffice as are known to be needed."""
        return Fraction(self.records, self.impossible_below)

    def _table(self) -> BoundsTable:
        rows = [(o.mechanism, str(o.records), _certainty(o)) for o in self.options]
        if self.published is not None:
            remark = f"published rule; fails with probability {price_text(self.published.failure)}"
            rows.append(("4d/(εα)", str(self.published.records), remark))
        bounds = tuple((_below(bound), str(bound.records), _why(bound)) for bound in self.bounds)
        title = f"{self.task.words(self.values, self.error)}, {self.task.promise}"
        return BoundsTable(f"SampleSize: {title}", "records", bounds, tuple(rows))


def _below(bound: ScopedBound) -> str:
    return IMPOSSIBLE if bound.scope == EVERY else f"… {bound.scope}"


def _why(bound: ScopedBound) -> str:
    return "" if bound.reason is None else f"({bound.reason})"


def _certainty(option: SampleSizeOption) -> str:
    return "" if option.certain is None else f"{option.certain} for certainty"


def sample_size(  # noqa: PLR0913 - the words of the question, all by name
    *,
    dimension: SupportsIndex,
    error: Exact,
    epsilon: Exact,
    delta: Exact = 0,
    objective: ObjectiveName | Objective,
    confidence: Exact | None = None,
    values: tuple[Exact, Exact] = (-1, 1),
) -> SampleSize:
    r"""The least number of records for the means of many attributes, by mechanism; and a bound.

    Neighbours differ in one record, and the number of records is public. For each mechanism the
    number is the least one, from the exact law of its noise on the lattice. `impossible_below` is
    a proved bound for every (ε, δ)-DP mechanism. Both are rounded to the safe side.

    Theorem and proof: docs/proofs/sample_size.md.

    Args:
        dimension: the number d of attributes, in 1..10^9, for δ > 0 in 1..10^6.
        error: what the means may be off by, above 0 and below half the range of an attribute.
        epsilon: ε > 0.
        delta: δ in [0, 1).
        objective: "max", the worst column; "average", the mean over the columns of E|error|;
            "squared", where `error` is the root of the mean over the columns of E(error)².
        confidence: for "max": how often all columns must be within the error, in (0, 1).
        values: the two values of an attribute, (0, 1) for bits; errors are on their scale.

    Raises:
        InvalidParameter: an argument out of its range, or a confidence where none belongs.

    References: SteinkeUllman2016; HardtTalwar2010; BunUllmanVadhan2014.

    Example:
        >>> sample_size(dimension=100, error="0.05", epsilon=1, objective="max", confidence="0.95")
        SampleSize: 100 means of ±1, worst error 0.05 with confidence 0.95, ε = 1, δ = 0
                             records
        impossible below        1440  (packing)
        achievable with
        cube noise              4680
        independent Laplace    30320
        4d/(εα)                 8000  published rule; fails with probability 1.84390e-15
    """
    scale = AttributeRange(values)
    task = MeansTask(
        dimension=dimension,
        epsilon=epsilon,
        delta=delta,
        objective=objective,
        confidence=confidence,
    ).in_reach()
    allowed = scale.on_signs(error)
    known = column_options(task)
    options = [_option(option, task, allowed) for option in known]
    return SampleSize(
        task,
        allowed * scale.half,
        scale,
        tuple(sorted(options, key=lambda option: option.records)),
        scoped_bounds(task, allowed, known),
        published_rule(task, allowed) if task.objective is Objective.MAX else None,
    )


def _option(option: ColumnOption, task: MeansTask, error: Fraction) -> SampleSizeOption:
    needed = Fraction(option.count_error(task).upper)
    certain = None
    if task.objective is Objective.MAX and option.noise.bound is not None:
        certain = ceil(2 * option.noise.bound / error)
    if task.objective is Objective.SQUARED:
        records = _root_up(4 * needed / error**2)
    else:
        records = ceil(2 * needed / error)
    return SampleSizeOption(option.mechanism, option.noise, max(records, 1), certain)


def _root_up(square: Fraction) -> int:
    """The least integer whose square is at least this."""
    root = isqrt(ceil(square))
    return root if root * root >= square else root + 1
