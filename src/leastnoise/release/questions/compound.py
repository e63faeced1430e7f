"""`Compound`: a question whose answer is computed from those of others."""

from abc import ABC, abstractmethod
from dataclasses import replace
from itertools import chain, pairwise

from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.question import Question
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.step import Step


class Compound(ABC):
    """What questions have in common that are made of others, each with one step per demand.

    The parts are measured by themselves: whoever asks for one of them too has the same numbers.
    """

    @property
    @abstractmethod
    def parts(self) -> tuple[Question, ...]:
        """The questions that it is made of."""

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Those of all parts."""
        return tuple(chain(*(each.demands(table) for each in self.parts)))

    def measurements(self, table: BoundedTable) -> tuple[Asked, ...]:
        """Those of all parts."""
        return tuple(chain(*(each.measurements(table) for each in self.parts)))

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """Those of all parts."""
        pairs = zip(self.parts, self.allotments(given), strict=True)
        return tuple(chain(*(part.steps(own, among) for part, own in pairs)))

    def allotments(self, given: Allotment) -> list[Allotment]:
        """What each part may spend."""
        return [replace(given, grants=given.grants[own]) for own in self._slices(given.table)]

    def found(self, found: Found, table: BoundedTable) -> list[Found]:
        """What the steps of each part showed."""
        return [found[own] for own in self._slices(table)]

    def _slices(self, table: BoundedTable) -> list[slice]:
        ends = [0]
        for each in self.parts:
            ends.append(ends[-1] + len(each.demands(table)))
        return [slice(*pair) for pair in pairwise(ends)]
