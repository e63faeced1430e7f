"""`StripBound`: how large the integrand of a product's density gets for complex arguments."""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.research.product_normal.chart import Disc
from leastnoise.research.product_normal.nodes import Nodes, OutOfReach
from leastnoise.research.product_normal.peaks import Branch, Parabola

_FEWEST_CELLS = 64  # between the ends
_GROWTH = 1.25  # from one cell to the next, further out
_BEYOND = 40.0  # here the closed bound takes over
_WIDEST = 0.06

# Upper bounds are computed in floats, and all terms of an exponent, taken without their signs,
# add this share to it: hundreds of times what rounding can amount to.
_MARGIN = 2.0**-40
_SLIGHTLY = 1 + _MARGIN  # likewise, as a factor

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StripBound:
    r"""Bounds on G(t) = exp(−((p − A)² + (q − B)²)/2 − scale(δ)), p and q as a chart has them.

    They hold for all complex δ of a disc. By symmetry it does not matter on which side of the real
    line t lies.

    Args:
        means: A and B as balls.
        disc: the chart, the centre and the radius.
        scale: what the logarithm of the integral is compared with.
    """

    means: tuple[arb, arb]
    disc: Disc
    scale: Parabola

    def parabola(self, up: arb) -> tuple[arb, arb, arb]:
        """The exponent of G as a polynomial of degree 2 in δ, at a real t with e^t = up."""
        down, s, (u, v) = 1 / up, self.disc.root, self.disc.speeds
        first, second = s * up - self.means[0], s * down - self.means[1]
        return (
            -(first * first + second * second) / 2 - arb(self.scale.height),
            -u * first * up - v * second * down - arb(self.scale.slope),
            -((u * up) ** 2 + (v * down) ** 2) / 2 - arb(self.scale.bend),
        )

    def error(self, nodes: Nodes) -> arb:
        r"""By how much step·Σ G(node) may differ from ∫ G.

        Theorem: an infinite sum over equidistant nodes differs from the integral by at most
        (∫|G(t + i·strip)| + ∫|G(t − i·strip)|)/(e^(2π·strip/step) − 1). Nodes left out add their
        own terms.
        """
        step = arb(nodes.step)
        cuts = np.linspace(nodes.low, nodes.high, max(_FEWEST_CELLS, nodes.last // 3) + 1)
        shifted = self._cells(cuts, nodes.strip, 0.0)
        shifted += self._outside(nodes.low, nodes.high, nodes.strip, 0.0)
        aliased = 2 * shifted / ((2 * arb.pi() * arb(nodes.strip) / step).exp() - 1)
        return aliased + self._outside(nodes.low, nodes.high, 0.0, nodes.step)

    def whole_line(self) -> arb:
        """∫ |G| over the real line."""
        return self._outside(0.0, 0.0, 0.0, 0.0)

    def sums_on_circles(self, nodes: Nodes, circles: Sequence[float]) -> list[arb]:
        """Bounds on step·Σ |G(node)| for |δ| = wider·radius, for each `wider` of the circles."""
        t = nodes.low + nodes.step * np.arange(nodes.last + 1, dtype=np.float64)
        height, slope, bend, terms = self._exponent(t, 0.0)
        # Re(slope·δ + bend·δ²) = slope·|δ|·x + bend·|δ|²·(2x² − 1) with x = cos arg δ.
        steep, bent, ones = np.abs(slope), np.abs(bend), np.ones_like(t)
        falls = bend.real < 0
        arch = np.divide(slope.real**2, -8 * bend.real, out=np.full_like(t, np.inf), where=falls)
        found = []
        for wider in circles:
            radius = self.disc.radius * wider * _SLIGHTLY
            rise = steep * radius
            least = np.minimum(rise, arch)
            top = height.real + least + bent * radius**2
            margin = _MARGIN * (terms * wider**2 + rise + least)
            found.append(arb(nodes.step) * _exponential_sum(top + margin, ones))
        return found

    @cached_property
    def _shares(self) -> tuple[float, float]:
        """Bounds on how far p and q move on the disc, as shares of their moduli."""
        s, u, v = self.disc.floats
        reach = self.disc.radius / s * _SLIGHTLY
        return u * reach, v * reach

    @cached_property
    def _lift(self) -> float:
        """A bound on −Re scale(δ)."""
        change = self.scale.greatest_change(self.disc.radius)
        return change - self.scale.height + _MARGIN * (change + abs(self.scale.height))

    @cached_property
    def _flipped(self) -> "StripBound":
        """The same integrand for −t."""
        return StripBound(self.means[::-1], self.disc.flipped, self.scale)

    @cached_property
    def _branch(self) -> Branch:
        return float(self.means[0]), float(self.means[1])

    def _outside(self, low: float, high: float, above: float, step: float) -> arb:
        """∫ |G| for Re t < low and Re t > high at Im t = above; also a sum with this step there."""
        width = min((high - low) / 40, _WIDEST) or _WIDEST / 8
        right = self._right_of(high, width, above, step)
        return right + self._flipped._right_of(-low, width, above, step)

    def _right_of(self, edge: float, width: float, above: float, step: float) -> arb:
        far = 10 * abs(self._branch[0]) + _BEYOND + 4 * math.sqrt(max(0.0, self._lift))
        cuts = _cuts(edge, width, math.log(far / self.disc.floats[0]))
        return self._cells(cuts, above, step) + self._far(float(cuts[-1]), above, step)

    def _cells(self, cuts: Floats, above: float, step: float) -> arb:
        """Σ over cells of (length + step)·max |G|: the integral, and the nodes inside as well."""
        if len(cuts) < 2:
            return arb(0)
        left, right = cuts[:-1], cuts[1:]
        return _exponential_sum(self._tops(left, right, above), right - left + step)

    def _tops(self, left: Floats, right: Floats, above: float) -> Floats:
        r"""Bounds on ln |G| over left ≤ Re t ≤ right.

        The exponent is expanded around the middle: its first derivative there is nearly 0 where it
        matters, though it is a difference of large numbers.
        """
        middle, half = (left + right) / 2, (right - left) / 2 * _SLIGHTLY
        height, slope, bend, terms = self._exponent(middle, above)
        (s, u, v), radius = self.disc.floats, self.disc.radius
        mean, other = (abs(value) for value in self._branch)
        up, down = np.exp(right), np.exp(-left)
        p, q = s * up, s * down
        first = np.abs(self._slope_in_t(middle, above)) * half
        second = ((2 * p + mean) * p + (2 * q + other) * q) * half**2 / 2
        turn = (u * (2 * p + mean) * up + v * (2 * q + other) * down) * half
        bent = np.abs(bend) + ((u * up) ** 2 + (v * down) ** 2) * half
        changes = first + second + (np.abs(slope) + turn) * radius + bent * radius**2
        return np.asarray(height.real + changes + _MARGIN * (terms + changes))

    def _exponent(
        self, t: Floats, above: float
    ) -> tuple[NDArray[np.complex128], NDArray[np.complex128], NDArray[np.complex128], Floats]:
        """The exponent's three coefficients in δ, and what its terms add up to without signs."""
        (mean, other), (s, u, v) = self._branch, self.disc.floats
        up = np.exp(t + 1j * above)
        p, q = s * up, s / up
        height = -((p - mean) ** 2 + (q - other) ** 2) / 2 - self.scale.height
        slope = -u * (p - mean) * up - v * (q - other) / up - self.scale.slope
        bend = -((u * up) ** 2 + (v / up) ** 2) / 2 - self.scale.bend
        size = (np.abs(p) + abs(mean)) ** 2 + (np.abs(q) + abs(other)) ** 2
        terms = size * (1 + max(self._shares)) ** 2 + abs(self.scale.height)
        return height, slope, bend, terms + self.scale.greatest_change(self.disc.radius)

    def _slope_in_t(self, t: Floats, above: float) -> Floats:
        (mean, other), s = self._branch, self.disc.floats[0]
        up = np.exp(t + 1j * above)
        p, q = s * up, s / up
        return np.asarray(((q - other) * q - (p - mean) * p).real)

    def _far(self, edge: float, above: float, step: float) -> arb:
        r"""Beyond p ≥ P ≥ 4|A|/c the first factor is at most exp(−c·p²/4), the second has a top.

        ∫ exp(−c·p²/4) dt ≤ exp(−x)/(2x) with x = c·P²/4; the nodes there add step·exp(−x) at most.
        """
        (mean, other), (share, other_share) = self.means, self._shares
        start = (self.disc.root * (1 - arb(share)) * arb(edge).exp()).lower()
        c, d = (_turned(moved, above) for moved in (share, other_share))
        if not (c > 0 and d > 0 and start > 4 * abs(mean) / c):
            raise OutOfReach
        decay = c * start**2 / 4
        top = (other.max(arb(0)) ** 2 / d - other**2) / 2 + arb(self._lift)
        return (top - decay).exp() * (arb(step) + 1 / (2 * decay))


def _cuts(edge: float, width: float, end: float) -> Floats:
    """Ends of cells from an edge outwards to the end, or little further: they grow, up to a limit.

    Where they end is a choice: what lies beyond is bounded from the last of them on.
    """
    growing = math.ceil(math.log(_WIDEST / width) / math.log(_GROWTH)) + 1
    widths = np.minimum(width * _GROWTH ** np.arange(growing), _WIDEST)
    more = math.ceil(max(0.0, end - edge - float(widths.sum())) / _WIDEST)
    cuts = edge + np.concatenate(([0.0], np.append(widths, np.full(more, _WIDEST)).cumsum()))
    return np.asarray(cuts[: int(np.searchsorted(cuts, end)) + 1])


def _turned(share: float, above: float) -> arb:
    """The cosine of 2ψ, for the greatest angle ψ that a factor turns by."""
    return (2 * (arb(share).asin() + arb(above))).cos()


def _exponential_sum(exponents: Floats, weights: Floats) -> arb:
    """An upper bound on Σ weight·exp(exponent); infinite where an exponent is no number."""
    top = float(np.max(exponents))
    if not top < math.inf:
        raise OutOfReach
    total = float(weights @ np.exp(exponents - top)) * (1 + len(weights) * _MARGIN)
    return arb(top).exp() * arb(total)
