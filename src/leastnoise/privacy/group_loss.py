r"""Group privacy of a loss whose mechanism is not known: the sharp bound for all that share it.

The best test between neighbours has power g(x) at false-alarm rate x: a concave function through
the corners that the Neyman–Pearson lemma gives. People who are k steps apart can be told apart with
power at most g∘…∘g (k times), and for some mechanisms no better bound is true. The iterate is
piecewise linear again; each of its pieces is an outcome of a pair of finite laws.

Proof: docs/proofs/group_privacy.md. References: DongRothSu2022, Theorem 2.14 (arXiv 1905.02383v3).
"""

import math
from bisect import bisect_left, bisect_right
from fractions import Fraction
from itertools import pairwise

from flint import arb

from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.privacy.variables.finite_variable import FiniteVariable
from leastnoise.privacy.variables.lattice_variable import LatticeVariable
from leastnoise.privacy.variables.loss_variable import LossVariable

Point = tuple[Fraction, Fraction]
"""A false-alarm rate and the power of the best test there."""

_BITS = 256  # rounding adds less than 2**-256 to any mass
_MOST_CORNERS = 1 << 15  # some seconds of exact arithmetic
_ZERO, _ONE = Fraction(0), Fraction(1)


def group_variable(directions: list[LossVariable], size: int) -> FiniteVariable:
    """The loss that dominates groups of a size, for every mechanism with the given losses.

    Both directions of the pair are needed; one is enough if they are alike.
    """
    above, below = (_group_outcomes(directions, size, up=up) for up in (True, False))
    return FiniteVariable(above, least=None if below == above else below)


def _group_outcomes(
    directions: list[LossVariable], size: int, *, up: bool
) -> tuple[tuple[Fraction, Fraction], ...]:
    """The pieces of the iterate, from corners that lie on it or above; or on it or below."""
    corners = [point for variable in directions for point in _corners(variable, up=up)]
    power_of = _Power(_hull([(_ZERO, _ZERO), (_ONE, _ONE), *corners]), up=up)
    if size * len(power_of.corners) > _MOST_CORNERS:
        raise UnsupportedQuery(
            f"`size` must be at most {_MOST_CORNERS // len(power_of.corners)} for this loss; got "
            f"size={size}. Use theory.group_privacy with its epsilon and delta."
        )
    points = _hull(_iterated_corners(power_of, size))
    outcomes = [(power - low, alarm - left) for (left, low), (alarm, power) in pairwise(points)]
    return tuple(pair for pair in [(points[0][1], _ZERO), *outcomes] if pair[0] > 0)


def _iterated_corners(power_of: "_Power", size: int) -> list[Point]:
    """All corners of the iterate, moved to one side by rounding only.

    A corner of the iterate is a corner of g pulled back j < size times; its power is that corner
    pushed forward size − j times. Alarms are rounded down and powers up, so that the lines through
    them lie above the iterate; or alarms up and powers down, so that they lie below.
    """
    points = [(_ZERO, power_of.iterated(_ZERO, size)), (_ONE, _ONE)]
    for corner, _ in power_of.corners:
        forward = [corner]
        for _ in range(size):
            forward.append(min(_ONE, power_of(forward[-1])))
        back = corner
        for j in range(size):
            points.append((back, forward[size - j]))
            back = min(_ONE, power_of.inverse(back))
            if back == 0:
                break
    return points


def _corners(variable: LossVariable, *, up: bool) -> list[Point]:
    """(Q, P) of the sets where the loss is largest, one for each value of the loss."""
    match variable:
        case FiniteVariable():
            outcomes = variable.outcomes if up or variable.least is None else variable.least
            pairs = sorted(outcomes, key=lambda pq: pq[1] / pq[0])
        case LatticeVariable():
            pairs = [
                (_endpoint(p, up=up), _endpoint(q, up=not up))
                for p, q in variable.pairs_downwards(_BITS)
            ]
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


def _endpoint(value: arb, *, up: bool) -> Fraction:
    """One end of a mass."""
    with balls.precision(_BITS):
        return max(_ZERO, balls.exact(value.upper() if up else value.lower()))


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
    """A concave, piecewise linear power function; values are rounded to one side.

    Powers are rounded up and alarms down, or the other way round.
    """

    def __init__(self, corners: list[Point], *, up: bool) -> None:
        self.corners = corners
        self._up = up
        self._alarms = [alarm for alarm, _ in corners]
        self._powers = [power for _, power in corners]

    def __call__(self, alarm: Fraction) -> Fraction:
        place = min(max(bisect_right(self._alarms, alarm), 1), len(self._alarms) - 1)
        (x, low), (right, high) = self.corners[place - 1], self.corners[place]
        return _rounded(low + (high - low) * (alarm - x) / (right - x), up=self._up)

    def inverse(self, power: Fraction) -> Fraction:
        """The least alarm at which this power is reached, rounded."""
        place = bisect_left(self._powers, power)
        if place == 0:
            return _ZERO
        (x, low), (right, high) = self.corners[place - 1], self.corners[place]
        return _rounded(x + (right - x) * (power - low) / (high - low), up=not self._up)

    def iterated(self, alarm: Fraction, times: int) -> Fraction:
        """The power function applied to itself."""
        for _ in range(times):
            alarm = min(_ONE, self(alarm))
        return alarm


def _rounded(value: Fraction, *, up: bool) -> Fraction:
    """The value to 256 significant bits."""
    digits = _BITS + value.denominator.bit_length() - value.numerator.bit_length()
    scaled = value * Fraction(2) ** digits
    return Fraction(math.ceil(scaled) if up else math.floor(scaled)) / Fraction(2) ** digits
