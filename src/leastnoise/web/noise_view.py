"""`NoiseView`: a law of noise as the page shows it: its name, its errors and its shape."""

from fractions import Fraction
from functools import cached_property
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.least_noise.optimal_answers import NoiseLaw, OptimalAnswers
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.noise.laws.canonical import Canonical
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.noise.vectors.cube_coordinate import CubeCoordinate
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase
from leastnoise.numeric.cost import ABSOLUTE, Cost, CostLike, checked_cost
from leastnoise.numeric.interval import Interval
from leastnoise.pictures.names import cut, spaced

_PLACES = 60  # on each side of 0
_PLACES_OF_MANY = 20  # a joint law of many answers is smooth, and slow to ask
_MANY = 50  # answers
_LONGEST = 160  # letters


@dataclass(frozen=True)
class NoiseView:
    """One answer's noise.

    Attributes:
        name: in words.
        text: the constructor's call.
        law: the law of one answer, in steps of the lattice.
        step: the lattice's step.
        rounding: the most that rounding to the lattice moves a value.
        why: why this one.
    """

    name: str
    text: str
    law: LatticeLaw | CubeCoordinate
    step: Fraction
    rounding: Fraction
    why: str

    @classmethod
    def of(cls, chosen: OptimalNoise | OptimalAnswers) -> "NoiseView":
        """The noise that was picked."""
        mechanism, law = chosen.mechanism, chosen.law
        why = chosen.why if isinstance(chosen, OptimalNoise) else _JOINT_WHY.format(chosen.count)
        name = law_name(law) if isinstance(chosen, OptimalNoise) else chosen.family
        return cls(
            name, law_text(law), one_answer(law), mechanism.granularity, mechanism.rounding, why
        )

    def cost(self, cost: CostLike) -> Interval:
        """The expected cost of one answer."""
        meant = checked_cost(cost)
        if meant not in self._costs:
            self._costs[meant] = expected_cost(self.law, meant, self.step, self.rounding)
        return self._costs[meant]

    @cached_property
    def _costs(self) -> dict[Cost, Interval]:
        return {}

    def error(self, confidence: str) -> float:
        """The bound on |error| that holds so often."""
        return float(self.law.quantile(confidence) * self.step + self.rounding)

    def facts(self, cost: CostLike) -> dict[str, Any]:
        """Everything the page draws, as plain values."""
        most = self.law.quantile("0.95")
        return {
            "name": self.name,
            "law": self.text,
            "why": self.why,
            "cost": {"name": checked_cost(cost).name, **bracket(self.cost(cost))},
            "mean_error": bracket(self.cost(ABSOLUTE)),
            "error95": float(most * self.step + self.rounding),
            "shape": self.shape(most),
        }

    @property
    def _places(self) -> int:
        many = isinstance(self.law, CubeCoordinate) and self.law.stairs.ball.dimension > _MANY
        return _PLACES_OF_MANY if many else _PLACES

    def shape(self, most: int) -> dict[str, Any]:
        """Places and probabilities, half as far again as `most`, few enough to draw."""
        edge = max(most + -(-most // 2), 2)
        if self.law.support is not None:
            edge = min(edge, self.law.support[1])
        stride = max(1, -(-edge // self._places))
        right = range(0, edge + stride, stride)
        places = [*(-k for k in reversed(right[1:])), *right]
        heights = [float(self.law.pmf(k)) for k in right]
        if isinstance(self.law, TableLaw):  # the only one that need not be symmetric
            left = [float(self.law.pmf(-k)) for k in reversed(right[1:])]
        else:
            left = heights[:0:-1]
        return {
            "x": [float(k * self.step) for k in places],
            "p": [*left, *heights],
            "step": float(self.step),
            "every": stride == 1,
        }


_JOINT_WHY = "the least expected cost of all families priced for {} queries together"


def one_answer(law: NoiseLaw) -> LatticeLaw | CubeCoordinate:
    """The law of a single answer's noise."""
    if isinstance(law, LatticeLaw):
        return law
    if isinstance(law, NormLaplace | NormStaircase):
        return CubeCoordinate(law.shape)
    raise UnsupportedQuery(
        "the explorer shows noise for queries that move either way; got noise for counts. Ask "
        "`optimal` itself."
    )


def law_name(law: NoiseLaw) -> str:
    """What a law is called.

    Example:
        >>> from leastnoise.noise import DiscreteLaplace
        >>> law_name(DiscreteLaplace(scale=1)), law_name(Canonical(epsilon=1, delta=0))
        ('discrete Laplace', 'geometric')
    """
    if isinstance(law, Canonical):
        return "canonical" if law.parameters["delta"] else "geometric"
    if isinstance(law, TableLaw):
        return "linear-program optimum"
    return spaced(type(law).__name__)


def law_text(law: NoiseLaw) -> str:
    """How a law is written, cut if it is long."""
    return cut(repr(law), _LONGEST)


def bracket(value: Interval) -> dict[str, float]:
    """Both ends of an interval."""
    return {"lower": float(value.lower), "upper": float(value.upper)}
