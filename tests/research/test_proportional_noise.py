"""The note's Algorithm 2: infinite in one direction, and what is true up to an order."""

import math
import pickle
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.groupwise.truncated_zcdp import TruncatedZCDP
from leastnoise.privacy.guarantee import RDP, ZCDP
from leastnoise.privacy.to_approx import zcdp_to_approx
from leastnoise.research.proportional_noise import ProportionalNoise, infinite_from
from tests.examples import examples
from tests.scripted import NoEntropy
from tests.statistical.goodness_of_fit import FALSE_ALARM

SECRET = 987654321
TENTH = ProportionalNoise(relative_error="0.1", smallest=20, order=5)
HALF = ProportionalNoise(relative_error="0.5", smallest=5, order=2)


def line(noise: ProportionalNoise, size: int, neighbour: int, order: str | Fraction | int) -> float:
    return float(noise.law(size).renyi(noise.law(neighbour), Fraction(order)))


def printed(x: int, r: float, order: float) -> float:
    """The note's D_α(x‖x+1), as printed."""
    mixed = x**2 + order * (2 * x + 1)
    middle = math.log((x + 1) ** 2 / mixed) / (2 * (order - 1))
    return 2 * math.log((x + 1) / x) + middle + order / (2 * r**2 * mixed)


# The errata.


def test_the_reverse_direction_is_infinite() -> None:
    """E1, and the figure: at x = 100, r = 0.1 infinite at 51, finite at 50."""
    assert infinite_from(5) == Fraction(36, 11)
    assert math.isinf(line(HALF, 6, 5, "36/11"))
    assert math.isfinite(line(HALF, 6, 5, "35/11"))
    assert 50 < infinite_from(100) < 51
    assert math.isinf(line(TENTH, 101, 100, 51))
    assert line(TENTH, 101, 100, 50) == pytest.approx(16.589, abs=1e-3)
    assert line(TENTH, 100, 101, 51) == pytest.approx(0.1290, abs=1e-4)
    for order in (51, infinite_from(100)):
        assert TENTH.renyi(101, 100, order=order).lower == math.inf
    assert TENTH.renyi(101, 100, order=50).upper < 17


def test_the_notes_guarantee_is_broken_at_a_finite_order_already() -> None:
    claimed = 5 / (2 * 0.01 * 400) + 2 * math.log(1 + 1 / 20)
    assert claimed == pytest.approx(0.7226, abs=5e-5)
    assert line(TENTH, 21, 20, 5) == pytest.approx(1.0765, abs=5e-5)
    assert line(TENTH, 21, 20, 5) > claimed


def test_the_neighbour_below_counts_too() -> None:
    """E2: for a group of x the order limit is that of (x−1, x)."""
    assert infinite_from(99) < infinite_from(100)
    assert math.isinf(line(TENTH, 100, 99, infinite_from(99)))
    assert math.isfinite(line(TENTH, 101, 100, infinite_from(99)))
    assert infinite_from(0) == 1
    # The promise to a group of x is that of the pair below it.
    assert TENTH.promise(21) == TENTH.promise(20)
    assert TENTH.promise(22).rho < TENTH.promise(21).rho


def test_the_coefficient_of_the_logarithm() -> None:
    """E3."""
    assert line(HALF, 5, 6, 2) == pytest.approx(0.13411, abs=5e-6)
    assert printed(5, 0.5, 2) == pytest.approx(0.31644, abs=5e-6)
    assert printed(5, 0.5, 2) - line(HALF, 5, 6, 2) == pytest.approx(math.log(6 / 5))


def test_the_kl_divergence() -> None:
    """E4: ln(x′/x) + (r²x² + 1)/(2r²x′²) − ½."""
    assert line(HALF, 5, 6, 1) == pytest.approx(0.08510, abs=5e-6)
    assert line(HALF, 5, 6, 1) + math.log(6 / 5) == pytest.approx(0.26742, abs=5e-6)


def test_the_forward_direction_is_bounded_in_the_order() -> None:
    """E3: the printed bound on it is valid, though loose."""
    for order in (2, 10, 1000, 10**6):
        bound = order / (2 * 0.01 * 20**2) + math.log(1 + 1 / 20)
        assert line(TENTH, 20, 21, order) <= bound
    assert line(TENTH, 20, 21, 10**9) < 1.4


