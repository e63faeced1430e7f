"""Every implication holds, rounded to the safe side and by a hair; mpmath and others agree."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import mpmath
import opendp.prelude as dp
import pytest
from dp_accounting.gaussian_mechanism import get_epsilon_gaussian, get_sigma_gaussian
from flint import arb
from mpmath import mpf

from leastnoise.numbers.ball import ball, precision, upper_end
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy import conversion
from leastnoise.privacy.conversion import (
    convert,
    epsilon_of_zcdp,
    gaussian_delta,
    rho_of_pure,
    squared_mu,
    squared_mu_of_bounded_range,
    squared_mu_of_pure,
)
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

F = Fraction
HAIR = 1 + F(1, 2**63)
DELTA = F(1, 10**6)
EPSILONS = [F(1, 10**9), F(1, 10), F(1), F(6), F(100)]


@pytest.fixture(autouse=True)
def _sixty_digits() -> Iterator[None]:
    with mpmath.workdps(90):
        yield


def real(number: Fraction) -> mpf:
    return mpf(number.numerator) / number.denominator


def hockey_stick(epsilon: Any, mu: Any) -> mpf:
    """That of two normals, mu apart: Balle and Wang 2018, Theorem 8."""
    far = mpmath.exp(epsilon) * mpmath.ncdf(-epsilon / mu - mu / 2)
    return mpmath.ncdf(mu / 2 - epsilon / mu) - far


def delta_at(epsilon: Fraction, square: Fraction) -> mpf:
    return hockey_stick(real(epsilon), mpmath.sqrt(real(square)))


# Gaussian DP


@pytest.mark.parametrize("epsilon", [F(0), F(1, 100), F(1), F(7), F(50)])
@pytest.mark.parametrize("mu", [F(1, 20), F(1), F(5)])
def test_the_delta_of_a_gaussian_to_60_digits(epsilon: Fraction, mu: Fraction) -> None:
    with mpmath.workdps(1000):  # two nearly equal numbers are subtracted
        truth = hockey_stick(real(epsilon), real(mu))
    with precision(4000):
        ours = mpf(gaussian_delta(ball(epsilon), ball(mu)).str(70, radius=False))
    assert abs(ours / truth - 1) < mpf(10) ** -60


def test_the_delta_of_a_gaussian_is_its_hockey_stick_divergence() -> None:
    epsilon, mu = mpf(1), mpf("1.5")
    border = epsilon / mu - mu / 2

    def gained(x: mpf) -> mpf:
        return mpmath.npdf(x) - mpmath.exp(epsilon) * mpmath.npdf(x + mu)

    integral = mpmath.quad(gained, [border, border + 3, border + 10, border + 25])
    assert abs(integral - hockey_stick(epsilon, mu)) < mpf(10) ** -40
    assert float(gaussian_delta(arb(1), arb(1))) == pytest.approx(0.126936737, abs=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [F(1, 10**300), DELTA, F(1, 10), 1 - DELTA])
def test_squared_mu_holds_and_a_hair_more_does_not(epsilon: Fraction, delta: Fraction) -> None:
    found = squared_mu(epsilon, delta)
    assert delta_at(epsilon, found) <= real(delta) < delta_at(epsilon, found * HAIR)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
def test_the_noise_of_a_gaussian_agrees_with_dp_accounting(epsilon: float) -> None:
    sigma = get_sigma_gaussian(epsilon, 1e-6)
    assert float(squared_mu(F(str(epsilon)), DELTA)) == pytest.approx(sigma**-2, rel=1e-9)
    found = convert(GDP(mu=2), ApproxDP, delta=1e-6)
    assert float(found.epsilon) == pytest.approx(get_epsilon_gaussian(0.5, 1e-6), rel=1e-9)  # type: ignore[union-attr]


def test_nothing_is_spent_where_nothing_may_be() -> None:
    assert squared_mu(F(0), DELTA) == squared_mu(F(1), F(0)) == 0
    assert squared_mu_of_pure(F(0)) == rho_of_pure(F(0)) == epsilon_of_zcdp(F(0), DELTA) == 0


@pytest.mark.parametrize("mu", [F(1, 10**9), F(1, 1000), F(1), F(30), F(1000)])
@pytest.mark.parametrize("delta", [F(1, 10**300), DELTA, F(1, 2)])
def test_the_epsilon_of_a_gaussian_holds_and_a_hair_less_does_not(
    mu: Fraction, delta: Fraction
) -> None:
    found = convert(GDP(mu=mu), ApproxDP, delta=delta)
    assert isinstance(found, ApproxDP) and found.delta == delta
    epsilon, truth = found.epsilon, real(delta)
    assert hockey_stick(real(epsilon), real(mu)) <= truth
    if epsilon:
        assert hockey_stick(real(epsilon / HAIR), real(mu)) > truth
    else:
        assert hockey_stick(mpf(0), real(mu)) <= truth
    # The other way about: the same mu, within both roundings.
    if epsilon:
        assert mu**2 <= squared_mu(epsilon, delta) * HAIR


# Pure DP and bounded range


def two_points(low: mpf, high: mpf) -> tuple[mpf, mpf]:
    """Q and P of an output whose loss is `high`, if the other's is `low`: both sum to 1."""
    chance = (1 - mpmath.exp(low)) / (mpmath.exp(high) - mpmath.exp(low))
    return chance, chance * mpmath.exp(high)


