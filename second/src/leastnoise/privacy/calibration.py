r"""The least noise for a budget: Gaussian noise in closed form, anything else by a proved search."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Literal

from flint import arb

from leastnoise.numbers.ball import ball, enclosure, greatest, sign
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.numbers.exact import (
    Exact,
    exact,
    inside,
    non_negative,
    positive,
    probability,
    whole,
    written,
)
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.conversion import gaussian_delta
from leastnoise.privacy.lattice import checked_law
from leastnoise.privacy.loss import PrivacyLoss

_FINE = Fraction(1, 2**62)
_MOST_DOUBLINGS = 200
_WIDTHS = ("0.1", "1e-3")  # of a composed epsilon: most parameters are decided by the first


def gaussian_sigma(
    *,
    epsilon: Exact,
    delta: Exact,
    sensitivity: Exact,
    rule: Literal["analytic", "classical"] = "analytic",
    constant: Exact = 1,
) -> Interval:
    r"""The standard deviation of Gaussian noise for a query of this l2 sensitivity.

    "analytic": the least, where Phi(D/2s - e*s/D) - e^e * Phi(-D/2s - e*s/D) = delta (Balle and
    Wang 2018, Theorem 8). "classical": D*sqrt(2*log(constant/delta))/epsilon, where that is true
    (see `classical_range`); textbooks have constant 1.25, lecture notes 1.

    >>> gaussian_sigma(epsilon=1, delta="1e-6", sensitivity=1)
    4.22467888932683...
    >>> gaussian_sigma(epsilon=1, delta="1e-6", sensitivity=1, rule="classical", constant="1.25")
    5.29880252685047...
    """
    size, lost = non_negative(epsilon, "epsilon"), inside(delta, "delta")
    distance = positive(sensitivity, "sensitivity")
    if not isinstance(rule, str) or rule not in ("analytic", "classical"):
        raise InvalidInput('rule is not known. Give "analytic" or "classical".')
    if rule == "analytic":
        mu = _greatest_mu(size, lost)
        return Interval(distance / (mu * (1 + _FINE)), distance / mu)
    factor = _constant(constant)
    if not size:
        raise InvalidInput("The classical rule needs an epsilon above 0.")
    if not _is_true(size, lost, factor):
        most = classical_range(delta=lost, constant=factor)
        raise InvalidInput(
            f"The classical rule is false at this epsilon: it holds up to {float(most.lower):.4f}. "
            'Use rule="analytic".'
        )
    return enclosure(lambda: ball(distance / size) * _width(lost, factor))


def classical_range(
    *, delta: Exact | None = None, epsilon: Exact | None = None, constant: Exact = 1
) -> Interval:
    """The greatest epsilon at this delta, or delta at this epsilon, at which the classical rule holds.

    >>> classical_range(delta="1e-6")
    8.33938...
    >>> classical_range(epsilon=1)
    0.98033252...
    """
    factor = _constant(constant)
    if (delta is None) == (epsilon is None):
        raise InvalidInput("Give delta or epsilon, one of them.")
    if delta is not None:
        lost = inside(delta, "delta")
        found = greatest(lambda size: _is_true(size, lost, factor), Fraction(1), 24)
        return Interval(found, found * (1 + Fraction(1, 2**22)))
    assert epsilon is not None
    size = positive(epsilon, "epsilon")
    # In 1 - delta the rule holds from some number on.
    if _is_true(size, 1 - Fraction(1, 2**60), factor):
        return Interval.exactly(1)
    low, high = Fraction(1, 2**200), 1 - Fraction(1, 2**60)
    if not _is_true(size, low, factor):
        return Interval(Fraction(0), low)
    while high - low > high * Fraction(1, 2**24):
        middle = (low + high) / 2 if low * 4 > high else low * 2 ** (_doublings(high / low) // 2)
        low, high = (middle, high) if _is_true(size, middle, factor) else (low, middle)
    return Interval(low, high)


def _doublings(ratio: Fraction) -> int:
    return int(ratio).bit_length() - 1


def _constant(constant: Exact) -> Fraction:
    factor = exact(constant, "constant")
    if factor < 1:
        raise InvalidInput(f"constant is {written(factor)}. Give 1 or more, for example 1.25.")
    return factor


def _width(delta: Fraction, constant: Fraction) -> arb:
    return (2 * ball(constant / delta).log()).sqrt()


def _is_true(epsilon: Fraction, delta: Fraction, constant: Fraction) -> bool:
    """Whether the classical noise is (epsilon, delta)-DP."""

    def excess() -> arb:
        return gaussian_delta(ball(epsilon), ball(epsilon) / _width(delta, constant)) - ball(delta)

    return sign(excess) <= 0


@lru_cache(maxsize=256)
def _greatest_mu(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The greatest mu that is (epsilon, delta)-DP, rounded down by at most 2^-62 of it."""

    def implies(mu: Fraction) -> bool:
        return sign(lambda: gaussian_delta(ball(epsilon), ball(mu)) - ball(delta)) <= 0

    return greatest(implies, Fraction(1))


