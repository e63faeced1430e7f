"""What no other test noticed when it was changed: `make mutants`."""

from fractions import Fraction

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.adding.euclidean_noise import EuclideanNoise
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.partitions.keep_choice import leak_of_one
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.thresholds.threshold_answer import ThresholdAnswers
from leastnoise.mechanisms.thresholds.threshold_noise import _share
from leastnoise.noise import DiscreteLaplace
from leastnoise.noise.vectors.euclidean_law import EuclideanLaw
from leastnoise.privacy.guarantee import PureDP
from leastnoise.randomness.source import Source


def test_every_cell_gets_noise_of_its_own() -> None:
    """Of 200 cells with noise of deviation 1000 no two in a hundred would share a draw."""
    noise = CellNoise(DiscreteLaplace(scale=1000))
    for cells in (np.zeros(200, dtype=np.int64), np.array([2**70] * 200, dtype=object)):
        drawn = (noise.draw(cells, Source()).astype(object) - cells).tolist()
        assert len(set(drawn)) > 150
        assert 100 < sum(map(abs, drawn)) / 200 < 10_000


def test_one_leak_is_the_whole_leak() -> None:
    leak = Fraction(1, 3 * 10**6)
    assert leak_of_one(leak, 1) == leak
    for count in (2, 7):
        one = leak_of_one(leak, count)
        assert one < leak / count * Fraction(1001, 1000)
        assert 1 - (1 - one) ** count <= leak


def test_answers_cannot_be_changed() -> None:
    answers = ThresholdAnswers(np.array([True, False]))
    with pytest.raises(ValueError, match="read-only"):
        answers.above[0] = False


@pytest.mark.parametrize("share", [0, 1, "1.5", -1])
def test_threshold_and_questions_both_need_noise(share: int | str) -> None:
    with pytest.raises(InvalidParameter):
        _share(share, "threshold_share")


def test_a_unit_moves_no_more_than_64_bits_can_count() -> None:
    def task(most: int) -> QuantileTask:
        return QuantileTask(
            levels=["0.5"],
            cells=4,
            contribution=most,
            promise=PureDP(epsilon=1),
            replace=False,
            grouped=False,
        )

    assert task(1 << 60).contribution == 1 << 60
    with pytest.raises(InvalidParameter):
        task((1 << 60) + 1)


def test_integers_beside_long_ones_stay_exact() -> None:
    """A whole step may take one of several numbers beyond 64 bits."""
    values = Lattice(2**10).values(np.array([2**60, 1]))
    assert values.tolist() == [2**70, 2**10]


def test_rounding_moves_a_vector_by_at_most_half_of_a_cubes_diagonal() -> None:
    law, step = EuclideanLaw(dimension=3, scale=1026, power=1), Fraction(1, 2**10)
    noise = EuclideanNoise(law, sensitivity=1, guarantee=PureDP(epsilon=1), granularity=step)
    assert 4 * noise.rounding**2 >= 3 * step**2