def hockey_stick_of_two(low: mpf, high: mpf, epsilon: mpf) -> mpf:
    q, p = two_points(low, high)
    pairs = ((p, q), (1 - p, 1 - q))
    return sum((max(a - mpmath.exp(epsilon) * b, mpf(0)) for a, b in pairs), mpf(0))


def renyi_of_two(low: mpf, high: mpf, order: mpf) -> mpf:
    q, p = two_points(low, high)
    return mpmath.log(p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)) / (
        order - 1
    )


SIXTEENTHS = [F(i, 16) for i in range(-15, 16)]
ORDERS = [mpf(1) + mpf(10) ** k for k in range(-12, 4)]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_gaussian_of_squared_mu_is_worse_than_every_pure_release(epsilon: Fraction) -> None:
    """Randomized response is the worst; at 0 it attains what is stated."""
    e, mu = real(epsilon), mpmath.sqrt(real(squared_mu_of_pure(epsilon)))
    for part in SIXTEENTHS:
        at = e * real(part)
        assert hockey_stick(at, mu) >= hockey_stick_of_two(-e, e, at)
    less = mpmath.sqrt(real(squared_mu_of_pure(epsilon) / HAIR))
    assert hockey_stick(mpf(0), less) < hockey_stick_of_two(-e, e, mpf(0))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_rho_of_pure_bounds_every_order_and_is_attained_at_order_1(epsilon: Fraction) -> None:
    e, rho = real(epsilon), real(rho_of_pure(epsilon))
    assert all(renyi_of_two(-e, e, order) <= rho * order for order in ORDERS)
    divergence = e * (mpmath.exp(e) - 1) / (mpmath.exp(e) + 1)  # Kullback and Leibler's
    assert divergence <= rho <= divergence * (1 + mpf(2) ** -60)


@pytest.mark.parametrize("spread", EPSILONS)
def test_bounded_range_costs_what_its_worst_pair_does(spread: Fraction) -> None:
    """Losses t - spread and t, for t in 0 .. spread: the worst pairs of all (Dong and others 2020)."""
    r, mu = real(spread), mpmath.sqrt(real(squared_mu_of_bounded_range(spread)))
    for t in (r * i / 16 for i in range(1, 16)):
        for at in (t - r * i / 16 for i in range(17)):
            assert hockey_stick(at, mu) >= hockey_stick_of_two(t - r, t, at)
        for order in ORDERS:
            assert renyi_of_two(t - r, t, order) <= r**2 / 8 * order
    less = mpmath.sqrt(real(squared_mu_of_bounded_range(spread) / HAIR))
    assert hockey_stick(mpf(0), less) < hockey_stick_of_two(-r / 2, r / 2, mpf(0))


# Zero-concentrated DP


def bound(rho: Fraction, delta: Fraction, order: mpf) -> mpf:
    """Canonne, Kamath and Steinke 2020, Corollary 13."""
    rest = mpmath.log(1 - 1 / order) - mpmath.log(order * real(delta)) / (order - 1)
    return real(rho) * order + rest


def least(rho: Fraction, delta: Fraction) -> mpf:
    """The bound at its best order."""

    def at(log: mpf) -> mpf:
        return bound(rho, delta, 1 + mpmath.exp(log))

    middle = min(map(mpf, range(-40, 40)), key=at)
    low, high = middle - 1, middle + 1
    for _ in range(60):
        third = (high - low) / 3
        low, high = (
            (low + third, high) if at(low + third) > at(high - third) else (low, high - third)
        )
    return at(low)


