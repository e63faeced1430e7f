"""Which spreads of values have to be known to choose the ranges of questions."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.bounds import ONE_ROW, Bounds
from leastnoise.release.ask.chosen_ends import VALUE_GRID, value_knots
from leastnoise.release.ask.expression import Condition, Term
from leastnoise.release.ask.keys import Keys
from leastnoise.release.questions.bounded_question import plain, table_of
from leastnoise.release.questions.mean import Mean
from leastnoise.release.questions.question import Question
from leastnoise.release.questions.sum import Sum
from leastnoise.release.questions.variance import Variance
from leastnoise.release.step.aggregate import SumOf
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import Spread, UnitSpread

Ranged = Sum | Mean | Variance
"""Questions whose range can be chosen."""
Rows = tuple[tuple[KeyExpression, ...], Keys | None, Condition | None]
"""Of which rows values are looked at: those in the groups that meet the condition."""
_ALL: Rows = ((), None, None)


@dataclass(frozen=True)
class NeededRange:
    """What has to be known to choose the range of one question.

    Attributes:
        question: what is asked, about a range that only holds the place of one.
        at: how much of one unit counts; 1 in place of what is to be chosen.
        spread: the values of units.
        lower: if it is given.
        upper: if it is given.
    """

    question: Ranged
    at: Bounds
    spread: UnitSpread
    lower: Fraction | None
    upper: Fraction | None

    @property
    def chosen(self) -> tuple[str, ...]:
        """The names of the ends that are to be chosen."""
        return self.question.ends.names


def needed_ranges(questions: Iterable[Question], table: BoundedTable) -> dict[str, NeededRange]:
    """The spreads for each question, by name, whose range is to be chosen.

    Questions about the same column share one; if their groups or conditions differ, all rows are
    looked at: that may make ranges a little wider, and the noise of the spread smaller.

    Args:
        questions: what is asked.
        table: what is asked about.
    """
    asked = list(_open(questions, table))
    looked: dict[Term, set[Rows]] = {}
    for _, inner, own in asked:
        looked.setdefault(inner.column, set()).add((own.by, own.keys, own.where))
    return {
        each.name: _needed(each, inner, own, table, looked[inner.column])
        for each, inner, own in asked
    }


def _open(
    questions: Iterable[Question], table: BoundedTable
) -> Iterator[tuple[Question, Ranged, Measurement]]:
    for each in questions:
        inner = plain(each)
        if isinstance(inner, Ranged) and inner.ends.names:
            own = each.measurements(table)[0]
            assert isinstance(own, Measurement)
            yield each, inner, own


def _needed(
    question: Question,
    inner: Ranged,
    own: Measurement,
    table: BoundedTable,
    looked: set[Rows],
) -> NeededRange:
    by, keys, where = _ALL if len(looked) > 1 else (own.by, own.keys, own.where)
    summed = SumOf(inner.column, VALUE_GRID)
    values = Measurement((summed,), ONE_ROW, by, keys, where)  # all rows of a unit are looked at
    bounds = table_of(question, table).effective(grouped=bool(own.by), keys=own.keys)
    assert isinstance(bounds, Bounds), "no range is chosen beside a clip"
    return NeededRange(
        inner,
        bounds,
        UnitSpread(Spread.VALUES, value_knots(), values),
        None if "lower" in inner.ends.names else inner.grid.lower,
        None if "upper" in inner.ends.names else inner.grid.upper,
    )
