"""Laws whose privacy loss lies on a lattice: the parts from which sums are composed exactly."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from flint import arb

from leastnoise.noise.shapes.gaussian_shape import GaussianShape
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.variables.edged_variable import EdgedPart
from leastnoise.privacy.variables.lattice_variable import LatticeMasses, LatticePart
from leastnoise.privacy.variables.loss_variable import Order

_MOST_LEVELS = 256  # more losses are composed faster on a grid
_MOST_VALUES = 2000  # more losses are composed faster on a grid
_LEFT_OUT_BITS = 256  # 19 standard deviations leave less than 2**-256

Renyi = Callable[[Order], Interval]


def stairs_part(stairs: Stairs, distance: int) -> LatticePart | None:
    r"""The loss of endless stairs: a whole number n of drops, each worth `rate`.

    P(L = n·rate) = P(L > (n−1)·rate) − P(L > n·rate) for n ≥ 1; by symmetry of the pair
    P(L = −n·rate) = e^(−n·rate)·P(L = n·rate); what is left has loss 0.
    """
    most = -(-distance // stairs.period)
    if stairs.radius is not None or most > _MOST_LEVELS:
        return None
    rises = _Rises(stairs, distance, most)
    return LatticePart(stairs.rate, -most, most, rises.masses)


class _Rises:
    """Exact chances of each positive loss, turned into balls of the precision asked for."""

    def __init__(self, stairs: Stairs, distance: int, most: int) -> None:
        self._stairs, self._distance, self._most = stairs, distance, most

    @cached_property
    def _exceedances(self) -> list[ExponentialRatio]:
        rate, distance = self._stairs.rate, self._distance
        return [self._stairs.exceedance(n * rate, distance) for n in range(self._most + 1)]

    def masses(self) -> LatticeMasses:
        above = [number.ball() for number in self._exceedances]
        rises = [high - low for high, low in pairwise(above)]
        falls = _mirrored(rises, self._stairs.fall())
        zero = 1 - sum(rises, arb(0)) - sum(falls, arb(0))
        return LatticeMasses(-self._most, (*falls[::-1], zero, *rises), arb(0))


def cut_stairs_part(stairs: Stairs, distance: int, renyi: Renyi) -> EdgedPart | None:
    r"""The loss of stairs with a radius M: whole drops, two edge atoms, and ∞ beyond the radius.

    The point distance − M meets the copy's outermost atom and M is the law's own; both have
    partners of magnitude |M − distance|. All other points with a partner form a set that
    k ↦ distance − k maps to itself, exchanging the two laws.
    """
    radius = stairs.radius
    most = -(-distance // stairs.period) if stairs.rate else 0
    if radius is None or distance >= 2 * radius or most > _MOST_LEVELS:
        return None
    if stairs.edge.compare(1) == 0:
        return None  # no gap: the edges lie on the lattice, where a grid hits them
    inner = _CutRises(stairs, distance, most, radius)
    met = abs(radius - distance)
    return EdgedPart(
        step=stairs.rate or Fraction(1),
        masses=inner.masses,
        index=stairs.level(radius) - stairs.level(met) if stairs.rate else 0,
        edges=lambda: (stairs.pmf(met).ball(), stairs.pmf(radius).ball()),
        gap=lambda: -stairs.edge.ball().log(),
        renyi=renyi,
        spread=float(most * stairs.rate) or 1.0,
    )


class _CutRises:
    """Exact chances of the lattice losses of stairs with a radius."""

    def __init__(self, stairs: Stairs, distance: int, most: int, radius: int) -> None:
        self._stairs, self._distance, self._most, self._radius = stairs, distance, most, radius

    @cached_property
    def _outside(self) -> tuple[ExponentialRatio, ExponentialRatio, ExponentialRatio]:
        """The chances of an infinite loss and of the two edges."""
        stairs, radius = self._stairs, self._radius
        met = abs(radius - self._distance)
        return stairs.tail(radius - self._distance + 1), stairs.pmf(met), stairs.pmf(radius)

    @cached_property
    def _exceedances(self) -> list[tuple[ExponentialRatio, bool]]:
        """P(L > n·rate), and whether the outward edge is among it, for n = 0 … most."""
        stairs, (_, outward, inward) = self._stairs, self._outside
        found = []
        for n in range(self._most + 1):
            factor = ExponentialSum.exp(n * stairs.rate)
            above = (outward.over - factor * inward.over).sign() > 0
            found.append((stairs.exceedance(n * stairs.rate, self._distance), above))
        return found

    def masses(self) -> LatticeMasses:
        infinite, outward, inward = (number.ball() for number in self._outside)
        above = [
            number.ball() - infinite - (outward if edge else 0)
            for number, edge in self._exceedances
        ]
        rises = [high - low for high, low in pairwise(above)]
        falls = _mirrored(rises, self._stairs.fall())
        zero = 1 - infinite - outward - inward - sum(rises, arb(0)) - sum(falls, arb(0))
        return LatticeMasses(-self._most, (*falls[::-1], zero, *rises), infinite)


def _mirrored(rises: list[arb], fall: arb) -> list[arb]:
    """P(L = −n·rate) = e^(−n·rate)·P(L = n·rate) for n = 1, 2, and so on."""
    falls, factor = [], fall
    for rise in rises:
        falls.append(rise * factor)
        factor *= fall
    return falls


def gaussian_part(shape: GaussianShape, distance: int, renyi: Renyi) -> LatticePart | None:
    r"""The loss of the discrete Gaussian: (d − 2k)·d/(2σ²) at the value k.

    Values beyond ±reach are left out; their mass, below 2**−256, is carried as a ball at ∞.
    """
    # P(|X| ≥ t) ≤ 2·exp(−t²/(2σ²)) for integers t ≥ 1, and 19² > 2·(257·log 2).
    reach = 2 + int(19 * float(shape.sigma_squared) ** 0.5)
    if reach > _MOST_VALUES:
        return None
    step = Fraction(distance) / (2 * shape.sigma_squared)

    def masses() -> LatticeMasses:
        halves = shape.pmf_balls(reach)
        finite = [arb(0)] * (4 * reach + 1)
        finite[::2] = [halves[abs(k)] for k in range(reach, -reach - 1, -1)]
        return LatticeMasses(distance - 2 * reach, tuple(finite), _left_out())

    ends = distance - 2 * reach, distance + 2 * reach
    return LatticePart(step, *ends, masses, bounded=False, renyi=renyi, infinite=_left_out)


def _left_out() -> arb:
    return arb(0, arb(2) ** -_LEFT_OUT_BITS)
