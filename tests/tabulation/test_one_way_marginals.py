import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms import Mechanism, Release
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace, MedianOfUniforms
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.randomness.source import Source
from leastnoise.tabulation import (
    AddRemove,
    ColumnSums,
    CubeNoise,
    IndependentNoise,
    Objective,
    OneWayMarginals,
    Perturbation,
    ReplaceOne,
    marginals_mechanism,
)
from tests.scripted import NoEntropy

SECRET = 987654


class FixedCube(CubeNoise):
    """Cube noise that always draws the same, to see where it goes."""

    def sample(self, source: Source | None = None) -> Draws:
        del source
        return np.array([5, -7, 0])


class FixedLaplace(DiscreteLaplace):
    """Discrete Laplace noise that always draws 3."""

    def sample(self, size: object = None, source: Source | None = None) -> int:  # type: ignore[override]
        del size, source
        return 3


def test_direct_noise_goes_to_the_counts() -> None:
    for neighbours, records in ((ReplaceOne(records=10), 10), (AddRemove(), None)):
        mechanism = OneWayMarginals(
            Perturbation(FixedCube(3, 1)), neighbours=neighbours, guarantee=PureDP(epsilon=1)
        )
        release = mechanism.release(ColumnSums([1, 2, 10], records=10))
        assert release.value.counts.tolist() == [6, -5, 10]
        assert release.value.records == records
        assert release.value.denominator == 1


def test_centred_noise_goes_to_sums_of_signs_and_rows() -> None:
    mechanism = OneWayMarginals(
        Perturbation(FixedCube(3, 2), FixedLaplace(4)),
        neighbours=AddRemove(),
        guarantee=PureDP(epsilon=1),
    )
    release = mechanism.release(ColumnSums([1, 2, 10], records=10))
    assert release.value.records == 13
    # (2·ones − 10 + y + 13)/2
    assert release.value.numerators.tolist() == [2 + 5 + 3, 4 - 7 + 3, 20 + 0 + 3]
    assert release.value.counts.tolist() == [5.0, 0.0, 11.5]
    assert not release.value.numerators.flags.writeable


def test_sums_beyond_64_bits_do_not_wrap() -> None:
    huge = 2**63 - 1
    direct = marginals_mechanism(columns=2, records=huge, epsilon=1)
    counts = direct.release(ColumnSums([huge, 0], records=huge)).value.counts
    assert abs(int(counts[0]) - huge) < 1000
    centred = marginals_mechanism(columns=9, epsilon=1, neighbours="add_remove")
    value = centred.release(ColumnSums([huge] * 9, records=huge)).value
    assert all(abs(int(part) - 2 * huge) < 10_000 for part in value.numerators)


# Privacy, on all neighbours, by summing over all outcomes


def tables(columns: int, rows: int) -> list[tuple[tuple[int, ...], ...]]:
    return list(product(product((0, 1), repeat=columns), repeat=rows))


def ones(table: tuple[tuple[int, ...], ...], columns: int) -> tuple[int, ...]:
    return tuple(sum(row[j] for row in table) for j in range(columns))


def test_replaced_rows_are_hidden_exactly() -> None:
    """ε-DP for every pair of neighbours, and no smaller ε."""
    noise = CubeNoise(2, 2)
    worst = 0.0
    for one in tables(2, 2):
        for row in product((0, 1), repeat=2):
            other = (row, one[1])
            for y in product(range(-4, 7), repeat=2):
                p, q = (
                    float(noise.law.pmf([a - b for a, b in zip(y, ones(t, 2), strict=True)]))
                    for t in (one, other)
                )
                worst = max(worst, abs(math.log(p / q)))
    assert worst == pytest.approx(0.5, abs=1e-12)


