"""`audit_plan`: does any answer move farther between neighbouring tables than is claimed?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, SupportsIndex

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.auditing.neighbouring_tables import Neighbour, neighbouring_tables
from leastnoise.auditing.plan_audit import Leak, Movement, PlanAudit
from leastnoise.auditing.plan_loss import allowed, leak_of_pair, named_cells
from leastnoise.auditing.shared_draws import shared_draws
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.randomness.source import Source
from leastnoise.release.ask.table import Table
from leastnoise.release.plan import Plan
from leastnoise.release.questions.question import Question
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.reach import reach_of
from leastnoise.release.step.secret_totals import SecretTotals
from leastnoise.release.step.sensitivity import Sensitivity
from leastnoise.release.step.step import Step
from leastnoise.release.step.unit_spread import UnitSpread
from leastnoise.release.step.unowned_rows import UnownedRows

Cells = Mapping[Any, int]
"""A cell's name ↦ its exact number; cells that are not named have 0."""


@dataclass(frozen=True)
class Vector:
    """Some of the numbers a question asks for, and how far they are said to move.

    Attributes:
        question: its name.
        words: which numbers.
        claimed: the most they move.
        parts: where they are: (number of the answer, number of the total in it).
    """

    question: str
    words: str
    claimed: Sensitivity
    parts: tuple[tuple[int, int], ...]


def audit_plan(
    plan: Plan, *, budget: Guarantee | None = None, orders: SupportsIndex = 3
) -> PlanAudit:
    r"""Leave out each unit of a small table, and see how far every exact answer moves.

    The table may lie where tables do: in memory, in files, in a DuckDB file, on PostgreSQL or on
    Spark. Outside of memory, its engine leaves out the units as it reads; nothing is written.

    For all pairs of neighbouring tables that the table gives rise to, the change of each vector of
    answers is measured in four ways (the greatest cell, the number of cells, ℓ1, squares) and held
    against the sensitivity from which the noise is calculated. Nothing is released: the table
    should be made up, and hostile: missing values, text that looks alike, numbers at the limits of
    their type.

    Which groups of a unit count is a matter of chance; both tables of a pair are measured with the
    same chances, as the proof of sensitivity does.

    Args:
        plan: questions about a table of at most 64 units, or about rows joined of such tables in
            memory. Of a view, its rows are left out: whose the rows behind it are is not known.
        budget: if given, the plan is priced for it, and the privacy losses of its noise on the
            cells that really differ are composed and held against it.
        orders: how many such chances to try.

    Raises:
        InvalidParameter: tables that are joined are not in memory, there are too many units, or
            bounds are yet to be chosen.
    """
    _refuse_open_bounds(plan)
    asked = [each for question in plan.questions for each in question.measurements(plan.bounded)]
    found = _compared(plan.table, asked, list(_vectors(plan)), orders)
    return found if budget is None else replace(found, leak=_leak(plan, budget))


def _refuse_open_bounds(plan: Plan) -> None:
    """What a second stage draws follows from what the first shows: no one plan stands for it."""
    if plan.has_open_bounds:
        raise _check.refuse(
            "bounds must be numbers where a plan is audited",
            "'auto'",
            "Audit the plan with the bounds that a release chose (`release.bounds`, "
            "`release.ranges`): the gate fixed what they may cost before they were chosen.",
        )


def _leak(plan: Plan, budget: Guarantee) -> Leak:
    """The worst pair, with the same choice of groups in both tables."""
    steps = plan.admitted(budget).steps
    tables, pairs = neighbouring_tables(plan.table)
    exact = [_by_step(each, steps) for each in tables]
    both = [pair for one, other in pairs for pair in ((one, other), (other, one))]
    found = [leak_of_pair(steps, exact[one], exact[other], budget) for one, other in both]
    strays = any(
        not draw.fits
        for one, other in pairs
        for draw in shared_draws(steps, exact[one], exact[other])
    )
    known = [each for each in found if each is not None] or [Interval.exactly(0)]
    worst = Interval(max(each.lower for each in known), max(each.upper for each in known))
    return Leak(budget, allowed(budget), worst, strays)


def _by_step(table: Neighbour, steps: Sequence[Step]) -> list[tuple[SecretTotals, ...]]:
    answers = iter(table.measured([step.asked for step in steps], _SameChances(0)))
    return [tuple(islice(answers, step.asked.results)) for step in steps]


