"""`output_law`: the exact law of what a mechanism outputs, for made-up data.

Each law is worked out from the mechanism's stated rule alone, not from its sampler or its price.
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import singledispatch
from itertools import product
from typing import Any

from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.bernoulli_mean import BernoulliMean
from leastnoise.mechanisms.choosing.exponential_mechanism import ExponentialMechanism
from leastnoise.mechanisms.choosing.permute_and_flip import PermuteAndFlip
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.name_and_shame import NameAndShame
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.mechanisms.quantile.chosen_quantiles import ChosenQuantiles
from leastnoise.mechanisms.quantile.paired_quantiles import PairedQuantiles
from leastnoise.mechanisms.quantile.quantile_task import USUAL_CONFIDENCE
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.mechanisms.response import RandomizedResponse
from leastnoise.numeric.exponential import ExponentialSum
from leastnoise.privacy.laws.finite_law import FiniteLaw

Chances = Mapping[Hashable, ExponentialSum]
_ONE = ExponentialSum.of(1)


@singledispatch
def output_law(mechanism: Any, data: Any) -> FiniteLaw:
    """The probability of every output, for public or made-up data.

    Raises:
        UnsupportedQuery: the mechanism has no finite law that is known here.

    Example:
        >>> law = output_law(RandomizedResponse(epsilon=1), 0)
        >>> sorted(law.weights)
        [0, 1]
    """
    del data
    raise UnsupportedQuery(
        f"a mechanism must have finitely many outputs to be added up; got {mechanism!r:.60}. "
        "Audit it from outside: give neighbours=."
    )


@output_law.register
def _(mechanism: RandomizedResponse, data: int) -> FiniteLaw:
    odds = ExponentialSum.exp(mechanism.epsilon)
    return FiniteLaw(
        {answer: odds if answer == data else 1 for answer in range(mechanism.categories)}
    )


@output_law.register
def _(mechanism: BernoulliMean, data: Sequence[int]) -> FiniteLaw:
    """P(X = k) is proportional to b^|k|, b = e^−ε; the ends of [0, 1] get the tails."""
    if not mechanism.clipped:
        raise UnsupportedQuery(
            "a mean must be clipped to have finitely many values; got clipped=False. "
            "Its noise is a law: audit that."
        )
    ones, records, gap = sum(data), mechanism.records, 1 - _power(1, mechanism.epsilon)
    weights: dict[Fraction, ExponentialSum] = {}
    for value in range(records + 1):
        if value == 0:
            weight = _upper_tail(ones, mechanism.epsilon)
        elif value == records:
            weight = _upper_tail(records - ones, mechanism.epsilon)
        else:
            weight = _power(abs(value - ones), mechanism.epsilon) * gap
        weights[Fraction(value, records)] = weight
    return FiniteLaw(weights)


def _power(exponent: int, epsilon: Fraction) -> ExponentialSum:
    return ExponentialSum.exp(-epsilon * exponent)


def _upper_tail(k: int, epsilon: Fraction) -> ExponentialSum:
    """(1 + b)·P(X ≥ k): b^k for k ≥ 1, and 1 for k = 0."""
    return _power(k, epsilon) if k else _ONE


@output_law.register
def _(mechanism: NameAndShame, data: Sequence[Hashable]) -> FiniteLaw:
    weights: dict[Hashable, Fraction] = {}
    for shown in product((False, True), repeat=len(data)):
        output = tuple((i, data[i]) for i, seen in enumerate(shown) if seen)
        chance = mechanism.delta ** sum(shown) * (1 - mechanism.delta) ** (len(data) - sum(shown))
        weights[output] = weights.get(output, Fraction(0)) + chance
    return FiniteLaw(weights)


@output_law.register
def _(mechanism: ExponentialMechanism, data: Sequence[int]) -> FiniteLaw:
    best = max(data)
    return FiniteLaw(_weighed([best - u for u in data], mechanism.rate))


def _weighed(gaps: Sequence[int | Fraction], rate: Fraction) -> dict[Hashable, ExponentialSum]:
    """Chances that fall exponentially with the gap, not yet normalised."""
    return {i: ExponentialSum.exp(-rate * gap) for i, gap in enumerate(gaps)}


@output_law.register
def _(mechanism: PermuteAndFlip, data: Sequence[int]) -> FiniteLaw:
    best = max(data)
    return FiniteLaw(_flipped([best - u for u in data], mechanism.rate))


def _flipped(gaps: Sequence[int | Fraction], rate: Fraction) -> dict[Hashable, ExponentialSum]:
    """Uniform among all heads: each set of heads, with its chance, shared by its members."""
    coins = [ExponentialSum.exp(-rate * gap) for gap in gaps]
    chances: dict[Hashable, ExponentialSum] = {i: ExponentialSum.of(0) for i in range(len(gaps))}
    for heads in product((False, True), repeat=len(gaps)):
        if not any(heads):
            continue  # impossible: the best one's coin always shows heads
        chance = _ONE
        for coin, head in zip(coins, heads, strict=True):
            chance = chance * (coin if head else 1 - coin)
        for i, head in enumerate(heads):
            if head:
                chances[i] = chances[i] + chance * Fraction(1, sum(heads))
    return chances


@output_law.register
def _(mechanism: TopSelection, data: Sequence[int]) -> FiniteLaw:
    if not isinstance(mechanism.selection, PermuteAndFlip):
        raise UnsupportedQuery(
            f"peeling is added up for permute-and-flip only; got {mechanism.selection!r:.60}. "
            "Audit one choice: all of them together are its composition."
        )
    return FiniteLaw(_peeled(list(enumerate(data)), mechanism.count, mechanism.selection.rate))


def _peeled(
    left: list[tuple[int, int]], count: int, rate: Fraction
) -> dict[Hashable, ExponentialSum]:
    if not count:
        return {(): _ONE}
    best = max(utility for _, utility in left)
    first = _flipped([best - utility for _, utility in left], rate)
    chances: dict[Hashable, ExponentialSum] = {}
    for place, chance in first.items():
        assert isinstance(place, int)
        rest = _peeled(left[:place] + left[place + 1 :], count - 1, rate)
        for output, more in rest.items():
            assert isinstance(output, tuple)
            chances[(left[place][0], *output)] = chance * more
    return chances


@output_law.register
def _(mechanism: PartitionSelection, data: Sequence[int]) -> FiniteLaw:
    weights: dict[Hashable, Fraction] = {}
    chances = [mechanism.keep_probability(count) for count in data]
    for shown in product((False, True), repeat=len(data)):
        chance = Fraction(1)
        for kept, seen in zip(chances, shown, strict=True):
            chance *= kept if seen else 1 - kept
        weights[shown] = chance
    return FiniteLaw(weights)


@output_law.register
def _(mechanism: CountedPartitions, data: Sequence[int]) -> FiniteLaw:
    """Numbers by place, as pairs; places that are not shown are left out."""
    chances: dict[Hashable, Fraction] = {(): Fraction(1)}
    for place, count in enumerate(data):
        own = mechanism.shown_law(count)
        chances = {
            output if number is None else (*output, (place, number)): chance * more
            for (output, chance), (number, more) in product(_pairs(chances), own.items())
        }
    return FiniteLaw(chances)


def _pairs(chances: Mapping[Hashable, Fraction]) -> list[tuple[tuple[Any, ...], Fraction]]:
    return [(output, chance) for output, chance in chances.items() if isinstance(output, tuple)]


@output_law.register
def _(mechanism: Quantiles, data: Sequence[int]) -> FiniteLaw:
    """Cells that rise; of intervals both ends as they were chosen, level by level."""
    way = mechanism.way
    if isinstance(way, PairedQuantiles):
        return _pairs_of_ends(way, data)
    if not isinstance(way, ChosenQuantiles):
        raise UnsupportedQuery(
            f"quantiles must be chosen, not counted, to have a finite law; got {mechanism!r:.60}. "
            "Audit the law of the counts' noise."
        )
    chances: dict[Hashable, ExponentialSum] = {(): _ONE}
    for level in mechanism.levels:
        distances = [_distance(data, cell, level * sum(data)) for cell in range(len(data))]
        chances = _sorted_pairs(chances, _chosen_by(way, distances))
    return FiniteLaw(chances)


def _pairs_of_ends(way: PairedQuantiles, data: Sequence[int]) -> FiniteLaw:
    """What intervals are made of: every choice, the cells beside the grid included."""
    reach, size = way.reach(USUAL_CONFIDENCE), len(data)
    chances: dict[Hashable, ExponentialSum] = {(): _ONE}
    for level in way.task.levels:
        rank = level * sum(data)
        low, high = (reach, *data), (*data, reach)
        below = [_distance(low, cell, rank) for cell in range(size + 1)]
        above = [_distance(high, cell, rank + reach) for cell in range(size + 1)]
        for distances in (below, above):
            own = _chosen_by(way, distances)
            chances = {
                (*output, cell): chance * more
                for (output, chance), (cell, more) in product(chances.items(), own.items())
                if isinstance(output, tuple)
            }
    return FiniteLaw(chances)


def _chosen_by(way: ChosenQuantiles | PairedQuantiles, distances: Sequence[Fraction]) -> Chances:
    return (_flipped if way.choice.flips else _weighed)(distances, way.rate)


def _distance(counts: Sequence[int], cell: int, rank: Fraction) -> Fraction:
    """How far a rank is from the ranks that a cell holds."""
    below = sum(counts[:cell])
    return max(below - rank, rank - (below + counts[cell]), Fraction(0))


def _sorted_pairs(before: Chances, cells: Chances) -> dict[Hashable, ExponentialSum]:
    """One more independent choice, put in its place among those before."""
    chances: dict[Hashable, ExponentialSum] = {}
    for (output, chance), (cell, more) in product(before.items(), cells.items()):
        assert isinstance(output, tuple)
        rising = tuple(sorted((*output, cell)))
        chances[rising] = chances.get(rising, ExponentialSum.of(0)) + chance * more
    return chances