@dataclass(frozen=True)
class Calibration:
    """A noise that keeps a promise, and what is known of the least.

    Attributes:
        noise: what `make` made of `parameter.upper`.
        parameter: the upper end keeps the promise; the lower end does not.
        epsilon: of the promise.
        delta: of the promise.
        distance: how far neighbours are apart.
    """

    noise: Any
    parameter: Interval
    epsilon: Fraction
    delta: Fraction
    distance: int = 1

    def __repr__(self) -> str:
        promise = f"({written(self.epsilon)}, {written(self.delta)})-DP"
        return f"{self.noise!r}, {promise} at distance {self.distance}"


def calibrate(
    make: Callable[[Fraction], Any],
    *,
    epsilon: Exact,
    delta: Exact,
    distance: int = 1,
    start: Exact = 1,
) -> Calibration:
    """The least parameter whose noise is (epsilon, delta)-DP.

    Args:
        make: from a parameter that grows with the noise to a law on the integers, or to a
            `PrivacyLoss`.
        epsilon: of the promise.
        delta: of the promise.
        distance: how far neighbours are apart, for a law.
        start: where the search begins.

    >>> found = calibrate(
    ...     lambda sigma: PrivacyLoss.gaussian(mu=1 / sigma).self_compose(10),
    ...     epsilon=1, delta="1e-6",
    ... )
    >>> round(float(found.parameter), 4)
    13.3596
    """
    size, lost = non_negative(epsilon, "epsilon"), probability(delta, "delta")
    if not callable(make):
        raise InvalidInput("make is no function. Write make=lambda v: RoundedGaussian(variance=v).")

    @cache
    def loss_at(parameter: Fraction) -> PrivacyLoss:
        made = make(parameter)
        return made if isinstance(made, PrivacyLoss) else PrivacyLoss.of_noise(made, distance)

    @cache
    def keeps(parameter: Fraction) -> bool | None:
        return _keeps(loss_at(parameter), size, lost)

    low, high = _around(lambda parameter: keeps(parameter) is True, positive(start, "start"))
    close = high / (10**9 if loss_at(high).is_simple else 10**5)
    while high - low > close:
        middle = _short((low + high) / 2, high - low)
        low, high = (low, middle) if keeps(middle) else (middle, high)
    # Where the price is known by an interval only, the least parameter lies a little lower.
    while keeps(low) is not False:
        low -= 2 * (high - low)
        if low <= 0:
            low = Fraction(0)
            break
    return Calibration(make(high), Interval(low, high), size, lost, distance)


def _keeps(loss: PrivacyLoss, epsilon: Fraction, delta: Fraction) -> bool | None:
    """Whether a loss is (epsilon, delta)-DP; None if that is too close to tell."""
    if loss.is_simple or not epsilon:
        at = loss.delta(epsilon, within="1e-6" if loss.is_simple else "1e-3")
        return True if at.upper <= delta else False if at.lower > delta else None
    for within in _WIDTHS:
        least = loss.epsilon(delta, within=within)
        if least.upper <= epsilon:
            return True
        if least.lower > epsilon:
            return False
    return None


def _around(keeps: Callable[[Fraction], bool], start: Fraction) -> tuple[Fraction, Fraction]:
    """A parameter that breaks the promise, and twice it, which keeps it."""
    high = start
    for _ in range(_MOST_DOUBLINGS):
        if keeps(high):
            break
        high *= 2
    else:
        raise Undecided("No parameter keeps the promise. Check that the noise grows with it.")
    if high == start and not keeps(2 * high):
        raise InvalidInput("A larger parameter breaks the promise. Let the noise grow with it.")
    for _ in range(_MOST_DOUBLINGS):
        if not keeps(high / 2):
            return high / 2, high
        high /= 2
    raise Undecided("Every parameter keeps the promise. Check that the noise grows with it.")


def _short(value: Fraction, width: Fraction) -> Fraction:
    """A number with few digits near a value."""
    scale = Fraction(2) ** (4 + width.denominator.bit_length() - width.numerator.bit_length())
    return Fraction(round(value * scale)) / scale


@dataclass(frozen=True)
class Verification:
    """Whether noise on a query is (epsilon, delta)-DP; true if it is proved.

    Attributes:
        holds: whether it is proved.
        delta: the least delta at this epsilon, over all shifts.
        shift: where it is attained.
    """

    holds: bool
    delta: Interval
    shift: int

    def __bool__(self) -> bool:
        return self.holds


def verify(law: Any, *, sensitivity: int, epsilon: Exact, delta: Exact = 0) -> Verification:
    """Adding noise of a law on the integers to a query that moves by at most `sensitivity`.

    Every shift up to the sensitivity is looked at, in both directions.
    """
    size, lost = non_negative(epsilon, "epsilon"), probability(delta, "delta")
    law = checked_law(law)
    if (most := whole(sensitivity, "sensitivity")) > 10_000:
        raise InvalidInput("sensitivity is above 10,000. Divide query and noise by a factor.")
    shifts = [sign * shift for shift in range(1, most + 1) for sign in (1, -1)]
    found = [(law.hockey_stick(size, shift), abs(shift)) for shift in shifts]
    worst, at = max(found, key=lambda each: each[0].upper)
    least = max(each.lower for each, _ in found)
    return Verification(worst.upper <= lost, Interval(least, worst.upper), at)
