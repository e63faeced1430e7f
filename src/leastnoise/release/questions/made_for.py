"""Questions that hold facts of a table must not be asked of another one."""

from leastnoise import _check
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.clip import Clip, clip_weight
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.step.histograms import row_weight


def refuse_another_unit(weight: int, table: Table) -> None:
    """A question made where rows are units, asked where they are not, or the other way around."""
    if weight != row_weight(table):
        raise _refusal()


def refuse_another_clip(clip: Clip, weight: int, table: Table) -> None:
    """A clipped question made where rows are units, asked where they are not, or vice versa."""
    if weight != clip_weight(table, clip):
        raise _refusal()


def refuse_other_neighbours(neighbours: Neighbours, table: Table) -> None:
    """A question whose noise was meant for another promise."""
    if neighbours is not table.neighbours:
        raise _refusal()


def _refusal() -> InvalidParameter:
    return _check.refuse(
        "a question must be asked of a table with the unit and neighbours it was made for",
        "others",
        "Make the plan anew from the other table.",
    )
