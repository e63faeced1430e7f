"""`Schedule`: a query that is released for one period after another, on one charge.

The charge is that of the query grouped by period. Periods are drawn in any order (`periods`), each
once: what was drawn is shown again for free, however the data have grown since.
"""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import product

from leastnoise.ledger.costs import Asked, require
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.meters import Family
from leastnoise.ledger.records import MOST_ATTEMPTS, Request
from leastnoise.ledger.store import Entry
from leastnoise.noise.source import system_source
from leastnoise.numbers.errors import EngineError, InvalidInput, LedgerError
from leastnoise.numbers.exact import whole, written
from leastnoise.release import release as releasing
from leastnoise.release.choose_noise import Choice
from leastnoise.release.grouping import Key, start_of
from leastnoise.release.measurement import Measurement
from leastnoise.release.notes import Note, notes_of
from leastnoise.release.periods import check, draw_period, drawn, of_periods
from leastnoise.release.preview import Preview
from leastnoise.release.query import Select
from leastnoise.release.result import Result
from leastnoise.report.html import Notebook
from leastnoise.report.numbers import percent
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.expressions import Call, Column, Literal
from leastnoise.tables.functions import PERIODS
from leastnoise.tables.groups import MOST, Groups
from leastnoise.tables.schema import Type, value_of

MOST_PERIODS = 1_000
_LAST_ZONE = timedelta(hours=12)  # where a day ends last, it ends so much later than in UTC
_SHORT = {"year": 4, "month": 7}  # characters of a first day that name the period: 2013, 2013-03

_NAMES = {"year": "%Y", "month": "%B %Y", "week": "week of %-d %b %Y", "day": "%-d %b %Y"}


@dataclass(frozen=True, eq=False, repr=False)
class AllPeriods(Select):
    """A query grouped by period, without a count of the units over the limit."""

    def measurements(
        self,
        family: Family,
        *,
        over_limit: bool,  # noqa: ARG002
    ) -> list[tuple[Measurement, tuple[Fraction, ...]]]:
        """What is measured for all answers of all periods, and the part of the price."""
        return super().measurements(family, over_limit=False)


@dataclass(frozen=True, eq=False, repr=False)
class Schedule(Notebook):
    """A query for many periods, charged once. Print it, then release a period that is over.

    Attributes:
        query: what is asked of each period.
        all: the same grouped by period.
        ledger: what it is charged to.
        asked: what all periods together cost.
        every: how long a period is: "day", "week", "month", "quarter" or "year".
        starts: the first day of every period.
        data_version: a name for the data as they are now.
    """

    query: Select
    all: AllPeriods
    ledger: Ledger
    asked: Asked
    every: str
    starts: tuple[date, ...]
    data_version: str | None = None

    @property
    def entry(self) -> Entry | None:
        """The charge for all periods in the ledger, once it was made."""
        self.ledger.store.refresh()
        return next(iter(self.ledger.store.find(self.request)), None)

    @property
    def drawn(self) -> list[date]:
        """The periods that were drawn, in this order, by their first days."""
        entry = self.entry
        found = {} if entry is None else drawn(self.ledger.store, entry.number)
        return [*map(date.fromisoformat, found)]

    def preview(self) -> Preview:
        """The margins to expect in every period and the cost of all. Spends nothing."""
        amount = {"epsilon": None, "rho": None, self.asked.currency: self.asked.amount}
        return releasing.preview(
            self._asking, self.ledger, **amount, noise="auto", expected_rows=None
        )

    def release(self, period: str | date) -> Result:
        """The answer for one period: `release("2013-03")`, or by its first day.

        The first one charges for all periods. A period that is not over is refused. Rows that come
        after its draw are not in its answer; where they use up limits, they do so in later draws.
        """
        start = self.start_of(period)
        if not self.is_over(start):
            raise InvalidInput(
                f"{self._name(start)} is not over, so its rows are still coming. Nothing was read or "
                "charged."
            )
        again, number = start in self.drawn, None
        while number is None:
            entry, meters = self.entry, self.ledger.store.meters
            if entry is not None:
                choice = releasing.charged(self._asking, entry)
                number = entry.number if again else None
            else:
                choice = self._asking.choice(self.asked, "auto", meters)
                require(meters, choice.proposal.price, self.asked, self.all.title, self.ledger.name)
            number = number or self._draw(choice, start.isoformat(), entry)
        return self._result(choice, number, start, again=again)

    def start_of(self, period: str | date) -> date:
        """The first day of a period that is named by it, or as 2013 (a year) or 2013-03 (a month)."""
        text = str(period)
        for start in self.starts:
            if text in (start.isoformat(), start.isoformat()[: _SHORT.get(self.every)]):
                return start
        raise InvalidInput(
            f"{text:.40} is no {self.every} of this schedule. Give the first day of one, from "
            f"{self.starts[0]} to {self.starts[-1]}."
        )

    def _draw(self, choice: Choice, period: str, entry: Entry | None) -> int | None:
        """The number of the charge, the period drawn; None if the ledger has moved on."""
        store, number = self.ledger.store, None if entry is None else entry.number
        remarks = {"time": _now().isoformat(timespec="seconds"), "data_version": self.data_version}
        before = 0 if entry is None else entry.tries.get(period, 0)
        try:
            with DuckDB(self._asking.tables) as engine:
                return draw_period(
                    choice.proposal, self.request, period, engine, store, system_source(),
                    after=store.last, number=number, remarks=remarks,
                )  # fmt: skip
        except (EngineError, MemoryError, OSError):
            entry = self.entry
            if entry is None or entry.tries.get(period, 0) == before:  # nothing was read
                raise
            left = 1 + MOST_ATTEMPTS - entry.tries[period]
        raise LedgerError(
            f'"{self.all.title}" stopped before the answer for {period} was stored. Release it '
            f"again: that costs nothing more. {left} tries are left; then it is closed.\n"
            f"{releasing.NO_REASON}"
        )

    def _result(self, choice: Choice, number: int, start: date, *, again: bool) -> Result:
        family, period = choice.proposal.family, start.isoformat()
        stored = drawn(self.ledger.store, number)[period]
        parts = tuple(of_periods(part, [period]) for part in choice.proposal.parts)
        title = f"{self.query.title}, {self._name(start)}"
        depth = MOST // (self.all.known_groups or 1)  # as of the query of all periods
        select = replace(self.query, title=title, most_cells=depth)
        together = f" for all {len(self.starts)} {self.every}s together"
        terms = releasing.terms_of(self.ledger, number, choice.reason, together)
        notes = notes_of(select, parts, (), family, stored["parts"])
        if again:
            text = releasing.answered(stored["remarks"]["time"], stored["remarks"]["data_version"])
            notes.insert(0, Note("stored", f"{text}\nRows that came later are not in it."))
        return Result(select, parts, (), family, stored["parts"], terms, tuple(notes))

    @property
    def _asking(self) -> releasing.Asking:
        selects = {self.all.title: self.all}
        return releasing.Asking(selects, (Fraction(1),), self.all.title, self.data_version)

    @property
    def request(self) -> Request:
        """By what the ledger finds the charge; no name for the data, which grow."""
        shown = {"title": self.all.title, "sql": [self.all.sql], "analyst": None}
        shown["amount"] = written(self.asked.amount)
        return Request({"schedule": self.all.identity, "amount": str(self.asked)}, shown)

    def is_over(self, start: date) -> bool:
        """Whether a period is over everywhere on earth, by its first day."""
        return (_now() - _LAST_ZONE).date() >= next_start(self.every, start)

    def _name(self, start: date) -> str:
        quarter = f"quarter {(start.month + 2) // 3} of %Y"
        return start.strftime(_NAMES.get(self.every, quarter))

    def view(self) -> View:
        """The periods: which were drawn, and which can be."""
        entry, known = self.entry, {*self.drawn}
        rows = tuple(
            (Cell(self._name(start)),
             Cell("drawn" if start in known else "over" if self.is_over(start) else "not over"))
            for start in self.starts
        )  # fmt: skip
        price = self.preview().cost if entry is None else releasing.costs(self.ledger)[entry.number]
        cost = f"{'would cost' if entry is None else 'cost'} {percent(price)} of {self.ledger.name}"
        header = (self.all.title, f"{str(self.asked).capitalize()} for all of them {cost}.")
        return View(header, ("period", ""), rows, (), left=2)

    def __repr__(self) -> str:
        return text_of(self.view())


