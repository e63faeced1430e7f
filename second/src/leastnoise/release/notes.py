"""The sentences below an answer, by rules that read nothing but released numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isqrt
from typing import Any

import numpy as np

from leastnoise.ledger.meters import Family
from leastnoise.numbers.exact import written
from leastnoise.release.estimate import Linear, Measured, quantile
from leastnoise.release.measurement import Drawn, Law, Limit, Part, Selection
from leastnoise.release.query import Select, measured_of
from leastnoise.report.numbers import rounded, share_with_margin, with_margin
from leastnoise.tables.contributions import ONE
from leastnoise.tables.profile import STEPS
from leastnoise.tables.schema import Frame
from leastnoise.tables.totals import Centred, Present, Total

_CLIPPED_FROM = 0.005  # the share of clipped values from which they are mentioned


@dataclass(frozen=True)
class Note:
    """A sentence and the rule that it comes from."""

    code: str
    text: str


def notes_of(
    select: Select,
    parts: Sequence[Part],
    draws: Sequence[Law],
    family: Family,
    found: Sequence[dict[str, Any]],
) -> list[Note]:
    """The notes of one query's answer."""
    measured = measured_of(select, parts, draws, family, found)
    units = found[0]["units"]
    notes = [
        *_groups(select, parts[0]),
        _limit(select),
        _over_limit(select, parts[0], family, units) if units else None,
        *_clipped(select, measured),
        _negative(select, measured),
        _selected(select),
    ]
    private = [table for table in select.relation.tables if not table.public]
    if any(isinstance(table.place, Frame) for table in private):
        names = list(dict.fromkeys(f'"{table.name}"' for table in private))
        given = f"{' and '.join(names)} {'gives' if len(names) == 1 else 'give'}"
        notes.append(Note("as_given", f"The guarantee is about the rows that {given}."))
    return [note for note in notes if note is not None]


def _lowered(select: Select) -> str:
    counts = any(kind.is_limited for kind in select.aggregates.values())
    return ", so true counts can be higher." if counts else "."


def _limit(select: Select) -> Note | None:
    """That the limit was drawn."""
    if not isinstance(select.limit, Drawn) or select.limit.level is None:
        return None
    limit = isqrt(1 << select.limit.level)
    rows = f"{limit:,} row" if limit == 1 else f"{limit:,} rows"
    return Note(
        "limit",
        f"Every {select.unit} with up to {rows} counts in full; those with more may count less"
        f'{_lowered(select)} ({limit:,} was chosen by max_contributions="auto".)',
    )


def _groups(select: Select, part: Part) -> list[Note]:
    """How large a group must be to be listed."""
    if part.selection is None:
        return []
    if not len(select.groups):  # type: ignore[arg-type]
        return [Note("groups", "No group was large enough.")]
    units = typical_units(part.selection)
    text = (
        f"Small groups are not listed. Counting each {select.unit} once, a group of {units} is nearly "
        f"always listed (it must be larger where one {select.unit} is in many groups)."
    )
    notes = [Note("groups", text)]
    if select.min_units > 1:
        least = f"Groups of fewer than {select.min_units} are never listed."
        notes.append(Note("groups", least))
    return notes


def left_out(names: Sequence[str]) -> Note:
    """That tables which fit together are about the rows whose values in all columns are listed."""
    every = ", ".join(names) if len(names) <= 6 else f"one of {len(names)} columns"
    text = f"Rows in which one of these is unknown or not listed are in no table: {every}."
    return Note("left_out", text)


def typical_units(selection: Selection, chance: float = 0.95) -> int:
    """The units that a group needs, each of them in no other group, to be listed with this chance."""
    noise = quantile("gaussian", [float(selection.variance) ** 0.5], min(chance, 1 - chance))
    needed = selection.threshold + (noise if chance > 0.5 else 0)
    return ceil(needed / STEPS) + selection.min_units - 1


def _negative(select: Select, measured: Measured) -> Note | None:
    """That noise took a number below 0 that cannot be."""
    for kind in select.aggregates.values():
        never = isinstance(kind.estimate, Linear) and kind.estimate.sign > 0
        if never and (kind.estimate.answers(measured, 0.95).value < 0).any():
            what = "Counts" if kind.style == "count" else "Sums"
            return Note("negative", f"{what} below 0 come from the noise. Read them as small.")
    return None


def _selected(select: Select) -> Note | None:
    """That rows were chosen by their noisy values."""
    outer, names = select.outer, {*select.aggregates}
    chosen = outer.having or (outer.limit is not None and {name for name, _ in outer.order} & names)
    if not chosen:
        return None
    return Note("selected", "Rows chosen by noisy value; their intervals may be too narrow.")


def _over_limit(select: Select, part: Part, family: Family, units: Sequence[int]) -> Note | None:
    """How many units have more rows than the limit."""
    assert isinstance(select.limit, Limit) and part.over_limit_noise is not None
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
    end = _lowered(select)
    everybody = rounded(counted, max(0, len(str(int(counted))) - 3))
    return Note(
        "over_limit",
        f"{limit}: about {value} (± {shown}) of {everybody} have more rows than that and count "
        f"less{end}",
    )


def _clipped(select: Select, measured: Measured) -> list[Note]:
    """Values outside a range, in all groups together."""
    found: dict[str, list[str]] = {}
    for kind in select.aggregates.values():
        if kind.clipped is None:
            continue
        centred = next(each for each in kind.totals if isinstance(each, Centred))
        present = Present(centred.where, centred.value)
        groups = len(measured.values[present])
        rows = measured.values[present].sum()
        outside = (rows + measured.values[kind.clipped].sum()) / 2
        if rows <= 0:
            continue
        share = outside / rows
        noise: dict[Total, float] = {present: abs(0.5 - float(share)), kind.clipped: 0.5}
        margin = 1.96 * float(measured.deviation(noise)) * np.sqrt(groups) / rows
        if share - margin > _CLIPPED_FROM:
            value, shown = share_with_margin(float(share), float(margin))
            ends = f"{written(centred.lower)} to {written(centred.upper)}"
            text = f"{value} ± {shown} of {centred.value} values lie outside {ends}"
            found.setdefault(text, []).append(kind.what.partition(" of ")[0])
    return [
        Note("clipped", f"{text}; the {' and '.join(what)} {'is' if len(what) == 1 else 'are'} of "
             "clipped values.")
        for text, what in found.items()
    ]  # fmt: skip
