"""Which spreads of units have to be known to choose the bounds of questions."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import Condition
from leastnoise.release.ask.keys import Keys
from leastnoise.release.questions.question import Question
from leastnoise.release.spread.chosen_bounds import bound_knots
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.bounds_used import bounds_used
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import Spread, UnitSpread

_MOST = 2**20  # of a bound

Kind = tuple[tuple[KeyExpression, ...], Keys | None]
"""The groups of a question."""


@dataclass(frozen=True)
class Needed:
    """What has to be known for one question.

    Attributes:
        groups: how many groups units are in; None if that does not matter.
        rows: how many rows they have in a group; None if that does not matter.
    """

    groups: UnitSpread | None
    rows: UnitSpread | None


def needed_spreads(
    questions: Iterable[Question], table: BoundedTable, chosen: Collection[str]
) -> dict[str, Needed]:
    """The spreads for each question, by name, whose bounds are to be chosen.

    Questions about the same groups share spreads; if their conditions differ, all rows are looked
    at, which makes the bound a little larger and the noise of the spread much smaller.

    Args:
        questions: what is asked.
        table: what is asked about; bounds that are to be chosen are 1.
        chosen: the names of those.
    """
    asked = {each: each.measurements(table)[0] for each in questions}
    used = {each: bounds_used(own) for each, own in asked.items()}
    asked = {each: own for each, own in asked.items() if used[each] & set(chosen)}
    conditions: dict[Kind, set[Condition | None]] = {}
    for own in asked.values():
        conditions.setdefault(_kind(own), set()).add(own.where)
    found = {}
    for question, own in asked.items():
        bounds, (by, keys) = plain_bounds(table), _kind(own)
        several = conditions[by, keys]
        where = own.where if len(several) == 1 else None
        rows = Measurement((CountRows(),), bounds, by, keys, where)
        needed = used[question] & (set(chosen) | _above_one(bounds))
        most = _MOST if keys is None else min(len(keys.rows), _MOST)
        found[question.name] = Needed(
            UnitSpread(Spread.GROUPS, bound_knots(most), rows) if "max_groups" in needed else None,
            UnitSpread(Spread.ROWS_IN_GROUP, bound_knots(_MOST), rows)
            if "max_rows" in needed
            else None,
        )
    return found


def plain_bounds(table: BoundedTable) -> Bounds:
    """Those of a plan."""
    assert isinstance(table.bounds, Bounds), "a plan's own bounds are no clip"
    return table.bounds


def _above_one(bounds: Bounds) -> set[str]:
    """A bound that is given matters for the other one, unless it is 1."""
    return {name for name in ("max_groups", "max_rows") if getattr(bounds, name) > 1}


def _kind(asked: Asked) -> Kind:
    """Histograms bound all rows of a unit together, whatever their groups are."""
    return (asked.by, asked.keys) if isinstance(asked, Measurement) else ((), None)


def spread_words(spread: UnitSpread) -> str:
    """What a spread tells, for readers."""
    names = ", ".join(each.name for each in spread.measurement.by)
    by = f" by {names}" if names else ""
    where = "" if spread.where is None else f", where {spread.where}"
    what = "groups of a unit" if spread.of is Spread.GROUPS else "rows of a unit in a group"
    return f"{what if by else 'rows of a unit'}{by}{where}"
