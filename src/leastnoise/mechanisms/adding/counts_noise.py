"""`CountsNoise`: many counts answered at one price, each moved in one direction by a unit."""

from fractions import Fraction

from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.mechanisms.adding.additive_mechanism import AdditiveMechanism, Answers
from leastnoise.mechanisms.adding.joint_noise import below_one
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.vectors.counts_law import CountsLaw
from leastnoise.noise.vectors.pair_table import PairTable
from leastnoise.numeric.exact_sum import exact_sum
from leastnoise.numeric.interval import Interval
from leastnoise.randomness.source import Source


class CountsNoise(AdditiveMechanism[CountsLaw | PairTable]):
    r"""step·(⌊xᵢ/step + 1/2⌋ + Xᵢ − centre) for i = 1..k, X drawn from a law for counts.

    Theorem: let one unit more add between 0 and Δ to each of k queries, all at once. If the law is
    (ε, δ)-DP where one unit adds 0..⌈Δ/step⌉ to each coordinate, so is the release. The law is made
    to prove this when the mechanism is built; one that cannot is refused.
    Proof: rounding to the lattice keeps the order, so one unit more adds between 0 and ⌈Δ/step⌉ to
    each place; the centre is public, and subtracting it is post-processing.

    Counts with filters, row counts and sums of numbers ≥ 0 are such queries. Where a unit may raise
    one answer and lower another use `JointNoise`.

    Args:
        law: `CountsLaw` or `PairTable` noise; its dimension is the number of queries.
        sensitivity: Δ > 0, the most one unit adds to each query.
        guarantee: the (ε, δ) or ε to prove, for all answers together.
        granularity: the lattice's step; 1 for counts.
        cost: what `expected_cost` is asked for.

    Raises:
        InvalidParameter: the law does not keep the guarantee.

    Example:
        >>> from leastnoise import PureDP
        >>> law = CountsLaw(dimension=10, epsilon=1, start=6)
        >>> mechanism = CountsNoise(law, sensitivity=1, guarantee=PureDP(epsilon=1))
        >>> mechanism.error("0.95"), mechanism.simultaneous("0.95")
        (Fraction(9, 1), Fraction(12, 1))
    """

    _proved_for = "for all answers together"

    def _refuse_law(self) -> None:
        remedy = "For queries that move both ways use JointNoise."
        rule = "`law` must be a CountsLaw or a PairTable"
        _check.kind(self.law, CountsLaw | PairTable, rule, remedy)

    @property
    def count(self) -> int:
        """The number of queries."""
        return self.law.dimension

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Answers]:
        """All answers with noise, for an array with one value per query.

        Raises:
            InvalidParameter: not `count` finite numbers; what was found is not said.
        """
        places = self.lattice.row(value, self.count)
        noisy = exact_sum(places, self.law.sample(source=source))
        if not self.law.centre:
            return Release(self.lattice.values(noisy), self.guarantee, repr(self))
        halves = exact_sum(exact_sum(noisy, noisy), -1)
        return Release(Lattice(self._half).values(halves), self.guarantee, repr(self))

    @property
    def _half(self) -> Fraction:
        return self.granularity / 2

    def error(self, confidence: Exact) -> Fraction:
        """The bound on one answer's |released − true| that holds with at least this probability."""
        return self.law.cell.quantile(below_one(confidence)) * self._half + self.rounding

    def simultaneous(self, confidence: Exact) -> Fraction:
        """A bound that *all* answers' errors keep with at least this probability."""
        return self.law.quantile(below_one(confidence)) * self._half + self.rounding

    def expected_cost(self) -> Interval:
        r"""E c(|released − true|) of one answer, for the value where it is greatest."""
        return expected_cost(self.law.cell, self.cost, self._half, self.rounding)
