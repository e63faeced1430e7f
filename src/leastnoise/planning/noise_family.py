"""Families of noise for columns, from little to much, and which of their members is wide enough."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from leastnoise.marginals.column_noise import ColumnNoise
from leastnoise.marginals.cube_noise import CubeNoise
from leastnoise.marginals.independent_noise import IndependentNoise
from leastnoise.marginals.objective import Objective
from leastnoise.marginals.perturbation import Perturbation
from leastnoise.noise.canonical import Canonical
from leastnoise.noise.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.discrete_laplace import DiscreteLaplace
from leastnoise.noise.median_of_uniforms import MedianOfUniforms
from leastnoise.planning.column_option import BOUNDED, CANONICAL, CUBE, GAUSSIAN, LAPLACE
from leastnoise.planning.means_task import MeansTask

_ORDERS = range(2, 13)
_FINE = Fraction(1, 2**20)
_LEAST, _GREATEST = Fraction(1, 2**12), Fraction(2**60)


@dataclass(frozen=True)
class NoiseFamily:
    """Noise that grows with a parameter.

    Attributes:
        noise: parameter ↦ noise.
        price: parameter ↦ the least ε at the task's δ, where there is a formula.
        whole: whether the parameter must be an integer.
    """

    noise: Callable[[Fraction], ColumnNoise]
    price: Callable[[Fraction], Fraction] | None = None
    whole: bool = False

    def at(self, parameter: Fraction) -> Perturbation:
        """One member."""
        return Perturbation(self.noise(parameter))

    def widest(self, accurate: Callable[[Perturbation], bool]) -> Fraction | None:
        """Nearly the greatest parameter whose noise is accurate enough; None if none is."""
        low = high = Fraction(1) if self.whole else _LEAST
        while high <= _GREATEST and accurate(self.at(high)):
            low, high = high, 4 * high
        if low == high or high > _GREATEST:
            return None
        while high - low > max(_FINE * high, Fraction(int(self.whole))):
            middle = (low + high) / 2
            middle = Fraction(ceil(middle)) if self.whole else middle
            low, high = (middle, high) if accurate(self.at(middle)) else (low, middle)
        return low


@dataclass(frozen=True)
class FamilyRow:
    """Families of one mechanism in order; the cheapest is sought downhill from a first guess."""

    mechanism: str
    families: tuple[NoiseFamily, ...]
    start: int = 0


def family_rows(task: MeansTask) -> list[FamilyRow]:
    """The families that can serve a task; those without an ε-DP price only for δ > 0."""
    d, delta = task.dimension, task.delta
    cube = NoiseFamily(lambda scale: CubeNoise(d, scale), lambda scale: 1 / scale)
    laplace = NoiseFamily(
        lambda scale: IndependentNoise(DiscreteLaplace(scale), d), lambda scale: d / scale
    )
    rows = [FamilyRow(CUBE, (cube,)), FamilyRow(LAPLACE, (laplace,))]
    if not delta:
        return rows
    gaussian = NoiseFamily(lambda variance: IndependentNoise(DiscreteGaussian(variance), d))
    medians = tuple(NoiseFamily(_medians(order, d), whole=True) for order in _ORDERS)
    # Hardly cut noise is best for means over the columns, a hard bound for the worst of them.
    first = 3 if task.objective is Objective.MAX else len(medians) - 1
    rows += [FamilyRow(GAUSSIAN, (gaussian,)), FamilyRow(BOUNDED, medians, first)]
    if d == 1:
        rows.append(FamilyRow(CANONICAL, (NoiseFamily(_canonical(delta), lambda size: 1 / size),)))
    return rows


def _medians(order: int, columns: int) -> Callable[[Fraction], ColumnNoise]:
    return lambda radius: IndependentNoise(MedianOfUniforms(order, int(radius)), columns)


def _canonical(delta: Fraction) -> Callable[[Fraction], ColumnNoise]:
    return lambda size: IndependentNoise(Canonical(epsilon=1 / size, delta=delta), 1)
