"""`Schedule`: a query that is released for one period after another, on one charge.

The charge is that of the query grouped by period. Periods are drawn in any order (`periods`), each
once: what was drawn is shown again for free.
"""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from leastnoise.ledger.costs import Asked, require
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.meters import Family
from leastnoise.ledger.records import MOST_ATTEMPTS, Request
from leastnoise.ledger.store import Entry
from leastnoise.noise.source import system_source
from leastnoise.numbers.errors import EngineError, InvalidInput, LedgerError
from leastnoise.numbers.exact import Exact, whole, written
from leastnoise.release import release as releasing
from leastnoise.release.choose_noise import Choice
from leastnoise.release.grouping import Key, key_of, start_of
from leastnoise.release.measurement import Measurement
from leastnoise.release.notes import notes_of
from leastnoise.release.periods import check, draw_period, drawn, of_periods, open_schedule
from leastnoise.release.preview import Preview
from leastnoise.release.query import Select
from leastnoise.release.result import Result, Terms
from leastnoise.report.html import Notebook
from leastnoise.report.numbers import percent
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.functions import PERIODS
from leastnoise.tables.groups import MOST, Groups
from leastnoise.tables.schema import Type, value_of

MOST_PERIODS = 10_000
_LAST_ZONE = timedelta(hours=12)  # where a day ends last, it ends so much later than in UTC


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
        asked: what all periods together may cost.
        every: how long a period is: "day", "week", "month", "quarter" or "year".
        starts: the first day of every period.
    """

    query: Select
    all: AllPeriods
    ledger: Ledger
    asked: Asked
    every: str
    starts: tuple[date, ...]

    @property
    def drawn(self) -> list[date]:
        """The periods that were drawn, in this order, by their first days."""
        entry = self._entry()
        return [] if entry is None else [*map(date.fromisoformat, self._drawn(entry))]

    def preview(self) -> Preview:
        """The margins to expect in every period and the cost of all. Spends nothing."""
        meters = releasing.meters_of(self._asking, self.ledger)
        choice = self._asking.choice(self.asked, "auto", meters)
        weights = self._asking.weights
        selects, title = self._asking.selects, self.all.title
        return Preview(selects, weights, title, choice, self.asked, meters, self.ledger.name)

    def release(self, period: str | date) -> Result:
        """The answer for one period: `release("2013-03")`, or by its first day.

        The first one charges for all periods. A period that is not over is refused; rows that come
        after its draw are not in its answer, and count towards the limit of their units.
        """
        start = self._start(period)
        if not self._is_over(start):
            raise InvalidInput(
                f"{self._name(start)} is not over: its rows are still coming. Nothing was read."
            )
        releasing.meters_of(self._asking, self.ledger)  # reads what others wrote
        entry = self._entry() or self._charge()
        choice, text = releasing.charged(self._asking, entry), start.isoformat()
        if text not in self._drawn(entry):
            self._draw(choice, entry, text)
        return self._result(choice, entry, start)

    def _charge(self) -> Entry:
        """The charge for all periods; it is durable before anything is read."""
        asking, store, number = self._asking, self.ledger.store, None
        while number is None:
            meters = releasing.meters_of(asking, self.ledger)
            known = self._entry()  # somebody else's
            if known is not None:
                return known
            proposed = asking.choice(self.asked, "auto", meters).proposal
            require(meters, proposed.price, self.asked, asking.title, self.ledger.name)
            with DuckDB(asking.tables) as engine:
                number = open_schedule(proposed, self._request, engine, store, after=store.last)
        return store.entries[number]

    def _draw(self, choice: Choice, entry: Entry, period: str) -> None:
        store, asking = self.ledger.store, self._asking
        if self._tries_left(entry) < 1:
            raise LedgerError(
                f'"{asking.title}" was tried {entry.attempts} times, and too few tries were finished. '
                "It is closed; what was drawn stays."
            )
        try:
            with DuckDB(asking.tables) as engine:
                draw_period(
                    choice.proposal,
                    self._request,
                    entry.number,
                    period,
                    engine,
                    store,
                    system_source(),
                )
        except (EngineError, MemoryError, OSError):
            failed = True
        else:
            failed = False
        if failed:  # outside the handler, so that the reason is not attached
            raise LedgerError(
                f'"{asking.title}" stopped before the answer for {period} was stored. Release it '
                f"again: that costs nothing more. {self._tries_left(entry)} tries are left.\n"
                "The reason is not shown, because it may depend on private data. Look at memory, "
                "disk space, the connection, and whether files changed during the run."
            )

    def _result(self, choice: Choice, entry: Entry, start: date) -> Result:
        proposed, store, text = choice.proposal, self.ledger.store, start.isoformat()
        parts = tuple(of_periods(part, [text]) for part in proposed.parts)
        found = self._drawn(entry)[text]
        select = replace(self.query, title=f"{self.query.title}, {self._name(start)}")
        together = f"for all {len(self.starts)} {self.every}s together"
        terms = Terms(
            ledger=self.ledger.name,
            number=entry.number,
            asked=f"{self.asked} {together}",
            price=entry.price,
            cost=releasing.costs(self.ledger)[entry.number],
            left=float(1 - store.meters.spent),
            reason=choice.reason,
            in_rho=self.asked.currency == "rho",
            head=entry.line.hash,
        )
        notes = notes_of(select, parts, (), proposed.family, found)
        return Result(select, parts, (), proposed.family, found, terms, tuple(notes))

    @cached_property
    def _asking(self) -> releasing.Asking:
        return releasing.Asking(
            {self.all.title: self.all}, (Fraction(1),), self.all.title, data_version=None
        )

    @cached_property
    def _request(self) -> Request:
        identity = {"schedule": self.all.identity, "amount": str(self.asked)}
        shown = {
            "title": self.all.title,
            "sql": [self.all.sql],
            "amount": written(self.asked.amount),
            "analyst": None,
        }
        return Request(identity, shown)

    def _entry(self) -> Entry | None:
        self.ledger.store.refresh()
        found = self.ledger.store.find(self._request)
        return found[-1] if found else None

    def _drawn(self, entry: Entry) -> dict[str, list[Any]]:
        return drawn(self.ledger.store, entry.number)

    def _tries_left(self, entry: Entry) -> int:
        return MOST_ATTEMPTS * (len(self._drawn(entry)) + 1) - entry.attempts

    def _start(self, period: str | date) -> date:
        """The first day of a period that is named by it, or by its year, or year and month."""
        text = str(period)
        for rest in ("", "-01", "-01-01"):
            for start in self.starts:
                if start.isoformat() == text + rest:
                    return start
        first, last = self.starts[0], self.starts[-1]
        raise InvalidInput(
            f"{text:.40} is no {self.every} of this schedule. Give the first day of one, from "
            f"{first} to {last}."
        )

    def _is_over(self, start: date) -> bool:
        """Everywhere on earth."""
        return (_now() - _LAST_ZONE).date() >= next_start(self.every, start)

    def _name(self, start: date) -> str:
        match self.every:
            case "year":
                return f"{start:%Y}"
            case "quarter":
                return f"quarter {(start.month + 2) // 3} of {start:%Y}"
            case "month":
                return f"{start:%B %Y}"
            case "week":
                return f"week of {start.day} {start:%b %Y}"
            case _:
                return f"{start.day} {start:%b %Y}"

    def view(self) -> View:
        """The periods: which were drawn, and which can be."""
        known = {*self.drawn}
        rows = tuple(
            (
                Cell(self._name(start)),
                Cell(
                    "drawn"
                    if start in known
                    else "can be released"
                    if self._is_over(start)
                    else "not over"
                ),
            )
            for start in self.starts
        )
        entry = self._entry()
        price = self.preview().cost if entry is None else releasing.costs(self.ledger)[entry.number]
        when = "would cost" if entry is None else "cost"
        header = (
            self.all.title,
            f"{str(self.asked).capitalize()} for all of them {when} {percent(price)} of "
            f"{self.ledger.name}.",
        )
        return View(header, ("period", ""), rows, (), left=2)

    def __repr__(self) -> str:
        return text_of(self.view())


def schedule(
    query: Select,
    ledger: Ledger,
    *,
    every: str,
    column: str,
    first: str | date,
    periods: int,
    append_only: bool,
    epsilon: Exact | None,
    rho: Exact | None,
) -> Schedule:
    """The schedule of a query; nothing is read or charged."""
    if append_only is not True:
        raise InvalidInput(
            "A schedule holds only for tables to which rows are added, and in which no row is changed "
            "or removed before it ends. If this is so, write append_only=True."
        )
    starts = _starts(every, first, whole(periods, "periods"))
    key = _period_key(query, every, column)
    if not isinstance(query.groups, Groups):
        raise InvalidInput('A schedule needs known groups, so not groups="auto". List them.')
    keys = [(start, *rest) for start, rest in product(starts, query.groups.keys)]
    groups = Groups((key.by, *query.groups.by), tuple(keys))
    title = f"{query.title}, {len(starts)} {every}s"
    together = AllPeriods(
        query.relation,
        query.unit,
        (key, *query.keys),
        groups,
        query.aggregates,
        query.limit,
        title,
        text=query.text,
    )
    check(together.measurements("gaussian", over_limit=False)[0][0])
    if query.outer.having or query.outer.limit is not None:
        raise InvalidInput("A schedule shows all its groups. Leave HAVING and LIMIT out.")
    found = Schedule(
        replace(query, most_cells=MOST // len(groups)),
        together,
        ledger,
        Asked(Fraction(1), "epsilon"),
        every,
        starts,
    )
    meters = releasing.meters_of(found._asking, ledger)
    return replace(found, asked=Asked.of(meters, epsilon, rho))


def _period_key(query: Select, every: str, column: str) -> Key:
    schema = query.relation.schema
    if schema[column].type not in (Type.DATE, Type.TIMESTAMP):
        raise InvalidInput(
            f'"{column}" is of type {schema[column].type}. Periods need a column of dates.'
        )
    name = '"' + column.replace('"', '""') + '"'
    return replace(key_of(f"date_trunc('{every}', {name})", schema, "period"), known=None)


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
        while len(found) < count:
            found.append(next_start(every, found[-1]))
    except OverflowError:
        raise InvalidInput("The periods go beyond the year 9999. Give fewer of them.") from None
    return tuple(found)


def next_start(every: str, start: date) -> date:
    """The first day of the next period."""
    days = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}[every]
    return start_of(every, start + timedelta(days=days))


def _now() -> datetime:
    return datetime.now(UTC)