def periods_of(
    query: Select, *, every: str, column: str, first: str | date, periods: int, append_only: bool
) -> tuple[AllPeriods, tuple[date, ...]]:
    """The query grouped by period, and the first days of the periods."""
    if append_only is not True:
        raise InvalidInput(
            "append_only=True is missing. A schedule holds only for tables to which rows are added, "
            "and in which no row is changed or removed before it ends. If this is so, write it."
        )
    starts = _starts(every, first, whole(periods, "periods"))
    day = Column(column, query.relation.schema[column].type)
    key = Key("period", Call("date_trunc", (Literal(every), day)))
    check(query.measurements("gaussian", over_limit=False)[0][0])
    if query.outer.having or query.outer.limit is not None:
        raise InvalidInput("A schedule shows all its groups. Leave HAVING and LIMIT out.")
    assert isinstance(query.groups, Groups)
    keys = [(start, *rest) for start, rest in product(starts, query.groups.keys)]
    groups = Groups((key.by, *query.groups.by), tuple(keys))
    together = AllPeriods(
        query.relation, query.unit, (key, *query.keys), groups, query.aggregates, query.limit,
        f"{query.title}, {len(starts)} {every}s", text=query.text,
    )  # fmt: skip
    return together, starts


def _starts(every: str, first: str | date, count: int) -> tuple[date, ...]:
    """The first days of the periods."""
    if every not in PERIODS:
        shown = ", ".join(f'"{each}"' for each in PERIODS)
        raise InvalidInput(f"every is {every!r:.40}. Give one of {shown}.")
    if not 2 <= count <= MOST_PERIODS:
        raise InvalidInput(f"periods is {count}. Give a number from 2 to {MOST_PERIODS:,}.")
    start = value_of(first, Type.DATE, "first")
    if not isinstance(start, date) or start_of(every, start) != start:
        raise InvalidInput(f"first is {first}, which is not the first day of a {every}.")
    found = [start]
    try:
        while len(found) <= count:
            found.append(next_start(every, found[-1]))
    except OverflowError:
        raise InvalidInput("periods go beyond the year 9999. Give fewer of them.") from None
    return tuple(found[:-1])


def next_start(every: str, start: date) -> date:
    """The first day of the next period."""
    days = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}[every]
    return start_of(every, start + timedelta(days=days))


def _now() -> datetime:
    return datetime.now(UTC)
