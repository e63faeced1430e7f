"""What single bits of numbers say, and what two numbers say only together."""

from collections.abc import Mapping
from itertools import combinations, islice

from leastnoise.auditing.columns import Codes

_LAST = 15  # a mask of four bits
_BITS = range(4, 32)  # looked at one by one; the last four together
_CLOSELY = 8  # so many numbers are looked at bit by bit
_PAIRED = 7  # so many numbers are held against each other: 21 pairs


def bit_columns(coded: Mapping[str, Codes]) -> dict[str, Codes]:
    """Columns for the bits of numbers that stand at named places.

    A leak may hide where no value shows it: in the seventh bit of a float, or in whether two
    numbers agree in a bit, each of which is a coin toss by itself.

    Example:
        >>> import numpy as np
        >>> found = bit_columns({"a": np.array([16, 3]), "b": np.array([0, 1])})
        >>> found["bit 4 of a"].tolist(), found["last four bits of a and b that differ"].tolist()
        ([1, 0], [0, 2])
    """
    found = {}
    for name, codes in islice(coded.items(), _CLOSELY):
        found[f"last four bits of {name}"] = codes & _LAST
        found |= {f"bit {place} of {name}": codes >> place & 1 for place in _BITS}
    for one, other in combinations(islice(coded, _PAIRED), 2):
        differ = coded[one] ^ coded[other]
        found[f"last four bits of {one} and {other} that differ"] = differ & _LAST
    return found
