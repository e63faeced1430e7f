"""Intervals where bounds cut nothing: only noise is in the answers."""

from collections.abc import Iterator
from math import ceil

import numpy as np

from benchmarks.held import BUDGETS, MOST, WIDTH, WITH_DELTA, Case, by_group, keyed, rows_of
from benchmarks.truth_tables import CITIES, HIGHEST, groups_of, places, visits
from leastnoise.release.plan import plan
from leastnoise.release.read import read


def total_cases() -> Iterator[Case]:
    """Numbers of people with at most 16 visits each: the bounds cut nothing."""
    few = visits(20_000, most=16)
    named = few[few.who.notna()]
    asked = plan(read(few, unit="who"), max_groups=1, max_rows=16, measure_cut=False)
    cities = named.city.value_counts()
    sums = named.groupby("city").cost.sum()
    for noise, budget in BUDGETS.items():
        told = f"visits, 16 each at most, {noise}"
        yield Case(f"{told}: rows", asked.count(), budget, {(): len(named)})
        yield Case(
            f"{told}: rows by city",
            asked.count(by="city", keys=CITIES),
            budget,
            keyed(cities),
            share=0.2,
        )
        yield Case(
            f"{told}: cost by city",
            asked.sum("cost", lower=0, upper=HIGHEST, by="city", keys=CITIES),
            budget,
            keyed(sums),
            share=0.2,
        )
        yield Case(
            f"{told}: mean cost by city",
            asked.mean("cost", lower=0, upper=HIGHEST, by="city", keys=CITIES),
            budget,
            keyed(named.groupby("city").cost.mean()),
            share=0.2,
        )


def mean_cases() -> Iterator[Case]:
    """Means of ten to a million rows, in the middle of their range and near its end."""
    for size in (10, 30, 100, 10**3, 10**4, 10**6):
        groups = 4 if size < 10**6 else 1
        for middle in (0.5, 0.1):
            frame = places(groups, size, middle)
            truth = keyed(frame.groupby("group").x.mean())
            for noise, budget in BUDGETS.items():
                asked = rows_of(frame).mean("x", lower=0, upper=100, **by_group(groups))
                name = f"mean of {size:,} rows, at {middle:g} of the range, {noise}"
                yield Case(name, asked, budget, truth, share=1 / groups)


def variance_cases() -> Iterator[Case]:
    """Variances; of few rows nothing is known, and the interval is the whole range."""
    for size in (30, 300, 10**4, 10**5):
        frame = places(10, size, 0.3)
        truth = keyed(frame.groupby("group").x.var(ddof=0))
        for noise, budget in BUDGETS.items():
            asked = rows_of(frame).variance("x", lower=0, upper=100, **by_group(10))
            small = size < 300 * 3  # three sums share ε = 1
            name = f"variance of {size:,} rows, {noise}"
            yield Case(
                name, asked, budget, truth, most=None if small else MOST,
                width=None if small else WIDTH, share=0.1,
            )  # fmt: skip


def quantile_cases() -> Iterator[Case]:
    """Medians and upper tenths: at least as often as said, for atoms make it more."""
    for size in (100, 3_000, 100_000):
        frame = places(1, size, 0.3)
        ordered = np.sort(frame.x.to_numpy())
        for noise, budget in BUDGETS.items():
            for level in (0.5, 0.9):
                asked = rows_of(frame).quantiles("x", [level], lower=0, upper=100)
                truth = {(level,): float(ordered[ceil(level * size) - 1])}
                name = f"quantile {level:g} of {size:,} rows, {noise}"
                yield Case(name, asked, budget, truth, most=None, width=None)


def key_cases() -> Iterator[Case]:
    """Private groups, one for each person: of those that are shown."""
    sizes = {f"of {size}": size for size in (10, 12, 14, 16, 20, 30)}
    frame = groups_of(sizes, 100)
    asked = rows_of(frame).count_units(by="group", keys="private")
    for name, size in sizes.items():
        truth = {(f"{name} {copy}",): float(size) for copy in range(100)}
        case = f"private groups {name} people, given shown"
        # Counts are whole, and a group near the threshold may be any smaller one.
        yield Case(case, asked, WITH_DELTA, truth, most=None, width=None, share=0.1)
