"""On which bounds an answer depends: those that a person has to choose."""

from leastnoise.release.ask.clip import Clip, Norm
from leastnoise.release.step.aggregate import CountUnits
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.unit_spread import UnitSpread
from leastnoise.release.step.unowned_rows import UnownedRows


def bounds_kept(asked: Asked) -> dict[str, int]:
    """The bounds that have an effect on an answer, by name, a clip's included."""
    if isinstance(asked, UnownedRows):
        return {}
    if isinstance(asked, UnitSpread):
        return bounds_kept(asked.measurement)
    if isinstance(asked, Histograms):
        return {"max_rows": asked.max_rows}
    if isinstance(asked.bounds, Clip):
        total = asked.bounds.norm is Norm.TOTAL
        return {"max_total" if total else "max_norm": asked.bounds.rows}
    return {name: getattr(asked.bounds, name) for name in bounds_used(asked)}


def bounds_used(asked: Asked) -> frozenset[str]:
    """The names of the bounds that an answer depends on, for a table whose units have rows.

    A total, or a list of one group, has one group; a unit is counted once in a group, whatever its
    rows are; histograms bound all rows of a unit together; a clip takes the place of both bounds.
    """
    if isinstance(asked, UnownedRows):
        return frozenset()
    if isinstance(asked, UnitSpread):
        return bounds_used(asked.measurement)
    if isinstance(asked, Histograms):
        return frozenset({"max_rows"})
    if isinstance(asked.bounds, Clip):
        return frozenset()
    one_group = not asked.by or (asked.keys is not None and len(asked.keys) == 1)
    one_row = all(isinstance(each, CountUnits) for each in asked.aggregates)
    used = {"max_groups": not one_group, "max_rows": not one_row}
    return frozenset(name for name, needed in used.items() if needed)
