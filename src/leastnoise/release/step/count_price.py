r"""Does a noise that chooses groups and counts them keep the promise of one count?

Decided from the law that is drawn from, as integers; nothing of how it was found is looked at.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cmp_to_key
from itertools import accumulate
from math import floor

from flint import arb, fmpq

from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.keep_step import ApproximateStep, GaussianStep
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.numeric.ball import ball, enclosure, precision, settle
from leastnoise.numeric.normal_cdf import normal_cdf, normal_quantile

_VAST = Fraction(1 << 12)
_GUARD_BITS = 64  # beyond those of the table
_FEW_BITS = 50  # beyond those of the leak: who rounds has 2**-40 of it to spare

Vertex = tuple[fmpq, fmpq]


def keeps_step(mechanism: CountedPartitions) -> bool:
    r"""Whether one count more or less is told from what is shown no better than its step allows.

    Theorem: let Z be noise with Z < τ always, and let count + Z be shown if it is τ or more. If the
    laws of Z and Z + 1 keep f, in both orders, then so does what is shown for counts that differ
    by 1; and no group of 0 units is shown.
    Proof: what is shown is a function of count + Z, for a count of 0 too.
    """
    law, step = mechanism.noise, mechanism.step
    if law.shape.support[1] >= mechanism.least_shown - mechanism.unseen:
        return False  # a group that nobody is in would show
    match step:
        case ApproximateStep():
            return _leak(law, step.epsilon) <= step.delta
        case GaussianStep():
            return all(_allows(step, *vertex) for vertex in _unclear(step, _vertices(law)))


def _leak(law: TableLaw, epsilon: Fraction) -> Fraction:
    """The least δ with which Z and Z + 1 are (ε, δ)-indistinguishable, rounded up."""
    weights = law.shape.by_value
    whole = sum(weights.values())
    bits = whole.bit_length() + _GUARD_BITS
    # A smaller e^ε only makes the sums larger.
    power = enclosure(lambda: ball(min(epsilon, _VAST)).exp(), relative_bits=bits)
    low = floor(Fraction(power.lower) * (1 << bits))
    sums = (
        sum(
            max((weight << bits) - low * weights.get(value + shift, 0), 0)
            for value, weight in weights.items()
        )
        for shift in (1, -1)
    )
    return Fraction(max(sums), whole << bits)


def _vertices(law: TableLaw) -> Iterator[Vertex]:
    r"""The corners of the best tests of Z + 1 against Z: chances of alarm under Z and under Z + 1.

    Theorem: those are the sums over values in falling order of P(Z + 1 = k)/P(Z = k); between two
    corners tests lie on the chord. Proof: the lemma of Neyman and Pearson.
    """
    weights = law.shape.by_value
    whole = sum(weights.values())
    places = sorted({*weights, *(value + 1 for value in weights)})
    pairs = [(weights.get(k, 0), weights.get(k - 1, 0)) for k in places]
    sharp = [pair for pair in pairs if not pair[0]]
    others = [pair for pair in pairs if pair[0]]
    others.sort(key=cmp_to_key(_by_ratio))  # they are in order nearly always
    for one, other in accumulate([*sharp, *others], lambda a, b: (a[0] + b[0], a[1] + b[1])):
        yield fmpq(one, whole), fmpq(other, whole)


def _by_ratio(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Below 0 if the first pair has the greater ratio of its second number to its first."""
    return other[1] * one[0] - one[1] * other[0]


def _unclear(step: GaussianStep, vertices: Iterable[Vertex]) -> list[Vertex]:
    """The corners of which few bits do not prove that the step allows them."""
    small = step.delta.denominator.bit_length() - step.delta.numerator.bit_length()
    with precision(_FEW_BITS + small):
        spare = _spare(step)
        return [vertex for vertex in vertices if not spare(*vertex) >= 0]


def _allows(step: GaussianStep, one: fmpq, other: fmpq) -> bool:
    """Whether `other` ≤ 1 − f(one), f that of a Gaussian of μ² with a leak: convex, symmetric."""
    _, leak, sound = step.rationals
    if one == 0 or one >= sound:
        return bool(other <= leak or one >= sound)

    def decide(value: arb) -> bool | None:
        return True if value >= 0 else False if value < 0 else None

    return bool(settle(lambda: _spare(step)(one, other), decide))


def _spare(step: GaussianStep) -> Callable[[fmpq, fmpq], arb]:
    """What makes a ball around 1 − f(one) − other, at the working precision.

    Where a quantile has no value, at 0 and from 1 − δ on, its chance is taken for all of [0, 1]:
    the ball is too wide then, and holds what it should, for 1 − f lies between δ and 1.
    """
    square, leak, sound = map(arb, step.rationals)
    root = square.sqrt()

    def spare(one: fmpq, other: fmpq) -> arb:
        place = root - normal_quantile(arb(one) / sound)
        return leak - arb(other) + sound * normal_cdf(place)

    return spare
