"""`BoundedQuestion`: a question of any kind, asked under bounds of its own."""

from dataclasses import replace
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.release.ask.named_bounds import NamedBounds
from leastnoise.release.ask.tuple_field import changed
from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.column_quantiles import ColumnQuantiles
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.cumulative import Cumulative
from leastnoise.release.questions.histogram import Histogram
from leastnoise.release.questions.marginals import Marginals
from leastnoise.release.questions.mean import Mean
from leastnoise.release.questions.most_common import MostCommon
from leastnoise.release.questions.question import Preparing, Question
from leastnoise.release.questions.unit_counts import AsksForUnits
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.step import Step


@dataclass(frozen=True)
class BoundedQuestion:
    """A question with bounds that take the place of the plan's; what it does not name, the plan's.

    All that is asked of it is asked of the question, on the table with these bounds. Under a clip
    the engine answers in units of 1/W: counts and sums are divided by W after the noise.

    Attributes:
        question: what is asked.
        own: how much of one unit counts here.
    """

    question: Question
    own: NamedBounds

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
        apart = not isinstance(self.question, Histogram | Cumulative | ColumnQuantiles | Marginals)
        units = isinstance(self.question, MostCommon) or (
            isinstance(self.question, Count) and self.question.units
        )
        limit = self.own.words(each_group=apart and bool(self.groups.by), rows=not units)
        return f"{self.question.words().rstrip('.')}; {limit}."

    def bounded(self, table: BoundedTable) -> BoundedTable:
        """The table with the bounds of the question."""
        return replace(table, bounds=self.own.over(table.bounds))

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Those of the question; under a clip, errors are W times as large as they count."""
        own = self.bounded(table)
        demands = self.question.demands(own)
        return tuple(replace(each, weight=each.weight / own.clip_weight) for each in demands)

    def counted(self, table: BoundedTable) -> Fraction | None:
        """As the question has it: see `AsksForUnits`."""
        if isinstance(self.question, AsksForUnits):
            return self.question.counted(self.bounded(table))
        return None

    def is_met_by(self, counts: CountedPartitions) -> bool:
        """As the question has it: see `AsksForUnits`."""
        return not isinstance(self.question, AsksForUnits) or self.question.is_met_by(counts)

    def measurements(self, table: BoundedTable) -> tuple[Asked, ...]:
        """Those of the question."""
        return self.question.measurements(self.bounded(table))

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """Those of the question."""
        return self.question.steps(self._given(given), among)

    def make_ready(self, given: Allotment, confidence: Fraction) -> None:
        """What the question finds before the charge, if it does."""
        if isinstance(self.question, Preparing):
            self.question.make_ready(self._given(given), confidence)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error, in units of the answer."""
        own = self._given(given)
        told, weight = self.question.forecast(own, confidence), self._weight(own)
        if weight == 1 or told.expected_error is None or told.interval is None:
            return told
        error, interval = told.expected_error / weight, told.interval / weight
        return replace(told, expected_error=error, interval=interval)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The answers."""
        own = self._given(given)
        shown, weight = self.question.answer(own, found, confidence), self._weight(own)
        if weight == 1:
            return shown
        return changed(
            shown,
            values=shown.values / weight,
            standard_error=shown.standard_error / weight,
            lower=shown.lower / weight,
            upper=shown.upper / weight,
        )

    def _given(self, given: Allotment) -> Allotment:
        return replace(given, table=self.bounded(given.table))

    def _weight(self, own: Allotment) -> int:
        """What answers are divided by; a mean is a quotient of two sums, both W times as large."""
        return 1 if isinstance(self.question, Mean) else own.table.clip_weight


def plain(question: Question) -> Question:
    """The question itself, whatever bounds it is asked under."""
    return question.question if isinstance(question, BoundedQuestion) else question


def table_of(question: Question, table: BoundedTable) -> BoundedTable:
    """The table with the bounds under which a question is asked."""
    return question.bounded(table) if isinstance(question, BoundedQuestion) else table


def without_bounds(question: Question) -> Question:
    """The question under the plan's bounds; a clip stays, as it is no number of rows or groups."""
    own = question.own if isinstance(question, BoundedQuestion) else None
    return question if own is not None and own.clip is not None else plain(question)
