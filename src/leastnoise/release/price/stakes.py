"""What is at stake for each question when its bounds are chosen."""

import math
from collections.abc import Iterator, Mapping

from leastnoise.privacy.guarantee import ZCDP
from leastnoise.release.price.dividing import expected_error
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.price.unit_spreads import Needed, plain_bounds
from leastnoise.release.questions.question import Question
from leastnoise.release.spread.chosen_bounds import Stake
from leastnoise.release.spread.hats import Hats
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.unit_spread import UnitSpread

_GUESS = 100  # of private groups: how many there are is secret
_LEAST_SHARE = 1e-9
FEW_ANSWERS = 5
"""Fewer than these share a bound: it is chosen poorly."""


def stakes_of(
    priced: PricedPlan, needed: Mapping[str, Needed], hats: Mapping[UnitSpread, Hats]
) -> Iterator[Stake]:
    """One for each question whose bounds are chosen, from public numbers alone."""
    for question, grants in _at_stake(priced, needed):
        own, demand = needed[question.name], question.demands(priced.table)[0]
        row = _row(demand, priced.table)
        yield Stake(
            answers=answers_of(question, priced.table),
            noise=_noise(demand, grants[0]) / row,
            weight=float(demand.weight) * row,
            normal=_is_normal(grants[0]),
            at=plain_bounds(priced.table),
            groups=None if own.groups is None else hats[own.groups],
            rows=None if own.rows is None else hats[own.rows],
        )


def sharing_answers(priced: PricedPlan, needed: Mapping[str, Needed]) -> float:
    """How many answers share a bound, as if no other question shared the budget with them.

    The best bound is exceeded by so many units: their number grows with that of the answers, over
    which the cut is spread, and with the noise, which other questions make larger.
    """
    groups = plain_bounds(priced.table).max_groups
    found = [1.0]
    for question, grants in _at_stake(priced, needed):
        times = groups / max(float(grants[0].share), _LEAST_SHARE)
        many = math.sqrt(times) if _is_normal(grants[0]) else times
        found.append(many * answers_of(question, priced.table))
    return max(found)


def answers_of(question: Question, table: BoundedTable) -> int:
    """How many numbers share what is cut off; of private groups, a guess."""
    asked, groups = question.measurements(table)[0], question.groups.count
    if isinstance(asked, Histograms):
        return max(sum(each.cells or _GUESS for each in asked.groupings), 1)
    return _GUESS if groups is None else groups


def _at_stake(
    priced: PricedPlan, needed: Mapping[str, Needed]
) -> Iterator[tuple[Question, tuple[Grant, ...]]]:
    """The questions that depend on bounds that are chosen, and pay for numbers of their own."""
    for question, grants in zip(priced.questions, priced.grants, strict=True):
        if question.name in needed and grants:
            yield question, grants


def _noise(demand: Demand, given: Grant) -> float:
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


def _row(demand: Demand, table: BoundedTable) -> float:
    """What one row adds at most, in the engine's integers."""
    if demand.reach is None or not demand.reach.cell:
        return 1.0
    return demand.reach.cell / plain_bounds(table).max_rows


def _is_normal(given: Grant) -> bool:
    return isinstance(given.price, ZCDP)
