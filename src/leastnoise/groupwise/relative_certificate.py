"""`RelativeCertificate`: how far a curve x ↦ v(x) is from the best that any could be."""

import math
from collections.abc import Iterator
from fractions import Fraction

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.groupwise.least_information import least_information
from leastnoise.groupwise.log_channel import LogChannel
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Endpoint

_STARTS = (20, 50, 100, 200, 500, 1000, 2000, 5000)  # over the relative error: where sizes begin
_ENDS = range(24, 38)  # in powers of two: where they end


@dataclass(frozen=True)
class RelativeCertificate:
    r"""Both sides of an inequality about all mechanisms with the same relative error.

    Theorem: let E|x̂ − x| ≤ r·(x + a) for all sizes from x₀ to X, with any estimate x̂ from any
    v-group-wise zCDP release, v not growing. Then (x + a)²·(e^(2v(x)) − 1) is at least `bound` for
    some x in (x₀, X].
    Proof: docs/proofs/relative_lower_bound.md, section 2.

    Args:
        value: the greatest (x + a)²·(e^(2v(x)) − 1) of the mechanism in that range; an upper bound.
        bound: what no mechanism can pass throughout the range; a lower bound.
        sizes: x₀ and X.
        scope: what is compared with what, in words.
        reference: where it is proved.

    Example:
        >>> from leastnoise.groupwise import RelativeCounts
        >>> certificate = RelativeCounts(relative_error="0.1").certificate()
        >>> round(float(certificate.ratio), 4)
        1.0281
    """

    value: Fraction
    bound: Fraction
    sizes: tuple[int, int]
    scope: str
    reference: str

    @property
    def ratio(self) -> Endpoint:
        """The value over the bound: 1 means that nobody can do better."""
        return self.value / self.bound if self.bound > 0 else math.inf

    def __str__(self) -> str:
        return (
            f"v is at most {float(self.ratio):.4f} times the least possible one, in this sense:\n"
            f"{self.scope}\n({self.reference})"
        )


def relative_certificate(channel: LogChannel, relative_error: Fraction) -> RelativeCertificate:
    """The certificate for the range of sizes where the two sides are closest."""
    first, last = min(_ranges(channel, relative_error), key=lambda r: _guess(channel, r))
    value = _rounded(_value(channel, first, last).upper(), 1)
    bound = _bound(channel, relative_error, first, last)
    return RelativeCertificate(
        value=value,
        bound=max(bound, Fraction(0)),
        sizes=(first, last),
        scope=(
            f"of all mechanisms with E|x̂ − x| ≤ {float(relative_error):g}·n, n = x + "
            f"{float(channel.offset):g}, for sizes x from {first} to {last}, none keeps "
            f"n²·(e^(2v(x)) − 1) below {float(bound):.6g} throughout; this one keeps it below "
            f"{float(value):.6g}."
        ),
        reference="docs/proofs/relative_lower_bound.md, section 2",
    )


def _ranges(channel: LogChannel, relative_error: Fraction) -> Iterator[tuple[int, int]]:
    for start in _STARTS:
        first = max(channel.map.bend, math.ceil(start / relative_error))
        for bits in _ENDS:
            yield first, max(1 << bits, 4 * first)


def _guess(channel: LogChannel, sizes: tuple[int, int]) -> float:
    """About the ratio of the two sides; 1/σ² stands for the information that is needed."""
    first, last = (float(size + channel.offset) for size in sizes)
    variance = float(channel.squared_sigma)
    value = max(1 + 1 / first, 1 + last / 2.0**channel.bits) ** 2 * (1 + 1 / (variance * first**2))
    bound = (1 + 1 / (2.5 * variance**0.5 * first)) ** -2
    bound -= variance * (2 * math.pi / math.log(last / first)) ** 2
    return value / bound if bound > 0 else math.inf


def _value(channel: LogChannel, first: int, last: int) -> arb:
    r"""An upper bound on (x + a)²·(e^(2v(x)) − 1) over first < x ≤ last.

    With n = x + a, gap(x) ≤ M/(n−1) + 1, so σ²·2v ≤ (1/(n−1) + 1/M)². Times n² this is convex in
    n, hence greatest at an end; and e^u − 1 ≤ u·e^u.
    """
    with balls.precision(balls.FIRST_PRECISION):
        step = balls.ball(Fraction(1, 1 << channel.bits))

        def scaled(x: int) -> arb:
            n = balls.ball(x + channel.offset)
            return n / (n - 1) + n * step

        top = arb.max(scaled(first + 1), scaled(last))
        growth = balls.ball(2 * channel.budget(first + 1)).exp()
        return top * top * growth / balls.ball(channel.squared_sigma)


def _bound(channel: LogChannel, relative_error: Fraction, first: int, last: int) -> Fraction:
    """J(r + 1/(2n₀)) − (2π/ln(N/n₀))², rounded down."""
    start, end = first + channel.offset, last + channel.offset
    error = relative_error + 1 / (2 * start)
    if error >= 1:
        return Fraction(0)
    with balls.precision(balls.FIRST_PRECISION):
        prior = (2 * arb.pi() / balls.ball(end / start).log()) ** 2
        return _rounded((balls.ball(least_information(error)) - prior).lower(), -1)


def _rounded(value: arb, side: int) -> Fraction:
    """A short number on the given side."""
    exact = balls.exact(value)
    scaled = exact * 2**40
    return Fraction(math.ceil(scaled) if side > 0 else math.floor(scaled), 2**40)
