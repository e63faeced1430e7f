"""`Ratio`: the sum of one column over that of another; missing values count as 0."""

from dataclasses import replace
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expected import Expected
from leastnoise.release.ask.grid import Grid
from leastnoise.release.questions.quotient import Quotient
from leastnoise.release.questions.sum import Sum
from leastnoise.release.questions.yardstick import measured_by
from leastnoise.release.result.forecast import Forecast, shown_size


@dataclass(frozen=True)
class Ratio(Quotient):
    """The sum of one column over that of another."""

    top: Sum
    bottom: Sum

    @property
    def divisor(self) -> Fraction:
        """The middle of the range of what divides."""
        return self.bottom.grid.middle

    def guesses(self, answer: Fraction | None) -> tuple[float, ...]:
        """The answer that is expected, or what the middles of both ranges make."""
        return (float(answer if answer is not None else self._middles),)

    @property
    def _middles(self) -> Fraction:
        return self.top.grid.middle / self.divisor if self.divisor else Fraction(0)

    def told_of(self, told: Forecast, expected: Expected) -> Forecast:
        """The forecast with what it assumes."""
        column, size = self.bottom.column.name, shown_size(float(self.divisor))
        told = measured_by(told, self._middles, "the middles of both ranges", expected.answer)
        about = shown_size(self.guesses(expected.answer)[0])
        return replace(told, assumed=f", with {column} {size} on average and a ratio of {about}")

    @property
    def cut_to(self) -> tuple[tuple[str, Grid], ...]:
        """The bounds of both columns."""
        return tuple((each.column.name, each.grid) for each in (self.top, self.bottom))

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        cuts = [
            f"{float(each.grid.lower):g} … {float(each.grid.upper):g}"
            for each in (self.top, self.bottom)
        ]
        return (
            f"The sum of {self.top.column.name} over that of {self.bottom.column.name}"
            f"{self.groups}; values are cut to {cuts[0]} and {cuts[1]}, missing ones count as 0."
        )
