"""`optimal_composed`: many queries under one (ε, δ), with the least noise known for a cost."""

from fractions import Fraction
from math import inf
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.errors import Undecided
from leastnoise.least_noise.checked_problem import check_rising, checked_promise, checked_steps
from leastnoise.least_noise.composed.composed_problem import ComposedProblem
from leastnoise.least_noise.composed.counts_laws import counts_laws
from leastnoise.least_noise.composed.known_laws import joint_laws, shared_laws, single_laws
from leastnoise.least_noise.composed.noise_families import candidates
from leastnoise.least_noise.composed.pair_law import pair_law
from leastnoise.least_noise.composed.proved_law import proved_law
from leastnoise.least_noise.composed.shared_gaussian import SharedGaussian, shared_gaussian
from leastnoise.least_noise.optimal_answers import LeftOut, NoiseLaw, OptimalAnswers, Tried
from leastnoise.mechanisms.adding.counts_noise import CountsNoise
from leastnoise.mechanisms.adding.joint_noise import JointNoise
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.adding.repeated_noise import RepeatedNoise
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.vectors.counts_law import CountsLaw
from leastnoise.noise.vectors.cube_coordinate import CubeCoordinate
from leastnoise.noise.vectors.pair_table import PairTable
from leastnoise.numeric.cost import Cost, CostLike, checked_cost
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.tabulation.correlated_gaussian import CorrelatedGaussian

_MOST_QUERIES = 10**6
# Losses are added up without the rarest 10^-60 of them, which counts against δ.
_LEAST_SEARCHED_DELTA = Fraction(1, 10**50)
_FINE = 64
_WORTH_PROVING = 1.1
_BEYOND_FLOATS = 10**300  # above, a ratio is no float


def optimal_composed(  # noqa: PLR0913 - each is part of the question
    *,
    sensitivity: Exact,
    epsilon: Exact,
    delta: Exact = 0,
    count: SupportsIndex,
    cost: CostLike = "absolute",
    granularity: Exact = 1,
    independent: bool = False,
    one_sided: bool = False,
) -> OptimalAnswers:
    r"""The least noise known for `count` queries answered together under one (ε, δ).

    A person may change every query by up to the sensitivity, all at once: each up or down, or, if
    the queries are one-sided, all of them up or all of them down. Each family of noise is
    calibrated to the least expected cost of one answer at which all answers together keep the
    promise, proved by adding up exact privacy losses; the cheapest family is picked. No law outside
    these families is claimed to cost more.

    The families: discrete Laplace, staircase, canonical, truncated staircase and Laplace,
    generalised Gaussian of every power between 1 and 2, discrete Gaussian, and the median of
    uniforms for costs that are not moments, each drawn independently for every answer; and Laplace
    and staircase noise drawn for all answers at once, whose errors share one random size. For
    one-sided queries the latter are those of two counters (`CountsLaw`), which need half as much
    noise; with their ends cut off where δ allows it. Many whole counts may share Gaussian
    noise (`CorrelatedGaussian`), for squared errors.

    Args:
        sensitivity: the most each query changes between neighbours, above 0.
        epsilon: ε ≥ 0, for all answers together.
        delta: δ in [0, 1), for all answers together.
        count: the number of queries, in 1..10^6.
        cost: what shall be least for one answer: "absolute", "squared", or a cost as a value.
        granularity: the lattice's step; 1 for counts.
        independent: whether the errors of different answers must be independent.
        one_sided: whether a person who comes can only raise answers, and one who goes only lower
            them, as with counts and sums of numbers that are not negative.

    Raises:
        InvalidParameter: a parameter is out of range, or ε and δ are both 0.

    Example:
        >>> few = optimal_composed(sensitivity=1, epsilon=1, delta="1e-6", count=10, cost="squared")
        >>> few.family, round(float(few.expected_cost()), 2)
        ('joint Laplace', 43.92)
        >>> print(few)
        noise                     E|error|^2         ratio
        joint Laplace                43.9167             1
        generalised Gaussian         158.993        3.6203
        discrete Gaussian            178.491        4.0643
        canonical                    199.584        4.5446
        discrete Laplace             199.584        4.5446
    """
    reach = _check.positive(sensitivity, "sensitivity")
    step = _check.positive(granularity, "granularity")
    problem = ComposedProblem(
        steps=checked_steps(Lattice(step).reach(reach)),
        epsilon=_check.non_negative(epsilon, "epsilon"),
        delta=_check.delta(delta),
        count=_check.integer_between(count, "count", 1, _MOST_QUERIES),
        cost=checked_cost(cost),
        step=step,
    )
    promise = checked_promise(problem.epsilon, problem.delta)
    check_rising(problem.cost, step)
    rounding = Fraction(0) if step == 1 and reach.denominator == 1 else step / 2
    shelf = _Shelf(problem, rounding)
    shelf.fill(independent, one_sided)
    tried = shelf.tried()
    return OptimalAnswers(
        _mechanism(tried[0].law, problem, reach, promise),
        tried,
        tuple(shelf.left_out),
        one_sided,
    )


