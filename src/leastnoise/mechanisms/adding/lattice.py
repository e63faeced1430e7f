r"""`Lattice`: how a real-valued secret becomes an integer before any noise is added."""

from fractions import Fraction
from math import ceil, floor
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._frozen import Number, checked, frozen
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.secret_array import NOT_SHOWN, secret_array
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.exact_sum import is_small

_MOST = 2**62  # place plus noise below 2^62 fits into 64 bits


@frozen
class Lattice:
    r"""The multiples of a step; a real number x goes to place ⌊x/step + 1/2⌋, exactly.

    Theorem: for all reals x, y with |x − y| ≤ Δ the places differ by at most ⌈Δ/step⌉, and
    step·place differs from x by at most step/2.
    Proof: ⌊u⌋ − ⌊v⌋ < u − v + 1, so places differ by less than Δ/step + 1; they are integers.
    Rounding half to even would not do: it takes 0.5 and 1.5 to 0 and 2.

    Args:
        step: a positive number; 1 for a query that counts.

    Example:
        >>> lattice = Lattice(step="0.25")
        >>> lattice.places(0.49), lattice.reach(Fraction(5, 2))
        (array(2), 10)
    """

    step: Number = checked(lambda step, _: _check.positive(step, "granularity"))

    def reach(self, sensitivity: Fraction) -> int:
        """How far apart the places of two neighbours can be."""
        return ceil(sensitivity / self.step)

    def places(self, value: ArrayLike | Rational) -> NDArray[np.int64]:
        """The places of secret numbers, in an array of the same shape.

        Raises:
            InvalidParameter: not a finite number below 2^62 steps. What was found is not shown.
        """
        if isinstance(value, Rational) and not isinstance(value, bool | np.bool_ | np.integer):
            return np.asarray(self._place(Fraction(value)), dtype=np.int64)
        array = _numbers(value, self._refusal())
        if array.dtype.kind in "iu" and self.step == 1:
            return self._within(array)
        if array.dtype.kind == "f" and _is_power_of_two(self.step):
            return self._float_places(array.astype(np.float64))
        flat = [self._place(_fraction(x, self._refusal())) for x in array.ravel().tolist()]
        return np.array(flat, dtype=np.int64).reshape(array.shape)

    def row(self, value: ArrayLike, count: int) -> NDArray[np.int64]:
        """The places of `count` secret numbers.

        Raises:
            InvalidParameter: not an array of so many finite numbers. What was found is not shown.
        """
        places = self.places(value)
        if places.shape == (count,):
            return places
        raise _check.refuse(
            f"`value` must be an array of {count} numbers",
            "another shape",
            "Give one number per query, in the order of the queries.",
        )

    def _float_places(self, array: NDArray[np.float64]) -> NDArray[np.int64]:
        """Dividing by a power of two and taking the fraction off lose nothing that decides."""
        if not np.all(np.isfinite(array)):
            raise self._refusal()
        with np.errstate(over="ignore"):  # an infinite quotient is refused below
            scaled = array / float(self.step)
        if not np.all(np.abs(scaled) < _MOST):
            raise self._refusal()
        whole = np.floor(scaled)
        return np.asarray(whole.astype(np.int64) + (scaled - whole >= 0.5))

    def _within(self, array: NDArray[Any]) -> NDArray[np.int64]:
        if is_small(array):
            return array.astype(np.int64)
        raise self._refusal()

    def _place(self, value: Fraction) -> int:
        place = floor(value / self.step + Fraction(1, 2))
        if abs(place) < _MOST:
            return place
        raise self._refusal()

    def _refusal(self) -> InvalidParameter:
        return _check.refuse(
            f"`value` must hold finite numbers below 2^62 steps of {self.step}",
            NOT_SHOWN,
            "Clean or clip the data first, or choose a coarser granularity.",
        )

    def values(self, places: Draws) -> Draws | NDArray[np.float64]:
        """Places as numbers again: integers for a whole step, else the nearest floats."""
        if self.step == 1:
            return places
        if places.dtype.kind == "i" and _is_power_of_two(self.step) and self.step < 1:
            return np.asarray(places.astype(np.float64) * float(self.step))
        exact = [int(place) * self.step for place in places.ravel()]
        if self.step.denominator == 1:
            return _integers([int(value) for value in exact]).reshape(places.shape)
        return np.array([float(value) for value in exact]).reshape(places.shape)


def _integers(values: list[int]) -> Draws:
    if all(abs(value) < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    return np.array(values, dtype=np.object_)


def _numbers(value: object, refusal: InvalidParameter) -> NDArray[Any]:
    array = secret_array(value, refusal)
    if array.dtype.kind in "iuf" or (array.dtype.kind == "O" and array.ndim):
        return array
    raise refusal


def _fraction(value: object, refusal: InvalidParameter) -> Fraction:
    try:
        return _check.rational(value, "value")  # type: ignore[arg-type]
    except InvalidParameter:  # its message shows what was found
        raise refusal from None


def _is_power_of_two(step: Fraction) -> bool:
    return (
        step.numerator & (step.numerator - 1) == 0
        and step.denominator & (step.denominator - 1) == 0
    )
