"""`Forecast`: what an answer's error will be, known before any data is read."""

import math
from decimal import ROUND_CEILING, Context
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.people import UNKNOWN, said_number, said_value

LEAST = "times the least"
_HAIR = Fraction(1, 10**6)  # of the last digit: certificates round by less than that
_LARGE = 10**15  # beyond it digits after the point mean nothing, and floats may end
_FOUR_DIGITS_UP = Context(prec=4, rounding=ROUND_CEILING)


@dataclass(frozen=True)
class SizedError:
    """The error of an answer that is about so many rows.

    Attributes:
        rows: how many; 1 where errors are told as so much divided by the number of rows.
        error: the mean |error|; None if it is not known.
        interval: half the width of the 95 % interval; None if it is not known.
    """

    rows: int
    error: float | None
    interval: float | None


@dataclass(frozen=True)
class Forecast:
    """The error of one question's answers.

    Attributes:
        question: its name.
        answers: how many numbers will be released; None if only the data know.
        mechanism: the noise.
        expected_error: the mean |error| of one number, in the units of `of`; None if it depends on
            the number of rows, and nobody said which number to expect.
        interval: half the width of the 95 % interval, in the units of `of`; None as above.
        share: the part of the budget that goes here.
        of: what the error is measured in: the answer itself, or the rank behind it.
        ratio: the error is proved to be at most this times that of any noise for one such number
            at this question's price; None if nothing is proved.
        times_least: the variances of the whole plan, weighted, are proved to be at most this times
            the least; None if this question is outside of the proof.
        among: which mechanisms the least is taken among.
        shown_half: a group found in the data is shown with 50 % probability if it has this many
            units; None if the groups are public.
        shown_from: the same with 95 %.
        expected: how many rows one answer is expected to be about; None if nobody said.
        rows: what is meant by rows: these, or units.
        per_row: the errors for one row, if they fall as the number of rows grows: for many rows
            they are these divided by the number. None if they are the same for every number.
        sizes: the errors for some numbers of rows, where they depend on it.
        assumed: what they were computed for, in words.
        yardstick: the answer that percentages are of; None if nothing is expected.
        yardstick_words: where the yardstick is from.
        rounding: how far off answers may be, as values are rounded before they are summed up.
        advice: what would make the error smaller, from public facts alone.
    """

    question: str
    answers: int | None
    mechanism: str
    expected_error: float | None
    interval: Fraction | None
    share: Fraction
    of: str = "answer"
    ratio: Fraction | None = None
    times_least: Fraction | None = None
    among: str = ""
    shown_half: int | None = None
    shown_from: int | None = None
    expected: int | None = None
    rows: str = "rows"
    per_row: SizedError | None = None
    sizes: tuple[SizedError, ...] = ()
    assumed: str = ""
    yardstick: float | None = None
    yardstick_words: str = ""
    rounding: float = 0.0
    advice: tuple[str, ...] = ()

    @property
    def error_words(self) -> str:
        """The mean |error|, or what to divide by the number of rows."""
        return self._words(self.expected_error, self._per_row.error, "")

    @property
    def interval_words(self) -> str:
        """The half-width, or what to divide by the number of rows."""
        return self._words(self.interval, self._per_row.interval, "±")

    @property
    def _per_row(self) -> SizedError:
        return SizedError(1, None, None) if self.per_row is None else self.per_row

    def _words(self, known: Fraction | float | None, per_row: float | None, sign: str) -> str:
        of = "" if self.of == "answer" else f" ({self.of})"
        if known is None:
            return UNKNOWN if per_row is None else f"{sign}{shown_error(per_row)} / {self.rows}{of}"
        return f"{sign}{shown_error(float(known))}{of}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers hang on, as sentences."""
        return tuple(f"{self.question}: {words}." for words in (self._by_rows(),) if words)

    def _by_rows(self) -> str:
        if self.per_row is None:
            return ""
        if self.expected is not None:
            return f"for {self.expected:,} {self.rows}{self.assumed}"
        if self.per_row.interval is None:
            return f"the error is not known{self.assumed}"
        told = [f"{_half(each.interval)} for {each.rows:,}" for each in self.sizes]
        formula = f"{_half(self.per_row.interval)} / number of {self.rows}"
        return f"95 % are within {formula}{self.assumed}: {', '.join(told)} {self.rows}"


def _half(width: float | None) -> str:
    return UNKNOWN if width is None else f"±{shown_error(width)}"


def shown_error(number: float) -> str:
    """An error with two digits; with one if it is a whole number of it.

    Example:
        >>> shown_error(66012.3), shown_error(0.25), shown_error(0.0000164), shown_error(9.0)
        ('66,000', '0.25', '1.6·10⁻⁵', '9')
    """
    return said_value(number, number, whole=float(number).is_integer())


def shown_size(number: float) -> str:
    """What was typed or is expected, with four digits.

    Example:
        >>> shown_size(250.0), shown_size(1 / 3)
        ('250', '0.3333')
    """
    return said_number(number, 4)


def shown_ratio(ratio: Fraction | None) -> str:
    """A proved ratio, rounded up; nothing if there is none."""
    if ratio is None:
        return ""
    if ratio > _LARGE:
        return said_number(Fraction(_FOUR_DIGITS_UP.create_decimal(math.ceil(ratio))), 4)
    step = Fraction(1, 1000 if ratio < 10 else 10)
    return f"{float(math.ceil(ratio / step - _HAIR) * step):.{3 if ratio < 10 else 1}f}"
