"""Which measurements tell what the bounds of a plan leave out, and their part of the budget."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from leastnoise.privacy.guarantee import ApproxDP, Guarantee
from leastnoise.release.ask.measured_cut import MeasuredCut
from leastnoise.release.questions.lost_rows import is_served, lost_rows
from leastnoise.release.questions.question import Question
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, Stated, noise_demand
from leastnoise.release.step.reach import reach_of
from leastnoise.release.step.unit_spread import UnitSpread

MOST_CUTS = 16
"""More measurements would each have so little of the budget that none told anything."""
_FOR_INTERVALS = 4  # times as much as for what is told beside them: there noise makes them wider
_NO_WEIGHT = Fraction(0)  # their errors are not weighed against those of answers


def cut_demands(
    questions: Iterable[Question], table: BoundedTable, budget: Guarantee
) -> dict[UnitSpread, Demand]:
    """One demand for each measurement; together they have the stated part of the budget.

    If there were too many, the first questions of the plan have theirs: first those whose
    intervals need it, and then those that tell it only, which have less of the budget.
    """
    cut = table.cut
    if cut is None or not cut.is_wanted or (isinstance(budget, ApproxDP) and not budget.epsilon):
        return {}
    weights: dict[UnitSpread, int] = {}
    for question in sorted(questions, key=is_served, reverse=True):
        asked = lost_rows(question, table)
        if asked is not None:
            weights.setdefault(asked.spread, _FOR_INTERVALS if is_served(question) else 1)
    found = dict(list(weights.items())[:MOST_CUTS])
    whole = sum(found.values())
    return {each: _demand(each, table, cut, Fraction(own, whole)) for each, own in found.items()}


def _demand(asked: UnitSpread, table: BoundedTable, cut: MeasuredCut, part: Fraction) -> Demand:
    """That of a part of the measurements; noise on its own, as nothing is shared with it."""
    priced = noise_demand(reach_of(asked, table.table), _NO_WEIGHT)
    stated = Stated(cut.of_epsilon * part, cut.of_rho * part)
    return replace(priced, asked=asked, stated=stated)
