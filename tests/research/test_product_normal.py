"""The product of two normal variables: density, error, divergences, and the bounds behind them."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from flint import acb, arb
from scipy.optimize import minimize_scalar

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.privacy.laws.normal import Normal
from leastnoise.research.product_normal import divergence
from leastnoise.research.product_normal.chart import (
    FIRST_AT_REST,
    ROOT,
    SECOND_AT_REST,
    Disc,
)
from leastnoise.research.product_normal.divergence import WIDER, panel_integral
from leastnoise.research.product_normal.expansion import TERMS, expansion
from leastnoise.research.product_normal.nodes import Nodes, chosen_nodes
from leastnoise.research.product_normal.origin import Origin, origin_share
from leastnoise.research.product_normal.peaks import (
    Parabola,
    active_range,
    log_parabola,
)
from leastnoise.research.product_normal.product_normal import ProductNormal
from leastnoise.research.product_normal.strip_bound import StripBound
from leastnoise.research.product_normal.window import ProductPair, Stretch, _estimate, _log
from tests.research import product_reference


def product(mean: str | int, sigma_squared: str | int, r: str) -> ProductNormal:
    return ProductNormal(Normal(mean, sigma_squared), Normal(1, Fraction(r) ** 2))


# The density.


@pytest.mark.parametrize(
    ("law", "y"),
    [
        (product(5, 1, "0.5"), 4),
        (product(5, 1, "0.5"), -4),
        (product(0, 2, "1"), "0.3"),
        (product(2, "0.25", "0.1"), "-0.01"),
        (product(3, 1, "1"), "1e-9"),
        (product(100, 1, "0.1"), 100),
        (product(20, 1, "0.1"), -20),
        (ProductNormal(Normal(-3, 2), Normal(0, 5)), 7),
    ],
    ids=repr,
)
def test_series_and_quadrature_agree_to_thirty_digits(law: ProductNormal, y: str | int) -> None:
    one, other = law.density(y), law.density_by_series(y)
    assert max(one.lower, other.lower) <= min(one.upper, other.upper)
    for bracket in (one, other):
        assert bracket.width <= bracket.upper / 10**30


@pytest.mark.parametrize(("mean", "y"), [(5, 4.0), (5, -4.0), (0, 0.5)])
def test_density_against_the_defining_integral(mean: int, y: float) -> None:
    def given(x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.npdf(x, mean, 1) * mpmath.npdf(y / x, 1, 0.5) / abs(x)

    cuts = [-10, -3, -1, -0.3, 0, 0.3, 1, 3, 5, 8, 15]
    with mpmath.workdps(20):
        expected = mpmath.quad(given, cuts)
    assert float(product(mean, 1, "0.5").density(y)) == pytest.approx(float(expected), rel=1e-12)


def test_the_documents_double_series_is_the_one_used() -> None:
    """The note's formula, summed as printed, at a place where it converges fast."""
    x, sigma, r, y = mpmath.mpf(1), mpmath.mpf(1), mpmath.mpf("0.7"), mpmath.mpf("-0.6")
    bessel = [mpmath.besselk(k, abs(y) / (sigma * r)) for k in range(30)]
    total = mpmath.mpf(0)
    for n in range(30):
        for m in range(2 * n + 1):
            top = x**m * y ** (2 * n - m) * abs(y) ** (m - n)
            bottom = mpmath.pi * mpmath.factorial(2 * n)
            bottom *= sigma ** (n + m + 1) * r ** (3 * n - m + 1)
            total += mpmath.binomial(2 * n, m) * top / bottom * bessel[abs(m - n)]
    total *= mpmath.exp(-(x**2) / (2 * sigma**2) - 1 / (2 * r**2))
    assert float(product(1, 1, "0.7").density("-0.6")) == pytest.approx(float(total), rel=1e-14)


# Moments and the mean error.


