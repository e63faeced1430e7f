"""The mechanisms that a plan for means chooses among, with the errors of their counts."""

from collections.abc import Iterator
from contextlib import suppress
from typing import assert_never

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.laws.canonical import Canonical
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.sizes.means_task import MeansTask
from leastnoise.tabulation.column_noise import ColumnNoise
from leastnoise.tabulation.independent_noise import IndependentNoise
from leastnoise.tabulation.noise_family import NoiseFamily
from leastnoise.tabulation.objective import Objective
from leastnoise.tabulation.perturbation import Perturbation

NAMES = {
    NoiseFamily.CUBE: "cube noise",
    NoiseFamily.LAPLACE: "independent Laplace",
    NoiseFamily.GAUSSIAN: "discrete Gaussian",
    NoiseFamily.BOUNDED: "median of uniforms",
    NoiseFamily.REPAIRED: "repaired Gaussian",
}
"""How the kinds of noise are called in tables."""

CANONICAL = "canonical"

_MANY = 1000  # columns; fewer leave it nothing to repair


@dataclass(frozen=True)
class ColumnOption:
    """Noise on the counts of ones, one integer per column.

    Attributes:
        mechanism: its name in tables.
        perturbation: its law, its errors and its price.
    """

    mechanism: str
    perturbation: Perturbation

    @property
    def noise(self) -> ColumnNoise:
        """The law of the noise."""
        return self.perturbation.noise

    def count_error(self, task: MeansTask) -> Interval:
        """A bracket on the error of the counts, as the task judges it; squared means squared."""
        match task.objective:
            case Objective.MAX:
                assert task.confidence is not None  # a task of this kind has one
                return self.perturbation.worst.quantile(task.confidence)
            case Objective.AVERAGE | Objective.SQUARED:
                return self.perturbation.cost(task.objective)
            case _:
                assert_never(task.objective)


def column_options(task: MeansTask) -> list[ColumnOption]:
    """Every mechanism known for the task, calibrated and proved."""
    return [*_families(task), *_canonical(task)]


def _families(task: MeansTask) -> Iterator[ColumnOption]:
    kinds = [NoiseFamily.CUBE, NoiseFamily.LAPLACE]
    target = ApproxDP(epsilon=task.epsilon, delta=task.delta)
    if task.delta:
        kinds += [NoiseFamily.GAUSSIAN, NoiseFamily.BOUNDED]
        kinds += [NoiseFamily.REPAIRED] if _worth_repairing(task) else []
    for kind in kinds:
        with suppress(UnsupportedQuery):  # a kind of noise that cannot meet the target is left out
            found = kind.perturbation(task.dimension, target, task.objective, centred=False)
            yield ColumnOption(NAMES[kind], found)


def _worth_repairing(task: MeansTask) -> bool:
    """The published mechanism repairs the worst of many columns; few leave it nothing to repair."""
    return task.objective is Objective.MAX and task.dimension >= _MANY


def _canonical(task: MeansTask) -> Iterator[ColumnOption]:
    """The least noise there is for one count."""
    if task.dimension == 1 and task.delta:
        law = Canonical(epsilon=task.epsilon, delta=task.delta)
        yield ColumnOption(CANONICAL, Perturbation(IndependentNoise(law, 1)))
