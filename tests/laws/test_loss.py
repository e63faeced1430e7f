"""Every law prices itself: its loss agrees with its own divergences, alone and composed."""

from fractions import Fraction
from itertools import pairwise, product

import pytest

from leastnoise.errors import UnsupportedQuery
from leastnoise.noise import (
    DiscreteGaussian,
    LatticeLaw,
    NormLaplace,
    NormStaircase,
    TruncatedNormStaircase,
    VectorLaw,
)
from leastnoise.noise.vectors.norm import Norm
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from tests.laws.examples import EXAMPLES

EPSILONS = ["0", "0.07", "0.5", "1.3"]

VECTOR_LAWS = [
    NormLaplace(2, 3, "l1"),
    NormLaplace(3, 2, "linf"),
    NormStaircase(dimension=2, sensitivity=3, epsilon=1, width=2, norm="linf"),
    NormStaircase(dimension=2, sensitivity=2, epsilon="0.5", width=1, norm="l1"),
]

VAST = DiscreteGaussian(variance=2**60)
SYMMETRIC = [example.law for example in EXAMPLES if example.law.shape.symmetric_unimodal]
LOPSIDED = [example.law for example in EXAMPLES if not example.law.shape.symmetric_unimodal]

symmetric_laws = pytest.mark.parametrize("law", SYMMETRIC, ids=repr)
lattice_laws = pytest.mark.parametrize("law", [example.law for example in EXAMPLES], ids=repr)
vector_laws = pytest.mark.parametrize("law", VECTOR_LAWS, ids=repr)


def meet(one: Interval, other: Interval) -> bool:
    return one.lower <= other.upper and other.lower <= one.upper


@lattice_laws
def test_loss_and_law_agree_on_delta(law: LatticeLaw) -> None:
    loss = law.privacy(1)
    for epsilon in EPSILONS:
        assert meet(loss.delta(epsilon), law.delta(epsilon, 1))


@symmetric_laws
def test_loss_and_law_agree_on_delta_farther_apart(law: LatticeLaw) -> None:
    loss = law.privacy(3)
    for epsilon in EPSILONS:
        assert meet(loss.delta(epsilon), law.delta(epsilon, 3))


@pytest.mark.parametrize("law", LOPSIDED, ids=repr)
def test_laws_without_a_worst_shift_refuse_larger_distances(law: LatticeLaw) -> None:
    """TableLaw({-1: 1, 1: 1}) leaks everything at distance 1 and half of it at distance 2."""
    with pytest.raises(UnsupportedQuery, match="worst_case"):
        law.privacy(2)
    with pytest.raises(UnsupportedQuery, match="worst_case"):
        law.privacy(1).for_group(2)


@lattice_laws
def test_twice_is_two_and_never_better_than_once(law: LatticeLaw) -> None:
    loss = law.privacy(1)
    twice = loss.self_compose(2)
    if law != VAST:
        assert meet(twice.delta("0.5"), loss.compose(loss).delta("0.5"))
    assert twice.delta("0.5").upper >= loss.delta("0.5").lower
    # Two releases leak at most twice as much at twice the epsilon.
    assert Fraction(twice.delta(1).lower) <= 2 * Fraction(loss.delta("0.5").upper)


@pytest.mark.slow
def test_twice_is_two_for_a_vast_law() -> None:
    """Whose losses take seconds to be cut into cells, each time."""
    loss = VAST.privacy(1)
    assert meet(loss.self_compose(2).delta("0.5"), loss.compose(loss).delta("0.5"))


@symmetric_laws
def test_a_group_is_a_larger_distance(law: LatticeLaw) -> None:
    assert law.privacy(1).for_group(3).delta("0.5") == law.privacy(3).delta("0.5")


@lattice_laws
def test_bad_event_and_renyi_divergences_are_consistent(law: LatticeLaw) -> None:
    loss = law.privacy(1)
    for epsilon in EPSILONS:
        assert loss.tail(epsilon).upper >= loss.delta(epsilon).lower
    values = [loss.renyi(order) for order in ("0.5", "0.9")]
    for low, high in pairwise(values):
        assert low.lower <= high.upper


@vector_laws
@pytest.mark.parametrize("distance", [1, 2, 5])
def test_vector_losses_agree_with_their_laws(law: VectorLaw, distance: int) -> None:
    loss = law.privacy(distance)
    for epsilon in EPSILONS:
        found, known = loss.delta(epsilon), law.delta(epsilon, distance)
        assert abs(Fraction(found.upper) - Fraction(known.upper)) < Fraction(1, 10**18)
    top = loss.renyi(float("inf")).upper
    assert loss.delta(top) == Interval.exactly(0)
    assert loss.delta(Fraction(top) * Fraction(99, 100)).lower > 0


CUTS: list[tuple[int, Norm]] = [(7, "l1"), (12, "linf"), (1, "l1")]
CUT_LAWS = [
    TruncatedNormStaircase(dimension=2, sensitivity=3, epsilon=1, width=2, radius=radius, norm=norm)
    for radius, norm in CUTS
]


@pytest.mark.parametrize("law", CUT_LAWS, ids=repr)
@pytest.mark.parametrize("distance", [1, 3, 7, 30])
def test_losses_of_cut_off_vector_laws(law: VectorLaw, distance: int) -> None:
    loss = law.privacy(distance)
    for epsilon in [*EPSILONS, "9"]:
        found, known = loss.delta(epsilon), law.delta(epsilon, distance)
        assert abs(Fraction(found.upper) - Fraction(known.upper)) < Fraction(1, 10**18)
    assert meet(loss.self_compose(2).delta("0.5"), loss.compose(loss).delta("0.5"))
    assert loss.for_group(2).delta(1) == law.privacy(2 * distance).delta(1)


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_cut_off_vector_laws_compose_as_their_tables_do(norm: Norm) -> None:
    """All masses of the loss matter here, those of no loss and of an infinite one too."""
    law = TruncatedNormStaircase(
        dimension=2, sensitivity=2, epsilon=1, width=1, radius=3, norm=norm
    )
    shift = (2, 0) if norm == "l1" else (2, 2)
    places = list(product(range(-3, 4), repeat=2))
    here = {x: Fraction(law.pmf(x).lower) for x in places}
    there = {(x[0] + shift[0], x[1] + shift[1]): chance for x, chance in here.items()}
    table = PrivacyLoss.of_laws(here, there)
    for count in (1, 2, 3):
        for epsilon in ("0", "0.5", "1", "2.2"):
            known = table.self_compose(count).delta(epsilon)
            assert meet(law.privacy(2).self_compose(count).delta(epsilon), known)
            assert known.upper - known.lower < 1e-3


@vector_laws
def test_vector_losses_compose(law: VectorLaw) -> None:
    loss = law.privacy(1)
    assert meet(loss.self_compose(3).delta("0.5"), loss.compose(loss, loss).delta("0.5"))
    assert loss.self_compose(3).delta("0.5").upper <= 1
