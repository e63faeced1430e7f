"""Slow and independent: mpmath at 50 digits, finite laws as lists of numbers."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from mpmath import erfc, exp, findroot, inf, log, mpf, sqrt

from leastnoise.numeric.interval import Endpoint, Interval

Law = Sequence[mpf]


def number(value: Endpoint | int | str) -> mpf:
    exact = Fraction(value)
    return mpf(exact.numerator) / exact.denominator


def brackets(interval: Interval, truth: mpf, relative: str = "1e-15") -> bool:
    """Whether an interval holds the truth and is as narrow as promised."""
    lower, upper = number(interval.lower), number(interval.upper)
    slack = mpf(10) ** -45 * (1 + abs(truth))
    narrow = upper - lower <= mpf(relative) * (1 + truth)
    return bool(lower - slack <= truth <= upper + slack and narrow)


def agree(one: Interval, other: Interval) -> bool:
    """Whether two brackets can be of the same number and are narrow."""
    widest = max(one.upper, other.upper) - min(one.lower, other.lower)
    apart = max(one.lower, other.lower) - min(one.upper, other.upper)
    return apart <= 0 and widest <= Fraction(1, 10**15) * (1 + max(one.upper, other.upper))


def priced(promised: Fraction, truth: mpf) -> bool:
    """Whether a promised parameter is above the truth, and by no more than its rounding."""
    most = truth * (1 + mpf(10) ** -14) + mpf(10) ** -45
    return bool(truth <= number(promised) <= most)


def normal_cdf(x: mpf) -> mpf:
    return erfc(-x / sqrt(2)) / 2


def hockey_stick(p: Law, q: Law, epsilon: mpf) -> mpf:
    return sum((max(a - exp(epsilon) * b, mpf(0)) for a, b in zip(p, q, strict=True)), mpf(0))


def renyi(p: Law, q: Law, order: mpf) -> mpf:
    if order == inf:
        return max(log(a / b) for a, b in zip(p, q, strict=True) if a)
    terms = (a**order * b ** (1 - order) for a, b in zip(p, q, strict=True) if a)
    return log(sum(terms, mpf(0))) / (order - 1)


def response(epsilon: mpf, delta: mpf | int = 0) -> tuple[Law, Law]:
    """Randomised response that gives the secret away with probability delta."""
    truth, lie = (1 - delta) / (1 + exp(-epsilon)), (1 - delta) / (1 + exp(epsilon))
    return [mpf(delta), truth, lie, mpf(0)], [mpf(0), lie, truth, mpf(delta)]


def product(laws: Sequence[Law]) -> Law:
    joint = [mpf(1)]
    for law in laws:
        joint = [a * b for a in joint for b in law]
    return joint


def concentrated_epsilon(rho: mpf, delta: mpf) -> mpf:
    """The least of the formula over the order, by a search that knows nothing of its shape."""

    def bound(order: mpf) -> mpf:
        return rho * order + (log(1 / delta) + (order - 1) * log(1 - 1 / order) - log(order)) / (
            order - 1
        )

    return least(bound, mpf("1e-6"), mpf("1e9"))


def least(function: Callable[[mpf], mpf], low: mpf, high: mpf) -> mpf:
    """Golden section on ln(order − 1)."""
    left, right, golden = log(low), log(high), (sqrt(mpf(5)) - 1) / 2
    for _ in range(80):
        one, two = right - golden * (right - left), left + golden * (right - left)
        if function(1 + exp(one)) < function(1 + exp(two)):
            right = two
        else:
            left = one
    return function(1 + exp((left + right) / 2))


def root(function: Callable[[mpf], mpf], low: mpf, high: mpf) -> mpf:
    return findroot(function, (low, high), solver="anderson", tol=mpf(10) ** -80)
