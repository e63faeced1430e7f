r"""A pair of laws (P, Q) as its hockey-stick curve H(a) = sup over events S of P(S) - a*Q(S).

H is convex and falls from 1 to P(loss = infinity), and never below 1 - a. It determines the law of
the privacy loss log dP/dQ under P: all that composition, sampling and conversion need. delta(epsilon)
is H(e^epsilon).

Proof page: docs/proofs/accountant.md.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import sqrt

from flint import arb, ctx

from leastnoise.numbers.ball import Computation, ball, lower_end, normal_tail, upper_end
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.interval import Interval

MOST_PEOPLE = 10_000  # of a group

Line = tuple[arb, arb]
"""H(a) and the slope of a line that touches H there."""


class Curve:
    """One pair of laws. Subclasses are frozen values."""

    spread: float
    """About the standard deviation of the loss, for the choice of a step."""

    @property
    def atoms(self) -> Fraction | None:
        """A number that divides the distances of all atoms of the loss, if there is one."""
        return None

    def at(self, alpha: arb) -> Line:
        """H(alpha) and a slope there, for alpha > 0, at the working precision."""
        raise NotImplementedError

    def ends(self) -> tuple[arb, arb]:
        """The least and the greatest finite loss, perhaps infinite."""
        raise NotImplementedError

    @property
    def infinite(self) -> Fraction:
        """P(loss = infinity), or less if it is no short fraction."""
        return Fraction(0)

    @property
    def highest(self) -> Fraction | None:
        """The greatest finite loss, if it is known exactly."""
        return None

    @property
    def is_exact(self) -> bool:
        """Whether `at` is H itself; else only its sides are known."""
        return True

    @property
    def is_lattice(self) -> bool:
        """Whether the whole loss lies on a lattice of distance `atoms`."""
        return False

    def reversed(self) -> "Curve":
        """(Q, P)."""
        return Reversed(self)

    def known_delta(self, epsilon: Fraction) -> Interval | None:
        """delta of one step at epsilon >= 0, if there is a better way than `at`."""
        del epsilon
        return None

    def side(self, upper: bool, fineness: int) -> "Curve":
        """A curve on this side of the own one; itself unless a curve is known by bounds only."""
        del upper, fineness
        return self

    def group(self, size: int) -> "Curve":
        """The greatest curve of two inputs that are `size` neighbours apart."""
        del size
        raise InvalidInput(
            "A group's loss is known for Gaussian, Laplace, worst-case and lattice noise, and for "
            "sampled or allocated steps not. Use group_privacy on the (epsilon, delta) of the whole."
        )

    def power_mean(self, order: Fraction) -> Computation | None:
        """E of e^((order - 1)*loss) under P for order > 1, in closed form if there is one."""
        del order
        return None

    def power_bound(self, order: Fraction) -> arb:
        """An upper bound of that."""
        known = self.power_mean(order)
        return known() if known else (self.ends()[1] * ball(order - 1)).exp()

    def mean(self) -> Computation | None:
        """E of the loss under P, in closed form if there is one."""
        return None


def greatest_line(lines: Sequence[Line]) -> Line:
    """The greatest of some lines at one point. Where two may be equal, the slope holds both."""
    best, slope = lines[0]
    for value, other in lines[1:]:
        if value > best:
            best, slope = value, other
        elif not value < best:
            best, slope = best.max(value), slope.union(other)
    return best, slope


@dataclass(frozen=True)
class Gaussian(Curve):
    """N(mu, 1) against N(0, 1): the loss is normal, with mean mu^2/2 and variance mu^2 = `square`."""

    square: Fraction

    @property
    def spread(self) -> float:  # type: ignore[override]
        return sqrt(self.square)

    def at(self, alpha: arb) -> Line:
        mu = ball(self.square).sqrt()
        place = alpha.log() / mu
        seen = normal_tail(place + mu / 2)
        return normal_tail(place - mu / 2) - alpha * seen, -seen

    def ends(self) -> tuple[arb, arb]:
        return arb.neg_inf(), arb.pos_inf()

    def reversed(self) -> Curve:
        return self

    def group(self, size: int) -> Curve:
        return Gaussian(self.square * size**2)

    def power_mean(self, order: Fraction) -> Computation:
        return lambda: (ball(order * (order - 1) * self.square) / 2).exp()

    def mean(self) -> Computation:
        return lambda: ball(self.square) / 2


@dataclass(frozen=True)
class Laplace(Curve):
    """Two Laplace laws of one scale, `epsilon` scales apart: losses in -epsilon .. epsilon."""

    epsilon: Fraction

    @property
    def spread(self) -> float:  # type: ignore[override]
        return min(float(self.epsilon), 2.0)

    @property
    def highest(self) -> Fraction:
        return self.epsilon

    @property
    def atoms(self) -> Fraction:
        return 2 * self.epsilon

    def at(self, alpha: arb) -> Line:
        root = (ball(-self.epsilon) / 2).exp() * alpha.sqrt()
        middle = 1 - root, -root / (2 * alpha)
        return greatest_line([(1 - alpha, arb(-1)), middle, (arb(0), arb(0))])

    def ends(self) -> tuple[arb, arb]:
        return -ball(self.epsilon), ball(self.epsilon)

    def reversed(self) -> Curve:
        return self

    def group(self, size: int) -> Curve:
        return Laplace(self.epsilon * size)

    def power_mean(self, order: Fraction) -> Computation:
        a, epsilon = order, self.epsilon

        def compute() -> arb:
            up, down = (ball(each).exp() for each in ((a - 1) * epsilon, -a * epsilon))
            return (ball(a) * up + ball(a - 1) * down) / ball(2 * a - 1)

        return compute

    def mean(self) -> Computation:
        return lambda: ball(self.epsilon) + ball(-self.epsilon).expm1()


@dataclass(frozen=True)
class Corners(Curve):
    """H is the greatest of finitely many lines y - a*x.

    (x, y) = (Q(S), P(S)) of likelihood-ratio tests S, beginning at (0, P(loss = infinity)) and ending
    at (1, 1). `corners` computes them at the working precision; it is hashed by `key`.
    """

    key: tuple[object, ...]
    corners: Callable[[], tuple[tuple[arb, arb], ...]]
    step: Fraction | None = None
    infinite: Fraction = Fraction(0)
    highest: Fraction | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Corners) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"Corners{self.key[:1]}"

    @property
    def atoms(self) -> Fraction | None:
        return self.step

    @property
    def spread(self) -> float:  # type: ignore[override]
        parts = self._outcomes()
        finite = [(p, float((p / q).log())) for p, q in parts if p > 0 and q > 0]
        total = sum(float(p) for p, _ in finite) or 1.0
        mean = sum(float(p) * loss for p, loss in finite) / total
        return sqrt(sum(float(p) * (loss - mean) ** 2 for p, loss in finite) / total)

    def _outcomes(self) -> list[tuple[arb, arb]]:
        """(P, Q) of the outcomes, by falling loss."""
        known = _known(self, ctx.prec)
        before = [(arb(0), arb(0)), *known]
        return [(y - b, x - a) for (x, y), (a, b) in zip(known, before, strict=False)]

    def at(self, alpha: arb) -> Line:
        known = _known(self, ctx.prec)
        # y - alpha*x first rises and then falls along the corners.
        low, high = 0, len(known) - 1
        while high - low > 4:
            middle = (low + high) // 2
            (x, y), (a, b) = known[middle], known[middle + 1]
            low, high = (low, middle + 1) if b - y < alpha * (a - x) else (middle, high)
        near = known[max(0, low - 1) : high + 2]
        return greatest_line([(y - alpha * x, -x) for x, y in near])

    def ends(self) -> tuple[arb, arb]:
        finite = [(p / q).log() for p, q in self._outcomes() if q > 0 and p > 0]
        return (finite[-1], finite[0]) if finite else (arb(0), arb(0))

    @property
    def is_lattice(self) -> bool:
        return self.step is not None

    def reversed(self) -> Curve:
        def corners() -> tuple[tuple[arb, arb], ...]:
            turned = [(1 - y, 1 - x) for x, y in reversed(_known(self, ctx.prec))]
            start = [] if turned[0][0] == 0 else [(arb(0), arb(0))]
            end = [] if turned[-1][1] == 1 else [(arb(1), arb(1))]
            return (*start, *turned, *end)

        key = self.key[1:] if self.key[0] == "reversed" else ("reversed", *self.key)
        lost = 1 - upper_end(lambda: _last_alarm(_known(self, ctx.prec)))
        return Corners(key, corners, self.step, max(lost, Fraction(0)))

    def group(self, size: int) -> Curve:
        """The K-fold iterate of the trade-off function: docs/proofs/composition.md, section 3."""
        if size > MOST_PEOPLE:
            raise InvalidInput(f"size is above {MOST_PEOPLE:,}. Give a smaller one.")
        found = Corners((*self.key, "group", size), lambda: _iterated(self, size), self.step)
        if not self.infinite:
            return found
        return replace(found, infinite=lower_end(lambda: _known(found, ctx.prec)[0][1]))

    def power_mean(self, order: Fraction) -> Computation | None:
        if self.infinite:
            return lambda: arb.pos_inf()

        def compute() -> arb:
            parts = [(p, q) for p, q in self._outcomes() if p > 0]
            return sum((p * ((p / q).log() * ball(order - 1)).exp() for p, q in parts), arb(0))

        return compute

    def mean(self) -> Computation | None:
        if self.infinite:
            return lambda: arb.pos_inf()
        return lambda: sum((p * (p / q).log() for p, q in self._outcomes() if p > 0), arb(0))


def _last_alarm(known: tuple[tuple[arb, arb], ...]) -> arb:
    """Q of the outcomes that P allows."""
    return next(x for x, y in known if not y < 1)


@lru_cache(maxsize=256)
def _known(curve: Corners, bits: int) -> tuple[tuple[arb, arb], ...]:
    del bits  # the working precision, as a key
    return curve.corners()


def _iterated(curve: Corners, size: int) -> tuple[tuple[arb, arb], ...]:
    """Corners of the iterate: of every corner (x, y) j preimages of x and size-1-j images of y."""
    known = _known(curve, ctx.prec)

    def image(x: arb) -> arb:
        lines = list(itertools.pairwise(known))
        found = arb(1)
        for (a, b), (c, d) in lines:
            if c - a > 0:
                found = found.min(b + (d - b) / (c - a) * (x - a))
        return found

    def preimage(y: arb) -> arb:
        found = arb(0)
        for (a, b), (c, d) in itertools.pairwise(known):
            if d - b > 0:
                found = found.max(a + (c - a) / (d - b) * (y - b))
        return found

    def repeated(step: Callable[[arb], arb], start: arb, count: int) -> arb:
        for _ in range(count):
            start = step(start)
        return start

    points = [(arb(0), repeated(image, arb(0), size)), (arb(1), arb(1))]
    for x, y in known:
        for back in range(size):
            points.append((repeated(preimage, x, back), repeated(image, y, size - 1 - back)))
    return _hull(points)


def _hull(points: list[tuple[arb, arb]]) -> tuple[tuple[arb, arb], ...]:
    """The corners of the least concave function above some points, those that are surely so."""
    kept: list[tuple[arb, arb]] = []
    for x, y in sorted(points, key=lambda point: (float(point[0]), float(point[1]))):
        while len(kept) > 1:
            (a, b), (c, d) = kept[-2:]
            if (d - b) * (x - c) > (y - d) * (c - a) and x - c > 0:
                break
            kept.pop()
        if kept and not x - kept[-1][0] > 0:
            kept.pop()
        kept.append((x, y))
    return tuple(kept)


def worst(epsilon: Fraction, delta: Fraction) -> Corners:
    """Randomized response that gives the secret away with chance delta: above all (epsilon, delta)-DP.

    Kairouz, Oh and Viswanath 2017, section 3.
    """

    def corners() -> tuple[tuple[arb, arb], ...]:
        lie = ball(1 - delta) / (1 + ball(epsilon).exp())
        middle = [(lie, 1 - lie)] if epsilon else []
        last = [(ball(1 - delta), arb(1))] if delta else []
        return ((arb(0), ball(delta)), *middle, *last, (arb(1), arb(1)))

    return Corners(("worst", epsilon, delta), corners, 2 * epsilon or Fraction(1), delta, epsilon)


def response(epsilon: Fraction, categories: int) -> Corners:
    """Randomized response: the truth is e^epsilon times as likely as each other category."""
    if categories == 2:
        return worst(epsilon, Fraction(0))

    def corners() -> tuple[tuple[arb, arb], ...]:
        lie = 1 / (ball(epsilon).exp() + categories - 1)
        truth = lie * ball(epsilon).exp()
        return ((arb(0), arb(0)), (lie, truth), (1 - truth, 1 - lie), (arb(1), arb(1)))

    return Corners(("response", epsilon, categories), corners, epsilon, Fraction(0), epsilon)


def finite(pairs: Sequence[tuple[Fraction, Fraction]], step: Fraction | None = None) -> Corners:
    """Outcomes with chances (p, q) under the two laws; each column adds up to 1, or to less.

    If the first adds up to less than 1, the rest is lost, which lowers the curve.
    """
    first = sum((p for p, q in pairs if not q), Fraction(0))
    seen = [pair for pair in pairs if pair[0] and pair[1]]
    ranked = sorted(seen, key=lambda pair: -pair[0] / pair[1])
    found, x, y = [(Fraction(0), first)], Fraction(0), first
    last: Fraction | None = None
    for p, q in ranked:
        x, y = x + q, y + p
        if last is not None and p / q == last:
            found.pop()
        found.append((x, y))
        last = p / q
    while found[-1][0] >= 1:  # also where rounding made it more
        found.pop()
    found.append((Fraction(1), Fraction(1)))
    kept = tuple(found)
    return Corners(
        ("finite", kept), lambda: tuple((ball(x), ball(y)) for x, y in kept), step, first
    )


@dataclass(frozen=True)
class Reversed(Curve):
    """(Q, P): a -> 1 - a + a*H(1/a)."""

    base: Curve

    @property
    def spread(self) -> float:  # type: ignore[override]
        return self.base.spread

    @property
    def atoms(self) -> Fraction | None:
        return self.base.atoms

    def at(self, alpha: arb) -> Line:
        value, slope = self.base.at(1 / alpha)
        return 1 - alpha + alpha * value, value - 1 - slope / alpha

    def ends(self) -> tuple[arb, arb]:
        low, high = self.base.ends()
        return -high, -low

    def reversed(self) -> Curve:
        return self.base

    @property
    def is_exact(self) -> bool:
        return self.base.is_exact

    def side(self, upper: bool, fineness: int) -> Curve:
        return Reversed(self.base.side(upper, fineness))
