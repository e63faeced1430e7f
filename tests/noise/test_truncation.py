"""Cut-off laws: radius and share are the least, and the truncation beats what it cuts."""

from fractions import Fraction

import pytest

from leastnoise.noise import (
    Canonical,
    LatticeLaw,
    Staircase,
    TruncatedLaplace,
    TruncatedStaircase,
    Uniform,
)
from leastnoise.noise.shapes.stairs import WHOLE, Stairs
from leastnoise.numeric.exponential import ExponentialRatio

CASES = [
    (1, "0.5", "1e-6", 1),
    (3, "1", "0.01", 2),
    (4, "1", "0.55", 1),
    (4, "0.2", "0.7", 3),
    (2, "0.2", "0.9", 2),
    (5, "2", "1e-12", 2),
]


def _cut(law: TruncatedStaircase, radius: int, edge: ExponentialRatio) -> Stairs:
    shape = law.shape
    return Stairs(shape.period, shape.width, shape.rate, radius, edge)


@pytest.mark.parametrize(("sensitivity", "epsilon", "delta", "width"), CASES)
def test_neither_a_smaller_radius_nor_a_lighter_edge_will_do(
    sensitivity: int, epsilon: str, delta: str, width: int
) -> None:
    law = TruncatedStaircase(sensitivity=sensitivity, epsilon=epsilon, delta=delta, width=width)
    radius, edge, leak = law.shape.radius, law.shape.edge, Fraction(delta)
    assert radius is not None
    assert law.verify(sensitivity=sensitivity, epsilon=epsilon, delta=delta)

    def divergence(stairs: Stairs) -> int:
        return stairs.hockey_stick(Fraction(epsilon), sensitivity).compare(leak)

    lighter = ExponentialRatio(edge.over * Fraction(10**15 - 1, 10**15), edge.under)
    assert divergence(_cut(law, radius, edge)) == 0
    assert divergence(_cut(law, radius, lighter)) > 0
    assert divergence(_cut(law, radius, WHOLE)) <= 0
    for smaller in range(1, radius):
        assert divergence(_cut(law, smaller, WHOLE)) > 0


@pytest.mark.parametrize(("sensitivity", "epsilon", "delta", "width"), CASES)
def test_magnitude_is_stochastically_smaller_than_uncut(
    sensitivity: int, epsilon: str, delta: str, width: int
) -> None:
    law = TruncatedStaircase(sensitivity=sensitivity, epsilon=epsilon, delta=delta, width=width)
    uncut = Staircase(sensitivity=sensitivity, epsilon=epsilon, width=width)
    for k in range(3 * sensitivity):
        assert law.shape.outside(k).interval().lower <= uncut.shape.outside(k).interval().upper


@pytest.mark.parametrize(("epsilon", "delta"), [("0.3", "1e-6"), ("2", "0.4")])
def test_at_sensitivity_one_all_three_are_one_law(epsilon: str, delta: str) -> None:
    laws = [
        Canonical(epsilon=epsilon, delta=delta),
        TruncatedLaplace(sensitivity=1, epsilon=epsilon, delta=delta),
        TruncatedStaircase(sensitivity=1, epsilon=epsilon, delta=delta, width=1),
    ]
    assert len({tuple(law.pmf(k) for k in range(-9, 10)) for law in laws}) == 1


@pytest.mark.parametrize(("sensitivity", "epsilon", "delta", "width"), CASES)
def test_truncated_laplace_meets_its_claim_exactly(
    sensitivity: int, epsilon: str, delta: str, width: int
) -> None:
    del width
    law = TruncatedLaplace(sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    assert law.verify(sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    less = Fraction(delta) * Fraction(10**12 - 1, 10**12)
    assert not law.verify(sensitivity=sensitivity, epsilon=epsilon, delta=less)


def test_published_comparison() -> None:
    """ε = 1, δ = 1e-3 on a fine lattice: 0.9516 / 1.850 against 0.992 / 1.931 for Laplace.

    Source: the digest's table, continuous laws to four digits; the lattice adds less than 1e-3.
    """
    unit = 256
    stairs = TruncatedStaircase(
        sensitivity=unit, epsilon=1, delta="1e-3", width=round(unit * 0.3775)
    )
    laplace = TruncatedLaplace(sensitivity=unit, epsilon=1, delta="1e-3")
    assert float(stairs.moment(1)) / unit == pytest.approx(0.9516, abs=2e-3)
    assert float(stairs.moment(2)) / unit**2 == pytest.approx(1.850, abs=1e-2)
    assert float(laplace.moment(1)) / unit == pytest.approx(0.992, abs=2e-3)
    assert float(laplace.moment(2)) / unit**2 == pytest.approx(1.931, abs=1e-2)


@pytest.mark.parametrize(
    "law",
    [
        Uniform(sensitivity=1, delta="1e-30"),
        Canonical(epsilon=0, delta="1e-25"),
        TruncatedLaplace(sensitivity=2**62, epsilon=1, delta="1e-6"),
        TruncatedStaircase(sensitivity=2**62, epsilon=1, delta="1e-6", width=2**61),
    ],
)
def test_draws_beyond_64_bits_are_python_integers_within_the_support(law: LatticeLaw) -> None:
    drawn = law.sample(300).tolist()
    assert law.support is not None
    assert all(law.support[0] <= value <= law.support[1] for value in drawn)
    assert max(abs(value) for value in drawn) > 2**63
