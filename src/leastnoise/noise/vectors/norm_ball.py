"""`NormBall`: what norm laws ask of the lattice points of a ball, for any norm."""

from fractions import Fraction
from typing import ClassVar, Protocol

from flint import arb, fmpq_poly

from leastnoise.noise.shapes.shape import Draws
from leastnoise.randomness.source import Source


class NormBall(Protocol):
    """The balls {x in Z^d : ‖x‖ ≤ radius} of one norm.

    Their sizes, and those of the overlaps below, must be log-concave in the radius. Proofs for both
    norms: docs/proofs/norm_laws.md, 2 and 5.
    """

    adds_coordinates: ClassVar[bool]
    """Whether ‖x‖ is the sum of the norms of the coordinates."""

    @property
    def dimension(self) -> int:
        """The number of coordinates."""

    def norm(self, x: list[int]) -> int:
        """‖x‖."""

    def points(self, radius: int) -> arb:
        """The number of lattice points in the ball; 0 for a negative radius."""

    def count(self, radius: int) -> int:
        """The number of lattice points in the ball, exactly; radius ≥ 0."""

    def polynomial(self) -> fmpq_poly:
        """The number of lattice points as a polynomial in the radius."""

    def uniform(self, radii: Draws, source: Source) -> Draws:
        """One uniform lattice point per radius, as the rows of an array."""

    def typical(self, rate: Fraction) -> tuple[int, int]:
        """About the mean and the deviation of a radius with weights points(r)·exp(−rate·r)."""

    def layers(self, rate: Fraction, radius: int, period: int, first: int) -> arb:
        """Σ exp(−rate·j)·points(radius + j·period) over j ≥ first, radius + first·period ≥ 0."""

    def overlaps(self, rate: Fraction, radius: int, period: int, narrower: int) -> arb:
        """Σ exp(−rate·j)·(the least overlap of two balls) over j ≥ 0.

        The balls have the radii r_j = radius + j·period and r_j + distance − narrower, and their
        centres are at most `distance` apart, wherever that leaves the fewest common points;
        0 ≤ narrower ≤ distance.
        """

    def overlap(self, radius: int, narrower: int) -> int:
        """One of these overlaps, exactly: balls of radii r and r + distance − narrower."""

    def laplace_moment(self, rate: Fraction, order: int) -> arb:
        """E‖X‖**order for P(X = x) ∝ exp(−rate·‖x‖)."""
