"""`Scheduled`: the questions of a plan with a schedule, as far as they can be asked over time."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.keys import Key, Keys
from leastnoise.release.ask.named_bounds import NamedBounds
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.answerable import refuse_impossible
from leastnoise.release.questions.bounded_question import BoundedQuestion, plain, table_of
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.question import Question
from leastnoise.release.questions.sum import Sum
from leastnoise.release.step.aggregate import contribution
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.bounds_used import bounds_kept, bounds_used
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.sensitivity import Sensitivity
from leastnoise.release.step.stream_step import Streamed, keeps_rows, stream_reach

_TOTAL: tuple[tuple[Key, ...], ...] = ((),)


@dataclass(frozen=True)
class OverTime:
    """One question, asked in every step.

    Attributes:
        question: what is asked.
        asked: what is measured in each step.
        unit: what one step of the lattice is worth in the answer.
        weight: how much an error of one of them matters.
        reach: how far one unit moves the totals of one step.
        notes: what to say below every answer.
    """

    question: Question
    asked: Streamed
    unit: Fraction
    weight: Fraction
    reach: Sensitivity
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How the answer is found again."""
        return self.question.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the key columns."""
        return self.question.groups.names

    @property
    def rows(self) -> tuple[tuple[Key, ...], ...]:
        """The key of each group."""
        keys: Keys | None = self.asked.measurement.keys
        return _TOTAL if keys is None else keys.rows


def over_time(
    questions: Sequence[Question], table: BoundedTable, schedule: Schedule
) -> tuple[OverTime, ...]:
    """What is measured for each question in every step.

    Raises:
        InvalidParameter: there are no questions, or the schedule's column holds no dates.
        UnsupportedQuery: a question of a kind that is not asked over time.
    """
    refuse_undated(schedule, table.table)
    refuse_revised(table.table)
    if not questions:
        raise _check.refuse("a schedule needs a question", "none", "Count something.")
    return tuple(_over_time(each, table, schedule) for each in questions)


def refuse_undated(schedule: Schedule, table: Table) -> None:
    """Checks that the schedule's column holds dates."""
    kind = table.schema.type_of(Column(schedule.column))
    if kind not in {ColumnType.DATE, ColumnType.MOMENT}:
        raise _check.refuse(
            "the `column` of a schedule must hold dates or time stamps without a zone",
            f"{schedule.column!r}, which holds values of type {kind.value!r}",
            "Name the column with each row's own date.",
        )


def refuse_revised(table: Table) -> None:
    """Checks that rows stay as they are when others come; only then do steps of units stay.

    Raises:
        UnsupportedQuery: rows made of others such that they may go or change again.
    """
    if keeps_rows(table):
        return
    raise UnsupportedQuery(
        "a schedule needs rows that stay as they are when others come; these are made by a LEFT "
        "JOIN of private tables, by NOT EXISTS, or by GROUP BY or DISTINCT inside, so that a row "
        "that comes may take back another one. Count in steps without them, and compare afterwards."
    )


def refuse_open_bounds(question: Question, table: BoundedTable, plan: NamedBounds) -> None:
    """Checks that a question's bounds are numbers: all steps are priced before the first.

    Args:
        question: what is asked.
        table: of which.
        plan: the bounds of all questions that name none.

    Raises:
        InvalidParameter: a bound is to be chosen.
    """
    own = question.own.before(plan) if isinstance(question, BoundedQuestion) else plan
    used = frozenset[str]().union(*map(bounds_used, question.measurements(table)))
    missing = sorted(used & own.to_choose)
    if missing:
        raise _check.refuse(
            "a schedule needs numbers for its bounds, as all steps are paid for before the first",
            f"no number for {' and '.join(f'`{each}`' for each in missing)} of {question.name!r}",
            f"Write {', '.join(f'{each} = 2' for each in missing)}, say: so much of one unit "
            "counts in each step. To see what a number cuts, take the schedule out and run "
            "`leastnoise bounds`.",
        )


def _over_time(question: Question, table: BoundedTable, schedule: Schedule) -> OverTime:
    asked, own = plain(question), table_of(question, table)
    if not isinstance(asked, Count | Sum):
        raise UnsupportedQuery(
            f"a schedule publishes counts, numbers of units and sums; {question.name!r} is of "
            "another kind. A mean over time is a sum and a count: ask for both."
        )
    if asked.groups.are_private:
        raise UnsupportedQuery(
            f"a schedule needs public keys; {question.name!r} has keys='private'. List the groups: "
            "which ones occur would be told step by step."
        )
    if not isinstance(own.bounds, Bounds):
        raise UnsupportedQuery(
            f"a schedule bounds units by `max_groups` and `max_rows`; {question.name!r} has a clip."
            " Give both in its place."
        )
    if isinstance(asked, Sum) and asked.ends.names:
        raise UnsupportedQuery(
            f"a schedule needs fixed ends of a range; those of {question.name!r} are 'auto'. Say "
            "`lower` and `upper`."
        )
    (measurement,) = asked.measurements(own)
    stream = Streamed(replace(measurement, turns=None), schedule)
    refuse_impossible(stream.at(1), table.table.schema)
    (aggregate,) = measurement.aggregates
    low, high = contribution(aggregate)
    unit = asked.grid.step if isinstance(asked, Sum) else Fraction(1)
    weight = asked.importance / max(-low, high)
    notes = () if table.table.unit is None else (_kept(measurement, schedule),)
    return OverTime(question, stream, unit, weight, stream_reach(stream, table.table), notes)


def _kept(measurement: Measurement, schedule: Schedule) -> str:
    """What of a unit the answers are about; nobody measures what is left out of a schedule."""
    limits = bounds_kept(measurement)
    kept = NamedBounds(max_groups=limits.get("max_groups"), max_rows=limits.get("max_rows"))
    limit = f": {kept.words(each_group=bool(measurement.by))}" if kept.said else ""
    steps = "step" if schedule.contributes == 1 else f"{schedule.contributes} steps"
    return (
        f"intervals are about the first {steps} that each unit has rows in, and what the bounds "
        f"keep there{limit}; what is left out is not measured"
    )
