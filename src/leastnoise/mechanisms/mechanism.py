"""`Mechanism`: what every mechanism can be asked."""

from typing import Protocol, SupportsIndex, TypeVar, runtime_checkable

from leastnoise.mechanisms.release import Release
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source

Secret_contra = TypeVar("Secret_contra", contravariant=True)
Output_co = TypeVar("Output_co", covariant=True)


@runtime_checkable
class Mechanism(Protocol[Secret_contra, Output_co]):
    """Turns a secret value into a release, and prices itself.

    Fields are public parameters. The secret and the randomness arrive only in `release`; no
    message, repr or attribute shows them.
    """

    @property
    def guarantee(self) -> Guarantee:
        """The promise about neighbours at distance 1, in the words users know."""

    def release(self, value: Secret_contra, source: Source | None = None) -> Release[Output_co]:
        """The output for a secret value, drawn exactly from the stated law."""

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of one release for inputs that far apart."""

    def certificate(self) -> object:
        """What proves that no mechanism of the class does better; None where nothing does."""

    def expected_cost(self) -> Interval:
        """The expected cost of the error, for the inputs where it is greatest."""
