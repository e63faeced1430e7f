"""`Density`: any law on the real line, compared with another by rigorous quadrature."""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

from flint import acb, arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, Number, checked, frozen
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.laws.sign_cells import Cell, cell_ball, sign_cells
from leastnoise.privacy.order import renyi_order

Analytic = Callable[[acb, bool], acb]
"""A function of complex balls; the flag asks for a check that it is analytic on the whole ball."""

_BITS = 128  # beyond it the integrator gains time for nothing that is shown


def _increasing(breaks: Sequence[Exact], name: str) -> tuple[Fraction, ...]:
    exact = tuple(_check.rational(cut, "a break") for cut in breaks)
    if len(exact) > 1 and all(low < high for low, high in pairwise(exact)):
        return exact
    raise _check.refuse(
        f"`{name}` must be at least two increasing numbers",
        _check.shown(breaks),
        "Give the ends of the window and every point where the formula changes, in order.",
    )


@frozen
class Density:
    r"""A law given by the logarithm of its density on a window, and a bound on the rest.

    What is assumed and cannot be checked: `log_density` returns balls that contain the truth and
    is analytic near each open piece between neighbouring break points (where it has branch cuts it
    must honour the flag, as Arb's own functions do by `analytic=flag`). What is checked: that the
    window holds a probability between 1 − outside and 1. The rest is proved, by Arb's integrator
    and, for hockey-stick divergences, by bisection down to the sign changes.

    Beyond the window only the bound is known. So hockey-stick divergences and Rényi divergences of
    order below 1 are bracketed as tightly as `outside` is small; from order 1 on the upper end is
    infinite, unless nothing lies outside or `greatest_loss` is declared.

    Args:
        log_density: ln p as a function of Arb's complex balls.
        breaks: increasing; the first and the last one bound the window.
        outside: an upper bound on the probability outside the window.
        greatest_loss: a bound on |ln(p/q)| outside the window, if one is known.

    References: Johansson2018 for the integrator.

    Example:
        >>> flat = Density(lambda x, _: acb(0), [0, 1])
        >>> ramp = Density(lambda x, analytic: (x + 0.5).log(analytic=analytic), [0, 1])
        >>> flat.hockey_stick(ramp, Fraction(0))
        Interval(0.124999999999999, 0.125000000000001)
    """

    log_density: Analytic
    breaks: Checked[Sequence[Exact], tuple[Fraction, ...]] = checked(_increasing)
    outside: Number = checked(_check.probability, default=0)
    greatest_loss: Checked[Exact | None, Fraction | None] = checked(
        _check.optional(_check.non_negative), default=None
    )

    def __post_init__(self) -> None:
        with balls.precision(_BITS):
            mass = self._mass(pairwise(self.breaks))
            if mass > 1 or mass + balls.ball(self.outside) < 1:
                raise _check.refuse(
                    "`log_density` must integrate to a number between 1 - outside and 1",
                    mass.str(8, radius=False),
                    "Normalise the density, or widen the window.",
                )

    def hockey_stick(self, other: "Density", epsilon: Exact) -> Interval:
        """∫ max(0, p − e^ε·q)."""
        epsilon = _check.rational(epsilon, "epsilon")
        with balls.precision(_BITS):
            pieces = self._pieces(other)
            inside = sum((self._leak(other, epsilon, piece) for piece in pieces), arb(0))
            least, most = self._rest(pieces)
            covered = balls.ball(epsilon).exp() * other._rest(pieces)[1]
            return _bracket(inside + (least - covered).max(arb(0)), inside + most)

    def _leak(self, other: "Density", epsilon: Fraction, piece: Cell) -> arb:
        """∫ max(0, p − e^ε·q) over one piece."""
        factor = balls.ball(epsilon).exp()

        def surplus(x: acb, analytic: bool) -> acb:
            mine, loss = self._both(other, x, analytic)
            return mine.exp() * (1 - factor * (-loss).exp())

        def excess(x: arb) -> arb:
            return self._both(other, acb(x), False)[1].real - balls.ball(epsilon)

        above, unclear = sign_cells(excess, piece)
        total = _integral(surplus, above)
        for cell in unclear:
            height = surplus(acb(cell_ball(cell)), False).real.max(arb(0))
            total += arb(0).union(balls.ball(cell[1] - cell[0]) * height)
        return total

    def renyi(self, other: "Density", order: Exact) -> Interval:
        """The Rényi divergence of a positive finite order."""
        order = renyi_order(order)
        if order == math.inf:
            raise _check.refuse(
                "`order` must be finite for densities",
                "order=inf",
                "Ask for a finite order such as 1000, or bound ln(p/q) by hand.",
            )
        with balls.precision(_BITS):
            alpha, pieces = Fraction(order), self._pieces(other)
            inside = self._power_integral(other, alpha, pieces)
            least, most = self._beyond(other, alpha, pieces)
            ends = inside + least, inside + most
            if alpha == 1:
                return _bracket(*ends)
            low, high = (end.log() / balls.ball(alpha - 1) for end in ends)
            return _bracket(low, high) if alpha > 1 else _bracket(high, low)

    def _power_integral(self, other: "Density", alpha: Fraction, pieces: list[Cell]) -> arb:
        """The integral over the common window: of p^α·q^(1−α), or of p·ln(p/q) for α = 1."""
        power = balls.ball(alpha - 1)

        def term(x: acb, analytic: bool) -> acb:
            mine, loss = self._both(other, x, analytic)
            return mine.exp() * loss if alpha == 1 else (mine + power * loss).exp()

        return _integral(term, pieces)

    def _beyond(self, other: "Density", alpha: Fraction, pieces: list[Cell]) -> tuple[arb, arb]:
        """Bounds on what the same integral adds up to outside the common window."""
        mine, theirs = self._rest(pieces)[1], other._rest(pieces)[1]
        if alpha < 1:
            # Hölder: ∫ p^α·q^(1−α) ≤ (∫ p)^α·(∫ q)^(1−α).
            return arb(0), mine ** balls.ball(alpha) * theirs ** balls.ball(1 - alpha)
        if mine.is_zero():
            return arb(0), arb(0)
        # ln t ≥ 1 − 1/t: p·ln(p/q) ≥ p − q.
        least = -theirs if alpha == 1 else arb(0)
        if self.greatest_loss is None:
            return least, arb.pos_inf()
        loss = balls.ball(self.greatest_loss)
        return least, mine * (loss if alpha == 1 else (balls.ball(alpha - 1) * loss).exp())

    def _both(self, other: "Density", x: acb, analytic: bool) -> tuple[acb, acb]:
        """The logarithms of p and of p/q."""
        mine = self.log_density(x, analytic)
        return mine, mine - other.log_density(x, analytic)

    def _mass(self, cells: Iterable[Cell]) -> arb:
        return _integral(lambda x, analytic: self.log_density(x, analytic).exp(), cells)

    def _pieces(self, other: "Density") -> list[Cell]:
        """The common window, cut at the break points of both."""
        low = max(self.breaks[0], other.breaks[0])
        high = min(self.breaks[-1], other.breaks[-1])
        if not low < high:
            raise _check.refuse(
                "the windows of two densities must overlap",
                f"windows from {self.breaks[0]} to {self.breaks[-1]} and from {other.breaks[0]} to "
                f"{other.breaks[-1]}",
                "Widen them: give more `breaks`.",
            )
        cuts = {cut for cut in self.breaks + other.breaks if low <= cut <= high}
        return list(pairwise(sorted(cuts)))

    def _rest(self, pieces: list[Cell]) -> tuple[arb, arb]:
        """Bounds on the probability outside the common window."""
        left = 1 - self._mass(pieces)
        if (pieces[0][0], pieces[-1][1]) == (self.breaks[0], self.breaks[-1]):
            return left.max(arb(0)).lower(), balls.ball(self.outside)
        return left.max(arb(0)).lower(), left.upper()


def _integral(function: Analytic, cells: Iterable[Cell]) -> arb:
    parts = (acb.integral(function, balls.ball(low), balls.ball(high)) for low, high in cells)
    return sum((part.real for part in parts), arb(0))


def _bracket(low: arb, high: arb) -> Interval:
    """A bracket around a number that is not negative; an end that is no number proves nothing."""
    lower = balls.interval(low).lower if low.is_finite() else Fraction(0)
    upper = balls.interval(high).upper if high.is_finite() else math.inf
    return Interval(max(Fraction(0), lower), upper)
