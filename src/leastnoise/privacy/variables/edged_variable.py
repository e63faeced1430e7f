r"""`EdgedVariable`: losses on a lattice but for one atom each way, composed without discretisation.

A cut-off law whose outermost atoms keep a share t of their weight has losses n·step, and two atoms
more: n₀·step + g where the *other* law's outermost atom is met, and −n₀·step − g where its own is,
with g = log(1/t). A sum of K such losses is n·step + b·g, where b counts the first kind minus the
second. Both kinds are rare, so a few values of b hold all but a negligible, bounded mass.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb, arb_poly, ctx

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.proved_floats import above, below, sharp_floats
from leastnoise.privacy.variables.lattice_variable import LatticeMasses, SuffixSums, within_unit
from leastnoise.privacy.variables.loss_variable import AtomVariable, Order
from leastnoise.privacy.variables.pooling import Floats

_MOST_EDGES = 40  # each further one is a row of its own
_MOST_POINTS = 6000  # exact sums of more points take seconds
_BITS = 256  # of masses that become floats


@dataclass(frozen=True)
class EdgedPart:
    """One release with a lattice of losses and an edge atom each way.

    Args:
        step: the lattice's step, positive.
        masses: computes the masses on the lattice, first..last around 0, and at ∞.
        index: n₀, the lattice part of the outward edge's loss.
        edges: computes the masses of the outward and of the inward edge.
        gap: computes g ≥ 0.
        renyi: Rényi divergence by order.
        spread: the standard deviation of the finite loss, roughly.
    """

    step: Fraction
    masses: Callable[[], LatticeMasses]
    index: int
    edges: Callable[[], tuple[arb, arb]]
    gap: Callable[[], arb]
    renyi: Callable[[Order], Interval]
    spread: float


@dataclass(frozen=True)
class EdgedVariable(AtomVariable):
    """The sum of `count` independent losses of one kind."""

    part: EdgedPart
    count: int

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        return within_unit(balls.enclosure(lambda: _rows(self, ctx.prec).delta(epsilon)))

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""
        return within_unit(balls.enclosure(lambda: _rows(self, ctx.prec).tail(epsilon)))

    def renyi(self, order: Order) -> Interval:
        """Rényi divergences of independent parts add up."""
        single = self.part.renyi(order)
        return Interval(self.count * single.lower, self.count * single.upper)

    @cached_property
    def infinite_mass(self) -> Interval:
        """P(L = ∞)."""
        return within_unit(
            balls.enclosure(lambda: 1 - (1 - self.part.masses().infinite) ** self.count)
        )

    @property
    def spread(self) -> float:
        """The standard deviation of the finite part, roughly."""
        return math.sqrt(self.count) * self.part.spread

    @property
    def lattice_step(self) -> Fraction:
        """The step: nearly all finite losses are multiples of it."""
        return self.part.step

    @cached_property
    def atoms(self) -> tuple[Floats, Floats, float, float]:
        """Losses and their masses; the mass at ∞, and a bound on mass that may be there too."""
        with balls.precision(_BITS):
            found = _rows(self, _BITS)
            infinite, lost = max(0.0, below(found.infinite)), above(found.infinite)
            lost = 2 * (lost - infinite)
            step, first = balls.ball(self.part.step), self.count * found.first
            rows = []
            for b, sums in found.rows.items():
                masses, sharp, rest = sharp_floats(sums.masses)
                kept = np.flatnonzero(sharp)
                # In balls, as the two terms may cancel.
                losses = [float((first + i) * step + b * found.gap) for i in kept.tolist()]
                rows.append((np.array(losses), masses[kept]))
                lost += rest
        values, chances = (np.concatenate(each) for each in zip(*rows, strict=True))
        return values, chances, infinite, lost * (1 + 1e-9)

    def repeated(self, count: int) -> "EdgedVariable | None":
        """`count` independent copies."""
        return edged_sum(self.part, self.count * count)


def edged_sum(part: EdgedPart, count: int) -> EdgedVariable | None:
    """The sum of `count` copies, if the lattice and the number of likely edges are small."""
    with balls.precision(balls.FIRST_PRECISION):
        width = len(part.masses().finite)
        likely = count * float(sum(part.edges(), arb(0)))
    edges = min(count, _edges_needed(likely, 256))
    if count * width > _MOST_POINTS or edges > _MOST_EDGES:
        return None
    return EdgedVariable(part, count)


def _edges_needed(likely: float, bits: int) -> int:
    """The least m with likely**(m+1)/(m+1)! < 2**−bits: more edges than m are negligible."""
    log_bound, m = math.log(max(likely, 1e-300)), 0
    while log_bound > -bits * math.log(2) and m <= _MOST_EDGES:
        m += 1
        log_bound += math.log(max(likely, 1e-300)) - math.log(m + 1)
    return m


@dataclass(frozen=True)
class _Rows:
    """The composed law by b, as balls of one precision."""

    first: int
    step: Fraction
    gap: arb
    rows: dict[int, SuffixSums]
    infinite: arb

    def _place(self, epsilon: Fraction, b: int) -> int | None:
        """The least n with n·step + b·gap > epsilon; None if this precision cannot tell."""
        if not b:
            return epsilon // self.step + 1
        whole = ((balls.ball(epsilon) - b * self.gap) / balls.ball(self.step)).floor().unique_fmpz()
        return None if whole is None else int(whole) + 1

    def tail(self, epsilon: Fraction) -> arb:
        total = self.infinite
        for b, sums in self.rows.items():
            place = self._place(epsilon, b)
            total += sums.somewhere() if place is None else sums.above_from(place)
        return total

    def delta(self, epsilon: Fraction) -> arb:
        total = self.infinite
        for b, sums in self.rows.items():
            place = self._place(epsilon, b)
            factor = (balls.ball(epsilon) - b * self.gap).exp()
            total += sums.somewhere() if place is None else sums.leak_from(place, factor)
        return total


@lru_cache(maxsize=64)
def _rows(variable: EdgedVariable, bits: int) -> _Rows:
    part, count = variable.part, variable.count
    masses, (outward, inward) = part.masses(), part.edges()
    likely = count * (outward + inward)
    most = min(count, _edges_needed(float(likely.upper()), bits + 64))
    base = arb_poly(list(masses.finite))
    power, polynomials = base ** (count - most), dict[int, arb_poly]()
    for edges in range(most, -1, -1):
        for out in range(edges + 1):
            # Which of the releases met an edge, and which way; places count from `first`.
            ways = math.comb(count, edges) * math.comb(edges, out)
            place = part.index * (2 * out - edges) - masses.first * edges
            term = (power * (ways * outward**out * inward ** (edges - out))).left_shift(place)
            b = 2 * out - edges
            polynomials[b] = polynomials[b] + term if b in polynomials else term
        power *= base
    left_out = likely ** (most + 1) / math.factorial(most + 1) if most < count else arb(0)
    infinite = 1 - (1 - masses.infinite) ** count + arb(0, left_out.upper())
    first = count * masses.first
    rows = {b: SuffixSums.of(p.coeffs(), first, part.step) for b, p in polynomials.items()}
    return _Rows(masses.first, part.step, part.gap(), rows, infinite)
