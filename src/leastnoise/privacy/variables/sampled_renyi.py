r"""Rényi divergences of a sampled release.

Removing a record, whole orders n have a closed form: e^((n−1)·D_n) is the sum over k of
C(n,k)·(1−q)^(n−k)·q^k·e^((k−1)·D_k(P‖Q)). Between whole orders, (a−1)·D_a is convex in a. All else
is bracketed by the two twins of the loss on a
grid: x^(1−a) with x = e^−L is convex and falls for a > 1, −log x too, and x^(1−a) is concave for
a < 1. What the grid leaves out is added where it can do most.

Proof: docs/proofs/sampling.md, section 4.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.proved_floats import exp
from leastnoise.privacy.variables.grid_cells import GridMasses
from leastnoise.privacy.variables.loss_variable import LossVariable, Order

Twins = Callable[[float], tuple[GridMasses, GridMasses]]
"""From a tilt to the optimistic and the pessimistic twin of the sampled loss."""

_SLACK = 1e-10  # of sums of floats and of the masses in them
_DROPPED = 1e-11  # bounds mass that the optimistic twin leaves out, under either law
_LARGEST_EXPONENT = 700.0  # of a float
_LARGEST_TILT = 64.0  # only chooses cells
_MOST_WHOLE = 2000  # terms of the closed form
_NARROW = Fraction(3, 1000)  # a bracket between whole orders that needs no grid


def sampled_renyi(
    base: LossVariable, rate: Fraction, order: Order, twins: Twins, *, removing: bool
) -> Interval:
    """The Rényi divergence of the sampled pair; `base` is the unsampled loss the same way."""
    if removing and order >= 1 and base.infinite_mass.lower > 0:
        return Interval(math.inf, math.inf)
    if order == math.inf:
        return _greatest(base.renyi(math.inf), rate, removing=removing)
    exact = Fraction(order)
    if removing and exact.denominator == 1 and 1 < exact <= _MOST_WHOLE:
        ends = _whole_moment(base, rate, int(exact))
        return Interval(
            _log_over(ends[0], exact - 1, up=False), _log_over(ends[1], exact - 1, up=True)
        )
    top = _greatest(base.renyi(math.inf), rate, removing=removing).upper
    convex = Interval(Fraction(0), top)
    if removing and 1 < exact < _MOST_WHOLE:
        convex = _between_whole_orders(base, rate, exact)
        if convex.width <= _NARROW * convex.upper < math.inf:
            return convex
    low_twin, high_twin = twins(min(max(float(exact) - 1, 0.0), _LARGEST_TILT))
    if exact < 1:
        found = _small_order(low_twin, high_twin, float(exact))
    elif exact == 1:
        found = _mean(base, rate, low_twin, high_twin, removing=removing)
    else:
        beyond = moment_beyond(base, rate, (low_twin, high_twin), exact, removing=removing)
        found = large_order(low_twin, high_twin, float(exact - 1), beyond)
    least, most = max(0.0, found[0]), found[1]
    upper = top if math.isinf(most) else min(Fraction(max(most, least)), top)
    upper = min(upper, convex.upper)
    return Interval(min(max(Fraction(least), convex.lower), upper), upper)


def _between_whole_orders(base: LossVariable, rate: Fraction, order: Fraction) -> Interval:
    """By K(a) = (a−1)·D_a, which is convex: below a chord, above two others prolonged."""
    above = math.ceil(order)
    part = order - (above - 1)
    moments = [_whole_moment(base, rate, n) for n in range(above - 2, above + 2)]
    if not all(high.is_finite() for _, high in moments):
        return Interval(Fraction(0), math.inf)
    with balls.precision(256):
        low, high = ([ends[i].log() for ends in moments] for i in (0, 1))
        share = balls.ball(part)
        rising = low[1] + share * (low[1] - high[0])
        falling = low[2] - (1 - share) * (high[3] - low[2])
        chord = (1 - share) * high[1] + share * high[2]
        ends = [balls.interval(end / balls.ball(order - 1)) for end in (rising, falling, chord)]
    return Interval(max(Fraction(0), ends[0].lower, ends[1].lower), ends[2].upper)


def _greatest(base: Interval, rate: Fraction, *, removing: bool) -> Interval:
    """The greatest sampled loss: log(1 − q + q·e^d), or −log(1 − q + q·e^−d)."""
    sign = 1 if removing else -1

    def at(end: Fraction | float) -> Interval:
        if end == math.inf:
            if removing:
                return Interval(math.inf, math.inf)
            return balls.enclosure(lambda: -balls.ball(1 - rate).log())
        rise = Fraction(end) * sign
        return balls.enclosure(
            lambda: sign * (1 + balls.ball(rate) * balls.ball(rise).expm1()).log()
        )

    return Interval(at(base.lower).lower, at(base.upper).upper)


def _whole_moment(base: LossVariable, rate: Fraction, order: int) -> tuple[arb, arb]:
    """Balls around ends of E_Q (1 − q + q·P/Q)^order."""
    ends = []
    with balls.precision(256):
        for upper in (False, True):
            total = arb(0)
            for k in range(order + 1):
                single = base.renyi(Fraction(k)) if k > 1 else Interval.exactly(0)
                end = single.upper if upper else single.lower
                if end == math.inf:
                    total = arb.pos_inf()
                    break
                ways = math.comb(order, k) * balls.ball(rate) ** k
                share = balls.ball(1 - rate) ** (order - k)
                total += ways * share * balls.ball((k - 1) * Fraction(end) if k > 1 else 0).exp()
            ends.append(total)
    return ends[0], ends[1]


def _log_over(moment: arb, exponent: Fraction, *, up: bool) -> Fraction | float:
    if not moment.is_finite():
        return math.inf
    with balls.precision(256):
        found = balls.interval(moment.log() / balls.ball(exponent))
    return found.upper if up else max(Fraction(0), Fraction(found.lower))


def _losses(twin: GridMasses) -> tuple[np.ndarray, np.ndarray]:
    kept = np.flatnonzero(twin.mass)
    return (twin.first + kept) * twin.step, twin.mass[kept]


def _moment(twin: GridMasses, exponent: float) -> float:
    """Σ mass·e^(exponent·loss); infinite beyond floats."""
    losses, masses = _losses(twin)
    shift = float((exponent * losses).max())
    total = math.log(float((masses * exp(exponent * losses - shift)).sum())) + shift
    return math.exp(total) if total < 700 else math.inf


def _top(twin: GridMasses) -> float:
    return (twin.first + len(twin.mass) - 1) * twin.step


def moment_beyond(
    base: LossVariable,
    rate: Fraction,
    twins: tuple[GridMasses, GridMasses],
    order: Fraction,
    *,
    removing: bool,
) -> float:
    """A bound on E e^((order−1)·L) where the grid has nothing."""
    low, high = twins
    exponent, lost = float(order - 1), high.infinite
    if not removing:  # no loss is above −log(1−q)
        most = -exponent * math.log1p(-float(rate))
        return lost * math.exp(most) if most < _LARGEST_EXPONENT else math.inf
    # e^((a−1)L) ≤ e^((n−1)L)·e^(−(n−a)·top) with n the next whole order.
    whole = math.ceil(order)
    all_of_it = float(_whole_moment(base, rate, whole)[1].upper())
    rest = all_of_it * (1 + _SLACK) - _moment(low, whole - 1) * (1 - _SLACK)
    far = max(0.0, rest) * math.exp(-float(whole - order) * _top(high))
    return far + lost * math.exp(min(_LARGEST_EXPONENT, exponent * _top(high)))


def large_order(
    low: GridMasses, high: GridMasses, exponent: float, beyond: float
) -> tuple[float, float]:
    """Ends of a Rényi divergence of order 1 + exponent, from twins and what lies beyond them."""
    least = _moment(low, exponent) * (1 - _SLACK)
    most = _moment(high, exponent) * (1 + _SLACK) + beyond
    if math.isinf(least) or not math.isfinite(most):
        return 0.0, math.inf
    return math.log(least) / exponent, math.log(most) / exponent


def _mean(
    base: LossVariable, rate: Fraction, low: GridMasses, high: GridMasses, *, removing: bool
) -> tuple[float, float]:
    def average(twin: GridMasses) -> float:
        losses, masses = _losses(twin)
        return float((losses * masses).sum())

    beyond = high.infinite * max(_top(high), float(-math.log1p(-float(rate))))
    if removing:
        second = float(_whole_moment(base, rate, 2)[1].upper())
        # L ≤ e^L everywhere, and e^L beyond the grid is what is left of its mean.
        beyond += max(0.0, second * (1 + _SLACK) - _moment(low, 1.0) * (1 - _SLACK))
    return average(low) - 2 * _DROPPED, average(high) + _DROPPED + beyond


def _small_order(low: GridMasses, high: GridMasses, order: float) -> tuple[float, float]:
    least = _moment(high, order - 1) * (1 - _SLACK)
    most = _moment(low, order - 1) * (1 + _SLACK) + _DROPPED
    return math.log(most) / (order - 1), math.log(least) / (order - 1)
