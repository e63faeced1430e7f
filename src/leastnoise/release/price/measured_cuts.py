"""Which measurements tell what the bounds of a plan leave out, and their part of the budget."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from leastnoise.privacy.guarantee import ApproxDP, Guarantee
from leastnoise.release.questions.lost_rows import lost_rows
from leastnoise.release.questions.question import Question
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, Stated, noise_demand
from leastnoise.release.step.reach import reach_of
from leastnoise.release.step.unit_spread import UnitSpread

_NO_WEIGHT = Fraction(0)  # their errors are not weighed against those of answers


def cut_demands(
    questions: Iterable[Question], table: BoundedTable, budget: Guarantee
) -> dict[UnitSpread, Demand]:
    """One demand for each measurement; together they have the stated part of the budget."""
    if table.cut is None or budget == ApproxDP(epsilon=0, delta=getattr(budget, "delta", 0)):
        return {}
    asked = (lost_rows(each, table) for each in questions)
    found = list(dict.fromkeys(each.spread for each in asked if each is not None))
    count = len(found)
    stated = [Stated(table.cut.of_epsilon / count, table.cut.of_rho / count)] * count
    return {
        each: replace(noise_demand(reach_of(each, table.table), _NO_WEIGHT), asked=each, stated=own)
        for each, own in zip(found, stated, strict=True)
    }