def test_added_rows_are_hidden_exactly() -> None:
    """The released pair (noisy rows, noisy sums of ±1) has a loss of at most ε₁ + ε₂."""
    mechanism = marginals_mechanism(columns=2, epsilon=1, neighbours="add_remove", mechanism="cube")
    noise, offset = CubeNoise(2, 2), DiscreteLaplace(2)
    centred = OneWayMarginals(
        Perturbation(noise, offset), neighbours=AddRemove(), guarantee=PureDP(epsilon=1)
    )
    assert mechanism.guarantee == centred.guarantee
    worst = 0.0
    for rows in range(3):
        for one in tables(2, rows):
            for row in product((0, 1), repeat=2):
                other = (*one, row)
                for out in product(range(-2, 5), range(-4, 5), range(-4, 5)):
                    p, q = (_chance(noise, offset, table, out) for table in (one, other))
                    worst = max(worst, abs(math.log(p / q)))
    assert worst == pytest.approx(1, abs=1e-12)


def _chance(
    noise: CubeNoise,
    offset: LatticeLaw,
    table: tuple[tuple[int, ...], ...],
    out: tuple[int, int, int],
) -> float:
    rows, *sums = out
    signed = [2 * count - len(table) for count in ones(table, 2)]
    farthest = max(abs(a - b) for a, b in zip(sums, signed, strict=True))
    return point(offset, rows - len(table)) * point(noise.law, farthest)


@cache
def point(law: LatticeLaw | NormLaplace, place: int) -> float:
    """The chance of a number, or of a vector with this norm."""
    return float(law.pmf([place, 0]) if isinstance(law, NormLaplace) else law.pmf(place))


@pytest.mark.parametrize("offset", [None, MedianOfUniforms(3, 7)])
def test_bounded_noise_leaks_what_it_says(offset: MedianOfUniforms | None) -> None:
    law = MedianOfUniforms(2, 9)
    noise = IndependentNoise(law, 2)
    mass = {k: float(law.pmf(k)) for k in range(-9, 10)}
    other = {0: 1.0} if offset is None else {k: float(offset.pmf(k)) for k in range(-7, 8)}
    loss = Perturbation(noise, offset).privacy(1)
    for epsilon in (0.1, 0.5, 1.0):
        worst = 0.0
        for by in product((-1, 0, 1), repeat=2):
            rows = 0 if offset is None else 1
            worst = max(
                worst,
                math.fsum(
                    max(
                        0.0,
                        r * mass[a] * mass[b]
                        - math.exp(epsilon)
                        * other.get(x - rows, 0.0)
                        * mass.get(a - by[0], 0.0)
                        * mass.get(b - by[1], 0.0),
                    )
                    for x, r in other.items()
                    for a, b in product(mass, repeat=2)
                ),
            )
        assert float(loss.delta(epsilon).lower) <= worst + 1e-12
        assert float(loss.delta(epsilon).upper) >= worst - 1e-12


# The rest


def test_it_is_a_mechanism() -> None:
    mechanism = marginals_mechanism(columns=20, records=50, epsilon=1, delta="1e-6")
    protocol: type = Mechanism
    assert isinstance(mechanism, protocol)
    release = mechanism.release(ColumnSums([7] * 20, records=50))
    assert isinstance(release, Release)
    assert release.guarantee == mechanism.guarantee == ApproxDP(epsilon=1, delta="1e-6")
    assert repr(mechanism) == release.mechanism
    assert mechanism.privacy(2).delta(2).lower >= 0
    for objective in Objective:
        assert mechanism.expected_cost(objective).lower > 0


def test_groups_cost_more() -> None:
    mechanism = marginals_mechanism(columns=5, epsilon=1, neighbours="add_remove")
    assert mechanism.privacy(3).epsilon(0).upper == pytest.approx(3)
    assert mechanism.privacy(1).epsilon(0).upper == pytest.approx(1)