@pytest.mark.parametrize("mean", [3.0, 0.5])
def test_the_finite_part_of_the_inverse_square(mean: float) -> None:
    """E6: Hadamard's finite part of E[1/X²] for X ∼ N(μ, 1), by subtracting the pole."""

    def weight(x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.npdf(x, mean, 1)

    def tamed(x: mpmath.mpf) -> mpmath.mpf:
        return (weight(x) + weight(-x) - 2 * weight(mpmath.mpf(0))) / x**2

    with mpmath.workdps(30):
        cut = mpmath.mpf(1)
        inner = mpmath.quad(tamed, [0, cut], method="gauss-legendre")
        inner -= 2 * weight(mpmath.mpf(0)) / cut
        outer = mpmath.quad(lambda x: (weight(x) + weight(-x)) / x**2, [cut, 4, 20])
        root = mpmath.sqrt(2)
        dawson = mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-(mean**2) / 2) * mpmath.erfi(mean / root)
        corrected = root * mean * dawson - 1
    assert float(inner + outer) == pytest.approx(float(corrected), rel=1e-12)
    if mean == 3:
        assert float(corrected) == pytest.approx(0.179501, abs=5e-7)
        assert float(corrected / 2) == pytest.approx(0.089750, abs=5e-7)


def test_the_mean_error() -> None:
    """E14: √(2/π)·r·x, not just at most r·x."""
    error = TENTH.expected_error(100)
    assert float(error) == pytest.approx(math.sqrt(2 / math.pi) * 10, rel=1e-15)
    assert TENTH.expected_error(3) == TENTH.expected_error(20)


# The promise up to an order.


def test_the_promise_at_half_the_limit_is_the_formula_of_the_errata() -> None:
    x, r = 50, Fraction(1, 10)
    order = 1 + Fraction(x * x, 2 * (2 * x + 1))
    noise = ProportionalNoise(relative_error=r, smallest=x, order=order)
    formula = (1 / r**2 + 2 * (1 + Fraction(1, 2 * x)) ** 2) / x**2
    assert noise.promise(x) == TruncatedZCDP(rho=formula, order=order)
    assert noise.guarantee == RDP(order=order, epsilon=formula * order)


@examples(60, 300)
@given(
    size=st.integers(1, 3000),
    r=st.fractions(Fraction(1, 1000), 1, max_denominator=1000),
    theta=st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100),
    place=st.fractions(Fraction(1, 10**6), 1, max_denominator=10**6),
)
def test_the_promise_is_kept(size: int, r: Fraction, theta: Fraction, place: Fraction) -> None:
    """On the line and on the lattice, both ways, at every order up to the limit."""
    limit = 1 + theta * (infinite_from(size) - 1)
    noise = ProportionalNoise(relative_error=r, smallest=size, order=limit)
    order = 1 + place * (limit - 1)
    allowed = noise.promise(size).rho * order
    for pair in ((size, size + 1), (size + 1, size)):
        assert noise.law(pair[0]).renyi(noise.law(pair[1]), order).upper <= allowed
        assert noise.renyi(*pair, order=order).upper <= allowed


@settings(deadline=None, max_examples=50)
@given(st.integers(20, 10**6), st.integers(0, 10**6))
def test_larger_groups_are_promised_no_less(size: int, more: int) -> None:
    assert TENTH.promise(size + more).rho <= TENTH.promise(size).rho
    assert TENTH.promise(size).rho <= TENTH.promise(0).rho


@pytest.mark.spread(3)
@pytest.mark.parametrize("pair", [(20, 21), (21, 20), (25, 24)])
@pytest.mark.parametrize("order", ["1.25", "3"])
def test_the_lattice_divergence_by_brute_force(pair: tuple[int, int], order: str) -> None:
    alpha, steps = mpmath.mpf(order), TENTH.steps
    r = mpmath.mpf("0.1")

    def law(count: int) -> list[mpmath.mpf]:
        variance = (steps * r * count) ** 2
        weights = [mpmath.exp(-((k - steps * count) ** 2) / (2 * variance)) for k in places]
        return [weight / mpmath.fsum(weights) for weight in weights]

    with mpmath.workdps(30):
        reach = int(20 * steps * r * 25)
        places = range(steps * pair[0] - reach, steps * pair[0] + reach + 1)
        p, q = law(pair[0]), law(pair[1])
        terms = [x**alpha * y ** (1 - alpha) for x, y in zip(p, q, strict=True)]
        expected = mpmath.log(mpmath.fsum(terms)) / (alpha - 1)
    found = TENTH.renyi(*pair, order=order)
    assert float(found) == pytest.approx(float(expected), rel=1e-12)
    assert float(found) == pytest.approx(line(TENTH, *pair, order), rel=1e-12)


def test_there_is_no_group_wise_promise() -> None:
    with pytest.raises(UnsupportedQuery, match="not group-wise zCDP for any v and ξ") as caught:
        _ = TENTH.groupwise
    assert "infinite from order" in str(caught.value)
    assert "promise" in str(caught.value)


def test_equal_counts_do_not_differ() -> None:
    assert TENTH.renyi(7, 20, order=100).upper == 0


# Truncated zCDP.


