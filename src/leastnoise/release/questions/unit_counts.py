"""Questions that the choice of private groups has answered already: how many units are in each."""

import math
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np

from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.privacy.guarantee import about
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.draw.drawn import Drawn
from leastnoise.release.questions.by_class import ByClass
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups


@runtime_checkable
class AsksForUnits(Protocol, metaclass=ByClass):
    """A question about numbers of units, which a choice of private groups may answer."""

    def counted(self, table: BoundedTable) -> Fraction | None:
        """How much an error of one unit matters, if its groups are private; else None."""

    def is_met_by(self, counts: CountedPartitions) -> bool:
        """Whether numbers with this noise are as precise as is asked."""


def are_units(groups: Groups, table: BoundedTable) -> bool:
    """Whether rows of these private groups count units: at most one of a unit's counts in each."""
    least = groups.effective_bounds(table)
    return groups.are_private and isinstance(least, Bounds) and least.max_rows == 1


def unit_forecast(name: str, groups: Groups, given: Allotment, confidence: Fraction) -> Forecast:
    """The error of a number that is shown, before any data is read."""
    assert given.counts is not None, "asked of questions that the choice answers"
    noise = given.counts.noise
    return Forecast(
        question=name,
        answers=groups.count,
        mechanism=_words(given.counts),
        expected_error=float(noise.moment(1)),
        interval=Fraction(noise.quantile(confidence)),
        share=given[0].share,
    )


def unit_table(
    name: str, groups: Groups, drawn: Drawn, given: Allotment, confidence: Fraction
) -> ReleasedTable:
    """The numbers that the choice showed; intervals hold given that a group is shown."""
    assert given.counts is not None, "asked of questions that the choice answers"
    (numbers,) = drawn.values
    noise, least = given.counts.noise, given.counts.least_shown
    lower, upper = given.counts.ends(numbers, confidence)
    blurred = bool((lower < numbers - noise.quantile(confidence)).any())
    return ReleasedTable(
        name=name,
        columns=groups.names,
        rows=drawn.rows,
        values=numbers,
        standard_error=np.full(len(numbers), math.sqrt(float(noise.moment(2)))),
        lower=lower.astype(np.float64),
        upper=upper.astype(np.float64),
        mechanism=_words(given.counts),
        notes=(_BLURRED.format(least),) if blurred else (),
    )


_BLURRED = (
    "no number below {0} is shown: a group of fewer, if it is shown at all, looks like one of "
    "about {0}, and nobody can tell how many it has"
)


def _words(counts: CountedPartitions) -> str:
    return f"CountedPartitions at {about(counts.promise)}, for {counts.max_groups} groups of a unit"
