"""`MostCommon`: the groups with the most units, and how many they have."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.choosing.exponential_mechanism import ExponentialMechanism
from leastnoise.mechanisms.choosing.permute_and_flip import PermuteAndFlip
from leastnoise.mechanisms.choosing.selection import Selection
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.draw.drawn import Drawn, Found
from leastnoise.release.questions.integer_answers import lattice_forecast, lattice_table, noisy_step
from leastnoise.release.questions.rank_bounds import rank_bounds
from leastnoise.release.questions.unit_counts import unit_forecast, unit_table
from leastnoise.release.questions.yardstick import of_rows
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.ranks import Ranks
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.aggregate import CountUnits
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand, noise_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.reach import reach_of
from leastnoise.release.step.step import Step

_BITS = 24  # short numbers that lose less than 10^-6 of the budget


@dataclass(frozen=True)
class MostCommon:
    """The groups with the most units.

    Public groups are chosen one after another, each time a good one with great probability, and
    only the chosen ones get noise: with many groups that is far less than noise for all. Private
    groups have noisy numbers as soon as they are shown, and the largest are kept; so do public ones
    that another question counts anyway.

    Theorem: let k of m noisy numbers be kept, in whatever way, and let each of the m miss its
    interval with a chance of at most r·k/m. Then of the k kept ones at most r·k miss theirs, on
    average. Proof: no more are expected to miss it among all m.

    Attributes:
        name: how the answer is found again.
        groups: among which groups.
        count: how many groups.
        importance: of an error of one unit.
        from_counts: whether another question has all groups counted: the largest of these are kept.
    """

    name: str
    groups: Groups
    count: int
    importance: Fraction
    from_counts: bool = False

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return f"The {self.count} groups with the most units{self.groups}, and their numbers."

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """A choice, and noise for the chosen; noise alone where groups are private."""
        if self.groups.are_private or self.from_counts:
            return (cells_demand(self.measurements(table)[0], table, self.importance),)
        (asked,) = self.measurements(table)
        reach = reach_of(asked, table.table, chosen=self.count)
        one = table.clip_weight
        gap = one * math.log(self._candidates + 1) * (1 if _monotone(table) else 2)
        choice = Demand(self.importance, gap * self.count, gap * math.sqrt(self.count / 8))
        return choice, noise_demand(reach, self.importance)

    def counted(self, table: BoundedTable) -> Fraction | None:
        """Numbers of units in private groups are what the choice has."""
        del table
        return self.importance if self.groups.are_private else None

    def is_met_by(self, counts: CountedPartitions) -> bool:
        """Any precision will do: less noise is not to be had."""
        del counts
        return True

    @property
    def _candidates(self) -> int:
        return self.groups.count or 0

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """One count of units per group."""
        return (self.groups.measurement((CountUnits(),), table),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """A choice, then a draw for the chosen; the choice of private groups has the numbers."""
        if among is not None:
            return (among,)
        (asked,) = self.measurements(given.table)
        if self.from_counts:
            return (noisy_step(asked, given[0], None),)
        choice = Step(asked, self._choice(given), given[0].price)
        return choice, noisy_step(asked, given[1], choice)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of the numbers, before any data is read."""
        if given.counts is not None:
            numbers = unit_forecast(self.name, self.groups, given, confidence)
            numbers = replace(numbers, answers=self.count, of="unsorted number", rows="units")
            return of_rows(numbers, given.expected, Fraction(1))
        told = lattice_forecast(self.name, self.groups, given[-1], Fraction(1), confidence)
        share = sum((each.share for each in given), Fraction(0))
        of = "unsorted number" if self.from_counts else told.of
        words = self._mechanism(given)
        told = replace(told, answers=self.count, share=share, mechanism=words, of=of, rows="units")
        return of_rows(told, given.expected, Fraction(1))

    def _choice(self, given: Allotment) -> TopSelection:
        """As many choices as groups are asked for; together they keep the price."""
        kind: type[Selection] = PermuteAndFlip
        price = given[0].price
        if isinstance(price, ZCDP):
            epsilon, kind = _root_below(8 * price.rho / self.count), ExponentialMechanism
        else:
            epsilon = price.epsilon / self.count
        rule = kind(
            candidates=self._candidates,
            epsilon=epsilon,
            sensitivity=given.table.clip_weight,
            monotone=_monotone(given.table),
        )
        return TopSelection(rule, self.count)

    def make_ready(self, given: Allotment, confidence: Fraction) -> None:
        """How far short of the best a choice may fall is known before the charge."""
        if given.counts is None and not self.from_counts:
            self._choice(given).rare_gap(1 - confidence)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The chosen groups with noisy numbers, the largest first."""
        counted = found[-1]
        # Of many numbers the largest are those with the most noise: their intervals are wider.
        risk = (1 - confidence) * min(Fraction(1), Fraction(self.count, max(len(counted.rows), 1)))
        shown = self._numbers(given, counted, 1 - risk)
        order = np.argsort(-shown.values, kind="stable")[: self.count]
        ranks = self._ranks(given, counted, order, confidence)
        return replace(
            shown,
            rows=tuple(shown.rows[place] for place in order),
            values=shown.values[order],
            standard_error=shown.standard_error[order],
            lower=shown.lower[order],
            upper=shown.upper[order],
            ratio=None,
            certificate=None,
            notes=("sorted by the noisy numbers", *ranks.words, *shown.notes),
            ranks=ranks,
        )

    def _ranks(
        self, given: Allotment, counted: Drawn, order: NDArray[np.intp], confidence: Fraction
    ) -> Ranks:
        """Which ranks are certain, by intervals that hold at once or by how groups were chosen."""
        if given.counts is None and not self.from_counts:
            return Ranks(within=self._choice(given).rare_gap(1 - confidence) - 1)
        risk = (1 - confidence) / max(len(counted.rows), 1)
        every = self._numbers(given, counted, 1 - risk)
        among = "all groups" if given.counts is None else "the groups that are shown"
        return rank_bounds(every.lower, every.upper, order, among)

    def _numbers(self, given: Allotment, counted: Drawn, confidence: Fraction) -> ReleasedTable:
        """All numbers that there are, unsorted."""
        if given.counts is not None:
            return unit_table(self.name, self.groups, counted, given, confidence)
        names, one = self.groups.names, Fraction(1)
        found = lattice_table(self.name, names, counted, given[-1], one, confidence)
        return replace(found, mechanism=self._mechanism(given))

    def _mechanism(self, given: Allotment) -> str:
        words = given[-1].words
        return words if self.from_counts else f"{self._choice(given)!r}, then {words}"


def _monotone(table: BoundedTable) -> bool:
    """A unit that comes in raises counts, and lowers none, whatever it weighs."""
    return table.neighbours is Neighbours.ADD_REMOVE


def _root_below(number: Fraction) -> Fraction:
    """The square root, rounded down to some 24 bits."""
    shift = 2 * (_BITS + max(number.denominator.bit_length() - number.numerator.bit_length(), 0))
    return Fraction(
        math.isqrt(number.numerator * 2**shift // number.denominator), 2 ** (shift // 2)
    )
