"""What is at stake for each question when its bounds are chosen."""

import math
from collections.abc import Container, Iterator, Mapping
from fractions import Fraction

from leastnoise.privacy.guarantee import ZCDP
from leastnoise.release.price.dividing import expected_error
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.price.unit_spreads import Needed
from leastnoise.release.price.value_spreads import NeededRange
from leastnoise.release.questions.bounded_question import plain
from leastnoise.release.questions.column_quantiles import ColumnQuantiles
from leastnoise.release.questions.question import Question
from leastnoise.release.spread.chosen_bounds import Stake
from leastnoise.release.spread.hats import Hats
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Allotment, Grant
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.unit_spread import UnitSpread

_GUESS = 100  # of private groups: how many there are is secret
_LEAST_SHARE = 1e-9
_USUAL = Fraction(19, 20)  # of intervals
FEW_ANSWERS = 5
"""Fewer than these share a bound: it is chosen poorly."""


def stakes_of(
    priced: PricedPlan, needed: Mapping[str, Needed], hats: Mapping[UnitSpread, Hats]
) -> dict[str, Stake]:
    """One for each question whose bounds are chosen, by name, from public numbers alone."""
    return {
        question.name: _stake(question, grants[0], priced.table, needed[question.name], hats)
        for question, grants in _at_stake(priced, needed)
    }


def _stake(
    question: Question,
    given: Grant,
    table: BoundedTable,
    own: Needed,
    hats: Mapping[UnitSpread, Hats],
) -> Stake:
    demand = question.demands(table)[0]
    row = _row(demand, own, table)
    return Stake(
        answers=answers_of(question, table),
        noise=_rank_error(question, given, table) or noise_of(demand, given) / row,
        weight=float(demand.weight) * row,
        normal=has_normal_noise(given),
        at=own.at,
        groups=None if own.groups is None else hats[own.groups],
        rows=None if own.rows is None else hats[own.rows],
    )


def sharing_answers(priced: PricedPlan, needed: Mapping[str, Needed | NeededRange]) -> float:
    """How many answers share a bound, as if no other question shared the budget with them.

    The best bound is exceeded by so many units: their number grows with that of the answers, over
    which the cut is spread, and with the noise, which other questions make larger. Of several
    questions, the one that has the most of them.
    """
    found = [1.0]
    for question, grants in _at_stake(priced, needed):
        groups = needed[question.name].at.max_groups
        times = groups / max(float(grants[0].share), _LEAST_SHARE)
        many = math.sqrt(times) if has_normal_noise(grants[0]) else times
        found.append(many * answers_of(question, priced.table))
    return max(found)


def answers_of(question: Question, table: BoundedTable) -> int:
    """How many numbers share what is cut off; of private groups, a guess.

    A quantile of a group is found by all of its rows, whatever parts they are in.
    """
    asked, groups = question.measurements(table)[0], question.groups.count
    if isinstance(asked, Histograms) and not isinstance(plain(question), ColumnQuantiles):
        return max(sum(each.cells or _GUESS for each in asked.groupings), 1)
    return _GUESS if groups is None else groups


def _at_stake(
    priced: PricedPlan, needed: Container[str]
) -> Iterator[tuple[Question, tuple[Grant, ...]]]:
    """The questions that depend on bounds that are chosen, and pay for numbers of their own."""
    for question, grants in zip(priced.questions, priced.grants, strict=True):
        if question.name in needed and grants:
            yield question, grants


def noise_of(demand: Demand, given: Grant) -> float:
    """The mean |noise|; if it is below one step, what it would be on a line.

    That is what grows in proportion to a bound.
    """
    price = given.price
    line = (
        demand.concentrated / math.sqrt(price.rho)
        if isinstance(price, ZCDP)
        else demand.pure / float(price.epsilon)
    )
    return max(expected_error(demand, given), line)


def _rank_error(question: Question, given: Grant, table: BoundedTable) -> float | None:
    """The mean error of a quantile's rank, in rows; None of other questions.

    Its demand has a bound of it in place of the mean, which is what is told of others.
    """
    if not isinstance(plain(question), ColumnQuantiles):
        return None
    return question.forecast(Allotment(table, (given,)), _USUAL).expected_error


def _row(demand: Demand, own: Needed, table: BoundedTable) -> float:
    """What one row adds at most, in the engine's integers; without a reach, to a rank."""
    if demand.reach is None:
        return float(table.row_weight) if demand.fixed is None else 1.0
    if not demand.reach.cell:
        return 1.0
    return demand.reach.cell / own.at.max_rows


def has_normal_noise(given: Grant) -> bool:
    """Whether it is Gaussian, rather than like Laplace's."""
    return isinstance(given.price, ZCDP)