@dataclass
class _Shelf:
    """Laws that are proved to keep the promise, the cheapest of each family."""

    problem: ComposedProblem
    rounding: Fraction

    def __post_init__(self) -> None:
        self._kept: dict[str, tuple[NoiseLaw, Interval]] = {}
        self.left_out: list[LeftOut] = []

    def fill(self, independent: bool, one_sided: bool) -> None:
        """Every family the problem has a place for."""
        problem = self.problem
        for family, law in shared_laws(problem).items():
            self._put(family, law)
        if not independent:
            drawn_at_once = counts_laws if one_sided else joint_laws
            for family, joint in drawn_at_once(problem).items():
                self._put(family, joint)
            for family, whole in (_whole_counts_laws(problem) if one_sided else {}).items():
                self._put(family, whole)
        if problem.delta and problem.count == 1:
            for family, law in single_laws(problem).items():
                self._put(family, law)
        if problem.delta >= _LEAST_SEARCHED_DELTA:
            self._search()
        elif problem.delta:
            self._leave("generalised Gaussian", "delta is too small for losses to be added up")

    def _search(self) -> None:
        found = candidates(self.problem)
        proved = (float(cost.lower) for _, cost in self._kept.values())
        least = min([*proved, *(candidate.cost for candidate in found)], default=inf)
        for candidate in found:
            ratio = candidate.cost / least if least else inf
            if self.problem.steps > _FINE and ratio > _WORTH_PROVING:
                self._kept.pop(candidate.family, None)  # it would look dearer than it is
                self._leave(candidate.family, f"about {ratio:.2f} times the least cost")
                continue
            law = proved_law(self.problem, candidate)
            if law is None:
                self._leave(candidate.family, "its privacy loss could not be added up here")
            else:
                self._put(candidate.family, law)

    def _leave(self, family: str, why: str) -> None:
        if family not in self._kept:
            self.left_out.append(LeftOut(family, why))

    def _put(self, family: str, law: NoiseLaw) -> None:
        try:
            cost = _cost(law, self.problem.cost, self.problem.step, self.rounding)
        except Undecided as wide:
            self._leave(family, str(wide))
            return
        if family not in self._kept or cost.upper < self._kept[family][1].upper:
            self._kept[family] = (law, cost)

    def tried(self) -> tuple[Tried, ...]:
        """All families, the cheapest first."""
        ranked = sorted(self._kept.items(), key=lambda item: item[1][1].upper)
        if not ranked:
            raise Undecided(
                "at least one family of noise must be priced; none could be. "
                "Use a coarser granularity, or a cost that is a moment."
            )
        least = ranked[0][1][1]
        return tuple(
            Tried(family, law, cost, _ratio(cost, least)) for family, (law, cost) in ranked
        )


def _whole_counts_laws(problem: ComposedProblem) -> dict[str, PairTable | CorrelatedGaussian]:
    """Laws for whole counts in one direction that need a δ, by family."""
    laws = {"program for two": pair_law(problem), "shared Gaussian": shared_gaussian(problem)}
    return {family: law for family, law in laws.items() if law is not None}


def _cost(law: NoiseLaw, cost: Cost, step: Fraction, rounding: Fraction) -> Interval:
    if isinstance(law, CountsLaw | PairTable):
        return expected_cost(law.cell, cost, step / 2, rounding)
    if isinstance(law, CorrelatedGaussian):
        return law.variance
    priced = law if isinstance(law, LatticeLaw) else CubeCoordinate(law.shape)
    return expected_cost(priced, cost, step, rounding)


def _ratio(cost: Interval, least: Interval) -> float:
    if not least.upper:
        return inf if cost.upper else 1.0
    quotient = Fraction(cost.upper) / Fraction(least.upper)
    return float(quotient) if quotient < _BEYOND_FLOATS else inf


def _mechanism(
    law: NoiseLaw, problem: ComposedProblem, sensitivity: Fraction, promise: PureDP | ApproxDP
) -> RepeatedNoise | JointNoise | CountsNoise | SharedGaussian:
    if isinstance(law, CorrelatedGaussian):
        return SharedGaussian(law, ApproxDP(epsilon=problem.epsilon, delta=problem.delta))
    if isinstance(law, CountsLaw | PairTable):
        return CountsNoise(
            law,
            sensitivity=sensitivity,
            guarantee=promise,
            granularity=problem.step,
            cost=problem.cost,
        )
    if isinstance(law, LatticeLaw):
        return RepeatedNoise(
            law,
            count=problem.count,
            sensitivity=sensitivity,
            guarantee=promise,
            granularity=problem.step,
            cost=problem.cost,
        )
    return JointNoise(
        law,
        sensitivity=sensitivity,
        guarantee=promise,
        granularity=problem.step,
        cost=problem.cost,
    )
