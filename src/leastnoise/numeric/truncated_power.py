"""Powers of power series, up to a degree."""

from flint import arb_poly


def truncated_power(series: arb_poly, exponent: int, length: int) -> arb_poly:
    """The first `length` coefficients of series**exponent.

    Example:
        >>> [int(c.unique_fmpz()) for c in truncated_power(arb_poly([1, 1]), 10, 3).coeffs()]
        [1, 10, 45]
    """
    power = arb_poly([1])
    for bit in bin(exponent)[2:]:
        power = arb_poly((power * power).coeffs()[:length])
        if bit == "1":
            power = arb_poly((power * series).coeffs()[:length])
    return power
