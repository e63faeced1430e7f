"""Norm staircases that end at a radius, against sums over all their points."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import NormStaircase, TruncatedNormStaircase
from leastnoise.noise.vectors.norm import Norm, ball_of
from tests.noise.norm_reference import norms
from tests.noise.shifted_box import Grid, box_norms, divergences
from tests.noise.test_norm_laplace import FALSE_ALARM, fit_of_norms, p_value

NORMS: tuple[Norm, ...] = ("l1", "linf")
CUTS: list[tuple[int, int, str]] = [
    (1, 4, "1"), (2, 5, "1/3"), (3, 5, "1"), (2, 6, "0.7"), (3, 2, "1/2"), (1, 1, "1/5"),
    (2, 2, "1/3"), (3, 0, "1"),
]  # fmt: skip
each_cut = pytest.mark.parametrize(("width", "radius", "edge"), CUTS)
each_norm = pytest.mark.parametrize("norm", NORMS)
each_dimension = pytest.mark.parametrize("dimension", [1, 2, 3])


def cut(  # noqa: PLR0913, PLR0917
    dimension: int, norm: Norm, width: int, radius: int, edge: str, epsilon: str = "1.5"
) -> TruncatedNormStaircase:
    return TruncatedNormStaircase(
        dimension=dimension, sensitivity=3, epsilon=epsilon, width=width, radius=radius,
        norm=norm, edge=edge,
    )  # fmt: skip


def chances(law: TruncatedNormStaircase) -> Grid:
    """Straight from the definition."""
    found = box_norms(law.dimension, law.greatest, law.norm)
    level = np.maximum(0, (found - law.width) // law.sensitivity + 1)
    weights = np.exp(-float(law.epsilon) * level)
    weights[found > law.greatest] = 0
    if law.greatest:
        weights[found == law.greatest] *= float(law.edge)
    return np.asarray(weights / weights.sum())


@pytest.mark.spread(16)
@each_norm
@each_dimension
@each_cut
def test_delta_is_that_of_the_worst_of_all_shifts(
    norm: Norm, dimension: int, width: int, radius: int, edge: str
) -> None:
    for epsilon in ("1.5", "0"):
        law = cut(dimension, norm, width, radius, edge, epsilon)
        table = chances(law)
        for at in (0.0, 0.7, 1.5, 2.2, 3.0):
            for distance in (1, 3, 4):
                worst = max(divergences(table, norm, at, distance).values())
                assert float(law.delta(at, distance)) == pytest.approx(worst, abs=1e-12)


@each_norm
@each_cut
def test_probabilities_and_moments(norm: Norm, width: int, radius: int, edge: str) -> None:
    law = cut(2, norm, width, radius, edge)
    table, found = chances(law), box_norms(2, radius, norm)
    assert float(law.pmf((0, 0))) == pytest.approx(table[radius, radius], rel=1e-12)
    assert float(law.pmf((radius, 0))) == pytest.approx(table[2 * radius, radius], rel=1e-12)
    assert law.pmf((radius + 1, 0)).upper == 0
    for m in range(-1, radius + 3):
        assert float(law.norm_pmf(m)) == pytest.approx(table[found == m].sum(), abs=1e-14)
        assert float(law.tail(m)) == pytest.approx(table[found >= m].sum(), abs=1e-14)
        assert float(law.cdf(m)) == pytest.approx(table[found <= m].sum(), abs=1e-14)
    for order in (1, 2, 5):
        assert float(law.moment(order)) == pytest.approx((table * found**order).sum(), rel=1e-12)
    assert law.quantile(1) == law.radius == radius
    assert law.quantile("0.5") == np.searchsorted(
        np.cumsum([float(law.norm_pmf(m)) for m in range(radius + 1)]), 0.5
    )


@each_norm
@each_dimension
def test_the_leak_is_at_most_the_outer_shell(norm: Norm, dimension: int) -> None:
    for width, radius in ((1, 7), (2, 9), (3, 12)):
        law = cut(dimension, norm, width, radius, "1")
        bound = law.tail(radius - 3 + 1)
        assert law.delta("1.5", 3).upper <= bound.lower


@each_norm
def test_a_claim_holds_at_delta_and_not_below(norm: Norm) -> None:
    law = cut(2, norm, 2, 9, "1/3")
    least = law.delta("1.5", 3)
    assert law.verify(sensitivity=3, epsilon="1.5", delta=least.upper)
    refuted = law.verify(
        sensitivity=3, epsilon="1.5", delta=Fraction(least.lower) * (1 - Fraction(1, 10**12))
    )
    assert not refuted
    assert not law.verify(sensitivity=3, epsilon=1000)
    assert not law.verify(sensitivity=4, epsilon="1.5", delta=least.upper)


@each_norm
def test_a_claim_that_holds_with_equality_is_decided(norm: Norm) -> None:
    """A uniform law has rational divergences: ball arithmetic alone would never decide."""
    law = cut(2, norm, 1, 9, "1", "0")
    points = ball_of(norm, 2).count(9)
    exact = Fraction(points - ball_of(norm, 2).overlap(9, 3), points)
    assert law.verify(sensitivity=3, epsilon=0, delta=exact)
    assert law.delta(0, 3).lower == law.delta(0, 3).upper == exact
    assert not law.verify(sensitivity=3, epsilon=0, delta=exact - Fraction(1, 10**40))


@each_norm
def test_far_out_the_cut_changes_nothing(norm: Norm) -> None:
    plain = NormStaircase(dimension=3, sensitivity=4, epsilon=3, width=2, norm=norm)
    law = TruncatedNormStaircase(
        dimension=3, sensitivity=4, epsilon=3, width=2, radius=200, norm=norm
    )
    assert float(law.moment(2)) == pytest.approx(float(plain.moment(2)), rel=1e-15)
    assert float(law.delta(1, 4)) == pytest.approx(float(plain.delta(1, 4)), rel=1e-15)
    assert law.moment(1).lower <= plain.moment(1).upper


@each_norm
@pytest.mark.parametrize("dimension", [2, 30, 100])
def test_counts_in_integers_agree_with_balls(norm: Norm, dimension: int) -> None:
    ball = ball_of(norm, dimension)
    for radius in (0, 1, 7, 200):
        assert ball.points(radius).contains(ball.count(radius))
    assert ball.overlap(9, 0) == ball.count(9)
    assert 0 < ball.overlap(9, 3) < ball.overlap(9, 2)
    assert ball.overlap(1, 7) == 0


@pytest.mark.spread(3)
@each_norm
@pytest.mark.parametrize(("dimension", "epsilon"), [(2, 2), (6, "4/5"), (3, 0)])
def test_norms_of_draws_fit_and_other_laws_do_not(norm: Norm, dimension: int, epsilon: Any) -> None:
    def law(sensitivity: int, radius: int) -> TruncatedNormStaircase:
        return TruncatedNormStaircase(
            dimension=dimension, sensitivity=sensitivity, epsilon=epsilon, width=4,
            radius=radius, norm=norm, edge="1/2",
        )  # fmt: skip

    true, draws = law(10, 50), 1 << 12
    drawn = true.sample(draws)
    assert fit_of_norms(drawn, true, norm) > FALSE_ALARM
    assert norms(drawn, norm).max() <= 50
    wrong = [law(9, 45), law(11, 55)] if epsilon else [law(10, 45), law(10, 55)]
    for other in wrong:
        assert fit_of_norms(other.sample(draws), true, norm) < FALSE_ALARM


@pytest.mark.spread(2)
@each_norm
@pytest.mark.parametrize("epsilon", ["1.5", "0"])
def test_points_of_a_small_law_are_drawn_as_stated(norm: Norm, epsilon: str) -> None:
    law = cut(2, norm, 1, 3, "1/2", epsilon)
    table = chances(law)
    drawn = law.sample(1 << 14)
    codes = (drawn[:, 0] + 3) * 7 + drawn[:, 1] + 3
    observed = np.bincount(codes, minlength=49)
    some = table.ravel() > 0
    assert not observed[~some].any()
    assert p_value(observed[some], table.ravel()[some]) > FALSE_ALARM
    skewed = table.ravel()[some] * np.linspace(0.8, 1.2, some.sum())
    assert p_value(observed[some], skewed / skewed.sum()) < FALSE_ALARM


def test_the_loss_is_exact_or_refused() -> None:
    law = cut(2, "l1", 2, 9, "1")
    assert float(law.privacy(3).delta("1.5")) == pytest.approx(float(law.delta("1.5", 3)))
    assert math.isinf(law.privacy(3).epsilon(0).upper)
    for lighter in (cut(2, "l1", 2, 9, "1/2"), cut(2, "l1", 2, 9, "1", "0")):
        with pytest.raises(UnsupportedQuery, match="worst_case"):
            lighter.privacy(3)


def test_too_many_steps_are_refused() -> None:
    law = TruncatedNormStaircase(
        dimension=2, sensitivity=1, epsilon="0.001", width=1, radius=5000, norm="l1"
    )
    with pytest.raises(UnsupportedQuery, match="steps"):
        law.moment(1)


GOOD: dict[str, Any] = {
    "dimension": 2, "sensitivity": 4, "epsilon": 1, "width": 2, "radius": 9, "norm": "l1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dimension", 0), ("dimension", 2.0), ("sensitivity", 0), ("sensitivity", 2**63),
        ("epsilon", -1), ("epsilon", float("nan")), ("epsilon", 10**9), ("epsilon", True),
        ("width", 0), ("width", 5), ("width", 1.5), ("radius", -1), ("radius", 2**63),
        ("radius", 3.0), ("norm", "l2"), ("edge", 0), ("edge", "1.01"), ("edge", float("inf")),
    ],
)  # fmt: skip
def test_bad_parameters(name: str, value: Any) -> None:
    with pytest.raises(InvalidParameter, match=rf"`{name}` must"):
        TruncatedNormStaircase(**{**GOOD, name: value})
