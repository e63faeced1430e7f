"""`OptimalAnswers`: the mechanism picked for many queries, beside what else was tried."""

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import SupportsIndex

from numpy.typing import ArrayLike

from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.certificates.answers_certificate import AnswersCertificate
from leastnoise.certificates.answers_problem import AnswersProblem
from leastnoise.certificates.make_answers_bound import answers_bound
from leastnoise.least_noise.composed.shared_gaussian import SharedGaussian
from leastnoise.mechanisms.adding.additive_mechanism import Answers
from leastnoise.mechanisms.adding.counts_noise import CountsNoise
from leastnoise.mechanisms.adding.joint_noise import JointNoise
from leastnoise.mechanisms.adding.repeated_noise import RepeatedNoise
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.vectors.counts_law import CountsLaw
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase
from leastnoise.noise.vectors.pair_table import PairTable
from leastnoise.numeric.cost import Moment
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source
from leastnoise.tabulation.correlated_gaussian import CorrelatedGaussian

NoiseLaw = LatticeLaw | NormLaplace | NormStaircase | CountsLaw | PairTable | CorrelatedGaussian
"""The noise of each answer, or of all of them at once; in steps of the lattice."""


@dataclass(frozen=True)
class Tried:
    """A family of noise at its least cost for the promise.

    Attributes:
        family: what its laws have in common.
        law: the one that costs least, proved to keep the promise.
        cost: the expected cost of one answer.
        ratio: this cost over that of the mechanism picked; 1 for that one itself.
    """

    family: str
    law: NoiseLaw
    cost: Interval
    ratio: float

    def __repr__(self) -> str:
        return f"{self.family}: {float(self.cost):.6g} ({self.ratio:.4f}×), {self.law!r}"


@dataclass(frozen=True)
class LeftOut:
    """A family that was not priced to the end, and why."""

    family: str
    why: str

    def __repr__(self) -> str:
        return f"{self.family}: {self.why}"


@dataclass(frozen=True, eq=False, repr=False)
class OptimalAnswers:
    """Many queries with the least noise known for one promise and a stated cost.

    Made by `optimal_composed`.

    Attributes:
        mechanism: noise on a lattice; it has proved its guarantee.
        tried: every family with its least cost, the cheapest first.
        left_out: families that were not priced to the end, and why.
        one_sided: whether one unit moves all answers in one direction.
    """

    mechanism: RepeatedNoise | JointNoise | CountsNoise | SharedGaussian
    tried: tuple[Tried, ...]
    left_out: tuple[LeftOut, ...]
    one_sided: bool = False

    @property
    def family(self) -> str:
        """The family that costs least."""
        return self.tried[0].family

    @property
    def law(self) -> NoiseLaw:
        """The noise of each answer, or of all of them at once; in steps of the lattice."""
        return self.mechanism.law

    @property
    def count(self) -> int:
        """The number of queries."""
        return self.mechanism.count

    @property
    def guarantee(self) -> PureDP | ApproxDP:
        """The promise about neighbours at distance 1, for all answers together."""
        return self.mechanism.guarantee

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Answers]:
        """All answers with noise, for an array with one value per query."""
        return replace(self.mechanism.release(value, source), mechanism=repr(self))

    def error(self, confidence: Exact) -> Fraction:
        """The bound on one answer's |released − true| that holds with at least this probability."""
        return self.mechanism.error(confidence)

    def simultaneous(self, confidence: Exact) -> Fraction:
        """The bound that *all* answers' errors keep with at least this probability."""
        return self.mechanism.simultaneous(confidence)

    def expected_cost(self) -> Interval:
        """The expected cost of one answer, for the value where it is greatest."""
        return self.mechanism.expected_cost()

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of all answers if up to `distance` records change."""
        return self.mechanism.privacy(distance)

    def certificate(self) -> AnswersCertificate | None:
        """What no other noise can beat, with the scope of that; None if no bound is known.

        A linear program over all noise for two answers gives one, on coarse lattices and unless ε
        is small; for δ = 0 and squared errors there is one for all unbiased mechanisms. Of the two
        the greater is taken.
        """
        return self._certificate

    @cached_property
    def _certificate(self) -> AnswersCertificate | None:
        cost, promise = self.mechanism.cost, self.guarantee
        on_lattice = not isinstance(self.law, CorrelatedGaussian)
        if self.count < 2 or not isinstance(cost, Moment) or not on_lattice:
            return None
        problem = AnswersProblem(
            count=self.count,
            one_sided=self.one_sided,
            sensitivity=self.mechanism.steps,
            epsilon=promise.epsilon,
            delta=promise.delta if isinstance(promise, ApproxDP) else Fraction(0),
            cost=cost,
            step=self.mechanism.granularity,
            halves=isinstance(self.law, CountsLaw) and bool(self.law.centre),
        )
        return answers_bound(problem, Fraction(self.expected_cost().upper))

    def alternatives(self) -> tuple[Tried, ...]:
        """The other families, each at its least cost for the same promise, the cheapest first."""
        return self.tried[1:]

    def __repr__(self) -> str:
        cost = self.mechanism.cost
        return (
            f"OptimalAnswers({self.count} queries, {cost.name} = {float(self.tried[0].cost):.6g}, "
            f"{self.guarantee!r}, sensitivity={self.mechanism.sensitivity}: {self.law!r})"
        )

    def __str__(self) -> str:
        rows = [
            (tried.family, f"{float(tried.cost):.6g}", f"{tried.ratio:.5g}") for tried in self.tried
        ]
        head = ("noise", self.mechanism.cost.name, "ratio")
        lines = [f"{name:<22}{cost:>14}{ratio:>14}" for name, cost, ratio in (head, *rows)]
        return "\n".join([*lines, *(f"left out: {left!r}" for left in self.left_out)])
