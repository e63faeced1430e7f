"""Figures beside their targets. `make bench` takes them all and writes the tables of README.md.

Every module with a function `rows(size)` takes part: it yields a `Row` for each figure. `size` is the
number of rows of the large tables. A ratio compares two things of one run, timed in turns.
"""

import resource
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import NamedTuple

FULL = 20_000_000
"""The rows of the large tables in a full run."""


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        what: what was measured.
        measured: the figure.
        most: the target: the greatest figure that is good enough.
        least: the target, where more is better.
        unit: what the figure counts: "x" (times), "s", "ms", "lines", ...
        note: anything else that should be read with it.
    """

    what: str
    measured: float
    most: float | None = None
    least: float | None = None
    unit: str = "x"
    note: str = ""

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        above = self.most is not None and self.measured > self.most
        return not above and (self.least is None or self.measured >= self.least)

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """What was measured, the figure, the target, and whether it is met."""
        if self.most is not None:
            target = f"at most {_shown(self.most)}"
        else:
            target = "" if self.least is None else f"at least {_shown(self.least)}"
        verdict = ("met" if self.met else "missed") if target else ""
        note = "; ".join(part for part in (verdict, self.note) if part)
        return self.what, f"{_shown(self.measured)} {self.unit}", target, note


def _shown(number: float) -> str:
    if number == int(number):
        return f"{int(number):,}"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


class Taken(NamedTuple):
    """Seconds on the clock, and of all processors together (with those of ended child processes)."""

    clock: float
    busy: float


def medians(actions: Mapping[str, Callable[[], object]], repetitions: int = 5) -> dict[str, Taken]:
    """How long each action takes; they take turns, so that load hits all of them."""
    found: dict[str, list[Taken]] = {name: [] for name in actions}
    for _ in range(repetitions):
        for name, action in actions.items():
            clock, busy = perf_counter(), _busy()
            action()
            found[name].append(Taken(perf_counter() - clock, _busy() - busy))
    return {name: Taken(*map(median, zip(*taken, strict=True))) for name, taken in found.items()}


def _busy() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
