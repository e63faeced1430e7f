r"""From a solver's multipliers to an exact dual point on all of the integers."""

from fractions import Fraction
from math import ceil, floor

from leastnoise.certificates.check_dual import dual_slacks
from leastnoise.certificates.make_linear_program import Frame, Optimum
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Dual, Multipliers

_BITS = 160  # rounding costs far less than the gap of 1e-9 that is aimed at


Rows = dict[int, dict[int, int]]


def exact_dual(problem: Problem, frame: Frame, optimum: Optimum) -> Dual:
    r"""A feasible dual point near the solver's.

    Inequalities are visited from the outside in. Where one has room, the multiplier of the
    greatest shift that draws on it is raised to fill it; where one falls short, multipliers that
    draw on it are cut. Either way what an inner inequality feels is divided by e^ε, so that errors
    shrink with every step. What is still missing near 0 is taken off the level.
    """
    level = Fraction(optimum.level)
    rows = _solvers_rows(frame, optimum)
    beyond = _filled(problem, frame, optimum, rows)
    dual = Dual(level, _BITS, tuple(_row(rows, shift, frame, beyond) for shift in sorted(rows)))
    spare = min(slack / (2 if j else 1) for j, slack in enumerate(dual_slacks(problem, dual)))
    return Dual(_lowered(level + min(spare, Fraction(0))), _BITS, dual.rows)


def _lowered(level: Fraction) -> Fraction:
    """Rounded down to a short number, past any doubt about a cost's last digits."""
    return Fraction(_whole(level) - (1 << 32), 1 << _BITS)


def _row(rows: Rows, shift: int, frame: Frame, beyond: int) -> Multipliers:
    by_place = rows[shift]
    first, last = min(by_place), max(by_place)
    values = tuple(by_place.get(k, 0) for k in range(first, last + 1))
    return Multipliers(shift, first, values, beyond if shift == frame.sensitivity else 0)


def _solvers_rows(frame: Frame, optimum: Optimum) -> Rows:
    """All multipliers but those of outward pairs at the greatest shift, which come later."""
    rows: Rows = {frame.sensitivity: {}}
    for pair, value in zip(optimum.pairs, optimum.multipliers, strict=True):
        outward = abs(pair.place + pair.shift) > abs(pair.place)
        if value > 0 and not (outward and pair.shift == frame.sensitivity):
            row = rows.setdefault(pair.shift, {})
            row.update(dict.fromkeys(frame.copies(pair), _whole(Fraction(float(value)))))
    return rows


def _filled(problem: Problem, frame: Frame, optimum: Optimum, rows: Rows) -> int:
    """Fills and cuts in place; returns the endless multiplier of the greatest shift."""
    width, factor = frame.sensitivity, Fraction(problem.factor().upper)
    level, ceiling = _whole(Fraction(optimum.level)), _whole(Fraction(optimum.ceiling))
    far = frame.stop + width
    spare = 2 * (_price(problem, far + 1) - level)
    beyond = max(0, ceiling if factor == 1 else min(ceiling, _quotient(spare, factor - 1)))
    flows = _Flows(rows, far)
    for j in range(far, 0, -1):
        room = 2 * (_price(problem, j) - level) + flows.gives[j] - ceil(factor * flows.takes[j])
        if j + width > far:
            room += beyond
        if room < 0:
            _cut(flows, frame, j, -_quotient(room, factor), factor)
        elif 2 * j > width:
            flows.add(width, j - width, min(_quotient(room, factor), ceiling))
    return beyond


class _Flows:
    """For each j ≥ 0: what is given, what is taken, and which outward multipliers take it."""

    def __init__(self, rows: Rows, far: int) -> None:
        self.rows = rows
        self.gives, self.takes = [0] * (far + 1), [0] * (far + 1)
        self.takers: list[list[tuple[int, int]]] = [[] for _ in range(far + 1)]
        for shift, row in rows.items():
            for place, value in row.items():
                self._flow(shift, place, value)
                if abs(place + shift) > abs(place):
                    self.takers[abs(place + shift)].append((shift, place))

    def _flow(self, shift: int, place: int, value: int) -> None:
        self.gives[abs(place)] += value
        self.takes[abs(place + shift)] += value

    def add(self, shift: int, place: int, value: int) -> None:
        """Raise a multiplier, or lower it."""
        row = self.rows[shift]
        row[place] = row.get(place, 0) + value
        self._flow(shift, place, value)


def _cut(flows: _Flows, frame: Frame, outer: int, need: int, factor: Fraction) -> None:
    """Lower multipliers that draw on `outer`.

    A copy that is cut by x leaves its inner neighbour free to grow by x/e^ε: the repeating part of
    the law feels only their weighted sum.
    """
    for shift, place in flows.takers[outer]:
        cut = min(need, flows.rows[shift][place])
        flows.add(shift, place, -cut)
        if frame.head <= place < frame.start - shift:
            flows.add(shift, place - frame.sensitivity, _quotient(cut, factor))
        need -= cut


def _price(problem: Problem, place: int) -> int:
    return _whole(Fraction(problem.price(place).lower))


def _quotient(number: int, factor: Fraction) -> int:
    """Rounded down."""
    return number * factor.denominator // factor.numerator


def _whole(value: Fraction) -> int:
    return floor(value * (1 << _BITS))
