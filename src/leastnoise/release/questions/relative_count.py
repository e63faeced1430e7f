"""`RelativeCount`: how many units, with an error in proportion to the count."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.groupwise.relative_counts import RelativeCounts
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.release.ask.tuple_field import changed
from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.unit_counts import unit_forecast, unit_table
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import Floats, ReleasedTable
from leastnoise.release.step.aggregate import CountUnits, sensitivity
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step

_LIKELY = Fraction(95, 100)


@dataclass(frozen=True)
class RelativeCount:
    r"""How many units in each group, with the same relative error for every size from one on.

    Theorem: a unit is in at most G groups, and in each the release is v-group-wise zCDP with v at
    most v(smallest); so all of it is G·v(smallest)-zCDP, and less for units in larger groups. Where
    units are replaced, 2·G groups change. Proof: groups get independent noise, and ρ add up.

    Attributes:
        name: how the answer is found again.
        groups: for which groups it is asked.
        mechanism: the noise, and the error it promises.
    """

    name: str
    groups: Groups
    mechanism: RelativeCounts

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        error, smallest = float(self.mechanism.relative_error), self.mechanism.smallest
        return (
            f"The number of units{self.groups}, with a mean error of at most {error:.3g} times the "
            f"number; groups of fewer than {smallest} count as {smallest}."
        )

    @property
    def why_not_told(self) -> str:
        """Why nobody is told what its bounds left out."""
        return "its price follows from its error, and has no part for that"

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """The price follows from the error that was asked for."""
        least = self.groups.effective_bounds(table)
        reach = sensitivity(CountUnits(), least, table.neighbours, groups=self.groups.count)
        price = reach.cells * self.mechanism.privacy(self.mechanism.smallest)
        return (Demand(Fraction(1), math.inf, 0.0, fixed=price),)

    def counted(self, table: BoundedTable) -> Fraction | None:
        """Numbers of units in private groups are what the choice has."""
        del table
        return Fraction(1) if self.groups.are_private else None

    def is_met_by(self, counts: CountedPartitions) -> bool:
        r"""Whether groups of the smallest size are shown, and precise enough.

        Theorem: let groups from `smallest` on be shown with a chance of at least c, and let the
        noise have a mean size of at most c·r·smallest. Given that such a group of x units is shown,
        its mean error is at most r·x. Proof: E[|Z| given shown] ≤ E|Z|/c ≤ r·smallest ≤ r·x.
        """
        smallest = max(self.mechanism.smallest, 1)
        chance = counts.keep_probability(smallest)
        most = chance * self.mechanism.relative_error * smallest
        return chance > _LIKELY and counts.noise.moment(1).upper <= most

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """One count of units per group."""
        return (self.groups.measurement((CountUnits(),), table),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """One draw for all groups, or the choice of private groups, which has the numbers."""
        if given.counts is not None and among is not None:
            return (among,)
        return (Step(self.measurements(given.table)[0], self.mechanism, given[0].price, among),)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error in a group of the smallest size; it grows in proportion."""
        if given.counts is not None:
            return unit_forecast(self.name, self.groups, given, confidence)
        smallest = max(self.mechanism.smallest, 1)
        return Forecast(
            question=self.name,
            answers=self.groups.count,
            mechanism=repr(self.mechanism),
            expected_error=float(self.mechanism.expected_error(smallest)),
            interval=self._half_width(smallest, confidence),
            share=given[0].share,
            of=f"answer for a group of {smallest}",
            yardstick=float(smallest),
            yardstick_words="the smallest group",
        )

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The counts; their errors are told at the released sizes, which are public."""
        if given.counts is not None:
            shown = unit_table(self.name, self.groups, found[0], given, confidence)
            least = self.mechanism.smallest
            values, upper = np.maximum(shown.values, least), np.maximum(shown.upper, least)
            return changed(shown, values=values, upper=upper)
        del given  # the noise was fixed by the question
        values = np.asarray(found[0].values[0])
        lower, upper = self._ends(values.astype(np.float64), confidence)
        return ReleasedTable(
            name=self.name,
            columns=self.groups.names,
            rows=found[0].rows,
            values=values,
            standard_error=np.full(len(values), np.nan),
            lower=lower,
            upper=upper,
            mechanism=repr(self.mechanism),
        )

    def _half_width(self, size: int, confidence: Fraction) -> Fraction:
        """How far off a group of this size is at most, with this probability."""
        if size < self.mechanism.design.top:
            return self.mechanism.relative_error * size / (1 - confidence)
        return Fraction(size * math.expm1(self._reach(confidence)) + 1)

    def _reach(self, confidence: Fraction) -> float:
        """How far off the logarithm of a large count is at most, with this probability."""
        normal = NormalDist().inv_cdf(float(1 + confidence) / 2)
        return normal * float(self.mechanism.channel.sigma())

    def _ends(self, values: Floats, confidence: Fraction) -> tuple[Floats, Floats]:
        r"""Where the true count is with this probability.

        From `design.top` on the noise is Gaussian on a logarithm, up to one step of the lattice.
        Answers are e^−σ² times its median: that makes the mean error least, and is undone here.
        Below, Markov's inequality: |x̂ − x| ≤ r·x/(1 − confidence).
        """
        reach, shrunk = self._reach(confidence), float(self.mechanism.channel.squared_sigma)
        crude = float(self.mechanism.relative_error / (1 - confidence))
        top = self.mechanism.design.top
        large = values >= (0 if self.mechanism.smallest >= top else top * math.exp(reach))
        low = np.where(large, values * math.exp(shrunk - reach) - 1, values / (1 + crude))
        far = values / (1 - crude) if crude < 1 else np.full(len(values), np.inf)
        high = np.where(large, values * math.exp(shrunk + reach) + 1, far)
        least = float(self.mechanism.smallest)
        # A group that may be the smallest may be any smaller one.
        return np.asarray(np.where(low <= least, 0, low)), np.asarray(np.maximum(high, least))
