"""`Clipped`: counts, sums and means in which all groups of a unit count, together bounded."""

from dataclasses import dataclass, replace
from fractions import Fraction

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip, Norm, clip_weight
from leastnoise.release.ask.table import Table
from leastnoise.release.draw.drawn import Drawn
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.made_for import refuse_another_clip
from leastnoise.release.questions.mean import Mean
from leastnoise.release.questions.sum import Sum
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Grant
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
        weight: W; 1 where every row is a unit of its own and nothing is clipped.
    """

    question: Count | Sum | Mean
    clip: Clip
    weight: int

    @classmethod
    def of(cls, question: Count | Sum | Mean, clip: Clip, table: Table) -> "Clipped":
        """A clipped question about a table."""
        return cls(question, clip, clip_weight(table, clip))

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

    def demands(self, table: Table, bounds: Bounds) -> tuple[Demand, ...]:  # noqa: ARG002
        """Those of the question under the clip; errors are W times as large as they count."""
        refuse_another_clip(self.clip, self.weight, table)
        own = self.question.demands(table, self.clip)
        return tuple(replace(each, weight=each.weight / self.weight) for each in own)

    def measurements(self, bounds: Bounds) -> tuple[Measurement, ...]:  # noqa: ARG002
        """Those of the question under the clip."""
        return self.question.measurements(self.clip)

    def steps(
        self,
        given: tuple[Grant, ...],
        bounds: Bounds,  # noqa: ARG002
        among: Step | None,
    ) -> tuple[Step, ...]:
        """Those of the question under the clip."""
        return self.question.steps(given, self.clip, among)

    def forecast(self, given: tuple[Grant, ...], confidence: Fraction) -> Forecast:
        """The error, in units of the answer."""
        told = self.question.forecast(given, confidence)
        error, interval = told.expected_error / self.weight, told.interval / self.weight
        return replace(told, expected_error=error, interval=interval)

    def answer(
        self,
        given: tuple[Grant, ...],
        found: tuple[Drawn, ...],
        confidence: Fraction,
    ) -> ReleasedTable:
        """The answers; a mean is the quotient of two sums, both W times as large."""
        table = self.question.answer(given, found, confidence)
        if isinstance(self.question, Mean) or self.weight == 1:
            return table
        return replace(
            table,
            values=table.values / self.weight,
            standard_error=table.standard_error / self.weight,
            lower=table.lower / self.weight,
            upper=table.upper / self.weight,
        )
