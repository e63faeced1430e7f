"""`IndependentNoise`: each column gets its own draw of one law."""

from fractions import Fraction
from functools import cached_property

from flint import arb

from leastnoise import _check
from leastnoise._frozen import Whole, checked, frozen
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source
from leastnoise.tabulation.chance import chance
from leastnoise.tabulation.column_noise import Offset
from leastnoise.tabulation.offset_average import offset_average

_PRECISION = 160  # bits; powers of up to 10^6 lose 20


def _symmetric(law: LatticeLaw, name: str) -> LatticeLaw:
    if getattr(getattr(law, "shape", None), "symmetric_unimodal", False):
        return law
    raise _check.refuse(
        f"`{name}` must be a symmetric, unimodal law on the integers",
        _check.shown(law),
        "Choose one such as DiscreteGaussian(variance=100).",
    )


@frozen(repr=False)
class IndependentNoise(Rebuilt):
    r"""Independent draws of one symmetric, unimodal law.

    Theorem: P(max |Yⱼ| ≤ t) = P(|Y₁| ≤ t)**columns. If every coordinate of a query moves by at most
    m, the loss is at most that of `columns` independent shifts by exactly m, for every ε at once.
    Proof: docs/proofs/marginals.md, section 3.

    Args:
        law: symmetric about 0, with probabilities that do not grow with the magnitude.
        columns: the number of coordinates, at least 1.

    Example:
        >>> from leastnoise.noise import MedianOfUniforms
        >>> noise = IndependentNoise(MedianOfUniforms(order=4, radius=666), columns=2048)
        >>> noise.bound, round(float(noise.worst_within(600, None)), 4)
        (666, 0.8783)
    """

    law: LatticeLaw = checked(_symmetric)
    columns: Whole = checked(_check.whole(1))

    @property
    def bound(self) -> int | None:
        """The law's own bound."""
        return None if self.law.support is None else self.law.support[1]

    def worst_within(self, t: int, offset: Offset) -> Interval:
        """P(|Yⱼ + X| ≤ t for all columns j)."""
        return self._within(t, offset, self.columns)

    def one_within(self, t: int, offset: Offset) -> Interval:
        """P(|Yⱼ + X| ≤ t) for one column j."""
        return self._within(t, offset, 1)

    def _within(self, t: int, offset: Offset, count: int) -> Interval:
        """Given X = x it is P(−t−x ≤ Y ≤ t−x)**count, which does not grow with |x|."""
        if offset is None:
            return self._box(t, t, count)
        return offset_average(offset).of(lambda x: self._box(t + x, t - x, count))

    def _box(self, below: int, above: int, count: int) -> Interval:
        """P(−below ≤ Y ≤ above)**count."""
        if below + above < 0:
            return Interval.exactly(0)
        with balls.precision(_PRECISION):
            one = self._beyond(above)
            other = one if below == above else self._beyond(below)
            return chance((1 - one - other) ** count)

    def _beyond(self, magnitude: int) -> arb:
        """P(Y > magnitude), which by symmetry is P(Y < −magnitude)."""
        if isinstance(self.law, DiscreteLaplace) and magnitude >= 0:
            fall = (-balls.ball((magnitude + 1) / self.law.scale)).exp()
            return fall / (1 + (-balls.ball(1 / self.law.scale)).exp())
        return self.law.shape.tail(magnitude + 1).ball()

    def worst_mean(self, offset: Offset) -> None:
        """There is no closed form."""
        del offset

    @cached_property
    def absolute_mean(self) -> Interval:
        """E|Yⱼ|."""
        return self.law.moment(1)

    @cached_property
    def variance(self) -> Interval:
        """E Yⱼ²."""
        return self.law.variance

    @property
    def pure_epsilon(self) -> Fraction | None:
        """The sum over the columns, if the law is discrete Laplace."""
        return self.columns / self.law.scale if isinstance(self.law, DiscreteLaplace) else None

    @property
    def rho(self) -> Fraction | None:
        """The sum over the columns, if the law is discrete Gaussian."""
        if isinstance(self.law, DiscreteGaussian):
            return self.columns / (2 * self.law.sigma_squared)
        return None

    def privacy(self, distance: int) -> PrivacyLoss:
        """All columns move by the whole distance."""
        return self.law.privacy(distance).self_compose(self.columns)

    def sample(self, source: Source | None = None) -> Draws:
        """One exact draw, an integer for each column."""
        return self.law.sample(self.columns, source)
