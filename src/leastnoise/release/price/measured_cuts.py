"""Which measurements tell what the bounds of a plan leave out, and their part of the budget."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from leastnoise.privacy.guarantee import ApproxDP, Guarantee
from leastnoise.release.ask.measured_cut import MeasuredCut
from leastnoise.release.questions.lost_rows import lost_rows
from leastnoise.release.questions.question import Question
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, Stated, noise_demand
from leastnoise.release.step.reach import reach_of
from leastnoise.release.step.unit_spread import UnitSpread

MOST_CUTS = 16
"""More measurements would each have so little of the budget that none told anything."""
_NO_WEIGHT = Fraction(0)  # their errors are not weighed against those of answers


def cut_demands(
    questions: Iterable[Question], table: BoundedTable, budget: Guarantee
) -> dict[UnitSpread, Demand]:
    """One demand for each measurement; together they have the stated part of the budget.

    If there were too many, the first questions of the plan have theirs.
    """
    if table.cut is None or (isinstance(budget, ApproxDP) and not budget.epsilon):
        return {}
    asked = (lost_rows(each, table) for each in questions)
    every = dict.fromkeys(each.spread for each in asked if each is not None)
    found = list(every)[:MOST_CUTS]
    return {each: _demand(each, table, table.cut, len(found)) for each in found}


def _demand(asked: UnitSpread, table: BoundedTable, cut: MeasuredCut, count: int) -> Demand:
    """That of one of so many measurements; noise on its own, as nothing is shared with it."""
    priced = noise_demand(reach_of(asked, table.table), _NO_WEIGHT)
    stated = Stated(cut.of_epsilon / count, cut.of_rho / count)
    return replace(priced, asked=asked, stated=stated)
