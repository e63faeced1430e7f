"""`ThresholdAccuracy`: how far from the threshold a sparse vector's answers are right."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.thresholds.threshold_noise import ThresholdNoise
from leastnoise.mechanisms.thresholds.threshold_question import ThresholdQuestion
from leastnoise.mechanisms.thresholds.threshold_share import MOST_QUERIES
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer

_MOST_BLOCKS = 1 << 13  # some seconds
_NEGLIGIBLE = 70  # a factor exp(−70), below 2^−100
_UNITS_PER_SCALE = 1 << 10  # the answer is met to a thousandth of the noise
_LEAST_FLOAT = 1e-200  # products of two stay within the range of floats


@dataclass(frozen=True)
class ThresholdAccuracy:
    """With probability 1 − failure.upper at least, every answer outside the gap is right.

    That is: of at most `queries` questions whose value is `below` or more under the threshold none
    is answered "above", and every question whose value is `above` or more over it is, as long as
    the sparse vector has "above" answers left.

    Attributes:
        below: how far under the threshold silence is sure.
        above: how far over the threshold an answer is sure.
        queries: the number of questions under the threshold.
        failure: the exact probability that some answer is wrong, at values that lie just so.
    """

    below: Fraction
    above: Fraction
    queries: int
    failure: Interval

    @property
    def gap(self) -> Fraction:
        """The distance between what never fires and what always does."""
        return self.below + self.above


def failure(noise: ThresholdNoise, *, queries: int, below: int, above: int) -> Interval:
    r"""P(one of k questions at T − below fires, or one of c at T + above does not), exactly.

    Theorem: it is f(k, c) = Σᵣ P(ρ = r)·(1 − P(ν < below + r)ᵏ·P(ν ≥ r − above)ᶜ); with restarts it
    is at most 1 − (1 − f(k/c, 1))ᶜ, which is reached if c divides k. For all analysts who ask at
    most k questions of value ≤ T − below, and any others of value ≥ T + above, the probability of a
    wrong answer is at most that.
    Proof: docs/proofs/sparse_vector.md, section 5.

    Each term falls in r through the first power and grows through the second, so a block of
    neighbouring r lies between what its two ends give; a narrow lattice needs blocks of one.

    Example:
        >>> noise = ThresholdNoise(epsilon=1, sensitivity=1, threshold_share="0.28")
        >>> failure(noise, queries=1000, below=27, above=12)
        Interval(0.0471357316340819, 0.047135731634082)
    """
    edges = _edges(noise, above)
    with balls.precision(balls.FIRST_PRECISION):
        sums = _Sums(noise, queries, below, above)
        total = sums.beyond(edges[-1])
        for start, end in pairwise(edges):
            total += sums.block(start, end)
        lower, upper = (_in_any_run(end, noise.runs) for end in (total.lower(), total.upper()))
        least, most = balls.interval(lower).lower, balls.interval(upper).upper
    return Interval(max(least, Fraction(0)), min(most, Fraction(1)))


def _in_any_run(failing: arb, runs: int) -> arb:
    """1 − (1 − failing)^runs, for a number that may lie a hair above 1."""
    if runs == 1 or not failing < 1:
        return failing
    return -((-failing).log1p() * runs).expm1()


def _edges(noise: ThresholdNoise, above: int) -> list[int]:
    """Where blocks of ρ begin, and where the last one ends."""
    blocks, reach = _blocks(noise, above)
    return [reach * block // blocks for block in range(blocks + 1)]


def _blocks(noise: ThresholdNoise, above: int) -> tuple[int, int]:
    """How many blocks, up to where: beyond it little is left, even beside the failures."""
    reach = above + math.ceil(_NEGLIGIBLE / noise.threshold_rate)
    return min(reach, _MOST_BLOCKS), reach


class _Sums:
    """The terms of `failure` as balls at the working precision."""

    def __init__(self, noise: ThresholdNoise, queries: int, below: int, above: int) -> None:
        self._threshold_rate = balls.ball(noise.threshold_rate)
        self._query_rate = balls.ball(noise.query_rate)
        self._queries = balls.ball(Fraction(queries, noise.runs))
        self._positives = noise.positives_per_run
        self._below, self._above = below, above

    def block(self, start: int, end: int) -> arb:
        """The failures with start ≤ ρ < end."""
        chance = self._tail(start) - self._tail(end)
        worst = self._failure(start, end - 1)
        if end - start == 1:
            return chance * worst
        return chance * worst.union(self._failure(end - 1, start))

    def beyond(self, start: int) -> arb:
        """Something between nothing and all of P(ρ ≥ start)."""
        return arb(0).union(self._tail(start))

    def _tail(self, start: int) -> arb:
        return (-self._threshold_rate * start).exp()

    def _failure(self, low: int, high: int) -> arb:
        """1 − P(ν < below + low)ᵏ·P(ν ≥ high − above)ᶜ."""
        fires = (-self._query_rate * (self._below + low)).exp()
        if not fires < 1:
            return arb(1)
        loud = self._positives * self._query_rate * max(0, high - self._above)
        return -((-fires).log1p() * self._queries - loud).expm1()


def accuracy(
    question: ThresholdQuestion, noise: ThresholdNoise, *, queries: SupportsIndex, confidence: Exact
) -> ThresholdAccuracy:
    r"""The smallest gap found outside which every answer is right with the given probability.

    That the gap suffices is proved with balls; that no smaller one does was searched in floats. On
    a fine lattice both ends are multiples of about a thousandth of the noise's scale. Values that
    are rounded to the lattice, and a threshold that is, are covered: a value x with
    x ≤ T − below lies at least below/step places under the threshold's place, and so on.

    Example:
        >>> question = ThresholdQuestion(threshold=100, sensitivity=1)
        >>> noise = ThresholdNoise(epsilon=1, sensitivity=1, threshold_share="0.28")
        >>> found = accuracy(question, noise, queries=1000, confidence="0.95")
        >>> int(found.below), int(found.above)
        (28, 11)
    """
    asked = _check.integer_between(queries, "queries", 1, MOST_QUERIES)
    risk = 1 - _check.confidence(confidence)
    below, above, chance = _least_gap(noise, asked, risk)
    step, moved = question.lattice.step, question.threshold_moved
    return ThresholdAccuracy(below * step + moved, above * step - moved, asked, chance)


def _least_gap(noise: ThresholdNoise, queries: int, risk: Fraction) -> tuple[int, int, Interval]:
    """Both ends in places of the lattice, and the chance of failure that was proved for them."""
    _refuse_extremes(noise, risk)
    search = _Search(noise, queries)
    units = search.least_gap(risk)
    while True:
        below = search.best_below(units)
        ends = below * search.unit, (units - below) * search.unit
        chance = failure(noise, queries=queries, below=ends[0], above=ends[1])
        if chance.upper <= risk:
            return *ends, chance
        units += 1  # the floats were a hair too hopeful


class _Search:
    """Finds a good gap in floats, in units of the lattice; nothing rests on it."""

    def __init__(self, noise: ThresholdNoise, queries: int) -> None:
        greatest = max(noise.threshold_rate, noise.query_rate)
        self.unit = max(1, math.floor(1 / (greatest * _UNITS_PER_SCALE)))
        self._noise, self._queries = noise, queries / noise.runs
        self._rates = float(noise.threshold_rate), float(noise.query_rate)
        self._lean = _lean(*self._rates, self._queries, noise.positives_per_run)

    def least_gap(self, risk: Fraction) -> int:
        """The least gap that some place of the threshold inside it makes good."""
        target = -math.expm1(math.log1p(-float(risk)) / self._noise.runs)
        guess = sum(1 / rate for rate in self._rates) * -math.log(target) / self.unit
        return least_integer(
            lambda units: self._failure(self.best_below(units), units) <= target,
            0,
            math.ceil(guess),
        )

    def best_below(self, units: int) -> int:
        """The best place of the threshold in a gap: near where the bound of section 6 has it."""
        low, high = self._rates
        middle = (low * units + self._lean / self.unit) / (low + high)
        near = range(max(0, round(middle) - 2), min(units, round(middle) + 2) + 1)
        return min(near or [0], key=lambda below: self._failure(below, units))

    def _failure(self, below: int, units: int) -> float:
        start, end = float(below * self.unit), float((units - below) * self.unit)
        blocks, reach = _blocks(self._noise, (units - below) * self.unit)
        edges = np.floor(np.linspace(0, float(reach), blocks + 1))
        lows, highs = edges[:-1], edges[1:] - 1
        chance = np.exp(-self._rates[0] * lows) * -np.expm1(-self._rates[0] * np.diff(edges))
        fires = np.exp(-self._rates[1] * (start + lows))
        loud = self._noise.positives_per_run * self._rates[1] * np.maximum(0, highs - end)
        return float(chance @ _wrong(fires, self._queries, loud))


def _wrong(
    fires: NDArray[np.float64], queries: float, loud: NDArray[np.float64]
) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):  # a question that surely fires: log 0
        return np.asarray(-np.expm1(np.log1p(-fires) * queries - loud))


def _lean(low: float, high: float, queries: float, positives: int) -> float:
    """The logarithm of how much steeper one failure's bound is than the other's, at no distance.

    They are k·A·exp(−high·below) and B·exp(−low·above), A = P(ν ≥ ρ) and B = P(ρ > least ν).
    """
    least = positives * high
    fires = math.expm1(-low) / math.expm1(-low - high)
    misses = math.expm1(-least) / math.expm1(-low - least)
    return math.log(queries) + math.log(fires) + math.log(high / low) - math.log(misses) + low


def _refuse_extremes(noise: ThresholdNoise, risk: Fraction) -> None:
    """Beyond these the search would leave the range of floats."""
    least = min(noise.threshold_rate, noise.query_rate, risk)
    if least > _LEAST_FLOAT:
        return
    raise UnsupportedQuery(
        f"the risk 1 − confidence and the noise's rates must be above {_LEAST_FLOAT:.0e} to search "
        "for a gap; got {float(least):.3g}. Ask `failure` about a gap of your own."
    )
