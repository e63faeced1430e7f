"""`ThresholdQuestion`: what a sparse vector is asked about, as integers on a lattice."""

import operator
from fractions import Fraction
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, Number, checked, frozen
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.secret_array import NOT_SHOWN, secret_array
from leastnoise.noise.laws.identity import Described
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.exact_sum import is_small
from leastnoise.privacy.guarantee import exact_text

Value = SupportsIndex | Exact
"""One secret value: an integer, or any exact number if there is a granularity."""


@frozen(kw_only=True, repr=False)
class ThresholdQuestion(Described):
    r"""Questions of sensitivity Δ about a threshold T, on the integers or on a lattice of a step.

    Without a granularity, values, threshold and sensitivity are integers. With a step g, a number
    x goes to place ⌊x/g + 1/2⌋, the threshold too, and places of neighbours differ by at most
    ⌈Δ/g⌉ (`Lattice`).

    Args:
        threshold: T, public.
        sensitivity: Δ > 0, the most any question's value changes between neighbours.
        granularity: the lattice's step g, or None for integers.
    """

    threshold: Number = checked(_check.rational)
    sensitivity: Number = checked(_check.positive)
    granularity: Checked[Exact | None, Fraction | None] = checked(
        _check.optional(_check.positive), default=None
    )

    def __post_init__(self) -> None:
        self.public(self.threshold, "threshold")
        self.public(self.sensitivity, "sensitivity")

    def public(self, value: Exact, name: str) -> Fraction:
        """A public number of the values' kind."""
        number = _check.rational(value, name)
        if self.granularity is not None or number.denominator == 1:
            return number
        raise _check.refuse(
            f"`{name}` must be an integer, as the values are",
            f"{name}={exact_text(number)}",
            "For values that are not integers give a granularity, such as 1/1024.",
        )

    @property
    def lattice(self) -> Lattice:
        """Where the values live."""
        return Lattice(1 if self.granularity is None else self.granularity)

    @property
    def level(self) -> int:
        """The place of the threshold."""
        return self.public_place(self.threshold)

    def public_place(self, number: Fraction) -> int:
        """The place of a public number."""
        return int((number / self.lattice.step + Fraction(1, 2)) // 1)

    @property
    def reach(self) -> int:
        """The integer sensitivity: how far apart the places of neighbours can be."""
        return self.lattice.reach(self.sensitivity)

    @property
    def threshold_moved(self) -> Fraction:
        """How far the threshold lies above its place."""
        return self.threshold - self.level * self.lattice.step

    @property
    def rounding(self) -> Fraction:
        """The most that a value is moved to its place."""
        return Fraction(0) if self.granularity is None else self.granularity / 2

    def shown(self, place: int) -> int | float:
        """A released place as a number of the values' kind."""
        number: int | float = self.lattice.values(np.asarray(place)).item()
        return number

    def all_shown(self, places: Draws) -> Draws | NDArray[np.float64]:
        """Released places as numbers of the values' kind."""
        return self.lattice.values(places)

    def place(self, value: Value) -> int:
        """The place of one secret value.

        Raises:
            InvalidParameter: not a number of the kind agreed on. What was found is not shown.
        """
        if isinstance(value, np.ma.MaskedArray):
            raise _refusal("a number that is not masked")
        if self.granularity is None:
            return _integer(value)
        places = self.lattice.places([value])  # type: ignore[arg-type]
        if places.shape == (1,):
            return int(places[0])
        raise _refusal("one number; for several of them use `ask_all`")

    def places(self, values: ArrayLike) -> Draws:
        """The places of several secret values, in the order in which they are asked.

        Raises:
            InvalidParameter: not a row of such numbers. What was found is not shown.
        """
        if isinstance(values, np.ma.MaskedArray):
            raise _refusal("a row of values without masked entries")
        row = _row(values)
        if self.granularity is not None:
            return self.lattice.places(row)
        if row.dtype.kind in "iu" and is_small(row):
            return row.astype(np.int64)
        return np.array([_integer(value) for value in row.tolist()], dtype=np.object_)


def _integer(value: object) -> int:
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except Exception:  # whatever a foreign object raises may quote the data it holds
        raise _refusal("an integer; for other numbers choose a granularity") from None


def _row(values: ArrayLike) -> NDArray[np.generic]:
    row = secret_array(values, _refusal("a row of numbers"))
    if row.ndim == 1:
        return row.astype(np.int64) if not row.size else row
    raise _refusal("a row of numbers")


def _refusal(rule: str) -> InvalidParameter:
    return _check.refuse(f"`value` must be {rule}", NOT_SHOWN, "Nothing was drawn or answered.")
