"""Each kind of noise for a target: proved to suffice, and hardly more than that."""

import math
from fractions import Fraction

import pytest

from leastnoise.accounting import gaussian_sigma
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace, MedianOfUniforms
from leastnoise.numeric.inverse import least_integer
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, PureDP
from leastnoise.tabulation import CubeNoise, IndependentNoise, NoiseFamily, Objective, Perturbation
from leastnoise.tabulation.bounded_calibration import bounded_perturbation
from leastnoise.tabulation.delta_bound import delta_bound
from leastnoise.tabulation.gaussian_calibration import gaussian_perturbation
from leastnoise.tabulation.noise_family import families_for
from leastnoise.tabulation.pure_calibration import cube_perturbation, laplace_perturbation
from leastnoise.tabulation.split import pure_share, squared_ratio

TARGETS = [("1", "1e-6"), ("0.1", "1e-9"), ("4", "1e-3"), ("0.5", "1e-20")]
both_frames = pytest.mark.parametrize("centred", [False, True])


def bounded(perturbation: Perturbation) -> MedianOfUniforms:
    assert isinstance(perturbation.noise, IndependentNoise)
    assert isinstance(perturbation.noise.law, MedianOfUniforms)
    return perturbation.noise.law


def gaussian(perturbation: Perturbation) -> DiscreteGaussian:
    assert isinstance(perturbation.noise, IndependentNoise)
    assert isinstance(perturbation.noise.law, DiscreteGaussian)
    return perturbation.noise.law


# Pure


@both_frames
@pytest.mark.parametrize("columns", [2, 10, 1000])
@pytest.mark.parametrize("kind", [cube_perturbation, laplace_perturbation])
def test_pure_noise_spends_epsilon_exactly(columns: int, centred: bool, kind: object) -> None:
    epsilon = Fraction(7, 10)
    found: Perturbation = kind(columns, epsilon, centred=centred)  # type: ignore[operator]
    assert found.pure_epsilon == epsilon
    assert found.keeps(PureDP(epsilon=epsilon))
    assert found.keeps(ApproxDP(epsilon=epsilon, delta="1e-9"))
    assert not found.keeps(PureDP(epsilon=epsilon - Fraction(1, 10**9)))
    assert not found.keeps(ZCDP(rho=1))


def test_the_share_of_the_rows_is_about_best() -> None:
    """No other share makes the expected worst error smaller by more than a thousandth."""
    columns, epsilon = 400, Fraction(1)

    def cost(share: Fraction) -> float:
        noise = CubeNoise(columns, 1 / (epsilon * (1 - share)))
        return float(
            Perturbation(noise, DiscreteLaplace(1 / (epsilon * share))).cost(Objective.MAX)
        )

    best = min(cost(Fraction(k, 500)) for k in range(5, 100, 5))
    assert cost(pure_share(columns)) <= 1.001 * best
    assert pure_share(columns) == Fraction(1, 21)


# Gaussian


@pytest.mark.spread(8)
@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
@pytest.mark.parametrize("columns", [1, 2, 3, 10, 300])
def test_gaussian_noise_is_proved_and_close_to_normal(
    columns: int, epsilon: str, delta: str
) -> None:
    target = ApproxDP(epsilon=epsilon, delta=delta)
    law = gaussian(gaussian_perturbation(columns, target, centred=False))
    loss = law.privacy(1).self_compose(columns)
    assert loss.delta(target.epsilon).upper <= target.delta
    sigma = float(gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=1).upper)
    excess = float(law.sigma_squared) / (columns * sigma**2) - 1
    # The narrower the noise, the more the lattice shows.
    assert excess <= (1e-3 if columns * sigma**2 > 1000 else 0.25)


def test_gaussian_noise_for_zcdp_is_exact() -> None:
    found = gaussian_perturbation(50, ZCDP(rho="0.3"), centred=False)
    assert gaussian(found).sigma_squared == Fraction(50) / (2 * Fraction("0.3"))
    assert found.rho == Fraction("0.3")


def test_centred_gaussian_noise_has_the_variance_of_lebeda() -> None:
    """(√d + 1)²/(4μ²), μ² = 2ρ."""
    for columns in (2, 100, 5000):
        found = gaussian_perturbation(columns, ZCDP(rho="0.005"), centred=True)
        assert found.rho == Fraction("0.005")
        expected = (math.sqrt(columns) + 1) ** 2 / (4 * 0.01)
        assert float(found.cost(Objective.SQUARED)) == pytest.approx(expected, rel=1e-3)


def test_the_split_is_good_for_the_worst_column_too() -> None:
    """Ten times less or more for the rows is never better."""
    columns, rho = 500, Fraction(1, 200)
    chosen = gaussian_perturbation(columns, ZCDP(rho=rho), centred=True)
    for factor in (Fraction(1, 10), Fraction(1, 3), Fraction(3), Fraction(10)):
        ratio = squared_ratio(columns) * factor
        variance = (columns + 1 / ratio) / (2 * rho)
        rival = Perturbation(
            IndependentNoise(DiscreteGaussian(variance), columns),
            DiscreteGaussian(ratio * variance),
        )
        assert rival.rho == chosen.rho
        assert chosen.cost(Objective.MAX).upper < rival.cost(Objective.MAX).upper


# Bounded


