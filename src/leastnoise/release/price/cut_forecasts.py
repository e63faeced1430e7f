"""How well what the bounds leave out will be known, before any data is read."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from leastnoise.release.draw.drawn import CONFIDENCE
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.questions.lost_rows import LostRows, is_served, lost_rows
from leastnoise.release.result.preview import CutForecast
from leastnoise.release.spread.hats import Hats
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT, UnitSpread

_ASK = (
    " No cap is declared: with most_rows, the most rows that anybody can have, intervals hold the "
    "truth of the whole table."
)
_ASK_FOR_MORE = (
    " No cap is declared: with most_rows, the most rows that anybody can have, it would be known "
    "how many rows are left out."
)
_MORE = (
    " For {} questions more it is not measured: {} measurements divide their part of the budget, "
    "and more would tell nothing."
)
_TOO_MUCH = 4  # not worth it, if the half-width is more than a quarter of what is expected

Needing: TypeAlias = dict[UnitSpread, dict[str, LostRows]]
"""For each measurement the questions that need it, by name."""


def cuts_told(priced: PricedPlan) -> list[CutForecast]:
    """One forecast for each measurement; the last one says if there are not enough of them."""
    needing: Needing = {}
    held: set[UnitSpread] = set()
    for each in priced.questions:
        found = lost_rows(each, priced.table)
        if found is not None:
            needing.setdefault(found.spread, {})[each.name] = found
            held.update([found.spread] * is_served(each))
    told = [
        _told(priced, needing[asked], asked, given, _ASK if asked in held else _ASK_FOR_MORE)
        for asked, given in priced.cuts.items()
    ]
    more = sum(len(own) for asked, own in needing.items() if asked not in priced.cuts)
    if told and more:
        told[-1] = replace(told[-1], advice=told[-1].advice + _MORE.format(more, len(told)))
    return told


def _told(
    priced: PricedPlan, own: Mapping[str, LostRows], asked: UnitSpread, given: Grant, ask: str
) -> CutForecast:
    risk = float(1 - CONFIDENCE)
    hats = Hats(asked.knots, np.zeros(len(asked.knots), np.int64), given.law, SPREAD_WEIGHT)
    known = all(each.declared for each in own.values())
    rows = hats.quantile(asked.knots, risk) if known else None
    what, names = "groups" if asked.counts_groups else "rows", list(own)
    return CutForecast(
        name=f"{what} left out of {', '.join(names)}",
        share=given.share,
        interval=rows,
        units=hats.quantile([int(x > 0) for x in asked.knots], risk),
        advice=ask if rows is None else _worth(priced, names, rows),
    )


def _worth(priced: PricedPlan, names: list[str], rows: float) -> str:
    """A measurement that is rougher than a quarter of what is expected says little."""
    sizes = [priced.expected[name].rows for name in names if name in priced.expected]
    known = [size for size in sizes if size is not None]
    if not known or _TOO_MUCH * rows <= max(known):
        return ""
    cap = priced.table.cut.most_rows if priced.table.cut else None
    return (
        f" That is not worth it for {max(known):,} rows: take max_rows={cap}, the cap, and "
        "measure_cut=False."
    )
