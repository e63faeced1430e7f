"""What every store of a ledger does: charge, attempt, store once. Where it is kept differs.

A store keeps the lines in memory, checked and added up, and reads only new ones inside each
transaction. Threads take turns, each until its own line is in memory. `charge` decides inside the
transaction that writes, so two processes can never spend the same budget; `put_once` keeps the first
of two answers.

Trusted.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from threading import RLock
from typing import Protocol

from leastnoise.ledger.meters import Meters, Price
from leastnoise.ledger.records import (
    MOST_ATTEMPTS,
    Attempt,
    Cap,
    Charge,
    Header,
    Line,
    Record,
    Request,
    Stored,
    broken,
    digest,
)
from leastnoise.numbers.errors import BudgetExceeded, LedgerError


class Transaction(Protocol):
    """The rows of a ledger while nobody else can write to it."""

    def lines_after(self, number: int) -> Iterable[Line]:
        """The lines with greater numbers, in order."""

    def append(self, line: Line) -> None:
        """Adds a line at the end."""

    def put(self, charge: int, stage: str, content: str) -> None:
        """Keeps the content of a stage."""

    def get(self, charge: int, stage: str) -> str | None:
        """The content of a stage, if it was kept."""

    def stages(self) -> Iterable[tuple[int, str, str]]:
        """The charge, the name and the content of every stage."""


@dataclass(slots=True)
class Entry:
    """A charge with what became of it. Charges are numbered 1, 2, 3, ... by themselves."""

    number: int
    time: str
    line: Line
    price: Price
    tries: dict[str, int] = field(default_factory=dict)  # by stage; "" is the whole
    stored: dict[str, str] = field(default_factory=dict)  # stage to the digest of its content

    @property
    def charge(self) -> Charge:
        """What the line says, read anew: to keep it of every line would make opening slow."""
        return self.line.charge()

    @property
    def attempts(self) -> int:
        """How often it was tried to finish it."""
        return sum(self.tries.values())


class Store(ABC):
    """The lines of a ledger, in memory as far as they were read."""

    header: Header

    def _begin(self, header: str) -> None:
        self.header, self._text = Header.read(header), header
        self._lock, self._process, self._new = RLock(), os.getpid(), list[Line]()
        self.meters = Meters(self.header.total)
        self.entries: dict[int, Entry] = {}
        self.caps: dict[str, Fraction] = {}
        self.last = 0
        self.head = digest(header)

    @abstractmethod
    def transaction(self, *, write: bool) -> AbstractContextManager[Transaction]:
        """A transaction; what it wrote is durable when the block is left, or nothing of it is."""

    @contextmanager
    def _turn(self, *, write: bool) -> Iterator[Transaction]:
        """A transaction in which all lines are in memory, as its own are when it is durable."""
        if self._process != os.getpid():  # a fork: the thread that held the lock is gone
            self._begin(self._text)
        with self._lock:
            with self.transaction(write=write) as rows:
                self._new = []
                for line in rows.lines_after(self.last):
                    self._read(line)
                yield rows
            for line in self._new:
                self._read(line)

    def refresh(self) -> None:
        """Reads the lines that others wrote."""
        with self._turn(write=False):
            pass

    def charge(self, charge: Charge, after: int) -> int | None:
        """Writes a charge that fits and returns its number; it is durable then.

        None if a line was written after the one on which the charge was planned: plan anew.
        """
        with self._turn(write=True) as rows:
            if self.last != after:
                return None
            if not self.meters.fits(charge.price):
                raise BudgetExceeded("The ledger has less left than the release costs.")
            number = len(self.entries) + 1
            self._append(rows, charge)
        return number

    def attempt(self, charge: int, stage: str = "") -> None:
        """Writes that an unfinished charge is tried again, at most three times.

        Of a stage that is named, the first try has such a line too, and then it has three more.
        """
        with self._turn(write=True) as rows:
            if self.entries[charge].tries.get(stage, 0) >= MOST_ATTEMPTS + bool(stage):
                what, other = f"Release {charge} was charged", " For a new charge: again=True."
                if stage:
                    what, other = f"{stage} of release {charge} was tried", ""
                raise LedgerError(
                    f"{what} and tried {MOST_ATTEMPTS} times more, and no try was finished. It is "
                    f"closed, and what it cost is lost.{other}"
                )
            self._append(rows, Attempt(charge, stage))

    def cap(self, cap: Cap) -> None:
        """Writes how much one analyst may spend from now on; the last cap of an analyst holds."""
        with self._turn(write=True) as rows:
            self._append(rows, cap)

    def put_once(self, charge: int, stage: str, content: str) -> str:
        """Stores what a stage gave, unless somebody did before; returns what is stored."""
        with self._turn(write=True) as rows:
            if stage not in self.entries[charge].stored:
                rows.put(charge, stage, content)
                self._append(rows, Stored(charge, stage, digest(content)))
            kept = rows.get(charge, stage)
        return self._checked(charge, stage, kept)

    def stored(self, charge: int, stage: str) -> str | None:
        """What a stage gave, if it was stored."""
        with self._turn(write=False) as rows:
            if stage not in self.entries[charge].stored:
                return None
            kept = rows.get(charge, stage)
        return self._checked(charge, stage, kept)

    def find(self, request: Request) -> list[Entry]:
        """The charges for one and the same release, in order."""
        return [entry for entry in self.entries.values() if entry.line.is_for(request)]

    def verify(self) -> None:
        """Checks the sum of all charges, and that every stage is kept as its line says."""
        with self._turn(write=False) as rows:
            kept = {(charge, stage): digest(content) for charge, stage, content in rows.stages()}
        if not self.meters.holds:
            raise LedgerError("The ledger was charged more than its total.")
        lines = {
            (entry.number, stage): content
            for entry in self.entries.values()
            for stage, content in entry.stored.items()
        }
        for (charge, _), _ in kept.items() ^ lines.items():
            raise _changed(charge)

    def _checked(self, charge: int, stage: str, content: str | None) -> str:
        if content is None or digest(content) != self.entries[charge].stored[stage]:
            raise _changed(charge)
        return content

    def _append(self, rows: Transaction, record: Record) -> None:
        time = datetime.now(UTC).isoformat(timespec="seconds")
        line = Line.write(record, self.last + 1, time, self.head)
        rows.append(line)
        self._new.append(line)

    def _read(self, line: Line) -> None:
        if line.number != self.last + 1:
            raise LedgerError(f"Line {self.last + 1} of the ledger is missing.")
        record, time = line.read(self.head)
        match record:
            case Charge():
                self.meters = self.meters.after(record.price)
                number = len(self.entries) + 1
                self.entries[number] = Entry(number, time, line, record.price)
            case Attempt(charge, stage) if charge in self.entries:
                tries = self.entries[charge].tries
                tries[stage] = tries.get(stage, 0) + 1
            case Stored(charge, stage, content) if charge in self.entries:
                self.entries[charge].stored[stage] = content
            case Cap(analyst, amount):
                self.caps[analyst] = amount
            case _:
                raise broken(line.number)
        self.last, self.head = line.number, line.hash


def _changed(charge: int) -> LedgerError:
    return LedgerError(f"The stored answer of release {charge} was changed or damaged.")
