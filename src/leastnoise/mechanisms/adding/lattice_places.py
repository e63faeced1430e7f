"""Several secret numbers at once: their places on a lattice, in an array of one known length."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise.mechanisms.adding.lattice import Lattice


def answer_places(lattice: Lattice, value: ArrayLike, count: int) -> NDArray[np.int64]:
    """The places of `count` secret numbers.

    Raises:
        InvalidParameter: not an array of so many finite numbers. What was found is not shown.
    """
    places = lattice.places(value)
    if places.shape == (count,):
        return places
    raise _check.refuse(
        f"`value` must be an array of {count} numbers",
        "another shape",
        "Give one number per query, in the order of the queries.",
    )
