"""Beginning a schedule, and releasing its steps one after another."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import LedgerError
from leastnoise.ledger.entry import Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.randomness.source import Source
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.ask.table import Table
from leastnoise.release.draw.reading import Progress, announcing
from leastnoise.release.draw.stream_drawn import cut_totals, stream_measured
from leastnoise.release.measure.measure import measure
from leastnoise.release.over_time.closed_steps import ClosedSteps
from leastnoise.release.over_time.schedule_text import (
    StepRecord,
    design_from_text,
    design_text,
    step_from_text,
    step_text,
)
from leastnoise.release.over_time.scheduled import OverTime
from leastnoise.release.over_time.stream_design import Design, best_design
from leastnoise.release.result.released_table import Cell, ReleasedTable
from leastnoise.release.result.step_release import StepRelease
from leastnoise.release.result.step_series import StepSeries
from leastnoise.release.stream_gate import AdmittedSchedule, PaidSchedule, admit_schedule

Totals = list[NDArray[np.int64]]
NORMAL_95 = 1.959964
_HALF = 0.5
_Kind = TypeVar("_Kind", bound=ReleasedTable)


@dataclass(frozen=True)
class ScheduleRelease:
    """A plan with a schedule, as far as its release needs it.

    Attributes:
        table: where the rows are.
        schedule: the steps.
        questions: what is asked in each.
        digest: the plan's fingerprint, by which its schedule is known again.
    """

    table: Table
    schedule: Schedule
    questions: tuple[OverTime, ...]
    digest: str

    def design(self, budget: Guarantee) -> tuple[Design, AdmittedSchedule]:
        """By what it would be drawn, priced and found to keep the budget; nothing is spent."""
        design = best_design(self.questions, self.schedule, self.table, budget)
        return design, self._admitted(design, budget)

    def _admitted(self, design: Design, budget: Guarantee) -> AdmittedSchedule:
        streams = design.streams(self.questions)
        return admit_schedule(self.table, self.schedule, streams, budget)

    @property
    def _name(self) -> str:
        """Under which the ledger has its design."""
        return f"schedule {self.digest}"

    def begun(
        self,
        budget: Guarantee,
        ledger: Ledger,
        purpose: str,
        labels: Mapping[str, str] | None,
    ) -> Entry:
        """Charges all steps, once."""
        ledger.about.refuse_other(self.table.scope)
        found = ledger.kept(self._name)
        if found is None:
            design, admitted = self.design(budget)
            content = design_text(self.digest, budget, design)
            ledger.require(admitted.costs, labels=labels, **self.table.scope.said)
            found = admitted.charge(
                ledger, name=self._name, content=content, purpose=purpose, labels=labels
            )
        paid = self._paid(ledger, found)
        if paid.admitted.costs[0] != budget:
            raise _check.refuse(
                "a schedule has one budget, from its beginning on",
                f"{budget!r} for one that was begun with {paid.admitted.costs[0]!r}",
                "Leave the budget as it is: all steps are paid for.",
            )
        return paid.entry

    def paid(self, ledger: Ledger) -> PaidSchedule:
        """The right to draw steps, as the ledger tells it.

        Raises:
            LedgerError: it was never begun, or the ledger is about something else.
        """
        ledger.about.refuse_other(self.table.scope)
        found = ledger.kept(self._name)
        if found is None:
            raise LedgerError(
                "a schedule must be begun before its steps are released; the ledger has none of "
                "this plan. Begin it, which charges all steps once: plan.begin(budget, ledger=…), "
                "or `leastnoise release PLAN --begin-schedule`."
            )
        return self._paid(ledger, found)

    def _paid(self, ledger: Ledger, content: str) -> PaidSchedule:
        budget, design = design_from_text(content, self.digest)
        return self._admitted(design, budget).paid(ledger, content)

    def released(  # noqa: PLR0913 - each is a choice of its own
        self,
        step: date | str | None,
        ledger: Ledger,
        *,
        closed: ClosedSteps | None,
        today: date | None,
        source: Source,
        progress: Progress | None,
    ) -> StepRelease:
        """One step, after all before it; from the ledger, if it was released before."""
        now = datetime.now(UTC).date() if today is None else today
        paid = self.paid(ledger)
        records = self.records(paid)
        number = self._wanted(step, len(records), now)
        if number > len(records):
            known = self._totals(number, len(records), closed, source, progress)
            for each in range(len(records) + 1, number + 1):
                text = paid.step(each, _Draw(self, paid, records, known, each, source))
                records.append(self._record(paid, text, each))
        return self._told(paid, records[:number], ledger)

    def _wanted(self, step: date | str | None, done: int, today: date) -> int:
        """The number of a step that is over; of none, the last one that is."""
        schedule = self.schedule
        over = sum(schedule.first_day(n + 1) <= today for n in range(1, schedule.steps + 1))
        if step is None:
            if over:
                return max(over, done)
            raise _check.refuse(
                "a step must be over before it is released",
                f"a schedule whose first step ends on {schedule.first_day(2).isoformat()}",
                "Wait for it.",
            )
        number = schedule.number(step)
        if number <= max(over, done):
            return number
        raise _check.refuse(
            "a step must be over before it is released: rows of it may still come",
            f"{schedule.label(number)}, which ends on {schedule.first_day(number + 1).isoformat()}",
            "Wait for it.",
        )

    def records(self, paid: PaidSchedule) -> list[StepRecord]:
        """What the steps showed that were drawn, from the first one on."""
        return [self._record(paid, text, number) for number, text in enumerate(paid.done(), 1)]

    def _record(self, paid: PaidSchedule, text: str, number: int) -> StepRecord:
        noises = [each.mechanism for each in paid.admitted.streams]
        sizes = [(each.groups * each.width(number), each.groups) for each in noises]
        return step_from_text(text, self.schedule.label(number), sizes)

    def _totals(
        self,
        last: int,
        done: int,
        closed: ClosedSteps | None,
        source: Source,
        progress: Progress | None,
    ) -> list[Totals]:
        """For each question the exact totals of each step up to the last. Secret."""
        known = [] if closed is None else closed.totals(self._name)
        if closed is not None and len(known) < done:
            raise _check.refuse(
                "the file of closed steps must hold every step that was released",
                f"fewer than {done}",
                "Restore it; without it late rows could change what was released.",
            )
        steps = range(len(known) + 1, last + 1)
        for number, own in self._found(steps, source, progress):
            if closed is not None:
                closed.close(self._name, number, own)
            known.append(own)
        return [[step[place] for step in known[:last]] for place in range(len(self.questions))]

    def _found(
        self, steps: range, source: Source, progress: Progress | None
    ) -> Iterator[tuple[int, Totals]]:
        """The exact totals of each of these steps, as the data are now. Secret."""
        asked = [each.asked.at(number) for number in steps for each in self.questions]
        begins = announcing(progress, [[each.name] for _ in steps for each in self.questions])
        fresh = iter(
            measure(self.table, asked, source=source, progress=progress, begins=begins)
            if asked
            else ()
        )
        for number in steps:
            yield (
                number,
                [cut_totals(each.totals[0]) for each in islice(fresh, len(self.questions))],
            )

    def changed(self, closed: ClosedSteps, source: Source) -> tuple[str, ...]:
        """The closed steps whose totals are others now. Secret."""
        known = closed.totals(self._name)
        return tuple(
            self.schedule.label(number)
            for number, own in self._found(range(1, len(known) + 1), source, None)
            if not all(map(np.array_equal, own, known[number - 1]))
        )

    def _told(
        self, paid: PaidSchedule, records: Sequence[StepRecord], ledger: Ledger
    ) -> StepRelease:
        number = len(records)
        return StepRelease(
            step=self.schedule.label(number),
            number=number,
            every=self.schedule.every,
            to_date=tuple(self._tables(paid, records, 1)),
            this_step=tuple(self._tables(paid, records, number)),
            guarantee=paid.admitted.costs[0],
            entry=paid.entry,
            digest=self.digest,
            seal=ledger.seal,
        )

    def _tables(
        self, paid: PaidSchedule, records: Sequence[StepRecord], first: int
    ) -> Iterator[ReleasedTable]:
        """For each question the sum of the steps from the first to the last record."""
        last = len(records)
        for place, question in enumerate(self.questions):
            values = records[-1].told[place]
            if first > 1:
                values = values - records[first - 2].told[place]
            noise = paid.admitted.streams[place].mechanism
            spread = noise.spread(first, last)
            rounding = _HALF if first == 1 else 1.0
            yield answer_table(question, values, spread, rounding, repr(noise))

    def series(self, ledger: Ledger) -> tuple[StepSeries, ...]:
        """For each question the running totals of all steps that were released."""
        paid = self.paid(ledger)
        records = self.records(paid)
        spans = [(1, number) for number in range(1, len(records) + 1)]
        return tuple(_series(self, place, paid, records, spans) for place in self._places)

    def windows(self, length: int | str, ledger: Ledger) -> tuple[StepSeries, ...]:
        """For each question the sums of all whole windows of steps that were released."""
        paid = self.paid(ledger)
        records = self.records(paid)
        spans = self.schedule.spans(length, len(records))
        return tuple(_series(self, place, paid, records, spans) for place in self._places)

    @property
    def _places(self) -> range:
        return range(len(self.questions))


@dataclass(frozen=True)
class _Draw:
    """Draws one step when it is called."""

    plan: ScheduleRelease
    paid: PaidSchedule
    records: Sequence[StepRecord]
    totals: list[Totals]
    number: int
    source: Source

    def __call__(self) -> str:
        measured, told = [], []
        for place, stream in enumerate(self.paid.admitted.streams):
            own = stream_measured(stream, self.totals[place][: self.number], self.source)
            past = [record.measured[place] for record in self.records[: self.number - 1]]
            measured.append(own)
            told.append(stream.mechanism.told([*past, own]))
        label = self.plan.schedule.label(self.number)
        return step_text(StepRecord(label, tuple(measured), tuple(told)))


def answer_table(
    question: OverTime, values: NDArray[np.int64], spread: float, rounding: float, words: str
) -> ReleasedTable:
    """Numbers of the lattice as answers, with their errors."""
    errors = np.full(len(values), spread)
    return _table(question, question.columns, question.rows, values, errors, rounding, words)


def _series(
    plan: ScheduleRelease,
    place: int,
    paid: PaidSchedule,
    records: Sequence[StepRecord],
    spans: Sequence[tuple[int, int]],
) -> StepSeries:
    """The sums of spans of steps: differences of published totals, so that all of them agree."""
    question, noise = plan.questions[place], paid.admitted.streams[place].mechanism
    told = [np.zeros(len(question.rows), np.int64), *(each.told[place] for each in records)]
    sums = [told[last] - told[first - 1] for first, last in spans]
    errors = [noise.spread(first, last) for first, last in spans]
    rounding = [_HALF if first == 1 else 1.0 for first, _ in spans]
    groups = len(question.rows)
    return _table(
        question,
        (plan.schedule.every, *question.columns),
        tuple((plan.schedule.label(last), *row) for _, last in spans for row in question.rows),
        np.concatenate([np.zeros(0, np.int64), *sums]),
        np.repeat(np.array(errors), groups),
        np.repeat(np.array(rounding), groups),
        repr(noise),
        StepSeries,
    )


def _table(  # noqa: PLR0913, PLR0917 - each is part of the answer
    question: OverTime,
    columns: tuple[str, ...],
    rows: tuple[tuple[Cell, ...], ...],
    values: NDArray[np.int64],
    errors: NDArray[np.float64],
    rounding: float | NDArray[np.float64],
    words: str,
    kind: type[_Kind] = ReleasedTable,  # type: ignore[assignment]
) -> _Kind:
    unit = float(question.unit)
    scaled = values.astype(np.float64) * unit
    margin = (NORMAL_95 * errors + rounding) * unit
    return kind(
        name=question.name,
        columns=columns,
        rows=rows,
        values=values if question.unit == 1 else scaled,
        standard_error=errors * unit,
        lower=scaled - margin,
        upper=scaled + margin,
        mechanism=words,
        notes=question.notes,
    )
