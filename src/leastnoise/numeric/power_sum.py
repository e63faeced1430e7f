"""Sums of powers of consecutive integers, in closed form."""

from flint import fmpq, fmpq_poly


def power_sum(order: int, stop: int) -> int:
    r"""Σ i**order over 0 ≤ i < stop, with 0**0 = 1.

    Faulhaber: (B(stop) − B(0))/(order + 1) for the Bernoulli polynomial B of degree order + 1.

    Example:
        >>> power_sum(2, 4), power_sum(3, 10**12) == ((10**12 - 1) * 10**12 // 2) ** 2
        (14, True)
    """
    bernoulli = fmpq_poly.bernoulli_poly(order + 1)
    value = (bernoulli(fmpq(stop)) - bernoulli(fmpq(0))) / (order + 1)
    return int(value.p)
