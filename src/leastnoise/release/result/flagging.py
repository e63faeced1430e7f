"""Which flags answers have: from the released numbers and public facts, and from nothing else."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.tuple_field import changed
from leastnoise.release.result.day_values import shown_day
from leastnoise.release.result.flag import Flag, FlagKind
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.shown_row import shown_limit

_HAIR = 1e-9  # of the range: ends that were computed are off by less


@dataclass(frozen=True)
class AnswerFacts:
    """What is public of a question's answers, whatever the data are.

    Attributes:
        limits: what every answer lies between; None if there are no such limits.
        likely: how many units a private group needs to be shown with a chance of 95 %; None if the
            groups are public.
        even: the same, with a chance of 50 %.
    """

    limits: tuple[float, float] | None = None
    likely: int | None = None
    even: int | None = None


def flagged(table: ReleasedTable, facts: AnswerFacts) -> ReleasedTable:
    """The same answers with all flags that their numbers and these facts give them."""
    range_, lower, upper = _at_limits(table, facts.limits)
    said = [
        *_about_limits(_shown_limits(table, facts.limits), range_, lower, upper),
        *_about_noise(table, ~range_),
        *_about_cut(table),
        *_about_groups(table, facts),
    ]
    return changed(table, flags=tuple(said))


def flagged_again(table: ReleasedTable) -> ReleasedTable:
    """The same answers after their numbers were moved: whether they are mostly noise is new."""
    others = [flag for flag in table.flags if flag.kind is not FlagKind.MOSTLY_NOISE]
    known = np.ones(len(table), dtype=np.bool_)
    for flag in others:
        if flag.kind is FlagKind.WHOLE_RANGE:
            known[flag.places] = False
    return changed(table, flags=(*others, *_about_noise(table, known)))


Chosen = NDArray[np.bool_]


def _about_noise(table: ReleasedTable, known: Chosen) -> Iterator[Flag]:
    """Intervals wider than half of the answer; those that are not known say so themselves."""
    if table.dated:  # a day has no size
        return
    cut = table.cut if table.cut is not None and table.cut.held else None
    width = table.upper - table.lower if cut is None else 2 * cut.noise_halves
    wide = width > np.abs(table.values) / 2
    yield from _flag(FlagKind.MOSTLY_NOISE, "mostly noise", wide & known)


def _about_cut(table: ReleasedTable) -> Iterator[Flag]:
    """Intervals that what was left out makes more than twice as wide as the noise alone does.

    Where intervals do not hold it, all are flagged if surely something was left out.
    """
    if table.cut is None:
        return
    if not table.cut.held:
        some = np.full(len(table), table.cut.lost[0] > 0)
        yield from _flag(FlagKind.CUT_NOT_KNOWN, "cut, none of it in the interval", some)
        return
    wide = (table.upper - table.lower) / 2 > 2 * table.cut.noise_halves
    kind = FlagKind.CUT if table.cut.surely_more else FlagKind.CUT_NOT_KNOWN
    if table.cut.beyond:  # the interval is not one for the table, however narrow it is
        yield from _flag(kind, f"{kind.value}, not all of it in the interval", wide | True)
    else:
        yield from _flag(kind, kind.value, wide)


def _at_limits(
    table: ReleasedTable, limits: tuple[float, float] | None
) -> tuple[Chosen, Chosen, Chosen]:
    """Whose interval is all there is between the limits, begins at the lower, ends at the upper."""
    low, high = limits or (-np.inf, np.inf)
    hair = _HAIR * (high - low) if np.isfinite(high - low) else 0.0
    begins = np.isfinite(low) & (table.lower <= low + hair)
    ends = np.isfinite(high) & (table.upper >= high - hair)
    both = np.asarray(begins & ends)
    return both, np.asarray(begins & ~both), np.asarray(ends & ~both)


def _shown_limits(
    table: ReleasedTable, limits: tuple[float, float] | None
) -> tuple[str, str] | None:
    if limits is None:
        return None
    if table.dated:
        return shown_day("lower", limits[0]), shown_day("upper", limits[1])
    return shown_limit(limits[0]), shown_limit(limits[1])


def _about_limits(
    limits: tuple[str, str] | None, both: Chosen, begins: Chosen, ends: Chosen
) -> Iterator[Flag]:
    if limits is None:
        return
    low, high = limits
    yield from _flag(FlagKind.WHOLE_RANGE, f"nothing known between {low} and {high}", both)
    yield from _flag(FlagKind.BOUND, f"at the bound {low}", begins)
    yield from _flag(FlagKind.BOUND, f"at the bound {high}", ends)


def _about_groups(table: ReleasedTable, facts: AnswerFacts) -> Iterable[Flag]:
    if len(table) or facts.likely is None:
        return ()
    even = f", of {facts.even:,} with 50 %" if facts.even != facts.likely else ""
    words = (
        f"no group is large enough to be shown: groups of {facts.likely:,} and more are shown "
        f"with 95 % chance{even}; groups that are public can be named as `keys`"
    )
    return (Flag(FlagKind.EMPTY, words),)


def _flag(kind: FlagKind, words: str, chosen: Chosen) -> Iterator[Flag]:
    rows = np.flatnonzero(chosen)
    if len(rows):
        yield Flag(kind, words, rows)  # type: ignore[arg-type]  # read as a tuple