@pytest.mark.parametrize("rho", [F(1, 10**12), F(1, 100), F(1, 2), F(20), F(10**6)])
@pytest.mark.parametrize("delta", [F(1, 10**300), DELTA, F(1, 2), F(999, 1000)])
def test_the_epsilon_of_zcdp_is_that_of_the_best_order(rho: Fraction, delta: Fraction) -> None:
    found, best = real(epsilon_of_zcdp(rho, delta)), max(least(rho, delta), mpf(0))
    assert best <= found <= best * (1 + mpf(10) ** -9)
    assert hockey_stick(found, mpmath.sqrt(2 * real(rho))) <= real(delta)  # a Gaussian has this rho


def test_a_figure_of_canonne_kamath_and_steinke() -> None:
    assert round(float(epsilon_of_zcdp(F(1, 2), DELTA)), 5) == 5.22153
    assert round(float(least(F(1, 2), DELTA)), 5) == 5.22153


def test_the_epsilon_of_zcdp_agrees_with_opendp() -> None:
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l2_distance(T=float)
    for rho, scale in ((F(1, 2), 1.0), (F(2), 0.5), (F(1, 200), 10.0)):
        theirs = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=scale))
        for delta in (1e-9, 1e-6, 1e-2):
            ours = float(epsilon_of_zcdp(rho, F(str(delta))))
            assert ours == pytest.approx(theirs.map(1.0).epsilon(delta), rel=1e-5)


# Every pair of guarantees


KINDS: list[type[Guarantee]] = [PureDP, ApproxDP, ZCDP, GDP]
PURE, APPROX, RHO, MU = PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6"), ZCDP(rho=1), GDP(mu=1)
NONE: Any = object()
FOUND: dict[tuple[Guarantee, type[Guarantee]], Any] = {
    (PURE, PureDP): PURE,
    (PURE, ApproxDP): ApproxDP(epsilon=1, delta=DELTA),
    (PURE, ZCDP): ZCDP(rho=rho_of_pure(F(1))),
    (PURE, GDP): lambda found: 0 <= found.mu**2 / squared_mu_of_pure(F(1)) - 1 < HAIR - 1,
    (APPROX, PureDP): NONE,
    (APPROX, ApproxDP): APPROX,
    (APPROX, ZCDP): NONE,
    (APPROX, GDP): NONE,
    (RHO, PureDP): NONE,
    (RHO, ApproxDP): ApproxDP(epsilon=epsilon_of_zcdp(F(1), DELTA), delta=DELTA),
    (RHO, ZCDP): RHO,
    (RHO, GDP): NONE,
    (MU, PureDP): NONE,
    (MU, ApproxDP): lambda found: 0 <= found.epsilon - F("4.886554117462208") < F(1, 10**14),
    (MU, ZCDP): ZCDP(rho="1/2"),
    (MU, GDP): MU,
}


@pytest.mark.parametrize("known", [PURE, APPROX, RHO, MU])
@pytest.mark.parametrize("to", KINDS)
def test_all_pairs(known: Guarantee, to: type[Guarantee]) -> None:
    expected = FOUND[known, to]
    delta = DELTA if to is ApproxDP else None
    if expected is NONE:
        names = f"{type(known).__name__} does not imply {to.__name__}"
        with pytest.raises(InvalidInput, match=names):
            convert(known, to)
    elif callable(expected):
        assert expected(convert(known, to, delta=delta))
    else:
        assert convert(known, to, delta=delta) == expected


def test_delta_is_for_approximate_dp_alone_and_inside_its_range() -> None:
    for known in (PURE, APPROX, RHO, MU):
        for to in (PureDP, ZCDP, GDP):
            with pytest.raises(InvalidInput, match="has no delta"):
                convert(known, to, delta=DELTA)
        with pytest.raises(InvalidInput, match=r"delta is 1\.5"):
            convert(known, ApproxDP, delta="1.5")
    for known in (RHO, MU):
        for delta in (0, 1):
            with pytest.raises(InvalidInput, match=f"delta is {delta}"):
                convert(known, ApproxDP, delta=delta)
        with pytest.raises(InvalidInput, match="delta is missing"):
            convert(known, ApproxDP)


