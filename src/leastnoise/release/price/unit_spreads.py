"""Which spreads of units have to be known to choose the bounds of questions."""

from collections.abc import Iterable

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import Condition
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.named_bounds import NamedBounds
from leastnoise.release.questions.bounded_question import BoundedQuestion, table_of
from leastnoise.release.questions.question import Question
from leastnoise.release.spread.chosen_bounds import bound_knots
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.bounds_used import bounds_used
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import Spread, UnitSpread

MOST_BOUND = 2**20
"""Of any bound."""

Kind = tuple[tuple[KeyExpression, ...], Keys | None]
"""The groups of a question."""


@dataclass(frozen=True)
class Needed:
    """What has to be known to choose the bounds of one question.

    Attributes:
        chosen: the names of the bounds that are to be chosen.
        at: its bounds; 1 in place of what is to be chosen.
        groups: how many groups units are in; None if that does not matter.
        rows: how many rows they have in a group; None if that does not matter.
        kind: its groups; questions about the same ones share their bounds.
    """

    chosen: frozenset[str]
    at: Bounds
    groups: UnitSpread | None
    rows: UnitSpread | None
    kind: Kind


def needed_spreads(
    questions: Iterable[Question], table: BoundedTable, named: NamedBounds
) -> dict[str, Needed]:
    """The spreads for each question, by name, whose bounds are to be chosen.

    Questions about the same groups share spreads; if their conditions differ, all rows are looked
    at, which makes the bound a little larger and the noise of the spread much smaller.

    Args:
        questions: what is asked.
        table: what is asked about; of the plan's bounds that are to be chosen, 1.
        named: the bounds of the plan, as it names them.
    """
    asked = [(each, each.measurements(table)[0]) for each in questions]
    chosen = {each.name: _to_choose(each, named) & bounds_used(own) for each, own in asked}
    asked = [(each, own) for each, own in asked if chosen[each.name]]
    conditions: dict[Kind, set[Condition | None]] = {}
    for _, own in asked:
        conditions.setdefault(_kind(own), set()).add(own.where)
    return {
        each.name: _needed(each, own, table, chosen[each.name], conditions[_kind(own)])
        for each, own in asked
    }


def _to_choose(question: Question, named: NamedBounds) -> frozenset[str]:
    own = question.own.before(named) if isinstance(question, BoundedQuestion) else named
    return own.to_choose


def _needed(
    question: Question,
    asked: Asked,
    table: BoundedTable,
    chosen: frozenset[str],
    conditions: set[Condition | None],
) -> Needed:
    """A bound that is given matters for the other one, unless it is 1."""
    by, keys = _kind(asked)
    bounds = table_of(question, table).bounds
    assert isinstance(bounds, Bounds), "a clip leaves nothing to choose"
    where = asked.where if len(conditions) == 1 else None
    rows = Measurement((CountRows(),), bounds, by, keys, where)
    given = {name for name in ("max_groups", "max_rows") if getattr(bounds, name) > 1}
    needed = bounds_used(asked) & (chosen | given)
    most = MOST_BOUND if keys is None else min(len(keys), MOST_BOUND)
    of_groups = UnitSpread(Spread.GROUPS, bound_knots(most), rows)
    of_rows = UnitSpread(Spread.ROWS_IN_GROUP, bound_knots(_most_rows(table)), rows)
    return Needed(
        chosen,
        bounds,
        of_groups if "max_groups" in needed else None,
        of_rows if "max_rows" in needed else None,
        (by, keys),
    )


def _most_rows(table: BoundedTable) -> int:
    """What is declared, if it is; a mistake there costs accuracy alone."""
    declared = None if table.cut is None else table.cut.most_rows
    return MOST_BOUND if declared is None else min(declared, MOST_BOUND)


def _kind(asked: Asked) -> Kind:
    """Histograms bound all rows of a unit together, whatever their groups are."""
    return (asked.by, asked.keys) if isinstance(asked, Measurement) else ((), None)


def spread_words(spread: UnitSpread) -> str:
    """What a spread tells, for readers."""
    names = ", ".join(each.name for each in spread.measurement.by)
    by = f" by {names}" if names else ""
    where = "" if spread.where is None else f", where {spread.where}"
    if spread.of is Spread.VALUES:
        return f"values of {spread.place[0].name}{by}{where}"
    what = "groups of a unit" if spread.of is Spread.GROUPS else "rows of a unit in a group"
    return f"{what if by else 'rows of a unit'}{by}{where}"
