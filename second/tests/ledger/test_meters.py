"""Both meters against a plain reference, exact at their ends; why neither may be sharpened."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from leastnoise.ledger.meters import Meters, Price, Total
from leastnoise.ledger.records import Attempt, Charge, Header, Line, Request, Stored
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.guarantee import ZCDP

E, D = Fraction(6), Fraction(1, 10**6)
TOTAL = Total.of(E, D)
SMALLEST = Fraction(1, 10**30)


def delta_of(epsilon: float, square: mpmath.mpf) -> mpmath.mpf:
    """The least delta of a Gaussian with this mu^2, from the textbook."""
    mu = mpmath.sqrt(square)
    far = mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
    return mpmath.ncdf(mu / 2 - epsilon / mu) - far


KINDS = st.sampled_from(["pure", "gaussian", "groups"])
TENTHS = st.integers(0, 10)
STEPS = st.lists(st.tuples(KINDS, TENTHS, TENTHS, TENTHS), max_size=12)


@given(STEPS)
def test_a_charge_is_granted_just_if_a_or_b_holds_after_it(
    steps: list[tuple[str, int, int, int]],
) -> None:
    """Prices are tenths of the ends of the meters, so that sums often end exactly there."""
    meters, kept = Meters(TOTAL), list[tuple[str, int, int, int]]()
    for kind, epsilon, square, delta in steps:
        after = [*kept, (kind, epsilon, square, delta if kind == "groups" else 0)]
        price = Price(
            E * epsilon / 10 if kind == "pure" else None,
            TOTAL.squared_mu * square / 10,
            Fraction(0),
            D / 10 * after[-1][3] / 10,
        )
        a = all(kind == "pure" for kind, *_ in after) and sum(e for _, e, _, _ in after) <= 10
        b = sum(s for _, _, s, _ in after) <= 10 and sum(d for *_, d in after) <= 10
        assert meters.fits(price) is (a or b)
        assert (meters.after(price).a_holds, meters.after(price).b_holds) == (a, b)
        if a or b:
            meters, kept = meters.after(price), after
            open_meters = [sum(e for _, e, _, _ in kept)] * a + [sum(s for _, _, s, _ in kept)] * b
            assert meters.spent == Fraction(min(open_meters), 10)


@given(st.lists(st.tuples(TENTHS, TENTHS), max_size=6))
def test_a_ledger_in_rho_adds_up_rho_and_the_deltas_of_groups(steps: list[tuple[int, int]]) -> None:
    meters = Meters(Total.of_rho(Fraction(1, 2), D))
    rho = delta = 0
    for r, d in steps:
        price = Price(None, Fraction(r, 10), Fraction(r, 20), D * d / 10)
        assert meters.fits(price) is (rho + r <= 10 and delta + d <= 10)
        if meters.fits(price):
            meters, rho, delta = meters.after(price), rho + r, delta + d
        assert meters.spent == Fraction(rho, 10)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(6)])
@pytest.mark.parametrize("delta", [Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10)])
def test_meter_b_ends_where_a_gaussian_just_keeps_nine_tenths_of_delta(
    epsilon: Fraction, delta: Fraction
) -> None:
    total = Total.of(epsilon, delta)
    assert total.delta_of_groups == delta / 10
    with mpmath.workdps(40):
        end, kept = mpmath.mpf(total.squared_mu), mpmath.mpf(9 * delta) / 10
        assert delta_of(float(epsilon), end) <= kept < delta_of(float(epsilon), end * (1 + 1e-12))


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1), Fraction(5)])
def test_the_prices_of_a_pure_release(epsilon: Fraction) -> None:
    price = Price.pure(epsilon)
    with mpmath.workdps(40):
        e = mpmath.mpf(epsilon.numerator) / epsilon.denominator
        tail = 1 / (1 + mpmath.exp(e))
        root = mpmath.sqrt(mpmath.mpf(price.squared_mu)) / 2
        assert mpmath.ncdf(-root) <= tail <= mpmath.ncdf(-root * (1 - 1e-12))
        rho = e * mpmath.tanh(e / 2)
        assert rho <= mpmath.mpf(price.rho) <= rho * (1 + 1e-15)
    assert price.epsilon == epsilon and price.delta == 0


def test_the_prices_of_a_gaussian_release() -> None:
    square = Fraction(1, 7)
    assert Price.gaussian(square) == Price(None, square, Fraction(1, 14), Fraction(0))


def test_figures_of_a_ledger_of_epsilon_6() -> None:
    assert round(float(TOTAL.squared_mu), 4) == 1.4203
    shares = [float(TOTAL.squared_mu_at(Fraction(e)) / TOTAL.squared_mu) for e in (1, 2, 3)]
    assert [round(100 * share, 1) for share in shares] == [3.9, 14.0, 29.3]
    assert round(float(100 * Price.pure(Fraction(1)).squared_mu / TOTAL.squared_mu)) == 107
    assert TOTAL.squared_mu_at(E) == TOTAL.squared_mu  # epsilon=E spends everything, no more


def test_after_a_large_laplace_release_gaussian_noise_is_refused() -> None:
    meters = Meters(TOTAL).after(Price.pure(Fraction(1)))
    assert meters.holds and not meters.b_holds
    assert not meters.fits(Price.gaussian(SMALLEST))
    assert meters.fits(Price.pure(E - 1))
    assert not meters.fits(Price.pure(E - 1 + SMALLEST))


def test_a_ledger_of_delta_0_takes_pure_releases_only() -> None:
    meters = Meters(Total.of(E, Fraction(0)))
    assert meters.fits(Price.pure(E)) and not meters.fits(Price.pure(E + SMALLEST))
    assert not meters.fits(Price.gaussian(SMALLEST))
    assert not meters.fits(Price(None, Fraction(0), Fraction(0), SMALLEST))
    assert meters.after(Price.pure(E / 4)).spent == Fraction(1, 4)


def test_groups_spend_their_own_delta_and_leave_the_end_of_b_alone() -> None:
    groups = Price(None, TOTAL.squared_mu / 2, TOTAL.squared_mu / 4, D / 20)
    once = Meters(TOTAL).after(groups)
    assert once.fits(groups) and once.spent == Fraction(1, 2)
    assert once.after(groups).spent == 1
    assert not once.fits(Price(None, SMALLEST, SMALLEST, D / 20 + SMALLEST))
    assert once.fits(Price.gaussian(TOTAL.squared_mu / 2))  # not more, not less, with less delta
    assert not once.fits(Price.gaussian(TOTAL.squared_mu / 2 + SMALLEST))
    rho = Meters(Total.of_rho(Fraction(1), Fraction(0)))
    assert not rho.fits(Price(None, SMALLEST, SMALLEST, SMALLEST))


def test_a_price_covers_one_that_is_less_in_every_currency() -> None:
    numbers = [Fraction(1, 2)] * 4
    price = Price(*numbers)
    assert price.covers(price) and Price(None, *numbers[1:]).covers(price)
    assert not price.covers(Price(None, *numbers[1:]))
    for place in range(4):
        more = Price(*(n + SMALLEST * (at == place) for at, n in enumerate(numbers)))
        assert more.covers(price) and not price.covers(more)


@pytest.mark.parametrize(
    ("count", "tight", "noise"),
    [(1, 4.22, 4.25), (3, 7.32, 7.35), (10, 13.4, 13.4), (100, 42.2, 42.5)],
)
def test_equal_gaussian_releases_lose_half_a_per_cent_of_noise_to_tight_composition(
    count: int, tight: float, noise: float
) -> None:
    total = Total.of(Fraction(1), D)
    each, meters = Price.gaussian(total.squared_mu / count), Meters(total)
    for _ in range(count):
        assert meters.fits(each)
        meters = meters.after(each)
    assert meters.spent == 1 and not meters.fits(Price.gaussian(SMALLEST))
    with mpmath.workdps(30):
        best = mpmath.findroot(lambda x: delta_of(1, x) / mpmath.mpf(10) ** -6 - 1, 0.056)
    least, ours = math.sqrt(count / best), math.sqrt(1 / each.squared_mu)
    assert (float(f"{least:.3g}"), float(f"{ours:.3g}")) == (tight, noise)
    assert 1 < ours / least < 1.006


def test_curves_may_not_be_composed_until_the_promise_is_reached() -> None:
    """Meter B must not be sharpened so: each of two continuations is within (1, a), both are not.

    First randomized response of epsilon 1/2. Then either everything is shown with chance a, or
    randomized response of epsilon 1: whichever hurts more after the first answer.
    """
    first = 1 / (1 + math.exp(-0.5))  # of the answer that speaks for the table with the unit

    def response(epsilon: float) -> float:
        return max(0.0, (math.e - math.exp(epsilon)) / (math.e + 1))

    limit = first * response(0.5)
    shown = [limit, limit]  # delta at 1 - loss, after the losses 1/2 and -1/2
    answered = [response(0.5), response(1.5)]

    def composed(high: float, low: float) -> float:
        return first * high + (1 - first) * low

    assert composed(*shown) == pytest.approx(limit)
    assert composed(*answered) == pytest.approx(limit)
    worst = max(composed(a[0], b[1]) for a, b in product((shown, answered), repeat=2))
    assert worst / limit == pytest.approx(1.3775, abs=1e-4)


def test_the_end_of_b_may_not_move_with_the_delta_that_groups_leave() -> None:
    """An analyst under (6, 1e-6) who trades one for the other gets 1.98 times delta.

    First a Gaussian of 0.7 of all that fits. Only if it says much (1 in 200) the rest of it; else a
    group is shown with all of delta that the first left.
    """
    with mpmath.workdps(30):
        whole = float(mpmath.findroot(lambda x: delta_of(6, x) / mpmath.mpf(10) ** -6 - 1, 1.43))
        mu, rest = math.sqrt(0.7 * whole), math.sqrt(0.3 * whole)
        left = 1e-6 - float(delta_of(6, 0.7 * whole))
    border = norm.isf(0.005)

    def gained(z: float) -> float:
        epsilon = 6 - mu * z - mu * mu / 2
        return float(norm.pdf(z) * (norm.cdf(rest / 2 - epsilon / rest)
                     - math.exp(epsilon) * norm.cdf(-rest / 2 - epsilon / rest)))  # fmt: skip

    tail, _ = quad(gained, border, 12, epsabs=1e-16, limit=200)
    assert (0.995 * left + tail) / 1e-6 == pytest.approx(1.985, abs=0.002)


def test_what_is_beyond_both_meters_is_all_spent() -> None:
    beyond = Meters(TOTAL).after(Price(E + 1, TOTAL.squared_mu * 2, Fraction(0)))
    assert not beyond.holds and beyond.spent == 1


def test_a_price_is_never_below_0() -> None:
    for place in range(4):
        numbers = [Fraction(0)] * 4
        assert Price(*numbers)
        numbers[place] = -SMALLEST
        with pytest.raises(InvalidInput, match="never below 0"):
            Price(*numbers)


def test_what_is_counted_cannot_be_changed() -> None:
    for kind in (Price, Total, Meters, Header, Request, Charge, Attempt, Stored):
        assert kind.__dataclass_params__.frozen  # type: ignore[union-attr]
    assert issubclass(Line, tuple)


def test_a_total_of_rho_is_a_promise_in_rho() -> None:
    total = Total.of_rho(Fraction(1, 2), D)
    assert (total.guarantee, total.delta_of_groups) == (ZCDP(rho=Fraction(1, 2)), D)


ONE_EACH = Price(Fraction(1), Fraction(2), Fraction(3), Fraction(1, 4))
NOT_PURE = Price(None, Fraction(10), Fraction(20), Fraction(1, 8))


def test_prices_add_up_and_are_pure_where_all_are() -> None:
    assert Price(Fraction(2), Fraction(4), Fraction(6), Fraction(1, 2)) == ONE_EACH + ONE_EACH
    both = Price(None, Fraction(12), Fraction(23), Fraction(3, 8))
    assert ONE_EACH + NOT_PURE == NOT_PURE + ONE_EACH == both
    assert Price(None, Fraction(20), Fraction(40), Fraction(1, 4)) == NOT_PURE + NOT_PURE


def test_a_price_covers_another_that_is_nowhere_above_it() -> None:
    assert ONE_EACH.covers(ONE_EACH) and NOT_PURE.covers(NOT_PURE)
    for name, value in vars(ONE_EACH).items():
        more = replace(ONE_EACH, **{name: value + Fraction(1, 10**9)})
        assert more.covers(ONE_EACH) and not ONE_EACH.covers(more), name
    assert replace(ONE_EACH, epsilon=None).covers(ONE_EACH)
    assert not ONE_EACH.covers(replace(ONE_EACH, epsilon=None))
