"""Intervals where bounds cut much, and what it costs to know how much."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.held import BUDGETS, Case, keyed
from benchmarks.row import Row
from benchmarks.truth_tables import CITIES, HIGHEST, MOST_VISITS, flights, visits
from leastnoise import col
from leastnoise.release.plan import Plan, plan
from leastnoise.release.read import read
from leastnoise.release.result.released_table import ReleasedTable


def cut_cases() -> Iterator[Case]:
    """Bounds that cut much: intervals hold what they cut, as nobody has more than is declared."""
    frame = visits(20_000)
    named = frame[frame.who.notna()]
    by_city = named.city.value_counts()
    for noise, budget in BUDGETS.items():
        for rows in (8, 64):
            told = f"visits, {rows} each of at most {MOST_VISITS}, {noise}"
            asked = plan(
                read(frame, unit="who"), max_groups=1, max_rows=rows, most_rows=MOST_VISITS
            )
            yield Case(f"{told}: rows", asked.count(), budget, {(): len(named)}, width=None)
            counts = asked.count(by="city", keys=CITIES)
            yield Case(
                f"{told}: rows by city", counts, budget, keyed(by_city), None, None, share=0.2
            )
    yield from _cut_flights(flights())


def _cut_flights(frame: pd.DataFrame | None) -> Iterator[Case]:
    """All of what a group lost may have been another group's: such intervals are wide."""
    if frame is None:
        return
    named = frame[frame.tailnum.notna()]
    late, truth = col("arr_delay") > 30, float((named.arr_delay > 30).mean())
    for noise, budget in BUDGETS.items():
        for rows in (20, 64):
            told = f"flights, {rows} each of at most 600, {noise}"
            asked = plan(read(frame, unit="tailnum"), max_groups=1, max_rows=rows, most_rows=600)
            yield Case(f"{told}: flights", asked.count(), budget, {(): len(named)}, width=None)
            yield Case(f"{told}: share late", asked.share(late), budget, {(): truth}, None, None)


def uncapped_cases() -> Iterator[Case]:
    """The same without a cap: what is counted lies in the interval, and few people lost more."""
    numbers = {"visits": visits(20_000).who.dropna().value_counts().to_numpy()}
    frames = {"visits": (visits(20_000), "who")}
    flown = flights()
    if flown is not None:
        numbers["flights"] = flown.tailnum.dropna().value_counts().to_numpy()
        frames["flights"] = flown, "tailnum"
    for noise, budget in BUDGETS.items():
        for name, (frame, unit) in frames.items():
            asked = plan(read(frame, unit=unit), max_groups=1, max_rows=8).count()
            holds = partial(_both_hold, np.maximum(numbers[name] - 8, 0), int(numbers[name].sum()))
            told = f"{name}, 8 each, no cap, {noise}: rows"
            yield Case(told, asked, budget, {}, None, None, least=95.0, holds=holds)


def _both_hold(lost: "np.ndarray[Any, Any]", rows: int, table: ReleasedTable) -> bool:
    """Both sentences of a table without a cap: the interval, and how many units lost more."""
    cut = table.cut
    assert cut is not None and cut.beyond is not None, "no cap is declared"  # noqa: PT018
    counted = rows - int(np.maximum(lost - cut.most, 0).sum())
    return bool(table.lower[0] <= counted <= table.upper[0]) and (
        int((lost > cut.most).sum()) <= cut.beyond
    )


def cost_rows() -> Iterator[Row]:
    """What measuring the cut costs other answers: their errors, beside those without."""
    frame = visits(1000)
    for noise, budget in BUDGETS.items():
        told = [
            _questions(
                plan(read(frame, unit="who"), max_groups=2, max_rows=8, measure_cut=measured)
            ).preview(budget)
            for measured in (True, False)
        ]
        pairs = zip(*told, strict=True)
        errors = [(one.expected_error, other.expected_error) for one, other in pairs]
        ratios = [one / other for one, other in errors if one and other]
        case = f"measuring the cut, {noise}: the error of {len(ratios)} questions"
        beside, worst = "not measured: 1 ×", max(ratios)
        yield Row(case, f"at most {worst:.4g} ×", beside, worst, "×", "at most", 1.03)


def _questions(asked: Plan) -> Plan:
    asked = asked.count().sum("cost", lower=0, upper=HIGHEST).count(by="city", keys=CITIES)
    return asked.mean("cost", lower=0, upper=HIGHEST, expected=1000)
