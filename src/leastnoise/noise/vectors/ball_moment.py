r"""Moments of the norm under stairs on Z^d.

With M(r) = Σ ‖x‖**p over the ball of radius r, E‖X‖**p = Σ b**j·M(r_j) / Σ b**j·|Ball(r_j)|. By
summation by parts M(r) = r**p·|Ball(r)| − Σ ((m+1)**p − m**p)·|Ball(m)| over m < r, a polynomial in
r of degree d + p. It is found once, in exact arithmetic. M is log-concave, being a running sum of
a log-concave sequence, so the outer sum has a geometric bound on its rest.
"""

from fractions import Fraction

from flint import arb, fmpq, fmpq_poly

from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.vectors.layer_sum import LayerSum, centred
from leastnoise.noise.vectors.norm_ball import NormBall
from leastnoise.numeric.real import Computable

_MOST_DIMENSION = 1024  # sums of as many terms, at as many bits


def ball_stairs_moment(
    ball: NormBall, period: int, width: int, rate: Fraction, order: int
) -> Computable:
    """E‖X‖**order for weights exp(−rate·level(‖x‖))."""
    if ball.dimension > _MOST_DIMENSION:
        raise UnsupportedQuery(
            f"`dimension` must be at most {_MOST_DIMENSION} for moments of a staircase law; got "
            f"dimension={ball.dimension}. Use NormLaplace: in so many dimensions its noise is as "
            "small unless epsilon exceeds half the dimension."
        )
    summed = power_sum_over_ball(ball, order)
    layers = LayerSum(
        lambda radius: arb(summed(radius)), lambda: centred(summed), ball.typical(rate / period)
    )
    # The smallest ball may hold the origin alone, whose norm adds nothing.
    first = 0 if width > 1 else 1
    return Computable(
        lambda: (
            layers.over(rate, width - 1, period, first) / ball.layers(rate, width - 1, period, 0)
        )
    )


def power_sum_over_ball(ball: NormBall, order: int) -> fmpq_poly:
    """Σ ‖x‖**order over the lattice points of a ball, as a polynomial in its radius."""
    points = ball.polynomial()
    radius, following = fmpq_poly([0, 1]), fmpq_poly([1, 1])
    return radius**order * points - running_sum((following**order - radius**order) * points)


def running_sum(summand: fmpq_poly) -> fmpq_poly:
    """The polynomial Σ summand(m) over 0 ≤ m < r, in r.

    Euler–Maclaurin, which is exact for polynomials: Σ B_k/k! · (k-th derivative of the integral).
    """
    derivative = summand.integral()
    total, factor = fmpq_poly([0]), fmpq(1)
    for k in range(derivative.degree() + 1):
        total += derivative * (factor * fmpq.bernoulli(k))
        derivative, factor = derivative.derivative(), factor / (k + 1)
    return total - total(fmpq(0))
