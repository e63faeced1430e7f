"""Groups: what k copies of a record are promised, and which k are worth trying."""

import math
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.privacy.group import group_privacy

Floats = NDArray[np.float64]

_FINE = 24  # all sizes up to here
_RATIO = 1.08  # then each is that much larger
_SLACK = 2  # a little beyond
_GREATEST_LOSS = 600.0  # e^600 is still a float


@dataclass(frozen=True)
class Group:
    """A group of `size` records, protected by (loss, leak)-DP."""

    size: int
    loss: Fraction
    leak: Fraction

    def divergence(self) -> arb:
        """loss·tanh(loss/2) − ln(1 − leak): the most relative entropy, as a ball."""
        loss = balls.ball(self.loss)
        return loss * (loss / 2).tanh() - (-balls.ball(self.leak)).log1p()

    def contrast(self) -> arb:
        """2·sinh(loss/2): the greatest standard deviation of a likelihood ratio, as a ball."""
        return 2 * (balls.ball(self.loss) / 2).sinh()


def group_of(epsilon: Fraction, delta: Fraction, size: int) -> Group | None:
    """The promise to groups of a size, its δ rounded up; None where nothing is promised."""
    leak = Fraction(group_privacy(epsilon=epsilon, delta=delta, size=size).upper)
    return Group(size, size * epsilon, leak) if leak < 1 else None


@dataclass(frozen=True)
class GroupSizes:
    """Sizes worth trying, with rough promises, as columns to be searched in floats.

    A search only picks a bound, which is then computed in balls: that the numbers here are rough,
    and that sizes are left out, never makes it wrong.
    """

    size: NDArray[np.int64]
    loss: Floats
    leak: Floats

    @property
    def divergence(self) -> Floats:
        """As in `Group`."""
        bound: Floats = self.loss * np.tanh(self.loss / 2) - np.log1p(-self.leak)
        return bound

    @property
    def likelihood_ratio(self) -> Floats:
        """e**loss, the greatest one."""
        bound: Floats = np.exp(np.minimum(self.loss, _GREATEST_LOSS))
        return bound

    @property
    def contrast(self) -> Floats:
        """As in `Group`."""
        bound: Floats = 2 * np.sinh(np.minimum(self.loss, _GREATEST_LOSS) / 2)
        return bound


def group_sizes(epsilon: Fraction, delta: Fraction, most: int) -> GroupSizes:
    """Sizes from 1 to `most`: all of the small ones, of the others some; as a column each."""
    sizes = _sizes(most if not delta else min(most, _protected(epsilon, delta)))
    loss: Floats = sizes * np.float64(float(epsilon))
    one = np.expm1(min(float(epsilon), _GREATEST_LOSS))
    growth = np.expm1(np.minimum(loss, _GREATEST_LOSS)) / one
    leak = float(delta) * growth if delta else np.zeros_like(loss)
    kept = leak[:, 0] < 1
    return GroupSizes(sizes[kept], loss[kept], leak[kept])


def _protected(epsilon: Fraction, delta: Fraction) -> int:
    """Beyond ln(1/δ)/ε the δ of a group is near 1 (docs/proofs/group_privacy.md, section 2)."""
    logs = math.log(delta.denominator) - math.log(delta.numerator)
    return math.ceil(logs / float(epsilon)) + _SLACK


def _sizes(last: int) -> NDArray[np.int64]:
    sizes = list(range(1, min(last, _FINE) + 1))
    while sizes[-1] < last:
        sizes.append(min(last, math.ceil(sizes[-1] * _RATIO)))
    return np.array(sizes, dtype=np.int64)[:, None]