def test_mean_and_variance() -> None:
    law = ProductNormal(Normal(-3, 2), Normal("0.5", 5))
    assert law.mean == Fraction(-3, 2)
    assert law.variance == (9 + 2) * (Fraction(1, 4) + 5) - law.mean**2
    # r²x² + σ²(1 + r²), as the note has it.
    assert product(7, 3, "0.1").variance == Fraction(49, 100) + 3 * Fraction(101, 100)


@pytest.mark.parametrize(
    ("law", "golden"),
    [(product(13, 1, "0.1"), 1.3103), (product(14, 1, "0.1"), 1.3743)],
)
def test_golden_mean_errors(law: ProductNormal, golden: float) -> None:
    assert float(law.mean_absolute_deviation()) == pytest.approx(golden, abs=5e-5)


@pytest.mark.parametrize(("mean", "r"), [(3, "0.9"), (1, "1"), (40, "0.02")])
def test_mean_error_by_another_integral(mean: int, r: str) -> None:
    """Given X instead of Z."""
    spread = mpmath.mpf(r)

    def given(x: mpmath.mpf) -> mpmath.mpf:
        scale, shift = spread * abs(x), x - mean
        ratio = shift / scale / mpmath.sqrt(2)
        folded = scale * mpmath.sqrt(2 / mpmath.pi) * mpmath.exp(-(ratio**2))
        return mpmath.npdf(x, mean, 1) * (folded + shift * mpmath.erf(ratio))

    with mpmath.workdps(20):
        parts = [mean - 12, mean - 3, mean - 1, mean, mean + 1, mean + 3, mean + 12]
        cuts = sorted({*parts, *([-0.1, 0, 0.1] if mean < 12 else [])})
        expected = mpmath.quad(given, cuts)
    found = product(mean, 1, r).mean_absolute_deviation()
    assert float(found) == pytest.approx(float(expected), rel=1e-9)
    assert found.width < Fraction(1, 10**12)


def test_mean_error_of_a_centred_product_splits() -> None:
    law = ProductNormal(Normal(0, 4), Normal(0, 9))
    assert float(law.mean_absolute_deviation()) == pytest.approx(2 * 3 * 2 / math.pi, rel=1e-14)


# Divergences.


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("size", "neighbour", "sigma_squared", "r", "order"),
    [
        (2, 3, 1, "0.5", "1.5"),
        (3, 2, 1, "0.5", "4"),
        (0, 1, "0.5", "1", "2"),
        (12, 11, 4, "0.3", "1"),
        (1, 0, 4, "1", "3"),
    ],
)
def test_divergence_against_brute_force(
    size: int, neighbour: int, sigma_squared: str | int, r: str, order: str
) -> None:
    one, other = product(size, sigma_squared, r), product(neighbour, sigma_squared, r)
    bracket = one.renyi(other, order)
    sigma = float(Fraction(sigma_squared)) ** 0.5
    expected = product_reference.renyi(size, neighbour, sigma, float(r), float(order))
    assert float(bracket.lower) - 1e-6 * expected <= expected <= float(bracket.upper) * (1 + 1e-6)
    assert bracket.width < Fraction(1, 10**4) * bracket.upper


@pytest.mark.parametrize(
    ("size", "neighbour", "order", "share"),
    [(101, 100, 2, 0.0051401), (100, 101, 1, 0.0049453)],
)
def test_golden_divergences(size: int, neighbour: int, order: int, share: float) -> None:
    bracket = product(size, 1, "0.1").renyi(product(neighbour, 1, "0.1"), order)
    assert float(bracket) / order == pytest.approx(share, abs=5e-8)
    assert bracket.width < Fraction(1, 10**13)


