"""`Question`: what every kind of question can say of itself."""

from fractions import Fraction
from typing import Protocol, runtime_checkable

from leastnoise.release.ask.grid import Grid
from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.by_class import ByClass
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.step import Step


class Question(Protocol):
    """A value: what is asked, of which groups, and how much its errors matter."""

    @property
    def name(self) -> str:
        """How the answer is found again."""

    @property
    def groups(self) -> Groups:
        """For which groups and rows it is asked."""

    def words(self) -> str:
        """What is asked, in a plain sentence."""

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """What has to be paid for."""

    def measurements(self, table: BoundedTable) -> tuple[Asked, ...]:
        """What the engine is asked."""

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """What is to be drawn, given one grant per demand.

        Args:
            given: what each demand may spend, and on which table.
            among: the step that chooses the groups, if they are private.
        """

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error, before any data is read: one grant per demand."""

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The answers, from what its steps showed, in their order. It sees no secret."""


@runtime_checkable
class Limited(Protocol, metaclass=ByClass):
    """A question whose answers have limits, whatever the data are."""

    @property
    def limits(self) -> tuple[float, float]:
        """What every answer lies between."""


@runtime_checkable
class CutsValues(Protocol, metaclass=ByClass):
    """A question that moves values beyond bounds to the bounds."""

    @property
    def inside(self) -> tuple[float, float] | None:
        """The bounds; None if no value is beyond them."""


@runtime_checkable
class CutsColumns(Protocol, metaclass=ByClass):
    """The same of several columns, each with bounds of its own."""

    @property
    def cut_to(self) -> tuple[tuple[str, Grid], ...]:
        """Their names, and where values are cut to."""


@runtime_checkable
class CutNotTold(Protocol, metaclass=ByClass):
    """A question of which nobody is told what its bounds left out."""

    @property
    def why_not_told(self) -> str:
        """The reason, in words."""


@runtime_checkable
class Preparing(Protocol, metaclass=ByClass):
    """A question whose intervals take long to find, and depend on the noise alone."""

    def make_ready(self, given: Allotment, confidence: Fraction) -> None:
        """Finds them, so that nothing but the answers is left to do after the charge."""
