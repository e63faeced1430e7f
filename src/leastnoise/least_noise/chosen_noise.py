"""`ChosenNoise`: what every noise that `optimal` chose can be asked of its mechanism."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar

from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.adding.additive_mechanism import AdditiveMechanism
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

Mechanism = TypeVar("Mechanism", bound=AdditiveMechanism[Any])


@dataclass(frozen=True, eq=False, repr=False)
class ChosenNoise(Generic[Mechanism]):
    """A mechanism that was chosen; it answers for itself.

    Attributes:
        mechanism: adds the noise; its law has proved the promise.
    """

    mechanism: Mechanism

    @property
    def guarantee(self) -> PureDP | ApproxDP:
        """The promise about neighbours at distance 1."""
        return self.mechanism.guarantee

    def privacy(self, distance: SupportsIndex = 1) -> "PrivacyLoss":
        """The price of one release if up to `distance` records change."""
        return self.mechanism.privacy(distance)

    def error(self, confidence: Exact) -> Fraction:
        """The bound on the error, or its norm, that holds with at least this probability."""
        return self.mechanism.error(confidence)

    def expected_cost(self) -> Interval:
        """The expected cost of the error, for the value where it is greatest."""
        return self.mechanism.expected_cost()