@pytest.mark.parametrize(("order", "peak"), [(500, 302), (50_000, 25_055)])
def test_the_size_of_an_integral_is_known_well_enough_for_its_panels(
    order: int, peak: float
) -> None:
    pair = ProductPair(arb(101), arb(100), arb(10), arb(order))
    ends = math.log(peak / 2), math.log(2 * peak)
    highest = minimize_scalar(
        lambda t: -_log(pair, 1, math.exp(t)), bounds=ends, options={"xatol": 1e-12}
    )
    # Panels may be off by 2^-50 of this size: one that is 25 too small in the exponent asks for
    # what no panel can give.
    assert _estimate(pair) == pytest.approx(-highest.fun, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "neighbour", "order", "share"),
    [
        (2, 3, 3, 0.4953),
        (101, 100, 100, 0.088),
        (100, 101, 100, 0.0017),
        (101, 100, 500, 0.2076),
        (101, 100, 50_000, 0.2495),
        (8, 9, 9, 0.4957),
    ],
)
def test_golden_divergences_of_higher_orders(
    size: int, neighbour: int, order: int, share: float
) -> None:
    bracket = product(size, 1, "0.1").renyi(product(neighbour, 1, "0.1"), order)
    assert float(bracket) / order == pytest.approx(share, abs=6e-5)
    assert bracket.width < bracket.upper / 10**5


def test_golden_kl_of_a_small_group() -> None:
    bracket = product(5, 1, "0.5").renyi(product(6, 1, "0.5"), 1)
    assert float(bracket) == pytest.approx(0.0647, abs=5e-5)


def test_divergence_never_exceeds_that_of_the_first_factor() -> None:
    bracket = product(1, 1, "0.5").renyi(product(0, 1, "0.5"), 2)
    assert bracket.upper < 1
    assert product(3, 1, "0.5").renyi(product(3, 1, "0.5"), 7).upper == 0
    assert product(3, 1, "0.5").renyi(product(4, 1, "0.5"), math.inf).lower == math.inf


# The bounds behind the divergences.

DISCS = [
    (100.0, 10.0, Disc(ROOT, 31.5, 1.0)),
    (100.0, 10.0, Disc(FIRST_AT_REST, 1000.0, 150.0)),
    (2.0, 10.0, Disc(ROOT, 0.0625, 0.015)),
    (2.0, 10.0, Disc(SECOND_AT_REST, 20.0, 4.0)),
    (3.0, -10.0, Disc(SECOND_AT_REST, 0.0625, 0.01)),
    (0.0, 1.0, Disc(ROOT, 1.0, 0.2)),
    (100.0, 10.0, Disc(ROOT, 300.0, 8.0)),
    (-2.0, 3.0, Disc(FIRST_AT_REST, 4.0, 0.5)),
]
on_each_disc = pytest.mark.parametrize(("a", "b", "disc"), DISCS)


def around(disc: Disc, share: float, turns: int) -> Iterator[acb]:
    """Places on a circle about the centre, as distances from it."""
    for turn in range(turns):
        yield acb(disc.radius * share) * acb(0, 2 * math.pi * turn / turns).exp()


def directly(a: float, b: float, disc: Disc, delta: acb, scale: Parabola) -> acb:
    """φ·exp(−scale(δ)) for complex δ, by Arb's own integrator."""
    place, (height, slope, bend) = acb(disc.centre) + delta, map(arb, scale)
    w = place if disc.chart.is_root else place.sqrt()
    drop = height + slope * delta + bend * delta**2

    def integrand(t: acb, _: bool) -> acb:
        up, down = w * t.exp(), w * (-t).exp()
        first = (-((up - a) ** 2 + (down - b) ** 2) / 2 - drop).exp()
        return first + (-((up + a) ** 2 + (down + b) ** 2) / 2 - drop).exp()

    ends = [math.log((abs(mean) + 20) / float(disc.root) + 2) for mean in (a, b)]
    return acb.integral(integrand, -ends[1], ends[0], abs_tol=arb(2) ** -90, rel_tol=arb(2) ** -90)


