"""The mechanisms that a plan for means chooses among, with the errors of their counts."""

from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from leastnoise.marginals.bounded_calibration import bounded_perturbation
from leastnoise.marginals.column_noise import ColumnNoise
from leastnoise.marginals.gaussian_calibration import gaussian_perturbation
from leastnoise.marginals.independent_noise import IndependentNoise
from leastnoise.marginals.objective import Objective
from leastnoise.marginals.perturbation import Perturbation
from leastnoise.marginals.pure_calibration import cube_perturbation, laplace_perturbation
from leastnoise.noise.canonical import Canonical
from leastnoise.numeric.interval import Interval
from leastnoise.planning.means_task import MeansTask
from leastnoise.privacy.guarantee import ApproxDP

CUBE = "cube noise"
LAPLACE = "independent Laplace"
GAUSSIAN = "discrete Gaussian"
BOUNDED = "median of uniforms"
CANONICAL = "canonical"


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
    d, epsilon = task.dimension, task.epsilon
    options = [
        ColumnOption(CUBE, cube_perturbation(d, epsilon, centred=False)),
        ColumnOption(LAPLACE, laplace_perturbation(d, epsilon, centred=False)),
    ]
    if not task.delta:
        return options
    target = ApproxDP(epsilon=epsilon, delta=task.delta)
    options += [
        ColumnOption(GAUSSIAN, gaussian_perturbation(d, target, task.objective, centred=False)),
        ColumnOption(BOUNDED, bounded_perturbation(d, target, task.objective, centred=False)),
    ]
    if d == 1:
        options.append(ColumnOption(CANONICAL, _canonical(epsilon, task.delta)))
    return options


def _canonical(epsilon: Fraction, delta: Fraction) -> Perturbation:
    return Perturbation(IndependentNoise(Canonical(epsilon=epsilon, delta=delta), 1))
