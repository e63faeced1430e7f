"""`NoiseSum`: a weighted sum of independent noises, and what it seldom exceeds."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.joint_part import CellLaw
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.numeric.ball import ball, precision
from leastnoise.numeric.normal_cdf import normal_quantile

Term = tuple[Fraction, CellLaw]
"""What a noise is multiplied by, and its law."""

_APART = Fraction(1001, 1000)  # scales that are nearer are moved up: partial fractions need it
_BITS, _BITS_EACH = 128, 32  # of precision: near ties cancel some ten bits for each scale
_HALVINGS = 60
_HAIR = 1 + 2**-40  # floats of the last steps err by less
_SPLITS = (0.004, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9)


@dataclass(frozen=True)
class NoiseSum:
    r"""Σ factor·noise, of independent symmetric noises on the integers.

    Theorem: |Σ| exceeds `quantile(risk)` with at most that chance, whatever the laws are; and
    P(Σ > quantile(2·risk)) ≤ risk.
    Proof: docs/proofs/cut_intervals.md, section 1. Discrete Laplace noise is within 1 of Laplace's
    law, whose weighted sums have tails by partial fractions; discrete Gaussian noise has at most
    e^(1/8σ²) times the chance of a rounded normal number for every event; other laws, and sums of
    both kinds, share the risk.

    Attributes:
        terms: factors and laws.
    """

    terms: tuple[Term, ...]

    @staticmethod
    def of(factors: Sequence[float | Fraction], laws: Sequence[CellLaw]) -> "NoiseSum":
        """One noise for each factor; those with factor 0 do not matter, signs neither."""
        pairs = zip(factors, laws, strict=True)
        return NoiseSum(tuple((abs(Fraction(factor)), law) for factor, law in pairs if factor))

    def __add__(self, other: "NoiseSum") -> "NoiseSum":
        """Of both, which must be independent."""
        return NoiseSum((*self.terms, *other.terms))

    def times(self, factor: Fraction | float) -> "NoiseSum":
        """The sum in other units."""
        return NoiseSum(tuple((abs(Fraction(factor)) * each, law) for each, law in self.terms))

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return math.sqrt(sum(float(each) ** 2 * _variance(law) for each, law in self.terms))

    def quantile(self, risk: float) -> float:
        """What |Σ| exceeds with at most this chance."""
        return _quantile(self.terms, risk) if self.terms else 0.0

    def above(self, risk: float) -> float:
        """What Σ itself exceeds with at most this chance, up to one half."""
        return self.quantile(min(2 * risk, 1.0))


def _variance(law: CellLaw) -> float:
    return float(law.moment(2).upper)


@lru_cache(maxsize=4096)
def _quantile(terms: tuple[Term, ...], risk: float) -> float:
    parts = _alike(terms)
    if len(parts) == 1:
        return _of_one_kind(parts[0], risk)
    *small, largest = sorted(parts, key=lambda part: NoiseSum(part).deviation)
    return min(
        _of_one_kind(largest, (1 - split) * risk)
        + sum(_of_one_kind(part, split * risk / len(small)) for part in small)
        for split in _SPLITS
    )


def _alike(terms: tuple[Term, ...]) -> list[tuple[Term, ...]]:
    """Terms whose sum has a known law, together; each of the others alone."""
    laplace = tuple(term for term in terms if isinstance(term[1], DiscreteLaplace))
    normal = tuple(term for term in terms if isinstance(term[1], DiscreteGaussian))
    others = [(term,) for term in terms if term not in laplace and term not in normal]
    return [part for part in (laplace, normal, *others) if part]


def _of_one_kind(terms: tuple[Term, ...], risk: float) -> float:
    factor, law = terms[0]
    if len(terms) == 1:
        return float(factor * law.quantile(1 - Fraction(risk))) * _HAIR
    rounding = float(sum(each for each, _ in terms))
    if isinstance(law, DiscreteLaplace):
        return (laplace_quantile(_scales(terms), risk) + rounding) * _HAIR
    return (_normal_quantile(terms, risk) + rounding / 2) * _HAIR


def _scales(terms: tuple[Term, ...]) -> tuple[Fraction, ...]:
    return tuple(each * law.scale for each, law in terms if isinstance(law, DiscreteLaplace))


@lru_cache(maxsize=4096)
def laplace_quantile(scales: tuple[Fraction, ...], risk: float) -> float:
    r"""What |Σ| of independent Laplace noises exceeds with at most this chance.

    Theorem: with scales c_i, all different, P(|Σ| > x) = Σ_i w_i·e^(−x/c_i) with
    w_i = Π_{j≠i} c_i²/(c_i² − c_j²). A larger scale makes the tail larger.
    Proof: docs/proofs/cut_intervals.md, section 1.

    Example:
        >>> round(laplace_quantile((Fraction(1), Fraction(1, 10**9)), 0.05), 6)
        2.995732
    """
    apart = _apart(scales)
    with precision(_BITS + _BITS_EACH * len(apart)):
        parts = [(weight, 1 / ball(scale)) for weight, scale in _partial_fractions(apart)]
        below, above = 0.0, float(apart[-1])
        while not _tail(parts, above) <= risk:
            below, above = above, 2 * above
        for _ in range(_HALVINGS):
            middle = (below + above) / 2
            below, above = (below, middle) if _tail(parts, middle) <= risk else (middle, above)
    return above


def _tail(parts: list[tuple[arb, arb]], x: float) -> arb:
    return sum((weight * (-arb(x) * rate).exp() for weight, rate in parts), arb(0))


def _partial_fractions(scales: tuple[Fraction, ...]) -> list[tuple[arb, Fraction]]:
    squares = [scale**2 for scale in scales]
    found = []
    for place, own in enumerate(squares):
        others = (ball(own / (own - each)) for i, each in enumerate(squares) if i != place)
        found.append((math.prod(others, start=arb(1)), scales[place]))
    return found


def _apart(scales: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """In order; those that are too near to the one before are moved up."""
    found: list[Fraction] = []
    for scale in sorted(scales):
        found.append(max(scale, found[-1] * _APART) if found else scale)
    return tuple(found)


def _normal_quantile(terms: tuple[Term, ...], risk: float) -> float:
    """Of normal numbers whose rounding has at least these chances, but for e^Σ 1/8σ²."""
    sizes = [(each, law.sigma_squared) for each, law in terms if isinstance(law, DiscreteGaussian)]
    square = sum(each**2 * variance for each, variance in sizes)
    excess = sum(1 / (8 * variance) for _, variance in sizes)
    with precision(_BITS):
        tail = ball(Fraction(risk)) / 2 * (-ball(excess)).exp()
        found = (normal_quantile(tail) * ball(square).sqrt()).upper()
        return float(found)
