"""Several steps together, in one direction: delta, epsilon, tail and trade-off as intervals.

One step, and Gaussian steps alone, are read off the curve. All else is read off the twins of the
sum, on grids that are made finer until the answer is narrow enough.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, gcd, inf, lcm, log2, sqrt
from typing import cast

from flint import arb

from leastnoise.numbers.ball import ball, enclosure, exact_value, interval, normal_tail, precision
from leastnoise.numbers.errors import Undecided
from leastnoise.numbers.interval import End, Interval
from leastnoise.privacy.curve import Curve, Gaussian
from leastnoise.privacy.grid import MOST_POINTS, Grid, twin

Part = tuple[Curve, int]
Read = Callable[[Grid, Grid], Interval]
"""What the lower and the upper twin say together."""

ROUGHLY = Fraction(10**9)  # one look is enough
_TAILS = Fraction(1, 10**7)  # of delta: what is cut off
_MOST_CELLS = 1 << 16  # of one step: some seconds
_HOPELESS = 1 << 14  # still far from an answer with so many points
_FIRST = 4  # points for one standard deviation of a step
_SIDES = (64, 512)  # fineness of curves that are known from two sides
_LEAST_DELTA = Fraction(1, 2**400)
_NEAR = [Fraction(4) ** -k for k in range(6)]  # how far to look for a slope


@dataclass(frozen=True)
class Direction:
    """Curves and how often each is used; their losses add up."""

    parts: tuple[Part, ...]

    @classmethod
    def of(cls, parts: Iterable[Part]) -> "Direction":
        """Equal curves are counted together; Gaussian steps are one."""
        square, counts = Fraction(0), dict[Curve, int]()
        for curve, count in parts:
            if isinstance(curve, Gaussian):
                square += curve.square * count
            else:
                counts[curve] = counts.get(curve, 0) + count
        if square:
            counts[Gaussian(square)] = 1
        return cls(tuple(counts.items()))

    @property
    def alone(self) -> Curve | None:
        """The curve, if there is one step."""
        return self.parts[0][0] if len(self.parts) == 1 and self.parts[0][1] == 1 else None

    @property
    def steps(self) -> int:
        """How many there are."""
        return sum(count for _, count in self.parts)

    def greatest(self) -> Interval:
        """The greatest finite loss."""
        if all(curve.highest is not None for curve, _ in self.parts):
            known = (count * (curve.highest or 0) for curve, count in self.parts)
            return Interval.exactly(sum(known, Fraction(0)))
        if not all(curve.ends()[1].is_finite() for curve, _ in self.parts):
            return Interval.exactly(inf)
        return enclosure(lambda: sum((n * curve.ends()[1] for curve, n in self.parts), arb(0)))

    def infinite(self) -> Fraction | None:
        """P(loss = infinity), unless it would be a very long fraction."""
        kept = Fraction(1)
        for curve, count in self.parts:
            if curve.infinite and count * curve.infinite.denominator.bit_length() > 1 << 16:
                return None
            kept *= (1 - curve.infinite) ** count
        return 1 - kept

    def epsilon(self, delta: Fraction, within: Fraction, least: End = Fraction(0)) -> Interval:
        """The least epsilon >= 0 at delta; anything that holds it if it is below `least`."""
        if delta >= 1 or not self.parts:
            return Interval.exactly(0)
        lost, most = self.infinite(), self.greatest()
        if lost is not None and delta < lost:
            return Interval.exactly(inf)
        if lost is not None and delta == lost:
            return Interval(max(most.lower, Fraction(0)), max(most.upper, Fraction(0)))
        if not delta:
            return Interval(Fraction(0), inf)
        if self.alone:
            found = _from_curves(self.alone, lambda low, high: _epsilon(low, high, delta), within)
        else:
            found = self._refined(
                delta,
                lambda low, high: _ordered(
                    max(low.epsilon(delta), Fraction(0)), high.epsilon(delta)
                ),
                within,
                least,
            )
        return Interval(min(found.lower, most.upper), min(found.upper, most.upper))

    def delta(self, epsilon: Fraction, within: Fraction) -> Interval:
        """The least delta at epsilon >= 0."""
        if not self.parts:
            return Interval.exactly(0)
        lost = self.infinite()
        if lost is not None and (lost == 1 or epsilon >= self.greatest().upper):
            return Interval.exactly(lost)
        if self.alone:
            return _from_curves(self.alone, lambda low, high: _delta(low, high, epsilon), within)

        def read(low: Grid, high: Grid) -> Interval:
            return _ordered(low.delta(epsilon), high.delta(epsilon))

        scale = Fraction(1, 2**24)
        while scale > _LEAST_DELTA:  # tails of the grids are cut in proportion to delta
            rough = cast(Fraction, self._refined(scale, read, ROUGHLY).upper)
            if rough >= scale / 1000:
                break
            scale = max(rough, scale / 2**60)
        return self._refined(scale, read, within)

    def tail(self, epsilon: Fraction) -> Interval:
        """P(loss > epsilon) under P. At an atom of the loss the interval may hold both sides."""
        return self._slopes(epsilon, seen=False)

    def reversed_tail(self, epsilon: Fraction) -> Interval:
        """Q(loss > epsilon), which is P(loss < -epsilon) of the reversed pair."""
        return self._slopes(epsilon, seen=True)

    def _slopes(self, epsilon: Fraction, seen: bool) -> Interval:
        if not self.parts or (not seen and epsilon >= self.greatest().upper):
            return Interval.exactly(self.infinite() or 0)
        if self.alone and self.alone.is_exact:
            curve = self.alone
            with precision(256):
                alpha = ball(epsilon).exp()
                value, slope = curve.at(alpha)
                return _chance(interval(-slope if seen else value - alpha * slope))
        return self._refined(
            Fraction(1, 2**40), lambda low, high: _tail(low, high, epsilon, seen), Fraction(1, 20)
        )

    def tradeoff(self, false_alarm: Fraction) -> Interval:
        """The least chance to miss at this chance of a false alarm: max of 1 - H(y) - y*alarm."""
        if not self.parts:
            return Interval.exactly(1 - false_alarm)
        if self.infinite() == 1:
            return Interval.exactly(0)
        if isinstance(self.alone, Gaussian) and 0 < false_alarm < 1:
            square = self.alone.square
            return enclosure(
                lambda: normal_tail(
                    ball(square).sqrt() - arb(2).sqrt() * ball(2 * false_alarm).erfcinv()
                )
            )
        return self._refined(
            Fraction(1, 2**40),
            lambda low, high: _ordered(_missed(high, false_alarm), _missed(low, false_alarm)),
            Fraction(1, 1000),
        )

    def _refined(
        self, delta: Fraction, read: Read, within: Fraction, least: End = Fraction(0)
    ) -> Interval:
        """What twins say, once it is narrow, or as narrow as it gets with a million points."""
        found, fineness = Interval(-inf, inf), _FIRST
        exact = all(curve.is_lattice for curve, _ in self.parts)
        while True:
            try:
                cells, low, high = self.twins(delta, fineness)
            except Undecided:
                if fineness == 1 or found.upper < inf:
                    if found.upper < inf:
                        return found
                    raise
                fineness //= 2
                continue
            new = read(low, high)
            found = _ordered(max(found.lower, new.lower), min(found.upper, new.upper))
            excess = 0.0 if within >= ROUGHLY else _excess(found, within)
            size = max(cells / _MOST_CELLS, high.masses.length() / MOST_POINTS)
            growth = min(max(1.2, 1.05 * sqrt(min(excess, 8.0))), 0.9 / size)
            hopeless = excess > 1000 and cells > _HOPELESS
            if excess <= 1 or found.upper <= least or exact or growth < 1.2 or hopeless:
                return found
            fineness = ceil(fineness * growth)

    def twins(self, delta: Fraction, fineness: int) -> tuple[int, Grid, Grid]:
        """Lower and upper twin of the sum, and the points of the longest step."""
        steps = self.steps
        bits = max(80, -(-ceil(log2(1 / delta) + log2(steps) + 40) // 16) * 16)
        step, spill = self._step(fineness), delta * _TAILS / steps
        sums, cells = [], 0
        for upper in (False, True):
            total = None
            for curve, count in self.parts:
                single = twin(curve, step, bits, spill, upper, fineness)
                cells = max(cells, single.masses.length())
                block = single.power(count, spill * 2**bits)
                total = block if total is None else total.times(block, spill * 2**bits)
            assert total is not None
            sums.append(total)
        return cells, sums[0], sums[1]

    def _step(self, fineness: int) -> Fraction:
        """A step of the root mean square spread / fineness, that divides distances of atoms."""
        spread = sqrt(sum(count * curve.spread**2 for curve, count in self.parts) / self.steps)
        wanted = (spread or 1.0) / fineness
        apart = [each for curve, _ in self.parts if (each := _distance(curve))]
        if apart:
            common = Fraction(
                gcd(*(each.numerator for each in apart)),
                lcm(*(each.denominator for each in apart)),
            )
            if all(curve.is_lattice for curve, _ in self.parts) and common * 16 > wanted:
                return common
            if common > wanted / 2:
                return common / ceil(common / Fraction(wanted))
        shift = 12 - ceil(log2(wanted))
        return Fraction(round(wanted * 2.0**shift)) / Fraction(2) ** shift


def _distance(curve: Curve) -> Fraction | None:
    """Of atoms, or of the two ends of the loss."""
    if curve.atoms:
        return curve.atoms
    with precision(320):
        low, high = curve.ends()
        if not (low.is_finite() and high.is_finite() and high > low):
            return None
        return Fraction(round(exact_value((high - low).mid()) * 2**256), 2**256)


def _excess(found: Interval, within: Fraction) -> float:
    if found.upper <= 0 or found.width == 0:
        return 0.0
    if found.upper == inf or found.lower <= 0:
        return inf
    return float(found.width / (within * found.lower))


def _ordered(low: End, high: End) -> Interval:
    """Two bounds of one number: where both are right, rounding may make them cross."""
    high = max(high, Fraction(0))
    return Interval(min(low, high), high)


def _chance(found: Interval) -> Interval:
    return Interval(
        min(max(found.lower, Fraction(0)), Fraction(1)), min(max(found.upper, 0), Fraction(1))
    )


def _from_curves(
    curve: Curve, read: Callable[[Curve, Curve], Interval], within: Fraction
) -> Interval:
    """What a curve below H and one above it say together."""
    if curve.is_exact or curve.known_delta(Fraction(0)):
        return read(curve, curve)
    fineness, last = _SIDES
    while True:
        found = read(curve.side(False, fineness), curve.side(True, fineness))
        if fineness >= last or _excess(found, within) <= 1:
            return found
        fineness *= 4


def _delta(below: Curve, above: Curve, epsilon: Fraction) -> Interval:
    if known := below.known_delta(epsilon):
        return _chance(known)

    def at(curve: Curve) -> Interval:
        return enclosure(lambda: curve.at(ball(epsilon).exp())[0])

    return _chance(_ordered(at(below).lower, at(above).upper))


def _epsilon(below: Curve, above: Curve, delta: Fraction) -> Interval:
    def lies_above(curve: Curve, epsilon: Fraction) -> bool | None:
        """Whether delta at epsilon is more than this delta; None if rounding hides it."""
        if known := curve.known_delta(epsilon):
            return True if known.lower > delta else False if known.upper <= delta else None
        value, bound = curve.at(ball(epsilon).exp())[0], ball(delta)
        return True if value > bound else False if value <= bound else None

    with precision(160 + max(0, -_size(delta))):
        low, _ = _turn(lambda epsilon: lies_above(below, epsilon) is not True)
        _, high = _turn(lambda epsilon: lies_above(above, epsilon) is False)
    return _ordered(low, high)


def _size(value: Fraction) -> int:
    return value.numerator.bit_length() - value.denominator.bit_length()


def _turn(holds: Callable[[Fraction], bool]) -> tuple[Fraction, End]:
    """Where a condition that holds from some epsilon on begins to: the last before and the first."""
    if holds(Fraction(0)):
        return Fraction(0), Fraction(0)
    low, high = Fraction(0), Fraction(1)
    while not holds(high):
        low, high = high, 2 * high
        if high > 2**40:
            return low, inf
    while (high - low) * 2**62 > high and high > Fraction(1, 2**300):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def _missed(grid: Grid, false_alarm: Fraction) -> Fraction:
    """max over the grid of 1 - H(y) - y*alarm."""
    one = 1 << grid.bits
    total = int(grid.masses(1)) + grid.infinite
    best = arb(max(0, one - total))
    with precision(grid.bits + 64):
        alarm = ball(false_alarm)
        for loss, beyond in grid.points():
            best = best.max(one - beyond - ball(loss).exp() * alarm * one)
        end = exact_value((best / one).lower() if grid.upper else (best / one).upper())
    return min(max(end, Fraction(0)), 1 - false_alarm)


def _tail(low: Grid, high: Grid, epsilon: Fraction, seen: bool) -> Interval:
    """Chances of a loss above epsilon, from slopes: H is convex, and P = H + a*Q at a = e^epsilon."""
    bottom, top = low.delta(epsilon), high.delta(epsilon)
    least, most = Fraction(0), Fraction(1)
    for gap in _NEAR:
        with precision(low.bits + 64):
            alpha = ball(epsilon).exp()
            above, below = alpha * ball(gap).exp(), alpha * ball(-gap).exp()
            falling = (ball(bottom) - ball(high.delta(epsilon + gap))) / (above - alpha)
            rising = (ball(high.delta(epsilon - gap)) - ball(bottom)) / (alpha - below)
            one = falling if seen else ball(bottom) + alpha * falling
            other = rising if seen else ball(top) + alpha * rising
            least = max(least, exact_value(one.lower()))
            most = min(most, exact_value(other.upper()))
    return _ordered(least, most)
