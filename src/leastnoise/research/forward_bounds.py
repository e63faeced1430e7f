"""`ForwardBounds`: what the note says of one direction of its Algorithm 2, beside the truth."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.laws.normal import Normal


@dataclass(frozen=True)
class ForwardBounds:
    r"""D_α(x‖x+1) of N(x, (rx)²), as it is and as the note has it.

    Theorem: D_α = ln(1+1/x) + ln((x+1)²/s)/(2(α−1)) + α/(2r²s) with s = x² + α(2x+1), for α > 1.
    It is at most α/(2r²x²) + ln(1+1/x), and at most ln(1+1/x) + 1/(2r²(2x+1)).
    Proof: docs/proofs/document_algorithms.md, section 7.

    Attributes:
        exact: the divergence.
        printed: the note's formula for it, with 2·ln(1+1/x) (errata E3); larger.
        bound: α·v + ξ with v = 1/(2r²x²) and ξ = ln(1+1/x).
        printed_bound: the note's α·v + ξ, with ξ = 2·ln(1+1/x).
        flat_bound: the bound that does not grow with α.
    """

    exact: Interval
    printed: Interval
    bound: Interval
    printed_bound: Interval
    flat_bound: Interval

    @classmethod
    def of(cls, relative_error: Fraction, size: int, order: Fraction) -> "ForwardBounds":
        """At a size x ≥ 1 and an order above 1."""
        small, large = (Normal(x, (relative_error * x) ** 2) for x in (size, size + 1))
        exact = small.renyi(large, order)
        double = 2 * relative_error**2
        slope, flat = order / (double * size**2), 1 / (double * (2 * size + 1))
        step = balls.enclosure(lambda: balls.ball(Fraction(1, size)).log1p())
        return cls(
            exact,
            exact + step,
            step + Interval.exactly(slope),
            step + step + Interval.exactly(slope),
            step + Interval.exactly(flat),
        )
