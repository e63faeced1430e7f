"""The least Gaussian noise on the real line: the exact answer, and the classical formula."""

import math
from fractions import Fraction

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import monotone_inverse, straddle
from leastnoise.numeric.real import Computable, Real
from leastnoise.privacy.gaussian import gaussian_delta, gaussian_epsilon, gaussian_mu

_COARSE = Fraction(1, 2**30)  # this epsilon is only told in messages


def gaussian_sigma(*, epsilon: Exact, delta: Exact, sensitivity: Exact) -> Interval:
    r"""The least standard deviation of Gaussian noise that is (ε, δ)-DP; the upper end is sound.

    Theorem: N(0, σ²·I) added to a query with values in R^k, of Euclidean sensitivity Δ, is
    (ε, δ)-DP if and only if δ ≥ Φ(Δ/2σ − εσ/Δ) − e^ε·Φ(−Δ/2σ − εσ/Δ). The right side falls as σ
    grows, so the least σ is the root; it is bracketed to 2**-60 of itself.
    Proof: docs/proofs/gaussian.md.

    Args:
        epsilon: ε ≥ 0; 0 is allowed.
        delta: δ in (0, 1).
        sensitivity: Δ > 0, the greatest Euclidean distance between answers of neighbours.

    References: BalleWang2018, Theorem 8 and Algorithm 1.

    Example:
        >>> gaussian_sigma(epsilon=1, delta="1e-6", sensitivity=1)
        Interval(4.22467888932683, 4.22467888932684)
    """
    distance = _check.positive(sensitivity, "sensitivity")
    mu = gaussian_mu(epsilon, _check.positive_delta(delta))
    return Interval(distance / Fraction(mu.upper), distance / Fraction(mu.lower))


def gaussian_noise_delta(*, epsilon: Exact, sigma: Exact, sensitivity: Exact) -> Interval:
    """The least δ at ε of Gaussian noise with this standard deviation; the upper end is sound.

    Example:
        >>> gaussian_noise_delta(epsilon=1, sigma=1, sensitivity=1)
        Interval(0.126936737506643, 0.126936737506644)
    """
    return gaussian_delta(
        _check.non_negative(epsilon, "epsilon"), _mu(sigma, sensitivity)
    ).interval()


def gaussian_noise_epsilon(*, delta: Exact, sigma: Exact, sensitivity: Exact) -> Interval:
    """The least ε at δ of Gaussian noise with this standard deviation; the upper end is sound.

    Example:
        >>> gaussian_noise_epsilon(delta="1e-6", sigma=1, sensitivity=1)
        Interval(4.88655411746221, 4.88655411746222)
    """
    return gaussian_epsilon(_check.positive_delta(delta), _mu(sigma, sensitivity))


def _mu(sigma: Exact, sensitivity: Exact) -> Fraction:
    return _check.positive(sensitivity, "sensitivity") / _check.positive(sigma, "sigma")


def classical_gaussian_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact, constant: Exact = "1.25"
) -> Interval:
    r"""The textbook σ = Δ·√(2·ln(constant/δ))/ε, where it holds; for teaching.

    Theorem: for given δ and constant the formula gives (ε, δ)-DP exactly for ε ≤ ε_max, the number
    `classical_gaussian_range` brackets. With constant = 1.25 every ε ≤ 1 is below ε_max, at all δ;
    with constant = 1, as often lectured, only for δ ≤ 0.98033….
    Proof: the true δ of this σ grows with ε; docs/proofs/gaussian.md.

    It is never less noise than `gaussian_sigma`, and usually 20 to 50 % more.

    Args:
        epsilon: ε > 0.
        delta: δ in (0, 1).
        sensitivity: Δ > 0.
        constant: at least 1; 1.25 in DworkRoth2014, 1 in lecture notes.

    Raises:
        InvalidParameter: ε is above ε_max: the formula would break its promise.

    References: DworkRoth2014, Theorem A.1.

    Example:
        >>> classical_gaussian_sigma(epsilon=1, delta="1e-6", sensitivity=1)
        Interval(5.29880252685047, 5.29880252685048)
    """
    exact_epsilon = _check.positive(epsilon, "epsilon")
    distance = _check.positive(sensitivity, "sensitivity")
    target, factor = _check.positive_delta(delta), _constant(constant, "constant")
    if _true_delta(exact_epsilon, target, factor).compare(target) > 0:
        raise _outside_the_range(exact_epsilon, target, factor)
    return balls.enclosure(lambda: balls.ball(distance / exact_epsilon) * _root(target, factor))


def classical_gaussian_range(*, delta: Exact, constant: Exact = "1.25") -> Interval:
    r"""The greatest ε at which `classical_gaussian_sigma` holds; the lower end is sound.

    Example:
        >>> round(float(classical_gaussian_range(delta="1e-6", constant=1)), 4)
        8.3394
    """
    target, factor = _check.positive_delta(delta), _constant(constant, "constant")

    def compare(epsilon: Fraction) -> int:
        return _true_delta(epsilon, target, factor).compare(target)

    return monotone_inverse(compare, *straddle(compare, Fraction(1)), relative=_COARSE)


_constant = _check.limited(
    _check.rational, lambda constant: constant >= 1, "be at least 1", "Choose 1 or 1.25."
)


def _root(delta: Fraction, constant: Fraction) -> arb:
    return (2 * balls.ball(constant / delta).log()).sqrt()


def _true_delta(epsilon: Fraction, delta: Fraction, constant: Fraction) -> Real:
    """The δ that the classical σ really achieves at ε."""
    mu = Computable(lambda: balls.ball(epsilon) / _root(delta, constant))
    return gaussian_delta(epsilon, mu)


def _outside_the_range(epsilon: Fraction, delta: Fraction, constant: Fraction) -> Exception:
    greatest = classical_gaussian_range(delta=delta, constant=constant)
    truth = _true_delta(epsilon, delta, constant).interval()
    shown = math.floor(greatest.lower * 10000) / 10000
    return _check.refuse(
        f"`epsilon` must be at most {shown} for the classical formula with constant "
        f"{float(constant):g} at delta={float(delta):g}",
        f"epsilon={float(epsilon):g}, where its true delta is {float(truth):.6g}",
        "Use gaussian_sigma, which is exact for every epsilon.",
    )
