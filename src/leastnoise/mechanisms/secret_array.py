"""Secret input as NumPy reads it: whatever goes wrong, what was found is not shown."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import InvalidParameter

NOT_SHOWN = "something else (not shown: it is data)"


def secret_array(value: object, refusal: InvalidParameter) -> NDArray[Any]:
    """The array that a value stands for; masked entries and what NumPy cannot read are refused."""
    if isinstance(value, np.ma.MaskedArray):
        raise refusal
    try:
        array = np.asarray(value)
    except Exception:  # whatever a foreign object raises may quote the data it holds
        raise refusal from None
    nothing = array.size == 0 and array.dtype.kind == "f"  # NumPy's type for []
    return array.astype(np.int64) if nothing else array
