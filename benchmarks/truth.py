"""Do 95 % intervals hold the table's truth, and are they no wider than that takes?

python -m benchmarks.truth [--releases 500] [--only means]

Each plan is measured once and drawn anew as often as said. Tables are made here, with the shapes of
real ones; three real ones come with the extra `bench`, and are left out where it is not installed.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from benchmarks.row import line_text, table_text
from benchmarks.truth_tables import CITIES, HIGHEST, flights, groups_of, places, study, visits
from leastnoise import col
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.plan import Plan, plan
from leastnoise.release.read import read
from leastnoise.release.result.released_table import ReleasedTable
from tests.release.drawn_again import drawn_again

Truth = Mapping[tuple[Any, ...], float]
"""For the key of each answer what the table says, without any bound."""

BUDGETS: Mapping[str, Guarantee] = {
    "Laplace": PureDP(epsilon=1),
    "Gaussian": ZCDP(rho="0.03"),
}
_WITH_DELTA = ApproxDP(epsilon=1, delta="1e-6")
_LEAST, _MOST, _WIDTH = 94.0, 97.5, 2.2  # wanted: per cent, per cent, standard errors
_CHANCE = 0.005  # that a figure on the edge of what is wanted is called missed


@dataclass(frozen=True)
class Case:
    """One question, asked of one table again and again.

    Attributes:
        name: of the case.
        asked: the plan; all answers of its first question are looked at.
        budget: what it spends.
        truth: what the table says.
        most: how often intervals may hold the truth, in per cent; None where being right more often
            than said has a reason.
        width: how wide half an interval may be, in standard errors; None where it has a reason.
        share: of the releases that are asked for, how many are enough: each has many answers.
    """

    name: str
    asked: Plan
    budget: Guarantee
    truth: Truth
    most: float | None = _MOST
    width: float | None = _WIDTH
    share: float = 1.0


@dataclass
class Held:
    """How often intervals held the truth."""

    case: Case
    right: int = 0
    seen: int = 0
    halves: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, case: Case, releases: int) -> "Held":
        """The case, released as often as said."""
        made = cls(case)
        for tables in drawn_again(case.asked, case.budget, max(1, ceil(releases * case.share))):
            made.look(tables[0])
        return made

    def look(self, table: ReleasedTable) -> None:
        """Count the answers of one release whose truth is known."""
        rows = zip(table.rows, table.lower, table.upper, table.standard_error, strict=True)
        for key, low, high, error in rows:
            if key in self.case.truth:
                self.seen += 1
                self.right += bool(low <= self.case.truth[key] <= high)
                self.halves.append(float((high - low) / 2 / error) if error else np.nan)

    @property
    def known(self) -> bool:
        """Whether there are intervals at all."""
        return bool(self.halves) and self.right > 0

    @property
    def rate(self) -> float:
        """In per cent."""
        return 100 * self.right / self.seen if self.seen else float("nan")

    @property
    def half_width(self) -> float:
        """In standard errors: the median."""
        return float(np.median(self.halves)) if self.halves else float("nan")

    @property
    def met(self) -> bool:
        """Whether the case is as it should be."""
        case = self.case
        wide = case.width is not None and not self.half_width <= case.width
        often = case.most is not None and self._chance(case.most, above=True) < _CHANCE
        return self._chance(_LEAST, above=False) >= _CHANCE and not wide and not often

    def _chance(self, rate: float, *, above: bool) -> float:
        """Of as few, or as many, right ones as were seen, if this many in a hundred are right."""
        law = binom(self.seen, rate / 100)
        return float(law.sf(self.right - 1) if above else law.cdf(self.right))

    def cells(self) -> tuple[str, ...]:
        """The row of a table."""
        case = self.case
        upper = "" if case.most is None else f" to {case.most:g}"
        return (
            case.name,
            f"{self.seen:,}",
            f"{self.rate:.1f} %" if self.known else "none is told",
            f"{'at least ' if case.most is None else ''}{_LEAST:g}{upper} %",
            "–" if np.isnan(self.half_width) else f"{self.half_width:.2f}",
            "–" if case.width is None else f"at most {case.width:g}",
            "met" if self.met else "**MISSED**",
        )


HEADINGS = ("case", "intervals", "hold the truth", "wanted", "half-width in se", "wanted", "")


def total_cases() -> Iterator[Case]:
    """Numbers of people with at most 16 visits each: the bounds cut nothing."""
    few = visits(20_000, most=16)
    named = few[few.who.notna()]
    asked = plan(read(few, unit="who"), max_groups=1, max_rows=16)
    cities = named.city.value_counts()
    sums = named.groupby("city").cost.sum()
    for noise, budget in BUDGETS.items():
        told = f"visits, 16 each at most, {noise}"
        yield Case(f"{told}: rows", asked.count(), budget, {(): len(named)})
        yield Case(
            f"{told}: rows by city",
            asked.count(by="city", keys=CITIES),
            budget,
            _keyed(cities),
            share=0.2,
        )
        yield Case(
            f"{told}: cost by city",
            asked.sum("cost", lower=0, upper=HIGHEST, by="city", keys=CITIES),
            budget,
            _keyed(sums),
            share=0.2,
        )
        yield Case(
            f"{told}: mean cost by city",
            asked.mean("cost", lower=0, upper=HIGHEST, by="city", keys=CITIES),
            budget,
            _keyed(named.groupby("city").cost.mean()),
            width=None,  # low in its range: the interval ends at the bound
            share=0.2,
        )


def mean_cases() -> Iterator[Case]:
    """Means of ten to a million rows, in the middle of their range and near its end."""
    for size in (10, 30, 100, 10**3, 10**4, 10**6):
        groups = 4 if size < 10**6 else 1
        for middle in (0.5, 0.1):
            frame = places(groups, size, middle)
            truth = _keyed(frame.groupby("group").x.mean())
            for noise, budget in BUDGETS.items():
                asked = _rows_of(frame).mean("x", lower=0, upper=100, **_by(groups))
                name = f"mean of {size:,} rows, at {middle:g} of the range, {noise}"
                width = _WIDTH if size * middle > 30 else None  # else it ends at a bound
                yield Case(name, asked, budget, truth, width=width, share=1 / groups)


def variance_cases() -> Iterator[Case]:
    """Variances; of few rows nothing is known, and the interval is the whole range."""
    for size in (30, 300, 10**4, 10**5):
        frame = places(10, size, 0.3)
        truth = _keyed(frame.groupby("group").x.var(ddof=0))
        for noise, budget in BUDGETS.items():
            asked = _rows_of(frame).variance("x", lower=0, upper=100, **_by(10))
            small = size < 300 * 3  # three sums share ε = 1
            name = f"variance of {size:,} rows, {noise}"
            yield Case(
                name, asked, budget, truth, most=None if small else _MOST,
                width=None if small else _WIDTH, share=0.1,
            )  # fmt: skip


def quantile_cases() -> Iterator[Case]:
    """Medians and upper tenths: at least as often as said, for atoms make it more."""
    for size in (100, 3_000, 100_000):
        frame = places(1, size, 0.3)
        ordered = np.sort(frame.x.to_numpy())
        for noise, budget in BUDGETS.items():
            for level in (0.5, 0.9):
                asked = _rows_of(frame).quantiles("x", [level], lower=0, upper=100)
                truth = {(level,): float(ordered[ceil(level * size) - 1])}
                name = f"quantile {level:g} of {size:,} rows, {noise}"
                yield Case(name, asked, budget, truth, most=None, width=None)


def key_cases() -> Iterator[Case]:
    """Private groups, one for each person: of those that are shown."""
    sizes = {f"of {size}": size for size in (10, 12, 14, 16, 20, 30)}
    frame = groups_of(sizes, 100)
    asked = _rows_of(frame).count_units(by="group", keys="private")
    for name, size in sizes.items():
        truth = {(f"{name} {copy}",): float(size) for copy in range(100)}
        case = f"private groups {name} people, given shown"
        # Counts are whole, and a group near the threshold may be any smaller one.
        yield Case(case, asked, _WITH_DELTA, truth, most=None, width=None, share=0.1)


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
    asked = plan(read(frame, unit="tailnum"), max_rows=600)
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
    asked = plan(read(frame, unit="nr"), max_groups=len(years), max_rows=1)
    by: dict[str, Any] = {"by": "year", "keys": years}
    for noise, budget in BUDGETS.items():
        told = f"wages of 545 people in 8 years, {noise}"
        yield Case(
            f"{told}: rows by year",
            asked.count(**by),
            budget,
            _keyed(frame.year.value_counts()),
            share=0.2,
        )
        means = _keyed(frame.groupby("year").lwage.mean())
        mean = asked.mean("lwage", lower=-4, upper=5, **by)
        yield Case(f"{told}: mean log wage by year", mean, budget, means, share=0.2)


def _card_cases(frame: pd.DataFrame | None) -> Iterator[Case]:
    if frame is None:
        return
    asked = _rows_of(frame)
    for noise, budget in BUDGETS.items():
        told = f"wages of 3,010 people, {noise}"
        mean = asked.mean("wage", lower=0, upper=3000)
        yield Case(f"{told}: mean", mean, budget, {(): frame.wage.mean()})
        variance = asked.variance("wage", lower=0, upper=3000)
        yield Case(f"{told}: variance", variance, budget, {(): frame.wage.var(ddof=0)})


def _rows_of(frame: pd.DataFrame) -> Plan:
    return plan(read(frame, unit=None))


def _by(groups: int) -> dict[str, Any]:
    return {"by": "group", "keys": list(range(groups))}


def _keyed(found: "pd.Series[Any]") -> Truth:
    return {(key,): float(value) for key, value in found.items()}


TOPICS: Mapping[str, Callable[[], Iterator[Case]]] = {
    "totals": total_cases,
    "means": mean_cases,
    "variances": variance_cases,
    "quantiles": quantile_cases,
    "keys": key_cases,
    "real": real_cases,
}


def main() -> None:
    """Measure all topics, or those that are named, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--releases", type=int, default=500, help="of each plan")
    parser.add_argument("--only", nargs="*", choices=TOPICS, default=list(TOPICS))
    said = parser.parse_args()
    cases = (case for name in said.only for case in TOPICS[name]())
    print(table_text(HEADINGS, []), flush=True)
    found = []
    for case in cases:
        found.append(Held.of(case, said.releases))
        print(line_text(found[-1].cells()), flush=True)
    print(f"\n{sum(each.met for each in found)} met, {sum(not each.met for each in found)} missed")


if __name__ == "__main__":
    main()
