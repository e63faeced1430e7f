"""`TwoCounterNoise`: one draw of noise for several questions, under pure ε."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from leastnoise import _check
from leastnoise._frozen import Checked, Number, checked, frozen
from leastnoise.mechanisms.joint.box_counters import BoxCounters
from leastnoise.mechanisms.joint.checked_parts import checked_parts, checked_rate
from leastnoise.mechanisms.joint.forecast import Forecast
from leastnoise.mechanisms.joint.joint_mechanism import JointMechanism, refuse_wide_histograms
from leastnoise.mechanisms.joint.joint_part import Integers
from leastnoise.mechanisms.joint.pair_counters import PairCounters, simplex_set
from leastnoise.mechanisms.joint.pair_table import PairTable
from leastnoise.mechanisms.joint.part import Box, Diamond, Part, Simplex
from leastnoise.mechanisms.joint.radius_table import RadiusTable
from leastnoise.mechanisms.joint.shifted_uniform import shifted_uniform
from leastnoise.randomness.source import Source

Parts = Checked[Sequence[Part], tuple[Part, ...]]
_EVERYONE = Box(1, 1)  # each unit adds exactly 1


@frozen(repr=False)
class TwoCounterNoise(JointMechanism):
    r"""Noise for several rows of numbers that one unit may all change, at one price.

    Law: (p, q, x) with p, q ≥ 0 and x ∈ ∏ Cᵢ(p, q) has probability proportional to e^(−ε(p+q));
    x is added to the numbers and p − q to the number of units. C(p, q) is, for a part, everything
    that p units may add and q take away: for a box p·low − q·high .. p·high − q·low, widened by
    start/2 on both sides; for a simplex the x whose positive cells add up to at most p·total +
    start and whose negative ones to at least −(q·total + start).

    Theorem: let one unit more or less change every row within its part, all rows at once, and the
    number of units by exactly 1. For all such neighbours the noisy numbers, all together, are ε-DP;
    for t units they are tε-DP. The noise is symmetric about 0.
    Proof: docs/proofs/joint_noise.md, section 1.

    Args:
        epsilon: the price of all numbers together, in 2**−40..4096.
        parts: what one unit may add to each row: `Box`, `Simplex` or `Everyone`.

    Raises:
        InvalidParameter: a part makes no sense here, or there is none.
        UnsupportedQuery: the histograms are too wide.

    References: HardtTalwar2010, Section 4, for noise that is uniform in a convex body.

    Example:
        >>> from leastnoise.mechanisms.joint.part import Everyone
        >>> noise = TwoCounterNoise(1, [Box(0, 1, cells=10), Everyone()])
        >>> [row.size for row in noise.release([range(10), [100]]).value]
        [10, 1]
        >>> round(float(noise.cell(0).moment(2)), 3)
        25.833
    """

    epsilon: Number = checked(checked_rate)
    parts: Parts = checked(checked_parts)

    __hash__ = JointMechanism.__hash__

    def __post_init__(self) -> None:
        if any(isinstance(part, Diamond) for part in self.parts):
            raise _check.refuse(
                "a part must be Box, Simplex or Everyone for two counters",
                "a Diamond",
                "Use OneCounterNoise: what goes up and down alike gains nothing from two.",
            )
        refuse_wide_histograms(self.parts)

    @property
    def _terms(self) -> tuple[Fraction, tuple[Part, ...]]:
        return self.epsilon, self.parts

    @cached_property
    def _counters(self) -> BoxCounters | PairCounters:
        sets = [_set(part) for part in self.parts]
        boxes = [part for part in sets if isinstance(part, Box)]
        if len(boxes) == len(sets):
            return BoxCounters(self.epsilon, boxes)
        return PairCounters(self.epsilon, sets)

    @property
    def counter_table(self) -> RadiusTable | PairTable:
        """The law of p + q, or of p and q, in floats: for forecasts and intervals."""
        return self._counters.table

    def make_ready(self) -> None:
        """Makes the tables of p and q; draws nothing."""
        self._counters.make_ready()

    def draw(self, source: Source) -> tuple[Integers, ...]:
        """Noise for all rows: p and q, then a uniform point for each part."""
        p, q = self._counters.draw(source)
        return tuple(_point(_set(part), p, q, source) for part in self.parts)

    def _forecast(self, part: Part) -> Forecast:
        return self._counters.cell(_set(part))


def _set(part: Part) -> Box | Simplex:
    return part if isinstance(part, Box | Simplex) else _EVERYONE


def _point(part: Box | Simplex, p: int, q: int, source: Source) -> Integers:
    if isinstance(part, Simplex):
        return simplex_set(part).uniform(p, q, source)
    half = part.start // 2
    lowest, highest = p * part.low - q * part.high - half, p * part.high - q * part.low + half
    return shifted_uniform(lowest, highest, part.cells, source)
