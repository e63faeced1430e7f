"""What one unit may add to the numbers of a plan, and their noise, as a certificate says it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Protocol, runtime_checkable

from leastnoise._dataclass import dataclass
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.tables_part import MOST_TABLES, TablesPart
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.numeric.interval import Interval
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Norm
from leastnoise.release.ask.table import Table
from leastnoise.release.price.gaussian_price import shortened_up
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.questions.bounded_question import plain, table_of
from leastnoise.release.questions.marginals import Marginals
from leastnoise.release.step.aggregate import CountUnits, DistanceBelow
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.reach import bounds_of
from leastnoise.release.step.step import Step
from leastnoise.release.step.unit_spread import UnitSpread

_DIGITS = 2**7
_NO_NOISE = 1e-150  # a standard deviation that no weight makes up for


@runtime_checkable
class _Costed(Protocol):
    """Noise for the cells of many tables."""

    def expected_cost(self) -> Interval | float:
        """The sum of the variances of all cells."""


@dataclass
class _Numbers:
    """Numbers that get noise, and all that ask for them.

    Attributes:
        demand: what is measured, and what one unit adds.
        given: its noise.
        weight: how much their mean error matters to all who ask.
        questions: the places of these.
    """

    demand: Demand
    given: Grant
    weight: Fraction = Fraction(0)
    questions: list[int] = field(default_factory=list)


def plan_parts(priced: PricedPlan) -> tuple[list[PlanPart | TablesPart], list[int]]:
    """The numbers whose limits are plain, and the places of questions that have others.

    A number's weight is that of its question over the standard deviation of its noise: so the plan,
    which makes the weighted sum of mean errors small, is judged where it stands.
    """
    tables = [each for each in _tables(priced) if each.is_possible][:MOST_TABLES]
    pairs = zip(priced.demands, priced.grants, strict=True)
    plain = [all(map(_is_inside, demands, given)) for demands, given in pairs]
    table = priced.table.table
    parts = [_part(each, table) for each in _gathered(priced, plain)]
    inside = {place for each in tables for place in each.questions}
    outside = [place for place, here in enumerate(plain) if not here and place not in inside]
    return [*parts, *tables], outside


def _is_inside(demand: Demand, given: Grant) -> bool:
    """Noise on public cells: those of one grouping, of one sum, or of both sums of a mean."""
    if demand.asked is None or demand.adds is None or demand.adds.cells is None:
        return False
    if given.noise is None or isinstance(demand.asked, UnitSpread):
        return False
    if isinstance(demand.asked, Histograms):
        return len(demand.asked.groupings) == 1
    first, *others = demand.asked.aggregates
    return not others or (isinstance(first, DistanceBelow) and len(others) == 1)


def _gathered(priced: PricedPlan, plain: Sequence[bool]) -> list[_Numbers]:
    """The numbers, each once, whoever asks for them."""
    found: dict[object, _Numbers] = {}
    for place, here in enumerate(plain):
        pairs = zip(priced.demands[place], priced.grants[place], strict=True)
        for demand, given in pairs if here else ():
            numbers = found.setdefault(demand.asked, _Numbers(demand, given))
            numbers.weight += demand.weight
            if place not in numbers.questions:
                numbers.questions.append(place)
    return list(found.values())


def _part(numbers: _Numbers, table: Table) -> PlanPart:
    """Boxes that move to one side are in units of what one unit adds: so sums are like counts."""
    adds, asked = numbers.demand.adds, numbers.demand.asked
    assert adds is not None
    assert adds.cells is not None
    assert asked is not None
    assert not isinstance(asked, UnitSpread)
    everyone = adds.everyone or (adds.low, adds.high) == (0, 0)
    moved = 1 if isinstance(asked, Histograms) else _moved(asked, table, adds.cells)
    step = adds.high if moved == adds.cells and not adds.low and not everyone else 1
    variance = Fraction(numbers.given.law.moment(2).upper) / step**2
    paired = not isinstance(asked, Histograms) and len(asked.aggregates) == 2
    return PlanPart(
        questions=tuple(numbers.questions),
        cells=adds.cells,
        low=1 if adds.everyone else adds.low,
        high=adds.high // step,
        moved=moved,
        weight=_weight(numbers.weight * step / adds.cells, variance),
        variance=shortened_up(variance) if variance else variance,
        either=2 if paired and adds.cells > 2 else 1,  # one mean's two sums are as two groups
    )


def _moved(asked: Measurement, table: Table, cells: int) -> int:
    """In how many groups one unit can be with the most it adds to one; clipped rows, in one."""
    bounds = bounds_of(asked, table)
    if isinstance(bounds, Bounds):
        return bounds.max_groups
    if asked.aggregates != (CountUnits(),):
        return 1
    return min(cells, bounds.rows if bounds.norm is Norm.TOTAL else bounds.rows**2)


def _weight(weight: Fraction, variance: Fraction) -> Fraction:
    """With few digits: any weights prove something, and equal ones can share a random unit."""
    spread = math.sqrt(variance)
    if spread < _NO_NOISE:
        return Fraction(0)
    digits, power = math.frexp(float(weight) / spread)
    return Fraction(round(digits * _DIGITS), _DIGITS) * Fraction(2) ** power


def _tables(priced: PricedPlan) -> Iterator[TablesPart]:
    """Marginals: all tables of some columns."""
    for place, asked in enumerate(priced.questions):
        question = plain(asked)
        if isinstance(question, Marginals):
            (step,), (demand,) = priced.steps[place], priced.demands[place]
            variance = _mean_variance(step, question.cells)
            yield TablesPart(
                questions=(place,),
                sizes=tuple(len(keys) for _, keys in question.columns),
                ways=question.ways,
                high=table_of(asked, priced.table).most,
                weight=_weight(demand.weight / question.cells, variance),
                variance=shortened_up(variance),
            )


def _mean_variance(step: Step, cells: int) -> Fraction:
    """Of the cells of all tables, whichever noise makes them."""
    if isinstance(step.mechanism, CellNoise):
        return Fraction(step.mechanism.law.moment(2).upper)
    assert isinstance(step.mechanism, _Costed), "all noise of marginals says its cost"
    return _at_most(step.mechanism.expected_cost()) / cells


def _at_most(cost: Interval | float) -> Fraction:
    return Fraction(cost.upper if isinstance(cost, Interval) else cost)
