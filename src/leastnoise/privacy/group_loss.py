r"""Group privacy of a loss whose mechanism is not known: the sharp bound for all that share it.

The best test between neighbours has power g(x) at false-alarm rate x: a concave function through
the corners that the Neyman–Pearson lemma gives. People who are k steps apart can be told apart with
power at most g∘…∘g (k times), and for some mechanisms no better bound is true. The iterate is
piecewise linear again; each of its pieces is an outcome of a pair of finite laws.

Proof: docs/proofs/group_privacy.md. References: DongRothSu2022, Theorem 2.14 (arXiv 1905.02383v3).
"""

from bisect import bisect_left, bisect_right
from fractions import Fraction
from itertools import pairwise

from flint import arb

from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.privacy.finite_variable import FiniteVariable
from leastnoise.privacy.lattice_variable import LatticeVariable
from leastnoise.privacy.loss_variable import LossVariable

Point = tuple[Fraction, Fraction]
"""A false-alarm rate and the power of the best test there."""

_BITS = 256
_ZERO, _ONE = Fraction(0), Fraction(1)


def group_variable(directions: list[LossVariable], size: int) -> FiniteVariable:
    """The loss that dominates groups of a size, for every mechanism with the given losses."""
    corners = [point for variable in directions for point in _corners(variable)]
    corners += [(_ONE - power, _ONE - alarm) for alarm, power in corners]
    power_of = _Power(_hull([(_ZERO, _ZERO), (_ONE, _ONE), *corners]))
    alarms = {_ZERO, _ONE}
    for _ in range(size):
        alarms = {power_of.inverse(alarm) for alarm in alarms} | {x for x, _ in power_of.corners}
    points = [(x, power_of.iterated(x, size)) for x in sorted(alarms)]
    outcomes = [
        (power - before, alarm - last) for (last, before), (alarm, power) in pairwise(points)
    ]
    return FiniteVariable(tuple(o for o in [(points[0][1], _ZERO), *outcomes] if o[0] > 0))


def _corners(variable: LossVariable) -> list[Point]:
    """(Q, P) of the sets where the loss is largest, one for each value of the loss."""
    match variable:
        case FiniteVariable():
            pairs = sorted(variable.outcomes, key=lambda pq: pq[1] / pq[0])
        case LatticeVariable():
            pairs = [(_rounded(p), _rounded(q)) for p, q in variable.pairs_downwards(_BITS)]
        case _:
            raise UnsupportedQuery(
                "`for_group` needs a mechanism that knows its loss at larger distances, or a loss "
                "with finitely many values; this one is neither. "
                "Use theory.group_privacy with its epsilon and delta."
            )
    corners, alarm, power = [], _ZERO, _ZERO
    for p, q in pairs:
        alarm, power = alarm + q, min(_ONE, power + p)
        corners.append((min(_ONE, alarm), power))
    return corners


def _rounded(value: arb) -> Fraction:
    """A close rational; masses are summed to 1 within 2**-200, which the iterate can bear."""
    return max(_ZERO, balls.exact(value.mid()))


def _hull(points: list[Point]) -> list[Point]:
    """The corners of the least concave function above the points, from left to right."""
    highest: dict[Fraction, Fraction] = {}
    for alarm, power in points:
        highest[alarm] = max(power, highest.get(alarm, _ZERO))
    hull: list[Point] = []
    for point in sorted(highest.items()):
        while len(hull) > 1 and not _turns_right(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return hull


def _turns_right(one: Point, two: Point, three: Point) -> bool:
    return (two[0] - one[0]) * (three[1] - one[1]) < (three[0] - one[0]) * (two[1] - one[1])


class _Power:
    """A concave, piecewise linear power function; values are rounded up to 256 bits."""

    def __init__(self, corners: list[Point]) -> None:
        self.corners = corners
        self._alarms = [alarm for alarm, _ in corners]
        self._powers = [power for _, power in corners]

    def __call__(self, alarm: Fraction) -> Fraction:
        place = min(max(bisect_right(self._alarms, alarm), 1), len(self._alarms) - 1)
        (x, low), (right, high) = self.corners[place - 1], self.corners[place]
        return _round_up(low + (high - low) * (alarm - x) / (right - x))

    def inverse(self, power: Fraction) -> Fraction:
        """The least alarm at which this power is reached, rounded up."""
        place = bisect_left(self._powers, power)
        if place == 0:
            return _ZERO
        (x, low), (right, high) = self.corners[place - 1], self.corners[place]
        return _round_up(x + (right - x) * (power - low) / (high - low))

    def iterated(self, alarm: Fraction, times: int) -> Fraction:
        """The power function applied to itself."""
        for _ in range(times):
            alarm = min(_ONE, self(alarm))
        return alarm


def _round_up(value: Fraction) -> Fraction:
    return Fraction(-(-value.numerator * 2**_BITS // value.denominator), 2**_BITS)
