"""The range of an attribute: errors are stated on its scale, and proved on that of signs ±1."""

from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.privacy.guarantee import exact_text


@dataclass(frozen=True, init=False)
class AttributeRange:
    """The two values an attribute takes.

    Example:
        >>> AttributeRange((0, 1)).on_signs("0.05")  # a mean of bits off by 0.05, of ±1 by 0.1
        Fraction(1, 10)
    """

    low: Fraction
    high: Fraction

    def __init__(self, values: tuple[Exact, Exact]) -> None:
        low, high = _checked(values)
        keep(self, low=low, high=high)

    @property
    def half(self) -> Fraction:
        """The error of answering the middle without looking at the data."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        if self.low == -1 and self.high == 1:
            return "±1"
        if self.low == 0 and self.high == 1:
            return "bits"
        return f"values {exact_text(self.low)} and {exact_text(self.high)}"

    def on_signs(self, error: Exact) -> Fraction:
        """An error stated on this scale, as an error of means of ±1.

        Raises:
            InvalidParameter: the error is 0 or less, or no less than that of a constant answer.
        """
        given = _check.positive(error, "error")
        if given < self.half:
            return given / self.half
        raise _check.refuse(
            f"`error` must be below {exact_text(self.half)}, half the range of an attribute",
            f"error={exact_text(given)}",
            "The middle of the range, published without data, is never off by more.",
        )


def _checked(values: object) -> tuple[Fraction, Fraction]:
    if isinstance(values, tuple) and len(values) == 2:
        low, high = (_check.rational(value, "values") for value in values)
        if low < high:
            return low, high
    raise _check.refuse(
        "`values` must be a pair of numbers, the lesser one first",
        _check.shown(values),
        "Write values=(0, 1) for bits, values=(-1, 1) for signs.",
    )
