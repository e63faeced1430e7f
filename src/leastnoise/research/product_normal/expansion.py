r"""The density of a product of two normal variables as a power series on a disc, with its errors.

φ = Σ ∫ exp(−((w·e^t − A)² + (w·e^−t − B)²)/2) dt, the sum over (A, B) and (−A, −B), is an analytic
function of w = √|y|, and of |y|. On a disc of a chart's variable it is written as
exp(parabola(δ))·(power series in δ), δ being the distance from the centre. The integral over t
becomes a sum over equidistant nodes, and the error of that is bounded for all of the disc at once.

Proof: docs/proofs/document_algorithms.md, section 5.
"""

from flint import arb, arb_series

from leastnoise._dataclass import dataclass
from leastnoise.research.product_normal.chart import Disc
from leastnoise.research.product_normal.nodes import Nodes, chosen_nodes
from leastnoise.research.product_normal.peaks import Parabola, log_parabola
from leastnoise.research.product_normal.strip_bound import StripBound

TERMS = 64
"""The length of all power series."""

_WIDER = (1.4, 2.0, 2.8)  # circles, in radii: any is sound


@dataclass(frozen=True)
class Expansion:
    """φ = exp(scale(δ))·Σ coefficients[k]·δ^k for |δ| ≤ radius.

    The series goes on for ever; `coefficients` are the first of its terms. The whole of it stays
    between `least` and `greatest` in modulus.
    """

    scale: Parabola
    coefficients: list[arb]
    least: arb
    greatest: arb


def expansion(a: arb, b: arb, disc: Disc) -> Expansion:
    """φ on a disc, for the means A = a and B = b.

    Raises:
        OutOfReach: no bound was found; try a smaller radius.
    """
    branches = ((a, b), (-a, -b))
    scale = log_parabola([(float(mean), float(other)) for mean, other in branches], disc)
    parts = [_part(StripBound(means, disc, scale)) for means in branches]
    error, later = parts[0].error + parts[1].error, parts[0].later + parts[1].later
    sums = [first + second for first, second in zip(*(p.terms for p in parts), strict=True)]
    powers = [arb(disc.radius) ** k for k in range(TERMS)]
    # By Cauchy's estimate a function bounded by `error` on the disc has coefficients below this.
    series = [
        term + arb(0, (error / power).upper()) for term, power in zip(sums, powers, strict=True)
    ]
    rest = sum((abs(c) * x for c, x in zip(sums[1:], powers[1:], strict=True)), error + later)
    height = abs(sums[0])
    return Expansion(scale, series, (height - rest).lower(), (height + rest).upper())


@dataclass(frozen=True)
class _Part:
    """One branch: the terms of its series, a bound on the later ones, and the nodes' error."""

    terms: list[arb]
    later: arb
    error: arb


def _part(bound: StripBound) -> _Part:
    means = float(bound.means[0]), float(bound.means[1])
    nodes = chosen_nodes(means, bound.disc, bound.scale)
    if nodes is None:
        return _Part([arb(0)] * TERMS, arb(0), bound.whole_line())
    return _Part(_terms(bound, nodes), _later(bound, nodes), bound.error(nodes))


def _terms(bound: StripBound, nodes: Nodes) -> list[arb]:
    """The sum over the nodes as a power series."""
    up, factor, step = arb(nodes.low).exp(), arb(nodes.step).exp(), arb(nodes.step)
    total = arb_series([0], prec=TERMS)
    for _ in range(nodes.last + 1):
        total += arb_series(list(bound.parabola(up)), prec=TERMS).exp()
        up *= factor
    return [step * term for term in total.coeffs()]


def _later(bound: StripBound, nodes: Nodes) -> arb:
    """A bound on the terms beyond the last, from circles wider than the disc."""
    sums = bound.sums_on_circles(nodes, _WIDER)
    bounds = [
        one * arb(wider) ** -TERMS / (1 - 1 / arb(wider))
        for one, wider in zip(sums, _WIDER, strict=True)
    ]
    return min(bounds, key=lambda value: value.upper())
