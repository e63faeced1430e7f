r"""How small v can be if the error is relative: lower bounds on all mechanisms, and a checker.

n = x + slack, r the relative error. A mechanism is any release with any estimate of it; nothing is
assumed about how it works but that it is v-group-wise zCDP, v not growing.

Theorem 1. If the error is as promised for all x from x0 to X, n0 = x0 + slack >= 1, N = X + slack, then
n^2*(e^(2v(x)) - 1) is at least J(r + 1/(2*n0)) - (2*pi/ln(N/n0))^2 for some x in (x0, X]. J(s) is the
least Fisher information of a density p on the line with integral |e^z - 1|*p <= s.

Theorem 2. J(s) >= E - m*s for every m >= 0 and every E up to the bottom of the spectrum of
-4*f'' + m*|e^z - 1|*f; and E is, if some positive solution of -4*f'' + (W - E)*f = 0 on the whole
line exists for a W <= m*|e^z - 1|.

The checker proves both sides: of the design in the witness, that it keeps the error for every x
(`DesignError`) and its n^2*(e^(2v) - 1); and the bound by Theorems 1 and 2, with E and m from the
witness. Nothing here imports what makes designs or certificates.

Proof page: docs/proofs/relative_counts.md, section 5.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb

from leastnoise.mechanisms.certificate import Certificate, checks, number
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.errors import CertificateRejected
from leastnoise.numbers.exact import written
from leastnoise.relative.design import Chain, Channel, Design
from leastnoise.relative.error import DesignError

KIND = "least v of counts with a relative error"
RIVALS = "all mechanisms with this error whose v does not grow"

_MOST_BITS = 40  # of a lattice whose decoding is proved
_LONGEST = 1 << 17  # chances or gaps of a design
_CELLS = 256  # linear pieces of W on each side


# Theorem 2


Cell = tuple[arb, arb, arb]
"""A piece of the line of some width, where W is low + slope*(z - start): width, low, slope."""


def is_below_spectrum(
    level: Fraction, multiplier: Fraction, ends: tuple[Fraction, Fraction]
) -> bool:
    r"""Whether E = level is proved to satisfy the premise of Theorem 2, for m = multiplier.

    W is linear on cells between -ends[0] and ends[1], where Airy functions solve the equation, and
    constant beyond. The solution that grows from the left is followed, scaled to 1 at the start of
    each cell. It is positive if it is so at the ends of cells shorter than a wave, and if on the right
    it falls slower than the fastest falling solution. Where its slope is rounded down between cells
    it gets a kink, which only helps.
    """
    with balls.precision(balls.FIRST_BITS):
        energy, scale, left, right = map(ball, (level, multiplier, *ends))
        outside = scale * (1 - (-left).exp()) - energy, scale * right.expm1() - energy
        if not (left > 0 and right > 0 and outside[0] > 0 and outside[1] > 0):
            return False
        slope = (outside[0].sqrt() / 2).lower()
        for cell in _cells(left, right, scale):
            value, change = _across(cell, energy, slope)
            width, low, _ = cell
            depth = (energy - arb.min(low, arb(0))).max(arb(0))
            if not (value > 0 and width * depth.sqrt() < 2 * arb.pi()):
                return False
            slope = (change / value).lower()
        return bool(slope > -outside[1].sqrt() / 2)


def _cells(left: arb, right: arb, scale: arb) -> Iterator[Cell]:
    """Chords where |e^z - 1| is concave, tangents where it is convex; narrow near 0."""
    edges = [left * ball(Fraction(i, _CELLS)) ** 2 for i in range(_CELLS, -1, -1)]
    for far, near in pairwise(edges):
        low, high = -(-far).expm1(), -(-near).expm1()
        yield far - near, scale * low, scale * (high - low) / (far - near)
    step = right / _CELLS
    for i in range(_CELLS):
        middle = step * (2 * i + 1) / 2
        grown = middle.exp()
        yield step, scale * (middle.expm1() - grown * step / 2), scale * grown


def _across(cell: Cell, energy: arb, slope: arb) -> tuple[arb, arb]:
    """f and f' at the end of a cell, from 1 and f' at its start; Ai*Bi' - Ai'*Bi = 1/pi."""
    width, low, steepness = cell
    quarter = steepness / 4
    rate = quarter.root(3) if quarter > 0 else -((-quarter).root(3))
    start = (low - energy) / (4 * rate * rate)
    (a0, da0, b0, db0), (a1, da1, b1, db1) = start.airy(), (start + rate * width).airy()
    of_ai = arb.pi() * (db0 - slope / rate * b0)
    of_bi = arb.pi() * (slope / rate * a0 - da0)
    return of_ai * a1 + of_bi * b1, rate * (of_ai * da1 + of_bi * db1)


# The two sides


def floor_of_all(
    witness: tuple[Fraction, Fraction], error: Fraction, start: Fraction, end: Fraction
) -> arb:
    """Theorems 1 and 2 for n0 = start and N = end, for a level and a multiplier."""
    level, multiplier = witness
    information = ball(level - multiplier * (error + 1 / (2 * start)))
    return information - (2 * arb.pi() / ball(end / start).log()) ** 2


def greatest(channel: Channel, first: int, last: int) -> arb:
    r"""An upper bound on n^2*(e^(2v(x)) - 1) over first < x <= last, from the bend on.

    gap(x) <= 2^bits/(n - 1) + 1, so n*gap(x)/2^bits is at most a convex function of n, greatest at
    an end; and e^u - 1 <= u*e^u.
    """

    def scaled(x: int) -> arb:
        n = ball(x + channel.offset)
        return n / (n - 1) + n / (1 << channel.bits)

    top = arb.max(scaled(first + 1), scaled(last))
    return top**2 * ball(2 * channel.rho(first + 1)).exp() / ball(channel.sigma**2)


def verdict(achieved: Fraction, bound: Fraction) -> str:
    """How good that is, in words."""
    if not bound > 0:
        return "not known to be near the least"
    return f"at most {float(achieved / bound):.4f} times the least"


@checks(KIND)
def check(certificate: Certificate) -> str:
    """What is proved, in a sentence."""
    claim, witness = certificate.claim, certificate.witness
    parts = {"relative_error", "smallest", "slack", "above", "up_to", "achieved", "bound", "rivals",
             "verdict"}  # fmt: skip
    _require(set(claim) == parts, "the parts of the claim")
    error, slack = number(claim["relative_error"]), number(claim["slack"])
    smallest, first, last = (_whole(claim[name]) for name in ("smallest", "above", "up_to"))
    design = _design(witness["design"], smallest, slack)
    _require(0 < error < 1 and DesignError(design).is_at_most(error), "the error of the design")
    start, end = first + slack, last + slack
    _require(max(design.channel.bend, 2) <= first and 1 <= start < end, "the range of sizes")
    level, multiplier, left, right = (
        number(witness[name]) for name in ("level", "multiplier", "left", "right")
    )
    _require(is_below_spectrum(level, multiplier, (left, right)), "the level of the witness")
    achieved, bound = number(claim["achieved"]), number(claim["bound"])
    with balls.precision(balls.FIRST_BITS):
        _require(greatest(design.channel, first, last) <= ball(achieved), "what is achieved")
        least = floor_of_all((level, multiplier), error, start, end)
        _require(bound <= 0 or ball(bound) <= least, "the bound")
    _require(claim["rivals"] == RIVALS, "the words about rivals")
    _require(claim["verdict"] == verdict(achieved, bound), "the verdict")
    return (
        f"With E|error| <= {written(error)}*n, n = x + {written(slack)}, for all x from {smallest}: "
        f"n^2*(e^(2v) - 1) is at most {float(achieved):.6g} for x above {first:,} up to {last:,}, and "
        f"of {RIVALS} none keeps it below {float(bound):.6g} there. So v is {claim['verdict']}."
    )


def _design(described: Mapping[str, Any], smallest: int, slack: Fraction) -> Design:
    bits, deviation, threshold = (_whole(described[n]) for n in ("bits", "deviation", "threshold"))
    chances, gaps = (tuple(map(_whole, described[name])) for name in ("chances", "gaps"))
    sizes = 1 <= bits <= _MOST_BITS and 0 < deviation < 1 << _MOST_BITS
    _require(sizes and max(len(chances), len(gaps)) <= _LONGEST, "the design")
    _require(smallest >= 0 and slack >= 0 and smallest + slack > 0, "the smallest size")
    channel = Channel(bits, slack, deviation, smallest + len(chances), gaps)
    return Design(Chain(smallest, chances), channel, threshold)


def _whole(value: Any) -> int:
    _require(type(value) is int, "a whole number")
    return int(value)


def _require(holds: Any, part: str) -> None:
    if not holds:
        raise CertificateRejected(f"This certificate proves nothing: {part} is wrong.")
