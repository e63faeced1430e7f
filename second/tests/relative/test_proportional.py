"""Algorithm 2 of the note on larger groups, noise in proportion to the count: false as printed."""

import math
from fractions import Fraction as F
from typing import Any

import mpmath
import pytest

from leastnoise.noise.line import Normal
from leastnoise.numbers.errors import InvalidInput
from leastnoise.relative import ProportionalNoise

TENTH = ProportionalNoise(relative_error="0.1", smallest=20, order=5)
HALF = ProportionalNoise(relative_error="0.5", smallest=5, order=2)


def by_quadrature(one: Normal, other: Normal, order: float) -> float:
    """D_order of two normal laws by mpmath; order 1 is the Kullback-Leibler divergence."""
    means, deviations = ([float(law.mean) for law in (one, other)],
                         [math.sqrt(law.variance) for law in (one, other)])  # fmt: skip

    def density(y: Any, i: int) -> Any:
        return mpmath.npdf(y, means[i], deviations[i])

    def integrand(y: Any) -> Any:
        p, q = density(y, 0), density(y, 1)
        return p * mpmath.log(p / q) if order == 1 else p**order * q ** (1 - order)

    cuts = [means[0] + k * deviations[0] for k in (-60, -20, -8, -3, 0, 3, 8, 20, 60)]
    with mpmath.workdps(40):
        total = mpmath.quad(integrand, cuts)
        return float(total if order == 1 else mpmath.log(total) / (order - 1))


@pytest.mark.parametrize("order", [1, 5])
def test_divergences_by_quadrature(order: float) -> None:
    """Both directions; errata E3 and E4 are about the first of them."""
    for one, other in ((20, 21), (21, 20)):
        found = TENTH.law(one).renyi(TENTH.law(other), F(order))
        assert float(found) == pytest.approx(
            by_quadrature(TENTH.law(one), TENTH.law(other), order), rel=1e-9
        )


def test_the_claim_is_false() -> None:
    """Errata E1: at x = 20, r = 0.1, order 5 the reverse divergence is 1.0765 > 0.7226."""
    forward, reverse = (TENTH.law(x).renyi(TENTH.law(41 - x), F(5)) for x in (20, 21))
    claimed = TENTH.printed_bound(20, order=5)
    assert float(claimed) == pytest.approx(0.7226, abs=5e-5)
    assert float(reverse) == pytest.approx(1.0765, abs=5e-5) and reverse.lower > claimed.upper
    assert forward.upper < claimed.lower
    assert float(claimed) == pytest.approx(5 / (2 * 0.01 * 400) + 2 * math.log(21 / 20))


def test_the_reverse_divergence_is_infinite() -> None:
    """Errata E1: from the order 1 + x^2/(2x + 1) on, 36/11 at x = 5."""
    limit = HALF.order_limit(5)
    assert limit == F(36, 11)
    just_below = limit - F(1, 10**6)
    assert HALF.law(6).renyi(HALF.law(5), just_below).upper < math.inf
    assert HALF.law(6).renyi(HALF.law(5), limit).lower == math.inf


def test_a_record_less_is_a_neighbour_too() -> None:
    """Errata E2: the limit for a count x is that of the pair x - 1 and x; 1 and 0 have none."""
    assert TENTH.order_limit(21) == TENTH.order_limit(20) == 1 + F(400, 41)
    assert TENTH.order_limit(100) == 1 + F(99**2, 199)
    assert TENTH.promise(100) == TENTH.promise(100) != TENTH.promise(101)
    with pytest.raises(InvalidInput):
        ProportionalNoise(relative_error="0.1", smallest=0, order=2)
    one = ProportionalNoise(relative_error="0.1", smallest=1, order="1.3")
    assert one.law(0) == one.law(1) and one.order_limit(0) == F(4, 3)


