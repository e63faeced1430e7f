"""What a schedule will be worth, before any data is read: of a step, of longer times, to date."""

import math
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.over_time.stream_noise import StreamNoise
from leastnoise.mechanisms.over_time.tree_noise import TreeNoise
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.over_time.schedule_release import NORMAL_95, ScheduleRelease
from leastnoise.release.over_time.stream_design import StreamDesign
from leastnoise.release.result.forecast import shown_error
from leastnoise.release.result.shown_row import text_table

_HEAD = ("question", "of", "standard error", "95 % within", "noise apart", "gain")
_MANY = 7  # participations beyond which little is gained
_WEEK = 7
_HAIR = 1e-9


@dataclass(frozen=True)
class TimeForecast:
    """The error of one question, over one length of time.

    Attributes:
        question: its name.
        of: how long: a step, a week, a month, all steps to date.
        standard_error: in units of the answer; the root of the mean square over all such times.
        naive: the same if every step had noise of its own, at the same price.
    """

    question: str
    of: str
    standard_error: float
    naive: float

    @property
    def interval(self) -> float:
        """Half the width of a 95 % interval."""
        return NORMAL_95 * self.standard_error

    @property
    def gain(self) -> float:
        """How many times larger the error would be with noise of its own for every step."""
        return self.naive / self.standard_error if self.standard_error else 1.0  # no noise at all


class SchedulePreview(tuple[TimeForecast, ...]):
    """The forecasts of a schedule; prints as a table."""

    sentences: tuple[str, ...]
    ratio: float | None
    costs: tuple[Guarantee, ...]

    @property
    def lines(self) -> list[list[str]]:
        """A line of cells for each question and length of time."""
        return [
            [
                each.question,
                each.of,
                shown_error(each.standard_error),
                f"±{shown_error(each.interval)}",
                shown_error(each.naive),
                f"{each.gain:.2f} ×",
            ]
            for each in self
        ]

    def __str__(self) -> str:
        return "\n".join([text_table([_HEAD, *self.lines]), *self.sentences])

    @property
    def head(self) -> tuple[str, ...]:
        """The names of the columns of `lines`."""
        return _HEAD

    def of(self, question: str, length: str) -> TimeForecast:
        """One forecast, by its question and length."""
        return next(each for each in self if (each.question, each.of) == (question, length))


def schedule_preview(plan: ScheduleRelease, budget: Guarantee) -> SchedulePreview:
    """The errors of a schedule at a budget; nothing is read or spent."""
    design, admitted = plan.design(budget)
    told = [
        forecast
        for question, stream in zip(plan.questions, admitted.streams, strict=True)
        for forecast in _forecasts(
            question.name, float(question.unit), stream.mechanism, plan.schedule
        )
    ]
    made = SchedulePreview(told)
    proof = design.certificate if isinstance(design, StreamDesign) else None
    made.ratio, made.costs = None if proof is None else float(proof.ratio), admitted.costs
    made.sentences = tuple(_sentences(made, plan.schedule))
    return made


def _sentences(told: SchedulePreview, schedule: Schedule) -> Iterator[str]:
    yield f"{schedule}."
    if told.ratio is None:
        yield "Noise on blocks of steps keeps ε without δ; how near to the least is not proved."
    else:
        most = math.ceil(1000 * told.ratio) / 1000
        what = "Running totals have" if schedule.matters == "worst" else "What matters has"
        yield (
            f"{what} at most {most:.3f} times the least error that any "
            "linear unbiased Gaussian noise can have."
        )
    if schedule.matters == "worst" and schedule.contributes > 1:
        yield (
            "Where a unit counts in several steps, the mean square of all running totals is made "
            "small, not the worst one: that is what is proved."
        )
    last = next(each for each in told if each.of.startswith("all steps"))
    if last.gain <= 1 + _HAIR:
        yield "Nothing is gained over noise of its own for every step: the schedule is short."
    elif schedule.contributes == 1:
        yield (
            f"Because a unit counts in one step, the last total is {last.gain:.1f} times better "
            "than the sum of steps with noise of their own; a single step is worse."
        )
    elif schedule.contributes < _MANY:
        yield (
            f"A unit counts in up to {schedule.contributes} steps: the last total is "
            f"{last.gain:.1f} times better than with noise apart. With one step it would gain more."
        )
    else:
        yield (
            f"A unit counts in up to {schedule.contributes} steps, and little is gained then: the "
            f"last total is {last.gain:.1f} times better. Longer steps, or fewer that count, help."
        )


def _forecasts(
    name: str, unit: float, noise: StreamNoise | TreeNoise, schedule: Schedule
) -> Iterator[TimeForecast]:
    apart, found = _apart(noise) * unit, noise.error_rows() * unit
    rows = np.vstack([np.zeros(found.shape[1]), found])
    for words, pairs in _lengths(schedule):
        squares = [float(((rows[last] - rows[first]) ** 2).sum()) for first, last in pairs]
        error = math.sqrt(sum(squares) / len(squares))
        naive = math.sqrt(sum(last - first for first, last in pairs) / len(pairs)) * apart
        yield TimeForecast(name, words, error, naive)


def _apart(noise: StreamNoise | TreeNoise) -> float:
    """The noise of one step's total if every step had its own, at the same price."""
    times = noise.allowed.times(noise.steps)
    if isinstance(noise, TreeNoise):
        scale = times * noise.reach / noise.guarantee.epsilon
        return math.sqrt(float(DiscreteLaplace(scale=scale).moment(2)))
    return math.sqrt(times * noise.reach * float(noise.parameter) / float(noise.squared_reach))


def _lengths(schedule: Schedule) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Words for lengths of time, and the steps before the first and to the last of each."""
    steps = schedule.steps
    yield f"a {schedule.every}", [(n - 1, n) for n in range(1, steps + 1)]
    if schedule.every == "day" and steps >= _WEEK:
        yield "7 days", [(n - _WEEK, n) for n in range(_WEEK, steps + 1)]
    months = _months(schedule)
    if months:
        yield "a month", months
    yield "the steps to date", [(0, n) for n in range(1, steps + 1)]
    yield f"all steps, to {(schedule.end - timedelta(days=1)).isoformat()}", [(0, steps)]


def _months(schedule: Schedule) -> list[tuple[int, int]]:
    """Whole calendar months of a schedule by days."""
    if schedule.every != "day":
        return []
    firsts = [n for n in range(1, schedule.steps + 2) if schedule.first_day(n).day == 1]
    return [(one - 1, other - 1) for one, other in pairwise(firsts)]