@on_each_disc
def test_the_series_is_the_function_on_the_whole_disc(a: float, b: float, disc: Disc) -> None:
    with divergence._long_series():
        found = expansion(arb(a), arb(b), disc)
        assert found.least > 0
        # Well inside, the terms beyond the last are negligible.
        for delta in around(disc, 1 / 3, 5):
            powers = [delta**k for k in range(TERMS)]
            series = sum((c * x for c, x in zip(found.coefficients, powers, strict=True)), acb(0))
            gap = abs(series - directly(a, b, disc, delta, found.scale))
            assert gap.upper() < 2**-40
            assert gap.lower() < 2**-60
        for delta in around(disc, 1, 5):
            edge = directly(a, b, disc, delta, found.scale)
            assert found.least <= abs(edge) <= found.greatest


@pytest.mark.spread(10)
@on_each_disc
@pytest.mark.parametrize(("coarser", "kept"), [(1.0, 1.0), (1.5, 1.0), (3.0, 1.0), (1.0, 0.5)])
def test_the_error_of_the_nodes_is_bounded(
    a: float, b: float, disc: Disc, coarser: float, kept: float
) -> None:
    """Also for nodes that are too coarse or too few, where there is an error to speak of."""
    with balls.precision(128):
        scale = log_parabola([(a, b)], disc)
        bound = StripBound((arb(a), arb(b)), disc, scale)
        nodes = chosen_nodes((a, b), disc, scale)
        assert nodes is not None
        step, width = nodes.step * coarser, (nodes.high - nodes.low) * kept
        low = nodes.low + (nodes.high - nodes.low - width) / 2
        nodes = Nodes(low, step, math.ceil(width / step), nodes.strip)
        error = bound.error(nodes)
        for delta in around(disc, 1, 3):
            gap = abs(summed(bound, nodes, delta) - integrated(bound, delta))
            assert gap.lower() <= error


@on_each_disc
def test_bounds_on_cells_and_on_circles(a: float, b: float, disc: Disc) -> None:
    """The exponent's real part, sampled at random, stays below what is claimed for its cell."""
    scale = log_parabola([(a, b)], disc)
    bound, random = StripBound((arb(a), arb(b)), disc, scale), np.random.default_rng(5)
    s, u, v = disc.floats
    low, high = active_range(s, (a, b), 60.0)
    cuts = np.linspace(low - 0.5, high + 0.5, 200)
    left, right = cuts[:-1], cuts[1:]

    def exponent(t: np.ndarray, delta: np.ndarray) -> np.ndarray:
        p, q = (s + u * delta) * np.exp(t), (s + v * delta) * np.exp(-t)
        square = (p - a) ** 2 + (q - b) ** 2
        return np.real(-square / 2 - scale.height - scale.slope * delta - scale.bend * delta**2)

    for above in (0.0, 0.1):
        tops = bound._tops(left, right, above)
        for _ in range(200):
            t = left + (right - left) * random.choice([0, 1, random.random()]) + 1j * above
            delta = disc.radius * np.exp(2j * np.pi * random.random(len(t)))
            assert np.all(exponent(t, delta) <= tops + 1e-9 * np.abs(tops))
    nodes = Nodes(low, (high - low) / 100, 100, 0.1)
    places = low + nodes.step * np.arange(101.0)
    circles = (1.0, 2.0)
    for wider, most_of_all in zip(circles, bound.sums_on_circles(nodes, circles), strict=True):
        most = float(most_of_all.log())
        for turn in np.linspace(0, 2 * np.pi, 24):
            logs = exponent(places, wider * disc.radius * np.exp(1j * turn))
            total = float(np.logaddexp.reduce(logs)) + math.log(nodes.step)
            assert total <= most + 1e-9 * abs(most)


