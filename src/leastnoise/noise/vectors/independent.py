"""`Independent`: the same bounded noise on every coordinate of a vector, at the price of one."""

from fractions import Fraction
from functools import cached_property
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Whole, checked, frozen
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.noise.vectors.independent_stairs import IndependentStairs
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.verification import Verification


def _bounded(law: object, name: str) -> LatticeLaw:
    if isinstance(law, LatticeLaw):
        shape = law.shape
        if isinstance(shape, Stairs) and shape.period == 1 and shape.radius is not None:
            return law
    raise _check.refuse(
        f"`{name}` must be bounded noise with a drop at every step or none",
        _check.shown(law),
        "Use TruncatedLaplace, Canonical with delta > 0, or Uniform.",
    )


@frozen(repr=False)
class Independent(VectorLaw):
    r"""Independent copies of `Canonical`, `TruncatedLaplace` or `Uniform` noise, measured in ℓ1.

    Law: P(X = x) = Π P(Y = xᵢ) for x in Z^dimension, Y drawn from `law`.

    Theorem: let one copy be (ε, δ)-DP at sensitivity Δ, its rate times Δ be ε, and its radius be
    at least Δ. Then for every query with values in Z^d whose neighbours differ by at most Δ in
    ℓ1, adding X is (ε, δ)-DP: a vector costs no more privacy than one number. With
    `TruncatedLaplace`, `Canonical` (Δ = 1) or `Uniform` (ε = 0) no smaller δ will do.
    If Δ = 1, or ε = 0 and 1/(2δ) is an integer, no noise with that promise has a smaller E‖X‖₁.
    Proof: docs/proofs/optimal_vectors.md, section 5.

    The sum of magnitudes of a wide law is rounded to 2^14 cells before its law is computed: `tail`
    and `norm_pmf` are then brackets, and `quantile` gives the least norm that they prove enough.
    With very many coordinates Chernoff's bound takes the place of the upper end.

    Args:
        law: the noise of one coordinate: bounded, with a drop at every step or none at all.
        dimension: the number of coordinates d ≥ 1.

    Example:
        >>> from leastnoise.noise.laws.canonical import Canonical
        >>> counts = Independent(Canonical(epsilon=1, delta="1e-6"), dimension=50)
        >>> bool(counts.verify(sensitivity=1, epsilon=1, delta="1e-6"))
        True
        >>> counts.radius, counts.quantile("0.95")
        (700, 55)
    """

    law: LatticeLaw = checked(_bounded)
    dimension: Whole = checked(_check.whole(1))

    norm = "l1"

    @cached_property
    def shape(self) -> IndependentStairs:
        """Copies of the stairs of one coordinate."""
        stairs = self.law.shape
        assert isinstance(stairs, Stairs)  # checked by the constructor
        return IndependentStairs(stairs, self.dimension)

    def delta(self, epsilon: Exact, distance: SupportsIndex) -> Interval:
        """A bracket on the least delta for shifts of ℓ1 norm ≤ distance.

        The lower end is what a shift along an axis leaks. The upper end is what it leaks at
        ε = rate·distance, where it is known to be the worst shift, or 1 if epsilon is less.
        """
        exact = _check.non_negative(epsilon, "epsilon")
        distance = _check.integer_between(distance, "distance", 0)
        along = self.shape.divergence(exact, distance).interval()
        settled = self.shape.settled_epsilon(distance)
        if distance <= 1 or settled == exact:
            return along
        if settled is None or exact < settled:
            return Interval(along.lower, Fraction(1))
        return Interval(along.lower, self.shape.divergence(settled, distance).interval().upper)

    def verify(
        self, *, sensitivity: SupportsIndex, epsilon: Exact, delta: Exact = 0
    ) -> Verification:
        """Prove or refute that adding this law to a query is (epsilon, delta)-DP.

        Raises:
            UnsupportedQuery: neither can be done; not if epsilon is rate·sensitivity.
        """
        shift = _check.integer_between(sensitivity, "sensitivity", 1)
        exact_epsilon, exact_delta = _check.non_negative(epsilon, "epsilon"), _check.delta(delta)
        proved = self._proves(exact_epsilon, exact_delta, shift)
        if not proved and self.shape.divergence(exact_epsilon, shift).compare(exact_delta) <= 0:
            raise UnsupportedQuery(
                "independent noise proves its privacy at epsilon = rate·sensitivity. Ask for that "
                "epsilon; what holds there holds for every larger one."
            )
        return Verification(
            holds=proved,
            epsilon=exact_epsilon,
            delta=exact_delta,
            sensitivity=shift,
            attained=self.delta(exact_epsilon, shift),
            shift=shift,
            argument=self.shape.worst_shift,
        )

    def _proves(self, epsilon: Fraction, delta: Fraction, shift: int) -> bool:
        """Whether the leak along an axis is known to be the worst, and is at most delta."""
        settled = epsilon if shift == 1 else self.shape.settled_epsilon(shift)
        if settled is None or epsilon < settled:
            return False
        return self.shape.divergence(settled, shift).compare(delta) <= 0
