"""How many records an error needs, how small an error can be, and how private it can be.

For each mechanism the answer is exact: it comes from quantiles and moments of the very noise that is
drawn on the counts, in whole numbers. Beside it stand the bounds for every mechanism (`lower`).

The count of the larger value in a column moves by at most 1 if a record is replaced; with noise x on it,
the mean of signs is off by 2*|x|/n. The noise is

- cube noise of rate epsilon (Steinke and Ullman 2016), from two columns on;
- independent Laplace noise of rate epsilon/d on each count;
- Gaussian noise of variance d/mu^2 on each, with the greatest mu that keeps (epsilon, delta);
- for one column and delta > 0, truncated Laplace noise, the least there is.

Proof page: docs/proofs/sample_sizes.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING
from fractions import Fraction
from math import ceil, isqrt

from leastnoise.bounds.lower import LowerBound, barriers, bounds_at
from leastnoise.bounds.question import (
    LEAST_EPSILON,
    MOST_EPSILON,
    Objective,
    Question,
    rounded,
    table,
)
from leastnoise.bounds.upper import CubeNorm, norm_of
from leastnoise.noise.distribution import Distribution
from leastnoise.noise.laws import DiscreteLaplace, RoundedGaussian, TruncatedLaplace
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, positive, whole, written
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.conversion import squared_mu

_HALVINGS = 24  # of an epsilon


def _mechanisms(question: Question) -> list[str]:
    one, leaks = question.dimension == 1, bool(question.delta)
    names = ["Laplace"] if one else ["cube noise", "independent Laplace"]
    return names + ["Gaussian"] * leaks + ["truncated Laplace"] * (one and leaks)


def _counts(mechanism: str, question: Question) -> Interval:
    """The error of the counts; squared where squares are averaged."""
    d, epsilon, delta = question.dimension, question.epsilon, question.delta
    level = None if question.objective != "max" else 1 - question.risk
    order = 2 if question.is_squared else 1
    law: Distribution
    match mechanism:
        case "cube noise":
            cube = CubeNorm(d, epsilon)
            return cube.quantile(level) if level else cube.part(order)
        case "Gaussian":
            law = RoundedGaussian(d / squared_mu(epsilon, delta))
        case "truncated Laplace":
            law = TruncatedLaplace(1, epsilon, delta)
        case _:
            law = DiscreteLaplace(epsilon / d)
    return norm_of(law, d).quantile(level) if level else law.moment(order)


@dataclass(frozen=True)
class PublishedRule:
    """Theorem 1.2 of Steinke and Ullman, for cube noise on the line, and how it fails.

    With n >= 4*d/(epsilon*error) records some mean of signs is off by more with the chance
    P(Gamma(d) > epsilon*error*n/2), which is at most (2/e)^d.
    """

    records: int
    failure: Interval


@dataclass(frozen=True, repr=False)
class SampleSize:
    """For each mechanism the least number of records, and for each theorem one too few; print it."""

    question: Question
    error: Fraction
    options: tuple[tuple[str, int], ...]
    bounds: tuple[LowerBound, ...]
    published: PublishedRule | None

    @property
    def records(self) -> int:
        """How many records suffice."""
        return self.options[0][1]

    @property
    def impossible_below(self) -> int:
        """With fewer records no mechanism reaches the error."""
        return self.bounds[0].records

    @property
    def sensitivity(self) -> tuple[Fraction, Interval]:
        """How far one of so many records moves the means, in l1 and in l2 norm."""
        one, d = 2 * self.question.half / self.records, self.question.dimension
        return d * one, balls.enclosure(lambda: ball(d).sqrt() * ball(one))

    def __repr__(self) -> str:
        best = self.bounds[0]
        rows = [("impossible below", f"{best.records:,}", best.theorem)]
        for bound in self.bounds:
            if bound.scope != best.scope and bound.records > best.records:
                rows.append((f"  {bound.scope}", f"{bound.records:,}", bound.theorem))
        rows += [(name, f"{records:,}", "") for name, records in self.options]
        if self.published:
            chance = f"4*d/(epsilon*error), fails with chance {float(self.published.failure):.2g}"
            rows.append(("published rule", f"{self.published.records:,}", chance))
        title = f"{self.question.title(self.error)}, {self.question.promise}"
        return table(title, ("", "records"), rows)


def sample_size(
    *,
    dimension: int,
    error: Exact,
    epsilon: Exact,
    delta: Exact = 0,
    objective: Objective,
    confidence: Exact | None = None,
    values: tuple[Exact, Exact] = (-1, 1),
) -> SampleSize:
    """The least number of records for the means of many columns, by mechanism; and lower bounds.

    Neighbours differ in one record, and the number of records is public. The error is that of the noise,
    for the worst table; sampling error comes on top.

    Args:
        dimension: how many means, at most a million.
        error: what they may be off by, below half the distance of the values.
        epsilon: of the promise.
        delta: of the promise.
        objective: "max", the worst column; "average", the mean over the columns of E|error|; "squared",
            the root of the mean of E(error)^2; "l2", the root of the mean squared length of the errors.
        confidence: for "max": how often all columns are within the error; 0.95 if nothing is given.
        values: the two values of a number; errors are on their scale. (0, 1) for bits.

    >>> sample_size(dimension=100, error="0.1", epsilon=1, objective="max", confidence="0.95")
    100 means of ±1, worst error 0.1 with confidence 0.95, epsilon 1
    <BLANKLINE>
                         records
    impossible below         720  packing
    cube noise             2,340
    independent Laplace   15,160
    published rule         4,000  4*d/(epsilon*error), fails with chance 1.8e-15
    """
    question = Question(
        dimension=dimension, epsilon=epsilon, delta=delta, objective=objective,
        confidence=confidence, values=values,
    )  # fmt: skip
    allowed = question.on_signs(error)
    least = Fraction(allowed.lower)
    options = [
        (name, _records(question, _counts(name, question), least)) for name in _mechanisms(question)
    ]
    ranked = tuple(sorted(options, key=lambda option: option[1]))
    bounds = bounds_at(question, allowed)
    rule = _published(question, least)
    return SampleSize(question, positive(error, "error"), ranked, bounds, rule)


def _records(question: Question, counts: Interval, allowed: Fraction) -> int:
    """The least n with 2*(error of the counts)/n <= allowed."""
    needed = Fraction(counts.upper)
    if not question.is_squared:
        return max(1, ceil(2 * needed / allowed))
    square = ceil(4 * needed / allowed**2)
    return max(1, isqrt(square - 1) + 1 if square else 1)


def _published(question: Question, allowed: Fraction) -> PublishedRule | None:
    if question.objective != "max" or question.delta:
        return None
    d, per_count = question.dimension, question.epsilon * allowed
    records = ceil(4 * d / per_count)
    failure = balls.enclosure(lambda: ball(per_count * records / 2).gamma_upper(d, 1))
    return PublishedRule(records, failure)


@dataclass(frozen=True, repr=False)
class LeastError:
    """For each mechanism its error with so many records, and what no mechanism reaches; print it."""

    question: Question
    records: int
    options: tuple[tuple[str, Interval], ...]
    impossible_below: Fraction

    @property
    def error(self) -> Interval:
        """The least error that is reached."""
        return self.options[0][1]

    def __repr__(self) -> str:
        rows = [("impossible below", rounded(self.impossible_below), "")]
        rows += [(name, rounded(found.upper, ROUND_CEILING), "") for name, found in self.options]
        title = f"{self.question.title(records=self.records)}, {self.question.promise}"
        return table(title, ("", "error"), rows)


def least_error(
    *,
    dimension: int,
    records: int,
    epsilon: Exact,
    delta: Exact = 0,
    objective: Objective,
    confidence: Exact | None = None,
    values: tuple[Exact, Exact] = (-1, 1),
) -> LeastError:
    """The least error of the means of so many records, by mechanism; and a bound.

    The arguments are those of `sample_size`, with `records` for the error.

    >>> least_error(dimension=100, records=10_000, epsilon=1, objective="max")
    100 means of ±1, worst error with confidence 0.95, 10,000 records, epsilon 1
    <BLANKLINE>
                              error
    impossible below         0.0072
    cube noise               0.0234
    independent Laplace      0.1516
    the middle, without data      1
    """
    question = Question(
        dimension=dimension, epsilon=epsilon, delta=delta, objective=objective,
        confidence=confidence, values=values,
    )  # fmt: skip
    people = whole(records, "records")
    options = [
        (name, _error(question, _counts(name, question), people)) for name in _mechanisms(question)
    ]
    options.append(("the middle, without data", question.on_scale(Interval.exactly(1))))
    bound = max(barriers(question, people).values()) / people
    least = question.on_scale(Interval.exactly(min(bound, Fraction(1)))).lower
    ranked = tuple(sorted(options, key=lambda option: option[1].upper))
    return LeastError(question, people, ranked, Fraction(least))


def _error(question: Question, counts: Interval, records: int) -> Interval:
    """The error of means from that of counts."""
    if question.is_squared:
        low, high = Fraction(counts.lower), Fraction(counts.upper)
        least = balls.lower_end(lambda: ball(low).sqrt()) if low > 0 else Fraction(0)
        counts = Interval(least, balls.upper_end(lambda: ball(high).sqrt()))
    return question.on_scale(Interval(2 * counts.lower / records, 2 * counts.upper / records))


@dataclass(frozen=True, repr=False)
class LeastEpsilon:
    """For each mechanism an epsilon that suffices, and one below which none does; print it."""

    question: Question
    records: int
    error: Fraction
    options: tuple[tuple[str, Fraction], ...]
    impossible_below: Fraction

    @property
    def epsilon(self) -> Fraction:
        """The least epsilon found."""
        return self.options[0][1]

    def __repr__(self) -> str:
        rows = [("impossible below", rounded(self.impossible_below), "")]
        rows += [(name, rounded(epsilon, ROUND_CEILING), "") for name, epsilon in self.options]
        delta = f", delta {written(self.question.delta)}" if self.question.delta else ""
        title = self.question.title(self.error, records=self.records)
        return table(f"{title}{delta}", ("", "epsilon"), rows)


def least_epsilon(
    *,
    dimension: int,
    records: int,
    error: Exact,
    delta: Exact = 0,
    objective: Objective,
    confidence: Exact | None = None,
    values: tuple[Exact, Exact] = (-1, 1),
) -> LeastEpsilon:
    """The least epsilon at which the means of so many records reach an error, by mechanism; and a bound.

    The arguments are those of `sample_size`, with `records` for epsilon.

    >>> least_epsilon(dimension=100, records=10_000, error="0.05", objective="max")
    100 means of ±1, worst error 0.05 with confidence 0.95, 10,000 records
    <BLANKLINE>
                         epsilon
    impossible below      0.1442
    cube noise             0.467
    independent Laplace    3.025
    """
    people = whole(records, "records")
    question = Question(
        dimension=dimension, epsilon=1, delta=delta, objective=objective, confidence=confidence,
        values=values,
    )  # fmt: skip
    allowed = question.on_signs(error)

    def border(fails: Callable[[Question], bool]) -> tuple[Fraction, Fraction]:
        """Where a question changes from true to false, within the range of epsilon."""

        def holds(epsilon: Fraction) -> bool:
            if not LEAST_EPSILON <= epsilon <= MOST_EPSILON:
                return epsilon < LEAST_EPSILON
            return fails(replace(question, epsilon=epsilon))

        return balls.border(holds, Fraction(1), _HALVINGS)

    def is_impossible(asked: Question) -> bool:
        return max(barriers(asked, people).values()) > allowed.upper * people

    def enough(name: str) -> Fraction:
        least = Fraction(allowed.lower)
        return border(lambda asked: _records(asked, _counts(name, asked), least) > people)[1]

    found = [(name, enough(name)) for name in _mechanisms(question)]
    ranked = tuple(sorted(found, key=lambda option: option[1]))
    if ranked[0][1] > MOST_EPSILON:
        raise InvalidInput("The error leaves no room for noise. Allow a larger one.")
    bound = border(is_impossible)[0]
    return LeastEpsilon(
        replace(question, epsilon=ranked[0][1]), people, positive(error, "error"),
        tuple(each for each in ranked if each[1] <= MOST_EPSILON),
        bound if bound >= LEAST_EPSILON else Fraction(0),
    )  # fmt: skip
