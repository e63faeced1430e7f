"""`optimal(count=k, one_sided=True)`: the figures of the study, never worse than both ways."""

from fractions import Fraction

import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.noise import CountsLaw
from leastnoise.noise.vectors.pair_table import PairTable


def variance(count: int, epsilon: str = "1", delta: str = "0", **more: bool) -> float:
    found = ln.optimal(
        sensitivity=1, epsilon=epsilon, delta=delta, count=count, cost="squared", **more
    )
    return float(found.expected_cost())


@pytest.mark.parametrize(
    ("count", "truth"), [(2, 3.1551), (3, 4.5842), (5, 8.1389), (10, 20.3173), (50, 281.5742)]
)
def test_pure_figures(count: int, truth: float) -> None:
    """Source: sums over layers in floats, all starts gone through."""
    assert variance(count, one_sided=True) == pytest.approx(truth, abs=1e-4)


@pytest.mark.parametrize(
    ("count", "delta", "truth"),
    [(3, "0.05", 2.93231), (5, "0.01", 7.22923)],
)
def test_figures_with_delta(count: int, delta: str, truth: float) -> None:
    """Source: a linear program over all weights that depend on p + q, every start gone through."""
    assert variance(count, delta=delta, one_sided=True) == pytest.approx(truth, abs=1e-4)


@pytest.mark.spread(4)
@pytest.mark.parametrize("delta", ["0", "0.01"])
@pytest.mark.parametrize("epsilon", ["0.5", "3"])
@pytest.mark.parametrize("count", [1, 3])
def test_knowing_the_direction_never_costs(count: int, epsilon: str, delta: str) -> None:
    both = variance(count, epsilon, delta)
    assert variance(count, epsilon, delta, one_sided=True) <= both * (1 + 1e-9)


def test_other_costs_and_real_sums() -> None:
    tail = ln.optimal(sensitivity=1, epsilon=1, count=3, cost=ln.TailProbability(4), one_sided=True)
    assert isinstance(tail.law, CountsLaw)
    beyond = tail.law.cell.outside(8).interval()  # in half steps
    assert tail.expected_cost() == beyond
    real = ln.optimal(sensitivity="0.3", epsilon=2, count=3, cost="squared", one_sided=True)
    coarse = variance(3, "2", one_sided=True)
    assert float(real.expected_cost()) / 0.09 == pytest.approx(coarse, rel=0.1)
    assert real.release([0.1, 0.2, 5.0]).value.shape == (3,)


def test_independent_noise_stays_independent() -> None:
    found = ln.optimal(
        sensitivity=1, epsilon=1, count=3, cost="squared", one_sided=True, independent=True
    )
    assert not isinstance(found.law, CountsLaw)


def test_the_law_found_proves_delta_tightly() -> None:
    found = ln.optimal(
        sensitivity=1, epsilon=1, delta="0.01", count=4, cost="squared", one_sided=True
    )
    assert isinstance(found.law, CountsLaw)
    leak = found.law.delta(1)
    assert Fraction(99, 10000) < leak.upper <= Fraction(1, 100)


def test_many_counts_share_gaussian_noise() -> None:
    """Source: ((√k + 1)/2)²/μ² at (1, 1e-6), 1/μ² = 17.848, for k = 100."""
    found = ln.optimal(
        sensitivity=1, epsilon=1, delta="1e-6", count=100, cost="squared", one_sided=True
    )
    assert found.family == "shared Gaussian"
    assert float(found.expected_cost()) == pytest.approx(30.25 * 17.848, rel=1e-3)
    assert found.release([7] * 100).value.shape == (100,)
    assert found.error("0.95") < found.simultaneous("0.95")
    assert float(found.privacy().delta(1).upper) <= 1e-6
    assert found.certificate() is None  # its errors are on a finer lattice than the bound's
    ranked = [tried.family for tried in found.tried]
    assert ranked.index("two counters") < ranked.index("discrete Gaussian")


@pytest.mark.parametrize(
    ("epsilon", "delta", "truth"), [("1", "0.01", 2.5502), ("1", "0.05", 1.6966)]
)
def test_two_counts_get_the_law_of_the_program(epsilon: str, delta: str, truth: float) -> None:
    """Source: the linear program on Z² solved elsewhere. The certificate says that it is best."""
    found = ln.optimal(
        sensitivity=1, epsilon=epsilon, delta=delta, count=2, cost="squared", one_sided=True
    )
    assert found.family == "program for two"
    assert isinstance(found.law, PairTable)
    assert float(found.expected_cost()) == pytest.approx(truth, abs=1e-4)
    certificate = found.certificate()
    assert certificate is not None
    assert certificate.ratio is not None
    assert certificate.ratio < 1 + 1e-5
    cut = found.alternatives()[0]
    assert cut.family == "two counters, cut"
    assert cut.ratio > 1.04
    assert float(found.privacy().delta(epsilon).upper) <= float(delta)
    assert found.release([3, 4]).value.dtype.kind == "i"


@pytest.mark.parametrize("flag", ["one_sided", "independent"])
def test_how_several_queries_move_is_said_of_several(flag: str) -> None:
    with pytest.raises(InvalidParameter, match="needs `count`; got"):
        ln.optimal(sensitivity=1, epsilon=1, **{flag: True})  # type: ignore[call-overload]
    with pytest.raises(InvalidParameter, match=f"`{flag}` must be True or False; got"):
        ln.optimal(sensitivity=1, epsilon=1, count=3, **{flag: "yes"})  # type: ignore[call-overload]


def test_an_unknown_norm_is_told_those_there_are() -> None:
    with pytest.raises(InvalidParameter, match="'l1', 'linf' or 'l2'; got norm='l3'"):
        ln.optimal(sensitivity=1, epsilon=1, dimension=3, norm="l3")  # type: ignore[call-overload]
