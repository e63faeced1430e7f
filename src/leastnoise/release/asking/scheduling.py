"""Answers that are published again and again: when, and how often one unit counts."""

from dataclasses import replace
from datetime import date
from typing import Self, SupportsIndex

from leastnoise import _check
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.asking.question_list import QuestionList
from leastnoise.release.over_time.scheduled import refuse_undated


class Scheduling(QuestionList):
    """Questions that are answered step by step."""

    def every(  # noqa: PLR0913 - each is a part of the promise
        self,
        every: str,
        *,
        start: date | str,
        steps: SupportsIndex,
        contributes: SupportsIndex = 1,
        column: str,
        apart: SupportsIndex = 1,
    ) -> Self:
        """Publish the answers again and again: running totals, one step after another.

        All steps are charged once, when the schedule is begun. A unit's bounds hold in each step.

        Args:
            every: "day", "week" (seven days from the start on), "month", "quarter" or "year".
            start: the first day of the first step, such as "2026-01-01".
            steps: how many there are.
            contributes: in how many steps one unit counts: the first ones it has rows in. The
                fewer, the less noise.
            column: which column holds the rows' own dates.
            apart: at least how many steps after one of them the next may be.

        Raises:
            InvalidParameter: the plan has a schedule already, or this is none.
        """
        if self.schedule is not None:
            raise _check.refuse("a plan has one schedule", "two", "Make two plans.")
        made = Schedule(
            every, start=start, steps=steps, contributes=contributes, column=column, apart=apart
        )
        refuse_undated(made, self.table)
        return replace(self, schedule=made, cut=None)
