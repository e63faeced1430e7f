"""Passes for spreads: what one query answers, and how its answer becomes weights on knots."""

from collections.abc import Iterable
from dataclasses import field

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.release.measure.backends.session import Found
from leastnoise.release.measure.one_pass import Pass, Sought
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.histograms import Grouping
from leastnoise.release.step.secret_totals import SecretTotals
from leastnoise.release.step.unit_spread import Spread, UnitSpread

_MOST_SPREADS = 8


@dataclass
class SpreadPass:
    """Spreads of the same rows, groups and bounds; it grows while more are put into it.

    Attributes:
        spreads: each with its place. There is one, or each unit is one part in all of them.
    """

    spreads: dict[UnitSpread, int] = field(default_factory=dict)

    def has_room(self, each: UnitSpread) -> bool:
        """Whether a spread fits beside the others."""
        if each in self.spreads:
            return True
        first = next(iter(self.spreads))
        return len(self.spreads) < _MOST_SPREADS and _family(each) == _family(first) is not None

    def add(self, each: UnitSpread) -> None:
        """Makes the pass answer one spread more."""
        self.spreads.setdefault(each, len(self.spreads))

    @property
    def bounded(self) -> Pass:
        """The measurement whose rows, groups and bounds are looked at."""
        first = next(iter(self.spreads))
        asked = first.measurement
        wanted = asked.aggregates if first.of is Spread.VALUES else (CountRows(),)
        found = Pass(asked.bounds)
        found.add(Sought(Grouping(asked.by, asked.keys), asked.bounds, asked.where, wanted))
        return found

    def is_of(self, asked: Pass) -> bool:
        """Whether a pass makes the very pairs of units and groups whose numbers are spread."""
        own, (first, *_) = self.bounded, self.spreads
        return (
            first.of is not Spread.VALUES
            and first.measurement.turns is None is asked.turns
            and asked.valued is None
            and (own.bounds, *own.groupings) == (asked.bounds, *asked.groupings)
            and own.conditions == asked.conditions
        )

    def part(self, each: UnitSpread, found: Found) -> SecretTotals:
        """The weights on the knots of one spread."""
        place = self.spreads[each]
        weights = [0] * len(each.knots)
        own = zip(found.keys[place], found.totals[0], found.totals[1 + place], strict=True)
        for knot, whole, upper in own:
            if knot is not None:  # another spread's
                weights[int(knot)] += int(whole) - int(upper)
                weights[int(knot) + 1] += int(upper)
        return SecretTotals(tuple((knot,) for knot in each.knots), (np.array(weights, np.int64),))


def _family(each: UnitSpread) -> object:
    """What spreads of one pass have in common; None of those that have a pass of their own."""
    if each.of in {Spread.ROWS_IN_GROUP, Spread.VALUES}:
        return None
    asked = each.measurement
    return asked.by, asked.keys, asked.where, asked.bounds


def fused_spreads(wanted: Iterable[UnitSpread]) -> list[SpreadPass]:
    """As few passes as serve all spreads."""
    passes: list[SpreadPass] = []
    for each in wanted:
        home = next((found for found in passes if found.has_room(each)), None)
        if home is None:
            home = SpreadPass()
            passes.append(home)
        home.add(each)
    return passes
