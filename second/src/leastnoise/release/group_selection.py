r"""Groups found privately: those whose units, with noise, reach a threshold.

A unit in m groups adds t = floor(2^10 / sqrt(m)) steps to each; a unit in more than 2^10 groups adds
nothing. Candidates are the groups with a positive sum x. Each gets rounded Gaussian noise of
variance V, and is shown if x + noise >= T.

Theorem. Let k * P(noise >= T - floor(2^10 / sqrt(k))) <= delta for every k = 1 .. 2^10. Then
showing the groups is mu-GDP with mu^2 = 2^20 / V, but for an event of chance delta.
Proof: on groups that are candidates with and without a unit u, x moves by at most 2^10 in l2 norm.
Groups that are candidates only because of u have x <= floor(2^10 / sqrt(m)); there are k <= m <=
2^10 of them, so the chance that one of them is shown is at most delta. The noises are
independent. With min_units = n, x is replaced by max(0, x - (n - 1) * 2^10), which moves no more.
Where no unit has more than one row, only k = 1 can occur. Proof page: docs/proofs/partition.md.

Trusted.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from flint import arb

from leastnoise.ledger.meters import Price
from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.source import Source
from leastnoise.numbers.ball import ball, normal_tail, sign
from leastnoise.release.measurement import Selection
from leastnoise.tables.profile import STEPS
from leastnoise.tables.schema import Value

Candidates = Sequence[tuple[Value, ...]]
"""For each candidate its keys, and its sum in steps."""


def selection_price(selection: Selection) -> Price:
    """What it costs to find groups so, if `is_safe`."""
    square = Fraction(STEPS**2, selection.variance)
    return Price(None, square, square / 2, selection.delta)


@lru_cache(maxsize=16)
def is_safe(selection: Selection, *, one_row_each: bool) -> bool:
    """Whether the threshold keeps groups of one unit away, but for the chance delta."""
    most = 1 if one_row_each else STEPS
    return all(_is_rare(selection, k) for k in range(1, most + 1))


def _is_rare(selection: Selection, k: int) -> bool:
    """k * P(rounded noise >= a) <= delta, with a = T - floor(2^10 / sqrt(k)): noise >= a - 1/2."""
    above = selection.threshold - isqrt(STEPS**2 // k) - Fraction(1, 2)

    def excess() -> arb:
        tail = normal_tail(ball(above) / ball(Fraction(selection.variance)).sqrt())
        return k * tail - ball(selection.delta)

    return above > 0 and sign(excess) <= 0


def shown(selection: Selection, candidates: Candidates, source: Source) -> list[tuple[Value, ...]]:
    """The keys of the groups that reach the threshold, in an order of their own."""
    noise = rounded_gaussian(Fraction(selection.variance), len(candidates), source)
    found = []
    for (*keys, steps), each in zip(candidates, noise, strict=True):
        assert isinstance(steps, int)
        if steps + int(each) >= selection.threshold:
            found.append(tuple(keys))
    return sorted(found, key=repr)
