"""`WeightedMean`: the mean of a column, each row with a weight of its own."""

from dataclasses import replace
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expected import Expected
from leastnoise.release.ask.expression import Cut, Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.questions.quotient import Quotient
from leastnoise.release.questions.sum import Sum
from leastnoise.release.questions.yardstick import in_range
from leastnoise.release.result.forecast import Forecast, shown_size
from leastnoise.release.step.groups import Groups


@dataclass(frozen=True)
class WeightedMean(Quotient):
    """Σ w·x / Σ w, over rows that have both values.

    With c the middle of the range of x, two sums are released, Σ w·(x − c) and Σ w. A row adds to
    the first at most half of what it may add to Σ w·x where x begins at 0.

    Attributes:
        column: what the mean is of.
        range_: where its values lie.
        weight: how much each row counts.
    """

    top: Sum
    bottom: Sum
    column: Term
    range_: Grid
    weight: Term

    @classmethod
    def of(  # noqa: PLR0913, PLR0917 - each is part of the question
        cls,
        name: str,
        groups: Groups,
        column: Term,
        range_: Grid,
        weight: Term,
        most: Grid,
        importance: Fraction,
    ) -> "WeightedMean":
        """The question; `most` is where weights lie."""
        centre, half = (range_.lower + range_.upper) / 2, (range_.upper - range_.lower) / 2
        reach = half * most.upper
        inside = Cut(weight, most.lower, most.upper) * (
            Cut(column, range_.lower, range_.upper) - centre
        )
        moved = Sum(name, groups, inside, Grid(lower=-reach, upper=reach), importance)
        # A term has no value where one of its columns has none: so both sums are of the same rows.
        weighed = Sum(name, groups, weight + 0 * column, most, importance)
        return cls(name, moved, weighed, column, range_, weight)

    @property
    def centre(self) -> float:
        """The middle of the range."""
        return float(self.range_.lower + self.range_.upper) / 2

    @property
    def limits(self) -> tuple[float, float]:
        """A mean of values in a range is in it."""
        return float(self.range_.lower), float(self.range_.upper)

    @property
    def divisor(self) -> Fraction:
        """The weight in the middle of its range."""
        return self.bottom.grid.middle

    def guesses(self, answer: Fraction | None) -> tuple[float, ...]:
        """Any mean between the bounds, unless one is expected."""
        place, (low, high) = self.range_.share_of(answer), self.limits
        return (low, self.centre, high) if place is None else (low + (high - low) * place,)

    def told_of(self, told: Forecast, expected: Expected) -> Forecast:
        """The forecast with what it assumes."""
        weight = f", with weights of {shown_size(float(self.divisor))} on average"
        told = in_range(told, self.range_, expected)
        return replace(told, assumed=f"{weight}{told.assumed}")

    @property
    def inside(self) -> tuple[float, float] | None:
        """The bounds that values are cut to."""
        return self.limits

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        low, high = self.limits
        return (
            f"The mean of {self.column.name}, weighted by {self.weight.name}{self.groups}; values "
            f"are cut to {low:g} … {high:g} and weights to 0 … "
            f"{float(self.bottom.grid.upper):g}, and rows without one of both do not count."
        )