def test_truncation_costs_only_where_it_binds() -> None:
    loose, tight = TruncatedZCDP(rho="0.02", order=1000), TruncatedZCDP(rho="0.02", order=5)
    whole = zcdp_to_approx(ZCDP(rho="0.02"), delta="1e-6")
    assert loose.approx(delta="1e-6").epsilon == pytest.approx(float(whole.epsilon), rel=0.03)
    assert loose.approx(delta="1e-6").epsilon >= whole.epsilon
    assert tight.approx(delta="1e-6").epsilon > 2 * whole.epsilon
    assert tight.at_order(3) == RDP(order=3, epsilon="0.06")
    assert TruncatedZCDP(rho=0, order=3).approx(delta="0.1").delta == Fraction(1, 10)


def test_truncated_promises_are_values() -> None:
    promise = TruncatedZCDP(rho="1/3", order="2.5")
    assert eval(repr(promise)) == promise
    assert str(promise).endswith("ρ = 1/3, for orders up to 2.5 only")


@pytest.mark.parametrize("order", [1, "5.1", math.nan])
def test_orders_out_of_reach(order: Any) -> None:
    with pytest.raises(InvalidParameter):
        TruncatedZCDP(rho="0.02", order=5).at_order(order)


@pytest.mark.parametrize("arguments", [{"rho": -1, "order": 2}, {"rho": 1, "order": 1}])
def test_bad_promises(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        TruncatedZCDP(**arguments)


# Releases.


@pytest.mark.parametrize("wrong", [None, Fraction(9, 10), Fraction(11, 10)])
def test_releases_fit_the_stated_law(wrong: Fraction | None) -> None:
    x, draws = 20, 1 << 18
    error = Fraction(1, 10) * (wrong or 1)
    noise = ProportionalNoise(relative_error=error, smallest=20, order=5)
    released = noise.release(np.full(draws, x)).value
    steps, spread = TENTH.steps, TENTH.steps * 0.1 * x
    k = np.arange(-int(9 * spread), int(9 * spread) + 1)
    mass = np.exp(-(k**2) / (2 * spread**2))
    places = (2 * k + steps) // (2 * steps)
    law = np.bincount(places - places.min(), mass / mass.sum()) * draws
    kept = law > 50
    seen = np.bincount(released - x - places.min(), minlength=len(law))[: len(law)]
    rest = draws - law[kept].sum(), draws - seen[kept].sum()
    statistic = ((seen[kept] - law[kept]) ** 2 / law[kept]).sum() + (rest[1] - rest[0]) ** 2 / rest[
        0
    ]
    p_value = float(chi2.sf(statistic, df=kept.sum()))
    assert (p_value >= FALSE_ALARM) == (wrong is None)


def test_shapes_and_small_counts() -> None:
    assert isinstance(TENTH.release(30).value, int)
    released = TENTH.release(np.array([[0, 30], [10**6, 20]]))
    assert released.value.shape == (2, 2)
    assert released.guarantee == TENTH.guarantee
    named = TENTH.release({"a": 0, "b": 50})
    assert set(named.value) == {"a", "b"}
    # An empty group is released like one of 20, noise and all.
    many = TENTH.release(np.zeros(20_000, dtype=np.int64)).value
    assert abs(float(many.mean()) - 20) < 6 * 2 / 20_000**0.5
    assert float(many.std()) == pytest.approx(2, rel=0.1)


def test_it_is_a_value() -> None:
    assert TENTH == pickle.loads(pickle.dumps(TENTH)) == eval(repr(TENTH))


# Refusals.


@pytest.mark.parametrize(
    "arguments",
    [
        {"relative_error": 0},
        {"relative_error": "1.5"},
        {"smallest": 0},
        {"smallest": 2.0},
        {"smallest": 2**51},
        {"order": 1},
        {"order": infinite_from(20)},
        {"order": 51},
        {"order": math.inf},
        {"order": math.nan},
    ],
)
def test_bad_parameters(arguments: dict[str, Any]) -> None:
    good: dict[str, Any] = {"relative_error": "0.1", "smallest": 20, "order": 5}
    with pytest.raises(InvalidParameter):
        ProportionalNoise(**(good | arguments))


@pytest.mark.parametrize("counts", [-SECRET, [1, -SECRET], [SECRET, 0.5], 2**50 + SECRET, None])
def test_bad_counts_are_refused_and_never_shown(counts: object) -> None:
    with pytest.raises(InvalidParameter) as caught:
        TENTH.release(counts, NoEntropy())  # type: ignore[arg-type]
    assert str(SECRET) not in str(caught.value)


def test_bad_questions() -> None:
    with pytest.raises(InvalidParameter):
        TENTH.promise(-1)
    with pytest.raises(InvalidParameter):
        TENTH.renyi(20, 21, order=1)
    with pytest.raises(InvalidParameter):
        infinite_from(-1)