def audit_measurements(
    table: Table, asked: Sequence[Asked], *, orders: SupportsIndex = 3
) -> PlanAudit:
    """The same for measurements without questions around them.

    Raises:
        InvalidParameter: tables that are joined are not in memory, or there are too many units.
    """
    return _compared(table, asked, list(_parts(table, "measurement", asked, 0)), orders)


def _compared(
    table: Table,
    asked: Sequence[Asked],
    vectors: Sequence[Vector],
    orders: SupportsIndex,
) -> PlanAudit:
    tries = _check.integer_between(orders, "orders", 1)
    tables, pairs = neighbouring_tables(table)
    greatest = [Sensitivity(0, 0, 0, 0) for _ in vectors]
    for chance in range(tries):
        answers = [each.measured(asked, _SameChances(chance)) for each in tables]
        for place, vector in enumerate(vectors):
            found = [_cells(one, vector.parts) for one in answers]
            moves = [_distance(found[one], found[other]) for one, other in pairs]
            greatest[place] = _greatest([greatest[place], *moves])
    movements = [
        Movement(vector.question, vector.words, moved, vector.claimed)
        for vector, moved in zip(vectors, greatest, strict=True)
    ]
    return PlanAudit(tuple(movements), tries * len(pairs))


class _SameChances(Source):
    """The same choice of groups for every table. It draws no noise and never could."""

    def __init__(self, number: int) -> None:
        self.number = number

    def bits(self, count: int) -> int:
        return (0x9E3779B97F4A7C15 * (self.number + 1)) & ((1 << count) - 1)


def _vectors(plan: Plan) -> Iterator[Vector]:
    """How far each aggregate alone, and each question as a whole, is said to move."""
    first = 0
    for question in plan.questions:
        asked = question.measurements(plan.bounded)
        own = list(_parts(plan.table, question.name, asked, first))
        yield from own
        yield from _wholes(plan, question, [part for vector in own for part in vector.parts])
        first += sum(each.results for each in asked)


def _parts(table: Table, name: str, asked: Sequence[Asked], first: int) -> Iterator[Vector]:
    """Each aggregate of each measurement, with the reach that the gate prices it by."""
    for each in asked:
        if isinstance(each, Histograms):
            for place, grouping in enumerate(each.groupings):
                reach = reach_of(Histograms((grouping,), each.max_rows, each.where), table)
                yield Vector(name, f"grouping {place + 1}", reach, ((first + place, 0),))
        elif isinstance(each, UnownedRows):
            yield Vector(name, "rows without a unit", reach_of(each, table), ((first, 0),))
        elif isinstance(each, UnitSpread):
            yield Vector(name, f"weights of {each.of.value}", reach_of(each, table), ((first, 0),))
        else:
            for place, aggregate in enumerate(each.aggregates):
                reach = reach_of(replace(each, aggregates=(aggregate,)), table)
                yield Vector(name, type(aggregate).__name__, reach, ((first, place),))
        first += each.results


def _wholes(plan: Plan, question: Question, parts: Sequence[tuple[int, int]]) -> Iterator[Vector]:
    """What a question has noise added to, if that is all of its numbers."""
    reaches = [demand.reach for demand in question.demands(plan.bounded)]
    if len(reaches) == 1 and reaches[0] is not None:
        yield Vector(question.name, "all numbers that get noise", reaches[0], tuple(parts))
    elif len(reaches) == len(parts):
        for reach, part in zip(reaches, parts, strict=True):
            if reach is not None:
                yield Vector(question.name, "numbers that get noise", reach, (part,))


def _cells(answers: Sequence[SecretTotals], parts: Sequence[tuple[int, int]]) -> Cells:
    """The numbers of a vector by name."""
    return {
        (answer, total, name): number
        for answer, total in parts
        for name, number in named_cells(answers[answer], total).items()
    }


def _distance(one: Cells, other: Cells) -> Sensitivity:
    changes = [abs(one.get(name, 0) - other.get(name, 0)) for name in {*one, *other}]
    moved = [change for change in changes if change]
    return Sensitivity(
        max(moved, default=0), len(moved), sum(moved), sum(change**2 for change in moved)
    )


def _greatest(found: Sequence[Sensitivity]) -> Sensitivity:
    return Sensitivity(
        max(each.cell for each in found),
        max(each.cells for each in found),
        max(each.total for each in found),
        max(each.square for each in found),
    )