def test_a_promise_that_is_not_proved_is_refused() -> None:
    noise = Perturbation(CubeNoise(3, 2))
    with pytest.raises(InvalidParameter, match="proved"):
        OneWayMarginals(noise, neighbours=AddRemove(), guarantee=PureDP(epsilon="0.4"))
    wide = Perturbation(IndependentNoise(DiscreteGaussian(100), 50))
    for target in (ApproxDP(epsilon="0.1", delta="1e-9"), ZCDP(rho="0.2"), PureDP(epsilon=9)):
        with pytest.raises(InvalidParameter, match="proved"):
            OneWayMarginals(wide, neighbours=AddRemove(), guarantee=target)
    OneWayMarginals(wide, neighbours=AddRemove(), guarantee=ZCDP(rho="0.25"))
    hidden = Perturbation(CubeNoise(3, 2), DiscreteLaplace(4))
    with pytest.raises(InvalidParameter, match="number of rows"):
        OneWayMarginals(hidden, neighbours=ReplaceOne(records=5), guarantee=PureDP(epsilon=1))


@pytest.mark.parametrize(
    "bad",
    [
        ColumnSums([1, 2], records=9),
        ColumnSums([1, 2, 3], records=8),
        [1, 2, 3],
        None,
        np.array([[1, 0, SECRET]]),
    ],
    ids=str,
)
def test_sums_of_another_table_are_refused_before_anything_is_drawn(bad: object) -> None:
    mechanism = marginals_mechanism(columns=3, records=9, epsilon=1)
    with pytest.raises(InvalidParameter) as caught:
        mechanism.release(bad, NoEntropy())  # type: ignore[arg-type]
    assert str(SECRET) not in str(caught.value)


def test_the_number_of_rows_is_secret_where_rows_are_added() -> None:
    mechanism = marginals_mechanism(columns=3, epsilon=1, neighbours="add_remove")
    for rows in (0, 1, 10**9):
        mechanism.release(ColumnSums([0, 0, 0], records=rows))
    with pytest.raises(InvalidParameter, match="columns=3"):
        mechanism.release(ColumnSums([0], records=5), NoEntropy())


@pytest.mark.parametrize(
    "bad",
    [
        {"columns": 0, "records": 5, "epsilon": 1},
        {"columns": 3, "epsilon": 1},
        {"columns": 3, "records": 0, "epsilon": 1},
        {"columns": 3, "records": 5, "epsilon": 1, "neighbours": "add_remove"},
        {"columns": 3, "records": 5, "epsilon": 1, "neighbours": "swap"},
        {"columns": 3, "records": 5, "epsilon": 1, "objective": "median"},
        {"columns": 3, "records": 5, "epsilon": 1, "mechanism": "magic"},
        {"columns": 3, "records": 5, "epsilon": 0},
        {"columns": 3, "records": 5, "epsilon": math.nan},
        {"columns": 3, "records": 5, "epsilon": 1, "delta": 1},
        {"columns": 3, "records": 5},
        {"columns": 3, "records": 5, "epsilon": 1, "guarantee": PureDP(epsilon=1)},
        {"columns": 3, "records": 5, "guarantee": PureDP(epsilon=0)},
        {"columns": 3, "records": 5, "guarantee": ZCDP(rho=0)},
        {"columns": 3, "records": 5, "guarantee": "pure"},
        {"columns": 3, "records": 5, "guarantee": PureDP(epsilon=1), "delta": "1e-6"},
        {"columns": 2.5, "records": 5, "epsilon": 1},
    ],
    ids=str,
)
def test_bad_facts_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter):
        marginals_mechanism(**bad)  # type: ignore[arg-type]


def test_kinds_of_noise_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UnsupportedQuery, match="gaussian"):
        marginals_mechanism(columns=3, records=5, epsilon=1, mechanism="gaussian")
    with pytest.raises(UnsupportedQuery, match="cube"):
        marginals_mechanism(columns=3, records=5, guarantee=ZCDP(rho=1), mechanism="cube")


def test_a_delta_of_zero_is_pure() -> None:
    found = marginals_mechanism(columns=3, records=5, guarantee=ApproxDP(epsilon=1, delta=0))
    assert found.guarantee == PureDP(epsilon=1)
    assert found.perturbation.pure_epsilon == Fraction(1)
