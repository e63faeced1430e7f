"""`Forecast`: what an answer's error will be, known before any data is read."""

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.engine.allocation import Allotment
from leastnoise.engine.question import Mean, Question, step


@dataclass(frozen=True)
class Forecast:
    """The error of one question's answers.

    Attributes:
        question: its name.
        answers: how many numbers will be released.
        mechanism: the noise.
        expected_error: the mean |error| of one number, in the units of the answer.
        interval: half the width of the 95 % interval.
        share: the part of the budget that goes here.
        of: what the error is measured in: the answer itself, or for a mean the sum behind it.
    """

    question: str
    answers: int
    mechanism: str
    expected_error: float
    interval: Fraction
    share: Fraction
    of: str


def forecast(question: Question, given: Allotment, confidence: Fraction) -> Forecast:
    """What the noise will do to one question's answers."""
    unit = step(question)
    return Forecast(
        question=question.name,
        answers=question.groups.count,
        mechanism=repr(given.law),
        expected_error=float(given.law.moment(1)) * float(unit),
        interval=given.law.quantile(confidence) * unit,
        share=given.share,
        of="sum" if isinstance(question, Mean) else "answer",
    )