def test_figures_for_two_thousand_columns() -> None:
    target = ApproxDP(epsilon=1, delta="1e-6")
    found = bounded_perturbation(2048, target, Objective.MAX, centred=False)
    law = bounded(found)
    assert law.radius <= 675
    assert law.privacy(1).self_compose(2048).delta(1).upper <= target.delta
    assert found.worst.quantile(1).upper == law.radius
    rival = gaussian_perturbation(2048, target, centred=False)
    assert float(rival.worst.quantile("0.999")) == pytest.approx(962, abs=1)
    assert float(found.cost(Objective.MAX)) < 0.84 * float(rival.cost(Objective.MAX))


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("columns", "epsilon", "delta"),
    [
        (1, "1", "1e-6"),
        (5, "0.1", "1e-9"),
        (64, "1", "1e-6"),
        (700, "4", "1e-3"),
        (700, "1", "1e-6"),
    ],
)
def test_the_radius_suffices_and_is_nearly_the_least(
    columns: int, epsilon: str, delta: str
) -> None:
    target = ApproxDP(epsilon=epsilon, delta=delta)
    law = bounded(bounded_perturbation(columns, target, Objective.MAX, centred=False))

    def leak(radius: int) -> tuple[Fraction, Fraction]:
        loss = MedianOfUniforms(law.order, radius).privacy(1).self_compose(columns)
        found = loss.delta(target.epsilon)
        return Fraction(found.lower), Fraction(found.upper)

    assert leak(law.radius)[1] <= target.delta
    smaller = law.radius - max(1, law.radius // 100)
    assert leak(smaller)[0] > target.delta


def test_the_order_is_nearly_the_best() -> None:
    target = ApproxDP(epsilon=1, delta="1e-6")
    found = bounded_perturbation(64, target, Objective.MAX, centred=False)

    def suffices(law: MedianOfUniforms) -> bool:
        loss = law.privacy(1).self_compose(64)
        return delta_bound(loss, epsilon=target.epsilon, delta=target.delta, density=16) <= 1e-6

    for order in range(2, 13):
        radius = least_integer(lambda r: suffices(MedianOfUniforms(order, r)), 1, guess=150)  # noqa: B023
        rival = Perturbation(IndependentNoise(MedianOfUniforms(order, radius), 64))
        assert found.cost(Objective.MAX).upper <= 1.01 * rival.cost(Objective.MAX).upper


@both_frames
def test_mean_errors_want_lighter_tails_than_worst_ones(centred: bool) -> None:
    target = ApproxDP(epsilon=1, delta="1e-6")
    worst, mean = (
        bounded(bounded_perturbation(500, target, objective, centred=centred))
        for objective in (Objective.MAX, Objective.SQUARED)
    )
    assert mean.order > worst.order
    assert mean.variance.upper < worst.variance.lower


def test_centring_halves_the_error_of_every_kind() -> None:
    target = ApproxDP(epsilon=1, delta="1e-6")
    for family in (NoiseFamily.BOUNDED, NoiseFamily.GAUSSIAN, NoiseFamily.CUBE):
        direct, centred = (
            family.perturbation(2048, target, Objective.MAX, centred=frame)
            for frame in (False, True)
        )
        ratio = float(centred.cost(Objective.MAX)) / float(direct.cost(Objective.MAX))
        assert 0.5 < ratio < 0.53
        assert centred.keeps(target)
        loss = centred.privacy(1).delta(1)
        assert loss.upper <= target.delta


@pytest.mark.slow
def test_figures_for_a_hundred_thousand_columns() -> None:
    target = ApproxDP(epsilon=1, delta="1e-6")
    found = bounded_perturbation(131_072, target, Objective.MAX, centred=False)
    assert bounded(found).radius <= 5000
    assert found.privacy(1).delta(1).upper <= target.delta
    rival = gaussian_perturbation(131_072, target, centred=False)
    assert float(rival.worst.quantile("0.999")) == pytest.approx(8835, abs=2)


# Which kind for what


def test_kinds_that_cannot_keep_a_promise_say_so() -> None:
    for family, target in (
        (NoiseFamily.CUBE, ZCDP(rho=1)),
        (NoiseFamily.LAPLACE, ZCDP(rho=1)),
        (NoiseFamily.GAUSSIAN, PureDP(epsilon=1)),
        (NoiseFamily.BOUNDED, ZCDP(rho=1)),
        (NoiseFamily.BOUNDED, PureDP(epsilon=1)),
        (NoiseFamily.REPAIRED, PureDP(epsilon=1)),
    ):
        with pytest.raises(UnsupportedQuery, match="guarantee"):
            family.perturbation(10, target, Objective.MAX, centred=False)


def test_only_known_promises_are_proved() -> None:
    noise = Perturbation(CubeNoise(3, 1))
    for target in (RDP(order=2, epsilon=1), GDP(mu=1)):
        with pytest.raises(UnsupportedQuery, match="PureDP"):
            noise.keeps(target)


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    "target", [PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6"), ZCDP(rho="0.1")], ids=repr
)
@both_frames
def test_every_kind_worth_a_look_keeps_the_promise(
    target: PureDP | ApproxDP | ZCDP, centred: bool
) -> None:
    for family in families_for(20, target):
        found = family.perturbation(20, target, Objective.MAX, centred=centred)
        assert found.keeps(target)
        for objective in Objective:
            cost = found.cost(objective)
            assert 0 < cost.lower <= cost.upper
            assert cost.width <= cost.upper / 20