def test_what_has_a_delta_keeps_it_or_takes_a_greater_one() -> None:
    assert convert(PURE, ApproxDP) == ApproxDP(epsilon=1)
    assert convert(APPROX, ApproxDP) == APPROX
    assert convert(APPROX, ApproxDP, delta="0.1") == ApproxDP(epsilon=1, delta="0.1")
    with pytest.raises(InvalidInput, match=r"delta is 1e-07, and ApproxDP.* allows more"):
        convert(APPROX, ApproxDP, delta="1e-7")


def test_a_delta_of_0_is_pure() -> None:
    for to in (PureDP, ZCDP, GDP):
        assert convert(ApproxDP(epsilon=1), to) == convert(PURE, to)


def test_nothing_implies_nothing() -> None:
    for to, none in ((PureDP, PureDP(epsilon=0)), (ZCDP, ZCDP(rho=0)), (GDP, GDP(mu=0))):
        assert convert(PureDP(epsilon=0), to) == none
    for known in (PureDP(epsilon=0), ZCDP(rho=0), GDP(mu=0)):
        assert convert(known, ApproxDP, delta=DELTA) == ApproxDP(epsilon=0, delta=DELTA)


SIZED: list[tuple[Callable[[Fraction], Guarantee], type[Guarantee], str]] = [
    (lambda x: PureDP(epsilon=x), ZCDP, "rho"), (lambda x: PureDP(epsilon=x), GDP, "mu"),
    (lambda x: ZCDP(rho=x), ApproxDP, "epsilon"), (lambda x: GDP(mu=x), ZCDP, "rho"),
    (lambda x: GDP(mu=x), ApproxDP, "epsilon"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "to", "size"), SIZED)
def test_more_implies_more_from_0_to_huge(
    make: Callable[[Fraction], Guarantee], to: type[Guarantee], size: str
) -> None:
    delta = DELTA if to is ApproxDP else None
    sizes = [F(0), F(1, 10**30), F(1, 1000), F(1, 3), F(1), F(1001, 1000), F(50), F(10**4)]
    found = [getattr(convert(make(each), to, delta=delta), size) for each in sizes]
    assert found == sorted(found) and found[0] == 0 and found[-1] > 100
    if to is ApproxDP:  # less delta, more epsilon
        for each in (F(1, 3), F(50)):
            several = [convert(make(each), to, delta=d) for d in ("1e-300", "1e-6", "0.4")]
            assert several == sorted(several, key=lambda one: -one.epsilon)  # type: ignore[union-attr]


# Figures of the docs


@pytest.mark.parametrize(
    ("count", "tight", "sums", "concentrated", "pure", "ours"),
    [(1, 4.22, 4.22, 4.53, 1.41, 4.25), (3, 7.32, 12.5, 7.85, 4.24, 7.35),
     (10, 13.4, 41.3, 14.3, 14.1, 13.4), (100, 42.2, 412, 45.3, 141, 42.5)],
)  # fmt: skip
def test_noise_per_unit_of_sensitivity_of_equal_counts_under_epsilon_1(
    count: int, tight: float, sums: float, concentrated: float, pure: float, ours: float
) -> None:
    """Standard deviations for each of `count` counts under (1, 1e-6), by five ways to account."""

    def three_digits(square: Fraction | float) -> float:
        return float(f"{math.sqrt(square):.3g}")

    one = F(1)
    assert three_digits(count / squared_mu(one, DELTA)) == tight
    assert three_digits(1 / squared_mu(one / count, DELTA / count)) == sums
    low, high = F(1, 1000), F(1)
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if epsilon_of_zcdp(middle, DELTA) <= 1 else (low, middle)
    assert three_digits(count / (2 * low)) == concentrated
    assert three_digits(2 * F(count) ** 2) == pure
    assert three_digits(count / squared_mu(one, DELTA * 9 / 10)) == ours


def test_rho_of_mu_is_half_of_its_square() -> None:
    assert convert(GDP(mu=3), ZCDP) == ZCDP(rho="9/2")


def test_epsilon_of_rho_is_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the last step: that the best order is not found hides in which direction the end is rounded."""
    ends = list[F]()

    def seen(compute: Callable[[], arb]) -> F:
        ends.append(upper_end(compute))
        return ends[-1]

    monkeypatch.setattr(conversion, "upper_end", seen)
    assert epsilon_of_zcdp.__wrapped__(F(1, 2), F(1, 10**6)) == ends[-1]