def test_the_forward_divergence() -> None:
    """Errata E3: x = 5, r = 1/2, order 2: 0.13411, and 0.31644 by the printed formula."""
    exact = HALF.law(5).renyi(HALF.law(6), F(2))
    assert float(exact) == pytest.approx(0.13411, abs=5e-6)
    assert float(exact) + math.log(6 / 5) == pytest.approx(0.31644, abs=1e-5)
    for x in (5, 20, 1000):
        for order in ("1.01", "2", "40", "100000"):
            found = HALF.law(x).renyi(HALF.law(x + 1), F(order))
            bound, printed = HALF.forward_bound(x, order=order), HALF.printed_bound(x, order=order)
            assert found.upper <= bound.lower and bound.upper < printed.lower
            assert (
                found.upper <= math.log(1 + 1 / x) + 2 / (2 * x + 1) + 1e-12
            )  # bounded in the order


def test_kullback_leibler() -> None:
    """Errata E4: x = 5, x' = 6, r = 1/2: 0.08510, printed 0.26742."""
    exact = float(HALF.law(5).renyi(HALF.law(6), F(1)))
    assert exact == pytest.approx(0.08510, abs=5e-6)
    assert exact + math.log(6 / 5) == pytest.approx(0.26742, abs=5e-6)
    assert HALF.forward_bound(5, order=1).lower > exact


@pytest.mark.parametrize("r", ["0.05", "0.5", "0.99"])
@pytest.mark.parametrize("smallest", [1, 2, 7, 60])
@pytest.mark.parametrize("portion", ["0.01", "0.9"])
def test_the_truncated_promise_holds(r: str, smallest: int, portion: str) -> None:
    """Both directions of all pairs at all orders up to the last one, of the sizes x - 1 and x + 1."""
    order = 1 + F(portion) * F(smallest**2, 2 * smallest + 1)
    noise = ProportionalNoise(relative_error=r, smallest=smallest, order=order)
    for x in (0, smallest, smallest + 1, smallest + 2, 2 * smallest, 50 * smallest):
        promise = noise.promise(x)
        assert promise.order == order
        for other in (max(x - 1, 0), x + 1):
            for part in (F(1, 10**6), F(1, 10), F(1, 2), F(1)):
                a = 1 + part * (order - 1)
                for one, two in ((x, other), (other, x)):
                    assert noise.law(one).renyi(noise.law(two), a).upper <= a * promise.rho
    rhos = [noise.promise(x).rho for x in range(60)]
    assert rhos == sorted(rhos, reverse=True)


def test_the_promise_at_half_of_the_limit() -> None:
    """Errata E1: (1/r^2 + 2*(1 + 1/(2x))^2)/x^2 for both directions of (x, x+1)."""
    x, order = 20, 1 + F(400, 2 * 41)
    half = ProportionalNoise(relative_error="0.1", smallest=x, order=order)
    assert half.promise(x).rho == (100 + 2 * (1 + F(1, 40)) ** 2) / F(400)


def test_the_error_is_smaller_than_was_asked() -> None:
    """Errata E14: E|X - x| = sqrt(2/pi)*r*x, so that a deviation of r*x*sqrt(pi/2) is allowed."""
    for x in (20, 300):
        assert float(TENTH.expected_error(x)) == pytest.approx(math.sqrt(2 / math.pi) * 0.1 * x)
        allowed = Normal(x, (F(x, 10) * F(math.sqrt(math.pi / 2))) ** 2)
        assert float(allowed.moment(1)) == pytest.approx(0.1 * x)
    assert TENTH.expected_error(3) == TENTH.expected_error(20)  # raised


@pytest.mark.parametrize(
    "parameters",
    [{"order": bad} for bad in (0, "0.99", math.inf, math.nan, None, 1 + F(400, 41), 100)]
    + [{"smallest": bad} for bad in (0, -1, 1.5, None)]
    + [{"relative_error": bad} for bad in (0, 1.5, -0.1, "1e-10", None)],
)
def test_bad_parameters_are_refused(parameters: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"relative_error": "0.1", "smallest": 20, "order": 5}
    with pytest.raises(InvalidInput):
        ProportionalNoise(**(usual | parameters))


@pytest.mark.parametrize("bad", [-1, 1.5, "x", None, 2**63])
def test_bad_questions_are_refused(bad: Any) -> None:
    for question in (TENTH.law, TENTH.expected_error, TENTH.order_limit, TENTH.promise):
        with pytest.raises(InvalidInput):
            question(bad)
    with pytest.raises(InvalidInput):
        TENTH.forward_bound(20, order="0.5")
