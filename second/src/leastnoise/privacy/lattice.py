"""Noise on the integers against its copy a whole distance away, as a curve.

One step is read off the law itself. For more, chances are rounded to a table: up for the first law
and down for the second in the upper one, the other way round in the lower one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from math import inf, log
from typing import Any, Protocol

from flint import arb

from leastnoise.numbers.ball import ball, upper_end
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact
from leastnoise.numbers.interval import End, Interval
from leastnoise.privacy.curve import Corners, Curve, Line, finite, greatest_line

_MOST_POINTS = 1 << 15
_TAIL = Fraction(1, 2**160)  # what lies beyond the table
_BITS = 256
_MOST_SHIFTS = 32  # of a law whose chances rise somewhere
_SURELY_WHOLE = 1e-9  # losses of stairs are so near to a multiple of the rate only if they are one


class LatticeLaw(Protocol):
    """What is asked of a law of noise on the integers."""

    @property
    def support(self) -> tuple[int, int] | None: ...
    def pmf(self, k: int) -> Interval: ...
    def tail(self, k: int) -> Interval: ...
    def hockey_stick(self, epsilon: Exact, shift: int) -> Interval: ...
    def renyi(self, order: Exact, shift: int) -> Interval: ...


def checked_law(law: Any) -> Any:
    """A law of noise on the integers."""
    asked = ("support", "pmf", "tail", "hockey_stick", "renyi")
    if all(hasattr(law, name) for name in asked):
        return law
    raise InvalidInput(
        f"The law is of the type {type(law).__name__}. Give noise on the integers, such as "
        "DiscreteLaplace; for the real line there are PrivacyLoss.laplace and PrivacyLoss.gaussian."
    )


@dataclass(frozen=True)
class Shifted(Curve):
    """The law of X against that of X + shift."""

    law: LatticeLaw
    shift: int

    @property
    def spread(self) -> float:  # type: ignore[override]
        return _table(self, True).spread

    @property
    def atoms(self) -> Fraction | None:
        rate: Fraction | None = getattr(getattr(self.law, "stairs", None), "rate", None)
        return rate or None

    @property
    def is_lattice(self) -> bool:
        return _table(self, True).is_lattice

    @property
    def is_exact(self) -> bool:
        return False

    @property
    def highest(self) -> Fraction | None:
        found = self._greatest_loss()
        return found if isinstance(found, Fraction) else None

    def _greatest_loss(self) -> End:
        if self.law.support is not None:
            return inf
        found = self.law.renyi(inf, self.shift)
        return found.upper if found.lower == found.upper else inf

    @property
    def infinite(self) -> Fraction:
        return _table(self, False).infinite

    def ends(self) -> tuple[arb, arb]:
        if self.highest is not None:
            return -ball(self.highest), ball(self.highest)
        return (arb.neg_inf(), arb.pos_inf())

    def at(self, alpha: arb) -> Line:
        return _table(self, True).at(alpha)

    def known_delta(self, epsilon: Fraction) -> Interval:
        return self.law.hockey_stick(epsilon, self.shift)

    def side(self, upper: bool, fineness: int) -> Curve:
        return _table(self, upper)

    def reversed(self) -> Curve:
        return Shifted(self.law, -self.shift)

    def group(self, size: int) -> Curve:
        return Shifted(self.law, self.shift * size)


@dataclass(frozen=True)
class Greatest(Curve):
    """The greatest of some curves at every point. It is convex, so it is the curve of some pair.

    Whatever is at most one of them in each step, by its own choice, is at most this one in sum.
    """

    curves: tuple[Curve, ...]

    @property
    def spread(self) -> float:  # type: ignore[override]
        return max(each.spread for each in self.curves)

    @property
    def is_exact(self) -> bool:
        return all(each.is_exact for each in self.curves)

    @property
    def infinite(self) -> Fraction:
        return max(each.infinite for each in self.curves)

    def ends(self) -> tuple[arb, arb]:
        lows, highs = zip(*(each.ends() for each in self.curves), strict=True)
        return reduce(arb.min, lows), reduce(arb.max, highs)

    def at(self, alpha: arb) -> Line:
        return greatest_line([each.at(alpha) for each in self.curves])

    def side(self, upper: bool, fineness: int) -> Curve:
        return Greatest(tuple(each.side(upper, fineness) for each in self.curves))

    def power_bound(self, order: Fraction) -> arb:
        return sum((each.power_bound(order) for each in self.curves), arb(0))


@dataclass(frozen=True)
class Moved(Greatest):
    """The law of X against that of X + s, for every s up to `distance` on either side."""

    curves: tuple[Curve, ...] = field(init=False, repr=False, compare=False)
    law: LatticeLaw
    distance: int

    def __post_init__(self) -> None:
        if self.distance > _MOST_SHIFTS:
            raise InvalidInput(
                f"The distance is {self.distance}. The chances of this law rise somewhere, so every "
                f"shorter distance is priced too: give at most {_MOST_SHIFTS}."
            )
        shifts = (s for size in range(1, self.distance + 1) for s in (size, -size))
        object.__setattr__(self, "curves", tuple(Shifted(self.law, s) for s in shifts))

    def known_delta(self, epsilon: Fraction) -> Interval:
        known = [self.law.hockey_stick(epsilon, each.shift) for each in self.curves]  # type: ignore[attr-defined]
        return Interval(max(each.lower for each in known), max(each.upper for each in known))

    def reversed(self) -> Curve:
        return self

    def group(self, size: int) -> Curve:
        return Moved(self.law, self.distance * size)


@lru_cache(maxsize=64)
def _table(curve: Shifted, upper: bool) -> Corners:
    low, high = _window(curve.law)
    first, last = min(low, low + curve.shift), max(high, high + curve.shift)
    if last - first >= _MOST_POINTS:
        raise InvalidInput(
            "The noise is too wide for a table. Use PrivacyLoss.gaussian or PrivacyLoss.laplace: "
            "noise on the real line, which is at most as private."
        )
    zero = Interval.exactly(0)
    known = {k: curve.law.pmf(k) for k in range(low, high + 1)}
    pairs = []
    for k in range(first, last + 1):
        one, other = known.get(k, zero), known.get(k - curve.shift, zero)
        if upper:
            pairs.append((_rounded(one.upper, True), _rounded(other.lower, False)))
        else:
            pairs.append((_rounded(one.lower, False), _rounded(other.upper, True)))
    if curve.law.support is None:
        most = curve._greatest_loss()
        share = Fraction(0) if most == inf else 1 / upper_end(lambda: ball(Fraction(most)).exp())
        if upper:  # outside of the table no loss is greater than this
            pairs = [pair if pair[1] else (pair[0], pair[0] * share) for pair in pairs]
            pairs.append((2 * _TAIL, 2 * _TAIL * share))
        else:
            pairs = [pair for pair in pairs if pair[1]]
    return _on_lattice(pairs, curve.atoms) if curve.atoms else finite(pairs)


def _on_lattice(pairs: Sequence[tuple[Fraction, Fraction]], rate: Fraction) -> Corners:
    """Losses that are whole multiples of the rate, each with the rounded chance of the first law.

    The end of a cut law may have other losses: they keep both rounded chances.
    """
    lost, levels, others = (
        Fraction(0),
        dict[int, Fraction](),
        list[tuple[float, Fraction, Fraction]](),
    )
    for p, q in pairs:
        if not (p and q):
            lost += p
            continue
        place = log(p / q) / float(rate)
        if abs(place - round(place)) < _SURELY_WHOLE:
            levels[round(place)] = levels.get(round(place), Fraction(0)) + p
        else:
            others.append((place, p, q))
    # A mass on the lattice has no second chance of its own.
    whole = [(float(level), p, None) for level, p in levels.items()]
    kept = tuple(sorted([*whole, *others], key=lambda each: -each[0]))

    def corners() -> tuple[tuple[arb, arb], ...]:
        found = [(arb(0), ball(lost))]
        for level, p, q in kept:
            x, y = found[-1]
            seen = ball(p) * ball(-round(level) * rate).exp() if q is None else ball(q)
            found.append((x + seen, y + ball(p)))
        return tuple(found)

    return Corners(("lattice", rate, kept, lost), corners, None if others else rate, lost)


def chances_beside(
    one: LatticeLaw, other: LatticeLaw
) -> tuple[list[tuple[Interval, Interval]], Fraction]:
    """The chances of every integer under both laws, and a bound on what is left of the first."""
    (low, high), (left, right) = _window(one), _window(other)
    points = range(min(low, left), max(high, right) + 1)
    if len(points) >= _MOST_POINTS:
        raise InvalidInput("The laws are too wide to be compared point by point.")
    beyond = Fraction(0) if one.support is not None else 2 * _TAIL
    return [(one.pmf(k), other.pmf(k)) for k in points], beyond


def _rounded(value: End, up: bool) -> Fraction:
    scaled = Fraction(value) * 2**_BITS
    return Fraction(scaled.__ceil__() if up else scaled.__floor__(), 2**_BITS)


def _window(law: LatticeLaw) -> tuple[int, int]:
    """Nearly all of a law lies here: at most 2^-160 on either side does not."""
    if law.support is not None:
        return law.support
    high = 1
    while law.tail(high).upper > _TAIL and high < _MOST_POINTS:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if law.tail(middle).upper > _TAIL else (low, middle)
    return -high, high
