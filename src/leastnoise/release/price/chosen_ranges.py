"""The ranges of questions that are chosen from noisy hats of values; public numbers alone."""

import math
from collections.abc import Container, Mapping
from dataclasses import replace

import numpy as np

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.chosen_ends import VALUE_GRID
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.question_parts import mean_grid, square_grid, sum_grid
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.price.stakes import answers_of, has_normal_noise, noise_of
from leastnoise.release.price.value_spreads import NeededRange, Ranged
from leastnoise.release.questions.bounded_question import BoundedQuestion, plain
from leastnoise.release.questions.mean import Mean
from leastnoise.release.questions.question import Question
from leastnoise.release.questions.sum import Sum
from leastnoise.release.questions.variance import Variance
from leastnoise.release.result.chosen import RangeFacts
from leastnoise.release.spread.chosen_bounds import Stake
from leastnoise.release.spread.chosen_range import Range, RangeStake, least_range
from leastnoise.release.spread.hats import Hats
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.unit_spread import UnitSpread


def chosen_ranges(
    priced: PricedPlan,
    needed: Mapping[str, NeededRange],
    hats: Mapping[UnitSpread, Hats],
    stakes: Mapping[str, Stake],
    bounds: Mapping[str, Bounds],
) -> dict[str, Range]:
    """For each question, by name, what makes noise and cut least together.

    Args:
        priced: the questions with what is left, for ranges that hold the places of others.
        needed: the questions whose ranges are chosen.
        hats: what the first stage showed.
        stakes: of questions whose bounds are chosen as well.
        bounds: those that were chosen for them.
    """
    found = {}
    for question, grants in zip(priced.questions, priced.grants, strict=True):
        own, name = needed.get(question.name), question.name
        if own is not None:
            stake = _stake(question, grants[-1], priced, own, hats[own.spread])
            found[name] = least_range(_under(stake, own, stakes.get(name), bounds.get(name)))
    return found


def _stake(
    question: Question, given: Grant, priced: PricedPlan, own: NeededRange, hats: Hats
) -> RangeStake:
    """For bounds as they are priced, and one row of a unit.

    The last grant of a question pays for what is moved the farthest: of a variance, the squares.
    """
    table, grid = priced.table, own.question.grid
    squares = isinstance(own.question, Variance)
    stake = RangeStake(
        hats=hats,
        step=VALUE_GRID.step,
        rows=1.0,
        answers=answers_of(question, table),
        noise=1.0,
        normal=has_normal_noise(given),
        by_width=table.neighbours is Neighbours.REPLACE and not question.groups.by,
        is_mean=not isinstance(own.question, Sum),
        lower=own.lower,
        upper=own.upper,
        of_squares=squares,
    )
    reach = stake.reach(np.array([float(grid.lower)]), np.array([float(grid.upper)]))
    step = float(grid.step) ** 2 / 4 if squares else float(grid.step)
    noise = noise_of(question.demands(table)[-1], given) * step
    return replace(stake, noise=noise / float(reach[0, 0]))


def _under(
    stake: RangeStake, own: NeededRange, other: Stake | None, bounds: Bounds | None
) -> RangeStake:
    """The same under bounds that were chosen, with the rows of a unit that count.

    How many do under bounds that are given is not known: from 1 to all that they allow. The
    geometric mean of both is wrong by the least factor.
    """
    if other is None or bounds is None:
        return replace(stake, rows=math.sqrt(own.at.max_groups * own.at.max_rows))
    groups, rows = np.array([float(bounds.max_groups)]), np.array([float(bounds.max_rows)])
    times = float(other.noises(groups, rows)[0, 0]) / other.noise
    return replace(stake, rows=other.kept(bounds), noise=times * stake.noise)


def with_range(question: Question, chosen: Range | None) -> Question:
    """The question about values that are cut to the range that was chosen for it."""
    if chosen is None:
        return question
    if isinstance(question, BoundedQuestion):
        return replace(question, question=with_range(question.question, chosen))
    assert isinstance(question, Ranged)
    ends = replace(question.ends, found=True)
    return replace(question, grid=_grid(question, chosen), ends=ends)


def _grid(question: Ranged, chosen: Range) -> Grid:
    """Ranges that are told apart next to their size are wide enough for every kind."""
    if isinstance(question, Variance):
        return square_grid(*chosen)
    make = mean_grid if isinstance(question, Mean) else sum_grid
    return make(*chosen, None)


def range_facts(priced: PricedPlan, chosen: Container[str]) -> tuple[RangeFacts, ...]:
    """What readers are told of the ranges of these questions."""
    found = []
    for each in priced.questions:
        inner = plain(each)
        if each.name in chosen and isinstance(inner, Ranged):
            low, high = float(inner.grid.lower), float(inner.grid.upper)
            found.append(RangeFacts(each.name, low, high))
    return tuple(found)
