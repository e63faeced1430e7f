"""`Clipped`: counts, sums and means in which all groups of a unit count, together bounded."""

from dataclasses import dataclass, replace
from fractions import Fraction

from leastnoise.release.ask.clip import Clip, Norm
from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.mean import Mean
from leastnoise.release.questions.sum import Sum
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step


@dataclass(frozen=True)
class Clipped:
    """A question whose units are bounded by a `Clip` in place of the plan's bounds.

    The engine answers in units of 1/W; counts and sums are divided by W after the noise.

    Attributes:
        question: what is asked.
        clip: how much the rows of one unit weigh in all groups together.
    """

    question: Count | Sum | Mean
    clip: Clip

    @property
    def name(self) -> str:
        """How the answer is found again."""
        return self.question.name

    @property
    def groups(self) -> Groups:
        """For which groups and rows it is asked."""
        return self.question.groups

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        how = "in all" if self.clip.norm is Norm.TOTAL else "as the length of their vector"
        limit = f"all groups of a unit count, and its rows weigh at most {self.clip.rows} {how}"
        return f"{self.question.words().rstrip('.')}; {limit}."

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Those of the question under the clip; errors are W times as large as they count."""
        clipped = self._clipped(table)
        own = self.question.demands(clipped)
        return tuple(replace(each, weight=each.weight / clipped.clip_weight) for each in own)

    def _clipped(self, table: BoundedTable) -> BoundedTable:
        return replace(table, bounds=self.clip)

    def _given(self, given: Allotment) -> tuple[Allotment, int]:
        """The same for the clipped table, and W."""
        table = self._clipped(given.table)
        return replace(given, table=table), table.clip_weight

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """Those of the question under the clip."""
        return self.question.measurements(self._clipped(table))

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """Those of the question under the clip."""
        return self.question.steps(self._given(given)[0], among)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error, in units of the answer."""
        own, weight = self._given(given)
        told = self.question.forecast(own, confidence)
        if isinstance(self.question, Mean) or told.expected_error is None or told.interval is None:
            return told
        error, interval = told.expected_error / weight, told.interval / weight
        return replace(told, expected_error=error, interval=interval)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The answers; a mean is the quotient of two sums, both W times as large."""
        own, weight = self._given(given)
        shown = self.question.answer(own, found, confidence)
        if isinstance(self.question, Mean) or weight == 1:
            return shown
        return replace(
            shown,
            values=shown.values / weight,
            standard_error=shown.standard_error / weight,
            lower=shown.lower / weight,
            upper=shown.upper / weight,
        )
