"""`optimal`: the least noise for one question, with its proof and what else could be added."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from leastnoise.mechanisms.additive import AdditiveNoise, promise_text
from leastnoise.mechanisms.certificate import Certificate
from leastnoise.mechanisms.mechanism import whole_numbers
from leastnoise.noise.balls import checked_norm
from leastnoise.noise.distribution import Distribution
from leastnoise.noise.laws import (
    DiscreteLaplace,
    RoundedGaussian,
    Staircase,
    TruncatedLaplace,
    Uniform,
)
from leastnoise.noise.source import Source
from leastnoise.numbers.cost import CostLike, cost_of
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, exact, non_negative, whole, written
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer
from leastnoise.optima import maker, program, vector
from leastnoise.optima.checker import expected, verdict
from leastnoise.optima.dual import Dual, Problem
from leastnoise.privacy.conversion import squared_mu
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss

_LARGEST = 2**62
_MOST_DIMENSION = 128
_MOST_EPSILON = 512
_CHEAPER = Fraction(1, 10**6)  # by how much a table must be cheaper than a law with a name


@dataclass(frozen=True, repr=False, kw_only=True)
class OptimalNoise(AdditiveNoise):
    """The best known noise for a problem: release with it, ask for its certificate and its rivals.

    Attributes:
        problem: what was asked for.
        others: laws that keep the same promise.
        dual: what the linear program proved, if it was solved.
    """

    problem: Problem
    others: tuple[Distribution, ...]
    dual: Dual | None

    @cached_property
    def _proof(self) -> maker.Proof:
        return maker.prove(self.problem, self.law, self.dual)

    @property
    def bound(self) -> Fraction:
        """No noise that keeps the promise and does not depend on the data costs less; 0 if unknown."""
        return self._proof.bound

    def certificate(self) -> Certificate | None:
        """The claim and its proof; None for a cost that cannot be written down."""
        return maker.certificate(self.problem, self.law, self._proof)

    def alternatives(self) -> "Alternatives":
        """This law and others that keep the same promise, the cheapest first."""
        return Alternatives(self.problem, (self.law, *self.others))

    def expected_cost(self, cost: CostLike | None = None) -> Interval:
        """The mean cost of an error; of a vector, of its norm. The cost of the problem if None."""
        asked = self.problem if cost is None else _with_cost(self.problem, cost)
        return expected(asked, self.law)

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """The privacy loss; of a vector, the greatest that the promise allows."""
        if self.problem.dimension == 1:
            return super().privacy(distance)
        worst = PrivacyLoss.worst_case(epsilon=self.problem.epsilon, delta=self.problem.delta)
        return worst.for_group(distance) if whole(distance, "distance") > 1 else worst

    def _answer(self, value: Any, source: Source) -> Any:
        count = self.problem.dimension
        if count == 1:
            return super()._answer(value, source)
        if np.shape(value) != (count,):
            raise InvalidInput(f"This noise is for {count} numbers. Give an array of so many.")
        if self.law.dimension == 1:
            return super()._answer(value, source)
        return whole_numbers(value, self.step, "The secret") + self.law.sample(1, source)[0]

    def __repr__(self) -> str:
        cost, count = self.problem.cost, self.problem.dimension
        mean, within = self.expected_cost(), written(self.within("0.95"))
        apart = count > 1 and self.law.dimension == 1
        law = f"{self.law!r} on each of {count} numbers" if apart else repr(self.law)
        reach = f"95 % of numbers within {within}" if apart else f"95 % within {within}"
        how_good = verdict(Fraction(mean.upper), self.bound)
        return f"{law}, {promise_text(self.promise)}: {cost.name} {float(mean):.4g}, {reach}; {how_good}"


@dataclass(frozen=True, repr=False)
class Alternatives:
    """Laws that keep one promise, with their costs; print it.

    Attributes:
        problem: the promise and the cost.
        laws: the one that was chosen, and the others.
    """

    problem: Problem
    laws: tuple[Distribution, ...]

    @cached_property
    def rows(self) -> list[tuple[Distribution, Interval, float]]:
        """Each law, its cost, and that cost over that of the chosen one; the cheapest first."""
        costs = [expected(self.problem, law) for law in self.laws]
        least = float(costs[0])
        ratios = [float(cost) / least if least else 1.0 for cost in costs]
        return sorted(zip(self.laws, costs, ratios, strict=True), key=lambda row: row[2])

    def __repr__(self) -> str:
        name = self.problem.cost.name
        cells = [
            (repr(law), f"{float(cost):.4g}", f"{ratio:.4g}") for law, cost, ratio in self.rows
        ]
        wide = max(len(law) for law, _, _ in cells)
        high = max(len(name), *(len(cost) for _, cost, _ in cells))
        head = ("law", name, "times the least")
        return "\n".join(f"{a:<{wide}}  {b:>{high}}   {c}".rstrip() for a, b, c in [head, *cells])


def optimal(
    *,
    sensitivity: int,
    epsilon: Exact,
    delta: Exact = 0,
    cost: CostLike = "absolute",
    dimension: int = 1,
    norm: str = "l1",
) -> OptimalNoise:
    """The noise with the least mean cost for a promise, among all that does not depend on the data.

    One number: for delta 0 a staircase of the best width; at sensitivity 1 noise that is best for
    every cost at once; else the optimum of a linear program over all laws, where a solver finds it.
    Vectors: for delta 0 a staircase of the norm; else the best law that is known.

    Args:
        sensitivity: how far one privacy unit moves the answer, a whole number; of a vector, in `norm`.
        epsilon: at least 0; 0 needs a delta.
        delta: at least 0 and below 1.
        cost: "absolute", "squared", `Moment(p)`, `TailProbability(t)`, or a function of |error| that
            does not fall; of a vector, a function of the norm of the error.
        dimension: how many numbers the answer has.
        norm: "l1" or "linf".

    >>> optimal(sensitivity=1, epsilon=1)
    DiscreteLaplace(rate=1), (1, 0)-DP: E|error| 0.8509, 95 % within 3; least possible (ratio 1)
    >>> optimal(sensitivity=3, epsilon=4, cost="squared").alternatives()
    law                                   E error²   times the least
    Staircase(period=3, rate=4, width=1)    0.5099   1
    DiscreteLaplace(rate=4/3)               0.9722   1.907
    """
    problem = _problem(sensitivity, epsilon, delta, cost, dimension, norm)
    promise = (
        ApproxDP(epsilon=problem.epsilon, delta=problem.delta)
        if problem.delta
        else PureDP(epsilon=problem.epsilon)
    )
    laws = vector.candidates(problem) if problem.dimension > 1 else _candidates(problem)
    law = min(laws, key=lambda each: expected(problem, each).upper)
    dual = None
    if problem.delta and problem.sensitivity > 1 and (solution := program.solved(problem)):
        dual, table = solution.dual, solution.law
        if expected(problem, table).upper < expected(problem, law).upper * (1 - _CHEAPER):
            laws, law = [*laws, table], table
    others = tuple(each for each in laws if each is not law)
    return OptimalNoise(
        law, problem.sensitivity, promise, problem=problem, others=others, dual=dual
    )


def _problem(
    sensitivity: int, epsilon: Exact, delta: Exact, cost: CostLike, dimension: int, norm: str
) -> Problem:
    size, count = whole(sensitivity, "sensitivity"), whole(dimension, "dimension")
    amount, leak = non_negative(epsilon, "epsilon"), exact(delta, "delta")
    if size > _LARGEST:
        raise InvalidInput("sensitivity is above 2^62. Count in coarser units.")
    if count > _MOST_DIMENSION:
        raise InvalidInput(f"dimension is {count}. Give at most {_MOST_DIMENSION}.")
    if amount > _MOST_EPSILON:
        raise InvalidInput(f"epsilon is above {_MOST_EPSILON}, which promises nothing.")
    if not 0 <= leak < 1:
        raise InvalidInput(f"delta is {written(leak)}. Give a number from 0 to below 1.")
    if not amount and not leak:
        raise InvalidInput("epsilon and delta are both 0, which no noise keeps. Give one above 0.")
    return Problem(size, amount, leak, cost_of(cost), count, checked_norm(norm))


def _with_cost(problem: Problem, cost: CostLike) -> Problem:
    return _problem(
        problem.sensitivity, problem.epsilon, problem.delta, cost, problem.dimension, problem.norm
    )


def _candidates(problem: Problem) -> list[Distribution]:
    """Laws with a name that keep the promise for one number."""
    size, epsilon, delta = problem.sensitivity, problem.epsilon, problem.delta
    found: list[Distribution] = []
    if epsilon and delta:
        found += [TruncatedLaplace(size, epsilon, delta)]
    if delta:
        found += [Uniform(size, delta)]
    if epsilon:
        found += [best_staircase(problem)] if size > 1 else []
        found += [DiscreteLaplace(epsilon / size)]
    if epsilon and delta:
        found += [RoundedGaussian(size**2 / squared_mu(epsilon, delta))]
    return found


def best_staircase(problem: Problem) -> Staircase:
    """The best width for one number: the cost first falls and then rises with it."""
    known: dict[int, Fraction] = {}

    def cost(width: int) -> Fraction:
        if width not in known:
            law = Staircase(problem.sensitivity, problem.epsilon, width)
            known[width] = Fraction(law.expected(problem.cost).upper)
        return known[width]

    size = problem.sensitivity
    guess = max(1, round(size / (1 + 2.718281828 ** (float(problem.epsilon) / 2))))
    width = least_integer(lambda w: w >= size or cost(w) <= cost(w + 1), 1, guess)
    return Staircase(size, problem.epsilon, width)
