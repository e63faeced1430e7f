"""`Held`: how often the intervals of a plan hold the truth of its table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

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
WITH_DELTA = ApproxDP(epsilon=1, delta="1e-6")
LEAST, MOST, WIDTH = 94.0, 97.5, 2.2  # wanted: per cent, per cent, standard errors
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
        least: how often intervals must hold it.
        holds: for answers that say several things, whether all of them are true; None if the
            interval is all there is.
    """

    name: str
    asked: Plan
    budget: Guarantee
    truth: Truth
    most: float | None = MOST
    width: float | None = WIDTH
    share: float = 1.0
    least: float = LEAST
    holds: Callable[[ReleasedTable], bool] | None = None


@dataclass
class Held:
    """How often intervals held the truth."""

    case: Case
    right: int = 0
    seen: int = 0
    halves: list[float] = field(default_factory=list)
    unit: str = "se"

    @classmethod
    def of(cls, case: Case, releases: int) -> "Held":
        """The case, released as often as said."""
        made = cls(case)
        for tables in drawn_again(case.asked, case.budget, max(1, ceil(releases * case.share))):
            made.look(tables[0])
        return made

    def look(self, table: ReleasedTable) -> None:
        """Count the answers of one release whose truth is known."""
        if self.case.holds is not None:
            self.seen += 1
            self.right += self.case.holds(table)
            self._note(table)
            return
        self._note(table)
        rows = zip(table.rows, table.lower, table.upper, strict=True)
        for key, low, high in rows:
            if key in self.case.truth:
                self.seen += 1
                self.right += bool(low <= self.case.truth[key] <= high)

    def _note(self, table: ReleasedTable) -> None:
        """How wide the intervals are: in standard errors, or beside answers where rows were cut."""
        known = [key in self.case.truth or self.case.holds is not None for key in table.rows]
        against = table.standard_error if table.cut is None else np.abs(table.values) / 100
        with np.errstate(divide="ignore", invalid="ignore"):
            halves = (table.upper - table.lower) / 2 / against
        self.halves += halves[known].tolist()
        self.unit = "se" if table.cut is None else "% of it"

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
        """The median."""
        return float(np.median(self.halves)) if self.halves else float("nan")

    @property
    def met(self) -> bool:
        """Whether the case is as it should be."""
        case = self.case
        wide = case.width is not None and not self.half_width <= case.width
        often = case.most is not None and self._chance(case.most, above=True) < _CHANCE
        return self._chance(self.case.least, above=False) >= _CHANCE and not wide and not often

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
            f"{'at least ' if case.most is None else ''}{case.least:g}{upper} %",
            "–" if np.isnan(self.half_width) else f"{self.half_width:.3g} {self.unit}",
            "–" if case.width is None else f"at most {case.width:g} se",
            "met" if self.met else "**MISSED**",
        )


HEADINGS = ("case", "intervals", "hold the truth", "wanted", "half-width", "wanted", "")


def rows_of(frame: pd.DataFrame) -> Plan:
    """A plan for a table of which every row is a unit."""
    return plan(read(frame, unit=None))


def by_group(groups: int) -> dict[str, Any]:
    """The words that ask for each of the first groups."""
    return {"by": "group", "keys": list(range(groups))}


def keyed(found: "pd.Series[Any]") -> Truth:
    """What pandas found, by the keys of a released table."""
    return {(key,): float(value) for key, value in found.items()}