@on_each_disc
def test_far_out_little_is_left(a: float, b: float, disc: Disc) -> None:
    """The bound on ∫ |G| beyond an edge is one, and small enough to be of use."""
    scale = log_parabola([(a, b)], disc)
    with balls.precision(128):
        bound = StripBound((arb(a), arb(b)), disc, scale)
        s, u, v = disc.floats
        for side, flipped in ((1, False), (-1, True)):
            part = bound._flipped if flipped else bound
            mean = abs(part._branch[0])
            edge = math.log((10 * mean + 12) / s)
            most = float(part._far(edge, 0.05, 0.01).log())
            t = side * (edge + np.linspace(0, 0.3, 400)) + 0.05j
            for turn in np.linspace(0, 2 * np.pi, 12):
                delta = disc.radius * np.exp(1j * turn)
                p, q = (s + u * delta) * np.exp(t), (s + v * delta) * np.exp(-t)
                logs = np.real(
                    -((p - a) ** 2 + (q - b) ** 2) / 2
                    - scale.height
                    - scale.slope * delta
                    - scale.bend * delta**2
                )
                assert float(np.logaddexp.reduce(logs)) + math.log(0.3 / 400) <= most


def test_charts_agree() -> None:
    """One density, three variables."""
    with divergence._long_series():
        found = []
        for chart, centre in ((ROOT, 4.0), (FIRST_AT_REST, 16.0), (SECOND_AT_REST, 16.0)):
            part = expansion(arb(5), arb(3), Disc(chart, centre, 0.25))
            found.append(part.coefficients[0] * arb(part.scale.height).exp())
        assert found[0].overlaps(found[1])
        assert found[0].overlaps(found[2])
        assert found[0].rad() < 1e-15


def summed(bound: StripBound, nodes: Nodes, delta: acb) -> acb:
    up, factor, total = arb(nodes.low).exp(), arb(nodes.step).exp(), acb(0)
    for _ in range(nodes.last + 1):
        height, slope, bend = bound.parabola(up)
        total += (height + slope * delta + bend * delta**2).exp()
        up *= factor
    return arb(nodes.step) * total


def integrated(bound: StripBound, delta: acb) -> acb:
    s, (u, v) = bound.disc.root, bound.disc.speeds
    mean, other = bound.means
    height, slope, bend = map(arb, bound.scale)
    scale = height + slope * delta + bend * delta**2

    def integrand(t: acb, _: bool) -> acb:
        p, q = (s + u * delta) * t.exp(), (s + v * delta) * (-t).exp()
        return (-((p - mean) ** 2 + (q - other) ** 2) / 2 - scale).exp()

    ends = [math.log((abs(float(m)) + 20) / float(s) + 2) for m in bound.means]
    return acb.integral(integrand, -ends[1], ends[0], abs_tol=arb(2) ** -90, rel_tol=arb(2) ** -90)


@pytest.mark.parametrize("half", [0.25, 0.5])
def test_a_wide_panel_holds_its_parts(half: float) -> None:
    """Where the terms beyond the last matter, the panel says so."""

    def panel(centre: float, length: float) -> arb:
        found = panel_integral(pair, 1, Disc(ROOT, centre, length * WIDER))
        assert found is not None
        return found

    with divergence._long_series():
        pair = ProductPair(arb(4), arb(3), arb(2), arb(100))
        whole, length = panel(6.0, half), half / 16
        parts = sum((panel(6.0 - half + length * (2 * k + 1), length) for k in range(16)), arb(0))
        assert whole.overlaps(parts)
        # There is a remainder to leave out.
        assert abs(whole.mid() - parts.mid()) > parts.rad()


