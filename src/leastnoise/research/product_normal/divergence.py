r"""∫ f^α·g^(1−α) for two products of normal variables that differ in one mean, as a ball.

With p ∼ N(a, 1) under the first law, p ∼ N(a′, 1) under the second, and q ∼ N(b, 1) under both, the
integral over y = pq splits into both signs of y. On each side |y|, and far out √|y|, walks over
panels; on every panel the integrand is a power series with a proved remainder. What lies beyond the
panels and what lies next to 0 is bounded by itself.

Proof: docs/proofs/document_algorithms.md, sections 4 to 6.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx

from leastnoise.errors import Undecided
from leastnoise.numeric import ball as balls
from leastnoise.research.product_normal.chart import Disc
from leastnoise.research.product_normal.expansion import TERMS
from leastnoise.research.product_normal.origin import origin_share
from leastnoise.research.product_normal.panel import WIDER, panel_integral
from leastnoise.research.product_normal.window import Pair, Stretch, window

_BITS = 128
_PANEL_SHARE = 2.0**-50
_LARGEST_STEP = 0.5
_SMALLEST_STEP = 2.0**-30


def power_integral(
    mean: balls.Computation, neighbour: balls.Computation, other: balls.Computation, order: Fraction
) -> arb:
    """A ball around ∫ f^α·g^(1−α) for an order α > 1, around ∫ f·ln(f/g) for α = 1.

    Raises:
        Undecided: the integrand has too many scales for the panels; a less extreme question helps.
    """
    with _long_series():
        pair = Pair(mean(), neighbour(), other(), balls.ball(order))
        where = window(pair)
        total = where.beyond
        for stretch in where.stretches:
            total += _walk(pair, stretch, where.scale)
        if where.around_origin:
            edge = arb(pair.origin)
            total += origin_share(pair.mean, pair.neighbour, pair.other, pair.order, edge)
        return total


@contextmanager
def _long_series() -> Iterator[None]:
    """FLINT cuts all power series off at one length for the whole process."""
    with balls.precision(_BITS):
        saved = ctx.cap
        ctx.cap = TERMS
        try:
            yield
        finally:
            ctx.cap = saved


def _walk(pair: Pair, stretch: Stretch, scale: float) -> arb:
    """The integral over a stretch.

    Steps are powers of two, and every place is a multiple of the step made there: so all places are
    exact, the panels neither overlap nor leave gaps, and they meet every larger power of two.
    """
    fine = arb(_PANEL_SHARE) * arb(scale).exp()
    place, total = stretch.low, arb(0)
    step = 2.0 ** (math.frexp(place)[1] - 3)
    while place < stretch.high:
        panel = None
        if step <= _LARGEST_STEP * place and place % step == 0:
            disc = Disc(stretch.chart, place + step / 2, step / 2 * WIDER)
            panel = panel_integral(pair, stretch.sign, disc)
        if panel is not None and panel.rad() < fine:
            total, place = total + panel, place + step
            step = 2 * step if place % (2 * step) == 0 else step
        else:
            step /= 2
            if step < _SMALLEST_STEP * place:
                raise Undecided(
                    "two laws must not be too extreme for quadrature; the panels became too "
                    "small. Ask for a smaller order, or for less extreme parameters."
                )
    return total
