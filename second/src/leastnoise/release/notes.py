"""The sentences below an answer, by rules that read nothing but released numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leastnoise.ledger.meters import Family
from leastnoise.numbers.exact import written
from leastnoise.release.estimate import Linear, Measured, Ratio, quantile
from leastnoise.release.measurement import Part
from leastnoise.release.query import Select
from leastnoise.report.numbers import rounded, share_with_margin, with_margin
from leastnoise.tables.contributions import ONE
from leastnoise.tables.schema import Frame
from leastnoise.tables.totals import Centred

_CLIPPED_FROM = 0.005  # the share of clipped values from which they are mentioned


@dataclass(frozen=True)
class Note:
    """A sentence and the rule that it comes from."""

    code: str
    text: str


def notes_of(select: Select, part: Part, family: Family, found: dict[str, list[int]]) -> list[Note]:
    """The notes of one query's answer."""
    measured = Measured.of(part, family, found["totals"])  # type: ignore[arg-type]
    notes = [_over_limit(select, part, family, found["units"])] if found["units"] else []
    notes += _clipped(select, measured)
    if any(isinstance(table.place, Frame) for table in select.relation.tables):
        given = ", ".join(table.name for table in select.relation.tables)
        notes.append(Note("as_given", f"The guarantee is about the rows that {given} gives."))
    return [note for note in notes if note is not None]


def _over_limit(select: Select, part: Part, family: Family, units: Sequence[int]) -> Note | None:
    """How many units have more rows than the limit."""
    assert select.limit is not None and part.over_limit_noise is not None
    noise = float(part.over_limit_noise) ** (0.5 if family == "gaussian" else 1) / ONE
    full, over = (count / ONE for count in units)
    margin, counted = quantile(family, [noise], 0.025), full + over
    if margin > counted / 10:
        return None
    limit = f"max_contributions={select.limit.rows}"
    everybody = rounded(counted, 0)
    if over - margin <= 0:
        if over + margin < 1:
            return None
        most = rounded(over + margin, 0)
        return Note(
            "over_limit",
            f"{limit}: at most {most} of {everybody} have more rows than that and count less.",
        )
    value, shown = with_margin(over, margin)
    counts = any(isinstance(kind.estimate, Linear) for kind in select.aggregates.values())
    end = ", so true counts can be higher." if counts else "."
    everybody = rounded(counted, max(0, len(str(int(counted))) - 3))
    return Note(
        "over_limit",
        f"{limit}: about {value} (± {shown}) of {everybody} have more rows than that and count "
        f"less{end}",
    )


def _clipped(select: Select, measured: Measured) -> list[Note]:
    """Values outside a range, in all groups together."""
    notes: dict[str, Note] = {}
    for kind in select.aggregates.values():
        if kind.clipped is None:
            continue
        present, centred = (each for each in kind.totals)
        assert isinstance(centred, Centred)
        groups = len(measured.values[present])
        rows = measured.values[present].sum()
        outside = (rows + measured.values[kind.clipped].sum()) / 2
        if rows <= 0:
            continue
        share = outside / rows
        power = 1 if measured.family == "gaussian" else 2**0.5
        sizes = [measured.sizes[present] * abs(0.5 - share), measured.sizes[kind.clipped] / 2]
        margin = 1.96 * power * np.sqrt(groups) * np.hypot(*sizes) / rows
        if share - margin > _CLIPPED_FROM:
            value, shown = share_with_margin(float(share), float(margin))
            verb = "mean" if isinstance(kind.estimate, Ratio) else "sum"
            ends = f"{written(centred.lower)} to {written(centred.upper)}"
            text = (
                f"{value} ± {shown} of {centred.value} values lie outside {ends}; the {verb} is of "
                "clipped values."
            )
            notes[text] = Note("clipped", text)
    return list(notes.values())
