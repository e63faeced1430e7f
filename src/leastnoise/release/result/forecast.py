"""`Forecast`: what an answer's error will be, known before any data is read."""

import math
from dataclasses import dataclass
from fractions import Fraction

from leastnoise.release.result.shown_row import text_table

LEAST = "times the least"
_HAIR = Fraction(1, 10**6)  # of the last digit: certificates round by less than that


@dataclass(frozen=True)
class Forecast:
    """The error of one question's answers.

    Attributes:
        question: its name.
        answers: how many numbers will be released; None if only the data know.
        mechanism: the noise.
        expected_error: the mean |error| of one number, in the units of `of`.
        interval: half the width of the 95 % interval, in the units of `of`.
        share: the part of the budget that goes here.
        of: what the error is measured in: the answer itself, or the sum or rank behind it.
        ratio: the error is proved to be at most this times that of any noise for one such number
            at this question's price; None if nothing is proved.
        times_least: the variances of the whole plan, weighted, are proved to be at most this times
            the least; None if this question is outside of the proof.
        among: which mechanisms the least is taken among.
        shown_from: a group found in the data is shown with 95 % probability if it has this many
            units; None if the groups are public.
        advice: what would make the error smaller, from public facts alone.
    """

    question: str
    answers: int | None
    mechanism: str
    expected_error: float
    interval: Fraction
    share: Fraction
    of: str = "answer"
    ratio: Fraction | None = None
    times_least: Fraction | None = None
    among: str = ""
    shown_from: int | None = None
    advice: tuple[str, ...] = ()


class Preview(tuple[Forecast, ...]):
    """The forecasts of a plan, in the order of its questions; prints as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        head = ["question", "answers", "mean |error|", "95 % within", "of the budget", LEAST]
        advice = [f"{one.question}: {hint}." for one in self for hint in one.advice]
        return "\n".join([text_table([head, *map(_told, self)]), *self.about_least, *advice])

    @property
    def about_least(self) -> tuple[str, ...]:
        """What the column of that name says; nothing if nothing is proved."""
        among = {one.among for one in self if one.times_least is not None}
        without = [one.question for one in self if one.times_least is None]
        outside = f" Nothing is proved of: {', '.join(without)}." if without else ""
        return tuple(f"{LEAST}: all of this noise, beside {each}.{outside}" for each in among)


def _told(one: Forecast) -> list[str]:
    of = "" if one.of == "answer" else f" ({one.of})"
    return [
        one.question,
        "those found" if one.answers is None else str(one.answers),
        f"{one.expected_error:.4g}{of}",
        f"±{float(one.interval):.4g}",
        f"{100 * float(one.share):.1f} %",
        shown_ratio(one.times_least),
    ]


def shown_ratio(ratio: Fraction | None) -> str:
    """A proved ratio, rounded up; nothing if there is none."""
    if ratio is None:
        return ""
    step = Fraction(1, 1000 if ratio < 10 else 10)
    return f"{float(math.ceil(ratio / step - _HAIR) * step):.{3 if ratio < 10 else 1}f}"
