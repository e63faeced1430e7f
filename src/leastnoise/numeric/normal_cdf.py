"""The standard normal law in ball arithmetic."""

from flint import arb

# Beyond this place Φ is smaller than any number a user can type, and as a fraction it would soon
# fill memory.
FARTHEST = 1 << 10
_LOG_OF_TINY = -756388  # the power of two that bounds the tail beyond


def normal_cdf(x: arb) -> arb:
    """Φ(x) = P(Z ≤ x) for a standard normal Z; far to the left only a bound, always finite.

    Example:
        >>> normal_cdf(arb(-1)).str(10, radius=False)
        '0.1586552539'
    """
    if x < -FARTHEST:
        # Φ(−t) ≤ exp(−t²/2) ≤ exp(−2**19) < 2**-756388 for t ≥ 2**10.
        half = arb(2) ** (_LOG_OF_TINY - 1)
        return arb(half, half)
    value = (-x / arb(2).sqrt()).erfc() / 2
    return value if value.is_finite() else arb(0).union(1)


def normal_quantile(tail: arb) -> arb:
    """The z with P(Z > z) = tail, for a tail in (0, 1).

    Example:
        >>> normal_quantile(arb("0.025")).str(10, radius=False)
        '1.959963985'
    """
    return arb(2).sqrt() * (2 * tail).erfcinv()


def normal_density(x: arb) -> arb:
    """exp(−x²/2)/√(2π)."""
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def mills_ratio(x: arb) -> arb:
    r"""P(Z > x)/density(x) for x > 0, without the underflow of either.

    It equals U(1/2, 1/2, x²/2)/√2 with Tricomi's confluent hypergeometric function U.

    Example:
        >>> mills_ratio(arb(10) ** 100).str(10, radius=False)
        '1.000000000e-100'
    """
    half = arb("0.5")
    return (x * x / 2).hypgeom_u(half, half) / arb(2).sqrt()
