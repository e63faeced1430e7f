"""`least_epsilon`: how much privacy an error leaves, with so many records."""

from fractions import Fraction
from math import inf
from typing import SupportsIndex, assert_never

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.privacy.curves.curve import price_text
from leastnoise.privacy.guarantee import exact_text
from leastnoise.sizes.attribute_range import AttributeRange
from leastnoise.sizes.barriers.impossible import least_possible_epsilon
from leastnoise.sizes.bounds_table import IMPOSSIBLE, BoundsTable, Tabled, bound_text
from leastnoise.sizes.means_task import MeansTask
from leastnoise.sizes.noise_ladder import LadderRow, ladder_rows
from leastnoise.tabulation.column_noise import ColumnNoise
from leastnoise.tabulation.objective import Objective, ObjectiveName
from leastnoise.tabulation.perturbation import Perturbation


@dataclass(frozen=True)
class LeastEpsilonOption:
    """One mechanism, and the least ε at which it reaches the error, or hardly more.

    Attributes:
        mechanism: its name.
        noise: the law of the noise on the counts of ones: the most that is accurate enough.
        epsilon: an ε for which that noise is proved to be (ε, δ)-DP.
    """

    mechanism: str
    noise: ColumnNoise
    epsilon: Fraction


@dataclass(frozen=True, repr=False)
class LeastEpsilon(Tabled):
    """An answer of `least_epsilon`.

    Attributes:
        task: what was asked; its own ε is that of the best option.
        records: the number of records.
        error: the error asked for, on the scale of the values.
        values: the two values of an attribute.
        options: all mechanisms, the best first.
        impossible_below: with a smaller ε no mechanism reaches the error; 0 if nothing is known.
    """

    task: MeansTask
    records: int
    error: Fraction
    values: AttributeRange
    options: tuple[LeastEpsilonOption, ...]
    impossible_below: Fraction

    @property
    def best(self) -> LeastEpsilonOption:
        """The mechanism with the least ε."""
        return self.options[0]

    @property
    def epsilon(self) -> Fraction:
        """The least ε found."""
        return self.best.epsilon

    def _table(self) -> BoundsTable:
        title = (
            f"{self.task.words(self.values, self.error)}, {self.records} records, "
            f"δ = {exact_text(self.task.delta)}"
        )
        rows = tuple(
            (o.mechanism, price_text(Interval.exactly(o.epsilon)), "") for o in self.options
        )
        bound = (IMPOSSIBLE, bound_text(self.impossible_below), "")
        return BoundsTable(f"LeastEpsilon: {title}", "epsilon", (bound,), rows)


def least_epsilon(  # noqa: PLR0913 - the words of the question, all by name
    *,
    dimension: SupportsIndex,
    records: SupportsIndex,
    error: Exact,
    delta: Exact = 0,
    objective: ObjectiveName | Objective,
    confidence: Exact | None = None,
    values: tuple[Exact, Exact] = (-1, 1),
) -> LeastEpsilon:
    r"""The least ε at which the means of many attributes can be so accurate, and a bound.

    The question of `sample_size`, asked another way round; its conventions apply. For each kind of
    noise the widest one that is accurate enough is found, and then priced.

    Args:
        dimension: the number d of attributes, in 1..10^9, for δ > 0 in 1..10^6.
        records: the number n of records, at least 1.
        error: what the means may be off by, above 0 and below half the range of an attribute.
        delta: δ in [0, 1).
        objective: "max", "average" or "squared".
        confidence: for "max" only, in (0, 1).
        values: the two values of an attribute.

    Raises:
        UnsupportedQuery: no noise at all is small enough for the error.

    Example:
        >>> least_epsilon(
        ...     dimension=100, records=4680, error="0.05", objective="max", confidence="0.95"
        ... )
        LeastEpsilon: 100 means of ±1, worst error 0.05 with confidence 0.95, 4680 records, δ = 0
                              epsilon
        impossible below     0.307485
        achievable with
        cube noise           0.995028
        independent Laplace   6.44690
    """
    scale, people = AttributeRange(values), _check.integer_between(records, "records", 1)
    allowed = scale.on_signs(error)
    task = MeansTask(
        dimension=dimension, epsilon=1, delta=delta, objective=objective, confidence=confidence
    ).in_reach()
    options = _options(task, people, allowed)
    if not options:
        raise UnsupportedQuery(
            f"`error` must leave room for noise of one count; got error={exact_text(allowed)} on "
            f"the scale of ±1 for {people} records. Allow a larger error, or find more records."
        )
    least = task.at(options[0].epsilon)
    bound = least_possible_epsilon(least, people, allowed)
    return LeastEpsilon(least, people, allowed * scale.half, scale, tuple(options), bound)


def _options(task: MeansTask, records: int, error: Fraction) -> list[LeastEpsilonOption]:
    """The cheapest of each kind of noise, the cheapest first."""
    search = _Search(task, records, error)
    found = [search.cheapest(row) for row in ladder_rows(task)]
    return sorted((o for o in found if o is not None), key=lambda option: option.epsilon)


@dataclass(frozen=True)
class _Search:
    """The widest noise that is accurate enough, and its price."""

    task: MeansTask
    records: int
    error: Fraction

    def cheapest(self, row: LadderRow) -> LeastEpsilonOption | None:
        """Downhill from the first guess, in both directions."""
        best = self._cheaper(row, row.start, None)
        for step in (-1, 1):
            place = row.start + step
            while 0 <= place < len(row.ladders):
                option = self._cheaper(row, place, best)
                if option is None and best is not None:
                    break
                best, place = option, place + step
        return best

    def _cheaper(
        self, row: LadderRow, place: int, best: LeastEpsilonOption | None
    ) -> LeastEpsilonOption | None:
        """The option at a place, if there is one and it beats the best so far."""
        ladder, delta = row.ladders[place], self.task.delta
        parameter = ladder.widest(self._accurate)
        if parameter is None:
            return None
        noise = ladder.at(parameter)
        if ladder.price is not None:
            price: Endpoint = ladder.price(parameter)
        elif best is not None and noise.privacy(1).delta(best.epsilon).upper > delta:
            return None  # one look at δ is quicker than the search for ε
        else:
            price = noise.privacy(1).epsilon(delta).upper
        if not 0 < price < inf or (best is not None and price >= best.epsilon):
            return None
        return LeastEpsilonOption(row.mechanism, noise.noise, Fraction(price))

    def _accurate(self, noise: Perturbation) -> bool:
        """Whether the noise on counts keeps the error of the means of ±1."""
        objective, allowed = self.task.objective, self.error * self.records / 2
        match objective:
            case Objective.MAX:
                assert self.task.confidence is not None  # a task of this kind has one
                return noise.worst.within(allowed).lower >= self.task.confidence
            case Objective.AVERAGE:
                return noise.cost(objective).upper <= allowed
            case Objective.SQUARED:
                return noise.cost(objective).upper <= allowed**2
            case _:
                assert_never(objective)
