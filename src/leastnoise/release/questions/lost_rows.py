"""`lost_rows`: which measurement tells what the bounds leave out of a question."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import CLIP_WEIGHT
from leastnoise.release.questions.bounded_question import plain, table_of
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.histogram import Histogram
from leastnoise.release.questions.mean import Mean
from leastnoise.release.questions.mean_of_all import MeanOfAll
from leastnoise.release.questions.question import CutNotTold, Question
from leastnoise.release.questions.sum import Sum
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.lost import Lost
from leastnoise.release.step.aggregate import CountRows, CountUnits
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.histograms import WEIGHT, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.reach import bounds_of, groups_in
from leastnoise.release.step.unit_spread import Spread, UnitSpread

_FARTHEST = 2**20  # a unit's loss is followed so far where no more is known
_NEAR = 1.5  # a knot so near below the last one would add noise and tell little
_ALWAYS = 2**40


@dataclass(frozen=True)
class LostRows:
    """What is measured for a question, and what its own rounding may add.

    Attributes:
        spread: what is measured.
        declared: whether no unit can lose more than the last knot.
        rounding: in each group in which rows of a unit weigh less, what rounding takes, in rows.
        pairs: in at most so many groups of a unit rows weigh less; a power of two.
    """

    spread: UnitSpread
    declared: bool
    rounding: Fraction
    pairs: int

    def of(self, hats: Hats) -> Lost:
        """What was left out, as noisy hats tell it."""
        return Lost(hats, self.declared, self.rounding, self.pairs)


def lost_rows(question: Question, table: BoundedTable) -> LostRows | None:
    """What is to be measured for a question; None if nothing can be, or nobody is told."""
    if table.table.unit is None or table.cut is None or isinstance(plain(question), CutNotTold):
        return None
    asked = _measurement(question, table)
    most = _most_lost(asked, table)
    if most is not None and most <= 0:
        return None
    spread = UnitSpread(Spread.LOST, _knots(_FARTHEST if most is None else most), asked)
    return LostRows(spread, most is not None, *_rounding(question, asked, table))


def is_served(question: Question) -> bool:
    """Whether it is known what rows that were left out do to its answers."""
    return isinstance(plain(question), Count | Sum | Mean | MeanOfAll | Histogram)


def is_cut(question: Question, table: BoundedTable) -> bool:
    """Whether bounds can leave out something of a unit: not of a plain number of units."""
    inner = plain(question)
    units = isinstance(inner, Count) and inner.units and not inner.groups.by
    return table.table.unit is not None and not units


def _measurement(question: Question, table: BoundedTable) -> Measurement:
    """Rows, or units in groups, under the bounds of the question itself."""
    asked = question.measurements(table)[-1]
    if isinstance(asked, Histograms):  # all rows of a unit together are bounded
        one = Bounds(max_groups=1, max_rows=asked.max_rows)
        return Measurement((CountRows(),), one, where=asked.where)
    assert isinstance(asked, Measurement), "these questions ask for nothing else"
    counted = asked.aggregates if asked.aggregates == (CountUnits(),) else (CountRows(),)
    bounds = asked.bounds if asked.by else bounds_of(asked, table.table)  # totals share it
    return Measurement(counted, bounds, asked.by, asked.keys, asked.where)


def _most_lost(asked: Measurement, table: BoundedTable) -> int | None:
    """The most that one unit can lose, if known: docs/proofs/cut_intervals.md, section 3."""
    assert table.cut is not None, "asked of what is measured"
    cap, groups = table.cut.most_rows, groups_in(asked)
    bounds = bounds_of(asked, table.table)
    if not isinstance(bounds, Bounds):  # a unit's rows weigh in full if they are no more than C
        return 0 if cap is not None and cap <= bounds.rows else cap
    if asked.aggregates == (CountUnits(),):
        known = [each for each in (cap, groups) if each is not None]
        return min(known) - bounds.max_groups if known else None
    if cap is None:
        return None
    if groups is not None and groups <= bounds.max_groups:
        return cap - bounds.max_rows
    return cap - min(bounds.max_rows, bounds.max_groups)


def _knots(most: int) -> tuple[int, ...]:
    powers = [2**i for i in range(most.bit_length())]
    return (0, *(power for power in powers if power == 1 < most or power * _NEAR <= most), most)


def _rounding(question: Question, asked: Measurement, table: BoundedTable) -> tuple[Fraction, int]:
    """What weighing rows takes beside whole rows: a step of each sum, or of a row's weight."""
    inner = plain(question)
    bounds = bounds_of(asked, table.table)
    if isinstance(question.measurements(table)[-1], Histograms):
        return Fraction(1 + table_of(question, table).max_rows, WEIGHT), _ALWAYS
    if not isinstance(bounds, Bounds):
        return Fraction(1, CLIP_WEIGHT), _ALWAYS
    pairs = 1 << (bounds.max_groups - 1).bit_length()
    match inner:
        case Sum():
            return inner.grid.step / max(abs(inner.grid.lower), abs(inner.grid.upper)), pairs
        case Mean() | MeanOfAll():
            steps = inner.grid.most - inner.grid.least
            return Fraction(min(2, steps), steps), pairs
        case _:
            return Fraction(0), 1
