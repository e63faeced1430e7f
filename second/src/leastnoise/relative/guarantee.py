r"""`GroupwiseZCDP`: zero-concentrated differential privacy that improves with the group's size.

Records belong to fixed, disjoint groups. A mechanism M is (v, xi)-group-wise zCDP if for all data
sets D and D' of which one has a single record more, in one group, for *both* sizes x of that group
and for all orders a > 1,

    D_a(M(D) || M(D')) <= a*v(x) + xi(x)   and   D_a(M(D') || M(D)) <= a*v(x) + xi(x).

Both sizes, for the definition speaks of ordered pairs: so the lesser of the two values binds, and
curves that grow with the size are refused. Proof page: docs/proofs/relative_counts.md, section 1.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction
from itertools import pairwise
from math import ceil

from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, exact, inside, non_negative, whole, written
from leastnoise.privacy.conversion import epsilon_of_zcdp
from leastnoise.privacy.guarantee import ZCDP, ApproxDP

Curve = Callable[[int], Fraction]
CurveLike = Exact | Mapping[int, Exact] | Curve
"""A number for all sizes, a value for each size from which on it holds, or a function of the size."""

# Where a function is tried: x instead of 1/x is noticed at any of them.
_TRIED = (0, 1, 2, 4, 16, 256, 1 << 16, 1 << 30)


@dataclass(frozen=True)
class Steps:
    """A curve of steps: each value holds from its own size up to the next one."""

    steps: tuple[tuple[int, Fraction], ...]

    def __call__(self, size: int) -> Fraction:
        """The value of the last step up to the size."""
        return self.steps[bisect_right(self.steps, size, key=lambda step: step[0]) - 1][1]


@dataclass(frozen=True)
class Total:
    """Curves added up, each so many times."""

    parts: tuple[tuple[Curve, int], ...]

    def __call__(self, size: int) -> Fraction:
        """The sum at a size."""
        return sum((count * curve(size) for curve, count in self.parts), Fraction(0))


def _curve(value: CurveLike, name: str) -> Curve:
    curve: Curve
    tried: tuple[int, ...] = _TRIED
    if callable(value):
        curve = value
    else:
        pairs = value.items() if isinstance(value, Mapping) else [(0, value)]
        steps = sorted((whole(x, "a size", least=0), non_negative(v, name)) for x, v in pairs)
        if not steps or steps[0][0]:
            raise InvalidInput(
                f"{name} has no value for size 0. Write for example {{0: 2, 10: 1}}."
            )
        curve, tried = Steps(tuple(steps)), tuple(size for size, _ in steps)
    try:
        values = [non_negative(curve(size), name) for size in tried]
    except ZeroDivisionError:
        example = f"{name}=lambda size: Fraction(1, max(size, 1))"
        raise InvalidInput(
            f"{name} has no value for some size from 0 on. Write {example}."
        ) from None
    if any(right > left for left, right in pairwise(values)):
        raise InvalidInput(
            f"{name} grows with the size. Give for each size the greatest value from there on."
        )
    return curve


@dataclass(frozen=True, kw_only=True, repr=False)
class GroupwiseZCDP:
    """Renyi divergences of at most a*v(x) + xi(x), for one record of a group of x, at all orders a > 1.

    The curves are public. Their value at the true size of a group is not: where v falls, it tells
    the size. Publish the curve, or `at_lower_limit`.

    Attributes:
        v: a number, values by size, or a function of the size; it must not grow.
        xi: likewise.

    >>> promise = GroupwiseZCDP(v={0: 2, 10: "0.02", 100: "0.0002"})
    >>> promise.at(50), promise.self_compose(3).at(100)
    (ZCDP(rho=0.02), ZCDP(rho=0.0006))
    >>> promise.approx(50, delta="1e-6")
    ApproxDP(epsilon=0.899935267661166, delta=1e-06)
    """

    v: Checked[CurveLike, Curve] = Checked(_curve)
    xi: Checked[CurveLike, Curve] = Checked(_curve, default=0)

    def _values(self, size: int) -> tuple[Fraction, Fraction]:
        x = whole(size, "size", least=0)
        return non_negative(self.v(x), "v"), non_negative(self.xi(x), "xi")

    def at(self, size: int) -> ZCDP:
        """What a record in a group of this public size is promised: a*v + xi <= a*(v + xi)."""
        return ZCDP(rho=sum(self._values(size)))

    def approx(self, size: int, *, delta: Exact) -> ApproxDP:
        """The (epsilon, delta)-DP of a record in a group of this public size: xi adds to epsilon."""
        (v, xi), lost = self._values(size), inside(delta, "delta")
        return ApproxDP(epsilon=epsilon_of_zcdp(v, lost) + xi, delta=lost)

    def at_lower_limit(self, limit: Exact, *, confidence: Exact) -> "PublicPromise":
        """The promise at a lower limit of a group's size that was computed from a release.

        Theorem: let P(L <= x) >= confidence for a limit L that is a function of released numbers.
        Then publishing v(L) costs nothing, and with this confidence v(x) <= v(L).

        Args:
            limit: a released limit, never the size itself.
            confidence: the probability, over the noise, that it is right.
        """
        size = max(ceil(exact(limit, "limit")), 0)
        return PublicPromise(size, self.at(size), inside(confidence, "confidence"))

    def compose(self, other: "GroupwiseZCDP | ZCDP") -> "GroupwiseZCDP":
        """Of two releases of the same data; the second may depend on the first."""
        if isinstance(other, ZCDP):
            other = GroupwiseZCDP(v=other.rho)
        if not isinstance(other, GroupwiseZCDP):
            raise InvalidInput(
                "The other promise is no GroupwiseZCDP and no ZCDP. Convert it first."
            )
        return GroupwiseZCDP(
            v=Total(((self.v, 1), (other.v, 1))), xi=Total(((self.xi, 1), (other.xi, 1)))
        )

    def self_compose(self, count: int) -> "GroupwiseZCDP":
        """Of `count` releases of the same data."""
        times = whole(count, "count", least=0)
        return GroupwiseZCDP(v=Total(((self.v, times),)), xi=Total(((self.xi, times),)))

    def __repr__(self) -> str:
        found = (f"{written(self.at(x).rho, ROUND_CEILING)} at {x:,}" for x in (1, 100, 10_000))
        return f"GroupwiseZCDP(v + xi: {', '.join(found)})"


@dataclass(frozen=True)
class PublicPromise:
    """What may be published about one group. The confidence is about the statement; it is no delta.

    Attributes:
        size: the group has so many records or more.
        promise: to each of them.
        confidence: how surely.
    """

    size: int
    promise: ZCDP
    confidence: Fraction

    def __repr__(self) -> str:
        sure = written(self.confidence * 100)
        return f"{self.promise!r} if the group has {self.size:,} or more records ({sure} % sure)"
