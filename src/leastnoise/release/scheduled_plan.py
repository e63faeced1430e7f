"""`ScheduledPlan`: questions that are answered again and again, charged once."""

import hashlib
from collections.abc import Mapping
from dataclasses import field
from datetime import date
from pathlib import Path

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.ledger.entry import Entry
from leastnoise.ledger.ledger import Ledger, refuse_no_ledger
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.randomness.source import Source, checked_source
from leastnoise.release.ask.location import DuckDBRelation, Frame, Joined, Location, Zoned
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.draw.reading import Progress
from leastnoise.release.measure.rows.row_words import words_of_rows
from leastnoise.release.over_time.closed_steps import ClosedSteps
from leastnoise.release.over_time.fingerprint import fingerprint
from leastnoise.release.over_time.schedule_preview import SchedulePreview, schedule_preview
from leastnoise.release.over_time.schedule_release import ScheduleRelease
from leastnoise.release.over_time.scheduled import over_time, refuse_open_bounds
from leastnoise.release.questionnaire import Questionnaire
from leastnoise.release.result.step_release import StepRelease
from leastnoise.release.result.step_series import StepSeries


@dataclass(frozen=True)
class ScheduledPlan(Questionnaire):
    """A list of questions about a table, of which running totals are published step by step.

    Make one with `Plan.every`. What the bounds leave out is not measured.

    Attributes:
        schedule: when, and how often one unit counts.
    """

    schedule: Schedule = field(kw_only=True)

    def preview(self, budget: Guarantee) -> SchedulePreview:
        """The errors of a step, of longer times and of all steps to date, before any is spent."""
        return schedule_preview(self._over_time(), budget)

    @property
    def digest(self) -> str:
        """A fingerprint of everything public about the plan."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def _over_time(self) -> ScheduleRelease:
        """The plan as its schedule's release needs it."""
        if self.table.unit is not None:
            for each in self.questions:
                refuse_open_bounds(each, self.bounded, self.bounds)
        asked = over_time(self.questions, self.bounded, self.schedule)
        return ScheduleRelease(self.table, self.schedule, asked, self._schedule_digest())

    def refuse_unscheduled(self) -> None:
        """Checks that all questions can be asked step by step.

        Raises:
            UnsupportedQuery: one of them cannot.
            InvalidParameter: a bound is to be chosen.
        """
        self._over_time()

    def _schedule_digest(self) -> str:
        """A fingerprint that stays if data with a name move, or come in more files every day.

        Other rows of the same data are another schedule, at its own price: a unit that counts in
        some steps by the one and in some by the other would count in more than were paid for. So
        are the same files, read by another form.
        """
        table = self.table
        parts = (table.schema, table.unit, table.neighbours, self.bounds, self.questions)
        place = table.dataset or _place(table.location)
        return fingerprint(parts, self.schedule, place, table.called, words_of_rows(table.location))

    def begin(
        self,
        budget: Guarantee,
        *,
        ledger: Ledger,
        labels: Mapping[str, str] | None = None,
        purpose: str = "all steps of a schedule",
    ) -> Entry:
        """Charge all steps of the plan's schedule, once, before the first of them.

        By what the steps will be drawn is designed now and stored with the charge, in one line each
        of the ledger. A second beginning of the same plan charges nothing.

        Args:
            budget: what all steps together may cost: (ε, δ) or ρ.
            ledger: where it is charged.
            labels: whose budgets inside the total it counts against.
            purpose: a note for the ledger.

        Raises:
            BudgetExceeded: the ledger has less left; nothing was charged.
            LedgerError: the ledger is about other data, another unit or other neighbours.
            InvalidParameter: it was begun with another budget.
            UnsupportedQuery: a question of a kind that is not asked over time.
        """
        refuse_no_ledger(ledger)
        return self._over_time().begun(budget, ledger, purpose, labels)

    def release_step(  # noqa: PLR0913 - each is a choice of its own
        self,
        step: date | str | None = None,
        *,
        ledger: Ledger,
        closed: str | Path | None = None,
        today: date | None = None,
        progress: Progress | None = None,
        source: Source | None = None,
    ) -> StepRelease:
        """Release one step of a schedule that was begun; nothing is charged.

        What a step shows is stored in the ledger before anybody sees it, and never revised: a step
        that was released before is served from there, without a look at the data. Steps that were
        missed are released first, in their order.

        The data must keep every row of the schedule until its end, with its unit and date; rows
        that come after their step was released break the promise unless `closed` is given.

        Args:
            step: a day of the step; None for the last one that is over.
            ledger: where the schedule was begun.
            closed: a file beside the data that keeps the exact totals of steps that are over. It
                is as secret as the data. Rows that come late then count nowhere.
            today: which day it is, in the zone of the rows' dates; by default UTC's.
            progress: called with the number of passes over the data that are done, and of all.
            source: randomness; the operating system's if none is given.

        Raises:
            LedgerError: the schedule was not begun here, or the ledger cannot be trusted.
            InvalidParameter: not a step, or one that is not over.
            BackendError: the engine failed; nothing was drawn.
        """
        refuse_no_ledger(ledger)
        return self._over_time().released(
            step,
            ledger,
            closed=None if closed is None else ClosedSteps(closed),
            today=today,
            source=checked_source(source),
            progress=progress,
        )

    def changed_steps(self, *, closed: str | Path, source: Source | None = None) -> tuple[str, ...]:
        """Steps in whose rows something was erased, changed or came late since they were closed.

        For the owner of the data alone: it looks at exact totals, and that a step is named may tell
        of a single person. It charges nothing and publishes nothing. No step named is no proof:
        what was erased may be hidden by what came, and rows that do not count are not looked at.

        Args:
            closed: the file that `release_step` keeps exact totals in.
            source: randomness, in whose order an engine picks rows.

        Raises:
            BackendError: the engine failed.
        """
        return self._over_time().changed(ClosedSteps(closed), checked_source(source))

    def released_steps(self, *, ledger: Ledger) -> tuple[StepSeries, ...]:
        """The running totals of all steps that were released, a table for each question.

        Raises:
            LedgerError: the schedule was not begun here, or the ledger cannot be trusted.
        """
        refuse_no_ledger(ledger)
        return self._over_time().series(ledger)

    def released_windows(self, window: int | str, *, ledger: Ledger) -> tuple[StepSeries, ...]:
        """The sums of windows of steps that were released, a table for each question.

        They are differences of published running totals: they cost nothing, agree with all else
        that was published, and each is named by its last step.

        Args:
            window: so many steps, ending at every step; or "week", "month", "quarter" or "year",
                one after another.
            ledger: where the schedule was begun.

        Raises:
            InvalidParameter: no such window.
            LedgerError: the schedule was not begun here, or the ledger cannot be trusted.
        """
        refuse_no_ledger(ledger)
        return self._over_time().windows(window, ledger)


def _place(location: Location) -> tuple[Location, ...]:
    places: tuple[Location, ...] = (
        location.rows.locations if isinstance(location, Joined) else (location,)
    )
    plain = [each.place if isinstance(each, Zoned) else each for each in places]
    if not any(isinstance(each, Frame | DuckDBRelation) for each in plain):
        return places
    raise _check.refuse(
        "a schedule must know its data again, by their name or their place",
        "a table in memory without a name",
        "Write read(…, dataset='visits').",
    )
