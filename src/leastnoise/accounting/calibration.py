"""The least noise for a target: certified calibration of any one-parameter family."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss

Family = Callable[[Fraction], PrivacyLoss]
"""Noise parameter ↦ loss; the parameter grows with the noise."""

_MOST_DOUBLINGS = 400  # 2**400 is beyond any parameter of use


@dataclass(frozen=True)
class Calibration:
    """A noise parameter for a target, with what is known of the least one.

    `parameter.upper` is proved to meet the target; `parameter.lower` is proved to miss it. `loss`
    is the loss at the upper end.
    """

    parameter: Interval
    loss: PrivacyLoss


def calibrate(
    family: Family, *, epsilon: Exact, delta: Exact, start: Exact = 1, relative: Exact = "1e-9"
) -> Calibration:
    r"""The least parameter at which a family of losses is (epsilon, delta)-DP.

    The family's noise must grow with its parameter. A parameter found by search is untrusted: the
    answer's upper end is one at which δ(ε), rounded up, is at most delta; its lower end one at
    which δ(ε), rounded down, is more. Both ends are exact rationals.

    Args:
        family: parameter ↦ `PrivacyLoss`, k-fold compositions included.
        epsilon: target ε ≥ 0.
        delta: target δ in [0, 1).
        start: a guess at the parameter, positive.
        relative: how close the two ends shall be; brackets of composed losses may keep them apart.

    Raises:
        UnsupportedQuery: no parameter within 2**±400 of the start meets the target.

    Example:
        >>> found = calibrate(
        ...     lambda sigma: PrivacyLoss.gaussian(mu=1 / sigma).self_compose(10),
        ...     epsilon=1,
        ...     delta="1e-6",
        ... )
        >>> round(float(found.parameter.upper), 4)
        13.3596
    """
    search = _Search(family, _check.non_negative(epsilon, "epsilon"), _check.delta(delta))
    low, high = search.ends(_check.positive(start, "start"))
    tolerance = _check.positive(relative, "relative")
    proved = _bisect(search.proved, low, high, tolerance)
    refuted = _bisect(lambda p: not search.refuted(p), low, proved[1], tolerance)
    return Calibration(Interval(refuted[0], proved[1]), family(proved[1]))


class _Search:
    def __init__(self, family: Family, epsilon: Fraction, delta: Fraction) -> None:
        self._delta = delta
        self._leak = lru_cache(maxsize=None)(lambda p: family(p).delta(epsilon))

    def proved(self, parameter: Fraction) -> bool:
        return bool(self._leak(parameter).upper <= self._delta)

    def refuted(self, parameter: Fraction) -> bool:
        return bool(self._leak(parameter).lower > self._delta)

    def ends(self, start: Fraction) -> tuple[Fraction, Fraction]:
        """A refuted parameter and a proved one, by doubling and halving."""
        low = high = start
        for _ in range(_MOST_DOUBLINGS):
            if self.proved(high):
                break
            high *= 2
        else:
            raise _no_such("larger", start)
        for _ in range(_MOST_DOUBLINGS):
            if self.refuted(low):
                return low, high
            low /= 2
        raise _no_such("smaller", start)


def _no_such(direction: str, start: Fraction) -> UnsupportedQuery:
    return UnsupportedQuery(
        "the target must be met by some parameters and missed by others; none of either kind was "
        f"found by making the parameter {direction} from {float(start):g}. "
        "Check that the noise grows with the parameter and that delta is above 0."
    )


def _bisect(
    enough: Callable[[Fraction], bool], low: Fraction, high: Fraction, tolerance: Fraction
) -> tuple[Fraction, Fraction]:
    """Neighbours with enough(low) False and enough(high) True, given that the ends are so."""
    while high - low > tolerance * high:
        middle = _short((low + high) / 2, low, high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return low, high


def _short(value: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """A number with few digits strictly between the ends, close to the value."""
    width = high - low
    digits = 4 + width.denominator.bit_length() - width.numerator.bit_length()
    scale = Fraction(2) ** digits
    return Fraction(round(value * scale)) / scale