@pytest.mark.parametrize(("low", "high"), [(0.0625, 16.0), (35.25, 1024.0), (3.0, 4096.0)])
@pytest.mark.parametrize("failing", [0, 0.1])
def test_panels_meet_and_end_where_they_should(
    low: float, high: float, failing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever panels fail on the way, and exactly: floats are compared as fractions."""
    random, panels = np.random.default_rng(3), []

    def pretended(_pair: ProductPair, _sign: int, disc: Disc) -> arb | None:
        if random.random() < failing:
            return None
        half = Fraction(disc.radius) / Fraction(WIDER)
        panels.append((Fraction(disc.centre) - half, Fraction(disc.centre) + half))
        return arb(0)

    monkeypatch.setattr(divergence, "panel_integral", pretended)
    pair = ProductPair(arb(4), arb(3), arb(2), arb(2))
    divergence._walk(pair, Stretch(1, FIRST_AT_REST, low, high), 0.0)
    assert panels[0][0] == low
    assert panels[-1][1] == high
    assert all(one[1] == other[0] for one, other in pairwise(panels))


def test_a_parabola_knows_how_much_it_changes() -> None:
    assert Parabola(5.0, -2.0, 0.5).greatest_change(3.0) == 2 * 3 + 0.5 * 9


@pytest.mark.parametrize(("mean", "other"), [(0, 1), (30, 5)])
def test_the_integral_of_a_density_is_one(mean: int, other: int) -> None:
    """With equal means every power integral is the integral of the density itself."""

    def same() -> arb:
        return arb(mean)

    found = divergence.power_integral(same, same, lambda: arb(other), Fraction(2))
    assert found.contains(1)
    assert found.rad() < 2**-12


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("a", "neighbour", "b"), [(2.0, 3.0, 10.0), (1.0, 0.0, 2.0), (0.5, 1.5, 0.5)]
)
@pytest.mark.parametrize("order", [1.0, 2.0, 6.0])
def test_the_share_next_to_zero_is_bracketed(
    a: float, neighbour: float, b: float, order: float
) -> None:
    edge = 2.0**-12
    with balls.precision(128):
        found = origin_share(arb(a), arb(neighbour), arb(b), arb(order), arb(edge))
    s = np.linspace(np.log(1e-14), np.log(edge), 3000)
    middle, step, total = (s[:-1] + s[1:]) / 2, s[1] - s[0], 0.0
    for sign in (1, -1):
        y = sign * np.exp(middle)
        # Standard units: X = p, and Z = q/b has mean 1 and standard deviation 1/b.
        p, q = (product_reference.density(y / b, mean, 1.0, 1 / b) / b for mean in (a, neighbour))
        term = p * np.log(p / q) if order == 1 else p**order * q ** (1 - order)
        total += float(term @ np.exp(middle)) * step
    slack = 1e-6 * abs(total)
    assert float(found.lower()) <= total + slack
    assert float(found.upper()) >= total - slack
    if order == 2:
        assert float(found.rad()) < 0.1 * abs(float(found.mid()))


def test_the_density_next_to_zero() -> None:
    with balls.precision(128):
        near = Origin(arb(2), arb(3), arb(2) ** -12)
        inside = near.probability()
    y = np.exp(np.linspace(np.log(1e-14), np.log(2.0**-12), 4000))
    both = sum(product_reference.density(s * y / 3, 2.0, 1.0, 1 / 3) / 3 for s in (1, -1))
    mass = float(np.trapezoid(both * y, np.log(y)))
    assert float(inside.lower()) <= mass * (1 + 1e-6)
    assert float(inside.upper()) >= mass * (1 - 1e-6)


# Refusals.


def test_bad_laws() -> None:
    with pytest.raises(InvalidParameter, match=r"^`second` must be a Normal"):
        ProductNormal(Normal(1, 1), 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("y", [0, math.nan, math.inf, "x", None])
def test_bad_places(y: object) -> None:
    with pytest.raises(InvalidParameter):
        product(1, 1, "0.5").density(y)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", [0, "0.5", -1, math.nan, None])
def test_bad_orders(order: object) -> None:
    with pytest.raises(InvalidParameter):
        product(1, 1, "0.5").renyi(product(2, 1, "0.5"), order)  # type: ignore[arg-type]


def test_products_that_cannot_be_compared() -> None:
    with pytest.raises(UnsupportedQuery, match="same second factor"):
        product(1, 1, "0.5").renyi(product(1, 2, "0.5"), 2)
    with pytest.raises(UnsupportedQuery, match="same second factor"):
        product(1, 1, "0.5").renyi(product(1, 1, "0.4"), 2)
    with pytest.raises(InvalidParameter, match="must be a ProductNormal"):
        product(1, 1, "0.5").renyi(Normal(1, 1), 2)  # type: ignore[arg-type]
