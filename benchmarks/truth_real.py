"""Intervals on real tables."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from benchmarks.held import BUDGETS, Case, keyed, rows_of
from benchmarks.truth_tables import flights, study
from leastnoise import col
from leastnoise.release.plan import plan
from leastnoise.release.read import read


def real_cases() -> Iterator[Case]:
    """Tables that come with packages; bounds that cut nothing, for totals and means."""
    yield from _flight_cases(flights())
    yield from _panel_cases(study("wagepan", ["nr", "year", "lwage", "hours"]))
    yield from _card_cases(study("card", ["wage", "educ"]))


def _flight_cases(frame: pd.DataFrame | None) -> Iterator[Case]:
    if frame is None:
        return
    named = frame[frame.tailnum.notna()]
    late = col("arr_delay") > 30
    asked = plan(read(frame, unit="tailnum"), max_groups=1, max_rows=600, measure_cut=False)
    for noise, budget in BUDGETS.items():
        told = f"flights by aircraft, {noise}"
        yield Case(f"{told}: flights", asked.count(), budget, {(): len(named)})
        mean = asked.mean("arr_delay", lower=-100, upper=1300)
        yield Case(f"{told}: mean delay", mean, budget, {(): named.arr_delay.mean()})
        share = float((named.arr_delay > 30).mean())
        yield Case(f"{told}: share late", asked.share(late), budget, {(): share})


def _panel_cases(frame: pd.DataFrame | None) -> Iterator[Case]:
    if frame is None:
        return
    years = sorted(frame.year.unique().tolist())
    asked = plan(read(frame, unit="nr"), max_groups=len(years), max_rows=1, measure_cut=False)
    by: dict[str, Any] = {"by": "year", "keys": years}
    for noise, budget in BUDGETS.items():
        told = f"wages of 545 people in 8 years, {noise}"
        yield Case(
            f"{told}: rows by year",
            asked.count(**by),
            budget,
            keyed(frame.year.value_counts()),
            share=0.2,
        )
        means = keyed(frame.groupby("year").lwage.mean())
        mean = asked.mean("lwage", lower=-4, upper=5, **by)
        yield Case(f"{told}: mean log wage by year", mean, budget, means, share=0.2)


def _card_cases(frame: pd.DataFrame | None) -> Iterator[Case]:
    if frame is None:
        return
    asked = rows_of(frame)
    for noise, budget in BUDGETS.items():
        told = f"wages of 3,010 people, {noise}"
        mean = asked.mean("wage", lower=0, upper=3000)
        yield Case(f"{told}: mean", mean, budget, {(): frame.wage.mean()})
        variance = asked.variance("wage", lower=0, upper=3000)
        yield Case(f"{told}: variance", variance, budget, {(): frame.wage.var(ddof=0)})
