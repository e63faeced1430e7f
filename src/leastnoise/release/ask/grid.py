r"""`Grid`: how a numeric column becomes integers, inside the engine and before any sum."""

from fractions import Fraction
from functools import cached_property, lru_cache
from math import floor

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass

_MOST_PLACE = 2**31
_FINE = 2**20
_MOST_BITS = 900  # beyond, a bound would not be a double


@dataclass(frozen=True, init=False)
class Grid:
    r"""A value v goes to the integer ⌊clamp(v, lower, upper)·2^bits + 1/2⌋.

    Theorem: every value, ±∞ included, goes to an integer in least..most, both at most 2^31 in
    magnitude, so that sums over fewer than 2^32 rows fit into 64 bits. The map is monotone.

    Args:
        lower: values below count as this; public.
        upper: values above count as this; public.
        bits: the step is 2^−bits, an integer in −900..900; by default the finest with at most 2^20
            steps in the range.

    Example:
        >>> grid = Grid(lower=0, upper=110)
        >>> grid.bits, grid.least, grid.most, grid.place(Fraction(1, 3))
        (13, 0, 901120, 2731)
    """

    lower: Fraction
    upper: Fraction
    bits: int

    def __init__(self, *, lower: Exact, upper: Exact, bits: int | None = None) -> None:
        _refuse_words(lower, upper)
        low, high = _check.rational(lower, "lower"), _check.rational(upper, "upper")
        if not low < high:
            raise _check.refuse(
                "`lower` must be below `upper`",
                f"lower={lower!r}, upper={upper!r}",
                "Bounds are public: give the range that values can have.",
            )
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)
        fine = _fineness(low, high) if bits is None else bits
        fine = _check.integer_between(fine, "bits", -_MOST_BITS, _MOST_BITS)
        object.__setattr__(self, "bits", fine)
        if not max(abs(self.least), abs(self.most)) <= _MOST_PLACE:
            raise _check.refuse(
                "a column's bounds must be at most 2^31 steps from 0",
                f"{max(abs(self.least), abs(self.most))} steps",
                "Give fewer bits, narrower bounds, or a column in larger units.",
            )

    @cached_property
    def step(self) -> Fraction:
        """2^−bits."""
        return Fraction(2) ** -self.bits

    @cached_property
    def least(self) -> int:
        """The integer of `lower`."""
        return self.place(self.lower)

    @cached_property
    def most(self) -> int:
        """The integer of `upper`."""
        return self.place(self.upper)

    @property
    def middle(self) -> Fraction:
        """Halfway between the bounds."""
        return (self.lower + self.upper) / 2

    def place(self, value: Fraction) -> int:
        """The integer of a value."""
        inside = min(max(value, self.lower), self.upper)
        return floor(inside * Fraction(2) ** self.bits + Fraction(1, 2))

    def share_of(self, value: Fraction | None) -> float | None:
        """Where between the bounds a value is, from 0 to 1, if there is one."""
        if value is None:
            return None
        inside = min(max(value, self.lower), self.upper)
        return float((inside - self.lower) / (self.upper - self.lower))


def _refuse_words(lower: Exact, upper: Exact) -> None:
    if "auto" in [end for end in (lower, upper) if isinstance(end, str)]:
        raise _check.refuse(
            "bounds of values are chosen for `sum`, `mean`, `variance` and `std` alone",
            "'auto'",
            "Give numbers: the range that values can have, known without looking at the data; or "
            "release a `mean` of the column with 'auto' first, which says the range it chose.",
        )


@lru_cache(maxsize=64)  # a plan asks often about a few columns
def _fineness(low: Fraction, high: Fraction) -> int:
    """The finest step that leaves both the range and the distance from 0 small."""
    bits = 0
    reach = max(abs(low), abs(high))
    while (high - low) * Fraction(2) ** (bits + 1) <= _FINE:
        bits += 1
    while (high - low) * Fraction(2) ** bits > _FINE:
        bits -= 1
    while reach * Fraction(2) ** bits > _MOST_PLACE - 1:
        bits -= 1
    return bits


TRUTH = Grid(lower=0, upper=1, bits=0)
"""0 for false and 1 for true."""
