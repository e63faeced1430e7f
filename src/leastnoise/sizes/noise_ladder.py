"""Ladders of noise for columns, from little to much, and the highest rung that is accurate."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil

from leastnoise._dataclass import dataclass
from leastnoise.noise.laws.canonical import Canonical
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.median_of_uniforms import MedianOfUniforms
from leastnoise.sizes.column_option import CANONICAL, NAMES
from leastnoise.sizes.means_task import MeansTask
from leastnoise.tabulation.column_noise import ColumnNoise
from leastnoise.tabulation.cube_noise import CubeNoise
from leastnoise.tabulation.independent_noise import IndependentNoise
from leastnoise.tabulation.noise_family import NoiseFamily
from leastnoise.tabulation.objective import Objective
from leastnoise.tabulation.perturbation import Perturbation

_ORDERS = range(2, 13)  # from hard bounds to hardly cut
_FINE = Fraction(1, 2**20)  # how near the widest parameter is looked for
_LEAST, _GREATEST = Fraction(1, 2**12), Fraction(2**60)  # parameters that are looked at


@dataclass(frozen=True)
class NoiseLadder:
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
        """One rung."""
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
class LadderRow:
    """Ladders of one mechanism in order; the cheapest is sought downhill from a first guess."""

    mechanism: str
    ladders: tuple[NoiseLadder, ...]
    start: int = 0


def ladder_rows(task: MeansTask) -> list[LadderRow]:
    """The ladders that can serve a task; those without an ε-DP price only for δ > 0."""
    d, delta = task.dimension, task.delta
    cube = NoiseLadder(lambda scale: CubeNoise(d, scale), lambda scale: 1 / scale)
    laplace = NoiseLadder(
        lambda scale: IndependentNoise(DiscreteLaplace(scale), d), lambda scale: d / scale
    )
    rows = [
        LadderRow(NAMES[NoiseFamily.CUBE], (cube,)),
        LadderRow(NAMES[NoiseFamily.LAPLACE], (laplace,)),
    ]
    if not delta:
        return rows
    gaussian = NoiseLadder(lambda variance: IndependentNoise(DiscreteGaussian(variance), d))
    medians = tuple(NoiseLadder(_medians(order, d), whole=True) for order in _ORDERS)
    # Hardly cut noise is best for means over the columns, a hard bound for the worst of them.
    first = 3 if task.objective is Objective.MAX else len(medians) - 1
    rows += [
        LadderRow(NAMES[NoiseFamily.GAUSSIAN], (gaussian,)),
        LadderRow(NAMES[NoiseFamily.BOUNDED], medians, first),
    ]
    if d == 1:
        rows.append(LadderRow(CANONICAL, (NoiseLadder(_canonical(delta), lambda size: 1 / size),)))
    return rows


def _medians(order: int, columns: int) -> Callable[[Fraction], ColumnNoise]:
    return lambda radius: IndependentNoise(MedianOfUniforms(order, int(radius)), columns)


def _canonical(delta: Fraction) -> Callable[[Fraction], ColumnNoise]:
    return lambda size: IndependentNoise(Canonical(epsilon=1 / size, delta=delta), 1)
